//! Parameters of an SPH liquid, and the substeps that they require.

use crate::math::Elementary;
use crate::sim::liquid::fluid::ViscousParams;
use crate::sim::liquid::pressure::wcsph::kernels::Kernel;
use crate::sim::liquid::{Fluid, PhaseParams, Whitening};
use crate::sim::parameters::parameters;
use serde::Serialize;
use std::f32::consts::PI;

parameters! {
    /// The liquid's parameters, in SI units per metre of depth. `neighbours` and `bulk_viscosity` depend on the resolution.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct SphMaterial {
        /// ρ₀, kg/m³.
        pub rest_density: f32 = 1000.0, 1.0..=20_000.0, 5 "weight" "How heavy a cubic metre of it is";
        /// k of Tait's equation `p = k ((ρ/ρ₀)^γ − 1)`, Pa. Sound travels at √(γ k/ρ₀), 20 m/s at the default.
        pub stiffness: f32 = 57_000.0, 100.0..=1e7, 6 "firmness" "How hard it is to compress";
        /// γ. Water's is 7.
        pub gamma: f32 = 7.0, 1.0..=7.0, 8 "hardening" "How much it stiffens with compression";
        /// μ, Pa·s. Water's 0.001 leaves sound to ring; 1 and more damp it.
        pub viscosity: f32 = 2.0, 0.0..=1000.0,
            1 "thickness" "How slowly it flows: low is water, high is honey";
        /// ζ, in c h (speed of sound, interaction radius): it damps sound and no motion that conserves volume. At 0 a pool 0.55 m
        /// deep rings for half a minute, at 0.25 for two seconds. It cools a liquid that is to be warm.
        pub bulk_viscosity: f32 = 0.25, 0.0..=0.5,
            7 "sound damping" "How soon sound waves after an impact die away";
        /// σ, N/m. Water's 0.072 does not show in a tank of a metre.
        pub surface_tension: f32 = 0.0, 0.0..=1000.0,
            2 "surface tension" "How strongly the surface draws together into beads";
        /// Deficit of the colour field above which a particle is on the surface; a half on a flat one.
        pub surface_threshold: f32 = 0.1, 0.02..=0.4,
            9 "surface bound" "The lack of neighbours above which a particle is surface";
        /// The kernel of the density, `spiky` or `poly6`.
        pub density_kernel: Kernel = Kernel::Spiky;
        /// Number of neighbours of a particle at rest. More are smoother and slower.
        pub neighbours: f32 = 21.0, 12.0..=60.0;
        /// Fraction of the normal speed that a particle keeps after hitting a wall: 0 is inelastic, 1 elastic.
        pub restitution: f32 = 0.1, 0.0..=1.0, 3 "bounce" "How much of its speed it keeps where it hits a wall";
        /// Friction of a wall on the liquid beside it, m/s.
        pub wall_friction: f32 = 0.3, 0.0..=10.0, 4 "wall grip" "How much walls brake the liquid beside them";
        /// Attraction of a wall on the surface: the angle between surface and wall is 180° at 0 (the liquid beads) and 90° at 1.
        pub adhesion: f32 = 1.0, 0.0..=1.0, 8 "wall pull" "How strongly a wall draws the surface to itself";
        /// Amount of spray and foam where it breaks and traps air; water has 1. Changes the picture only.
        pub foam: f32 = 1.0, 0.0..=4.0, 6 "foam" "How much spray and foam it makes where it breaks";
    }
}

impl SphMaterial {
    /// Its parameters as a fluid: of those of a fluid it has the whitewater alone.
    pub(in crate::sim::liquid) fn as_fluid(&self) -> Fluid {
        let Fluid { phase, .. } = Fluid::default();
        let viscous = ViscousParams { viscosity: 0.0, sigma: 0.0, beta: 0.0 };
        let whitening = Whitening { foam: self.foam, embers: 0.0 };
        Fluid { thermal_speed: 0.0, phase: PhaseParams { viscous, whitening, ..phase }, ..Fluid::default() }
    }
}

/// Distance that sound and liquid may travel in a substep, in h (Courant, Friedrichs & Lewy).
const COURANT: f32 = 0.3;

/// Distance that viscosity may spread in a substep: `ν dt`, in h².
const VISCOUS: f32 = 0.02;

/// Largest share of the shortest capillary wave's time `√(ρ h³/2πσ)` in a substep (Brackbill 1992).
const CAPILLARY: f32 = 0.25;

/// Maximum number of substeps in a step of 1/60 s: it bounds the cost of a frame.
const MAX_SUBSTEPS: f32 = 1000.0;

/// The relative density up to which Tait's equation holds; beyond it pressure grows linearly.
pub const MAX_DENSITY_RATIO: f32 = 1.15;

/// The material in effect in a substep, per unit of density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EffectiveMaterial {
    /// k/ρ₀, m²/s².
    pub stiffness: f32,
    /// The exponent γ of Tait's equation.
    pub gamma: f32,
    /// ν, m²/s.
    pub viscosity: f32,
    /// σ/ρ₀, m³/s².
    pub surface_tension: f32,
}

impl EffectiveMaterial {
    /// The stiffness is raised to bear a `weight` (g × depth, m²/s²): compressed by more than 15 % particles would pile up.
    pub fn of(material: &SphMaterial, weight: f32) -> Self {
        let SphMaterial { rest_density, gamma, .. } = *material;
        let least = weight / (MAX_DENSITY_RATIO.power(gamma) - 1.0);
        Self {
            stiffness: (material.stiffness / rest_density).max(least),
            gamma,
            viscosity: material.viscosity / rest_density,
            surface_tension: material.surface_tension / rest_density,
        }
    }

    /// Lowered to what a substep bears: only a material that would need more than a thousand substeps is.
    pub fn limited_to_step(self, dt: f32, h: f32) -> Self {
        let fastest = COURANT * h / (dt * self.sound_speed_ratio());
        Self {
            stiffness: self.stiffness.min(fastest * fastest / self.gamma),
            viscosity: self.viscosity.min(VISCOUS * h * h / dt),
            surface_tension: self.surface_tension.min(h.powi(3) / std::f32::consts::TAU * (CAPILLARY / dt).powi(2)),
            ..self
        }
    }

    /// Speed of sound at rest, m/s.
    pub fn sound(&self) -> f32 {
        (self.gamma * self.stiffness).sqrt()
    }

    /// Ratio of the speed of sound at `MAX_DENSITY_RATIO` to that at rest.
    fn sound_speed_ratio(&self) -> f32 {
        MAX_DENSITY_RATIO.power(0.5 * (self.gamma - 1.0))
    }

    /// Substeps, with fractions, into which `step` seconds must be divided where nothing is faster than `fastest` (m/s).
    pub fn substeps(&self, step: f32, h: f32, fastest: f32) -> f32 {
        let courant = (self.sound() * self.sound_speed_ratio() + fastest) / (COURANT * h);
        let viscous = self.viscosity / (VISCOUS * h * h);
        let capillary = (std::f32::consts::TAU * self.surface_tension / h.powi(3)).sqrt() / CAPILLARY;
        (step * courant.max(viscous).max(capillary)).min(MAX_SUBSTEPS)
    }

    /// Tait's equation, as pressure over ρ₀ (m²/s²) at a relative density. A negative pressure is set to zero.
    #[inline(always)]
    pub fn pressure(&self, density: f32) -> f32 {
        let held = density.clamp(1.0, MAX_DENSITY_RATIO);
        // γ = 7 without `powf`.
        let (power, slope) = if self.gamma == 7.0 {
            let cube = held * held * held;
            (cube * cube * held, 7.0 * cube * cube)
        } else {
            (held.power(self.gamma), self.gamma * held.power(self.gamma - 1.0))
        };
        self.stiffness * (power - 1.0 + slope * (density - held).max(0.0))
    }
}

/// The deficit of the colour field at a flat surface, `∫ (1 − c)` over its inside, in h: the first moment of poly6's line
/// integral, `∫ t W̄(t) dt`, is 1/9 of 128/35π.
const FLAT_SURFACE: f32 = 128.0 / (35.0 * 9.0 * PI);

/// Fraction of that deficit left once the outermost particles have drawn together. Calibrated with warm drops.
const TENSION_CALIBRATION: f32 = 0.55;

/// K, m²/s²: the cohesive pressure over ρ₀ of a surface tension over ρ₀, m³/s².
pub(super) fn cohesion_from_tension(tension: f32, h: f32) -> f32 {
    tension / (TENSION_CALIBRATION * FLAT_SURFACE * h)
}

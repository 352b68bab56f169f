//! What an SPH liquid is made of, and how long a substep it bears.

use crate::math::Elementary;
use crate::sim::liquid::sph::kernels::Kernel;
use serde::Serialize;

/// The liquid's parameters, in SI units, a metre of the third dimension being taken for granted. None of them depends
/// on the resolution, but for `neighbours`, which is part of it, and `bulk_viscosity`, which is given in terms of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SphMaterial {
    /// ρ₀, kg/m³, 1 to 20,000.
    pub rest_density: f32,
    /// k of Tait's equation `p = k ((ρ/ρ₀)^γ − 1)`, Pa, 100 to 10⁷. Sound travels at √(γ k/ρ₀), 20 m/s at the default;
    /// the liquid is compressed by `ρ g depth / (γ k)`. See [`EffectiveMaterial`] for what acts of it.
    pub stiffness: f32,
    /// γ, 1 to 7. Water's is 7.
    pub gamma: f32,
    /// μ, Pa·s, 0 to 1000. Water's 0.001 leaves sound to ring; 1 and more damp it.
    pub viscosity: f32,
    /// ζ, in c h (sound's speed, interaction radius), 0 to 0.5: what damps sound, and nothing that keeps its volume. At 0 a
    /// pool 0.55 m deep rings for half a minute, at 0.25 (of 0.04 m: 0.2 m²/s) for two seconds. It takes the heat out of a
    /// liquid that is to be warm.
    pub bulk_viscosity: f32,
    /// σ, N/m, 0 to 1000. Water's 0.072 does not show in a tank of a metre.
    pub surface_tension: f32,
    /// How much the colour field must lack of 1 for a particle to be on the surface, 0.02 to 0.4. Right on a flat surface
    /// it lacks a half.
    pub surface_threshold: f32,
    /// The kernel of the density, `spiky` or `poly6`.
    pub density_kernel: Kernel,
    /// How many neighbours a particle has at rest, 12 to 60. More are smoother and slower.
    pub neighbours: f32,
    /// Fraction of the normal speed that a particle keeps after hitting a wall, 0 to 1: 0 is inelastic, 1 elastic.
    pub restitution: f32,
    /// Friction of a wall on the liquid beside it, m/s, 0 to 10.
    pub wall_friction: f32,
    /// How much a wall draws the surface to itself, 0 to 1: the angle between surface and wall is 180° at 0 (the liquid
    /// beads) and 90° at 1.
    pub adhesion: f32,
    /// How much spray and foam it makes where it breaks and traps air, 0 to 4; 1 is water's. Changes the picture only.
    pub foam: f32,
}

impl Default for SphMaterial {
    fn default() -> Self {
        Self {
            rest_density: 1000.0,
            stiffness: 57_000.0,
            gamma: 7.0,
            viscosity: 2.0,
            bulk_viscosity: 0.25,
            surface_tension: 0.0,
            surface_threshold: 0.1,
            density_kernel: Kernel::Spiky,
            neighbours: 21.0,
            restitution: 0.1,
            wall_friction: 0.3,
            adhesion: 1.0,
            foam: 1.0,
        }
    }
}

/// How far sound and liquid may travel in a substep, in h (Courant, Friedrichs & Lewy).
const COURANT: f32 = 0.3;

/// How far viscosity may spread in a substep: `ν dt`, in h².
const VISCOUS: f32 = 0.02;

/// Of the shortest capillary wave's time `√(ρ h³/2πσ)`, the most that a substep may take (Brackbill 1992).
const CAPILLARY: f32 = 0.25;

/// The most substeps in a step of 1/60 s: a bound on what a frame can cost.
const MOST_SUBSTEPS: f32 = 1000.0;

/// The relative density up to which Tait's equation holds. Beyond it pressure grows in a straight line, and sound is no
/// faster than there.
pub const MAX_DENSITY_RATIO: f32 = 1.15;

/// What acts in a substep, per unit of density.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// The material's own figures; only its stiffness is raised to what bears the liquid's `weight` (g × depth, m²/s²):
    /// under a pressure that compresses it by more than 15 % particles would pile up without end.
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

    /// The same, lowered to what a substep of `dt` seconds bears at the interaction radius `h`. Where [`Self::substeps`]
    /// has been heeded, only what would need more than a thousand of them is.
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

    /// How much faster sound is at `MAX_DENSITY_RATIO` than at rest.
    fn sound_speed_ratio(&self) -> f32 {
        MAX_DENSITY_RATIO.power(0.5 * (self.gamma - 1.0))
    }

    /// Substeps, with fractions, that `step` seconds must be divided into where nothing is faster than `fastest` (m/s).
    pub fn substeps(&self, step: f32, h: f32, fastest: f32) -> f32 {
        let courant = (self.sound() * self.sound_speed_ratio() + fastest) / (COURANT * h);
        let viscous = self.viscosity / (VISCOUS * h * h);
        let capillary = (std::f32::consts::TAU * self.surface_tension / h.powi(3)).sqrt() / CAPILLARY;
        (step * courant.max(viscous).max(capillary)).min(MOST_SUBSTEPS)
    }

    /// Tait's equation, as pressure over ρ₀ (m²/s²) at a relative density. Negative pressure, which would draw a
    /// surface's particles into clumps, counts as none.
    #[inline(always)]
    pub fn pressure(&self, density: f32) -> f32 {
        let held = density.clamp(1.0, MAX_DENSITY_RATIO);
        // γ = 7 without a power.
        let (power, slope) = if self.gamma == 7.0 {
            let cube = held * held * held;
            (cube * cube * held, 7.0 * cube * cube)
        } else {
            (held.power(self.gamma), self.gamma * held.power(self.gamma - 1.0))
        };
        self.stiffness * (power - 1.0 + slope * (density - held).max(0.0))
    }
}

//! Parameters of a fluid: those of the paper, and the response of walls.

use crate::sim::liquid::froude::FroudeScale;
use crate::sim::liquid::springs::Viscoelastic;
use crate::sim::liquid::thermal::Thermal;
use serde::Serialize;

/// Speeds of a stream, m/s, from which on it is turbulent, and at which it splashes; at the reference's scale.
const TURBULENT: f32 = 0.04;
const SPLASHING: f32 = 0.6;

/// What a liquid is made of. None of the figures depends on the resolution: with more particles, a smaller
/// interaction radius h and shorter steps it stays the same liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fluid {
    /// How particles push and pull each other.
    #[serde(flatten)]
    pub pressure: PressureParams,
    /// How walls answer.
    #[serde(flatten)]
    pub walls: WallParams,
    /// Random motion that is kept up among its particles while it flows, m/s: without it they set in a lattice, which bears shear.
    /// 0 to 1; at 0 time is integrated as in the paper, which takes all jitter out.
    pub thermal_speed: f32,
    /// What each of the fluids of a tank has of its own.
    #[serde(flatten)]
    pub phase: PhaseParams,
    /// At which scale the figures above are: see [`Fluid::at_scale`].
    #[serde(skip)]
    pub scale: FroudeScale,
}

/// Pressure (section 4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PressureParams {
    /// ρ₀ (eq. 4): the sum of `(1 − r/h)²` over the neighbours at which pressure is zero. Dimensionless, 2 to 12.
    /// More means more neighbours: smoother and slower.
    pub rest_density: f32,
    /// k (eq. 4) times h, in m²/s²: the square of a speed. Sound travels at about 1.9 √stiffness in
    /// the blob. 0 to 1000.
    pub stiffness: f32,
    /// How much of the tension of thin liquid there is, 0 to 1: at 1 that of the paper, which pulls surfaces together;
    /// at 0 none, as in a body of water so large that its surface tension does not count.
    pub tension_scale: f32,
    /// k_near (eq. 5) times h, in m²/s². Keeps particles apart, and holds the surface together. 0 to
    /// 3000.
    pub near_stiffness: f32,
    /// ν₀: the near-density `Σ (1 − r/h)³` below which there is no near-pressure; the paper's eq. 5 has none. With it
    /// near-pressure alone can carry a liquid, by a kernel so smooth that a lattice of particles bears hardly any shear.
    /// Dimensionless, 0 to 8.
    pub near_rest_density: f32,
}

/// How walls answer the liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WallParams {
    /// How walls answer.
    #[serde(rename = "wall")]
    pub response: WallResponse,
    /// Fraction of the normal speed that a particle keeps after hitting a wall, 0 to 1: 0 is inelastic, 1 elastic.
    pub restitution: f32,
    /// For `anti-stick`: speed with which a wall lets go of a particle, in h a second. 0 to 10.
    pub release_speed: f32,
    /// For `half-plane`: density of the liquid that is imagined behind a wall, as a share of the rest density, 0 to 2.
    /// At 0.75 as few particles of the blob lie on the wall as at 1, and its surface meets it level; a little over 1 makes up
    /// for the push that `mirrored_pressure` does not add.
    pub wall_density: f32,
    /// For `half-plane`: how much of the push that the imagined liquid would add to the particle's own, 0 to 1. At 1
    /// particles stand off as they do from each other; at 0 there is an energy that is kept, and a liquid with little
    /// viscosity does not boil at its walls.
    pub mirrored_pressure: f32,
    /// For `half-plane`: how much of the pull of thin liquid (P < 0) a wall exerts, 0 to 1; one overhead exerts none, so
    /// that ceilings drip dry. At 0 the surface stands off from the side walls, at 0.5 it meets them nearly level; from
    /// 0.7 on coarse liquids draw energy from it and boil, and at 1 films climb the walls.
    pub adhesion: f32,
    /// For `half-plane`: friction of a wall on the liquid beside it, m/s; 0 to 10. Where there is a `thermal_speed`, also
    /// that of the panes before and behind, and the calmer it is the more of it there is.
    pub wall_friction: f32,
    /// The speed beyond which that friction slips, m/s, falling with the square; 0.001 to 100. The last slow rocking comes
    /// to rest by friction, and waves must not notice it.
    pub slip_speed: f32,
    /// Drag of walls and panes that grows with the speed beyond 0.04 m/s, dimensionless, 0 to 1: what great waves lose to
    /// turbulence. Splashes, faster than some 0.6 m/s, are spared.
    pub wall_drag: f32,
}

/// What a fluid has of its own in a tank of several. Pressure, walls and random motion are those of the first fluid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseParams {
    /// Mass of a square metre of it, water having 1; counts where several fluids are in one tank. 0.1 to 20.
    pub density: f32,
    /// What brakes it.
    #[serde(flatten)]
    pub viscous: ViscousParams,
    /// Springs between neighbours, and how they give way.
    #[serde(flatten)]
    pub elastic: Viscoelastic,
    /// How quickly it mixes with other fluids, m²/s; only colours show it. 0 to 0.01; at 0 it never mixes.
    pub diffusion: f32,
    /// How strongly it is pushed off by other fluids, in m²/s² as stiffness is: what parts oil from water. 0 to 20.
    pub interfacial_repulsion: f32,
    /// Conduction, expansion and phase changes. These apply in a tank that has a temperature.
    #[serde(flatten)]
    pub thermal: Thermal,
    /// How much whitewater it makes. Changes the picture only.
    #[serde(flatten)]
    pub whitening: Whitening,
    /// Whether it is a gas, such as air: it pushes and is pushed, and is not seen. What is measured of a liquid's surface
    /// leaves it out, and so do outlets and inlets, unless they are of gas.
    pub gas: bool,
}

/// Viscosity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ViscousParams {
    /// ν, the kinematic viscosity, m²/s: the same with any number of particles and substeps. Walls do not slip on a fluid that
    /// has any. 0 to 1. Water's is 1e-6, olive oil's 1e-4, honey's 0.005.
    pub viscosity: f32,
    /// σ (section 5.3) times h², in m²/s: the article's viscosity, which brakes the approach of pairs only, and of which a pair
    /// bears no more than a tenth of its speed in a substep; so thick liquids are thinner the finer they are. 0 to 1. It acts
    /// besides `viscosity`, and as long as no pair is at its limit as one of about σ/25.
    pub sigma: f32,
    /// β (section 5.3) times h, dimensionless: as σ, but growing with the speed of approach; stops particles from passing
    /// through each other. 0 to 10.
    pub beta: f32,
}

impl Fluid {
    /// How far behind a body's surface the half-plane begins, in h: see [`LiquidCoupling::boundary_offset`]. Found by letting bodies float. At
    /// 0.13 the blob's lie as deep as they weigh. In water of 3,000 particles a disc of r = 0.1 m and density 0.98 rises
    /// from mid-depth with 0.03, and one of 0.9 but not 0.95 with 0.08; 1.02 sinks with either. A box of density 0.3 lies
    /// at 0.28 with 0.03 and at 0.30 with 0.08.
    ///
    /// [`LiquidCoupling::boundary_offset`]: crate::sim::liquid::body_contacts::LiquidCoupling::boundary_offset
    pub(super) fn body_inset(&self) -> f32 {
        if self.pressure.near_rest_density > 0.0 { 0.03 } else { 0.13 }
    }

    /// Friction on a stream that passes a wall at `speed`, m/s: momentum lost per area of wall, over density and speed.
    ///
    /// A friction in proportion to the speed cannot do. The 0.3 m/s at which a tank of 2 m rocks after its dam broke are six
    /// halvings away from 5 mm/s, and swings of 0.17 m/s shall halve in no less than 14 s. So great waves lose more,
    /// middling ones hardly anything, and the last ones much, once it is `calm`.
    pub(super) fn friction(&self, speed: f32, calm: f32) -> f32 {
        let slow = calm * self.walls.wall_friction / (1.0 + (speed / self.walls.slip_speed).powi(2));
        let [turbulent, splashing] = [TURBULENT, SPLASHING].map(|reference| reference * self.scale.speed);
        slow + self.walls.wall_drag * (speed - turbulent).max(0.0) / (1.0 + (speed / splashing).powi(2))
    }

    /// The same fluid in a scene of another size or gravity. What is a speed, or the square of one, is scaled, so that waves
    /// and splashes look alike: see [`FroudeScale`]. Viscosity and the strength of springs are those of a substance, and
    /// are not.
    pub fn at_scale(self, scale: FroudeScale) -> Self {
        let (speed, squared) = (scale.speed, scale.speed * scale.speed);
        let Self { pressure, walls, phase, .. } = self;
        Self {
            pressure: pressure.stiffened(squared),
            walls: WallParams {
                wall_friction: speed * walls.wall_friction,
                slip_speed: speed * walls.slip_speed,
                release_speed: walls.release_speed / scale.time(),
                ..walls
            },
            thermal_speed: speed * self.thermal_speed,
            phase: PhaseParams { interfacial_repulsion: squared * phase.interfacial_repulsion, ..phase },
            scale,
        }
    }

    /// A soft, sticky liquid as the article makes it, with the ratio of the two stiffnesses that is common for it: what
    /// viscous, elastic and beading liquids are made from. Against water it is overdamped and bears some shear at rest.
    pub fn blob() -> Self {
        let Self { walls, phase, .. } = Self::default();
        Self {
            pressure: PressureParams {
                rest_density: 5.0,
                stiffness: 5.0,
                tension_scale: 1.0,
                near_stiffness: 14.3,
                near_rest_density: 0.0,
            },
            walls: WallParams {
                wall_density: 0.75,
                mirrored_pressure: 1.0,
                adhesion: 0.5,
                wall_friction: 1.5,
                slip_speed: 100.0,
                wall_drag: 0.0,
                ..walls
            },
            thermal_speed: 0.0,
            phase: PhaseParams {
                viscous: ViscousParams { viscosity: 0.0, sigma: 0.004, beta: 0.3 },
                whitening: Whitening::default(),
                ..phase
            },
            scale: FroudeScale::default(),
        }
    }
}

impl PressureParams {
    /// The same at `factor` times the stiffness.
    pub fn stiffened(self, factor: f32) -> Self {
        Self { stiffness: factor * self.stiffness, near_stiffness: factor * self.near_stiffness, ..self }
    }

    /// Eqs. 4 and 5, `P = k (ρ − ρ₀)` and `P_near = k_near max(ρ_near − ν₀, 0)`, times h: m²/s².
    pub fn pressures(&self, [density, near_density]: [f32; 2]) -> [f32; 2] {
        [
            self.stiffness * (density - self.rest_density),
            self.near_stiffness * (near_density - self.near_rest_density).max(0.0),
        ]
    }
}

/// Water.
///
/// Near-pressure alone carries it. Sound travels at `0.128 n √near_stiffness`, n = 8.8 being the particles per h²: 21 m/s,
/// so that 2 m of it are compressed by 2.2 % in the mean. With the paper's other kernel, whose second derivative jumps at
/// h, a hexagonal lattice of these densities bears a shear modulus of up to 0.3 times its pressure; with this one of at most
/// 0.05 times. First modes of tanks were 2 to 6 % too fast for it, and died away within 2.5 to 5 swings.
impl Default for Fluid {
    fn default() -> Self {
        Self {
            pressure: PressureParams {
                rest_density: 5.0,
                stiffness: 0.0,
                tension_scale: 0.0,
                near_stiffness: 360.0,
                near_rest_density: 2.0,
            },
            walls: WallParams {
                response: WallResponse::HalfPlane,
                restitution: 0.0,
                release_speed: 0.5,
                wall_density: 1.1,
                mirrored_pressure: 0.0,
                adhesion: 1.0,
                wall_friction: 0.15,
                slip_speed: 0.04,
                wall_drag: 0.12,
            },
            thermal_speed: 0.2,
            phase: PhaseParams {
                density: 1.0,
                viscous: ViscousParams { viscosity: 0.0, sigma: 0.0005, beta: 0.05 },
                elastic: Viscoelastic::default(),
                diffusion: 0.0,
                interfacial_repulsion: 0.0,
                thermal: Thermal::default(),
                whitening: Whitening { foam: 1.0, embers: 0.0 },
                gas: false,
            },
            scale: FroudeScale::default(),
        }
    }
}

/// How much whitewater a fluid makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Whitening {
    /// Spray and foam, where it breaks and traps air, 0 to 4; 1 is water's.
    pub foam: f32,
    /// Embers that it spits where it moves, 0 to 4; 1 is lava's.
    pub embers: f32,
}

impl Whitening {
    /// Whether it makes any.
    pub fn is_any(self) -> bool {
        self.foam > 0.0 || self.embers > 0.0
    }
}

/// How a wall answers a particle. Whatever is chosen, a particle that has crossed a wall is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WallResponse {
    /// The particle comes back with `restitution` times its normal speed.
    Bounce,
    /// Kuepers' cure for sticking: a wall that was touched sends the particle off with `release_speed`.
    AntiStick,
    /// The density and the push of the half-plane of liquid that the wall cuts off are added analytically, so that
    /// the liquid near a wall is like the liquid elsewhere and does not crowd onto the wall.
    HalfPlane,
}

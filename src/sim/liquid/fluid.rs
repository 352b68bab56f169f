//! Parameters of a fluid: those of the paper, and the response of walls.

use crate::sim::heat::Thermal;
use crate::sim::heat::enthalpy::REFERENCE_TEMPERATURE;
use crate::sim::liquid::FroudeScale;
use crate::sim::liquid::springs::Viscoelastic;
use crate::sim::parameters::parameters;
use serde::{Serialize, Serializer};

/// Distance between the panes imagined before and behind the tank, metres at the reference's scale.
const PANE_GAP: f32 = 0.3;

/// Stream speeds at which turbulence begins and at which liquid splashes, m/s at the reference's scale.
const TURBULENT: f32 = 0.04;
const SPLASHING: f32 = 0.6;

parameters! {
    /// Parameters of a liquid, none of which depends on the resolution. The default is water, carried by near-pressure alone:
    /// sound travels at `0.128 n √near_stiffness`, n = 8.8 being the particles per h²: 21 m/s.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct Fluid {
        /// The repulsion and attraction of particles.
        #[serde(flatten)]
        pub [inner] pressure: PressureParams = PressureParams::default();
        /// The response of walls.
        #[serde(flatten)]
        pub [inner] walls: WallParams = WallParams::default();
        /// Speed of the random motion that is maintained among the particles while the liquid flows, m/s. Without it they form a
        /// lattice, which bears shear. At 0, and in a tank with a viscosity, time is integrated as in the paper, which damps all
        /// jitter.
        pub thermal_speed: f32 = 0.2, 0.0..=1.0,
            6 "liveliness" "The random motion of particles that keeps thin liquid fluid";
        /// Whether that motion ends in liquid at rest. Without it slow convection flows, and a tank does not sleep.
        pub calms: bool = true;
        /// Whether a grid carries the weight and the long waves, so that a step costs the same at any depth. Tanks whose liquid it
        /// cannot carry are computed by the particles alone: see docs/physics.md.
        pub grid_pressure: bool = true;
        /// The parameters that each fluid of a tank has separately.
        #[serde(flatten)]
        pub [inner] phase: PhaseParams = PhaseParams::default();
        /// The scale at which the parameters above hold: see [`Fluid::at_scale`].
        #[serde(skip)]
        pub scale: FroudeScale = FroudeScale::default();
    }
}

parameters! {
    /// Pressure (section 4).
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct PressureParams {
        /// ρ₀ (eq. 4): the sum of `(1 − r/h)²` over the neighbours at which pressure is zero. More is smoother and slower.
        pub rest_density: f32 = 5.0, 2.0..=12.0,
            20 "smoothness" "How many neighbours a particle has: more is smoother and slower";
        /// k (eq. 4) times h, in m²/s²: the square of a speed. Sound travels at about 1.9 √stiffness in the blob.
        pub stiffness: f32 = 0.0, 0.0..=1000.0,
            9 "far pressure" "How strongly it resists compression over a distance";
        /// Fraction of the paper's tension of thin liquid: 1 is the paper's, which contracts surfaces; 0 is none.
        pub tension_scale: f32 = 0.0, 0.0..=1.0,
            2 "surface tension" "How strongly the surface draws together into sheets and beads";
        /// k_near (eq. 5) times h, in m²/s². Near-pressure keeps particles apart and holds the surface together.
        pub near_stiffness: f32 = 360.0, 0.0..=3000.0,
            7 "firmness" "How hard it is to compress: low is springy, high is like water";
        /// ν₀: the near-density `Σ (1 − r/h)³` below which there is no near-pressure, dimensionless; the paper's eq. 5 has none.
        pub near_rest_density: f32 = 2.0, 0.0..=8.0,
            20 "near spacing" "The density of near particles above which they repel";
    }
}

parameters! {
    /// Response of walls to the liquid.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct WallParams {
        /// Kind of response.
        #[serde(rename = "wall")]
        pub response: WallResponse = WallResponse::HalfPlane;
        /// Fraction of the normal speed that a particle keeps after hitting a wall: 0 is inelastic, 1 elastic.
        pub restitution: f32 = 0.0, 0.0..=1.0, 4 "bounce" "How much of its speed it keeps where it hits a wall";
        /// For `anti-stick`: speed at which a wall releases a particle, in h a second.
        pub release_speed: f32 = 0.5, 0.0..=10.0,
            12 "wall release" "The speed at which particles leave a wall that they touch";
        /// For `half-plane`: density of the liquid that is imagined behind a wall, as a fraction of the rest density. A little
        /// over 1 makes up for the push that `mirrored_pressure` leaves out.
        pub wall_density: f32 = 1.1, 0.0..=2.0, 20 "wall density" "The assumed density of liquid behind a wall";
        /// For `half-plane`: fraction of the mirrored push, which the imagined liquid would add to the particle's own. At 0 an
        /// energy is conserved, and a liquid of low viscosity does not boil at its walls.
        pub mirrored_pressure: f32 = 0.0, 0.0..=1.0,
            20 "wall push" "The fraction of the liquid's pressure that a wall returns";
        /// For `half-plane`: fraction of the pull of thin liquid (P < 0) that a wall exerts; a wall overhead exerts none. From
        /// 0.7 on coarse liquids draw energy from it and boil, and at 1 films climb the walls.
        pub adhesion: f32 = 1.0, 0.0..=1.0, 11 "wall pull" "How strongly a wall draws the liquid to itself";
        /// For `half-plane`: friction of a wall on the liquid beside it, m/s. With a `thermal_speed` it is also the friction of
        /// the panes before and behind, which grows as the liquid calms.
        pub wall_friction: f32 = 0.15, 0.0..=10.0, 5 "wall grip" "How much walls brake the liquid beside them";
        /// The speed beyond which that friction slips, falling with the square of the speed, m/s.
        pub slip_speed: f32 = 0.04, 0.001..=100.0,
            20 "slip speed" "The speed above which the liquid slips along walls";
        /// Drag of walls and panes that grows beyond 0.04 m/s, dimensionless: the loss of large waves to turbulence.
        pub wall_drag: f32 = 0.12, 0.0..=1.0, 13 "wave damping" "How much walls damp large waves";
    }
}

parameters! {
    /// Parameters of one fluid in a tank of several. Pressure, walls and random motion are those of the first fluid.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct PhaseParams {
        /// Mass of a square metre, water having 1; matters where several fluids are in one tank.
        pub density: f32 = 1.0, 0.1..=20.0, 5 "weight" "How heavy it is: a lighter fluid floats on it";
        /// Viscosity.
        #[serde(flatten)]
        pub [inner] viscous: ViscousParams = ViscousParams::default();
        /// Springs between neighbours, and how they yield.
        #[serde(flatten)]
        pub [inner] elastic: Viscoelastic = Viscoelastic::default();
        /// Diffusion into other fluids, m²/s; shown by colours only. At 0 it never mixes.
        pub diffusion: f32 = 0.0, 0.0..=0.01,
            6 "mixing" "How quickly its colour mixes with that of other fluids";
        /// Repulsion from other fluids, m²/s² as stiffness: it separates oil from water.
        pub interfacial_repulsion: f32 = 0.0, 0.0..=20.0,
            4 "parting" "How strongly it separates from other fluids";
        /// How much walls are wetted by it where there are several fluids: at 0 walls repel it as another fluid does.
        pub wetting: f32 = 1.0, 0.0..=1.0, 12 "wetting" "How much it wets walls: without it drops of it stay round";
        /// Conduction, expansion and phase changes. These apply in a tank that has a temperature.
        #[serde(flatten)]
        pub [inner] thermal: Thermal = Thermal::default();
        /// The fluid that it freezes to; see [`PhaseParams::set_solid`].
        #[serde(serialize_with = "name_of_solid")]
        pub solid: Option<&'static SolidForm> = None;
        /// The amount of whitewater that the fluid emits. It changes the picture only.
        #[serde(flatten)]
        pub [inner] whitening: Whitening = Whitening::default();
        /// Whether it is a gas, such as air: not drawn, not measured as surface, and not taken by outlets unless for gas.
        pub gas: bool = false;
    }
}

parameters! {
    /// Viscosity.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct ViscousParams {
        /// ν, the kinematic viscosity, m²/s, with walls without slip. Water has 1e-6, olive oil 1e-4, honey 0.005.
        pub viscosity: f32 = 0.0, 0.0..=1.0,
            1 "thickness" "How slowly it flows: water has none, oil a little, honey much";
        /// σ (section 5.3) times h², m²/s: the article's viscosity, which brakes approaching pairs only, by at most a tenth of
        /// their speed of approach in a substep. It acts in addition to `viscosity`, and as one of about σ/25.
        pub sigma: f32 = 0.0005, 0.0..=1.0, 8 "stickiness" "How much it damps slow approach of particles";
        /// β (section 5.3) times h, dimensionless: as σ, but growing with the speed of approach.
        pub beta: f32 = 0.05, 0.0..=10.0, 10 "splash damping" "How much it damps fast approach of particles";
    }
}

parameters! {
    /// The amount of whitewater that a fluid emits.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct Whitening {
        /// Spray and foam where waves break and trap air; water has 1.
        pub foam: f32 = 1.0, 0.0..=4.0, 6 "foam" "How much spray and foam it makes where it breaks";
        /// Embers that it spits where it moves; lava has 1.
        pub embers: f32 = 0.0, 0.0..=4.0, 3 "embers" "How many sparks it throws where it moves";
    }
}

/// The solid form of a fluid: another fluid with springs.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidForm {
    /// Name of that fluid.
    pub name: String,
    /// The label of its phase.
    pub label: String,
    /// Its parameters. Its springs and its density apply; the mass of a particle does not change.
    pub fluid: Fluid,
}

/// An empty name means that the fluid does not freeze, because a missing one would be read as water's.
fn name_of_solid<S: Serializer>(solid: &Option<&'static SolidForm>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(solid.map_or("", |solid| &solid.name))
}

impl PhaseParams {
    /// Whether it has a viscosity at some temperature.
    pub fn is_viscous(&self) -> bool {
        self.viscous.viscosity > 0.0 || !self.thermal.viscosity_at.is_empty()
    }

    /// Sets the fluid that it freezes to.
    pub fn set_solid(&mut self, solid: Option<&'static SolidForm>) {
        self.solid = solid;
        self.thermal.freezes = solid.is_some();
    }

    /// Whether the fluid is hotter than a room when it is poured, because it would be solid there.
    pub fn is_poured_hot(&self) -> bool {
        let room = REFERENCE_TEMPERATURE;
        self.thermal.poured_temperature(room, self.viscous.viscosity) > room
    }
}

impl Fluid {
    /// How far behind a body's surface the half-plane begins, in h. Calibrated with floating bodies.
    pub(super) fn body_inset(&self) -> f32 {
        if self.pressure.near_rest_density > 0.0 { 0.03 } else { 0.13 }
    }

    /// The friction on a stream that passes a wall at `speed`, m/s: momentum lost per area and time, over density and speed.
    /// Large waves lose more, and the last ones much, once the liquid is `calm`.
    pub(super) fn friction(&self, speed: f32, calm: f32) -> f32 {
        let slow = calm * self.walls.wall_friction / (1.0 + (speed / self.walls.slip_speed).powi(2));
        let [turbulent, splashing] = [TURBULENT, SPLASHING].map(|reference| reference * self.scale.speed);
        slow + self.walls.wall_drag * (speed - turbulent).max(0.0) / (1.0 + (speed / splashing).powi(2))
    }

    /// Returns the fraction of its velocity that the panes take in `dt` seconds from a stream of `speed`, m/s.
    pub(super) fn pane_friction(&self, speed: f32, calm: f32, dt: f32) -> f32 {
        (2.0 / (PANE_GAP * self.scale.length) * dt * self.friction(speed, calm)).min(1.0)
    }

    /// The same fluid for a scene of another size or gravity. Speeds and squares of speeds are scaled: see [`FroudeScale`].
    /// Viscosity and the strength of springs belong to the substance and are not scaled.
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
            ..self
        }
    }

    /// A soft, sticky liquid as the article makes it: the basis of viscous, elastic and beading liquids.
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
            grid_pressure: false,
            phase: PhaseParams {
                viscous: ViscousParams { viscosity: 0.0, sigma: 0.004, beta: 0.3 },
                whitening: Whitening { foam: 0.0, embers: 0.0 },
                ..phase
            },
            ..Self::default()
        }
    }
}

impl PressureParams {
    /// Returns the same fluid with `factor` times the stiffness.
    pub fn stiffened(self, factor: f32) -> Self {
        Self { stiffness: factor * self.stiffness, near_stiffness: factor * self.near_stiffness, ..self }
    }

    /// Computes eqs. 4 and 5, `P = k (ρ − ρ₀)` and `P_near = k_near max(ρ_near − ν₀, 0)`, times h: m²/s².
    pub fn pressures(&self, [density, near_density]: [f32; 2]) -> [f32; 2] {
        [
            self.stiffness * (density - self.rest_density),
            self.near_stiffness * (near_density - self.near_rest_density).max(0.0),
        ]
    }
}

named! {
    /// Response of a wall to a particle. With any of them, a particle that has crossed a wall is put back.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum WallResponse {
        /// The particle is reflected with `restitution` times its normal speed.
        Bounce => "bounce",
        /// Kuepers' cure for sticking: a wall that was touched pushes the particle off with `release_speed`.
        AntiStick => "anti-stick",
        /// Density and push of the half-plane that the wall cuts off are added: liquid near it behaves as elsewhere.
        HalfPlane => "half-plane",
    }
}

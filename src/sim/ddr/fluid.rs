//! What a liquid is made of: the paper's parameters, and how walls answer it.

use crate::sim::springs::Elastic;
use serde::Serialize;

/// What a liquid is made of. None of the figures depends on the resolution: with more particles, a smaller
/// interaction radius h and shorter steps it stays the same liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fluid {
    /// ρ₀ (eq. 4): the sum of `(1 − r/h)²` over the neighbours at which pressure is zero. Dimensionless, 2 to 12.
    /// More means more neighbours: smoother and slower.
    pub rest_density: f32,
    /// k (eq. 4) times h, in m²/s²: the square of a speed. Sound travels at about 1.9 √stiffness. 0 to 100.
    pub stiffness: f32,
    /// How much of the tension of thin liquid there is, 0 to 1: at 1 that of the paper, which pulls surfaces together;
    /// at 0 none, as in a body of water so large that its surface tension does not count.
    pub cohesion: f32,
    /// k_near (eq. 5) times h, in m²/s². Keeps particles apart, and holds the surface together. 0 to 300.
    pub near_stiffness: f32,
    /// σ (section 5.3) times h², in m²/s: viscosity that grows with the speed of approach. 0 to 1.
    pub sigma: f32,
    /// β (section 5.3) times h, dimensionless: viscosity that grows with its square; stops particles from passing
    /// through each other. 0 to 10.
    pub beta: f32,
    /// How walls answer.
    pub wall: WallResponse,
    /// Share of the speed along a wall's normal that is lost on impact, 0 to 1. The rest comes back.
    pub wall_loss: f32,
    /// For `anti-stick`: speed with which a wall lets go of a particle, in h a second. 0 to 10.
    pub wall_speed: f32,
    /// For `half-plane`: density of the liquid that is imagined behind a wall, as a share of the rest density, 0 to 1.
    /// At 0.75 as few particles lie on the wall as at 1, and the surface meets it level.
    pub wall_density: f32,
    /// For `half-plane`: how much of the push that the imagined liquid would add to the particle's own, 0 to 1. At 1
    /// particles stand off as they do from each other; at 0 there is an energy that is kept, and a liquid with little
    /// viscosity does not boil at its walls.
    pub wall_push: f32,
    /// For `half-plane`: how much of the pull of thin liquid (P < 0) a wall exerts, 0 to 1; one overhead exerts none, so
    /// that ceilings drip dry. At 0 the surface stands off from the side walls, at 0.5 it meets them nearly level; from
    /// 0.7 on coarse liquids draw energy from it and boil, and at 1 films climb the walls.
    pub wetting: f32,
    /// For `half-plane`: friction of a wall on the liquid beside it, m/s. 0 to 10.
    pub wall_friction: f32,
    /// Springs between neighbours, and how they give way.
    #[serde(flatten)]
    pub elastic: Elastic,
    /// Mass of a square metre of it, water having 1; counts where several fluids are in one tank. 0.1 to 20.
    pub density: f32,
    /// How quickly its colour runs into that of other fluids, m²/s. At 0 it never does. 0 to 0.01.
    pub diffusion: f32,
    /// How strongly it is pushed off by other fluids, in m²/s² as stiffness is: what parts oil from water. 0 to 20.
    pub aversion: f32,
}

impl Default for Fluid {
    fn default() -> Self {
        Self {
            rest_density: 5.0,
            stiffness: 5.0,
            cohesion: 1.0,
            near_stiffness: 14.3,
            sigma: 0.004,
            beta: 0.3,
            wall: WallResponse::HalfPlane,
            wall_loss: 1.0,
            wall_speed: 0.5,
            wall_density: 0.75,
            wall_push: 1.0,
            wetting: 0.5,
            wall_friction: 1.5,
            elastic: Elastic::default(),
            density: 1.0,
            diffusion: 0.0,
            aversion: 0.0,
        }
    }
}

/// How a wall answers a particle. Whatever is chosen, a particle that has crossed a wall is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WallResponse {
    /// The particle comes back with what `wall_loss` leaves of its speed.
    Bounce,
    /// Kuepers' cure for sticking: a wall that was touched sends the particle off with `wall_speed`.
    AntiStick,
    /// The density and the push of the half-plane of liquid that the wall cuts off are added analytically, so that
    /// the liquid near a wall is like the liquid elsewhere and does not crowd onto the wall.
    HalfPlane,
}

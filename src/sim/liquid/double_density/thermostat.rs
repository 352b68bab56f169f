//! What keeps water liquid: a thermostat on the random motion of its particles.
//!
//! Particles under pressure that do not move relative to each other set in a lattice, and a lattice bears shear: it damps
//! waves and stands in slopes. Particles that jitter at a hundredth of the speed of sound do not. First mode of 2 m × 0.3 m
//! in 3,000 particles of water, swings until the amplitude halves, against the jitter that is kept up: 0 m/s 3.9; 0.07 m/s
//! 4.4; 0.10 m/s 5.4; 0.15 m/s 8.9.
//!
//! The control is the time integration itself. A step moves particles by `v dt + f Δ`, Δ being the displacement of the
//! pressures, and changes velocities by `Δ/dt`. A vibration of angular frequency ω then changes by the factor
//! `√(1 − f (ω dt)²)` a step: f = 1 is the paper's scheme, in which the vibrations of single particles are gone after a few
//! substeps; f = 0 is the symplectic Euler scheme, which keeps them; a small negative f feeds them. Waves of the liquid, a
//! hundred times slower, feel nothing of it, momentum is conserved exactly, and nothing is random. (A jitter fed by walls
//! that push harder than an energy allows works as well, and never comes to rest. Random impulse_timing would have to be paired.)
//!
//! The temperature follows the flow. Violent flow needs none, for it melts itself; gentle waves have the full one; and
//! where they have died away the jitter is taken out, so that the liquid can sleep.

use crate::sim::neighbors::Grid;
use crate::sim::neighbors::sleep_map::SleepMap;
use crate::sim::particles::Particles;
use glam::Vec2;

/// f where nothing is kept up: the paper's.
const PAPER: f32 = 1.0;

/// The limits of f while a temperature is kept. The scheme is stable up to `(ω dt)² = 4/(1 + 2 f)`: see [`MAX_PHASE`].
const COOLING: f32 = 0.5;
const HEATING: f32 = -0.1;

/// The largest phase `ω dt` of the stiffest vibration at rest, with and without a thermostat. The scheme bears
/// √(4/(1 + 2 f)), 1.41 and 1.15; ω grows with compression.
const MAX_PHASE: [f32; 2] = [1.2, 0.55];

/// How f answers a kinetic energy of the jitter that is not as wanted, per unit of relative excess.
const GAIN: f32 = 0.2;

/// Seconds over which a flow is remembered: a wave stands still twice in a period.
const MEMORY: f32 = 2.0;

/// The side of the blocks over which the flow is averaged, in h: some 140 particles, so that the jitter's own mean does not
/// pass for a flow.
const BATCH: usize = 6;

/// Speeds of the flow, over that of the jitter, between which the jitter is taken up, and between which it is reduced to
/// [`IN_VIOLENT_FLOW`] again.
const RISE: [f32; 2] = [0.22, 0.4];
const FALL: [f32; 2] = [1.0, 1.7];
const IN_VIOLENT_FLOW: f32 = 0.2;

/// The state of the control.
#[derive(Clone, Debug)]
pub(super) struct Thermostat {
    /// Root mean square speed of the flow that is remembered, m/s.
    flow: f32,
    /// f.
    forward: f32,
    /// Momentum and number of the particles in each block of a row of blocks.
    blocks: Vec<(Vec2, f32)>,
}

impl Default for Thermostat {
    fn default() -> Self {
        Self { flow: 0.0, forward: COOLING, blocks: Vec::new() }
    }
}

/// The largest phase `ω dt` that a substep may have, given the jitter that is to be kept up, m/s.
pub(super) fn max_phase(thermal_speed: f32) -> f32 {
    MAX_PHASE[usize::from(thermal_speed == 0.0)]
}

impl Thermostat {
    /// f: the share of the displacement by which particles move at once.
    pub fn forward(&self, thermal_speed: f32) -> f32 {
        if thermal_speed == 0.0 { PAPER } else { self.forward }
    }

    /// Measures jitter and flow of those that are awake, once in `dt` seconds, and sets f for the time to come.
    pub fn regulate(&mut self, thermal_speed: f32, grid: &Grid, sleep_map: &SleepMap, p: &Particles, dt: f32) {
        if thermal_speed == 0.0 {
            return;
        }
        let (jitter, flow) = self.measure(grid, sleep_map, p);
        self.flow = flow.max(self.flow * (-dt / MEMORY).exp());
        let flow = self.flow / thermal_speed;
        let wanted = thermal_speed * smoothstep(flow, RISE) * (1.0 - (1.0 - IN_VIOLENT_FLOW) * smoothstep(flow, FALL));
        let excess = (jitter / wanted.max(1e-3 * thermal_speed)).powi(2) - 1.0;
        self.forward = (GAIN * excess).clamp(HEATING, COOLING);
    }

    /// Root mean square speed of the particles relative to those within the same square of h × h, and of the means over
    /// larger blocks, m/s. Sums run in the order of the grid, on one thread: they are the same bits however the passes
    /// are divided.
    fn measure(&mut self, grid: &Grid, sleep_map: &SleepMap, p: &Particles) -> (f32, f32) {
        let across = grid.blocks_per_row();
        self.blocks.resize(across.div_ceil(BATCH), (Vec2::ZERO, 0.0));
        let (mut jitter, mut flow, mut count) = (0.0, 0.0, 0.0);
        for row in 0..grid.rows() {
            for column in 0..across {
                let patch = row * across + column;
                let slots = grid.block(patch);
                if slots.len() < 2 || sleep_map.is_asleep(patch) {
                    continue;
                }
                let number = slots.len() as f32;
                let (vx, vy) = (&p.vx[slots.clone()], &p.vy[slots]);
                let sum = Vec2::new(vx.iter().sum(), vy.iter().sum());
                let squares: f32 = vx.iter().chain(vy).map(|v| v * v).sum();
                jitter += f64::from((squares - sum.length_squared() / number).max(0.0) * number / (number - 1.0));
                let block = &mut self.blocks[column / BATCH];
                *block = (block.0 + sum, block.1 + number);
            }
            if row % BATCH == BATCH - 1 || row + 1 == grid.rows() {
                for (momentum, number) in &mut self.blocks {
                    flow += f64::from(momentum.length_squared() / number.max(1.0));
                    count += f64::from(*number);
                    (*momentum, *number) = (Vec2::ZERO, 0.0);
                }
            }
        }
        let mean = |sum: f64| (sum / count.max(1.0)).sqrt() as f32;
        (mean(jitter), mean(flow))
    }
}

/// From 0 to 1 between two places, without corners.
fn smoothstep(x: f32, [from, to]: [f32; 2]) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

//! The thermostat that keeps water liquid: particles that do not move relative to each other form a lattice, which bears shear. A
//! substep moves particles by `v dt + f Δ`, Δ being the displacement of the pressures, and changes velocities by `Δ/dt`. A
//! vibration of angular frequency ω changes by `√(1 − f (ω dt)²)`: f = 1 is the paper's scheme, f = 0 symplectic Euler; a small
//! negative f feeds vibrations. Violent flow needs no jitter, gentle waves the full one. A viscosity takes more of the jitter than
//! f can feed, and what is fed goes into waves: with one there is no thermostat.

use crate::math::{Elementary, smoothstep};
use crate::sim::liquid::{Fluid, Phases};
use crate::sim::neighbors::{Grid, SleepMap};
use crate::sim::particles::Particles;
use glam::Vec2;

/// f without temperature control: the paper's.
const UNCONTROLLED_FORWARD: f32 = 1.0;

/// The limits of f under temperature control. The scheme is stable up to `(ω dt)² = 4/(1 + 2 f)`.
const MAX_FORWARD: f32 = 0.5;
const MIN_FORWARD: f32 = -0.1;

/// The largest phase `ω dt` of the stiffest vibration at rest, with and without a thermostat; ω grows with compression.
const MAX_PHASE: [f32; 2] = [1.2, 0.55];

/// Change of f per unit of relative excess of the jitter's kinetic energy.
const FORWARD_GAIN: f32 = 0.2;

/// Time constant over which the flow is averaged, seconds at the reference's scale: a wave stands still twice in a period.
const FLOW_MEMORY: f32 = 4.0;

/// Side of the blocks over which the flow is averaged, in h: some 140 particles.
const BLOCK_SIDE: usize = 6;

/// Ratios of the flow to the jitter: between the first two the jitter rises, then it falls to [`IN_VIOLENT_FLOW`].
const FULL_JITTER: [f32; 2] = [0.17, 0.26];
const LESS_JITTER: [f32; 2] = [1.0, 1.7];
const IN_VIOLENT_FLOW: f32 = 0.2;

/// Ratios of the flow's speed to the jitter's, between which a liquid whose weight a grid carries calms: the grid damps no waves.
const CALM_WAVES: [f32; 2] = [0.22, 0.33];

defaults! {
    #[derive(Clone, Debug)]
    pub(super) struct Thermostat {
        /// Root mean square speed of the averaged flow, m/s.
        flow: f32 = 0.0;
        /// f: see [`Thermostat::forward`].
        forward: f32 = MAX_FORWARD;
        /// Calmness, from 0 to 1: 1 minus the share of the jitter that the flow requires.
        pub calm: f32 = 1.0;
        /// Momentum and number of the particles in each block of one row of blocks.
        blocks: Vec<(Vec2, f32)> = Vec::new();
        /// Mean velocity in every block, row by row, m/s. Empty without temperature control.
        streams: Vec<Vec2> = Vec::new();
    }
}

/// The jitter to maintain, m/s.
pub(super) fn thermal_speed(fluid: &Fluid, phases: &Phases) -> f32 {
    if phases.is_viscous() { 0.0 } else { fluid.thermal_speed }
}

/// The largest phase `ω dt` of a substep, given the jitter to maintain, m/s.
pub(super) fn max_phase(thermal_speed: f32) -> f32 {
    MAX_PHASE[usize::from(thermal_speed == 0.0)]
}

impl Thermostat {
    /// f: the share of the displacement by which particles move at once.
    pub fn forward(&self, thermal_speed: f32) -> f32 {
        if thermal_speed == 0.0 { UNCONTROLLED_FORWARD } else { self.forward }
    }

    /// Measures the particles that are awake, once in `dt` seconds, and sets f for the steps to come.
    pub fn regulate(
        &mut self,
        fluid: &Fluid,
        phases: &Phases,
        grid: &Grid,
        sleep_map: &SleepMap,
        p: &Particles,
        dt: f32,
    ) {
        let thermal_speed = thermal_speed(fluid, phases);
        if thermal_speed == 0.0 {
            self.calm = 1.0;
            self.forget_streams();
            return;
        }
        let (jitter, flow) = self.measure(grid, sleep_map, p);
        let flow = self.follow(flow, fluid, dt, FULL_JITTER);
        let target =
            thermal_speed * (1.0 - self.calm) * (1.0 - (1.0 - IN_VIOLENT_FLOW) * smoothstep(flow, LESS_JITTER));
        let excess = (jitter / target.max(1e-3 * thermal_speed)).powi(2) - 1.0;
        self.forward = (FORWARD_GAIN * excess).clamp(MIN_FORWARD, MAX_FORWARD);
    }

    /// Takes the root mean square speed of the flow, m/s, and finds how calm the liquid is. Returns the flow over the jitter.
    fn follow(&mut self, flow: f32, fluid: &Fluid, dt: f32, limits: [f32; 2]) -> f32 {
        self.flow = flow.max(self.flow * (-dt / (FLOW_MEMORY * fluid.scale.time())).exponential());
        let flow = self.flow / fluid.thermal_speed;
        self.calm = if fluid.calms { 1.0 - smoothstep(flow, limits) } else { 0.0 };
        flow
    }

    /// In place of [`Thermostat::regulate`] on a grid: particles without load form no lattice that bears shear.
    pub fn rest(&mut self, flow: f32, fluid: &Fluid, dt: f32) {
        self.forget_streams();
        self.calm = 1.0;
        if fluid.thermal_speed > 0.0 {
            self.follow(flow, fluid, dt, CALM_WAVES);
        }
    }

    /// Velocity of the stream through a block of the grid, m/s, if it is known.
    pub fn stream(&self, grid: &Grid, block: usize) -> Option<Vec2> {
        let across = grid.blocks_per_row();
        let (row, column) = (block / across / BLOCK_SIDE, block % across / BLOCK_SIDE);
        self.streams.get(row * across.div_ceil(BLOCK_SIDE) + column).copied()
    }

    /// Forgets the streams. Call it when the grid is laid anew.
    pub fn forget_streams(&mut self) {
        self.streams.clear();
    }

    /// Brakes the streams of particles that are awake by the friction of the panes; the jitter is unchanged.
    pub fn brake(&self, fluid: &Fluid, grid: &Grid, sleep_map: &SleepMap, p: &mut Particles, dt: f32) {
        for block in (0..grid.rows() * grid.blocks_per_row()).filter(|&block| !sleep_map.is_asleep(block)) {
            let Some(stream) = self.stream(grid, block) else { return };
            let brake = stream * fluid.pane_friction(stream.length(), self.calm, dt);
            let slots = grid.block(block);
            p.vx[slots.clone()].iter_mut().for_each(|v| *v -= brake.x);
            p.vy[slots].iter_mut().for_each(|v| *v -= brake.y);
        }
    }

    /// Root mean square speed of particles relative to their block's mean, and of means over larger blocks, m/s; in fixed order.
    fn measure(&mut self, grid: &Grid, sleep_map: &SleepMap, p: &Particles) -> (f32, f32) {
        let across = grid.blocks_per_row();
        self.blocks.resize(across.div_ceil(BLOCK_SIDE), (Vec2::ZERO, 0.0));
        self.streams.clear();
        let (mut jitter, mut flow, mut count) = (0.0, 0.0, 0.0);
        for row in 0..grid.rows() {
            for column in 0..across {
                let block = row * across + column;
                let slots = grid.block(block);
                if slots.len() < 2 || sleep_map.is_asleep(block) {
                    continue;
                }
                let number = slots.len() as f32;
                let (vx, vy) = (&p.vx[slots.clone()], &p.vy[slots]);
                let sum = Vec2::new(vx.iter().sum(), vy.iter().sum());
                let squares: f32 = vx.iter().chain(vy).map(|v| v * v).sum();
                jitter += f64::from((squares - sum.length_squared() / number).max(0.0) * number / (number - 1.0));
                let block = &mut self.blocks[column / BLOCK_SIDE];
                *block = (block.0 + sum, block.1 + number);
            }
            if row % BLOCK_SIDE == BLOCK_SIDE - 1 || row + 1 == grid.rows() {
                for (momentum, number) in &mut self.blocks {
                    flow += f64::from(momentum.length_squared() / number.max(1.0));
                    count += f64::from(*number);
                    self.streams.push(*momentum / number.max(1.0));
                    (*momentum, *number) = (Vec2::ZERO, 0.0);
                }
            }
        }
        let mean = |sum: f64| (sum / count.max(1.0)).sqrt() as f32;
        (mean(jitter), mean(flow))
    }
}

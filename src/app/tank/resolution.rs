//! Grid cells, threads, and the particle count of the next scene, adapted to the speed of the machine.

use crate::app::App;
use crate::app::options::{MAX_GRID_CELLS, grid_cells};
use crate::app::session::frame_metrics::FrameMetrics;
use crate::app::tank::auto_particles;
use crate::sim::clock::STEP;
use crate::sim::observer::Pass;

/// Speed of the fastest particle (m/s) above which the cost of a step is typical of a tank in use.
const LIVELY: f32 = 0.1;

impl App {
    pub(in crate::app) fn set_threads(&mut self, threads: usize) {
        self.options.simulation.threads = threads;
        self.tank.world.set_threads(threads);
    }

    /// Adapts the cells of a grid, and the particle count of the next scene if that is `auto`.
    pub(in crate::app) fn measured(&mut self, meters: FrameMetrics) {
        self.overlay.stats.metrics = meters;
        if !self.tank.is_here() {
            return;
        }
        // A tank at rest does not predict its cost in motion, and during a cross-fade two tanks are drawn.
        let telling = meters.steps > 0.0
            && !self.tank.world.is_asleep()
            && self.picture.fade.is_none()
            && !self.tank.clock.paused();
        let lively = self.tank.world.max_speed() > LIVELY;
        let (particles, substeps) = (self.tank.world.particles(), self.tank.world.substeps());
        let stepping = self.fraction_of_time(meters.passes.iter().sum());
        let drawing = (meters.stages.iter().sum::<f32>() + meters.send) * self.fps() as f32;
        // A grid has a number of cells of its own to adapt.
        let of_grid = Pass::OF_GRID.map(|pass| meters.passes[pass as usize]).iter().sum::<f32>();
        let of_liquid = stepping - self.fraction_of_time(of_grid);
        let load = of_liquid.max(stepping + drawing / 1e3 - auto_particles::MAX_DRAWING_LOAD);
        if telling && (lively || stepping > auto_particles::GRID_FACTOR * auto_particles::MAX_LOAD) {
            self.suit_grid(stepping / auto_particles::GRID_FACTOR);
        }
        let (Some(auto), Some(liquid)) = (&mut self.options.simulation.auto_particles, self.tank.world.liquid()) else {
            return;
        };
        let dt = STEP / substeps.max(1) as f32;
        let tells = telling && particles > 0 && (lively || load > auto_particles::MAX_LOAD);
        // A liquid whose cost is not known well says nothing about others, unless the machine is too slow for it.
        if tells
            && (auto_particles::is_plain(&self.tank.world, liquid, dt) || load > 1.0)
            && auto.measure(load, particles, substeps, auto_particles::cost(liquid, dt, 1.0))
        {
            self.overlay.status.show_message("slow machine: fewer particles from the next scene on");
        }
    }

    /// Makes a grid coarser if this machine is too slow for it, and finer up to the number that suits the window. The result is
    /// kept for other scenes and windows. `load` is that of the simulation: the cost of drawing does not depend on the number of
    /// cells.
    fn suit_grid(&mut self, load: f32) {
        let own = self.tank.world.definition().smoke.as_ref().is_none_or(|medium| medium.cells.is_some());
        let Some(grid) = self.tank.world.smoke().map(|smoke| &smoke.grid).filter(|_| !own) else { return };
        let (count, most) = (grid.nx * grid.ny, grid_cells(self.picture.window).min(MAX_GRID_CELLS));
        if let Some(wanted) = self.tank.auto_cells.judge(load, count, most) {
            self.options.simulation.max_grid_cells = (wanted < most).then_some(wanted);
            self.tank.world.set_cells(wanted);
            self.picture.stale = true;
        }
    }

    /// The fraction of the time that passes of `ms` milliseconds a step take.
    fn fraction_of_time(&self, ms: f32) -> f32 {
        ms * self.tank.clock.speed() / STEP / 1e3
    }
}

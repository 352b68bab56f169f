//! The cost of a simulated second of water, compared with the former method for water.
//!
//! Both are equally incompressible, so both sag equally. The former method is the paper's liquid, so stiff that its
//! speed of sound equals that of water, in steps of `k dt² = 0.005 h²`, the former limit for every liquid.

use crate::stopwatch::processor_time;
use serde::Serialize;
use slosh::sim::boundary::region::Region;
use slosh::sim::clock::STEP;
use slosh::sim::definition::WorldDef;
use slosh::sim::liquid::fluid::{Fluid, PressureParams};
use slosh::sim::liquid::rest_state::RestState;
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{World, WorldOptions};

const PARTICLES: usize = 3000;

/// The former limit on the step, in h² over the stiffness.
const FORMER_STEP: f32 = 0.005;

/// Number of runs of each, in turn; the fastest counts.
const RUNS: usize = 3;

/// The cost of one method.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Price {
    pub substeps: u32,
    /// Processor time per simulated second of a breaking dam, ms.
    pub second: f64,
}

/// Returns the costs of water and of the former method.
pub fn measure(instructions: Instructions) -> [Price; 2] {
    let scene = WorldDef { liquid: vec![Region::Box([0.0, 0.0, 0.4, 0.9]).into()], ..WorldDef::default() };
    let setup = WorldOptions { particles: Some(PARTICLES), instructions, ..WorldOptions::default() };
    let worlds = [World::new(&scene, &setup), former(scene, &setup)];
    let mut prices = worlds.each_ref().map(|_| Price { substeps: 0, second: f64::INFINITY });
    for _ in 0..RUNS {
        for (price, world) in prices.iter_mut().zip(&worlds) {
            let mut world = world.clone();
            let start = processor_time();
            (0..60).for_each(|_| world.step());
            *price = Price { substeps: world.substeps(), second: price.second.min(1e3 * (processor_time() - start)) };
        }
    }
    prices
}

fn former(scene: WorldDef, setup: &WorldOptions) -> World {
    let sound = sound(&scene.fluid);
    let blob = Fluid::blob();
    let harder = (sound / self::sound(&blob)).powi(2);
    let pressure = PressureParams { tension_scale: 0.0, ..blob.pressure.stiffened(harder) };
    let fluid = Fluid { pressure, ..blob };
    let scene = WorldDef { fluid, ..scene };
    let h = World::new(&scene, setup).liquid().map_or(1.0, |liquid| liquid.h());
    let substeps = STEP / h * (fluid.pressure.stiffness.max(fluid.pressure.near_stiffness / 2.86) / FORMER_STEP).sqrt();
    World::new(&WorldDef { substeps: substeps.ceil() as u32, ..scene }, setup)
}

/// Speed of sound, m/s: its square is the derivative of pressure by the relative density.
fn sound(fluid: &Fluid) -> f32 {
    let rest = RestState::of(&fluid.pressure);
    let pressure = |spacing: f32| rest.pressure_at(&fluid.pressure, spacing);
    // A spacing smaller by a thousandth gives a density higher by two.
    (pressure(0.999 * rest.spacing) / 0.002).max(0.0).sqrt()
}

pub fn table([water, former]: &[Price; 2]) -> String {
    format!(
        "a simulated second of {PARTICLES} particles of a breaking dam, processor time\n  \
         water                     {:>9.0} ms, {} substeps a step\n  \
         the former method, as hard to compress {:>7.0} ms, {} substeps a step: {:.1} times as much\n",
        water.second,
        water.substeps,
        former.second,
        former.substeps,
        former.second / water.second
    )
}

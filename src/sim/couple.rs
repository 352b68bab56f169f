//! What matters do to each other: one named pass for every two that meet, after each substep.

mod bins;
mod drape;

use super::Env;
use super::matter::Matter;
use super::watch::{Pass, Watch};
use drape::{Drape, Drops};

/// The memory of all passes, so that none allocates.
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    drape: Drape,
}

impl Couplings {
    /// Lets everything in the tank meet.
    pub fn all(&mut self, matter: &mut [Matter], env: &Env, watch: &mut impl Watch) {
        self.drape(matter, env, watch);
    }

    /// Liquids on cloth.
    fn drape(&mut self, matter: &mut [Matter], env: &Env, watch: &mut impl Watch) {
        let Some(number) = matter.iter().position(|matter| matter.as_cloth().is_some()) else { return };
        let (before, rest) = matter.split_at_mut(number);
        let Some((cloth, after)) = rest.split_first_mut() else { return };
        let Some(cloth) = cloth.as_cloth_mut() else { return };
        for liquid in before.iter_mut().chain(after).filter_map(Matter::as_liquid_mut) {
            let drops = Drops { mass: liquid.particle_area().into(), radius: 0.5 * liquid.spacing() };
            self.drape.meet(cloth, liquid.particles_mut(), &drops, env);
        }
        watch.passed(Pass::Couple);
    }
}

//! What matters do to each other: one named pass for every two that meet, around each substep.

mod bins;
pub mod bodies;
mod drape;
mod stream;

use super::Env;
use super::matter::Matter;
use super::watch::{Pass, Watch};
use drape::Drape;

/// The memory of all passes, so that none allocates.
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    drape: Drape,
}

impl Couplings {
    /// Before the matters make a substep.
    pub fn before(&mut self, matter: &mut [Matter], env: &Env) {
        stream::lift(matter, env);
        bodies::meet(matter, env);
        stream::meet(matter, env);
    }

    /// Lets everything in the tank meet, after they have made it.
    pub fn all(&mut self, matter: &mut [Matter], env: &Env, watch: &mut impl Watch) {
        stream::part(matter);
        if bodies::part(matter, env) {
            watch.passed(Pass::Couple);
        }
        self.drape(matter, env, watch);
    }

    /// Liquids on cloth.
    fn drape(&mut self, matter: &mut [Matter], env: &Env, watch: &mut impl Watch) {
        let Some(number) = matter.iter().position(|matter| matter.as_cloth().is_some()) else { return };
        let (before, rest) = matter.split_at_mut(number);
        let Some((cloth, after)) = rest.split_first_mut() else { return };
        let Some(cloth) = cloth.as_cloth_mut() else { return };
        for liquid in before.iter_mut().chain(after) {
            if let Some(wet) = liquid.as_wet_mut() {
                self.drape.meet(cloth, wet.grains, env);
            }
        }
        watch.passed(Pass::Couple);
    }
}

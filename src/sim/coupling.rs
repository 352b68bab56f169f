//! What matters do to each other: one named pass for every two that meet, around each substep.

mod grid_bodies;
pub mod liquid_bodies;
mod liquid_cloth;
mod spatial_hash;
pub mod submersion;

use crate::sim::StepContext;
use crate::sim::matter::Matter;
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::rigid::Bodies;
use liquid_cloth::Drape;

/// The memory of all passes, so that none allocates.
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    drape: Drape,
}

impl Couplings {
    /// Before the matters make a substep.
    pub fn before(&mut self, matter: &mut [Matter], env: &StepContext) {
        matter.iter_mut().filter_map(Matter::as_bodies_mut).for_each(Bodies::begin);
        grid_bodies::lift(matter, env);
        liquid_bodies::meet(matter, env);
        grid_bodies::meet(matter, env);
    }

    /// Lets everything in the tank meet, after they have made it.
    pub fn all(&mut self, matter: &mut [Matter], env: &StepContext, observer: &mut impl StepObserver) {
        grid_bodies::part(matter);
        if liquid_bodies::part(matter, env) {
            observer.pass_finished(Pass::Couple);
        }
        self.drape(matter, env, observer);
    }

    /// Liquids on cloth.
    fn drape(&mut self, matter: &mut [Matter], env: &StepContext, observer: &mut impl StepObserver) {
        let Some((cloth, others)) = apart(matter, Matter::as_cloth_mut) else { return };
        others.filter_map(Matter::as_wet_mut).for_each(|wet| self.drape.meet(cloth, wet.grains, env));
        observer.pass_finished(Pass::Couple);
    }
}

/// The matter that `this` finds, and the others.
fn apart<T>(
    matter: &mut [Matter],
    this: fn(&mut Matter) -> Option<&mut T>,
) -> Option<(&mut T, impl Iterator<Item = &mut Matter>)> {
    let place = matter.iter_mut().position(|matter| this(matter).is_some())?;
    let (before, rest) = matter.split_at_mut(place);
    let (found, after) = rest.split_first_mut()?;
    Some((this(found)?, before.iter_mut().chain(after)))
}

//! The interactions of matters: one named pass for every two that meet, around each substep.

mod grid_bodies;
mod heat;
pub mod liquid_bodies;
mod liquid_cloth;
mod spatial_hash;
mod specks;
pub mod submersion;

use crate::sim::StepContext;
use crate::sim::liquid::whitewater::specks::Speck;
use crate::sim::matter::Matter;
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::rigid::Bodies;
use liquid_cloth::LiquidClothCoupling;
use specks::SpeckCoupling;

/// The buffers of all passes, so that none allocates.
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    liquid_cloth: LiquidClothCoupling,
    specks: SpeckCoupling,
}

impl Couplings {
    /// Runs the passes before the matters make a substep.
    pub fn begin_substep(&mut self, matter: &mut [Matter], env: &StepContext) {
        matter.iter_mut().filter_map(Matter::as_bodies_mut).for_each(Bodies::begin_substep);
        grid_bodies::apply_buoyancy(matter, env);
        liquid_bodies::begin_coupling(matter, env);
        grid_bodies::begin_coupling(matter, env);
    }

    /// Runs the passes after the matters have made a substep.
    pub fn end_substep(&mut self, matter: &mut [Matter], env: &StepContext, observer: &mut dyn StepObserver) {
        grid_bodies::end_coupling(matter);
        if liquid_bodies::end_coupling(matter, env) {
            observer.pass_finished(Pass::Couple);
        }
        heat::exchange(matter, env);
        self.couple_liquid_and_cloth(matter, env, observer);
        heat::steam(matter, env);
    }

    /// Stops specks of whitewater at bodies and cloth, once a step.
    pub fn stop_specks(&mut self, specks: &mut [Speck], matter: &[Matter]) {
        self.specks.stop(specks, matter);
    }

    /// Couples liquids with cloth.
    fn couple_liquid_and_cloth(&mut self, matter: &mut [Matter], env: &StepContext, observer: &mut dyn StepObserver) {
        let Some((cloth, others)) = split_off(matter, Matter::as_cloth_mut) else { return };
        others
            .filter_map(Matter::as_liquid_coupling_mut)
            .for_each(|wet| self.liquid_cloth.couple(cloth, wet.liquid, env));
        observer.pass_finished(Pass::Couple);
    }
}

/// Returns the matter that `this` finds, and the others.
pub(super) fn split_off<T>(
    matter: &mut [Matter],
    this: fn(&mut Matter) -> Option<&mut T>,
) -> Option<(&mut T, impl Iterator<Item = &mut Matter>)> {
    let place = matter.iter_mut().position(|matter| this(matter).is_some())?;
    let (before, rest) = matter.split_at_mut(place);
    let (found, after) = rest.split_first_mut()?;
    Some((this(found)?, before.iter_mut().chain(after)))
}

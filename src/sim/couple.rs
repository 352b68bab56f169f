//! Where two matters meet: the list of the passes that couple them.

pub mod bodies;

use super::{Env, Matter};

/// Before the matters make a substep.
pub fn before(matter: &mut [Matter], env: &Env) {
    bodies::meet(matter, env);
}

/// After it.
pub fn after(matter: &mut [Matter], env: &Env) {
    bodies::part(matter, env);
}

use crate::sim::observer::StepObserver;

pub trait TickObserver: StepObserver {
    /// Called after every step: whether no further step is to be made for this frame.
    fn should_stop(&mut self) -> bool {
        false
    }
}

impl TickObserver for () {}

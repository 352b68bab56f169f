//! slosh: a tank of fluid in your terminal.
pub mod sim;

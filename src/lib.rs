//! slosh: a tank of fluid in your terminal.
#[cfg(feature = "app")]
pub mod app;
pub mod sim;

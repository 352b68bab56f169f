//! TODO describe this room.

pub(crate) mod demos;
pub(crate) mod headless;
pub(crate) mod look;
pub(super) mod obstacle_file;
pub(crate) mod output;
pub(crate) mod scene;
pub mod scene_lookup;
pub(crate) mod toy;
pub(super) mod value_parsers;

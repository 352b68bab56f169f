//! The characters of pointers.

use crate::sim::world::pointer::PointerMode;

pub fn sign(tool: PointerMode) -> char {
    match tool {
        PointerMode::Push => '@',
        PointerMode::Pull => 'o',
        PointerMode::Pour => '~',
        PointerMode::Drain => 'x',
        PointerMode::Wall => '#',
        PointerMode::Heat => '^',
        PointerMode::Cool => '*',
    }
}

use crate::app::action::Action;
use crate::app::input::state::Input;
use crate::app::input::tools::sign;
use crate::app::layers::{Layer, LayerContext, OverlayView};
use crate::sim::World;
use crate::sim::world::pointer::Pointer;
use crate::view::Camera;
use glam::Vec2;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;

/// Cells that a pressed direction moves the pointer, across and down; and the factor with shift.
const STEP_CELLS: Vec2 = Vec2::new(2.0, 1.0);
const FAR_FACTOR: f32 = 4.0;

#[derive(Clone, Debug, Default)]
pub struct KeyPointer;

impl Layer for KeyPointer {
    fn is_open(&self, input: &Input) -> bool {
        input.pointer_shown
    }

    fn set_open(&mut self, open: bool, context: &mut LayerContext) {
        let input = &mut context.input;
        input.pointer_shown = open;
        input.pointer.drop_all();
        input.tilt.let_go_all();
        if open {
            context.message = Some("pointer: directions move it, ? shows its keys");
        }
    }

    fn take(&mut self, action: Action, context: &mut LayerContext) -> bool {
        let (direction, far) = match action {
            // A repetition of a held key, which moves the pointer with the time.
            Action::Tilt(direction) if context.input.tilt.holds(direction) => return true,
            Action::Tilt(direction) => (direction, 1.0),
            Action::HoldDirection(direction) => {
                context.input.tilt.mark(direction);
                (direction, 1.0)
            }
            Action::Shake(direction) => (direction, FAR_FACTOR),
            _ => return false,
        };
        // Cells are counted downward.
        let cells = direction.unit() * Vec2::new(1.0, -1.0) * STEP_CELLS * far;
        move_by(&mut context.input.pointer, &mut context.tank.world, &context.camera, cells);
        true
    }

    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        // A host draws the pointers of all guests.
        if view.input.pointer_shown
            && view.tank.is_here()
            && let Some(cell) = cell_at(view.pointer(), buf)
        {
            let sign = view.input.pointer.grip().map_or('+', sign);
            cell.set_char(sign).set_style(view.theme.strong.add_modifier(Modifier::REVERSED));
        }
    }
}

pub fn move_by(pointer: &mut Pointer, world: &mut World, camera: &Camera, cells: Vec2) {
    let there = camera.to_world(camera.to_cell(pointer.target) + cells);
    pointer.go_to(world, there.clamp(Vec2::ZERO, world.size()), 0.0);
}

pub fn cell_at(at: Vec2, buf: &mut Buffer) -> Option<&mut Cell> {
    let inside = at.cmpge(Vec2::ZERO).all() && at.max_element() < f32::from(u16::MAX);
    inside.then(|| buf.cell_mut((at.x as u16, at.y as u16))).flatten()
}

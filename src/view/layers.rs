//! A world prepared for the cells: every layer of the picture, sampled.

use crate::sim::World;
use crate::sim::boundary::Container;
use crate::sim::definition::WallMaterial;
use crate::view::air_pockets::AirPockets;
use crate::view::camera::Camera;
use crate::view::cloth;
use crate::view::cloth_raster::{ClothRaster, Vertex};
use crate::view::color_scale::ColorScale;
use crate::view::decor::Decor;
use crate::view::field::Field;
use crate::view::light::Light;
use crate::view::render_style::RenderStyle;
use crate::view::wall_layer::WallLayer;
use crate::view::whitewater::{Surroundings, WhitewaterLayer};
use glam::Vec2;

#[derive(Clone, Debug, Default)]
pub struct Layers {
    pub field: Field,
    pub walls: WallLayer,
    pub cloth: ClothRaster,
    pub whitewater: WhitewaterLayer,
    pub light: Light,
    pub air_pockets: AirPockets,
    vertices: Vec<Vertex>,
}

impl Layers {
    /// Samples everything but light, `oversampling` times as densely as cells need it.
    pub fn sample(&mut self, world: &World, decor: &Decor, style: &RenderStyle, camera: &Camera, oversampling: usize) {
        self.field.resize(camera, oversampling);
        self.field.splat(world, decor, style);
        self.cloth.resize(camera.area.width.into(), camera.area.height.into());
        if let Some(cloth) = world.cloth() {
            let scale = ColorScale::new(world, style.color_by);
            cloth::draw(cloth, camera, style, scale, &mut self.cloth, &mut self.vertices);
        }
        self.walls.update(world, &self.field.grid, self.field.reach);
        self.field.compensate(&self.walls);
        let Self { field, walls, cloth, whitewater, .. } = self;
        whitewater.draw(world, &Surroundings { field, walls, cloth }, style);
    }

    pub fn illuminate(&mut self, world: &World, style: &RenderStyle) {
        let gravity = self.field.grid.turn.direction(world.gravity());
        // Surface tension makes liquid in free fall round, and glass gives it its own shape.
        let tank = &world.definition().tank;
        let is_round = gravity == Vec2::ZERO || tank.walls == WallMaterial::Glass || tank.shape == Container::Circle;
        self.light.update(&self.field, &self.walls, gravity, is_round, style);
        self.light.shade_air(&mut self.field, style);
        self.air_pockets.find(&mut self.field, &self.walls, &self.light, style, world);
        self.air_pockets.fill(&mut self.field);
    }
}

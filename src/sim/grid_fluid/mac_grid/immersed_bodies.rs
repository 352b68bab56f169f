//! Bodies in the fluid: solids that move, and that its pressure moves (see [`crate::sim::poisson::body_flows`]).

use crate::sim::boundary::{Hull, Walls};
use crate::sim::grid_fluid::mac_grid::MacGrid;
use crate::sim::poisson::body_flows::{BodyFlows, face_motion};
use glam::{Vec2, Vec3};

/// The owner of a face that no body covers.
const NO_OWNER: u16 = u16::MAX;

/// A body as the fluid sees it.
#[derive(Clone, Debug, Default)]
pub struct ImmersedBody {
    /// Metres.
    pub outline: Hull,
    /// Its centre of mass, metres.
    pub at: Vec2,
    /// m/s twice, and radians a second, counter-clockwise.
    pub velocity: Vec3,
    /// The fluid's density over its mass, twice, and over its moment of inertia.
    pub inverse_mass: Vec3,
    /// Impulse by the fluid in this substep, over the fluid's density: m³/s twice, and m⁴/s.
    pub impulse: Vec3,
    /// Whether contacts held it in the last substep.
    pub held: bool,
    faces: Vec<CoveredFace>,
    pub flows: BodyFlows,
}

#[derive(Clone, Debug)]
struct CoveredFace {
    axis: usize,
    at: usize,
    /// The covered fraction.
    share: f32,
    /// From the body's centre of mass, metres.
    arm: Vec2,
}

impl MacGrid {
    /// Lets obstacles that move push the fluid: the covered part of a face takes it from the cell behind to the one before.
    pub(super) fn find_wall_flow(&mut self, walls: &Walls) {
        let elements = if walls.obstacles_move() { self.elements() } else { 0 };
        for array in self.wall_velocity.iter_mut().chain([&mut self.wall_flow]) {
            array.clear();
            array.resize(elements, 0.0);
        }
        for (at, _) in self.cells_with_faces().take(elements) {
            let (i, j) = (at % self.stride, at / self.stride);
            for axis in 0..2 {
                let covered = 1.0 - self.face_fraction[axis][at];
                if covered > 0.0 && !self.is_at_end(axis, i, j) {
                    let speed = walls.obstacle_velocity(self.face(axis, i, j), |_| true)[axis];
                    let flow = speed * covered * self.cell_size[1 - axis];
                    self.wall_velocity[axis][at] = speed;
                    self.wall_flow[at - [1, self.stride][axis]] += flow;
                    self.wall_flow[at] -= flow;
                }
            }
        }
        let mut flow = std::mem::take(&mut self.wall_flow);
        self.cells().take(elements).filter(|&cell| self.is_solid(cell)).for_each(|cell| flow[cell] = 0.0);
        self.wall_flow = flow;
        self.reset_solid_velocity();
    }

    /// Sets the velocities of the solids to those of the obstacles.
    fn reset_solid_velocity(&mut self) {
        for (solid, wall) in self.solid_velocity.iter_mut().zip(&self.wall_velocity) {
            if wall.is_empty() { solid.fill(0.0) } else { solid.copy_from_slice(wall) }
        }
    }

    /// Turns the bodies into solids.
    pub fn rasterize_bodies(&mut self) {
        self.sdf.copy_from_slice(&self.static_sdf);
        let mut bodies = std::mem::take(&mut self.immersed_bodies);
        for body in &bodies {
            for (i, j) in self.places_near(&body.outline) {
                let corner = self.at(Vec2::new(i as f32 - 0.5, j as f32 - 0.5));
                let nearest = &mut self.sdf[j * self.stride + i];
                *nearest = nearest.min(body.outline.contact(corner).distance);
            }
        }
        self.open_faces();
        self.assign_faces(&bodies);
        let mut flow = std::mem::take(&mut self.flow);
        flow.resize(self.elements(), Vec3::ZERO);
        for (number, body) in bodies.iter_mut().enumerate() {
            let around = self.places_near(&body.outline).count();
            body.faces.clear();
            body.faces.reserve(2 * around);
            body.flows.0.clear();
            body.flows.0.reserve(4 * around);
            for (axis, owner) in self.owner.iter().enumerate() {
                let own = |&(i, j): &(usize, usize)| owner[j * self.stride + i] == number as u16;
                body.faces.extend(self.places_near(&body.outline).filter(own).map(|(i, j)| {
                    let (at, arm) = (j * self.stride + i, self.face(axis, i, j) - body.at);
                    CoveredFace { axis, at, share: 1.0 - self.face_fraction[axis][at], arm }
                }));
            }
            let faces = body.faces.iter().map(|&CoveredFace { axis, at, share, arm }| {
                let behind = at - [1, self.stride][axis];
                ([behind, at], share * self.cell_size[1 - axis] * face_motion(axis, arm))
            });
            body.flows.gather(faces, |cell| !self.is_solid(cell), &mut flow);
        }
        (self.immersed_bodies, self.flow) = (bodies, flow);
        self.update_solid_velocity();
    }

    /// Columns and rows of the cells, faces and corners in a body's bounding box.
    fn places_near(&self, hull: &Hull) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (min, max) = hull.bounds();
        let most = Vec2::new(self.nx as f32, self.ny as f32) + 1.0;
        let first = (self.place(min) - 1.0).clamp(Vec2::ONE, most).as_usizevec2();
        let last = (self.place(max) + 2.0).clamp(Vec2::ONE, most).as_usizevec2();
        (first.y..=last.y).flat_map(move |j| (first.x..=last.x).map(move |i| (i, j)))
    }

    /// Assigns each covered face to its owner: the nearest body's, or a wall's that is nearer.
    fn assign_faces(&mut self, bodies: &[ImmersedBody]) {
        let mut owners = std::mem::take(&mut self.owner);
        for (axis, owner) in owners.iter_mut().enumerate() {
            owner.clear();
            owner.resize(self.elements(), NO_OWNER);
            let (open, next) = (&self.face_fraction[axis], [self.stride, 1][axis]);
            for (number, body) in bodies.iter().enumerate() {
                for (i, j) in self.places_near(&body.outline) {
                    let at = j * self.stride + i;
                    if open[at] == 1.0 || self.is_at_end(axis, i, j) {
                        continue;
                    }
                    let middle = self.face(axis, i, j);
                    let distance = |body: u16| bodies[usize::from(body)].outline.contact(middle).distance;
                    let wall = 0.5 * (self.static_sdf[at] + self.static_sdf[at + next]);
                    let other = if owner[at] == NO_OWNER { wall } else { distance(owner[at]).min(wall) };
                    if distance(number as u16) < other {
                        owner[at] = number as u16;
                    }
                }
            }
        }
        self.owner = owners;
    }

    /// Whether a face is on one of the tank's sides, or beyond.
    fn is_at_end(&self, axis: usize, i: usize, j: usize) -> bool {
        let (along, cells, across, lines) = if axis == 0 { (i, self.nx, j, self.ny) } else { (j, self.ny, i, self.nx) };
        along == 1 || along > cells || across > lines
    }

    /// The cells beside a body, with the conductance from its surface to the centre of the cell: the sum over the faces that it
    /// covers of covered length over distance.
    pub fn cells_at_body(&self, body: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let slope = 2.0 * self.cell_size.y / self.cell_size.x;
        let beside = self.immersed_bodies.get(body).into_iter().flat_map(|body| &body.flows.0);
        beside.filter(|(_, outflow)| *outflow != Vec3::ZERO).map(move |&(cell, _)| {
            let ends = [(1, cell, 4.0 / slope), (1, cell + self.stride, 4.0 / slope)];
            let faces = [(0, cell, slope), (0, cell + 1, slope)].into_iter().chain(ends);
            let covered = faces.filter(|&(axis, face, _)| usize::from(self.owner[axis][face]) == body);
            (cell, covered.map(|(axis, face, across)| (1.0 - self.face_fraction[axis][face]) * across).sum())
        })
    }

    fn face(&self, axis: usize, i: usize, j: usize) -> Vec2 {
        let back = if axis == 0 { Vec2::new(0.5, 0.0) } else { Vec2::new(0.0, 0.5) };
        self.at(Vec2::new(i as f32, j as f32) - back)
    }

    /// Applies the impulse of a pressure φ (over density, times time; m²/s) to the bodies.
    pub fn apply_pressure_impulse(&mut self, phi: &[f32]) {
        if self.immersed_bodies.is_empty() {
            return;
        }
        for body in &mut self.immersed_bodies {
            let push = body.flows.impulse(phi);
            body.impulse += push;
            body.velocity += body.inverse_mass * push;
        }
        self.update_solid_velocity();
    }

    fn update_solid_velocity(&mut self) {
        self.reset_solid_velocity();
        for body in &self.immersed_bodies {
            for face in &body.faces {
                self.solid_velocity[face.axis][face.at] = face_motion(face.axis, face.arm).dot(body.velocity);
            }
        }
    }
}

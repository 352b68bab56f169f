//! Bodies in the fluid: solids that move, and that its pressure moves (C. Batty, F. Bertails, R. Bridson, "A Fast Variational
//! Framework for Accurate Solid–Fluid Coupling", SIGGRAPH 2007). The outflow of the cells beside a body by its motion is D · (vₓ,
//! v_y, ω), so the pressure pushes the body by Dᵀ φ, and a step in which both move each other solves the same symmetric equations
//! with one more term, stable for a body of any mass: (A + ρ Σ D M⁻¹ Dᵀ) φ = −outflow, with M = (m, m, I) of each body.

use crate::sim::boundary::convex::Hull;
use crate::sim::grid_fluid::mac_grid::MacGrid;
use glam::{Vec2, Vec3};
use std::ops::Range;

/// The owner of a face that no body covers.
const NO_OWNER: u16 = u16::MAX;

/// A solid that the fluid moves, as the fluid sees it.
pub struct ImmersedSolid<'a> {
    /// Metres.
    pub outline: &'a Hull,
    /// Its centre of mass, metres.
    pub at: Vec2,
    /// m/s twice, and radians a second, counter-clockwise.
    pub velocity: Vec3,
    /// Change of its velocity by contacts in the last substep, m/s.
    pub contact_delta_v: Vec2,
    /// Its mass twice, and its moment of inertia about its centre of mass; one square metre of water has mass 1.
    pub mass: Vec3,
}

#[derive(Clone, Debug, Default)]
pub struct ImmersedBodies {
    all: Vec<ImmersedBody>,
    /// For each face, along x and along y, the body that covers it.
    owner: [Vec<u16>; 2],
}

#[derive(Clone, Debug, Default)]
struct ImmersedBody {
    outline: Hull,
    at: Vec2,
    /// Velocity: m/s twice, and radians a second.
    velocity: Vec3,
    /// Change of that velocity per impulse of the fluid: the fluid's density over the body's mass, twice, and over its inertia.
    inverse_mass: Vec3,
    /// D: the cells beside it, with the outflow of each per unit of the body's velocity.
    cells: Vec<(u32, Vec3)>,
    /// Impulse by the fluid in this substep: kg m/s twice, and kg m²/s.
    impulse: Vec3,
    density: f32,
    held: bool,
    bounds: CellRect,
}

#[derive(Clone, Debug, Default)]
struct CellRect {
    columns: Range<usize>,
    rows: Range<usize>,
}

impl CellRect {
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows.clone().flat_map(|j| self.columns.clone().map(move |i| (i, j)))
    }
}

impl ImmersedBodies {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether contacts held any of the bodies in the last substep.
    pub fn any_held(&self) -> bool {
        self.all.iter().any(|body| body.held)
    }

    /// The impulse on each body in the last substep: kg m/s along x and along y, and kg m²/s.
    pub fn impulses(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.all.iter().map(|body| body.impulse)
    }

    /// `out` += ρ D M⁻¹ Dᵀ `phi`: the outflow of the cells by the motion that a pressure gives the bodies.
    pub fn apply_body_coupling(&self, phi: &[f32], out: &mut [f32]) {
        for body in &self.all {
            let change = body.inverse_mass * body.push(phi);
            for &(cell, flow) in &body.cells {
                out[cell as usize] += flow.dot(change);
            }
        }
    }
}

impl ImmersedBody {
    /// Sets the state of a body whose velocity contacts are about to change by `held` (m/s).
    fn take(&mut self, body: &ImmersedSolid, held: Vec2, density: f32) {
        // As it is, in the memory that is there.
        self.outline.place(body.outline, Vec2::ZERO, Vec2::X);
        self.at = body.at;
        self.velocity = (body.velocity.truncate() + held).extend(body.velocity.z);
        self.inverse_mass = density / body.mass;
        (self.impulse, self.density, self.held) = (Vec3::ZERO, density, body.contact_delta_v != Vec2::ZERO);
    }

    /// Returns Dᵀ φ.
    fn push(&self, phi: &[f32]) -> Vec3 {
        self.cells.iter().map(|&(cell, flow)| phi[cell as usize] * flow).sum()
    }

    fn velocity_at(&self, place: Vec2) -> Vec2 {
        self.velocity.truncate() + self.velocity.z * (place - self.at).perp()
    }
}

impl MacGrid {
    /// Velocity that contacts removed in the last substep will be removed again, up to `weight` (m/s): else the fluid would flow
    /// as if a body at rest on the floor began to fall anew in every substep.
    pub fn rasterize_bodies<'a>(
        &mut self,
        bodies: impl ExactSizeIterator<Item = ImmersedSolid<'a>>,
        density: f32,
        weight: f32,
    ) {
        self.sdf.copy_from_slice(&self.static_sdf);
        let mut immersed_bodies = std::mem::take(&mut self.immersed_bodies);
        immersed_bodies.all.resize_with(bodies.len(), ImmersedBody::default);
        for (immersed, body) in immersed_bodies.all.iter_mut().zip(bodies) {
            immersed.take(&body, body.contact_delta_v.clamp_length_max(weight), density);
            immersed.bounds = self.bounds(body.outline);
            for (i, j) in immersed.bounds.places() {
                let corner = self.at(Vec2::new(i as f32 - 0.5, j as f32 - 0.5));
                let nearest = &mut self.sdf[j * self.stride + i];
                *nearest = nearest.min(body.outline.contact(corner).distance);
            }
        }
        self.open_faces();
        self.assign_faces(&mut immersed_bodies);
        let ImmersedBodies { all, owner } = &mut immersed_bodies;
        for (number, body) in all.iter_mut().enumerate() {
            let (at, bounds) = (body.at, body.bounds.clone());
            let beside = bounds.places().filter(|&(i, j)| i <= self.nx && j <= self.ny);
            let wet = beside.filter(|&(i, j)| !self.is_solid(j * self.stride + i));
            let flows =
                wet.map(|(i, j)| ((j * self.stride + i) as u32, self.flow_out(owner, number as u16, at, (i, j))));
            body.cells.clear();
            body.cells.extend(flows.filter(|(_, flow)| *flow != Vec3::ZERO));
        }
        self.immersed_bodies = immersed_bodies;
        self.update_solid_velocity();
    }

    /// Range of columns and rows of the cells, faces and corners in a body's bounding box.
    fn bounds(&self, hull: &Hull) -> CellRect {
        let (min, max) = hull.bounds();
        let most = Vec2::new(self.nx as f32, self.ny as f32) + 1.0;
        let first = (self.place(min) - 1.0).clamp(Vec2::ONE, most).as_usizevec2();
        let last = (self.place(max) + 2.0).clamp(Vec2::ONE, most).as_usizevec2();
        CellRect { columns: first.x..last.x + 1, rows: first.y..last.y + 1 }
    }

    /// Assigns each covered face to its owner: the nearest body's, or a wall's that is nearer.
    fn assign_faces(&self, immersed_bodies: &mut ImmersedBodies) {
        let ImmersedBodies { all, owner } = immersed_bodies;
        owner.iter_mut().for_each(|owner| {
            owner.clear();
            owner.resize(self.elements(), NO_OWNER);
        });
        for (axis, owner) in owner.iter_mut().enumerate() {
            let (open, next) = (&self.face_fraction[axis], [self.stride, 1][axis]);
            for (number, body) in all.iter().enumerate() {
                for (i, j) in body.bounds.places() {
                    let at = j * self.stride + i;
                    if open[at] == 1.0 || self.is_at_end(axis, i, j) {
                        continue;
                    }
                    let middle = self.face(axis, i, j);
                    let distance = |body: u16| all[usize::from(body)].outline.contact(middle).distance;
                    let wall = 0.5 * (self.static_sdf[at] + self.static_sdf[at + next]);
                    let other = if owner[at] == NO_OWNER { wall } else { distance(owner[at]).min(wall) };
                    if distance(number as u16) < other {
                        owner[at] = number as u16;
                    }
                }
            }
        }
    }

    /// Whether a face is on one of the tank's sides, or beyond.
    fn is_at_end(&self, axis: usize, i: usize, j: usize) -> bool {
        let (along, cells, across, lines) = if axis == 0 { (i, self.nx, j, self.ny) } else { (j, self.ny, i, self.nx) };
        along == 1 || along > cells || across > lines
    }

    /// The cells beside a body, with the conductance from its surface to the centre of the cell.
    pub fn cells_at_body(&self, body: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let beside = self.immersed_bodies.all.get(body).into_iter().flat_map(|body| &body.cells);
        beside.map(move |&(cell, _)| (cell as usize, self.conductance_to_body(body as u16, cell as usize)))
    }

    /// Sum over a cell's faces that a body covers: covered length over distance.
    fn conductance_to_body(&self, body: u16, cell: usize) -> f32 {
        let slope = 2.0 * self.cell_size.y / self.cell_size.x;
        let faces =
            [(0, cell, slope), (0, cell + 1, slope), (1, cell, 4.0 / slope), (1, cell + self.stride, 4.0 / slope)];
        let owner = &self.immersed_bodies.owner;
        let covered = faces.into_iter().filter(|&(axis, face, _)| owner[axis][face] == body);
        covered.map(|(axis, face, across)| (1.0 - self.face_fraction[axis][face]) * across).sum()
    }

    fn face(&self, axis: usize, i: usize, j: usize) -> Vec2 {
        let back = if axis == 0 { Vec2::new(0.5, 0.0) } else { Vec2::new(0.0, 0.5) };
        self.at(Vec2::new(i as f32, j as f32) - back)
    }

    /// Outflow of a cell through the parts of its faces that a body covers, for each of the body's three velocities.
    fn flow_out(&self, owner: &[Vec<u16>; 2], number: u16, at: Vec2, (i, j): (usize, usize)) -> Vec3 {
        let faces = [(0, i, j, -1.0), (0, i + 1, j, 1.0), (1, i, j, -1.0), (1, i, j + 1, 1.0)];
        let covered = faces.into_iter().filter(|&(axis, i, j, _)| owner[axis][j * self.stride + i] == number);
        let flow = covered.map(|(axis, i, j, sign)| {
            let length = self.cell_size[1 - axis];
            let arm = self.face(axis, i, j) - at;
            let motion = if axis == 0 { Vec3::new(1.0, 0.0, -arm.y) } else { Vec3::new(0.0, 1.0, arm.x) };
            sign * (1.0 - self.face_fraction[axis][j * self.stride + i]) * length * motion
        });
        flow.sum()
    }

    /// Applies the impulse of a pressure φ (over density, times time; m²/s) to the bodies.
    pub fn apply_pressure_impulse(&mut self, phi: &[f32]) {
        if self.immersed_bodies.is_empty() {
            return;
        }
        for body in &mut self.immersed_bodies.all {
            let push = body.push(phi);
            body.impulse += body.density * push;
            body.velocity += body.inverse_mass * push;
        }
        self.update_solid_velocity();
    }

    fn update_solid_velocity(&mut self) {
        self.solid_velocity.iter_mut().for_each(|solid_velocity| solid_velocity.fill(0.0));
        for (axis, owner) in self.immersed_bodies.owner.iter().enumerate() {
            for (number, body) in self.immersed_bodies.all.iter().enumerate() {
                for (i, j) in body.bounds.places() {
                    let at = j * self.stride + i;
                    if owner[at] == number as u16 {
                        self.solid_velocity[axis][at] = body.velocity_at(self.face(axis, i, j))[axis];
                    }
                }
            }
        }
    }
}

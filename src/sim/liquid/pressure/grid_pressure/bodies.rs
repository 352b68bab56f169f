//! Bodies in the solve (see [`crate::sim::poisson::body_flows`]). What a body covers of a face is the fraction of the area around
//! it, not of its length: the force is then exact for every linear pressure, and smooth as the body moves.

use crate::sim::boundary::Contact;
use crate::sim::liquid::ImmersedBody;
use crate::sim::liquid::pressure::grid_pressure::cells::Cells;
use crate::sim::liquid::pressure::grid_pressure::classify::Surface;
use crate::sim::liquid::pressure::grid_pressure::transfer::Momentum;
use crate::sim::liquid::pressure::grid_pressure::{PaneFriction, Wet};
use crate::sim::poisson::body_flows::{BodyFlows, face_motion};
use glam::{UVec2, Vec2, Vec3, Vec3Swizzles};

/// Faces of which bodies leave less than this open are closed.
const MIN_OPEN: f32 = 0.05;

/// Limits on the correction of a body's area, as the quadrants measure it.
const CORRECTION: [f32; 2] = [0.7, 1.3];

/// The kernel of a cell's density, integrated over the four quadrants on each axis that it reaches.
const KERNEL: [f32; 4] = [0.125, 0.375, 0.375, 0.125];

/// Faces with less mass than this move with the body that covers them, in units of a particle of water.
const MIN_MASS: f32 = 1e-3;

/// Friction of a body at rest in calm liquid, 1/s: noise in gaps narrower than a cell moves it no more.
const SETTLED_FRICTION: f32 = 30.0;

/// A face that a body covers, wholly or in part.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoveredFace {
    pub axis: usize,
    pub at: usize,
    /// The covered fraction.
    share: f32,
    /// Where that lies: from the body's centre of mass, metres.
    arm: Vec2,
    /// What is covered of the half of the area behind the face and of that before it: the fraction, and its moment in metres.
    halves: [Vec3; 2],
    /// The component of the outline's normal along the axis.
    pub normal: f32,
}

impl CoveredFace {
    /// The body's velocity along the axis.
    pub fn velocity(&self, body: &ImmersedBody) -> f32 {
        face_motion(self.axis, self.arm).dot(body.velocity)
    }
}

#[derive(Clone, Debug, Default)]
struct Coverage {
    faces: Vec<CoveredFace>,
    flows: BodyFlows,
    /// The outline's area over that of the covered faces of each axis.
    correction: Vec2,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    all: Vec<Coverage>,
    /// Per face: the fraction that all bodies cover.
    covered: [Vec<f32>; 2],
    /// Covered fractions of the quarters of cells in the box around one body.
    quadrants: Vec<f32>,
    /// Per cell: a buffer of the outflow by one body's motion.
    flow: Vec<Vec3>,
}

/// A rectangle of cells, ghosts included.
struct CellRect {
    first: UVec2,
    last: UVec2,
}

impl Bodies {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Each face that a body covers, and the body's number.
    pub fn faces(&self) -> impl Iterator<Item = (usize, &CoveredFace)> {
        self.all.iter().enumerate().flat_map(|(number, body)| body.faces.iter().map(move |face| (number, face)))
    }

    /// Takes what the bodies cover from the open fractions of the faces and the free fractions of the kernels.
    pub fn cover(&mut self, cells: &mut Cells, bodies: &[ImmersedBody]) {
        if self.all.is_empty() && bodies.is_empty() {
            return;
        }
        for covered in &mut self.covered {
            covered.clear();
            covered.resize(cells.len(), 0.0);
        }
        self.flow.resize(cells.len(), Vec3::ZERO);
        self.all.resize_with(bodies.len(), Coverage::default);
        let Self { all, covered, quadrants, .. } = self;
        for (coverage, body) in all.iter_mut().zip(bodies) {
            // In any position: it grows no further.
            let around = (2.0 * body.local.bounding_radius() / cells.size + 4.0).ceil();
            let around = (around.x * around.y) as usize;
            coverage.faces.clear();
            coverage.faces.reserve(2 * around);
            coverage.flows.0.clear();
            coverage.flows.0.reserve(4 * around);
            quadrants.clear();
            quadrants.reserve(4 * around);
            let rect = find_quadrants(quadrants, cells, body);
            let (first, last) =
                (rect.first.max(UVec2::ONE), rect.last.min(UVec2::new(cells.nx as u32, cells.ny as u32)));
            for place in (first.y..=last.y).flat_map(|j| (first.x..=last.x).map(move |i| UVec2::new(i, j))) {
                let free = &mut cells.free[place.y as usize * cells.stride + place.x as usize];
                *free = (*free - covered_kernel(quadrants, &rect, place)).max(0.0);
                for (axis, covered) in covered.iter_mut().enumerate().filter(|(axis, _)| place[*axis] > 1) {
                    if let Some(face) = covered_face(quadrants, &rect, cells, body, (axis, place)) {
                        covered[face.at] += face.share;
                        coverage.faces.push(face);
                    }
                }
            }
        }
        for (coverage, body) in all.iter_mut().zip(bodies) {
            let mut area = Vec2::ZERO;
            for face in &mut coverage.faces {
                let total = covered[face.axis][face.at];
                let is_closed = 1.0 - total < MIN_OPEN;
                face.share *= if is_closed { 1.0 / total } else { 1.0 };
                area[face.axis] += face.share;
                let open = cells.open_at_walls[face.axis][face.at];
                cells.open[face.axis][face.at] = open * if is_closed { 0.0 } else { 1.0 - total };
                face.share *= open;
            }
            let [least, most] = CORRECTION.map(Vec2::splat);
            coverage.correction = (body.area / cells.area() / area.max(Vec2::splat(1e-6))).clamp(least, most);
        }
    }

    /// Of the area around a face between liquid and air only the wet part counts: from the liquid's centre to the surface.
    pub fn meet_surface(&mut self, cells: &mut Cells, surface: &Surface) {
        for face in self.all.iter_mut().flat_map(|coverage| &mut coverage.faces) {
            let other = face.at - cells.back(face.axis);
            let open = &mut cells.open[face.axis][face.at];
            if surface.is_liquid[face.at] == surface.is_liquid[other] || *open == 0.0 {
                continue;
            }
            let [behind, before] = face.halves;
            let (depth, near, far) = if surface.is_liquid[face.at] {
                (surface.depth(face.at, other), before, behind)
            } else {
                (surface.depth(other, face.at), behind, before)
            };
            let wet = (near * depth.min(0.5) + far * (depth - 0.5).max(0.0)) / depth;
            let share = face.share * wet.x / mean(face.halves).x;
            *open = (*open + face.share - share).max(MIN_OPEN);
            face.share = share;
            face.arm = if wet.x > 0.0 { wet.yz() / wet.x } else { face.arm };
        }
    }

    /// Faces without liquid of their own move with the body that covers them.
    pub fn fill_faces(&self, momentum: &mut Momentum, bodies: &[ImmersedBody]) {
        for (number, face) in self.faces() {
            if momentum.mass(face.axis, face.at) < MIN_MASS {
                momentum.velocity[face.axis][face.at] = face.velocity(&bodies[number]);
            }
        }
    }

    /// Finds D, and subtracts from the residual what the bodies' motion adds to the outflow, with the change of it by `psi`.
    pub fn assemble(&mut self, wet: Wet, bodies: &[ImmersedBody], psi: &[f32], residual: &mut [f32]) {
        let Wet { cells, surface, .. } = wet;
        for (Coverage { faces, flows, correction }, body) in self.all.iter_mut().zip(bodies) {
            let outflows = faces.iter().map(|&CoveredFace { axis, at, share, arm, .. }| {
                let outflow = cells.size[1 - axis] * correction[axis] * share * face_motion(axis, arm);
                ([at - cells.back(axis), at], outflow)
            });
            flows.gather(outflows, |cell| surface.is_liquid[cell], &mut self.flow);
            flows.add(-(body.velocity + body.inverse_mass * flows.impulse(psi)), residual);
        }
    }

    /// `out` += D M⁻¹ Dᵀ `psi`.
    pub fn couple(&self, bodies: &[ImmersedBody], psi: &[f32], out: &mut [f32]) {
        for (coverage, body) in self.all.iter().zip(bodies) {
            coverage.flows.add(body.inverse_mass * coverage.flows.impulse(psi), out);
        }
    }

    /// Applies the impulses of the pressure, and the friction of the panes.
    pub fn push(&self, psi: &[f32], panes: &PaneFriction, bodies: &mut [ImmersedBody]) {
        for (coverage, body) in self.all.iter().zip(bodies) {
            body.impulse = coverage.flows.impulse(psi);
            body.velocity += body.inverse_mass * body.impulse;
            body.is_carried = coverage.flows.0.iter().any(|&(cell, _)| psi[cell] > 0.0);
            if body.is_carried {
                body.settling = (SETTLED_FRICTION * panes.dt * panes.calm * body.restfulness).min(1.0);
            }
            if body.is_carried && body.inverse_mass.x > 0.0 {
                let speed = body.velocity.truncate().length() + body.velocity.z.abs() * (0.5 * body.area).sqrt();
                let brake = panes.fluid.pane_friction(speed, panes.calm, panes.dt);
                body.impulse -= brake * body.velocity / body.inverse_mass;
                body.velocity *= 1.0 - brake;
            }
        }
    }
}

impl CellRect {
    /// Quadrants of a row.
    fn width(&self) -> usize {
        2 * (self.last.x - self.first.x + 1) as usize
    }

    fn height(&self) -> usize {
        2 * (self.last.y - self.first.y + 1) as usize
    }

    /// The number of the lower left quadrant of a cell, by column and row.
    fn quadrant(&self, cell: UVec2) -> (isize, isize) {
        let at = 2 * (cell - self.first);
        (at.x as isize, at.y as isize)
    }

    fn value(&self, quadrants: &[f32], (x, y): (isize, isize)) -> f32 {
        let is_inside = (0..self.width() as isize).contains(&x) && (0..self.height() as isize).contains(&y);
        if is_inside { quadrants[y as usize * self.width() + x as usize] } else { 0.0 }
    }

    /// The middle of a quadrant, metres.
    fn middle(&self, cells: &Cells, (x, y): (isize, isize)) -> Vec2 {
        (self.first.as_vec2() - 1.0 + 0.5 * (Vec2::new(x as f32, y as f32) + 0.5)) * cells.size
    }
}

/// Finds the covered fractions of the quadrants around a body, as if its outline were straight in each.
fn find_quadrants(quadrants: &mut Vec<f32>, cells: &Cells, body: &ImmersedBody) -> CellRect {
    let (min, max) = body.hull.bounds();
    let last = UVec2::new(cells.nx as u32 + 1, cells.ny as u32 + 1);
    // Beyond the box: cells whose kernels or faces reach into it.
    let first = (min / cells.size).floor().max(Vec2::ZERO).as_uvec2().min(last);
    let rect = CellRect { first, last: ((max / cells.size).floor() + 2.0).max(first.as_vec2()).as_uvec2().min(last) };
    quadrants.clear();
    let size = 0.5 * cells.size;
    for y in 0..rect.height() as isize {
        for x in 0..rect.width() as isize {
            let contact = body.hull.contact_within(rect.middle(cells, (x, y)), 0.5 * size.length());
            quadrants.push(contact.map_or(0.0, |Contact { distance, normal }| {
                let across = (size * normal.abs()).element_sum();
                (0.5 - distance / across).clamp(0.0, 1.0)
            }));
        }
    }
    rect
}

/// The fraction of a cell's kernel that the quadrants cover.
fn covered_kernel(quadrants: &[f32], rect: &CellRect, cell: UVec2) -> f32 {
    let (x, y) = rect.quadrant(cell);
    let mut sum = 0.0;
    for (row, wy) in KERNEL.into_iter().enumerate() {
        for (column, wx) in KERNEL.into_iter().enumerate() {
            sum += wx * wy * rect.value(quadrants, (x - 1 + column as isize, y - 1 + row as isize));
        }
    }
    sum
}

/// What the four quadrants around a left or lower face cover of it.
fn covered_face(
    quadrants: &[f32],
    rect: &CellRect,
    cells: &Cells,
    body: &ImmersedBody,
    (axis, cell): (usize, UVec2),
) -> Option<CoveredFace> {
    let (x, y) = rect.quadrant(cell);
    let (x, y) = if axis == 0 { (x - 1, y) } else { (x, y - 1) };
    let mut halves = [Vec3::ZERO; 2];
    for (number, place) in [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].into_iter().enumerate() {
        let arm = rect.middle(cells, place) - body.at;
        halves[(number >> axis) & 1] += 0.5 * rect.value(quadrants, place) * Vec3::new(1.0, arm.x, arm.y);
    }
    let all = mean(halves);
    if all.x == 0.0 {
        return None;
    }
    let back = if axis == 0 { Vec2::new(1.0, 0.5) } else { Vec2::new(0.5, 1.0) };
    let normal = body.hull.contact((cell.as_vec2() - back) * cells.size).normal[axis];
    let at = cell.y as usize * cells.stride + cell.x as usize;
    Some(CoveredFace { axis, at, share: all.x, arm: all.yz() / all.x, halves, normal })
}

fn mean([a, b]: [Vec3; 2]) -> Vec3 {
    0.5 * (a + b)
}

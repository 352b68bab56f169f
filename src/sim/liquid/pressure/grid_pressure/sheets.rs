//! Sheets of cloth seen edge on, in the solve: walls without a thickness, which move. A sheet closes the faces between cells whose
//! centres it separates, and a closed face moves with the sheet: its mass joins that of the two nodes beside it. The equations gain
//! the term D M⁻¹ Dᵀ, as for bodies, M being the inertia of nodes and faces together with the springs' answer in the substep: A.
//! Robinson-Mosher, T. Shinar, J. Gretarsson, J. Su, R. Fedkiw, "Two-way Coupling of Fluids to Rigid and Deformable Solids and
//! Shells", SIGGRAPH 2008. The cloth then makes its own step under the load.

use crate::sim::band_matrix::BandMatrix;
use crate::sim::liquid::ImmersedSheets;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::pressure::grid_pressure::Wet;
use crate::sim::liquid::pressure::grid_pressure::cells::Cells;
use crate::sim::liquid::pressure::grid_pressure::transfer::Momentum;
use crate::sim::liquid::pressure::grid_pressure::transfer_back::FaceVelocities;
use glam::Vec2;

/// A face that a sheet closes.
#[derive(Clone, Copy, Debug, Default)]
struct SheetFace {
    axis: usize,
    at: usize,
    /// The first of the two nodes beside it, and their weights.
    node: usize,
    weights: [f32; 2],
    /// Whether there is liquid below or on the left of it, and above or on the right.
    is_wet: [bool; 2],
    /// Mass, kg a metre, and velocity of its liquid, m/s.
    mass: f32,
    before: f32,
    /// Whether it moves with the sheet: else its liquid is leaving, and nothing presses on it.
    joined: bool,
}

/// The side of a sheet on which a cell's centre is: where `normal · x > offset`, in cells, centres having whole numbers.
#[derive(Clone, Copy, Debug)]
struct Side {
    cell: usize,
    normal: Vec2,
    offset: f32,
    /// From the centre to the sheet.
    distance: f32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sheets {
    faces: Vec<SheetFace>,
    /// The sheets' inertia with that of the faces that move with them.
    inertia: BandMatrix,
    /// By node and axis: velocities after the substep, m/s; and a buffer.
    velocity: Vec<f64>,
    buffer: Vec<f64>,
    sides: Vec<Side>,
    /// Per cell: the number of its side and 1; 0 for most.
    side_of: Vec<u32>,
}

impl Sheets {
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// Closes the faces that the sheets cross, and takes what is beyond a sheet from the kernels of the cells beside it.
    pub fn cover(&mut self, cells: &mut Cells, sheets: &ImmersedSheets) {
        self.side_of.resize(cells.len(), 0);
        for side in self.sides.drain(..) {
            if let Some(number) = self.side_of.get_mut(side.cell) {
                *number = 0;
            }
        }
        self.faces.clear();
        // A thread of any length crosses each row and each column once.
        self.faces.reserve(sheets.threads.len().min(cells.len()) + cells.len() / 4);
        self.sides.reserve(cells.len() / 2);
        for &thread in &sheets.threads {
            let node = thread as usize;
            let ends = [node, node + 1].map(|node| sheets.nodes[node].at / cells.size + 0.5);
            for axis in [0, 1] {
                self.close_faces(cells, node, ends, axis);
            }
        }
        let thickness = sheets.thickness / cells.size.min_element();
        for side in &self.sides {
            cells.free[side.cell] *= 1.0 - kernel_beyond(side.distance - thickness);
        }
    }

    /// Closes the faces across an axis that a thread crosses. A place in cells is a whole number at a centre.
    fn close_faces(&mut self, cells: &mut Cells, node: usize, [a, b]: [Vec2; 2], axis: usize) {
        let row = 1 - axis;
        let counts = [cells.nx, cells.ny];
        let (low, high) = (a[row].min(b[row]).max(1.0), a[row].max(b[row]).min(counts[row] as f32 + 0.5));
        // A row through a node belongs to one of its threads.
        for line in low.ceil() as usize..high.ceil().max(0.0) as usize {
            let along = (line as f32 - a[row]) / (b[row] - a[row]);
            let place = a[axis] + along * (b[axis] - a[axis]);
            if !(1.0..counts[axis] as f32).contains(&place) {
                continue;
            }
            let upper = place as usize + 1;
            let back = cells.back(axis);
            let at = upper * back + line * cells.back(row);
            if cells.open[axis][at] == 0.0 {
                continue;
            }
            cells.open[axis][at] = 0.0;
            let weights = [1.0 - along, along];
            self.faces.push(SheetFace { axis, at, node, weights, ..SheetFace::default() });
            let normal = (b - a).perp().normalize();
            let normal = if normal[axis] > 0.0 { normal } else { -normal };
            let offset = normal.dot(a);
            self.add_side(Side { cell: at, normal, offset, distance: (upper as f32 - place) * normal[axis] });
            let distance = (place + 1.0 - upper as f32) * normal[axis];
            self.add_side(Side { cell: at - back, normal: -normal, offset: -offset, distance });
        }
    }

    /// Of several threads beside a cell, the nearest tells the side.
    fn add_side(&mut self, side: Side) {
        let number = &mut self.side_of[side.cell];
        if *number == 0 {
            self.sides.push(side);
            *number = self.sides.len() as u32;
        } else if self.sides[*number as usize - 1].distance > side.distance {
            self.sides[*number as usize - 1] = side;
        }
    }

    /// Takes from the cells beside a sheet the particles that are beyond it.
    pub fn hide(&self, medium: &Medium, cells: &Cells, momentum: &mut Momentum) {
        if self.sides.is_empty() {
            return;
        }
        let p = &medium.store.particles;
        for slot in p.alive() {
            let (at, place) = (cells.in_cells(p.position(slot)), cells.place(p.position(slot)));
            for (cell, weight) in cells.nodes(&place).into_iter().zip(place.weights()) {
                let Some(number) = (self.side_of[cell] as usize).checked_sub(1) else { continue };
                let side = &self.sides[number];
                if side.normal.dot(at) < side.offset {
                    let [number, mass] = &mut momentum.cells[cell];
                    *number = (*number - weight).max(0.0);
                    *mass = (*mass - weight * medium.phases.mass_of(p.id[slot])).max(0.0);
                }
            }
        }
    }

    /// Joins faces and nodes, and subtracts their outflow, with the change of it by `psi`, from the residual.
    pub fn assemble(&mut self, wet: Wet, sheets: &ImmersedSheets, psi: &[f32], residual: &mut [f32]) {
        let Wet { cells, momentum, surface } = wet;
        if self.faces.is_empty() {
            return;
        }
        self.inertia.copy(&sheets.inertia);
        self.velocity.clone_from(&sheets.momentum);
        for face in &mut self.faces {
            let (axis, at, back) = (face.axis, face.at, face.at - cells.back(face.axis));
            face.is_wet = [surface.is_liquid[back], surface.is_liquid[at]];
            face.mass = momentum.mass(axis, at) * momentum.particle_area * cells.area();
            face.before = momentum.velocity[axis][at];
            let [first, second] = [0, 1].map(|end| sheets.nodes[face.node + end].velocity[axis]);
            let relative = face.before - (face.weights[0] * first + face.weights[1] * second);
            let leaves = match face.is_wet {
                [true, true] => false,
                [false, false] => true,
                [true, false] => relative < 0.0,
                [false, true] => relative > 0.0,
            };
            face.joined = psi[at] > 0.0 || psi[back] > 0.0 || !leaves;
            if face.joined {
                let [first, second] = face.places();
                let [w, v] = face.weights.map(f64::from);
                let mass = f64::from(face.mass);
                self.inertia.add(first, first, w * w * mass);
                self.inertia.add(second, first, w * v * mass);
                self.inertia.add(second, second, v * v * mass);
                self.velocity[first] += w * mass * f64::from(face.before);
                self.velocity[second] += v * mass * f64::from(face.before);
            }
        }
        self.inertia.factor();
        self.inertia.solve(&mut self.velocity);
        self.find_change(cells, psi);
        for face in &self.faces {
            let velocity = face.velocity(&self.velocity) + face.velocity(&self.buffer);
            face.add_outflow(cells, -velocity, residual);
        }
    }

    /// `out` += D M⁻¹ Dᵀ `psi`.
    pub fn couple(&mut self, cells: &Cells, psi: &[f32], out: &mut [f32]) {
        if self.faces.is_empty() {
            return;
        }
        self.find_change(cells, psi);
        for face in &self.faces {
            face.add_outflow(cells, face.velocity(&self.buffer), out);
        }
    }

    /// M⁻¹ Dᵀ ψ.
    fn find_change(&mut self, cells: &Cells, psi: &[f32]) {
        self.buffer.clear();
        self.buffer.resize(self.velocity.len(), 0.0);
        for face in &self.faces {
            for (place, weight) in face.places().into_iter().zip(face.weights) {
                self.buffer[place] += f64::from(weight * face.impulse(cells, psi));
            }
        }
        self.inertia.solve(&mut self.buffer);
    }

    /// Gives nodes and faces their velocities after the solve.
    pub fn push(&mut self, cells: &Cells, psi: &[f32], faces: &mut FaceVelocities, sheets: &mut ImmersedSheets) {
        if self.faces.is_empty() {
            return;
        }
        self.find_change(cells, psi);
        self.velocity.iter_mut().zip(&self.buffer).for_each(|(velocity, change)| *velocity += change);
        for face in self.faces.iter().filter(|face| face.is_wet != [false; 2]) {
            let is_pressed = psi[face.at] > 0.0 || psi[face.at - cells.back(face.axis)] > 0.0;
            let follows = face.joined || is_pressed;
            let change = if follows { face.velocity(&self.velocity) - face.before } else { 0.0 };
            for (node, weight) in sheets.nodes[face.node..].iter_mut().zip(face.weights) {
                node.load[face.axis] += weight * (face.impulse(cells, psi) - face.mass * change);
            }
            faces.set(face.axis, face.at, face.before, change);
        }
    }
}

impl SheetFace {
    /// Where the velocities of its nodes along its axis are.
    fn places(&self) -> [usize; 2] {
        [2 * self.node + self.axis, 2 * self.node + 2 + self.axis]
    }

    fn velocity(&self, velocity: &[f64]) -> f32 {
        let [first, second] = self.places().map(|place| velocity[place] as f32);
        self.weights[0] * first + self.weights[1] * second
    }

    fn impulse(&self, cells: &Cells, psi: &[f32]) -> f32 {
        cells.size[1 - self.axis] * (psi[self.at - cells.back(self.axis)] - psi[self.at])
    }

    /// Adds the outflow by this velocity to the liquid cells beside the face.
    fn add_outflow(&self, cells: &Cells, velocity: f32, out: &mut [f32]) {
        let outflow = velocity * cells.size[1 - self.axis];
        if self.is_wet[0] {
            out[self.at - cells.back(self.axis)] += outflow;
        }
        if self.is_wet[1] {
            out[self.at] -= outflow;
        }
    }
}

/// The part of the tent kernel beyond a straight line at this distance from its middle, in cells.
fn kernel_beyond(distance: f32) -> f32 {
    let half = 0.5 * (1.0 - distance.abs()).max(0.0).powi(2);
    if distance > 0.0 { half } else { 1.0 - half }
}

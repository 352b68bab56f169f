//! The particle store: a structure of arrays in which particles lie in the grid's cell order. A slot is either a particle or a
//! *sentinel*: padding at the end of a grid row, so far away that every kernel is zero there. So pair passes need no masks.

use crate::sim::neighbors::{RowChunk, Split};
use glam::Vec2;
use std::ops::Range;

/// Coordinate of sentinels, metres. Far enough that no kernel reaches them, near enough that squares stay finite.
pub const SENTINEL_POS: f32 = 1.0e9;

/// The id of a sentinel or of a removed particle.
pub const INVALID_ID: u32 = u32::MAX;

/// Flat arrays of one length, in slot order. A slot may hold no particle: [`Particles::alive`] are those that do. A particle
/// changes its slot from step to step, and keeps its id.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Positions, metres from the lower left corner of the tank.
    pub x: Vec<f32>,
    /// As `x`; upwards.
    pub y: Vec<f32>,
    /// Velocities, m/s.
    pub vx: Vec<f32>,
    /// As `vx`.
    pub vy: Vec<f32>,
    /// Assigned at creation and never changed, so that the order in memory does not affect results.
    pub id: Vec<u32>,
    /// The gradient of the velocity, m/s a cell: ∂u/∂x, ∂u/∂y, ∂v/∂x, ∂v/∂y. Empty where no method keeps it.
    pub gradient: Vec<[f32; 4]>,
    alive: usize,
    next_id: u32,
}

impl Particles {
    /// Number of particles, without sentinels.
    pub fn len(&self) -> usize {
        self.alive
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.alive == 0
    }

    /// Number of slots, sentinels included: the length of every array.
    pub fn slots(&self) -> usize {
        self.x.len()
    }

    /// Whether a slot holds a particle.
    pub fn is_alive(&self, slot: usize) -> bool {
        self.id[slot] != INVALID_ID
    }

    /// The position of the particle in a slot, metres.
    pub fn position(&self, slot: usize) -> Vec2 {
        Vec2::new(self.x[slot], self.y[slot])
    }

    /// The velocity of the particle in a slot, m/s.
    pub fn velocity(&self, slot: usize) -> Vec2 {
        Vec2::new(self.vx[slot], self.vy[slot])
    }

    pub(in crate::sim) fn set_position(&mut self, slot: usize, at: Vec2) {
        (self.x[slot], self.y[slot]) = (at.x, at.y);
    }

    pub(in crate::sim) fn set_velocity(&mut self, slot: usize, v: Vec2) {
        (self.vx[slot], self.vy[slot]) = (v.x, v.y);
    }

    /// The slots that hold particles.
    pub fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots()).filter(|&slot| self.is_alive(slot))
    }

    /// All slots, mutable, the ids in them, and the gradients.
    pub(in crate::sim) fn slice_mut(&mut self) -> (ParticleSliceMut<'_>, &[u32], &mut [[f32; 4]]) {
        let Self { x, y, vx, vy, id, gradient, .. } = self;
        (ParticleSliceMut { first: 0, x, y, vx, vy }, id, gradient)
    }

    /// Keeps gradients from now on: those of particles without one are zero.
    pub(in crate::sim) fn keep_gradients(&mut self) {
        let slots = self.slots();
        resize_buffer(&mut self.gradient, slots);
    }

    pub(super) fn set_velocities(&mut self, velocity: impl Fn(u32) -> Vec2) {
        for slot in 0..self.slots() {
            if self.is_alive(slot) {
                self.set_velocity(slot, velocity(self.id[slot]));
            }
        }
    }

    pub(in crate::sim) fn zero_velocities(&mut self) {
        self.vx.fill(0.0);
        self.vy.fill(0.0);
    }

    /// The speed of the fastest particle, m/s.
    pub fn max_speed(&self) -> f32 {
        self.vx.iter().zip(&self.vy).map(|(vx, vy)| vx * vx + vy * vy).fold(0.0, f32::max).sqrt()
    }

    /// The speed that a fraction of the particles exceeds, m/s, to a hundredth of the greatest.
    pub fn speed_exceeded_by(&self, fraction: f32) -> f32 {
        let max = self.max_speed();
        let mut counts = [0; 101];
        for (vx, vy) in self.vx.iter().zip(&self.vy) {
            counts[(100.0 * Vec2::new(*vx, *vy).length() / max.max(f32::MIN_POSITIVE)) as usize] += 1;
        }
        let mut left = (fraction * self.alive as f32) as i32;
        let faster = counts.iter().rev().take_while(|count| {
            left -= **count;
            left >= 0
        });
        max * (1.0 - faster.count().saturating_sub(1) as f32 / 100.0)
    }

    /// The mean speed of the particles, m/s.
    pub fn mean_speed(&self) -> f32 {
        let sum: f32 = self.vx.iter().zip(&self.vy).map(|(vx, vy)| Vec2::new(*vx, *vy).length()).sum();
        sum / self.alive.max(1) as f32
    }

    pub(in crate::sim) fn reserve(&mut self, more: usize) {
        for array in [&mut self.x, &mut self.y, &mut self.vx, &mut self.vy] {
            array.reserve_exact(more);
        }
        self.id.reserve_exact(more);
        self.gradient.reserve_exact(more);
    }

    /// Number of ids that have been assigned so far; the greatest id is one less.
    pub(in crate::sim) fn id_capacity(&self) -> usize {
        self.next_id as usize
    }

    /// Adds a particle behind all others, with the next new id or that of a removed one; the next sort moves it to its place.
    pub fn push(&mut self, id: u32, at: Vec2, velocity: Vec2) {
        self.x.push(at.x);
        self.y.push(at.y);
        self.vx.push(velocity.x);
        self.vy.push(velocity.y);
        self.id.push(id);
        if !self.gradient.is_empty() {
            self.gradient.push([0.0; 4]);
        }
        self.alive += 1;
        self.next_id = self.next_id.max(id + 1);
    }

    /// Turns a particle into a sentinel; the next sort closes the gap.
    pub fn remove(&mut self, slot: usize) {
        if self.is_alive(slot) {
            self.set_position(slot, Vec2::splat(SENTINEL_POS));
            self.set_velocity(slot, Vec2::ZERO);
            self.id[slot] = INVALID_ID;
            self.alive -= 1;
        }
    }

    /// Resizes `self` to `slots` slots of any content, for the particles of `old`. Reuses its memory.
    pub fn resize_from(&mut self, old: &Particles, slots: usize) {
        for array in [&mut self.x, &mut self.y, &mut self.vx, &mut self.vy] {
            resize_buffer(array, slots);
        }
        resize_buffer(&mut self.id, slots);
        resize_buffer(&mut self.gradient, if old.gradient.is_empty() { 0 } else { slots });
        (self.alive, self.next_id) = (old.alive, old.next_id);
    }
}

const SPARE_SLOTS: usize = 256;

/// Resizes an array to `slots` entries of any content. Padding makes the number of slots vary from step to step, so an array
/// without room is enlarged once to a sixteenth more than it needs plus [`SPARE_SLOTS`]: doubling leaves holes in the heap.
pub(super) fn resize_buffer<T: Copy + Default>(array: &mut Vec<T>, slots: usize) -> &mut [T] {
    if array.capacity() < slots {
        array.reserve_exact(slots + slots / 16 + SPARE_SLOTS - array.len());
    }
    array.resize(slots, T::default());
    array
}

/// Positions and velocities of a range of slots, mutable. Slots keep the numbers that they have in the store.
pub struct ParticleSliceMut<'a> {
    first: usize,
    pub x: &'a mut [f32],
    pub y: &'a mut [f32],
    pub vx: &'a mut [f32],
    pub vy: &'a mut [f32],
}

impl ParticleSliceMut<'_> {
    pub fn slots(&self) -> Range<usize> {
        self.first..self.first + self.x.len()
    }

    pub fn at(&self, slot: usize) -> Vec2 {
        Vec2::new(self.x[slot - self.first], self.y[slot - self.first])
    }

    pub fn velocity(&self, slot: usize) -> Vec2 {
        Vec2::new(self.vx[slot - self.first], self.vy[slot - self.first])
    }

    pub fn put(&mut self, slot: usize, at: Vec2) {
        (self.x[slot - self.first], self.y[slot - self.first]) = (at.x, at.y);
    }

    pub fn set_velocity(&mut self, slot: usize, v: Vec2) {
        (self.vx[slot - self.first], self.vy[slot - self.first]) = (v.x, v.y);
    }

    /// Moves all particles by their velocities for `dt` seconds, after clamping each component to `limit` (m/s).
    pub fn drift(&mut self, limit: f32, dt: f32) {
        drift(self.x, self.vx, limit, dt);
        drift(self.y, self.vy, limit, dt);
    }
}

/// Moves along one axis: a function of its own, so that the compiler sees that nothing overlaps.
fn drift(at: &mut [f32], v: &mut [f32], limit: f32, dt: f32) {
    for (at, v) in at.iter_mut().zip(v) {
        *v = v.clamp(-limit, limit);
        *at += *v * dt;
    }
}

impl Split for ParticleSliceMut<'_> {
    fn split(self, lower: &[RowChunk]) -> (Self, Self) {
        let ([x, y, vx, vy], [x2, y2, vx2, vy2]) = [self.x, self.y, self.vx, self.vy].split(lower);
        let upper = self.first + x.len();
        (Self { first: self.first, x, y, vx, vy }, Self { first: upper, x: x2, y: y2, vx: vx2, vy: vy2 })
    }
}

/// The value of a slot in an array that a pass has filled; zero for a particle that was added since.
pub fn value_at(values: &[f32], slot: usize) -> f32 {
    values.get(slot).copied().unwrap_or(0.0)
}

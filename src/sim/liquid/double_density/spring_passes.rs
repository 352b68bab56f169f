//! The liquid and its springs (sections 5.1 and 5.2): when they are created and when they pull. How is in [`springs`].
//!
//! [`springs`]: crate::sim::liquid::springs

use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::particle_liquid::ParticleLiquid;
use crate::sim::liquid::rest_stretch;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::springs::{SortedParticles, SpringStep, Springs, Viscoelastic};
use crate::sim::neighbors::row_chunks::parallel_for;
use crate::sim::particles::resize_buffer;
use glam::Vec2;

/// Resistance of the particle packing itself to a change of shape, as springs of this many times near_stiffness would
/// have. Without it a jelly that was resampled while it was bent came 0.55, 0.83 and 0.95 of the way back with a
/// `spring` of 20, 60 and 200; with it 1.09, 1.00 and 0.97, and with twice the near-pressure 1.1.
const PACKING_STIFFNESS: f32 = 0.6;

/// Upper limit on the packing correction, as a fraction of the springs' own displacement. Higher values tore springs of
/// stiffness 20.
const MAX_PACKING: f32 = 0.4;

impl DoubleDensityLiquid {
    /// Connects all neighbours by springs at rest, if the fluid has springs.
    pub fn create_springs(&mut self) {
        self.create_stretched_springs(|_| RestStretch::REST);
    }

    /// Connects all unconnected neighbours, if the fluid has springs: for bodies that are elastic from the start, as a
    /// jelly is. `stretch` gives the rest stretch of each particle by id. No spring is longer than h: it would push
    /// where it has to pull. Call it when the liquid has been fitted.
    pub(in crate::sim) fn create_stretched_springs(&mut self, stretch: impl Fn(u32) -> RestStretch) {
        if self.phases.params().iter().any(|phase| phase.elastic.spring > 0.0) {
            let h = self.base.h;
            self.create_where(|elastic, _, ends, offset| {
                (elastic.spring > 0.0).then(|| RestStretch::between(ends.map(&stretch)).length(offset).min(h))
            });
        }
    }

    /// The rest stretch of each particle, by id; empty without springs.
    pub(super) fn find_rest_stretches(&self) -> Vec<RestStretch> {
        if self.springs.is_empty() {
            return Vec::new();
        }
        let packing = PACKING_STIFFNESS * self.fluid.pressure.near_stiffness;
        rest_stretch::of(&self.springs, &self.base.particles, self.base.h, |id| {
            let spring = self.phases.params_of(id).elastic.spring;
            (packing / spring.max(f32::MIN_POSITIVE)).min(MAX_PACKING)
        })
    }

    /// The springs between its particles.
    pub fn springs(&self) -> &Springs {
        &self.springs
    }

    /// Sections 5.1 and 5.2, Algorithms 3 and 4: springs yield, break and pull.
    pub(super) fn pull_springs(&mut self, dt: f32) {
        let ParticleLiquid { level, grid, particles, h, .. } = &self.base;
        let (chunks, elastic, phase_of) = (grid.chunks(), self.phases.elastic(), self.phases.fluid_of());
        self.springs.pull(*level, chunks.len(), particles, &SpringStep { elastic: &elastic, phase_of, dt, h: *h });
        let (springs, id) = (&self.springs, &particles.id);
        let sums = [&mut self.dx, &mut self.dy].map(|sums| resize_buffer(sums, id.len()));
        parallel_for(chunks, sums, &|chunk, [dx, dy]| {
            for ((dx, dy), &id) in dx.iter_mut().zip(dy).zip(&id[chunk.slots.clone()]) {
                [*dx, *dy] = springs.moved(id);
            }
        });
        self.move_by_displacement(dt, 1.0, Vec2::ZERO);
    }

    /// Adds springs between new neighbours. The paper gives them a length of h: they exert no force before they have
    /// yielded. The search runs at intervals, because testing every pair takes five times as long as the springs do.
    pub(super) fn add_springs(&mut self) {
        let h = self.base.h;
        self.create_where(|elastic, _, _, _| elastic.makes_springs().then_some(h));
    }

    /// Connects neighbours of one phase that have no spring yet. `rest_length` returns the spring's length, if there is
    /// to be one, from the phase's elastic parameters, its number, the two ids and the offset between them.
    pub(super) fn create_where(&mut self, rest_length: impl Fn(&Viscoelastic, u8, [u32; 2], Vec2) -> Option<f32>) {
        let (phases, base) = (&self.phases, &self.base);
        let among = SortedParticles { level: base.level, grid: &base.grid, particles: &base.particles, h: base.h };
        self.springs.create_where(&among, base.rest.neighbours(), |a, b, offset| {
            let phase = phases.phase_of(a);
            let elastic = &phases.params()[usize::from(phase)].elastic;
            if phase == phases.phase_of(b) { rest_length(elastic, phase, [a, b], offset) } else { None }
        });
    }
}

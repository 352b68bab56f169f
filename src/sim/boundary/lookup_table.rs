//! Tabulated functions of a distance from 0 to 1 that take long to compute.

/// Intervals of a table, interpolated linearly; the density that a wall cuts off is then within 2e-4 of its greatest value.
const STEPS: usize = 64;

/// N functions of the same distance.
#[derive(Clone, Debug, Default)]
pub struct LookupTable<const N: usize>(Vec<[f32; N]>);

impl<const N: usize> LookupTable<N> {
    pub fn new(values: impl Fn(f32) -> [f32; N]) -> Self {
        Self((0..=STEPS).map(|step| values(step as f32 / STEPS as f32)).collect())
    }

    /// Returns all functions at `t`, interpolated linearly between the entries; beyond the ends the values at the ends.
    #[inline]
    pub fn at(&self, t: f32) -> [f32; N] {
        let position = t.clamp(0.0, 1.0) * STEPS as f32;
        let step = (position as usize).min(STEPS - 1);
        let fraction = position - step as f32;
        let (a, b) = (&self.0[step], &self.0[step + 1]);
        std::array::from_fn(|of| a[of] + (b[of] - a[of]) * fraction)
    }
}

/// Integrates N functions over r from t to 1 by the midpoint rule. `terms` has the values at r, times dr.
pub fn integrate<const N: usize>(t: f32, terms: impl Fn(f32, f32) -> [f32; N]) -> [f32; N] {
    // The table's interpolation is off by 2e-4 of the greatest value, this sum by 2e-5.
    const SLICES: usize = 400;
    let dr = (1.0 - t) / SLICES as f32;
    let mut sums = [0.0; N];
    for slice in 0..SLICES {
        let terms = terms(t + (slice as f32 + 0.5) * dr, dr);
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    sums
}

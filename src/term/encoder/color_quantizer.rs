//! Colour quantization: a few colours that the changed cells of a frame share. A new colour costs some 18 bytes, a reused one
//! about one.
//!
//! Target colours are collected in cubes of equal leading bits. Clusters are merged in pairs as long as the added error is worth
//! less than the bytes of a colour (Ward 1963); each is the mean of its colours.

use crate::term::encoder::color::{PackedColor, squared_distance};

type RgbBytes = [u8; 3];

const LUMA_BUCKETS: usize = 64;
/// Buckets on each side that are searched for the nearest cluster.
const BUCKET_RADIUS: usize = 3;
const MERGE_CANDIDATES: usize = 24;
const QUICK_MERGE_CANDIDATES: usize = 8;
/// Squared width of a cube per unit of λ, rounded to a power of two of at most [`MAX_CUBE_BITS`] bits.
const CUBE_AREA_PER_LAMBDA: f32 = 0.06;
const MAX_CUBE_BITS: u32 = 6;
const CACHE_SLOTS: usize = 4096;
/// Bytes of one more colour: more than the 18 of an SGR, because a colour is written for text and background, and splits runs.
const COLOR_BYTES: f32 = 45.0;
const NO_CLUSTER: u32 = u32::MAX;

type ClusterSum = [f32; 4];

#[derive(Debug, Default)]
pub struct ColorQuantizer {
    colors: Vec<RgbBytes>,
    sums: Vec<(ClusterSum, u32)>,
    /// The cube that each cube was merged into, or itself; after a quick quantization, the index of its cluster.
    parents: Vec<u32>,
    /// For each cluster, the next one that has not been merged; for the last, the number of clusters. Then the index of the cluster
    /// of each cube that others were merged into.
    next_alive: Vec<u32>,
    /// First cluster of each luma bucket, and for each cluster the next in its bucket.
    bucket_head: Vec<u32>,
    bucket_next: Vec<u32>,
    cache: ClusterCache,
}

/// Clusters of recent colours. Colours that differ only in the last `bits` bits of their channels share an entry.
#[derive(Debug, Default)]
struct ClusterCache {
    bits: u32,
    slots: Vec<(u32, u32)>,
}

impl ClusterCache {
    fn clear(&mut self, bits: u32) {
        self.bits = bits;
        self.slots.clear();
        self.slots.resize(CACHE_SLOTS, (NO_CLUSTER, NO_CLUSTER));
    }

    /// The slot and the key of a colour, and the cluster cached for it.
    #[inline]
    fn find(&self, [r, g, b]: RgbBytes) -> (usize, u32, Option<usize>) {
        let key = u32::from_be_bytes([0, r >> self.bits, g >> self.bits, b >> self.bits]);
        let slot = (key.wrapping_mul(0x9e37_79b1) >> 20) as usize % CACHE_SLOTS;
        let (of, cluster) = self.slots[slot];
        (slot, key, (of == key).then_some(cluster as usize))
    }
}

impl ColorQuantizer {
    pub fn clear(&mut self, lambda: u32) {
        self.colors.clear();
        self.sums.clear();
        self.clear_buckets();
        self.cache.clear(cube_bits(lambda));
    }

    fn clear_buckets(&mut self) {
        self.bucket_next.clear();
        self.bucket_head.clear();
        self.bucket_head.resize(LUMA_BUCKETS, NO_CLUSTER);
    }

    /// Adds a colour that covers `pixels` pixels. Returns its cube; `None` for palette and default colours, which stay as they
    /// are.
    pub fn add(&mut self, color: PackedColor, pixels: u32) -> Option<u32> {
        let color = color.channels()?;
        let (slot, key, cached) = self.cache.find(color);
        let cluster = cached.unwrap_or_else(|| {
            self.cache.slots[slot] = (key, self.sums.len() as u32);
            self.sums.push(([0.0; 4], self.sums.len() as u32));
            self.sums.len() - 1
        });
        let weight = pixels as f32;
        let sum = &mut self.sums[cluster].0;
        (0..3).for_each(|axis| sum[axis] += f32::from(color[axis]) * weight);
        sum[3] += weight;
        Some(cluster as u32)
    }

    #[inline]
    pub fn color_of_cube(&self, cube: u32) -> PackedColor {
        let [r, g, b] = self.colors[self.parents[cube as usize] as usize];
        PackedColor::rgb(r, g, b)
    }

    pub fn nearest_color(&mut self, color: PackedColor) -> PackedColor {
        let Some(rgb) = color.channels() else { return color };
        let (slot, key, cached) = self.cache.find(rgb);
        let Some(cluster) = cached.or_else(|| self.nearest(rgb)) else { return color };
        self.cache.slots[slot] = (key, cluster as u32);
        let [r, g, b] = self.colors[cluster];
        PackedColor::rgb(r, g, b)
    }

    /// `quick`: a colour goes to the cluster of its cube, and each cluster is compared with few others, once.
    pub fn quantize(&mut self, lambda: u32, quick: bool) {
        for (sum, _) in &mut self.sums {
            let weight = sum[3].max(1.0);
            (0..3).for_each(|axis| sum[axis] /= weight);
        }
        let luma = |sum: &ClusterSum| sum[0] + 2.0 * sum[1] + sum[2];
        // The bits of a float that is not negative sort as its value does.
        self.sums.sort_unstable_by_key(|(sum, cube)| (luma(sum).to_bits(), *cube));
        self.parents.clear();
        self.parents.extend(0..self.sums.len() as u32);
        let most = COLOR_BYTES * lambda as f32;
        if quick {
            self.merge::<QUICK_MERGE_CANDIDATES>(most);
        } else {
            while self.merge::<MERGE_CANDIDATES>(most) {}
        }
        self.colors.clear();
        self.clear_buckets();
        for cluster in 0..self.sums.len() {
            let [r, g, b, _] = self.sums[cluster].0.map(|v| (v + 0.5) as u8);
            self.insert([r, g, b]);
        }
        if quick {
            self.resolve_parents();
        }
        self.cache.clear(cube_bits(lambda).saturating_sub(1));
    }

    /// Merges each cluster with that one of its next `CANDIDATES` brighter clusters that adds the least error, if this is below
    /// `most`. Returns whether any clusters were merged.
    fn merge<const CANDIDATES: usize>(&mut self, most: f32) -> bool {
        let before = self.sums.len();
        self.next_alive.clear();
        self.next_alive.extend(1..=before as u32);
        for at in 0..before {
            let (mut here, number) = self.sums[at];
            while here[3] > 0.0 {
                // Stored by channel, so that their costs are computed together.
                let (mut sums, mut candidates) = ([[0.0; CANDIDATES]; 4], [0; CANDIDATES]);
                let (mut count, mut next) = (0, self.next_alive[at] as usize);
                while count < CANDIDATES && next < before {
                    let sum = self.sums[next].0;
                    (0..4).for_each(|part| sums[part][count] = sum[part]);
                    candidates[count] = next;
                    next = self.next_alive[next] as usize;
                    count += 1;
                }
                let costs = merge_costs(here, &sums);
                let (mut best, mut least) = (None, most);
                for (candidate, &cost) in costs[..count].iter().enumerate() {
                    if cost < least {
                        (best, least) = (Some(candidate), cost);
                    }
                }
                let Some(best) = best else { break };
                let (other, last) = (candidates[best], if best == 0 { at } else { candidates[best - 1] });
                self.next_alive[last] = self.next_alive[other];
                here = merged(here, self.sums[other].0);
                self.sums[at].0 = here;
                self.sums[other].0[3] = 0.0;
                self.parents[self.sums[other].1 as usize] = number;
            }
        }
        self.sums.retain(|(sum, _)| sum[3] > 0.0);
        self.sums.len() < before
    }

    /// In a single pass no cluster is merged after it has merged others, so a parent has none itself.
    fn resolve_parents(&mut self) {
        for (cluster, &(_, cube)) in self.sums.iter().enumerate() {
            self.next_alive[cube as usize] = cluster as u32;
        }
        self.parents.iter_mut().for_each(|parent| *parent = self.next_alive[*parent as usize]);
    }

    fn insert(&mut self, color: RgbBytes) {
        let first = &mut self.bucket_head[luma_bucket(color)];
        self.bucket_next.push(*first);
        *first = self.colors.len() as u32;
        self.colors.push(color);
    }

    fn nearest(&self, color: RgbBytes) -> Option<usize> {
        let (mut best, mut least) = (None, u32::MAX);
        let bucket = luma_bucket(color);
        for near in bucket.saturating_sub(BUCKET_RADIUS)..=(bucket + BUCKET_RADIUS).min(LUMA_BUCKETS - 1) {
            let mut cluster = self.bucket_head[near];
            while cluster != NO_CLUSTER {
                let distance = squared_distance(self.colors[cluster as usize], color);
                if distance < least {
                    (best, least) = (Some(cluster as usize), distance);
                }
                cluster = self.bucket_next[cluster as usize];
            }
        }
        best
    }
}

/// The number of low bits of a channel that a cube spans.
fn cube_bits(lambda: u32) -> u32 {
    let width = (lambda as f32 * CUBE_AREA_PER_LAMBDA).sqrt();
    (width.max(1.0).log2().round() as u32).min(MAX_CUBE_BITS)
}

fn luma_bucket([r, g, b]: RgbBytes) -> usize {
    (usize::from(r) + 2 * usize::from(g) + usize::from(b)) / (1024 / LUMA_BUCKETS)
}

/// The squared errors that merges of one cluster with others would add.
#[inline]
fn merge_costs<const COUNT: usize>(a: ClusterSum, [red, green, blue, weight]: &[[f32; COUNT]; 4]) -> [f32; COUNT] {
    let mut costs = [0.0; COUNT];
    for (number, cost) in costs.iter_mut().enumerate() {
        let (r, g, b) = (a[0] - red[number], a[1] - green[number], a[2] - blue[number]);
        *cost = a[3] * weight[number] / (a[3] + weight[number]) * (r * r + g * g + b * b);
    }
    costs
}

fn merged(a: ClusterSum, b: ClusterSum) -> ClusterSum {
    let weight = a[3] + b[3];
    let mean = |axis: usize| (a[axis] * a[3] + b[axis] * b[3]) / weight;
    [mean(0), mean(1), mean(2), weight]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(v: u8) -> PackedColor {
        PackedColor::rgb(v, v, v)
    }

    fn quantizer(colors: impl Iterator<Item = u8>, lambda: u32) -> ColorQuantizer {
        let mut quantizer = ColorQuantizer::default();
        quantizer.clear(lambda);
        colors.for_each(|v| {
            quantizer.add(grey(v), 128);
        });
        quantizer.quantize(lambda, false);
        quantizer
    }

    #[test]
    fn few_colours_stand_for_a_gradient_and_each_is_the_mean_of_its_own() {
        let mut quantizer = quantizer(100..140, 300);
        assert!((3..16).contains(&quantizer.colors.len()), "{:?}", quantizer.colors);
        for v in 100..140 {
            let [near, ..] = quantizer.nearest_color(grey(v)).channels().expect("a color");
            assert!(near.abs_diff(v) <= 8, "{near} for {v}");
        }
    }

    #[test]
    fn what_is_free_is_not_mixed() {
        let mut quantizer = quantizer([10, 11, 200].into_iter(), 0);
        assert_eq!([10, 11, 200].map(|v| quantizer.nearest_color(grey(v))), [10, 11, 200].map(grey));
        assert_eq!(quantizer.nearest_color(PackedColor::index(4)), PackedColor::index(4));
    }
}

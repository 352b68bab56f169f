use glam::{UVec2, Vec2};

/// Maximum number of cells along each side: a bound of memory.
const MAX_CELLS_PER_SIDE: f32 = 400.0;

#[derive(Clone, Debug, Default)]
pub struct SpatialHash {
    side: f32,
    columns: u32,
    rows: u32,
    /// Index of each cell's first entry, and the end of the last list.
    first: Vec<u32>,
    items: Vec<u32>,
}

impl SpatialHash {
    /// By bounding boxes, in a tank of `size` metres, into cells of about `side` metres; the outermost have what is beyond.
    pub fn fill(&mut self, size: Vec2, side: f32, boxes: impl Iterator<Item = (u32, Vec2, Vec2)> + Clone) {
        self.side = side.max(size.max_element() / MAX_CELLS_PER_SIDE);
        (self.columns, self.rows) = ((size.x / self.side) as u32 + 1, (size.y / self.side) as u32 + 1);
        self.first.clear();
        self.first.resize((self.columns * self.rows) as usize + 1, 0);
        for (_, min, max) in boxes.clone() {
            self.for_each_cell(min, max, |first, cell| first[cell + 1] += 1);
        }
        for cell in 1..self.first.len() {
            self.first[cell] += self.first[cell - 1];
        }
        self.items.resize(self.first.last().map_or(0, |&end| end as usize), 0);
        let mut items = std::mem::take(&mut self.items);
        // While the lists fill, the first index of each moves on to that of the next; then all move back.
        for (item, min, max) in boxes {
            self.for_each_cell(min, max, |first, cell| {
                items[first[cell] as usize] = item;
                first[cell] += 1;
            });
        }
        self.items = items;
        self.first.rotate_right(1);
        self.first[0] = 0;
    }

    fn for_each_cell(&mut self, min: Vec2, max: Vec2, mut visit: impl FnMut(&mut [u32], usize)) {
        let (low, high) = (self.cell(min), self.cell(max));
        for row in low.y..=high.y {
            for column in low.x..=high.x {
                visit(&mut self.first, (row * self.columns + column) as usize);
            }
        }
    }

    fn cell(&self, at: Vec2) -> UVec2 {
        (at / self.side).max(Vec2::ZERO).as_uvec2().min(UVec2::new(self.columns - 1, self.rows - 1))
    }

    /// Returns the items that reach into the cell around a place.
    pub fn query(&self, at: Vec2) -> &[u32] {
        let UVec2 { x, y } = self.cell(at);
        let cell = (y * self.columns + x) as usize;
        &self.items[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_covers_a_place_is_near_it() {
        let boxes = [(7, Vec2::new(0.1, 0.1), Vec2::new(0.5, 0.15)), (9, Vec2::new(-1.0, 0.7), Vec2::new(0.2, 3.0))];
        let mut hash = SpatialHash::default();
        for _ in 0..2 {
            hash.fill(Vec2::ONE, 0.1, boxes.iter().copied());
            assert_eq!(hash.query(Vec2::new(0.3, 0.12)), [7]);
            assert_eq!(hash.query(Vec2::new(0.05, 0.95)), [9]);
            assert_eq!(hash.query(Vec2::new(0.0, 2.0)), [9]);
            assert!(hash.query(Vec2::new(0.7, 0.7)).is_empty() && !hash.is_empty());
        }
    }
}

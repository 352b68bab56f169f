//! Symmetric positive definite matrices whose elements lie near the diagonal, and their Cholesky factors.

/// How far from the diagonal elements may lie.
const REACH: usize = 5;

/// The lower half: of each row the element on the diagonal, and those on its left, the nearest first.
#[derive(Clone, Debug, Default)]
pub struct BandMatrix(Vec<[f64; REACH + 1]>);

impl BandMatrix {
    pub fn clear(&mut self, len: usize) {
        self.0.clear();
        self.0.resize(len, [0.0; REACH + 1]);
    }

    /// Adds to an element of the lower half and to its mirror image.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.0[row][row - column] += value;
    }

    pub fn copy(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }

    /// Replaces the matrix by its factor.
    pub fn factor(&mut self) {
        for i in 0..self.0.len() {
            for j in i.saturating_sub(REACH)..=i {
                let first = i.saturating_sub(REACH);
                let known: f64 =
                    (first..j).filter(|k| j - k <= REACH).map(|k| self.0[i][i - k] * self.0[j][j - k]).sum();
                let rest = self.0[i][i - j] - known;
                self.0[i][i - j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / self.0[j][0] };
            }
        }
    }

    /// Solves the equations of the matrix of which this is the factor.
    pub fn solve(&self, values: &mut [f64]) {
        let rows = &self.0;
        for i in 0..rows.len() {
            let known: f64 = (1..=REACH.min(i)).map(|k| rows[i][k] * values[i - k]).sum();
            values[i] = (values[i] - known) / rows[i][0];
        }
        for i in (0..rows.len()).rev() {
            let known: f64 = (1..=REACH.min(rows.len() - 1 - i)).map(|k| rows[i + k][k] * values[i + k]).sum();
            values[i] = (values[i] - known) / rows[i][0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_solves_the_equations() {
        let mut matrix = BandMatrix::default();
        let element = |i: usize, j: usize| if i == j { 9.0 + i as f64 } else { 1.0 / (1.0 + (i * j % 5) as f64) };
        matrix.clear(12);
        for i in 0..12usize {
            (i.saturating_sub(REACH)..=i).for_each(|j| matrix.add(i, j, element(i, j)));
        }
        matrix.factor();
        let mut x: Vec<f64> = (0..12).map(|i| f64::from(i) - 4.0).collect();
        let b = x.clone();
        matrix.solve(&mut x);
        for (i, b) in b.iter().enumerate() {
            let near = i.saturating_sub(REACH)..12.min(i + REACH + 1);
            let sum: f64 = near.map(|j| element(i.max(j), i.min(j)) * x[j]).sum();
            assert!((sum - b).abs() < 1e-9, "row {i}: {sum} instead of {b}");
        }
    }
}

//! Kinds of guests of a bench, as given by its flag.

use slosh::app::action::Window;
use std::fmt;
use std::str::FromStr;

/// The window of a guest, and the rate of its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuestKind {
    pub size: Window,
    /// Bytes per second; `None` is not limited.
    pub rate: Option<f64>,
}

impl GuestKind {
    pub const fn new(width: u16, height: u16, rate: Option<f64>) -> Self {
        Self { size: Window { columns: width, rows: height, cell: [0, 0] }, rate }
    }
}

impl FromStr for GuestKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (size, rate) = text.split_once('@').map_or((text, None), |(size, rate)| (size, Some(rate)));
        let valid = |rate: &str| rate.parse().ok().filter(|rate| (100.0..=1e9).contains(rate));
        let rate =
            rate.map(|rate| valid(rate).ok_or("must be WxH@BYTES with 100 to 1e9 bytes a second, as 80x24@1000"));
        Ok(Self { size: size.parse()?, rate: rate.transpose()? })
    }
}

impl fmt::Display for GuestKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}×{}", self.size.columns, self.size.rows)?;
        self.rate.map_or(Ok(()), |rate| write!(f, " {:.0} kbit/s", rate * 8.0 / 1e3))
    }
}

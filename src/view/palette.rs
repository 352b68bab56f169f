//! Palettes: what a liquid looks like, as data.
//!
//! A palette runs from dense, slow, deep liquid (0) to thin, fast, shallow liquid (1). Its stops are interpolated in
//! OKLab into a table; beside them it names what depth tends to, what foam and the surface line tend to, and the
//! colour of walls.

use super::color::{Linear, Rgb, from_oklab, oklab};
use crate::data::{Entry, Error, Node};
use std::sync::OnceLock;

/// Entries of a palette's table.
pub const STEPS: usize = 256;

/// The palettes that slosh comes with.
const EMBEDDED: &str = include_str!("../data/palettes.toml");

/// The colours of a liquid, of its foam and of its walls.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    name: String,
    about: String,
    table: Box<[Linear]>,
    /// What the liquid's colour tends to where no light gets.
    pub deep: Linear,
    /// What foam and the line of the surface tend to.
    pub foam: Linear,
    /// Obstacles and the tank's rim.
    pub wall: Linear,
    /// What is to be painted where there is nothing; the terminal's own where the palette does not say.
    pub background: Option<Rgb>,
}

impl Default for Palette {
    fn default() -> Self {
        embedded()[0].clone()
    }
}

impl Palette {
    /// Reads the `[[palette]]` entries of a TOML file; `source` is the name that errors give to it.
    pub fn read(toml: &str, source: &str) -> Result<Vec<Palette>, Error> {
        let tree = Node::parse(toml, source)?;
        let mut file = tree.fields()?;
        let palettes = file.list("palette", 1000)?.iter().map(Palette::build).collect();
        file.done()?;
        palettes
    }

    fn build(entry: &Entry) -> Result<Self, Error> {
        let mut fields = entry.fields()?;
        let stops = fields.list("stops", STEPS)?.iter().map(color).collect::<Result<Vec<Rgb>, Error>>()?;
        if stops.len() < 2 {
            return Err(fields.error("a palette needs `stops`: a list of two colours or more"));
        }
        let palette = Self {
            name: fields.need("name")?.text()?.to_owned(),
            about: fields.need("about")?.text()?.to_owned(),
            table: interpolate(&stops),
            deep: color(&fields.need("deep")?)?.linear(),
            foam: color(&fields.need("foam")?)?.linear(),
            wall: color(&fields.need("wall")?)?.linear(),
            background: fields.get("background").as_ref().map(color).transpose()?,
        };
        fields.done()?;
        Ok(palette)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line for `slosh list`.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// A palette on the way to `other`, `share` (0 to 1) of it gone, along straight lines in OKLab. It goes by the name
    /// of the other. Its background is the other's from the middle on: there is nothing between a colour and none.
    pub fn towards(&self, other: &Self, share: f32) -> Self {
        let between = |a: Linear, b: Linear| {
            let (a, b) = (oklab(a), oklab(b));
            from_oklab([0, 1, 2].map(|axis| a[axis] + (b[axis] - a[axis]) * share))
        };
        Self {
            name: other.name.clone(),
            about: other.about.clone(),
            table: self.table.iter().zip(&other.table).map(|(&a, &b)| between(a, b)).collect(),
            deep: between(self.deep, other.deep),
            foam: between(self.foam, other.foam),
            wall: between(self.wall, other.wall),
            background: match (self.background, other.background) {
                (Some(a), Some(b)) => Some(Rgb::from_linear(between(a.linear(), b.linear()))),
                (a, b) => {
                    if share < 0.5 {
                        a
                    } else {
                        b
                    }
                }
            },
        }
    }

    /// The colour for a driven value from 0 to 1.
    #[inline(always)]
    pub fn at(&self, value: f32) -> Linear {
        self.table[((value * STEPS as f32) as usize).min(STEPS - 1)]
    }
}

fn color(entry: &Entry) -> Result<Rgb, Error> {
    let text = entry.text()?;
    text.parse().map_err(|_| entry.error(format_args!("must be a colour such as \"#1877c9\", not {text:?}")))
}

/// Spreads stops over the table, along straight lines in OKLab.
fn interpolate(stops: &[Rgb]) -> Box<[Linear]> {
    let stops: Vec<_> = stops.iter().map(|stop| stop.oklab()).collect();
    let at = |step: usize| {
        let place = step as f32 / (STEPS - 1) as f32 * (stops.len() - 1) as f32;
        let from = (place as usize).min(stops.len() - 2);
        let share = place - from as f32;
        from_oklab([0, 1, 2].map(|axis| stops[from][axis] + (stops[from + 1][axis] - stops[from][axis]) * share))
    };
    (0..STEPS).map(at).collect()
}

/// The embedded palettes; the first is the default.
pub fn embedded() -> &'static [Palette] {
    static PALETTES: OnceLock<Vec<Palette>> = OnceLock::new();
    PALETTES.get_or_init(|| Palette::read(EMBEDDED, "palettes.toml").expect("a test reads the embedded palettes"))
}

/// The embedded palette of that name.
pub fn find(name: &str) -> Option<&'static Palette> {
    embedded().iter().find(|palette| palette.name == name)
}

/// Names of the embedded palettes, the default first.
pub fn names() -> impl Iterator<Item = &'static str> {
    embedded().iter().map(Palette::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_palette_is_whole_and_named_once() {
        let palettes = Palette::read(EMBEDDED, "palettes.toml").unwrap();
        assert!(palettes.len() >= 10);
        for palette in &palettes {
            assert!(!palette.about.is_empty() && palette.table.len() == STEPS, "{}", palette.name);
            assert_eq!(names().filter(|name| *name == palette.name).count(), 1, "{}", palette.name);
            assert_eq!(find(&palette.name), Some(palette));
        }
    }

    #[test]
    fn neighbouring_entries_look_alike() {
        for palette in embedded() {
            for pair in palette.table.windows(2) {
                let (a, b) = (oklab(pair[0]), oklab(pair[1]));
                let step = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt();
                assert!(step < 0.02, "{} jumps by {step}", palette.name);
            }
        }
    }

    #[test]
    fn a_bad_file_is_refused_with_its_line_and_the_way_out() {
        let entry = |stops: &str| {
            format!(
                "[[palette]]\nname = \"x\"\nabout = \"y\"\nstops = {stops}\n\
                 deep = \"#000000\"\nfoam = \"#ffffff\"\nwall = \"#777777\"\n"
            )
        };
        let refused = |file: &str| Palette::read(file, "mine.toml").unwrap_err().to_string();
        assert!(Palette::read(&entry(r##"["#000000", "#ffffff"]"##), "mine.toml").is_ok());
        let bad_colour = refused(&entry(r##"["#000000", "blue"]"##));
        assert!(bad_colour.contains("mine.toml:4") && bad_colour.contains("\"#1877c9\""), "{bad_colour}");
        let too_few = refused(&entry(r##"["#000000"]"##));
        assert!(too_few.contains("mine.toml:1") && too_few.contains("two colours"), "{too_few}");
        let typo = refused(&entry(r##"["#000000", "#ffffff"]"##).replace("foam", "faom"));
        assert!(typo.contains("foam"), "{typo}");
    }
}

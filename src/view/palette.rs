//! Palettes: what a liquid looks like, as data, from dense, slow, deep liquid (0) to thin, fast, shallow liquid (1). The stops
//! are interpolated in OKLab into a table. A palette also names the colours of deep liquid, of foam and of walls.

use crate::cell::color::{LinearRgb, Rgb, from_oklab, mix, oklab};
use crate::data::{DataError, Entry, Fields, Node, about, inherit};
use crate::view::optics::Optics;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::sync::OnceLock;

/// Entries of a palette's table: adjacent ones differ invisibly (a test checks it).
pub const STEPS: usize = 256;

pub const MAX_PALETTES: usize = 1000;

/// Minimum difference in OKLab lightness by which liquid is darker than a light background, to be distinct from it.
const MIN_CONTRAST: f32 = 0.12;

/// The range of lightness, below the highest that is legible, into which lighter colours are compressed.
const KNEE: f32 = 0.25;

const EMBEDDED: &str = include_str!("../data/palettes.toml");

/// The colours of a liquid, of its foam and of its walls. A serialized palette has 16 stops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Palette {
    name: String,
    #[serde(skip)]
    about: String,
    #[serde(serialize_with = "write_stops", deserialize_with = "read_stops")]
    table: Box<[LinearRgb]>,
    /// The colour of liquid that no light reaches.
    pub deep: LinearRgb,
    /// The colour of foam and of the line of the surface.
    pub foam: LinearRgb,
    /// Obstacles and the tank's rim.
    pub wall: LinearRgb,
    /// The background to paint; the terminal's own where the palette has none.
    pub background: Option<Rgb>,
    /// The background at the bottom of the window, if it is a gradient.
    pub background_low: Option<Rgb>,
    /// Its optical properties.
    pub optics: Optics,
    /// °C at its first stop and at its last, if it shows temperatures.
    pub temperatures: Option<[f32; 2]>,
}

impl Default for Palette {
    fn default() -> Self {
        embedded()[0].clone()
    }
}

impl Palette {
    /// Reads the `[[palette]]` entries of a TOML file; `source` is the name that errors give to it.
    ///
    /// # Errors
    /// As for [`Palette::read_all`].
    pub fn read(toml: &str, source: &str) -> Result<Vec<Palette>, DataError> {
        let tree = Node::parse(toml, source)?;
        let mut file = tree.fields()?;
        let palettes = Self::read_all(&file.list("palette", MAX_PALETTES)?, &[]);
        file.done()?;
        palettes
    }

    /// Reads entries, each of which may inherit from one before it, or from one of `known`.
    ///
    /// # Errors
    /// Names the line and the key that is missing, unknown, or not a colour, and says what it takes.
    pub fn read_all(entries: &[Entry], known: &[Palette]) -> Result<Vec<Palette>, DataError> {
        inherit(entries, known, Palette::name, Palette::build)
    }

    fn build(fields: &mut Fields, parent: Option<&Palette>) -> Result<Self, DataError> {
        let colors = |entry: Entry| entry.list(STEPS)?.iter().map(color).collect::<Result<Vec<Rgb>, DataError>>();
        let table = match (fields.get("stops").map(colors).transpose()?.as_deref(), parent) {
            (None | Some([]), Some(parent)) => parent.table.clone(),
            (None, None) => return Err(fields.error("a palette needs `stops`, a list of colours, or `inherits`")),
            (Some([] | [_]), _) => return Err(fields.error("a palette needs `stops`: a list of two colours or more")),
            (Some(stops), _) => interpolate(stops),
        };
        let mut tint = |key: &'static str, inherited: Option<LinearRgb>| match (fields.get(key), inherited) {
            (None, Some(inherited)) => Ok(inherited),
            _ => Ok(color(&fields.need(key)?)?.linear()),
        };
        let deep = tint("deep", parent.map(|parent| parent.deep))?;
        let foam = tint("foam", parent.map(|parent| parent.foam))?;
        let wall = tint("wall", parent.map(|parent| parent.wall))?;
        let background = fields.get("background").map(|entry| color(&entry)).transpose()?;
        let background = background.or(parent.and_then(|parent| parent.background));
        let background_low = match fields.get("background-low") {
            Some(entry) if background.is_none() => {
                return Err(entry.error("needs `background`, the colour that it starts from at the top"));
            }
            Some(entry) => Some(color(&entry)?),
            None => parent.and_then(|parent| parent.background_low),
        };
        let optics = Optics::read(fields, parent.map(|parent| parent.optics))?;
        Ok(Self {
            optics,
            name: fields.need("name")?.text()?.to_owned(),
            about: match about(fields, parent.map(Palette::name))? {
                Some(about) => about,
                None => fields.need("about")?.text()?.to_owned(),
            },
            table,
            deep,
            foam,
            wall,
            temperatures: match fields.get("temperatures") {
                Some(entry) => Some(temperatures(&entry)?),
                None => parent.and_then(|parent| parent.temperatures),
            },
            background,
            background_low,
        })
    }

    /// The name by which it is chosen.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line for `slosh list`.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// A palette between this one (`fraction` 0) and `other` (1), along straight lines in OKLab, under the name of the other. If
    /// only one of them has a background, it changes in the middle.
    pub fn towards(&self, other: &Self, fraction: f32) -> Self {
        let between = |a: LinearRgb, b: LinearRgb| from_oklab(mix(oklab(a), oklab(b), fraction));
        Self {
            optics: self.optics.scaled(1.0 - fraction).plus(other.optics.scaled(fraction)),
            name: other.name.clone(),
            about: other.about.clone(),
            table: self.table.iter().zip(&other.table).map(|(&a, &b)| between(a, b)).collect(),
            deep: between(self.deep, other.deep),
            foam: between(self.foam, other.foam),
            wall: between(self.wall, other.wall),
            temperatures: other.temperatures,
            background_low: if fraction < 0.5 { self.background_low } else { other.background_low },
            background: match (self.background, other.background) {
                (Some(a), Some(b)) => Some(Rgb::from_linear(between(a.linear(), b.linear()))),
                (a, _) if fraction < 0.5 => a,
                (_, b) => b,
            },
        }
    }

    /// The palette adapted to a background (see `distinct`).
    pub fn on(&self, background: Rgb) -> Self {
        if !is_very_light(background) {
            return self.clone();
        }
        let below = |color: LinearRgb| distinct(color, background);
        let table = self.table.iter().map(|&color| below(color)).collect();
        Self { table, foam: below(self.foam), wall: below(self.wall), ..self.clone() }
    }

    /// Returns the colours at eight positions, by channel.
    #[inline(always)]
    pub fn at_each(&self, places: [f32; 8]) -> [[f32; 8]; 3] {
        let mut colors = [[0.0; 8]; 3];
        for (lane, &place) in places.iter().enumerate() {
            let color = self.at(place);
            for channel in 0..3 {
                colors[channel][lane] = color[channel];
            }
        }
        colors
    }

    /// Returns the colour at a position from 0 to 1; beyond, that of the nearer end.
    #[inline(always)]
    pub fn at(&self, value: f32) -> LinearRgb {
        self.table[((value * STEPS as f32) as usize).min(STEPS - 1)]
    }
}

/// The colour adapted to a background. On a very light one, light colours are made darker: lightness L above the knee k is
/// compressed from k…1 to k…h, h being the highest that can be told from the background: L′ = L − (L − k) (1 − h) / (1 − k).
pub(super) fn distinct(color: LinearRgb, background: Rgb) -> LinearRgb {
    if !is_very_light(background) {
        return color;
    }
    let highest = background.oklab()[0] - MIN_CONTRAST;
    let knee = highest - KNEE;
    let [light, a, b] = oklab(color);
    // Gloss is lighter than white.
    let light = light.min(1.0);
    let lower = light - (light - knee) * (1.0 - highest) / (1.0 - knee);
    if light > knee { from_oklab([lower, a, b]) } else { color }
}

/// Whether palettes are adapted to a background.
pub(super) fn is_very_light(background: Rgb) -> bool {
    background.oklab()[0] >= 1.0 - MIN_CONTRAST
}

const STOPS: usize = 16;

fn write_stops<S: Serializer>(table: &[LinearRgb], serializer: S) -> Result<S::Ok, S::Error> {
    let stop = |nth: usize| Rgb::from_linear(table[nth * (STEPS - 1) / (STOPS - 1)]);
    serializer.collect_seq((0..STOPS).map(stop))
}

fn read_stops<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<[LinearRgb]>, D::Error> {
    let stops = Vec::<Rgb>::deserialize(deserializer)?;
    if (2..=STOPS).contains(&stops.len()) {
        Ok(interpolate(&stops))
    } else {
        Err(de::Error::invalid_length(stops.len(), &"2 to 16 stops"))
    }
}

/// Reads the temperatures at the first and the last stop, °C. The last may be the colder one.
fn temperatures(entry: &Entry) -> Result<[f32; 2], DataError> {
    let ends = entry.numbers(-273.0..=5000.0)?;
    if ends[0] == ends[1] {
        return Err(entry.error("must be two different temperatures, °C at the first stop and at the last"));
    }
    Ok(ends)
}

fn color(entry: &Entry) -> Result<Rgb, DataError> {
    let text = entry.text()?;
    text.parse().map_err(|_| entry.error(format_args!("must be a colour such as \"#1877c9\", not {text:?}")))
}

fn interpolate(stops: &[Rgb]) -> Box<[LinearRgb]> {
    let stops: Vec<_> = stops.iter().map(|stop| stop.oklab()).collect();
    let at = |step: usize| {
        let place = step as f32 / (STEPS - 1) as f32 * (stops.len() - 1) as f32;
        let from = (place as usize).min(stops.len() - 2);
        let share = place - from as f32;
        from_oklab(mix(stops[from], stops[from + 1], share))
    };
    (0..STEPS).map(at).collect()
}

/// Returns the embedded palettes; the first is the default.
pub fn embedded() -> &'static [Palette] {
    static PALETTES: OnceLock<Vec<Palette>> = OnceLock::new();
    PALETTES.get_or_init(|| Palette::read(EMBEDDED, "palettes.toml").expect("a test reads the embedded palettes"))
}

/// Returns the embedded palette of that name.
pub fn find(name: &str) -> Option<&'static Palette> {
    embedded().iter().find(|palette| palette.name == name)
}

/// The names of the embedded palettes, the default first.
pub fn names() -> Vec<&'static str> {
    embedded().iter().map(Palette::name).collect()
}

/// The colour of the label of a body, a cloth or a dye (see [`crate::sim::rigid::Material::label`]), if it is one: `#rrggbb`.
pub(super) fn label_color(label: Option<&str>) -> Option<LinearRgb> {
    label?.parse().ok().map(Rgb::linear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::color::{ColorDepth, xterm_rgb};

    #[test]
    fn every_embedded_palette_is_whole_and_named_once() {
        let palettes = Palette::read(EMBEDDED, "palettes.toml").unwrap();
        assert!(palettes.len() >= 10);
        for palette in &palettes {
            assert!(!palette.about.is_empty() && palette.table.len() == STEPS, "{}", palette.name);
            assert_eq!(names().iter().filter(|name| **name == palette.name).count(), 1, "{}", palette.name);
            assert_eq!(find(&palette.name), Some(palette));
        }
    }

    #[test]
    fn neighbouring_entries_look_alike() {
        for palette in embedded() {
            for pair in palette.table.windows(2) {
                let step = apart(pair[0], pair[1]);
                assert!(step < 0.02, "{} jumps by {step}", palette.name);
            }
        }
    }

    /// Returns a colour as eyes without one kind of cones see it (Viénot, Brettel & Mollon 1999, in linear light).
    fn seen_by(blind: [[f32; 3]; 3], [r, g, b]: LinearRgb) -> LinearRgb {
        blind.map(|row| (row[0] * r + row[1] * g + row[2] * b).clamp(0.0, 1.0))
    }

    const PROTAN: [[f32; 3]; 3] = [[0.112, 0.888, 0.0], [0.112, 0.888, 0.0], [0.004, -0.004, 1.0]];
    const DEUTAN: [[f32; 3]; 3] = [[0.293, 0.707, 0.0], [0.293, 0.707, 0.0], [-0.022, 0.022, 1.0]];
    const EVERYONE: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn apart(a: LinearRgb, b: LinearRgb) -> f32 {
        let (a, b) = (oklab(a), oklab(b));
        (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
    }

    #[test]
    fn colour_blind_safe_palettes_can_be_read_without_red_or_green() {
        let safe: Vec<&Palette> = embedded().iter().filter(|palette| palette.about.contains("colour-blind")).collect();
        assert!(safe.len() >= 4, "{}", safe.len());
        for palette in safe {
            for blind in [EVERYONE, PROTAN, DEUTAN] {
                let stops: Vec<LinearRgb> = (0..8).map(|nth| seen_by(blind, palette.at(nth as f32 / 7.0))).collect();
                for pair in stops.windows(2) {
                    assert!(apart(pair[0], pair[1]) > 0.05, "{}: {pair:?} look alike", palette.name);
                    assert!(oklab(pair[1])[0] > oklab(pair[0])[0], "{} does not grow lighter", palette.name);
                }
                assert!(apart(stops[0], stops[7]) > 0.45, "{}: its ends look alike", palette.name);
            }
        }
    }

    #[test]
    fn even_palettes_take_even_steps() {
        let even: Vec<&Palette> = embedded().iter().filter(|palette| palette.about.contains("even steps")).collect();
        assert!(even.len() >= 3, "{}", even.len());
        for palette in even {
            let steps: Vec<f32> =
                (0..16).map(|nth| apart(palette.at(nth as f32 / 16.0), palette.at((nth + 1) as f32 / 16.0))).collect();
            let (least, most) = (steps.iter().copied().fold(9.0, f32::min), steps.iter().copied().fold(0.0, f32::max));
            assert!(most < 2.0 * least, "{}: steps from {least} to {most}", palette.name);
        }
    }

    #[test]
    fn every_palette_stands_out_from_every_ground() {
        let grounds = ["#000000", "#1e1e2e", "#002b36", "#eeeeee", "#fdf6e3", "#ffffff"];
        for ground in grounds.map(|ground| ground.parse::<Rgb>().unwrap()) {
            for palette in embedded().iter().map(|palette| palette.on(ground)) {
                let off = |color: LinearRgb| apart(color, ground.linear());
                let liquid = (0..=16).map(|nth| off(palette.at(nth as f32 / 16.0))).chain([off(palette.foam)]);
                let (least, most) = (liquid.clone().fold(9.0, f32::min), liquid.fold(0.0, f32::max));
                // A crust, and liquid that no light reaches, may be as dark as the background, but no liquid may be as
                // light. The palette of a lamp's oil, which surrounds the wax, is dark throughout.
                let is_around = palette.name() == "lamp";
                let enough = if ground.oklab()[0] < 0.5 { most > 0.4 || is_around } else { least > 0.1 };
                assert!(enough, "{} on {ground}: {least} to {most} between them", palette.name);
                assert!(off(palette.wall) > 0.1, "the walls of {} on {ground}", palette.name);
                let lights = (0..=16).map(|nth| oklab(palette.at(nth as f32 / 16.0))[0]);
                let (least, most) = (lights.clone().fold(1.0, f32::min), lights.fold(0.0, f32::max));
                assert!(most > least + 0.05, "{} on {ground} has lost its shades", palette.name);
            }
            let water = find("water").unwrap();
            assert_eq!(water.on(ground).at(0.1), water.at(0.1), "what is dark stays as it is");
        }
    }

    #[test]
    fn a_palette_inherits_missing_keys() {
        let file = "[[palette]]\nname = \"night\"\ninherits = \"water\"\nbackground = \"#000010\"\n\
                    [[palette]]\nname = \"red night\"\ninherits = \"night\"\nstops = [\"#300000\", \"#ff0000\"]\n";
        let tree = Node::parse(file, "mine.toml").unwrap();
        let all = Palette::read_all(&tree.fields().unwrap().list("palette", 10).unwrap(), embedded()).unwrap();
        let water = find("water").unwrap();
        assert_eq!((all[0].at(0.3), all[0].foam, all[0].deep), (water.at(0.3), water.foam, water.deep));
        assert_eq!(all[1].background, Some(Rgb(0, 0, 16)), "from its parent");
        assert_eq!(all[1].wall, water.wall, "and from its parent's");
        assert_eq!(Rgb::from_linear(all[1].at(1.0)), Rgb(255, 0, 0), "its own");
        let refused = Palette::read("[[palette]]\nname = \"a\"\ninherits = \"watre\"\n", "mine.toml").unwrap_err();
        assert!(refused.to_string().contains("mine.toml:3"), "{refused}");
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

    /// Specks of the opposite hue, and greys among colours, are conspicuous.
    #[test]
    fn no_liquid_is_dithered_from_the_opposite_of_its_hue() {
        for palette in embedded() {
            for (depth, nth) in
                [ColorDepth::Ansi256, ColorDepth::Ansi16].into_iter().flat_map(|d| (0..16).map(move |n| (d, n)))
            {
                // The colour itself, and as at an edge, half of it over black.
                for share in [1.0, 0.5] {
                    let wanted = Rgb::from_linear(palette.at(nth as f32 / 15.0).map(|light| light * share));
                    let [_, a, b] = wanted.oklab();
                    for at in (0..16).map(|place| (place % 4, place / 4)) {
                        let got = xterm_rgb(depth.color(wanted, at), Rgb::BLACK);
                        let [l, x, y] = got.oklab();
                        // Black and white have no hue.
                        let opposite = a * x + b * y <= 0.0 && (0.05..0.95).contains(&l);
                        assert!(a.hypot(b) < 0.05 || !opposite, "{} {depth:?}: {wanted} gets {got}", palette.name());
                    }
                }
            }
        }
    }
}

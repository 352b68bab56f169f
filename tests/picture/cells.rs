//! The picture, from outside: worlds and texel blocks in, cells out.
#![cfg(feature = "raster")]

use crate::picture;
use fearless_simd::{Level, dispatch};
use glam::Vec2;
use proptest::prelude::*;
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use ratatui_core::symbols::pixel::{OCTANTS, SEXTANTS};
use slosh::cell::{ascii, braille, glyph_shape, wedge};
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::{World, WorldOptions};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::glyph::texel_block::{TEXELS, sqrt_linear};
use slosh::view::glyph::{ColorMode, FittedCell, GlyphFit, TexelBlock, fit_after};
use slosh::view::{
    Background, Camera, ColorBy, ColorDepth, GlyphMode, LightMode, LiquidStyle, Painter, RenderStyle, Rgb, palette,
    raster, reference_image,
};
use unicode_width::UnicodeWidthChar;

fn world(scene: &str, area: Rect, particles: usize, steps: usize) -> World {
    let scene = Scene::parse(scene::find(scene).unwrap(), scene).unwrap().world;
    let aspect = Camera::aspect(area, CELL_PIXELS);
    let mut world =
        World::new(&scene, &WorldOptions { particles: Some(particles), aspect, seed: 1, ..WorldOptions::default() });
    (0..steps).for_each(|_| world.step());
    world
}

/// A dam of the liquid that comes to rest fastest, after this many steps.
fn calm_dam(area: Rect, particles: usize, steps: usize) -> World {
    let text = "[fluid]\npreset = \"blob\"\n[[liquid]]\nbox = [0, 0, 0.4, 0.9]\n";
    let scene = Scene::parse(text, "calm").expect("a sound scene").world;
    let aspect = Camera::aspect(area, CELL_PIXELS);
    let mut world =
        World::new(&scene, &WorldOptions { particles: Some(particles), aspect, seed: 1, ..WorldOptions::default() });
    (0..steps).for_each(|_| world.step());
    world
}

/// Liquid in a box, given in fractions of the tank, before anything moves.
fn still(region: &str, area: Rect) -> World {
    let scene = Scene::parse(&format!("particles = 2000\n[[liquid]]\nbox = {region}\n"), "still").unwrap().world;
    World::new(&scene, &WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() })
}

fn paint(world: &World, look: &RenderStyle, area: Rect) -> Buffer {
    let mut buffer = Buffer::empty(area);
    Painter::default().paint(world, look, CELL_PIXELS, area, &mut buffer);
    buffer
}

fn mono(glyphs: GlyphMode) -> RenderStyle {
    RenderStyle { glyphs, depth: ColorDepth::Mono, ..RenderStyle::default() }
}

// ---- glyph tables ----

#[test]
fn octants_are_numbered_as_unicode_16_numbers_them() {
    // The patterns that already had a code point; all others follow from U+1CD00 in the order of their bits.
    let older = [
        (0b0000_0000, ' '),
        (0b0000_0001, '\u{1cea8}'),
        (0b0000_0010, '\u{1ceab}'),
        (0b0000_0011, '\u{1fb82}'),
        (0b0000_0101, '▘'),
        (0b0000_1010, '▝'),
        (0b0000_1111, '▀'),
        (0b0001_0100, '\u{1fbe6}'),
        (0b0010_1000, '\u{1fbe7}'),
        (0b0011_1111, '\u{1fb85}'),
        (0b0100_0000, '\u{1cea3}'),
        (0b0101_0000, '▖'),
        (0b0101_0101, '▌'),
        (0b0101_1010, '▞'),
        (0b0101_1111, '▛'),
        (0b1000_0000, '\u{1cea0}'),
        (0b1010_0000, '▗'),
        (0b1010_0101, '▚'),
        (0b1010_1010, '▐'),
        (0b1010_1111, '▜'),
        (0b1100_0000, '▂'),
        (0b1111_0000, '▄'),
        (0b1111_0101, '▙'),
        (0b1111_1010, '▟'),
        (0b1111_1100, '▆'),
        (0b1111_1111, '█'),
    ];
    let mut next = 0x1cd00;
    for (mask, octant) in OCTANTS.into_iter().enumerate() {
        let expected = match older.iter().find(|(pattern, _)| *pattern == mask) {
            Some((_, glyph)) => *glyph,
            None => {
                next += 1;
                char::from_u32(next - 1).unwrap()
            }
        };
        assert_eq!(octant, expected, "octants {mask:08b}");
    }
    assert_eq!(next - 1, 0x1cde5, "BLOCK OCTANT-2345678 is the last");
}

#[test]
fn sextants_are_consecutive_except_for_halves() {
    let mut next = 0x1fb00;
    for (mask, sextant) in SEXTANTS.into_iter().enumerate() {
        let expected = match mask {
            0 => ' ',
            0b01_01_01 => '▌',
            0b10_10_10 => '▐',
            0b11_11_11 => '█',
            _ => {
                next += 1;
                char::from_u32(next - 1).unwrap()
            }
        };
        assert_eq!(sextant, expected, "sextants {mask:06b}");
    }
    assert_eq!(next - 1, 0x1fb3b);
}

#[test]
fn braille_dots_are_where_they_are_drawn() {
    assert_eq!(braille::dots(0b00_00_00_01), '⠁');
    assert_eq!(braille::dots(0b00_00_00_10), '⠈');
    assert_eq!(braille::dots(0b11_00_00_00), '⣀');
    assert_eq!(braille::dots(0b01_01_01_01), '⡇');
    assert_eq!(braille::dots(0b11_11_11_11), '⣿');
}

#[test]
fn every_glyph_is_one_column_wide() {
    let mosaics = OCTANTS.into_iter().chain(SEXTANTS);
    let signs = (0..256).map(ascii::outline).chain((0..256).map(braille::dots));
    for glyph in mosaics.chain(signs).chain(wedge::all()).chain("•▀▄█▌▐▁▂▃▅▆▇▏▎▍▋▊▉▔▕░▒▓⢕%".chars())
    {
        assert_eq!(glyph.width(), Some(1), "{glyph:?} U+{:X}", u32::from(glyph));
    }
    assert!((0..256).all(|mask| ascii::outline(mask).is_ascii()));
}

#[test]
fn glyph_tables_and_raster_agree() {
    // The pixels of a mask are the parts that are set in it, whatever the source of the table.
    for (mask, octant) in OCTANTS.into_iter().enumerate() {
        for part in 0..8 {
            let (x, y) = (part % 2 * 4 + 2, part / 2 * 4 + 2);
            let lit = |glyph| raster::coverage(glyph, x, y) == 255;
            assert_eq!(lit(octant), mask >> part & 1 == 1, "octants {mask:08b} part {part}");
            assert_eq!(lit(braille::dots(mask)), mask >> part & 1 == 1, "dots {mask:08b} part {part}");
        }
    }
    for (mask, sextant) in SEXTANTS.into_iter().enumerate() {
        for part in 0..6 {
            let lit = raster::coverage(sextant, part % 2 * 4 + 2, [2, 8, 13][part / 2]) == 255;
            assert_eq!(lit, mask >> part & 1 == 1, "sextants {mask:06b} part {part}");
        }
    }
}

// ---- one cell ----

const GROUND: [f32; 3] = [0.0; 3];
const LIQUID: [f32; 3] = [0.1, 0.4, 0.9];

/// The centre of a texel, 0 to 1 across and down.
fn middle(x: usize, y: usize) -> (f32, f32) {
    ((x as f32 + 0.5) / TEXELS.0 as f32, (y as f32 + 0.5) / TEXELS.1 as f32)
}

/// A cell whose texels have these colours over a black background, and these fractions that are background.
fn block(texel: impl Fn(usize, usize) -> ([f32; 3], f32)) -> TexelBlock {
    let mut block = TexelBlock::uniform([0.0; 3], [0.0; 3], 1.0);
    for (x, y) in (0..TEXELS.0 * TEXELS.1).map(|number| (number % TEXELS.0, number / TEXELS.0)) {
        let (color, background) = texel(x, y);
        let [red, green, blue] = sqrt_linear(color);
        (0..4).for_each(|plane| block.planes[plane][y][x] = [red, green, blue, background][plane]);
    }
    block
}

fn fit(mode: GlyphMode, block: &TexelBlock, colors: ColorMode) -> FittedCell {
    dispatch!(Level::new(), simd => fit_after(simd, mode, block, colors, GlyphFit::BLANK)).cell
}

/// A cell that is liquid where `inside` is true, for positions from 0 to 1 across and down.
fn patch(inside: impl Fn(f32, f32) -> bool) -> TexelBlock {
    block(|x, y| {
        let (x, y) = middle(x, y);
        if inside(x, y) { (LIQUID, 0.0) } else { (GROUND, 1.0) }
    })
}

fn glyph(glyphs: GlyphMode, inside: impl Fn(f32, f32) -> bool) -> char {
    let patch = patch(inside);
    let (coloured, shape) = (
        fit(glyphs, &patch, ColorMode::OnBackground { tone: GROUND, color: None }),
        fit(glyphs, &patch, ColorMode::ShapeOnly),
    );
    assert_eq!(coloured.glyph, shape.glyph, "the shape is the same with and without colours");
    assert_eq!((shape.fg, shape.bg), (None, None));
    assert_eq!(coloured.fg.is_none(), coloured.glyph == ' ');
    coloured.glyph
}

#[test]
fn level_and_upright_edges_get_the_exact_glyph() {
    use GlyphMode::*;
    let half = |_: f32, y: f32| y > 0.5;
    assert_eq!([Octant, Quadrant, Half, Braille, Ascii].map(|mode| glyph(mode, half)), ['▄', '▄', '▄', '⣤', 'o']);
    for eighths in 1..=8 {
        let lower = "▁▂▃▄▅▆▇█".chars().nth(eighths - 1).unwrap();
        assert_eq!(glyph(Quadrant, |_, y| y > 1.0 - eighths as f32 / 8.0), lower);
        let left = "▏▎▍▌▋▊▉█".chars().nth(eighths - 1).unwrap();
        assert_eq!(glyph(Quadrant, |x, _| x < eighths as f32 / 8.0), left);
    }
    assert_eq!(glyph(Quadrant, |_, y| y < 0.125), '▔');
    assert_eq!(glyph(Quadrant, |x, _| x > 0.875), '▕');
    assert_eq!(glyph(Quadrant, |x, y| x < 0.5 || y > 0.5), '▙');
    assert_eq!(glyph(Sextant, |_, y| y > 2.0 / 3.0), '🬭');
    assert_eq!(glyph(Octant, |_, y| y > 0.75), '▂');
    assert_eq!(glyph(Octant, |x, y| x > 0.5 && y < 0.25), '\u{1ceab}');
    assert_eq!(glyph(Half, |_, y| y < 0.5), '▀');
    assert_eq!(glyph(Braille, |x, y| x < 0.5 && y < 0.5), '⠃');
}

#[test]
fn ascii_draws_the_outline() {
    let rising = |x: f32, y: f32| y > 1.0 - x;
    let falling = |x: f32, y: f32| y > x;
    assert_eq!(glyph(GlyphMode::Ascii, rising), '/');
    assert_eq!(glyph(GlyphMode::Ascii, falling), '\\');
    assert_eq!(glyph(GlyphMode::Ascii, |_, y| y > 0.75), '_');
    assert_eq!(glyph(GlyphMode::Ascii, |x, _| x > 0.5), '|');
    assert_eq!(glyph(GlyphMode::Ascii, |_, y| (0.25..0.5).contains(&y)), '-');
    assert_eq!(glyph(GlyphMode::Ascii, |x, y| x < 0.5 && y > 0.75), '.');
    assert_eq!(glyph(GlyphMode::Ascii, |x, y| x < 0.5 && y < 0.25), '\'');
}

#[test]
fn an_empty_cell_is_blank_and_a_full_one_has_no_seam() {
    for mode in GlyphMode::ALL {
        assert_eq!(
            fit(mode, &patch(|_, _| false), ColorMode::OnBackground { tone: GROUND, color: None }),
            FittedCell::BLANK
        );
        let full = fit(mode, &patch(|_, _| true), ColorMode::OnBackground { tone: GROUND, color: None });
        assert_eq!(full.fg, Some(Rgb::from_linear(LIQUID)), "{mode}");
        if !matches!(mode, GlyphMode::Braille | GlyphMode::Ascii) {
            assert_eq!((full.glyph, full.bg), ('█', full.fg), "{mode}");
        }
    }
}

#[test]
fn two_liquids_in_a_cell_get_both_colours() {
    for mode in [GlyphMode::Wedge, GlyphMode::Octant, GlyphMode::Sextant, GlyphMode::Quadrant, GlyphMode::Half] {
        let red = [0.9, 0.2, 0.1];
        let patch = block(|_, y| if y < TEXELS.1 / 2 { (red, 0.0) } else { (LIQUID, 0.0) });
        let mark = fit(mode, &patch, ColorMode::TwoColors);
        let mut colours = [mark.fg.unwrap(), mark.bg.unwrap()];
        colours.sort_by_key(|rgb| rgb.0);
        assert_eq!(colours, [Rgb::from_linear(LIQUID), Rgb::from_linear(red)], "{mode}: {mark:?}");
    }
}

/// The corners of a cell and the points between them, by the names in Unicode's names of wedges.
fn point(name: &str) -> (f32, f32) {
    let down = match name {
        _ if name.starts_with("UPPER MIDDLE") => 1.0 / 3.0,
        _ if name.starts_with("LOWER MIDDLE") => 2.0 / 3.0,
        _ if name.starts_with("UPPER") => 0.0,
        _ => 1.0,
    };
    let across = if name.ends_with("LEFT") {
        0.0
    } else if name.ends_with("CENTRE") {
        0.5
    } else {
        1.0
    };
    (across, down)
}

/// Unicode 13's names of U+1FB3C–U+1FB51: "LOWER LEFT BLOCK DIAGONAL …". U+1FB52–U+1FB67 have the same diagonals, and
/// "UPPER RIGHT" for "LOWER LEFT", "UPPER LEFT" for "LOWER RIGHT".
const DIAGONALS: [&str; 22] = [
    "LOWER LEFT: LOWER MIDDLE LEFT TO LOWER CENTRE",
    "LOWER LEFT: LOWER MIDDLE LEFT TO LOWER RIGHT",
    "LOWER LEFT: UPPER MIDDLE LEFT TO LOWER CENTRE",
    "LOWER LEFT: UPPER MIDDLE LEFT TO LOWER RIGHT",
    "LOWER LEFT: UPPER LEFT TO LOWER CENTRE",
    "LOWER RIGHT: UPPER MIDDLE LEFT TO UPPER CENTRE",
    "LOWER RIGHT: UPPER MIDDLE LEFT TO UPPER RIGHT",
    "LOWER RIGHT: LOWER MIDDLE LEFT TO UPPER CENTRE",
    "LOWER RIGHT: LOWER MIDDLE LEFT TO UPPER RIGHT",
    "LOWER RIGHT: LOWER LEFT TO UPPER CENTRE",
    "LOWER RIGHT: LOWER MIDDLE LEFT TO UPPER MIDDLE RIGHT",
    "LOWER RIGHT: LOWER CENTRE TO LOWER MIDDLE RIGHT",
    "LOWER RIGHT: LOWER LEFT TO LOWER MIDDLE RIGHT",
    "LOWER RIGHT: LOWER CENTRE TO UPPER MIDDLE RIGHT",
    "LOWER RIGHT: LOWER LEFT TO UPPER MIDDLE RIGHT",
    "LOWER RIGHT: LOWER CENTRE TO UPPER RIGHT",
    "LOWER LEFT: UPPER CENTRE TO UPPER MIDDLE RIGHT",
    "LOWER LEFT: UPPER LEFT TO UPPER MIDDLE RIGHT",
    "LOWER LEFT: UPPER CENTRE TO LOWER MIDDLE RIGHT",
    "LOWER LEFT: UPPER LEFT TO LOWER MIDDLE RIGHT",
    "LOWER LEFT: UPPER CENTRE TO LOWER RIGHT",
    "LOWER LEFT: UPPER MIDDLE LEFT TO LOWER MIDDLE RIGHT",
];

/// The side of the line from `a` to `b` on which a point lies.
fn side(a: (f32, f32), b: (f32, f32), (x, y): (f32, f32)) -> bool {
    (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0) > 0.0
}

#[test]
fn wedges_are_cut_as_their_names_say() {
    for (number, name) in DIAGONALS.iter().enumerate() {
        let (corner, ends) = name.split_once(": ").unwrap();
        let (from, to) = ends.split_once(" TO ").unwrap();
        let (from, to) = (point(from), point(to));
        for (x, y) in (0..TEXELS.0).flat_map(|x| (0..TEXELS.1).map(move |y| (x, y))) {
            // The covered side is that of the corner that the name begins with; corners on the line itself do not
            // occur.
            let covered = side(from, to, middle(x, y)) == side(from, to, point(corner));
            let drawn = [wedge::all()[number], wedge::all()[number + 22]]
                .map(|glyph| glyph_shape::pixels(glyph).unwrap()[y][x]);
            let near = (drawn[0].min(drawn[1])) > 40;
            assert!(near || (drawn[0] > 127) == covered, "{name} at {x}, {y}: {drawn:?}");
            assert_eq!(drawn[0].saturating_add(drawn[1]), 255, "{name} and its inverse at {x}, {y}");
        }
    }
    // A three-quarter glyph lacks the quarter whose name is that of the fourth side.
    let quarters = ["left", "upper", "right", "lower"].into_iter().zip([(1, 8), (4, 1), (6, 8), (4, 14)]);
    for (number, (side, (x, y))) in quarters.enumerate() {
        let drawn = [44 + number, 48 + number].map(|number| glyph_shape::pixels(wedge::all()[number]).unwrap()[y][x]);
        assert_eq!(drawn, [0, 255], "all but, and only, the {side} quarter");
    }
}

#[test]
fn slanted_edges_get_the_exact_wedge() {
    assert_eq!(glyph(GlyphMode::Wedge, |x, y| y > 2.0 / 3.0 - x / 3.0), '\u{1fb46}');
    assert_eq!(glyph(GlyphMode::Wedge, |x, y| y <= 2.0 / 3.0 * (1.0 - x)), '\u{1fb5a}');
    assert_eq!(glyph(GlyphMode::Wedge, |x, y| y > 2.0 / 3.0 && x < 2.0), '🬭');
}

/// An octant's eight parts in random tones between two, and the error of any division of them.
fn octant_case(seed: u64) -> (TexelBlock, impl Fn(usize) -> f32) {
    let mut random = fastrand::Rng::with_seed(seed);
    let ends: [[f32; 3]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.f32()));
    let parts: [[f32; 3]; 8] = std::array::from_fn(|_| {
        let share = random.f32();
        std::array::from_fn(|c| ends[0][c] + (ends[1][c] - ends[0][c]) * share + 0.05 * random.f32())
    });
    // Errors are computed on tones, the square roots of light.
    let patch = block(|x, y| (parts[y / 4 * 2 + x / 4].map(|tone| tone * tone), 0.0));
    let error = move |mask: usize| {
        let set = |lit: usize| parts.iter().enumerate().filter(move |(n, _)| mask >> n & 1 == lit).map(|(_, p)| *p);
        let spread = |lit: usize| {
            let count = set(lit).count().max(1) as f32;
            let mean: [f32; 3] = std::array::from_fn(|c| set(lit).map(|p| p[c]).sum::<f32>() / count);
            set(lit).map(|p| (0..3).map(|c| (p[c] - mean[c]).powi(2)).sum::<f32>()).sum::<f32>()
        };
        spread(0) + spread(1)
    };
    (patch, error)
}

/// Compared with all divisions, the split along one axis loses little, even for eight independent parts, which pictures
/// do not have.
#[test]
fn the_octant_fit_is_nearly_the_best_of_all() {
    let (mut ours, mut least) = (0.0, 0.0);
    for seed in 0..1000 {
        let (patch, error) = octant_case(seed);
        let glyph = fit(GlyphMode::Octant, &patch, ColorMode::TwoColors).glyph;
        let chosen = error((0..256).find(|&mask| OCTANTS[mask] == glyph).unwrap());
        let best = (0..256).map(&error).fold(f32::INFINITY, f32::min);
        assert!(chosen <= 1.5 * best + 0.15, "{chosen} against {best} with seed {seed}");
        (ours, least) = (ours + chosen, least + best);
    }
    assert!(ours <= 1.1 * least, "{ours} against {least} in all");
}

// ---- whole pictures ----

#[test]
fn a_block_of_liquid_is_a_block_in_every_mode() {
    let area = Rect::new(0, 0, 12, 4);
    // Two rows of four cells, in the middle of twelve by four; slightly smaller, because the surface lies outside of
    // the particles.
    let world = still("[0.34, 0.26, 0.66, 0.74]", area);
    let picture = |glyphs| picture::text(&paint(&world, &mono(glyphs), area));
    // Corners are rounded as far as the glyphs can show it. The rows of the lattice end differently, so there is one
    // more glyph at the left.
    let expected = [
        (GlyphMode::Octant, ["    𜷥██𜷤    ", "    𜶫███    "]),
        (GlyphMode::Sextant, ["    ▇██▇    ", "    ████    "]),
        (GlyphMode::Quadrant, ["    ▇██▇    ", "    ████    "]),
        (GlyphMode::Half, ["    ████    ", "    ████    "]),
        (GlyphMode::Braille, ["    ⣾⣿⣿⣷    ", "    ⢿⣿⣿⣿    "]),
        (GlyphMode::Ascii, ["    /##\\    ", "    ?***    "]),
    ];
    let expected = expected.map(|(glyphs, [upper, lower])| {
        (glyphs, ["            ", upper, lower, "            "].map(str::to_owned).to_vec())
    });
    assert_eq!(expected.clone().map(|(glyphs, _)| (glyphs, picture(glyphs))), expected);
}

#[test]
fn half_filled_cells_show_in_every_mode() {
    let area = Rect::new(0, 0, 10, 4);
    let world = still("[0.0, 0.0, 1.0, 0.375]", area);
    let surface = |glyphs| picture::text(&paint(&world, &mono(glyphs), area))[2].chars().nth(4).unwrap();
    let expected = [
        (GlyphMode::Octant, "▄"),
        (GlyphMode::Wedge, "▃▄▅"),
        (GlyphMode::Sextant, "▃▄▅"),
        (GlyphMode::Quadrant, "▃▄▅"),
        (GlyphMode::Half, "▄"),
        (GlyphMode::Braille, "⣤"),
        (GlyphMode::Ascii, "o"),
    ];
    for (glyphs, any) in expected {
        let found = surface(glyphs);
        assert!(any.contains(found), "{glyphs} shows {found}");
    }
}

#[test]
fn the_same_world_gives_the_same_cells() {
    let area = Rect::new(0, 0, 60, 20);
    let world = world("dam", area, 1000, 40);
    for glyphs in GlyphMode::ALL {
        let look = RenderStyle { glyphs, ..RenderStyle::default() };
        let mut painter = Painter::default();
        let mut first = Buffer::empty(area);
        painter.paint(&world, &look, CELL_PIXELS, area, &mut first);
        let mut again = Buffer::filled(area, {
            let mut cell = ratatui_core::buffer::Cell::new("x");
            cell.modifier = Modifier::BOLD;
            cell
        });
        painter.paint(&world, &look, CELL_PIXELS, area, &mut again);
        assert_eq!(
            first, again,
            "{glyphs}: the same world again is the same picture, and nothing is left of what was there"
        );
        assert_eq!(picture::hash(&first), picture::hash(&paint(&world, &look, area)), "{glyphs}");
    }
}

#[test]
fn a_plate_thinner_than_a_sample_is_drawn_all_along() {
    for (columns, rows) in [(40, 12), (80, 24), (81, 25)] {
        let area = Rect::new(0, 0, columns, rows);
        let text = "tank = { area = 1, aspect = 1.5 }\nsmoke = {}\nobstacle = [\n\
            { box = [0.3, -0.1, 0.302, 1.1] },\n\
            { capsule = { from = [0.5, -0.1], to = [0.9, 1.1], radius = 0.001 } },\n]\n";
        let scene = Scene::parse(text, "plates").unwrap().world;
        let world =
            World::new(&scene, &WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..Default::default() });
        let buffer = paint(&world, &mono(GlyphMode::Quadrant), area);
        for (y, row) in picture::text(&buffer).iter().enumerate() {
            let runs = row.split(' ').filter(|run| !run.is_empty()).count();
            assert!(runs >= 2, "{columns}x{rows}, row {y}: {row:?}");
        }
    }
}

#[test]
fn a_painter_shows_the_walls_of_the_world_that_it_paints() {
    let area = Rect::new(0, 0, 60, 20);
    let with_block = |region: &str| {
        let text = format!("particles = 800\n[[liquid]]\nbox = [0, 0, 1, 0.2]\n[[obstacle]]\nbox = {region}\n");
        let scene = Scene::parse(&text, "block").unwrap().world;
        World::new(&scene, &WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() })
    };
    let (left, right) = (with_block("[0.1, 0.5, 0.3, 0.7]"), with_block("[0.7, 0.5, 0.9, 0.7]"));
    let mut painter = Painter::default();
    let look = RenderStyle::default();
    painter.paint(&left, &look, CELL_PIXELS, area, &mut Buffer::empty(area));
    let mut buffer = Buffer::empty(area);
    painter.paint(&right, &look, CELL_PIXELS, area, &mut buffer);
    assert_eq!(buffer, paint(&right, &look, area));
}

#[test]
fn mono_has_no_colours_and_shows_liquid_and_walls() {
    let area = Rect::new(0, 0, 80, 24);
    let world = world("pegs", area, 800, 60);
    for glyphs in GlyphMode::ALL {
        let buffer = paint(&world, &mono(glyphs), area);
        assert!(buffer.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset), "{glyphs}");
        let signs: String = picture::text(&buffer).concat();
        let wall = match glyphs {
            GlyphMode::Ascii => '%',
            GlyphMode::Braille => '⢕',
            _ => '░',
        };
        assert!(signs.contains(wall), "{glyphs} shows the pegs");
        let wet = signs.chars().filter(|sign| *sign != ' ' && *sign != wall).count();
        assert!(wet > 60, "{glyphs} shows {wet} cells of liquid");
        if glyphs == GlyphMode::Ascii {
            assert!(signs.is_ascii());
        }
    }
}

/// Without colours the folds of a cloth are shades of its characters.
#[test]
fn mono_shows_the_folds_of_a_cloth() {
    let area = Rect::new(0, 0, 80, 24);
    let world = world("curtain", area, 0, 120);
    for glyphs in [GlyphMode::Quadrant, GlyphMode::Ascii] {
        let buffer = paint(&world, &mono(glyphs), area);
        let mut counts = std::collections::BTreeMap::new();
        buffer.content.iter().for_each(|cell| *counts.entry(cell.symbol().to_owned()).or_insert(0) += 1);
        let often = counts.iter().filter(|(sign, count)| *sign != " " && **count > 100).count();
        assert!(often >= 2, "{glyphs}: {counts:?}");
    }
}

#[test]
fn colours_keep_to_their_depth() {
    let area = Rect::new(0, 0, 40, 12);
    let world = world("dam", area, 600, 30);
    for depth in [ColorDepth::Ansi16, ColorDepth::Ansi256] {
        let buffer = paint(&world, &RenderStyle { depth, ..RenderStyle::default() }, area);
        let within = |color| match color {
            Color::Reset => true,
            Color::Indexed(index) => (index < 16) == (depth == ColorDepth::Ansi16),
            _ => false,
        };
        assert!(buffer.content.iter().all(|cell| within(cell.fg) && within(cell.bg)), "{depth:?}");
        assert!(buffer.content.iter().any(|cell| cell.fg != Color::Reset), "{depth:?} shows something");
    }
}

#[test]
fn the_terminals_background_is_kept_unless_one_is_set() {
    let area = Rect::new(0, 0, 40, 12);
    let world = still("[0.0, 0.0, 0.5, 0.5]", area);
    let corner = |background, palette: &str| {
        let palette = palette::find(palette).unwrap().clone();
        paint(&world, &RenderStyle { background, palette, ..RenderStyle::default() }, area)[(39, 0)].bg
    };
    assert_eq!(corner(Background::Palette(Some(Rgb::WHITE)), "water"), Color::Reset);
    assert_eq!(corner(Background::Terminal(Rgb::WHITE), "paper"), Color::Reset);
    assert_eq!(corner(Background::Painted(Rgb(1, 2, 3)), "water"), Color::Rgb(1, 2, 3));
    let paper = palette::find("paper").unwrap().background.unwrap();
    assert_eq!(corner(Background::Palette(Some(Rgb::BLACK)), "paper"), Color::Rgb(paper.0, paper.1, paper.2));
}

#[test]
fn an_inlet_with_a_palette_colours_what_it_pours() {
    let area = Rect::new(0, 0, 40, 16);
    let red = |palette: &str| {
        let text = format!(
            "particles = 1500\n[[liquid]]\nbox = [0, 0, 1, 0.4]\n[[outlet]]\nbox = [0, 0, 1, 0.2]\nrate = 2\n\
             [[inlet]]\nat = [0.5, 0.9]\ntoward = [0, -1]\nwidth = 0.2\nspeed = 1.5\n{palette}\n"
        );
        let scene = Scene::parse(&text, "inlet").unwrap().world;
        let aspect = Camera::aspect(area, CELL_PIXELS);
        let mut world = World::new(&scene, &WorldOptions { aspect, ..WorldOptions::default() });
        (0..90).for_each(|_| world.step());
        let is_red = |color| matches!(color, Color::Rgb(red, _, blue) if red > blue);
        let buffer = paint(&world, &RenderStyle::default(), area);
        buffer.content.iter().filter(|cell| is_red(cell.fg) || is_red(cell.bg)).count()
    };
    let [own, named, none] = ["palette = \"lava\"", "fluid = \"water\"\npalette = \"lava\"", ""].map(red);
    assert!(own > 20 && own == named && none == 0, "{own}, {named} with a fluid, {none} without a palette");
}

/// Letters and dots draw the outline on any background. With two free colours they drew boxes around the liquid.
#[test]
fn signs_look_the_same_on_any_background() {
    let area = Rect::new(0, 0, 60, 18);
    let world = calm_dam(area, 1200, 55);
    for glyphs in [GlyphMode::Ascii, GlyphMode::Braille] {
        let on = |background| paint(&world, &RenderStyle { glyphs, background, ..RenderStyle::default() }, area);
        let lent = on(Background::Terminal(Rgb::BLACK));
        for ground in [Rgb::BLACK, Rgb(32, 48, 64), Rgb::WHITE] {
            let painted = on(Background::Painted(ground));
            assert_eq!(picture::text(&painted), picture::text(&lent), "{glyphs} on {ground}");
            for (painted, lent) in painted.content.iter().zip(&lent.content) {
                let bare = painted.bg == Color::Rgb(ground.0, ground.1, ground.2);
                assert_eq!(bare, lent.bg == Color::Reset, "{glyphs} on {ground}: {painted:?} {lent:?}");
            }
        }
        assert!(lent.content.iter().all(|cell| cell.symbol() == " " || cell.fg != cell.bg), "{glyphs}: a box");
        // The thin cells towards the tip of the wave look like their neighbours.
        let (mut shallow, mut deep) = (0, 0);
        for cell in lent.content.iter().filter(|cell| cell.symbol() != " ") {
            *(if cell.bg == Color::Reset { &mut shallow } else { &mut deep }) += 1;
        }
        assert!(shallow > 20 && deep > 200, "{glyphs}: {shallow} cells on bare ground, {deep} with a body");
    }
}

/// A painted background has one colour, up to the edge of the liquid.
#[test]
fn few_colours_leave_the_background_uniform() {
    let area = Rect::new(0, 0, 60, 18);
    let world = world("dam", area, 1200, 55);
    for (depth, glyphs) in [ColorDepth::Ansi256, ColorDepth::Ansi16].map(|d| GlyphMode::ALL.map(|g| (d, g))).concat() {
        let look = RenderStyle {
            depth,
            glyphs,
            background: Background::Painted(Rgb(0x10, 0x18, 0x28)),
            ..RenderStyle::default()
        };
        let buffer = paint(&world, &look, area);
        let (ground, lines) = (buffer[(30, 0)].bg, picture::text(&buffer));
        let blank = lines.iter().flat_map(|line| line.chars()).zip(&buffer.content).filter(|(glyph, _)| *glyph == ' ');
        assert!(blank.clone().count() > 300 && ground != Color::Reset);
        for (_, cell) in blank {
            assert_eq!(cell.bg, ground, "{depth:?} {glyphs}");
        }
    }
}

#[test]
fn every_quantity_and_palette_colours_the_splash_differently() {
    let area = Rect::new(0, 0, 40, 12);
    // No single tank has all quantities.
    let mut shown = Vec::new();
    for name in ["dam", "sph-splash", "ink", "lava-lamp"] {
        let world = world(name, area, 1000, 40);
        let drives = ColorBy::ALL.into_iter().filter(|drive| drive.is_in(&world));
        let pictures: Vec<_> = drives
            .map(|drive| {
                (drive, picture::hash(&paint(&world, &RenderStyle { color_by: drive, ..RenderStyle::default() }, area)))
            })
            .collect();
        for (number, (drive, picture)) in pictures.iter().enumerate() {
            let twin = pictures[..number].iter().find(|(_, other)| other == picture);
            assert_eq!(twin, None, "{name} by {}", drive.name());
        }
        shown.extend(pictures.iter().map(|(drive, _)| drive.name()));
    }
    for drive in ColorBy::ALL {
        assert!(shown.contains(&drive.name()), "no tank has {}", drive.name());
    }
    let world = world("dam", area, 1000, 40);
    let mut palettes: Vec<u64> = palette::embedded()
        .iter()
        .map(|palette| {
            picture::hash(&paint(&world, &RenderStyle { palette: palette.clone(), ..RenderStyle::default() }, area))
        })
        .collect();
    palettes.sort_unstable();
    palettes.dedup();
    assert_eq!(palettes.len(), palette::embedded().len());
}

/// An upright wall ends beyond the window, at a level one, and in water, where a slanted glyph would be a bite out of it.
#[test]
fn straight_walls_have_straight_edges() {
    let area = Rect::new(0, 0, 40, 12);
    let look = RenderStyle { glyphs: GlyphMode::Wedge, ..RenderStyle::default() };
    for place in 0..12 {
        let left = 0.5 + 0.004 * f64::from(place);
        let text = format!(
            "particles = 500\n[[liquid]]\nbox = [0, 0, 1, 0.4]\n[[obstacle]]\nbox = [{left}, -0.1, {}, 1.1]\n[[obstacle]]\nbox = [-0.1, 0.7, {left}, 0.75]\n",
            left + 0.05
        );
        let scene = Scene::parse(&text, "wall").expect("a sound scene").world;
        let aspect = Camera::aspect(area, CELL_PIXELS);
        let frame = paint(&World::new(&scene, &WorldOptions { aspect, ..WorldOptions::default() }), &look, area);
        let column = |x: u16| (0..area.height).map(|y| frame[(x, y)].symbol()).collect::<String>();
        for x in (left * 40.0) as u16..=((left + 0.05) * 40.0 - 0.1) as u16 {
            assert!(!column(x).contains(wedge::all()), "{place}, {x}: {}", column(x));
        }
    }
}

// ---- what makes it look like water ----

#[test]
fn settled_water_is_one_body_with_a_level_top_that_stays() {
    let area = Rect::new(0, 0, 80, 24);
    let mut world = calm_dam(area, 1000, 900);
    let picture = picture::text(&paint(&world, &mono(GlyphMode::Quadrant), area));
    let solid = |row: usize| picture[row].chars().all(|glyph| "█▓▒".contains(glyph));
    let top = (0..24).find(|&row| !picture[row].trim().is_empty()).unwrap();
    let first_solid = (0..24).find(|&row| solid(row)).unwrap();
    assert!(first_solid - top <= 2, "the surface spans rows {top} to {first_solid}");
    assert!((first_solid..24).all(solid), "no hole below the surface:\n{}", picture.join("\n"));

    let before = paint(&world, &RenderStyle::default(), area);
    world.step();
    let after = paint(&world, &RenderStyle::default(), area);
    let (before, after) = (raster::rasterize(&before), raster::rasterize(&after));
    let changed = before.rgb.iter().zip(&after.rgb).filter(|(a, b)| a.abs_diff(**b) > 16).count();
    assert!(changed * 500 < before.rgb.len(), "{changed} of {} bytes changed in a step at rest", before.rgb.len());
}

/// Mean squared error of a frame against the ideal picture, in code values.
fn error(frame: &Buffer, world: &World, look: &RenderStyle) -> f64 {
    let (shown, ideal) =
        (raster::rasterize(frame), reference_image::paint_reference(world, None, look, CELL_PIXELS, frame.area));
    let squares = shown.rgb.iter().zip(&ideal.rgb).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
    squares.sum::<f64>() / shown.rgb.len() as f64
}

/// Water that is nearly at rest and trembles: a painter with a memory keeps its cells where one without chooses anew,
/// with hardly more error.
#[test]
fn a_still_surface_does_not_twinkle() {
    let area = Rect::new(0, 0, 80, 24);
    let nearly_at_rest = calm_dam(area, 1000, 700);
    for glyphs in [GlyphMode::Wedge, GlyphMode::Quadrant, GlyphMode::Braille, GlyphMode::Ascii] {
        let look = RenderStyle { glyphs, ..RenderStyle::default() };
        let mut world = nearly_at_rest.clone();
        let mut painter = Painter::default();
        let mut frames = [Buffer::empty(area), Buffer::empty(area)];
        let (mut changes, mut errors) = ([0, 0], [0.0, 0.0]);
        for number in 0..30 {
            world.wake();
            world.step();
            let mut next = [Buffer::empty(area), paint(&world, &look, area)];
            painter.paint(&world, &look, CELL_PIXELS, area, &mut next[0]);
            for which in [0, 1] {
                let changed = next[which].content.iter().zip(&frames[which].content).filter(|(a, b)| a != b).count();
                changes[which] += if number > 0 { changed } else { 0 };
                errors[which] += if number % 10 == 9 { error(&next[which], &world, &look) } else { 0.0 };
            }
            frames = next;
        }
        let loss = 10.0 * (errors[0] / errors[1]).log10();
        eprintln!("{glyphs}: {changes:?} cells changed in 29 frames, {loss:.3} dB lost");
        assert!(
            changes[0] * 4 < changes[1],
            "{glyphs}: {changes:?} cells changed in 29 frames, with and without memory"
        );
        assert!(loss < 0.5, "{glyphs}: {loss} dB lost by keeping still");
    }
}

/// Number of cells that change and return within a fifth of a second, in two seconds of a splash at 30 frames per
/// second.
fn cells_that_twinkle(scene: &str, light: LightMode) -> usize {
    /// Frames in a fifth of a second.
    const SHORT: usize = 6;
    let area = Rect::new(0, 0, 80, 24);
    let look = RenderStyle { light, ..RenderStyle::default() };
    let scene = Scene::parse(scene::find(scene).unwrap(), scene).unwrap().world;
    let options = WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() };
    let mut world = World::new(&scene, &options);
    let mut painter = Painter::default();
    let mut frames: Vec<Vec<Cell>> = Vec::new();
    let mut twinkles = 0;
    for _ in 0..60 {
        (0..2).for_each(|_| world.step());
        let mut frame = Buffer::empty(area);
        painter.paint(&world, &look, CELL_PIXELS, area, &mut frame);
        if let Some(before) = frames.last() {
            let changed = (0..before.len()).filter(|&cell| frame.content[cell] != before[cell]);
            let earlier = &frames[frames.len().saturating_sub(SHORT)..frames.len() - 1];
            twinkles += changed.filter(|&cell| earlier.iter().any(|old| old[cell] == frame.content[cell])).count();
        }
        frames.push(frame.content);
    }
    twinkles
}

/// Light and foam add moving detail, and little flicker.
#[test]
fn light_hardly_makes_a_splash_twinkle_more() {
    for scene in ["dam", "fountain"] {
        let [flat, full] = [LightMode::FLAT, LightMode::FULL].map(|light| cells_that_twinkle(scene, light));
        eprintln!("{scene}: {flat} cells twinkle in flat light, {full} in full light");
        assert!(flat > 100, "{scene}: the measure detects {flat} cells that change and change back");
        assert!(full * 100 < flat * 115, "{scene}: {full} cells twinkle in full light, {flat} in flat light");
    }
}

/// Pixels in a sample of the field, across and down alike.
const PIXELS: f32 = 4.0;

/// A drop has the same brightness wherever it lies between the parts of cells: over ten frames of its flight, 30 a second, the
/// standard deviation is a small part of the mean.
#[test]
fn drops_in_free_flight_keep_their_brightness() {
    let area = Rect::new(0, 0, 80, 24);
    let options = WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), seed: 1, ..WorldOptions::default() };
    for glyphs in [GlyphMode::Wedge, GlyphMode::Quadrant] {
        let look = RenderStyle { glyphs, ..RenderStyle::default() };
        let mut variations = Vec::new();
        for thrown in 0..12 {
            let (x, up) = (0.2 + 0.013 * f64::from(thrown), 0.4 + 0.11 * f64::from(thrown));
            let text =
                format!("particles = 1\n[[liquid]]\nbox = [{x}, 0.6, {}, 0.61]\nvelocity = [0.83, {up}]\n", x + 0.01);
            let mut world = World::new(&Scene::parse(&text, "thrown").unwrap().world, &options);
            let mut painter = Painter::default();
            let sums: Vec<f64> = (0..10)
                .map(|_| {
                    (0..2).for_each(|_| world.step());
                    let mut frame = Buffer::empty(area);
                    painter.paint(&world, &look, CELL_PIXELS, area, &mut frame);
                    raster::rasterize(&frame).rgb.iter().map(|v| f64::from(*v)).sum()
                })
                .collect();
            let mean = sums.iter().sum::<f64>() / sums.len() as f64;
            let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / sums.len() as f64;
            assert!(mean > 0.0, "{glyphs}: drop {thrown} shows");
            variations.push(variance.sqrt() / mean);
        }
        let mean = variations.iter().sum::<f64>() / variations.len() as f64;
        eprintln!("{glyphs}: {mean:.3}, {variations:.3?}");
        assert!(mean <= 0.15, "{glyphs}: {mean:.3}");
    }
}

/// Swinging water, where its surface moves by less than a sample in a second: no cell changes its glyph twice.
#[test]
fn a_slow_surface_changes_a_cell_once_a_second() {
    let area = Rect::new(0, 0, 80, 24);
    let options = WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), seed: 1, ..WorldOptions::default() };
    let mut scene = Scene::parse(scene::find("seiche").unwrap(), "seiche").unwrap().world;
    scene.mark.clear();
    let mut world = World::new(&scene, &options);
    (0..1620).for_each(|_| world.step());
    let looks = [GlyphMode::Wedge, GlyphMode::Quadrant].map(|glyphs| RenderStyle { glyphs, ..RenderStyle::default() });
    let mut painters = [Painter::default(), Painter::default()];
    let mut frames = [Vec::new(), Vec::new()];
    let mut heights: Vec<Vec<usize>> = Vec::new();
    for number in 0..90 {
        world.step();
        for ((look, painter), frames) in looks.iter().zip(&mut painters).zip(&mut frames) {
            let mut frame = Buffer::empty(area);
            painter.paint(&world, look, CELL_PIXELS, area, &mut frame);
            frames.push(frame);
        }
        if number >= 20 && number % 10 == 0 {
            let flat = RenderStyle { light: LightMode::FLAT, ..RenderStyle::default() };
            let ideal = reference_image::paint_reference(&world, None, &flat, CELL_PIXELS, area);
            let wet = |x: usize| (0..ideal.height).filter(|y| ideal.rgb[3 * (y * ideal.width + x) + 2] > 60).count();
            heights.push((0..ideal.width).map(wet).collect());
        }
    }
    // The surface in a column of cells, if none of its pixels moves by a sample, in pixels from the bottom.
    let slow = |column: usize| {
        let pixels = 8 * column..8 * column + 8;
        let range = |x: usize| {
            (heights.iter().map(|row| row[x]).min().unwrap(), heights.iter().map(|row| row[x]).max().unwrap())
        };
        let is_slow =
            pixels.clone().map(range).all(|(low, high)| low > 0 && high < 360 && high - low < PIXELS as usize);
        is_slow.then(|| (pixels.clone().map(|x| range(x).0).min().unwrap(), pixels.map(|x| range(x).1).max().unwrap()))
    };
    let slow: Vec<(u16, (usize, usize))> = (2..78).filter_map(|column| Some((column, slow(column.into())?))).collect();
    for (look, frames) in looks.iter().zip(&frames) {
        let mut most = 0;
        for &(column, (low, high)) in &slow {
            let row = |height: usize| 23 - (height / 16) as u16;
            for row in row(high)..=row(low) {
                let signs = frames[20..80].iter().map(|frame| frame[(column, row)].symbol());
                let changes = signs.clone().zip(signs.clone().skip(1)).filter(|(a, b)| a != b).count();
                if changes > 1 {
                    eprintln!("{column} {row} {low} {high} {}", signs.collect::<String>());
                }
                most = most.max(changes);
            }
        }
        eprintln!("{}: {} slow columns, {most} changes at most", look.glyphs, slow.len());
        assert!(slow.len() > 3 && most <= 1, "{}: {} slow columns, {most} changes at most", look.glyphs, slow.len());
    }
}

#[test]
fn the_liquid_is_darker_below() {
    let area = Rect::new(0, 0, 40, 20);
    let buffer = paint(&still("[0.0, 0.0, 1.0, 0.8]", area), &RenderStyle::default(), area);
    let light = |row: u16| match buffer[(20, row)].bg {
        Color::Rgb(r, g, b) => Rgb(r, g, b).oklab()[0],
        other => panic!("row {row} is {other:?}"),
    };
    assert!((6..19).all(|row| light(row) > light(row + 1) - 0.005), "light only fades");
    assert!(light(6) > light(19) + 0.1);
}

#[test]
fn a_single_particle_is_drawn_as_a_round_drop() {
    let area = Rect::new(0, 0, 120, 40);
    let text = "particles = 1\n[[liquid]]\nbox = [0.5, 0.5, 0.51, 0.515]\n";
    let scene = Scene::parse(text, "still").unwrap().world;
    let world =
        World::new(&scene, &WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() });
    assert_eq!(world.particles(), 1);
    let image = raster::rasterize(&paint(&world, &mono(GlyphMode::Octant), area));
    let lit: Vec<(usize, usize)> = (0..image.rgb.len() / 3)
        .filter(|pixel| image.rgb[3 * pixel] > 0)
        .map(|pixel| (pixel % image.width, pixel / image.width))
        .collect();
    assert!(!lit.is_empty());
    let wide = lit.iter().map(|p| p.0).max().unwrap() - lit.iter().map(|p| p.0).min().unwrap() + 1;
    let high = lit.iter().map(|p| p.1).max().unwrap() - lit.iter().map(|p| p.1).min().unwrap() + 1;
    assert!(wide.abs_diff(high) <= 8 && lit.len() > wide * high / 2, "{wide}×{high}, {} pixels", lit.len());
}

/// With 256 colours deep liquid has no dots: hardly a half of a cell differs from all four around it, in any palette.
#[test]
fn liquid_in_256_colours_has_no_lattice_of_dots() {
    let area = Rect::new(0, 0, 60, 24);
    let world = still("[0.0, 0.0, 1.0, 0.95]", area);
    for palette in palette::embedded() {
        let style = RenderStyle { palette: palette.clone(), depth: ColorDepth::Ansi256, ..RenderStyle::default() };
        let image = raster::rasterize(&paint(&world, &style, area));
        let half = |x: usize, y: usize| &image.rgb[3 * (8 * x + 2 + (8 * y + 4) * image.width)..][..3];
        let (width, height) = (usize::from(area.width), 2 * usize::from(area.height));
        let mut dots = 0;
        for (x, y) in (1..width - 1).flat_map(|x| (8..height - 1).map(move |y| (x, y))) {
            let around = [half(x - 1, y), half(x + 1, y), half(x, y - 1), half(x, y + 1)];
            dots += usize::from(!around.contains(&half(x, y)));
        }
        assert!(dots <= 30, "{}: {dots} dots", palette.name());
    }
}

/// Each particle is a dot of a quarter of a cell, in the colour of a quantity.
#[test]
fn particles_are_dots_coloured_by_a_quantity() {
    let area = Rect::new(0, 0, 120, 40);
    let dots = |color_by| RenderStyle { liquid_style: LiquidStyle::Particles, color_by, ..RenderStyle::default() };
    let text = "particles = 1\n[[liquid]]\nbox = [0.5, 0.5, 0.51, 0.515]\n";
    let options = WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() };
    let mut world = World::new(&Scene::parse(text, "one").unwrap().world, &options);
    let mut colors = Vec::new();
    for _ in 0..12 {
        let image = raster::rasterize(&paint(&world, &dots(ColorBy::Speed), area));
        let lit: Vec<&[u8]> = image.rgb.chunks(3).filter(|pixel| pixel.iter().any(|v| *v > 0)).collect();
        assert_eq!(lit.len(), 32, "a quarter of 8×16 pixels");
        colors.push(lit[0].to_vec());
        world.step();
    }
    assert_ne!(colors.first(), colors.last(), "it falls faster");
    let pool = self::world("dam", area, 1000, 30);
    assert_ne!(paint(&pool, &dots(ColorBy::Density), area), paint(&pool, &RenderStyle::default(), area));
}

#[test]
fn painting_costs_particles_plus_samples() {
    let touched = |width, height, particles| {
        let area = Rect::new(0, 0, width, height);
        let world = world("dam", area, particles, 0);
        let mut painter = Painter::default();
        painter.paint(&world, &RenderStyle::default(), CELL_PIXELS, area, &mut Buffer::empty(area));
        painter.samples_touched() as f64
    };
    // Each particle covers its share of the samples times the kernel's overlap, so the product stays nearly constant
    // with more particles on the same screen.
    assert!(touched(120, 40, 8000) < 2.5 * touched(120, 40, 1000));
    // With four times the samples and the same particles, at most four times as many.
    assert!(touched(160, 48, 2000) < 4.2 * touched(80, 24, 2000));
}

// ---- camera and sizes ----

proptest! {
    #[test]
    fn the_camera_maps_there_and_back(
        (x, y, width, height) in (0u16..50, 0u16..50, 1u16..300, 1u16..100),
        (cell_width, cell_height) in (1u16..30, 1u16..60),
        (tank_x, tank_y) in (0.2f32..4.0, 0.2f32..4.0),
        (across, down) in (0f32..1.0, 0f32..1.0),
    ) {
        let area = Rect::new(x, y, width, height);
        let tank = Vec2::new(tank_x, tank_y);
        let camera = Camera::new(area, (cell_width, cell_height), tank);
        let place = Vec2::new(across, down) * tank;
        // Except for the rounding of a cell's coordinate, which in a window of one pixel's height is a tenth of a
        // millimetre.
        let off = (camera.to_world(camera.to_cell(place)) - place) * camera.scale;
        prop_assert!(off.length() < 2e-4, "{off} cells off");
        // The entire tank is in the area, touches two of its sides, and pixels are square.
        let (low, high) = (camera.to_cell(Vec2::new(0.0, tank.y)), camera.to_cell(Vec2::new(tank.x, 0.0)));
        let (first, last) = (Vec2::new(f32::from(x), f32::from(y)), Vec2::new(f32::from(x + width), f32::from(y + height)));
        prop_assert!((low - first).min_element() > -1e-2 && (last - high).min_element() > -1e-2);
        let slack = (high - low) / (last - first);
        prop_assert!(slack.max_element() > 0.999);
        let pixels = camera.scale * Vec2::new(f32::from(cell_width), f32::from(cell_height));
        prop_assert!((pixels.x / pixels.y - 1.0).abs() < 1e-4);
    }
}

/// Where the glyphs of a picture are other than blank, row by row.
fn filled_rows(world: &World, area: Rect) -> Vec<usize> {
    let frame = paint(world, &mono(GlyphMode::Half), area);
    let row = |y| (0..area.width).filter(|&x| frame[(x, y)].symbol() != " ").count();
    (0..area.height).map(row).collect()
}

/// Gravity turns in the tank, and the tank in the picture: water stays below, and what stood on the floor hangs from the top.
#[test]
fn a_tank_that_its_scene_turns_over_is_turned_in_the_picture() {
    let text = "particles = 500\n[tank]\naspect = 1\nflip = { every = 60, first = 1 }\n[[liquid]]\nbox = [0, 0, 1, 0.3]\n\
                [[obstacle]]\ncircle = { at = [0.1, 0.5], radius = 0.05 }\n";
    let area = Rect::new(0, 0, 40, 20);
    let mut world = World::new(&Scene::parse(text, "turned").expect("sound").world, &WorldOptions::default());
    let camera = |world: &World| Camera::of(world, area, CELL_PIXELS);
    let upright = camera(&world);
    let post = Vec2::new(0.1, 0.5) * world.size();
    assert!(upright.to_cell(post).x < 10.0);
    for step in 0..300 {
        world.step();
        let camera = camera(&world);
        let there = camera.to_cell(post);
        assert!((camera.to_world(there) - post).length() < 1e-4, "step {step}: there and back");
        let down = (camera.to_cell(post + world.gravity() / 100.0) - there) / camera.scale;
        assert!(down.x.abs() < 1e-4 && down.y > 0.09, "step {step}: gravity points to {down} in the picture");
        assert!(camera.scale.max_element() <= upright.scale.max_element() * 1.0001, "it is cut off in step {step}");
    }
    assert!((upright.to_cell(post).x + camera(&world).to_cell(post).x - 40.0).abs() < 0.1, "the post is on the right");
    let rows = filled_rows(&world, area);
    let (top, bottom): (usize, usize) = (rows[2..10].iter().sum(), rows[10..18].iter().sum());
    assert!(bottom > 4 * top.max(10), "water is below: {rows:?}");
    assert!(world.stats().centre_of_mass.y > 0.6 * f64::from(world.size().y), "in the tank it is above");
}

#[test]
fn a_mark_is_where_theory_says() {
    let text = "[tank]\naspect = 1\n[[body]]\ndisc = 0.05\nat = [0.05, 0.05]\n[[mark]]\nline = [[0.2, 0.5], [0.8, 0.5]]\ncolor = \"#ff0000\"\n\
                swing = { by = [0, 0.3], period = 2 }\npath = [[0, 0, 0], [1, 0, -0.1], [1.25, 0, -0.1]]\n\
                widths = [[1.05, 1], [1.1, 0.5]]\n";
    let area = Rect::new(0, 0, 40, 20);
    let mut world = World::new(&Scene::parse(text, "marked").expect("sound").world, &WorldOptions::default());
    let mark_row = |world: &World, columns: std::ops::Range<u16>| {
        let frame = paint(world, &RenderStyle { glyphs: GlyphMode::Quadrant, ..RenderStyle::default() }, area);
        let red = |color: Color| matches!(color, Color::Rgb(r, g, b) if r > 60 && r / 2 > g.max(b));
        (0..20).find(|&y| columns.clone().all(|x| red(frame[(x, y)].fg) || red(frame[(x, y)].bg)))
    };
    // Two metres squared on 20 rows: the line is at 0.8, 0.45 and 0.1 of the height.
    for (steps, row) in [(0, 4), (30, 11), (30, 17)] {
        (0..steps).for_each(|_| world.step());
        let drawn = mark_row(&world, 10..30).unwrap_or(99);
        assert!(drawn.abs_diff(row) <= 1, "{} s: the mark is in row {drawn}, not {row}", world.time());
    }
    // It shrinks towards its first point, and goes at its end.
    (0..10).for_each(|_| world.step());
    assert!(mark_row(&world, 10..19).is_some() && mark_row(&world, 10..24).is_none());
    (0..10).for_each(|_| world.step());
    assert_eq!(mark_row(&world, 10..19), None);
}

#[test]
fn a_tank_of_another_shape_gets_margins_and_a_rim() {
    let area = Rect::new(0, 0, 100, 20);
    let scene = Scene::parse("particles = 500\n[tank]\naspect = 1.0\n[[liquid]]\nbox = [0.0, 0.0, 1.0, 0.5]\n", "t")
        .unwrap()
        .world;
    let world =
        World::new(&scene, &WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() });
    let lines = picture::text(&paint(&world, &mono(GlyphMode::Half), area));
    // 20 rows of 16 pixels are 40 columns of 8, in the middle.
    for line in &lines {
        let cells: Vec<char> = line.chars().collect();
        assert!(cells[..29].iter().chain(&cells[71..]).all(|&glyph| glyph == ' '), "margins are empty: {line}");
        assert_eq!((cells[29], cells[70]), ('░', '░'), "the rim is drawn: {line}");
    }
    assert!(lines[19].chars().skip(30).take(40).all(|glyph| "█▓▒".contains(glyph)));
}

#[test]
fn no_size_is_too_small_or_too_large() {
    for (width, height) in [(1, 1), (1, 30), (200, 1), (2, 2), (3, 90), (500, 200)] {
        let area = Rect::new(0, 0, width, height);
        let world = world("pegs", Rect::new(0, 0, 80, 24), 300, 5);
        for glyphs in GlyphMode::ALL {
            // A margin around it is not changed, and every cell within is drawn.
            let window = Rect::new(0, 0, width + 2, height + 2);
            let mut buffer = Buffer::filled(window, ratatui_core::buffer::Cell::new("x"));
            let inside = Rect::new(1, 1, width, height);
            Painter::default().paint(
                &world,
                &RenderStyle { glyphs, ..RenderStyle::default() },
                CELL_PIXELS,
                inside,
                &mut buffer,
            );
            for at in window.positions() {
                assert_eq!(buffer[at].symbol() == "x", !inside.contains(at), "{glyphs} at {at:?} of {area:?}");
            }
        }
    }
}

#[test]
fn cells_outside_of_the_area_are_not_changed() {
    let window = Rect::new(0, 0, 30, 10);
    let area = Rect::new(20, 6, 30, 10);
    let world = still("[0.0, 0.0, 1.0, 1.0]", area);
    let mut buffer = Buffer::filled(window, ratatui_core::buffer::Cell::new("x"));
    Painter::default().paint(&world, &RenderStyle::default(), CELL_PIXELS, area, &mut buffer);
    for (x, y) in (0..30).flat_map(|x| (0..10).map(move |y| (x, y))) {
        let inside = x >= 20 && y >= 6;
        assert_eq!(buffer[(x, y)].symbol() == "x", !inside, "at {x}, {y}");
    }
    Painter::default().paint(&world, &RenderStyle::default(), CELL_PIXELS, Rect::new(40, 40, 5, 5), &mut buffer);
    Painter::default().paint(&world, &RenderStyle::default(), (0, 0), Rect::new(0, 0, 0, 0), &mut buffer);
}

// ---- raster ----

#[test]
fn pixels_have_the_cells_colours() {
    let area = Rect::new(0, 0, 2, 1);
    let mut buffer = Buffer::empty(area);
    buffer[(0, 0)].set_char('▄').set_fg(Color::Rgb(1, 2, 3)).set_bg(Color::Rgb(9, 8, 7));
    buffer[(1, 0)].set_char('A').set_fg(Color::Indexed(15));
    let image = raster::rasterize(&buffer);
    assert_eq!((image.width, image.height), (16, 16));
    let pixel = |x: usize, y: usize| &image.rgb[3 * (y * image.width + x)..][..3];
    assert_eq!((pixel(0, 7), pixel(7, 8)), (&[9, 8, 7][..], &[1, 2, 3][..]));
    let bright = (0..16).flat_map(|y| (8..16).map(move |x| (x, y))).filter(|&(x, y)| pixel(x, y)[0] > 128).count();
    assert!((10..60).contains(&bright), "an A of {bright} pixels");
}

/// The font has no arrows; pictures of the help and the panel need them.
#[test]
fn arrows_and_triangles_are_drawn() {
    let ink = |glyph: char| -> Vec<bool> {
        (0..16).flat_map(|y| (0..8).map(move |x| raster::coverage(glyph, x, y) > 0)).collect()
    };
    let unknown = ink('\u{e000}');
    for glyph in ['←', '↑', '→', '↓', '▸', '▾', '…'] {
        let drawn = ink(glyph);
        let pixels = drawn.iter().filter(|&&pixel| pixel).count();
        assert!((6..40).contains(&pixels) && drawn != unknown, "{glyph}: {pixels} pixels");
    }
    let mirrored: Vec<bool> = ink('→').chunks(8).flat_map(|row| row.iter().rev().copied()).collect();
    assert_eq!(ink('←'), mirrored);
}

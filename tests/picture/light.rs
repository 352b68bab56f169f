//! Light and materials, from outside: pictures of worlds, in linear light.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Color;
use slosh::scene::Scene;
use slosh::sim::{World, WorldOptions};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::{
    Background, Camera, ColorBy, ColorDepth, GlyphMode, LightMode, Painter, Palette, RenderStyle, Rgb, palette,
};

const AREA: Rect = Rect::new(0, 0, 100, 50);

/// Liquid in boxes, given in fractions of the tank, before anything moves.
fn still(boxes: &[&str]) -> World {
    let mut text = String::from("particles = 3000\n");
    boxes.iter().for_each(|region| text += &format!("[[liquid]]\nbox = {region}\n"));
    world(&text)
}

fn world(text: &str) -> World {
    let scene = Scene::parse(text, "still").expect("a sound scene").world;
    World::new(&scene, &WorldOptions { aspect: Camera::aspect(AREA, CELL_PIXELS), seed: 1, ..WorldOptions::default() })
}

fn style(name: &str, light: LightMode) -> RenderStyle {
    RenderStyle { palette: palette::find(name).unwrap().clone(), light, ..RenderStyle::default() }
}

fn paint(world: &World, style: &RenderStyle) -> Buffer {
    let mut buffer = Buffer::empty(AREA);
    Painter::default().paint(world, style, CELL_PIXELS, AREA, &mut buffer);
    buffer
}

/// The mean of a cell's two colours, sRGB 0 to 255 per channel.
fn color(frame: &Buffer, x: u16, y: u16) -> [f32; 3] {
    let rgb = |color| match color {
        Color::Rgb(r, g, b) => [f32::from(r), f32::from(g), f32::from(b)],
        _ => [0.0; 3],
    };
    let (fg, bg) = (rgb(frame[(x, y)].fg), rgb(frame[(x, y)].bg));
    [0, 1, 2].map(|c| 0.5 * (fg[c] + bg[c]))
}

fn brightness(frame: &Buffer, x: u16, y: u16) -> f32 {
    color(frame, x, y).iter().sum::<f32>() / 3.0
}

/// Wave for wave and drop for drop, a model of a tank moves as the tank does, and it is seen as closely.
#[test]
fn a_tank_of_any_size_has_the_same_picture() {
    let paint = |area: f32| {
        let pools = "[[liquid]]\nbox = [0, 0, 1, 0.4]\n[[liquid]]\nbox = [0.2, 0.5, 0.4, 0.7]\n";
        paint(
            &world(&format!("particles = 3000\ntank = {{ area = {area} }}\n{pools}")),
            &style("water", LightMode::FULL),
        )
    };
    let ordinary = paint(2.0);
    for area in [0.02, 0.3, 50.0] {
        let other = paint(area);
        let differences = AREA.positions().map(|at| {
            let [here, there] = [&ordinary, &other].map(|frame| color(frame, at.x, at.y));
            (0..3).map(|channel| (here[channel] - there[channel]).abs()).fold(0.0, f32::max)
        });
        let changed = differences.filter(|&difference| difference > 4.0).count();
        assert!(changed < 10, "{changed} cells of a tank of {area} m² look otherwise");
    }
}

/// A hill of liquid: the extra brightness of its two flanks, relative to flat light.
#[test]
fn a_crest_glints_on_the_flank_that_faces_the_light() {
    let steps: Vec<String> = (0..8)
        .map(|n| 0.045 * f64::from(n))
        .map(|in_by| format!("[{}, 0, {}, {}]", 0.1 + in_by, 0.9 - in_by, 0.2 + 1.33 * in_by))
        .collect();
    let hill = still(&steps.iter().map(String::as_str).collect::<Vec<_>>());
    let [full, flat] = [LightMode::FULL, LightMode::FLAT].map(|light| paint(&hill, &style("water", light)));
    let gained = |columns: std::ops::Range<u16>| {
        let cells = columns.flat_map(|x| (10..44).map(move |y| (x, y)));
        cells.map(|(x, y)| (brightness(&full, x, y) - brightness(&flat, x, y)).max(0.0)).sum::<f32>()
    };
    let (toward, away) = (gained(10..48), gained(52..90));
    assert!(away > 0.0 && toward > 1.3 * away, "towards the light {toward}, away from it {away}");
}

#[test]
fn mercury_mirrors_a_bright_sky_above_and_a_dark_ground_below() {
    let world = still(&["[0.3, 0, 0.7, 0.4]"]);
    let frame = paint(&world, &style("mercury", LightMode::FULL));
    let (above, below) = (brightness(&frame, 50, 32), brightness(&frame, 50, 47));
    assert!(above > below + 60.0, "{above} above, {below} below");
    let flat = paint(&world, &style("mercury", LightMode::FLAT));
    let unlit = brightness(&flat, 50, 32) - brightness(&flat, 50, 47);
    assert!(above - below > 1.5 * unlit, "{above} − {below} against {unlit} without a mirror");
}

/// The same liquid at rest and while it falls: a crust is cool where the liquid is slow.
#[test]
fn lava_is_darker_when_it_is_slow() {
    let mut lava = world("particles = 3000\n[fluid]\npreset = \"lava\"\n[[liquid]]\nbox = [0.2, 0.5, 0.8, 0.9]\n");
    let look = style("magma", LightMode::FULL);
    let skin = |world: &World, look| {
        let frame = paint(world, look);
        // The surface of each column.
        let tops = (30..70).map(|x| {
            (0..50)
                .map(|y| brightness(&frame, x, y))
                .collect::<Vec<_>>()
                .windows(2)
                .find(|pair| pair[0] > 25.0)
                .map_or(0.0, |pair| pair[1])
        });
        tops.sum::<f32>() / 40.0
    };
    let slow = skin(&lava, &look);
    (0..16).for_each(|_| lava.step());
    let fast = skin(&lava, &look);
    assert!(fast > slow + 15.0, "slow {slow}, fast {fast}");
}

/// Rock at 750 °C glows in its cracks and is dark between them. Lava at 850 °C is not set, and has no cracks.
#[test]
fn hot_rock_has_a_dark_crust_between_its_cracks() {
    let [rock, lava] = [750, 850].map(|temperature| {
        let mut world = world(&format!(
            "[heat]\ntemperature = {temperature}\n[fluid]\npreset = \"lava\"\n[[liquid]]\nbox = [0, 0, 1, 0.6]\n"
        ));
        (0..30).for_each(|_| world.step());
        let frame = paint(&world, &style("lava", LightMode::FULL));
        let inside = (10..90).flat_map(|x| (28..46).map(move |y| (x, y)));
        let mut red: Vec<f32> = inside.map(|(x, y)| color(&frame, x, y)[0]).collect();
        red.sort_by(f32::total_cmp);
        [red[red.len() / 10], red[red.len() / 2], red[red.len() * 9 / 10]]
    });
    println!("red of a tenth, half and nine tenths of the cells: rock {rock:?}, lava {lava:?}");
    assert!(rock[2] > 1.4 * rock[0], "rock without cracks: {rock:?}");
    assert!(lava[2] < 1.2 * lava[0], "lava with cracks: {lava:?}");
}

#[test]
fn the_glow_of_lava_falls_on_the_air_and_not_on_water() {
    let world = still(&["[0.3, 0, 0.7, 0.4]"]);
    let air = |name, light| brightness(&paint(&world, &style(name, light)), 50, 27);
    assert!(air("magma", LightMode::FULL) > 10.0, "{}", air("magma", LightMode::FULL));
    assert_eq!([air("magma", LightMode::FLAT), air("water", LightMode::FULL)], [0.0; 2]);
}

/// Whichever of the two is the tank's own fluid.
#[test]
fn lava_glows_and_the_water_beside_it_does_not() {
    let liquid =
        |name, left, right| format!("[[liquid]]\nbox = [{left}, 0, {right}, 0.4]\nfluid = {{ preset = \"{name}\" }}\n");
    for first in ["lava", "water"] {
        let world =
            world(&format!("[fluid]\npreset = \"{first}\"\n{}{}", liquid("lava", 0.0, 0.3), liquid("water", 0.7, 1.0)));
        let frame = paint(&world, &style(first, LightMode::FULL));
        let [lava, water] = [15, 85].map(|column| brightness(&frame, column, 27));
        assert!(lava > 10.0 && water == 0.0, "first {first}: above lava {lava}, above water {water}");
    }
}

#[test]
fn thin_honey_is_lighter_than_thick() {
    let world = still(&["[0.1, 0.3, 0.13, 0.7]", "[0.4, 0, 0.9, 0.7]"]);
    let frame = paint(&world, &style("honey", LightMode::FULL));
    let thin = (9..15).map(|x| brightness(&frame, x, 25)).fold(0.0, f32::max);
    let thick = brightness(&frame, 65, 25);
    assert!(thin > thick + 25.0, "thin {thin}, thick {thick}");
}

/// Paints that have begun to run into each other: a little of one in another changes its colour little.
#[test]
fn mixtures_of_paint_have_no_lines() {
    let scene = Scene::embedded("paint").expect("a sound scene").world;
    let mut world =
        World::new(&scene, &WorldOptions { aspect: Camera::aspect(AREA, CELL_PIXELS), ..WorldOptions::default() });
    (0..180).for_each(|_| world.step());
    let frame = paint(&world, &style("water", LightMode::FULL));
    let inside = (AREA.height - 12..AREA.height - 3).flat_map(|y| (3..AREA.width - 3).map(move |x| (x, y)));
    let bend = |(x, y): (u16, u16)| {
        let [left, here, right] = [x - 1, x, x + 1].map(|x| color(&frame, x, y));
        (0..3).map(|c| (here[c] - 0.5 * (left[c] + right[c])).abs()).fold(0.0, f32::max)
    };
    let greatest = inside.map(bend).fold(0.0, f32::max);
    assert!(greatest < 30.0, "a channel differs by {greatest} from the mean of its neighbours");
}

/// Light depends only on the state of the world.
#[test]
fn the_same_world_has_the_same_light_and_flat_light_differs() {
    let mut world = still(&["[0, 0, 0.4, 0.9]"]);
    (0..30).for_each(|_| world.step());
    let mut painter = Painter::default();
    let mut frame = || {
        let mut buffer = Buffer::empty(AREA);
        painter.paint(&world, &style("water", LightMode::FULL), CELL_PIXELS, AREA, &mut buffer);
        buffer
    };
    let first = frame();
    (0..5).for_each(|_| assert_eq!(frame(), first));
    assert_ne!(paint(&world, &style("water", LightMode::FLAT)), first);
}

/// The middle of a thin sheet shows the dark behind it, beside the rim and beside thick water.
#[test]
fn thin_water_is_darker_in_the_middle_than_at_its_rim() {
    let world = still(&["[0.1, 0.3, 0.13, 0.9]", "[0.4, 0, 0.9, 0.7]"]);
    let [clear, milky] = [LightMode::FULL, LightMode::FULL.with(slosh::view::LightElement::Clarity, false)]
        .map(|light| paint(&world, &style("water", light)));
    let across = |frame: &Buffer| (8..16).map(|x| brightness(frame, x, 20)).fold(0.0, f32::max);
    assert!(across(&clear) + 15.0 < across(&milky), "{} clear, {} milky", across(&clear), across(&milky));
    assert!((brightness(&clear, 65, 30) - brightness(&milky, 65, 30)).abs() < 12.0, "thick water stays as it is");
}

/// Beads of spray or foam in a cell of liquid alone, or of air alone, are dots that are brighter than what is around them.
#[test]
fn beads_in_a_cell_of_liquid_or_air_are_dots() {
    let mut world = world("particles = 3000\n[[liquid]]\nbox = [0, 0, 0.4, 0.9]");
    (0..90).for_each(|_| world.step());
    let full = style("water", LightMode::FULL);
    let dots = |look: &RenderStyle| -> (Buffer, Vec<(u16, u16)>) {
        let frame = paint(&world, look);
        let is_dot = |&(x, y): &(u16, u16)| {
            frame[(x, y)].symbol().starts_with(|glyph| ('\u{2801}'..='\u{28ff}').contains(&glyph))
        };
        let found = (0..AREA.width).flat_map(|x| (0..AREA.height).map(move |y| (x, y))).filter(is_dot).collect();
        (frame, found)
    };
    for glyphs in [GlyphMode::Wedge, GlyphMode::Quadrant, GlyphMode::Octant] {
        let (frame, found) = dots(&RenderStyle { glyphs, ..full.clone() });
        assert!(found.len() > 10, "{} dots of {} specks", found.len(), world.specks().len());
        let light =
            |color| if let Color::Rgb(r, g, b) = color { u32::from(r) + u32::from(g) + u32::from(b) } else { 0 };
        for (x, y) in found {
            let cell = &frame[(x, y)];
            assert!(light(cell.fg) > light(cell.bg), "the dot at {x}, {y}: {cell:?}");
        }
    }
    for glyphs in [GlyphMode::Half, GlyphMode::Ascii] {
        assert_eq!(dots(&RenderStyle { glyphs, ..full.clone() }).1, [], "{glyphs}");
    }
    // Without colours a dot is drawn in air alone: in liquid it would be a hole.
    let (frame, found) = dots(&RenderStyle { depth: ColorDepth::Mono, ..full });
    assert!(!found.is_empty());
    for (x, y) in found {
        assert_eq!((frame[(x, y)].fg, frame[(x, y)].bg), (Color::Reset, Color::Reset));
    }
}

/// Without the optics of its palette, full light equals flat light: no other effect is added to a liquid.
#[test]
fn matter_without_optics_looks_as_in_flat_light() {
    // Flat light draws no specks, so the scene has none.
    let mut world = world("particles = 3000\nfluid = { foam = 0 }\n[[liquid]]\nbox = [0, 0, 0.4, 0.9]");
    (0..30).for_each(|_| world.step());
    let mut dull = style("water", LightMode::FULL);
    dull.palette.optics = slosh::view::Optics::default();
    assert_eq!(paint(&world, &dull), paint(&world, &RenderStyle { light: LightMode::FLAT, ..dull.clone() }));
}

#[test]
fn optics_are_inherited_and_refused_out_of_range() {
    let entry = |keys: &str| {
        format!(
            "[[palette]]\nname = \"x\"\nabout = \"y\"\nstops = [\"#000000\", \"#ffffff\"]\ndeep = \"#000000\"\n\
             foam = \"#ffffff\"\nwall = \"#777777\"\n{keys}\n[[palette]]\nname = \"z\"\ninherits = \"x\"\ngloss = 1\n"
        )
    };
    let all = Palette::read(&entry("reflectance = 0.7"), "mine.toml").unwrap();
    assert_eq!((all[1].optics.reflectance, all[1].optics.gloss), (0.7, 1.0));
    let refused = Palette::read(&entry("glow = 1.5"), "mine.toml").unwrap_err().to_string();
    assert!(refused.contains("mine.toml:8") && refused.contains("glow"), "{refused}");
}

/// A palette's background may change down the window: row by row in full colour, and not at all if there are few
/// colours or the background is not the palette's.
#[test]
fn a_background_gradient_is_even_in_full_colour() {
    let world = still(&["[0.4, 0, 0.6, 0.1]"]);
    let rows = |look: &RenderStyle| -> Vec<Color> {
        let frame = paint(&world, look);
        (0..AREA.height).map(|y| frame[(0, y)].bg).collect()
    };
    let look = style("phosphor", LightMode::FULL);
    let green = |color| if let Color::Rgb(_, g, _) = color { g } else { panic!("{color:?}") };
    let down: Vec<u8> = rows(&look).into_iter().map(green).collect();
    assert!(down.is_sorted() && down[0] + 10 < down[49], "{down:?}");
    assert!(down.windows(2).all(|pair| pair[1] - pair[0] <= 2), "{down:?}");
    let plain = [
        RenderStyle { depth: slosh::view::ColorDepth::Ansi16, ..look.clone() },
        RenderStyle { background: slosh::view::Background::Terminal(slosh::view::Rgb::BLACK), ..look.clone() },
        style("water", LightMode::FULL),
    ];
    for look in plain {
        let rows = rows(&look);
        assert!(rows.iter().all(|color| *color == rows[0]), "{rows:?}");
    }
    let alone = Palette::read(
        "[[palette]]\nname = \"x\"\nabout = \"y\"\nstops = [\"#000000\", \"#ffffff\"]\ndeep = \"#000000\"\nfoam = \"#ffffff\"\n\
         wall = \"#777777\"\nbackground-low = \"#111111\"",
        "mine.toml",
    );
    let refused = alone.unwrap_err().to_string();
    assert!(refused.contains("mine.toml:8") && refused.contains("`background`"), "{refused}");
}

/// On white ground light colours are made darker: those of the first fluid, and those of any other.
#[test]
fn every_fluid_is_seen_on_a_white_ground() {
    let chalk = Palette::read(
        "[[palette]]\nname = \"chalk\"\nabout = \"white\"\nstops = [\"#f4f4f4\", \"#ffffff\"]\ndeep = \"#f0f0f0\"\n\
         foam = \"#ffffff\"\nwall = \"#777777\"",
        "mine.toml",
    );
    let chalk = chalk.expect("a sound palette").remove(0);
    let world = world(
        "particles = 3000\nliquid = [{ box = [0, 0, 0.5, 0.5] }, { box = [0.5, 0, 1, 0.5], fluid = \"oil\", palette = \"chalk\" }]",
    );
    let look = RenderStyle {
        palette: chalk.clone(),
        palettes: [chalk].into(),
        background: slosh::view::Background::Painted(slosh::view::Rgb::WHITE),
        light: LightMode::FLAT,
        ..RenderStyle::default()
    };
    let frame = paint(&world, &look);
    let [first, second] = [(20, 40), (80, 40)].map(|(x, y)| color(&frame, x, y)[0]);
    assert!(first < 230.0 && (first - second).abs() < 8.0, "{first} and {second} on 255");
}

/// Only liquid that foams turns white where it is fast and thin.
#[test]
fn honey_has_no_white_crests_where_it_is_thrown() {
    let thrown = |fluid: &str| {
        let mut world = world(&format!("particles = 3000\nfluid = {fluid}\n[[liquid]]\nbox = [0, 0.1, 0.3, 0.9]"));
        (0..40).for_each(|_| world.step());
        let [with, without] = [LightMode::FULL, LightMode::FULL.with(slosh::view::LightElement::Foam, false)]
            .map(|light| paint(&world, &style("water", light)));
        (0..50).flat_map(|y| (0..100).map(move |x| (x, y))).filter(|&(x, y)| with[(x, y)] != without[(x, y)]).count()
    };
    let (water, dry) = (thrown("\"water\""), thrown("{ foam = 0 }"));
    assert!(water > 20 && dry == 0, "water {water}, without foam {dry}");
}

/// A disc of liquid without gravity is shaded as a ball; with gravity the same disc is flat.
#[test]
fn a_drop_in_free_fall_is_round() {
    let disc = |gravity: &str| {
        world(&format!("particles = 3000\n{gravity}[[liquid]]\ncircle = {{ at = [0.5, 0.5], radius = 0.4 }}\n"))
    };
    let [round, flat] = [disc("gravity = 0\n"), disc("")].map(|disc| paint(&disc, &style("milk", LightMode::FULL)));
    let gained = |x, y| brightness(&round, x, y) - brightness(&flat, x, y);
    // Up and to the left of its middle is the highlight; opposite to it is the averted side.
    let highlight = (36..50).flat_map(|x| (8..24).map(move |y| (x, y))).map(|(x, y)| gained(x, y)).fold(0.0, f32::max);
    let averted = (54..68).flat_map(|x| (30..42).map(move |y| (x, y))).map(|(x, y)| gained(x, y)).fold(0.0, f32::min);
    assert!(highlight > 8.0 && averted < -15.0, "{highlight} in the highlight, {averted} on the averted side");
}

/// Water whose middle is a hole of this radius, in metres.
fn water_around_air(radius: f32) -> World {
    let rows = (0..100).map(|row| {
        let (low, high) = (0.01 * row as f32, 0.01 * (row + 1) as f32);
        let half = (radius * radius - (0.5 * (low + high) - 0.5).powi(2)).max(0.0).sqrt();
        format!(
            "[[liquid]]\nbox = [0, {low}, {}, {high}]\n[[liquid]]\nbox = [{}, {low}, 1, {high}]\n",
            0.5 - half,
            0.5 + half
        )
    });
    world(&format!("particles = 4000\ntank = {{ area = 1, aspect = 1 }}\n{}", rows.collect::<String>()))
}

#[test]
fn the_water_behind_a_bubble_is_seen_through_it_and_a_wide_hollow_is_open() {
    let middle = |radius: f32, palette: &str| {
        let frame = paint(&water_around_air(radius), &style(palette, LightMode::FULL));
        (brightness(&frame, 50, 25), brightness(&frame, 20, 25))
    };
    let (bubble, water) = middle(0.05, "water");
    assert!(bubble > 0.4 * water && bubble < 1.1 * water, "a bubble of {bubble} in water of {water}");
    assert!(middle(0.3, "water").0 < 0.1 * water, "a wide hollow is dark");
    assert!(middle(0.05, "mercury").0 < 0.1 * water, "nothing is seen through mercury");
}

/// Water closes round air and opens again from frame to frame. A world at rest has one picture.
#[test]
fn what_is_seen_through_air_fades() {
    let look = style("water", LightMode::FULL);
    let (closed, mut open) = (water_around_air(0.05), water_around_air(0.3));
    open.step();
    let mut painter = Painter::default();
    let mut next = |world: &World| {
        let mut frame = Buffer::empty(AREA);
        painter.paint(world, &look, CELL_PIXELS, AREA, &mut frame);
        frame
    };
    let [bubble, after] = [&closed, &open].map(|world| brightness(&next(world), 50, 25));
    assert!(after > 0.8 * bubble, "{bubble} in a bubble, and {after} a step after it opened");
    assert_eq!(next(&open), next(&open));
    assert!(brightness(&paint(&open, &look), 50, 25) < 0.1 * bubble, "a painter without a memory shows it open");
}

#[test]
fn colours_of_a_quantity_leave_still_air_clear() {
    let air = world(
        "heat = { temperature = 90 }\n[[heater]]\nbox = [0, 0, 0.1, 0.1]\ntemperature = 20\n[smoke]\n[[smoke.dye]]\n",
    );
    for color_by in [ColorBy::Temperature, ColorBy::Speed, ColorBy::Pressure] {
        let frame = paint(&air, &RenderStyle { color_by, ..style("water", LightMode::FULL) });
        assert_eq!(brightness(&frame, 50, 10), 0.0, "{}", color_by.name());
    }
}

/// Half of its outline is wall.
#[test]
fn the_water_behind_a_gap_in_a_corner_is_seen_through_it() {
    let world = still(&["[0.03, 0, 1, 0.6]", "[0, 0.05, 0.03, 0.6]"]);
    let frame = paint(&world, &style("water", LightMode::FULL));
    let [gap, water] = [0, 10].map(|x| brightness(&frame, x, AREA.height - 1));
    assert!(gap > 0.4 * water, "a gap of {gap} in water of {water}");
}

/// A hollow on the floor, which is at the bottom of the picture; the air over the water stays dark.
#[test]
fn a_hollow_below_liquid_that_boils_is_steam() {
    let light_in_hollow = |heat: &str| {
        let text = format!(
            "particles = 3000\n{heat}tank = {{ area = 1, aspect = 1 }}
liquid = [{{ box = [0, 0, 0.42, 0.8] }}, {{ box = [0.58, 0, 1, 0.8] }}, {{ box = [0.42, 0.15, 0.58, 0.8] }}]"
        );
        let frame = paint(&world(&text), &style("water", LightMode::FULL));
        [(50, 48), (20, 46), (50, 5)].map(|(x, y)| brightness(&frame, x, y))
    };
    let [hollow, water, air] = light_in_hollow("heat = { temperature = 100 }\n");
    assert!(hollow > 1.1 * water && air < 0.1 * water, "steam of {hollow} in water of {water} under air of {air}");
    let [hollow, water, _] = light_in_hollow("");
    assert!(hollow < 0.1 * water, "a hollow of {hollow} in cold water of {water}");
}

#[test]
fn arrows_point_where_the_liquid_moves() {
    use slosh::view::LiquidStyle;
    let shot = |velocity: &str| {
        let scene =
            format!("particles = 2000\ngravity = 0\n[[liquid]]\nbox = [0.3, 0.3, 0.7, 0.7]\nvelocity = {velocity}\n");
        let style = RenderStyle { liquid_style: LiquidStyle::Arrows, ..style("water", LightMode::FULL) };
        let world = world(&scene);
        let frame = paint(&world, &style);
        // An arrow on a cell of liquid does not make a hole in it.
        let plain = paint(&world, &RenderStyle { liquid_style: LiquidStyle::Surface, ..style });
        for (arrow, cell) in frame.content.iter().zip(&plain.content) {
            assert!(cell.fg == Color::Reset || arrow.bg != Color::Reset || arrow == cell, "{arrow:?} on {cell:?}");
        }
        let arrows =
            frame.content.iter().filter_map(|cell| "←↑→↓↖↗↘↙".find(cell.symbol()).filter(|_| cell.symbol() != " "));
        let mut seen: Vec<usize> = arrows.collect();
        let number = seen.len();
        seen.dedup();
        (number, seen.iter().map(|&at| "←↑→↓↖↗↘↙"[at..].chars().next().unwrap()).collect::<String>())
    };
    for (velocity, arrow) in [("[2, 0]", "→"), ("[0, -2]", "↓"), ("[-1, 1]", "↖")] {
        let (number, seen) = shot(velocity);
        assert!(number > 60 && seen == arrow, "{number} arrows for {velocity}: {seen}");
    }
    assert_eq!(shot("[0, 0]").0, 0);
}

/// Its own colour, its texture and its gloss, which are no palette's.
#[test]
fn white_cloth_stands_out_from_a_white_background() {
    let text = "[cloth]\ncolor = \"#ffffff\"\n[[cloth.sheet]]\n\
                at = [0.5, 1]\nsize = [4, 3]\nspan = 4\nnodes = [30, 30]\npins = \"top\"\n";
    let lightness = |background: Rgb| {
        let style = RenderStyle { background: Background::Painted(background), ..style("water", LightMode::FULL) };
        let frame = paint(&world(text), &style);
        let cells = Rect::new(30, 10, 40, 20).positions().map(|at| frame[at].bg);
        cells.map(|bg| if let Color::Rgb(r, g, b) = bg { Rgb(r, g, b).oklab()[0] } else { 1.0 }).fold(0.0, f32::max)
    };
    let [on_black, on_white] = [Rgb::BLACK, Rgb::WHITE].map(lightness);
    assert!(on_black > 0.95 && on_white < 0.89, "{on_black} on black, {on_white} on white");
}

/// Not beside a round glass, within a wall or in the air over the surface.
#[test]
fn arrows_are_where_liquid_is() {
    use slosh::view::LiquidStyle;
    let text = "particles = 1500\ntank = { shape = \"circle\" }\n[[obstacle]]\nbox = [0.3, 0.2, 0.5, 0.3]\n
[[liquid]]\nbox = [0, 0, 1, 0.47]\nvelocity = [2, 0]\n";
    let world = world(text);
    let [frame, plain] = [LiquidStyle::Arrows, LiquidStyle::Surface]
        .map(|liquid_style| paint(&world, &RenderStyle { liquid_style, ..style("water", LightMode::FULL) }));
    let camera = Camera::of(&world, AREA, CELL_PIXELS);
    let is_wet = |at: Position| {
        let cell = &plain[at];
        let covered = slosh::cell::glyph_shape::covered_fraction(cell.symbol().chars().next().unwrap());
        let middle = camera.to_world(glam::Vec2::new(at.x.into(), at.y.into()) + 0.5);
        world.walls().distance(middle) > 0.0 && (cell.bg != Color::Reset || covered >= Some(0.5))
    };
    let arrows: Vec<_> = AREA.positions().filter(|&at| frame[at].symbol() == "→").collect();
    let dry = arrows.iter().find(|&&at| !is_wet(at));
    assert!(arrows.len() > 40 && dry.is_none(), "{} arrows, one at {dry:?}", arrows.len());
}

/// A fish is drawn narrow while it turns, and the water that its body displaces shows no hollow with a rim around it: no cell beside
/// it is lighter than water there.
#[test]
fn a_fish_that_turns_has_no_halo() {
    let text = "particles = 1800\npalette = \"aquarium\"\n[fluid]\nthermal_speed = 0.1\n[[liquid]]\nbox = [0, 0, 1, 0.9]\n\
                [[fish]]\nspecies = \"grouper\"\n";
    let definition = Scene::parse(text, "grouper").expect("a scene").world;
    let mut world = World::new(&definition, &WorldOptions { seed: 1, ..WorldOptions::default() });
    let turns = (0..3600).any(|_| {
        world.step();
        world.life().expect("life").fish[0].turn.abs() < 0.2
    });
    assert!(turns, "it has not turned in a minute");
    let frame = paint(&world, &style("aquarium", LightMode::FULL));
    let cells = glam::Vec2::new(f32::from(frame.area.width), f32::from(frame.area.height));
    let fish = &world.bodies()[world.life().expect("life").fish[0].body];
    let (size, hull) = (world.size(), fish.hull.bounds());
    let cell = |at: glam::Vec2| (at / size * cells).as_usizevec2();
    let (low, high) = (cell(hull.0), cell(hull.1));
    // Beyond its narrow drawing, and at the same depth far from it.
    let middle = (low.x + high.x) / 2;
    for x in [low.x + 1, high.x - 1] {
        assert!(x.abs_diff(middle) > 2, "a fish of {} cells", high.x - low.x);
        let y = (low.y + high.y) / 2;
        let light = |x: usize| brightness(&frame, x as u16, frame.area.height - 1 - y as u16);
        let far = light(if 2 * middle > usize::from(frame.area.width) { 5 } else { usize::from(frame.area.width) - 5 });
        assert!(light(x) < 1.15 * far + 0.01, "{} beside the fish, {far} far away", light(x));
    }
}

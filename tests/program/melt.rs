//! The melt demo: after a return, the screen equals the page, cell by cell.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use slosh::app::action::{TerminalCaps, Window};
use slosh::app::demo::{Demo, DemoSpec};
use slosh::cell::color::TerminalColors;
use slosh::sim::{World, WorldOptions};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::{Camera, ColorDepth, Painter, RenderStyle, Rgb};

const SIZE: (u16, u16) = (60, 14);

/// A page of each kind: a page full of words, long lines, wide and combining characters, all kinds of colours,
/// attributes, a background without letters, and one letter.
fn pages() -> Vec<(&'static str, String)> {
    let filled = "fine file, quick brown fox, lazy dog: \x1b[32mif it fits\x1b[m\n".repeat(SIZE.1.into());
    let colours = (0..12).map(|n| {
        format!("\x1b[{}mnamed \x1b[38;5;{}mof 256 \x1b[48;2;{n};90;160m\x1b[97mtrue\x1b[m\n", 31 + n % 6, 16 + 17 * n)
    });
    vec![
        ("filled", filled),
        ("long lines", format!("{}\nshort\n{}", "wrapped ".repeat(20), "|".repeat(150))),
        ("wide", "漢字 and ｆｕｌｌ width, 🦀 crab\n日本語テキスト日本語テキスト\n".repeat(4)),
        ("combining", "e\u{301}a\u{308} n\u{303}o, Z\u{335}\u{321} and \u{915}\u{94d}\u{937}\n".repeat(5)),
        ("colours", colours.collect()),
        ("attributes", "\x1b[1mbold\x1b[m \x1b[2mdim\x1b[m \x1b[3mitalic\x1b[m \x1b[4munder  line\x1b[m \x1b[7mturned  \x1b[m\n\x1b[1;3;4;7;31mall\x1b[m".to_owned()),
        ("grounds", "\x1b[41m          \x1b[m\n\n   \x1b[44m \x1b[m  \x1b[7m   \x1b[m \x1b[4m    \x1b[m".to_owned()),
        ("a letter", "i".to_owned()),
    ]
}

/// The terminal's picture of a page.
fn expected(text: &str) -> Buffer {
    let size = |cells: u16| cells.try_into().expect("more than none");
    let mut terminal = vt100::Parser::new(size(SIZE.1), size(SIZE.0), 0);
    terminal.process(text.trim_end_matches('\n').replace('\n', "\r\n").as_bytes());
    let color = |color| match color {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    };
    let mut page = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    for (x, y) in (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))) {
        let cell = terminal.screen().cell(y, x).expect("a cell");
        let to = &mut page[(x, y)];
        to.set_symbol(if cell.has_contents() { cell.contents() } else { " " });
        (to.fg, to.bg) = (color(cell.fgcolor()), color(cell.bgcolor()));
        let modifiers = [
            (cell.bold(), Modifier::BOLD),
            (cell.dim(), Modifier::DIM),
            (cell.italic(), Modifier::ITALIC),
            (cell.underline(), Modifier::UNDERLINED),
            (cell.inverse(), Modifier::REVERSED),
        ];
        to.modifier = modifiers.into_iter().filter(|(is, _)| *is).map(|(_, modifier)| modifier).collect();
    }
    page
}

/// The visible properties of a cell. The colour and weight of text are invisible without text.
fn seen(buffer: &Buffer, at: (u16, u16)) -> (String, Color, Color, Modifier) {
    let cell = &buffer[at];
    let visible = Modifier::REVERSED | Modifier::UNDERLINED;
    match cell.symbol() == " " && !cell.modifier.intersects(visible) {
        true => (" ".to_owned(), Color::Reset, cell.bg, Modifier::empty()),
        false => (cell.symbol().to_owned(), cell.fg, cell.bg, cell.modifier),
    }
}

struct Toy {
    demo: Demo,
    world: World,
    painter: Painter,
    shown: Buffer,
}

impl Toy {
    fn new(text: &str) -> Self {
        let window = Window { columns: SIZE.0, rows: SIZE.1, cell: [8, 16] };
        let spec = DemoSpec::ScreenCapture { text: text.to_owned(), window, loops: false };
        let mut demo = spec.build().expect("a page");
        let world = demo.set(&demo.scene().world, &WorldOptions::default());
        let shown = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        Self { demo, world, painter: Painter::default(), shown }
    }

    fn step(&mut self, steps: usize) {
        for _ in 0..steps {
            self.demo.before_step(&mut self.world);
            self.world.step();
        }
    }

    fn draw(&mut self) {
        let area = self.shown.area;
        self.painter.decor = Some(self.demo.decor().clone());
        self.painter.paint(&self.world, &RenderStyle::default(), CELL_PIXELS, area, &mut self.shown);
        let camera = Camera::new(area, CELL_PIXELS, self.world.size());
        let colors = TerminalCaps { depth: ColorDepth::TrueColor, ..TerminalCaps::default() };
        let page = self.demo.page().expect("a page");
        page.overprint(&self.world, &camera, &colors, &mut self.shown);
    }

    /// Returns the cells that differ from the page.
    fn wrong(&mut self, page: &Buffer) -> Vec<String> {
        self.draw();
        let all = (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
        all.filter(|&at| seen(&self.shown, at) != seen(page, at))
            .map(|at| format!("{at:?}: {:?}, not {:?}", seen(&self.shown, at), seen(page, at)))
            .collect()
    }
}

/// The page melts, is stirred, and loses and gains particles; every return ends with the page.
#[test]
fn a_return_ends_with_the_page_cell_by_cell() {
    for (name, text) in pages() {
        let (page, mut toy) = (expected(&text), Toy::new(&text));
        assert_eq!(toy.wrong(&page), [""; 0], "{name}: at first");
        for turn in ["melted", "drained", "poured"] {
            // The page holds for a second and a half, and the last parts take two seconds to melt.
            toy.step(if turn == "melted" { 260 } else { 170 });
            assert!(
                toy.wrong(&page).len() > page.content.iter().filter(|cell| cell.symbol() != " ").count() / 2,
                "{name}"
            );
            match turn {
                "drained" => toy.world.drain(30),
                "poured" => toy.world.pour(40),
                _ => {}
            }
            toy.step(60);
            assert_eq!(toy.demo.toggle(&mut toy.world), "flowing back", "{name}");
            // A return takes two and a half seconds at most.
            toy.step(155);
            assert_eq!(toy.wrong(&page), [""; 0], "{name}, {turn}: back");
            toy.step(60);
            assert_eq!(toy.wrong(&page), [""; 0], "{name}, {turn}: it stays");
            assert_eq!(toy.demo.toggle(&mut toy.world), "melting", "{name}");
        }
        toy.step(200);
        assert!(toy.demo.text().expect("a page").leave(&mut toy.world), "{name}: the end waits");
        toy.step(155);
        assert!(matches!(&toy.demo, Demo::Text(words) if words.has_left()), "{name}");
        assert_eq!(toy.wrong(&page), [""; 0], "{name}: at the end");
    }
}

#[test]
fn an_empty_page_does_not_melt() {
    for text in ["", "\n\n", "   \n \x1b[31m \x1b[m", "\x1b[2J"] {
        let window = Window { columns: SIZE.0, rows: SIZE.1, cell: [8, 16] };
        let refused = DemoSpec::ScreenCapture { text: text.to_owned(), window, loops: false }.build().map(drop);
        assert_eq!(refused, Err("nothing to melt in the input".to_owned()), "{text:?}");
    }
}

/// Saturation of a colour: 0 for grey.
fn saturation(color: Color) -> f32 {
    let Color::Rgb(r, g, b) = color else { return 0.0 };
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    if most == 0 { 0.0 } else { f32::from(most - least) / f32::from(most) }
}

/// Melted text keeps its colours, in the air beside other colours and in the pool.
#[test]
fn melted_text_keeps_its_colour() {
    let pure = |n: usize| ["0;0;230", "220;0;0", "0;200;0"][n % 3];
    let mixed: String =
        (0..12).map(|n| format!("\x1b[38;2;{}m{}\x1b[m\n", pure(n), "letters of one colour ".repeat(2))).collect();
    let blue = format!("\x1b[38;2;{}m{}", pure(0), "letters of one colour\n".repeat(12));
    for (moment, text, steps) in [("falling", &mixed, 170), ("falling", &blue, 170), ("in the pool", &blue, 370)] {
        let mut toy = Toy::new(text);
        toy.step(steps);
        toy.draw();
        let colors = toy.shown.content.iter().flat_map(|cell| [cell.fg, cell.bg]);
        let colors: Vec<f32> = colors.filter(|color| matches!(color, Color::Rgb(..))).map(saturation).collect();
        assert!(colors.len() > 50, "{moment}: {} colours", colors.len());
        let pale = colors.iter().filter(|&&saturation| saturation < 0.6).count();
        // A cell in which two colours meet may show their mean.
        let most = if text == &mixed { 15 } else { 5 };
        assert!(pale * 100 <= colors.len() * most, "{moment}: {pale} of {} colours are pale", colors.len());
    }
}

/// What the emulator alone would lose: line drawing, colours and underlines with colons, hidden and crossed-out text, and
/// bytes that were not UTF-8.
#[test]
fn a_page_shows_what_terminals_show() {
    let text = "\x1b(0lqk\x1b(B \x1b[38:2::1:2:3mred\x1b[m \x1b[4:3mwave\x1b[m [\x1b[8mpass\x1b[m] \x1b[9mgone\x1b[m a\u{fffd}\u{fffd}z";
    let mut toy = Toy::new(text);
    toy.draw();
    let row: String = (0..SIZE.0).map(|x| toy.shown[(x, 0)].symbol()).collect();
    assert_eq!(row.trim_end(), "┌─┐ red wave [    ] gone a??z");
    let cell = |x: usize| &toy.shown[(x as u16, 0)];
    assert_eq!(cell(4).fg, Color::Rgb(1, 2, 3));
    assert!(cell(8).modifier.contains(Modifier::UNDERLINED) && cell(20).modifier.contains(Modifier::CROSSED_OUT));
}

/// Text without a colour is dark on a light terminal, and so is its liquid.
#[test]
fn default_text_melts_in_the_colour_of_the_terminal() {
    let text = "letters of the default colour\n".repeat(12);
    let luminance = |color: Color| {
        let [r, g, b] = slosh::cell::color::xterm_rgb(color, Rgb::WHITE).linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    for foreground in [Some(Rgb(20, 20, 20)), None] {
        let mut toy = Toy::new(&text);
        let background = Some(Rgb::WHITE);
        let colors = TerminalColors { foreground, background, ..TerminalColors::default() };
        toy.demo.text().expect("a page").set_terminal_colors(&colors);
        toy.step(200);
        toy.draw();
        let inked = toy.shown.content.iter().filter(|cell| cell.symbol() != " " && cell.fg != Color::Reset);
        let contrasts: Vec<f32> = inked.map(|cell| 1.05 / (luminance(cell.fg) + 0.05)).collect();
        let mean = contrasts.iter().sum::<f32>() / contrasts.len() as f32;
        assert!(contrasts.len() > 50 && mean > 4.5, "{mean}:1 in {} cells", contrasts.len());
    }
}

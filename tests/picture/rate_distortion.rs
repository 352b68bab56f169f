//! The frame encoder's lossy choices, with a terminal emulator in the loop: the emulator's screen is compared with the
//! target, pixel by pixel.
#![cfg(feature = "app")]

use proptest::prelude::*;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::definition::WorldDef;
use slosh::sim::liquid::fluid::Fluid;
use slosh::sim::{World, WorldOptions};
use slosh::term::encoder::rate_control::RateController;
use slosh::term::encoder::rate_distortion::MAX_ERROR;
use slosh::term::encoder::{FrameEncoder, OutputCaps, RateTarget};
use slosh::view::camera::{CELL_PIXELS, Camera};
use slosh::view::raster::rasterize;
use slosh::view::{ColorDepth, LightMode, Painter, RenderStyle};

const SIZE: (u16, u16) = (24, 6);
/// Upper limit on the bytes of an exact cell: a move, two colours and a glyph.
const DEAREST: usize = 48;

struct Terminal {
    screen: FrameEncoder,
    emulator: vt100::Parser,
}

impl Terminal {
    fn new(dialect: OutputCaps) -> Self {
        let size = |n: u16| n.try_into().expect("not zero");
        let emulator = vt100::Parser::new(size(SIZE.1), size(SIZE.0), 0);
        Self { screen: FrameEncoder::new(dialect), emulator }
    }

    fn draw(&mut self, frame: &Buffer, terms: RateTarget) -> usize {
        let bytes = self.screen.encode_lossy(frame, terms);
        self.emulator.process(bytes);
        bytes.len()
    }

    /// The emulator's screen as cells.
    fn shown(&self) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        let color = |color| match color {
            vt100::Color::Default => Color::Reset,
            vt100::Color::Idx(index) => Color::Indexed(index),
            vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
        };
        for y in 0..SIZE.1 {
            for x in 0..SIZE.0 {
                let cell = self.emulator.screen().cell(y, x).expect("within the screen");
                let text = if cell.has_contents() { cell.contents() } else { " " };
                buffer[(x, y)].set_symbol(text).set_fg(color(cell.fgcolor())).set_bg(color(cell.bgcolor()));
            }
        }
        buffer
    }

    /// Squared differences between screen and target, in the colours of the terminal, cell by cell.
    fn errors(&self, wanted: &Buffer) -> Vec<u64> {
        let depth = self.screen.output_caps.depth;
        let mut wanted = wanted.clone();
        for cell in &mut wanted.content {
            (cell.fg, cell.bg) = (depth.nearest(cell.fg), depth.nearest(cell.bg));
        }
        let (shown, wanted) = (rasterize(&self.shown()), rasterize(&wanted));
        let mut errors = vec![0; usize::from(SIZE.0 * SIZE.1)];
        for (at, (a, b)) in shown.rgb.iter().zip(&wanted.rgb).enumerate() {
            let (x, y) = (at / 3 % shown.width / 8, at / 3 / shown.width / 16);
            errors[y * usize::from(SIZE.0) + x] += u64::from(a.abs_diff(*b)).pow(2);
        }
        errors
    }
}

/// Similar and different colours, the default colours, and indexed ones.
fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![
        6 => (0..6u8, 0..3u8).prop_map(|(g, b)| Color::Rgb(20, 60 + g * 3, 100 + b * 40)),
        1 => Just(Color::Reset),
        1 => prop::sample::select(vec![Color::Indexed(24), Color::Indexed(25), Color::Indexed(231)]),
    ]
}

fn any_output_caps() -> impl Strategy<Value = OutputCaps> {
    let depth = prop_oneof![3 => Just(ColorDepth::TrueColor), 1 => prop::sample::select(ColorDepth::ALL.to_vec())];
    (depth, any::<(bool, bool, bool, bool, bool)>()).prop_map(|(depth, (sync, row_order, erase, repeat, tabs))| {
        OutputCaps { depth, sync, row_order, erase, repeat, tabs }
    })
}

/// Glyphs of every family: blocks, quadrants, eighths, sextants, wedges, octants, braille, letters.
const GLYPHS: [&str; 2] = ["  ██▄▀▌▚▂▇▔▎🬓🬹", "🬼🭐🭤🭬\u{1cd00}\u{1cd42}⣶⠁xx.W"];

fn any_frame() -> impl Strategy<Value = Buffer> {
    let glyph = prop::sample::select(GLYPHS.concat().chars().collect::<Vec<_>>());
    let cell = (glyph, any_color(), any_color()).boxed();
    let runs = prop::collection::vec((0..150usize, 1..30usize, cell.clone()), 0..20);
    (cell, runs).prop_map(|(ground, runs)| {
        let mut frame = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        let cells = frame.content.len();
        let all = std::iter::once((0, cells, ground)).chain(runs);
        for (start, length, (glyph, fg, bg)) in all {
            for cell in frame.content.iter_mut().skip(start).take(length) {
                cell.set_char(glyph).set_fg(fg).set_bg(bg);
            }
        }
        frame
    })
}

/// A pool under an empty sky, which has long runs of cells.
fn pool() -> Buffer {
    let mut frame = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    for y in 3..SIZE.1 {
        for x in 0..SIZE.0 {
            let (glyph, water) =
                if y == 3 { ('▄', Color::Rgb(40, 120, 220)) } else { ('▚', Color::Rgb(20, 60, 140)) };
            frame[(x, y)].set_char(glyph).set_fg(water).set_bg(Color::Rgb(0, 0, 40));
        }
    }
    frame
}

/// A gradient of many colours.
fn slope() -> Buffer {
    let mut frame = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    for y in 0..SIZE.1 {
        for x in 0..SIZE.0 {
            let (x8, y8) = (x as u8, y as u8);
            frame[(x, y)].set_bg(Color::Rgb(20, 60 + x8, 100 + x8 + 2 * y8));
        }
    }
    frame
}

/// A stable cell is worth more bytes than one that has just changed, even while the picture still moves; after it has
/// improved, no more bytes are sent for it.
#[test]
fn stable_cells_improve_while_others_move() {
    let mut terminal = Terminal::new(OutputCaps::default());
    let mut lasting = Vec::new();
    let mut bytes = Vec::new();
    for number in 0..40u16 {
        let mut frame = slope();
        frame[(number % SIZE.0, 0)].set_bg(Color::Rgb(250, 250, 250));
        bytes.push(terminal.draw(&frame, RateTarget { lambda: 400, max_bytes: usize::MAX }));
        lasting.push(terminal.errors(&frame)[usize::from(SIZE.0)..].iter().sum::<u64>());
    }
    assert!(lasting[0] > 0 && lasting[7] > lasting[0] * 8 / 10, "{lasting:?}");
    assert!(lasting[39] < lasting[0] / 3, "{lasting:?}");
    assert!(bytes[30..].iter().all(|&bytes| bytes < 120), "{bytes:?}");
}

/// The lossy choice sends no glyph outside of the set: for a picture of quadrants, their inverses are quadrants too.
#[test]
fn only_glyphs_of_the_set_are_sent() {
    let sextants = ('\u{1fb00}'..='\u{1fb3b}').collect::<String>();
    let blocks = "▀▄▌▐█▘▝▖▗▙▟▛▜▚▞▁▂▃▅▆▇▏▎▍▋▊▉▔▕";
    for set in ["▀▄█".to_owned(), blocks.to_owned(), format!("{blocks}{sextants}")] {
        let mut terminal = Terminal::new(OutputCaps { sync: false, ..OutputCaps::default() });
        for (lambda, bright) in [(0, 0), (0, 200), (400, 90), (400, 200)] {
            let mut frame = slope();
            for (cell, glyph) in frame.content.iter_mut().zip(set.chars().cycle()) {
                cell.set_char(glyph).set_fg(Color::Rgb(20, bright, 200));
            }
            let bytes = terminal.screen.encode_lossy(&frame, RateTarget { lambda, max_bytes: usize::MAX });
            let sent = String::from_utf8_lossy(bytes);
            let strange = sent.chars().find(|&c| !c.is_ascii() && !set.contains(c));
            assert_eq!(strange, None, "of {set} at {lambda}: {sent}");
        }
    }
}

#[test]
fn a_temporary_reduction_of_colours_redraws_nothing() {
    let (mut terminal, pool) = (Terminal::new(OutputCaps::default()), pool());
    let exact = RateTarget { lambda: 0, max_bytes: usize::MAX };
    let whole = terminal.draw(&pool, exact);
    terminal.screen.output_caps.depth = ColorDepth::Ansi256;
    let coarse = terminal.draw(&pool, RateTarget { lambda: 1 << 20, max_bytes: usize::MAX });
    assert!(coarse == 0, "{coarse} bytes where the screen is better than the reduced colours, {whole} for all of it");
    terminal.draw(&pool, exact);
    terminal.screen.output_caps.depth = ColorDepth::TrueColor;
    terminal.draw(&pool, exact);
    assert!(terminal.screen.exact);
    assert_eq!(terminal.errors(&pool).iter().sum::<u64>(), 0, "all colours have come back");
}

/// On a terminal that may show a half-drawn frame, the split is clean: wherever the bytes are cut, every row but one
/// belongs entirely to the new frame or to the old one.
#[test]
fn a_half_drawn_frame_is_split_at_one_row() {
    for lambda in [0, 60, 400] {
        let caps = OutputCaps { sync: false, row_order: true, repeat: true, ..OutputCaps::default() };
        let mut terminal = Terminal::new(caps);
        // The first frame on a cleared screen cannot tear, and takes the fewest bytes.
        terminal.draw(&pool(), RateTarget { lambda, max_bytes: usize::MAX });
        for frame in [slope(), pool(), slope(), pool()] {
            let row = |screen: &vt100::Screen, row: u16| -> Vec<_> {
                (0..SIZE.0).map(|x| screen.cell(row, x).cloned()).collect()
            };
            let rows = |screen: &vt100::Screen| (0..SIZE.1).map(|y| row(screen, y)).collect::<Vec<_>>();
            let before = rows(terminal.emulator.screen());
            let bytes = terminal.screen.encode_lossy(&frame, RateTarget { lambda, max_bytes: usize::MAX }).to_vec();
            let mut whole = vt100::Parser::new(SIZE.1.try_into().unwrap(), SIZE.0.try_into().unwrap(), 0);
            let start = terminal.emulator.screen().state_formatted();
            whole.process(start.as_bytes());
            whole.process(&bytes);
            let after = rows(whole.screen());
            for chunk in bytes.chunks(7) {
                terminal.emulator.process(chunk);
                let now = rows(terminal.emulator.screen());
                let torn = (0..now.len()).filter(|&y| now[y] != before[y] && now[y] != after[y]).count();
                let first_old = (0..now.len()).find(|&y| now[y] != after[y]).unwrap_or(now.len());
                let late = (first_old + 1..now.len()).filter(|&y| now[y] != before[y]).count();
                assert!(torn <= 1 && late == 0, "at {lambda}: {torn} rows are torn, {late} below them are new");
            }
        }
    }
}

/// The number of control sequences with this final byte.
fn sequences(bytes: &[u8], last: u8) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let ends = text.split("\x1b[").skip(1).filter_map(|rest| rest.bytes().find(|byte| (0x40..0x7f).contains(byte)));
    ends.filter(|&byte| byte == last).count()
}

/// Runs are repeated (REP) and erased (ECH) only on terminals that support it; the screen is the same.
#[test]
fn runs_are_repeated_and_erased_where_the_terminal_can() {
    let sky = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    let mut lengths = Vec::new();
    for (repeat, erase) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut terminal = Terminal::new(OutputCaps { repeat, erase, ..OutputCaps::default() });
        let mut sent = Vec::new();
        for frame in [&pool(), &sky, &pool()] {
            sent.extend_from_slice(
                terminal.screen.encode_lossy(frame, RateTarget { lambda: 0, max_bytes: usize::MAX }),
            );
            terminal.emulator.process(terminal.screen.bytes());
            assert_eq!(terminal.errors(frame).into_iter().max(), Some(0), "REP {repeat}, ECH {erase}");
        }
        assert_eq!(sequences(&sent, b'b') > 0, repeat, "{}", String::from_utf8_lossy(&sent));
        assert_eq!(sequences(&sent, b'X') > 0, erase, "{}", String::from_utf8_lossy(&sent));
        lengths.push(sent.len());
    }
    assert!(
        lengths[3] < lengths[1] && lengths[3] < lengths[2] && lengths[1].max(lengths[2]) < lengths[0],
        "{lengths:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn at_lambda_zero_the_screen_is_exact(
        dialect in any_output_caps(), frames in prop::collection::vec(any_frame(), 1..5)
    ) {
        let mut terminal = Terminal::new(dialect);
        for frame in &frames {
            terminal.draw(frame, RateTarget { lambda: 0, max_bytes: usize::MAX });
            prop_assert_eq!(terminal.errors(frame).into_iter().max(), Some(0));
            prop_assert!(terminal.screen.exact);
            prop_assert_eq!(terminal.draw(frame, RateTarget { lambda: 0, max_bytes: usize::MAX }), 0);
        }
    }

    #[test]
    fn at_any_lambda_the_error_of_a_cell_is_bounded(
        dialect in any_output_caps(), frames in prop::collection::vec((any_frame(), 0..30_000u32), 1..6)
    ) {
        let mut terminal = Terminal::new(dialect);
        for (frame, lambda) in &frames {
            terminal.draw(frame, RateTarget { lambda: *lambda, max_bytes: usize::MAX });
            let errors = terminal.errors(frame);
            let bound = u64::from(*lambda) * u64::from(MAX_ERROR);
            prop_assert!(errors.iter().all(|&error| error <= bound), "λ = {}: {:?}", lambda, errors);
            let letter = |cell: &ratatui_core::buffer::Cell| Some(cell.symbol().to_owned()).filter(|symbol| symbol.is_ascii());
            let text = |buffer: &Buffer| buffer.content.iter().map(letter).map(|text| text.filter(|c| c != " ")).collect::<Vec<_>>();
            prop_assert_eq!(text(&terminal.shown()), text(frame), "letters are exact at any λ");
        }
    }

    /// However slow the link: bounded bytes per frame, and at rest the exact picture, then no more bytes.
    #[test]
    fn a_picture_at_rest_becomes_exact_and_then_nothing_is_sent(
        dialect in any_output_caps(), frames in prop::collection::vec(any_frame(), 1..4), budget in 100..3000usize
    ) {
        let (mut terminal, mut quality) = (Terminal::new(dialect), RateController::default());
        let mut draw = |terminal: &mut Terminal, frame: &Buffer| {
            let bytes = terminal.draw(frame, quality.target(budget));
            quality.record(bytes, terminal.screen.unchanged);
            bytes
        };
        for frame in &frames {
            let bytes = draw(&mut terminal, frame);
            let last = 2 * DEAREST;
            prop_assert!(bytes <= budget * 3 / 2 + last, "{} bytes for {}", bytes, budget);
        }
        let last = frames.last().expect("at least one");
        let mut turns = 0;
        while !terminal.screen.exact || turns == 0 {
            draw(&mut terminal, last);
            turns += 1;
            prop_assert!(turns < 200, "it does not settle");
        }
        prop_assert_eq!(terminal.errors(last).into_iter().max(), Some(0));
        prop_assert_eq!(draw(&mut terminal, last), 0);
    }
}

/// On an overloaded link many outdated cells stay, but no drops stay in empty space.
#[test]
fn no_outdated_drops_stay_on_an_empty_background() {
    let mut terminal = Terminal::new(OutputCaps::default());
    let liquid = Color::Rgb(40, 110, 190);
    let mut frame = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    for x in 0..SIZE.0 {
        frame[(x, 4)].set_bg(liquid);
    }
    let still = frame.clone();
    for x in 4..12 {
        frame[(x, 1)].set_char('▁').set_fg(liquid);
        frame[(x, 4)].set_char('▁').set_fg(Color::Rgb(0, 0, 0));
    }
    terminal.draw(&frame, RateTarget { lambda: 0, max_bytes: usize::MAX });
    terminal.draw(&still, RateTarget { lambda: 80_000, max_bytes: usize::MAX });
    let shown = terminal.shown();
    for x in 4..12 {
        assert_eq!((shown[(x, 1)].symbol(), shown[(x, 1)].bg), (" ", Color::Reset), "column {x}");
        assert_eq!(shown[(x, 4)].symbol(), "▁", "the same error within the liquid has to wait");
    }
}

/// The blob, which is calm after twelve seconds; the default water is not.
fn calming() -> World {
    let dam = Scene::parse(scene::find("dam").expect("dam is embedded"), "dam").expect("dam is sound").world;
    let aspect = Camera::aspect(Rect::new(0, 0, 80, 24), CELL_PIXELS);
    World::new(
        &WorldDef { fluid: Fluid::blob(), particles: 3000, ..dam },
        &WorldOptions { aspect, ..WorldOptions::default() },
    )
}

/// Near rest the picture repeatedly stands still for a frame or two. The encoder must not redraw it each time: in two
/// seconds at 30 frames per second, it sends no more bytes than the plain differences of the same frames.
#[test]
fn calm_water_takes_no_more_than_the_plain_difference() {
    let area = Rect::new(0, 0, 80, 24);
    let mut world = calming();
    let mut viewers = [LightMode::FLAT, LightMode::FULL].map(|light| Viewer::new(light, area));
    for number in 0..=420 {
        (0..2).for_each(|_| world.step());
        viewers.iter_mut().for_each(|viewer| viewer.look(&world, number > 360));
    }
    for Viewer { style, plain_bytes, bytes, .. } in &viewers {
        let most = *plain_bytes;
        assert!(bytes.iter().all(|&bytes| bytes <= most), "{bytes:?} bytes in {:?} light, plainly {most}", style.light);
    }
    // Glints move with the remaining waves, and take three times as many bytes.
    let flat = viewers[0].plain_bytes;
    assert!((300..6000).contains(&flat), "{flat} bytes: the water does not become calm, or is calm already");
}

/// A picture of the water, encoded plainly and by two lossy encoders.
struct Viewer {
    painter: Painter,
    style: RenderStyle,
    frame: Buffer,
    plain: FrameEncoder,
    careful: [(FrameEncoder, RateController); 2],
    plain_bytes: usize,
    bytes: [usize; 2],
}

impl Viewer {
    fn new(light: LightMode, area: Rect) -> Self {
        Self {
            painter: Painter::default(),
            style: RenderStyle { light, ..RenderStyle::default() },
            frame: Buffer::empty(area),
            plain: FrameEncoder::new(OutputCaps::default()),
            careful: [RateController::default(), RateController::economical()]
                .map(|it| (FrameEncoder::new(OutputCaps::default()), it)),
            plain_bytes: 0,
            bytes: [0; 2],
        }
    }

    fn look(&mut self, world: &World, counts: bool) {
        self.painter.paint(world, &self.style, CELL_PIXELS, self.frame.area, &mut self.frame);
        self.plain_bytes += usize::from(counts) * self.plain.encode(&self.frame).len();
        for ((screen, quality), bytes) in self.careful.iter_mut().zip(&mut self.bytes) {
            let sent = screen.encode_lossy(&self.frame, quality.target(usize::MAX)).len();
            quality.record(sent, screen.unchanged);
            *bytes += usize::from(counts) * sent;
        }
    }
}

/// If the link has room, the encoder saves its own time, but it never writes more than the plain difference of the same
/// frames.
#[test]
fn a_quick_frame_takes_no_more_than_the_plain_difference() {
    let area = Rect::new(0, 0, 80, 24);
    let dam = Scene::parse(scene::find("dam").expect("dam is embedded"), "dam").expect("dam is sound").world;
    let setup = WorldOptions { aspect: Camera::aspect(area, CELL_PIXELS), ..WorldOptions::default() };
    let mut world = World::new(&WorldDef { particles: 3000, ..dam }, &setup);
    let (mut painter, mut frame, look) = (Painter::default(), Buffer::empty(area), RenderStyle::default());
    let (mut plain, mut quick) = (FrameEncoder::new(OutputCaps::default()), FrameEncoder::new(OutputCaps::default()));
    let mut quality = RateController::default();
    for number in 0..60 {
        (0..2).for_each(|_| world.step());
        painter.paint(&world, &look, CELL_PIXELS, area, &mut frame);
        let most = plain.encode(&frame).len();
        let sent = quick.encode_lossy(&frame, quality.target(usize::MAX)).len();
        quality.record(sent, quick.unchanged);
        assert!(sent <= most, "frame {number}: {sent} bytes, plainly {most}");
    }
}

/// Bold text is not a picture: it appears and disappears at any λ, and so do the cells around it.
#[test]
fn bold_text_appears_and_disappears_at_any_lambda() {
    let mut terminal = Terminal::new(OutputCaps::default());
    let dear = RateTarget { lambda: 200_000, max_bytes: usize::MAX };
    let text = |frame: &Buffer, y| (0..SIZE.0).map(|x| frame[(x, y)].symbol().to_owned()).collect::<String>();
    terminal.draw(&pool(), RateTarget { lambda: 0, max_bytes: usize::MAX });
    for said in ["speed 0.5x", "paused now", ""] {
        let mut frame = pool();
        frame.set_string(4, 1, said, Style::new().fg(Color::White).add_modifier(Modifier::BOLD));
        frame.set_string(2, 4, said, Style::new().fg(Color::White).bg(Color::Black));
        terminal.draw(&frame, dear);
        assert_eq!(text(&terminal.shown(), 1), text(&frame, 1));
        assert!(text(&terminal.shown(), 4).contains(said), "{:?}", text(&terminal.shown(), 4));
    }
}

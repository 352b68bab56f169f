//! The four ready-made widgets, drawn into buffers as an app does, as animated pictures: `cargo run --example widgets
//! FOLDER` writes `gauge.png`, `loading.png`, `text_over_fluid.png` and `bar_chart.png`, and `widgets.png` with all of
//! them.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Text};
use ratatui_core::widgets::StatefulWidget;
use slosh::app::recorder::apng::Apng;
use slosh::scene::Scene;
use slosh::view::widget::bar_chart::{FluidBarChart, FluidBarChartState};
use slosh::view::widget::gauge::{FluidGauge, FluidGaugeState};
use slosh::view::widget::loading::Loading;
use slosh::view::widget::text_over_fluid::OverFluid;
use slosh::{Slosh, SloshState, scene};
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

/// Frames per second, and their number: enough to see the motion, few enough for a page of documentation.
const RATE: u32 = 8;
const FRAMES: u32 = 32;
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / RATE as u64);
/// Upper limit on the pixels of a picture, to keep the pages of the documentation small.
const MAX_PIXELS: usize = 200_000;

/// A widget and its state: draws frame `n` into an area.
type Draw = Box<dyn FnMut(u32, Rect, &mut Buffer)>;

fn gauge() -> Draw {
    let mut state = FluidGaugeState::default();
    Box::new(move |frame, area, buffer| {
        let value = if frame < FRAMES / 2 { 0.35 } else { 0.7 };
        FluidGauge::new(value).label(format!("disk {:.0} %", 100.0 * value)).render(area, buffer, &mut state);
        state.advance(FRAME);
    })
}

fn loading() -> Draw {
    let mut state = FluidGaugeState::default();
    Box::new(move |frame, area, buffer| {
        Loading::new(f64::from(frame + 1) / f64::from(FRAMES)).message("fetching").render(area, buffer, &mut state);
        state.advance(FRAME);
    })
}

fn text_over_fluid() -> Draw {
    let dam = Scene::parse(scene::find("dam").expect("it comes with slosh"), "dam").expect("a good scene");
    let mut state = SloshState::new(&dam.world);
    let lines = ["Release notes", "", "Text stays readable,", "whatever flows behind it."];
    let words = Text::from(lines.map(Line::raw).to_vec());
    Box::new(move |_, area, buffer| {
        OverFluid::new(words.clone(), Slosh::new()).render(area, buffer, &mut state);
        state.advance(FRAME);
    })
}

fn bar_chart() -> Draw {
    let mut state = FluidBarChartState::default();
    Box::new(move |frame, area, buffer| {
        let (up, down) = if frame < FRAMES / 2 { (0.3, 0.7) } else { (0.8, 0.4) };
        let bars = [FluidGauge::new(up).label("up"), FluidGauge::new(down).label("down")];
        FluidBarChart::new(bars).render(area, buffer, &mut state);
        state.advance(FRAME);
    })
}

/// Draws these widgets, each in its area, into one animated picture.
fn film(path: PathBuf, size: Rect, mut widgets: Vec<(Rect, Draw)>) -> std::io::Result<()> {
    let mut buffer = Buffer::empty(size);
    let mut picture = Apng::new(File::create(path)?, &buffer, MAX_PIXELS);
    for frame in 0..FRAMES {
        buffer.reset();
        widgets.iter_mut().for_each(|(area, draw)| draw(frame, *area, &mut buffer));
        picture.frame(FRAME * frame, &buffer)?;
    }
    picture.finish(FRAME * FRAMES)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder for the pictures")?);
    type Widget = (&'static str, fn() -> Draw);
    let all: [Widget; 4] =
        [("gauge", gauge), ("loading", loading), ("text_over_fluid", text_over_fluid), ("bar_chart", bar_chart)];
    let one = Rect::new(0, 0, 24, 6);
    for (name, widget) in all {
        film(folder.join(format!("{name}.png")), one, vec![(one, widget())])?;
    }
    let places = [(1, 0), (33, 0), (1, 10), (33, 10)].map(|(x, y)| Rect::new(x, y, 30, 9));
    let widgets = places.into_iter().zip(all).map(|(area, (_, widget))| (area, widget())).collect();
    film(folder.join("widgets.png"), Rect::new(0, 0, 64, 20), widgets)?;
    Ok(())
}

//! The widget in use, drawn into buffers as an app does, as animated pictures: `cargo run --example widgets FOLDER`
//! writes `widgets.png`, with a gauge, a loading screen, text over fluid and a chart, and `text_over_fluid.png`.

#[path = "../../examples/gauges/gauge.rs"]
mod gauge;

use gauge::{Gauge, GaugeState};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Constraint, Layout, Rect};
use ratatui_core::text::{Line, Text};
use ratatui_core::widgets::StatefulWidget;
use slosh::OverFluid;
use slosh::app::record::{Recording, WriteOptions};
use slosh::scene::Scene;
use slosh::{Slosh, SloshState, scene};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Frames per second, and their number: enough to see the motion, few enough for a page of documentation.
const RATE: u32 = 8;
const FRAMES: u32 = 32;
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / RATE as u64);

/// A widget and its state: draws frame `n` into an area.
type Draw = Box<dyn FnMut(u32, Rect, &mut Buffer)>;

fn gauge() -> Draw {
    let mut state = GaugeState::default();
    Box::new(move |frame, area, buffer| {
        let value = if frame < FRAMES / 2 { 0.35 } else { 0.7 };
        Gauge::new(value, format!("disk {:.0} %", 100.0 * value)).render(area, buffer, &mut state);
        state.advance(FRAME);
    })
}

fn loading() -> Draw {
    let mut state = GaugeState::default();
    Box::new(move |frame, area, buffer| {
        let progress = f64::from(frame + 1) / f64::from(FRAMES);
        Gauge::new(progress, format!("fetching {:.0} %", 100.0 * progress)).render(area, buffer, &mut state);
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
    let mut tanks = [GaugeState::default(), GaugeState::default()];
    Box::new(move |frame, area, buffer| {
        let (up, down) = if frame < FRAMES / 2 { (0.3, 0.7) } else { (0.8, 0.4) };
        let areas: [Rect; 2] = Layout::horizontal([Constraint::Fill(1); 2]).spacing(1).areas(area);
        let gauges = [Gauge::new(up, "up"), Gauge::new(down, "down")];
        for ((gauge, tank), area) in gauges.into_iter().zip(&mut tanks).zip(areas) {
            gauge.render(area, buffer, tank);
            tank.advance(FRAME);
        }
    })
}

/// Draws these widgets, each in its area, into one animated picture.
fn film(path: &Path, size: Rect, mut widgets: Vec<(Rect, Draw)>) -> Result<(), Box<dyn std::error::Error>> {
    let mut buffer = Buffer::empty(size);
    let options = WriteOptions { force: true, every_frame: true, ..WriteOptions::default() };
    let mut picture = Recording::begin(path, size, options, None)?;
    for frame in 0..FRAMES {
        buffer.reset();
        widgets.iter_mut().for_each(|(area, draw)| draw(frame, *area, &mut buffer));
        picture.frame(FRAME * frame, &buffer, "")?;
    }
    Ok(picture.finish(FRAME * FRAMES, "")?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder for the pictures")?);
    let one = Rect::new(0, 0, 24, 6);
    film(&folder.join("text_over_fluid.png"), one, vec![(one, text_over_fluid())])?;
    let places = [(1, 0), (33, 0), (1, 10), (33, 10)].map(|(x, y)| Rect::new(x, y, 30, 9));
    let widgets = places.into_iter().zip([gauge(), loading(), text_over_fluid(), bar_chart()]).collect();
    film(&folder.join("widgets.png"), Rect::new(0, 0, 64, 20), widgets)
}

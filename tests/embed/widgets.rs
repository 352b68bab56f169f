//! The four ready-made widgets beside each other, drawn into a buffer as any app would, and written as a PNG:
//! `cargo run --example widgets > widgets.png`.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Text};
use ratatui_core::widgets::StatefulWidget;
use slosh::app::recorder::png;
use slosh::scene;
use slosh::scene::Scene;
use slosh::view::raster::rasterize;
use slosh::view::widget::bar_chart::{FluidBarChart, FluidBarChartState};
use slosh::view::widget::gauge::{FluidGauge, FluidGaugeState};
use slosh::view::widget::loading::Loading;
use slosh::view::widget::text_over_fluid::OverFluid;
use slosh::{Slosh, SloshState};
use std::io::Write;
use std::time::Duration;

const FRAME: Duration = Duration::from_millis(33);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 64, 20));
    let [top, bottom] = [0, 10].map(|y| [Rect::new(1, y, 30, 9), Rect::new(33, y, 30, 9)]);

    let (mut disk, mut loading, mut tanks) =
        (FluidGaugeState::default(), FluidGaugeState::default(), FluidBarChartState::default());
    let mut pool = SloshState::new(&Scene::parse(scene::find("dam").expect("it comes with slosh"), "dam")?.world);
    let words = Text::from(vec![
        Line::raw("Release notes"),
        Line::raw(""),
        Line::raw("Text stays readable,"),
        Line::raw("whatever flows behind it."),
    ]);
    for frame in 0..40 {
        buffer.reset();
        FluidGauge::new(0.6).label("disk 60 %").render(top[0], &mut buffer, &mut disk);
        Loading::new(f64::from(frame) / 80.0).message("fetching").render(top[1], &mut buffer, &mut loading);
        OverFluid::new(words.clone(), Slosh::new()).render(bottom[0], &mut buffer, &mut pool);
        FluidBarChart::new([FluidGauge::new(0.3), FluidGauge::new(0.7)]).render(bottom[1], &mut buffer, &mut tanks);
        disk.tank_mut().into_iter().for_each(|tank| tank.tilt_to(0.12));
        [&mut disk, &mut loading].into_iter().for_each(|state| state.advance(FRAME));
        pool.advance(FRAME);
        tanks.advance(FRAME);
    }
    std::io::stdout().write_all(&png::encode(&rasterize(&buffer))?)?;
    Ok(())
}

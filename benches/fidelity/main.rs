//! The fidelity of each glyph set to the reference picture, and its time; and the best result of `chafa` for the same
//! picture, where it is installed.
//!
//! `cargo bench --bench fidelity [-- SCENE --json]`
//!
//! The reference is the picture at 8×16 pixels per cell that `slosh render --format png --ideal` writes. Cells are
//! drawn by their coverage and compared in sRGB code values: PSNR over all three channels, SSIM on luma.

mod chafa;
mod compare;
#[path = "../shared/picture.rs"]
mod picture;
#[allow(dead_code)]
#[path = "../shared/stopwatch.rs"]
mod stopwatch;

use clap::Parser;
use compare::{psnr, ssim};
use picture::BenchArgs;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde::Serialize;
use slosh::app::action::Window;
use slosh::app::error::Error;
use slosh::sim::World;
use slosh::view::camera::CELL_PIXELS;
use slosh::view::image::Image;
use slosh::view::raster::rasterize;
use slosh::view::reference_image::paint_reference;
use slosh::view::{Background, GlyphMode, Painter, RenderStyle};
use std::io::{self, Write};
use stopwatch::{Stopwatch, USUAL_SIZES};

/// Moments of the scene, in seconds.
const MOMENTS: [(&str, f64); 2] = [("splash", 0.8), ("calm", 15.0)];

/// Number of times that a frame is painted.
const RUNS: usize = 30;

/// One glyph set, or chafa, on one picture.
#[derive(Debug, Serialize)]
struct Row {
    columns: u16,
    rows: u16,
    moment: &'static str,
    name: String,
    /// In dB.
    psnr: f64,
    ssim: f64,
    /// Milliseconds to choose glyphs and colours, and for the entire frame, field and light included.
    fit_ms: f64,
    frame_ms: f64,
}

fn main() -> Result<(), Error> {
    let args = BenchArgs::parse();
    chafa::self_test();
    compare::self_test();
    if args.test {
        return Ok(());
    }
    let mut rows = Vec::new();
    for size in USUAL_SIZES {
        let mut job = args.job(size)?;
        let look = job.look()?;
        for (moment, seconds) in MOMENTS {
            job.run.play_to(seconds);
            let first = rows.len();
            measure(&job.run.world, &look, (size, moment), &mut rows)?;
            if !args.json {
                print(&rows[first..], &job.run.scene.name, job.run.world.particles())?;
            }
        }
    }
    if args.json {
        let text = serde_json::to_string_pretty(&rows).map_err(io::Error::from)?;
        writeln!(io::stdout().lock(), "{text}")?;
    } else if !chafa::is_installed() {
        writeln!(io::stdout().lock(), "\nchafa is not installed; with it this would compare with its best setting")?;
    }
    Ok(())
}

fn measure(
    world: &World,
    look: &RenderStyle,
    (size, moment): (Window, &'static str),
    rows: &mut Vec<Row>,
) -> Result<(), Error> {
    let area = Rect::new(0, 0, size.columns, size.rows);
    let ideal = paint_reference(world, None, look, CELL_PIXELS, area);
    let row = |name: String, shown: &Image, fit_ms: f64, frame_ms: f64| Row {
        columns: size.columns,
        rows: size.rows,
        moment,
        name,
        psnr: psnr(shown, &ideal),
        ssim: ssim(shown, &ideal),
        fit_ms,
        frame_ms,
    };
    let painted = RenderStyle { background: painted_ground(look), ..look.clone() };
    for glyphs in GlyphMode::ALL {
        let (cells, times) = paint(world, &RenderStyle { glyphs, ..painted.clone() }, area);
        rows.push(row(glyphs.name().to_owned(), &rasterize(&cells), times[2], times.iter().sum()));
    }
    let (cells, times) = paint(world, &RenderStyle { glyphs: GlyphMode::Wedge, ..look.clone() }, area);
    rows.push(row("wedge, on the terminal's own ground".to_owned(), &rasterize(&cells), times[2], times.iter().sum()));
    for fit in chafa::fits(&ideal, size)? {
        rows.push(row(format!("chafa {}", fit.settings), &fit.shown, fit.ms, fit.ms));
    }
    Ok(())
}

/// The picture's own background, painted, so that both colours of every cell are free, as they are for chafa. On the
/// terminal's own background, which may be transparent, cells at edges keep one colour for it.
fn painted_ground(look: &RenderStyle) -> Background {
    let (rgb, _) = look.background.resolve(&look.palette);
    Background::Painted(rgb)
}

/// A frame, and the milliseconds of its stages.
fn paint(world: &World, look: &RenderStyle, area: Rect) -> (Buffer, [f64; 3]) {
    let (mut painter, mut frame) = (Painter::default(), Buffer::empty(area));
    let mut laps = Stopwatch::<4>::default();
    for _ in 0..RUNS {
        laps.start();
        painter.paint_observed(world, look, CELL_PIXELS, area, &mut frame, |stage| laps.lap(stage as usize));
        laps.finish();
    }
    (frame, std::array::from_fn(|stage| laps.median_of(stage)))
}

fn print(rows: &[Row], scene: &str, particles: usize) -> Result<(), Error> {
    let Some(first) = rows.first() else { return Ok(()) };
    let Row { moment, columns, rows: height, .. } = first;
    let title = format!("{scene} {moment}, {columns}×{height}, {particles} particles");
    let mut text = format!("\n{title:<74}{:>6}{:>8}{:>9}{:>10}\n", "dB", "SSIM", "fit ms", "frame ms");
    for Row { name, psnr, ssim, fit_ms, frame_ms, .. } in rows {
        text += &format!("  {name:<72}{psnr:>6.2}{ssim:>8.4}{fit_ms:>9.3}{frame_ms:>10.3}\n");
    }
    if let (Some(ours), Some(chafa)) = (rows.iter().find(|row| row.name == "wedge"), chafa_of(rows)) {
        text += &format!(
            "  wedge against chafa's best, --work 9, each on one thread: {:+.2} dB; its fit takes {:.0} times ours, and \
             {:.0} times our whole frame\n",
            ours.psnr - chafa.psnr,
            chafa.fit_ms / ours.fit_ms,
            chafa.fit_ms / ours.frame_ms
        );
    }
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

fn chafa_of(rows: &[Row]) -> Option<&Row> {
    rows.iter().find(|row| row.name.starts_with("chafa"))
}

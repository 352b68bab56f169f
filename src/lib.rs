//! slosh: a tank of fluid in your terminal, as a ratatui widget and as a toy.
//!
//! Arrows point inward: `app` → `view` → `sim`, and all of them may read [`data`]. The simulation knows no terminal, no
//! wall clock and no files; the view turns a world into cells of a ratatui buffer and knows no terminal session; only
//! the app does I/O. Without the default feature `app` the crate is the simulation and the widget, on `ratatui-core`.
//!
//! # One frame
//!
//! ```text
//! 1 term      wait for events until the next frame is due
//! 2 action    event → Action
//! 3 app       update(action): the only door through which the app's state changes
//! 4 clock     advance(elapsed) → so many fixed steps of 1/60 s
//! 5 sim       so many × World::step: taps pour, walls move, each matter steps
//! 6 field     splat the matter at sub-cell resolution; light falls in
//! 7 glyph     each cell gets the glyph and the two colours nearest to its samples
//! 8 overlay   help, stats, level, hand: drawn last
//! 9 term      what changed, in few bytes, as fast as the link drains
//! ```
//!
//! # Code map
//!
//! | to change | go to |
//! |---|---|
//! | the order of things in a step of the world; what is done to it, and can be asked of it | `sim.rs`; `sim/world/commands.rs`, `sim/world/queries.rs` |
//! | the tank's shape, its walls as they are drawn and lifted; sleep of the whole | `sim/world/tank.rs`; `sim/world/sleep.rs` |
//! | tilt and shake; taps and drains, and pouring by hand | `sim/world/tank_motion.rs`; `sim/world/inlets_outlets.rs`, `sim/world/inlets_outlets/ports.rs` |
//! | the liquid (Clavet, Beaudoin & Poulin 2005): the step; parameters, walls, sleep, who comes and goes | `sim/liquid/double_density.rs`, `sim/ddr/` |
//! | what a pair of its particles does to each other; how pairs meet, in vectors | `sim/liquid/double_density/pair_kernels.rs`, `sim/neighbors/pairs.rs` |
//! | what keeps water liquid; the longest step that is stable | `sim/liquid/double_density/thermostat.rs`; `sim/liquid/rest_state.rs` |
//! | springs between neighbours; how they yield and pull | `sim/liquid/springs.rs`, `sim/springs/` |
//! | several fluids in one tank: masses, colours that run | `sim/liquid/phases.rs` |
//! | fluids by name; how a scene speaks of them | `data/fluids.toml`, `scene/fluids.rs`, `scene/fluid.rs` |
//! | which vector instructions are used | `sim/parallel/instructions.rs` |
//! | neighbour search; the sort behind it; the particle store | `sim/neighbors.rs`, `sim/neighbors/sort.rs`, `sim/particles.rs` |
//! | which parts of a liquid sleep | `sim/neighbors/sleep_map.rs` |
//! | how passes are shared among threads, and the threads | `sim/neighbors/row_chunks.rs`, `sim/parallel.rs`, `sim/world/threads.rs` |
//! | walls and obstacles as distances; what a wall cuts off | `sim/boundary.rs`, `sim/walls/{shape,halfplane,table}.rs` |
//! | obstacles drawn in text: read, as one shape, by `--obstacles` | `scene/art.rs`, `sim/boundary/sdf_grid.rs`, `cli/args/obstacle_file.rs` |
//! | density at rest; filling a region | `sim/particles/{rest,fill}.rs` |
//! | the hand in the tank; its forces | `sim/world/pointer.rs`, `sim/pointer_force.rs` |
//! | the same liquid out of more or fewer particles, strained as it is | `sim/particles/{refine,strain}.rs` |
//! | what `probe` measures: of the whole, of a piece, at a place | `sim/statistics.rs`, `sim/region_probe.rs` |
//! | the clock; being told which pass has ended | `sim/clock.rs`, `sim/observer.rs` |
//! | what a tank can hold: the one list of it; what it holds when it begins | `sim/world/matter.rs`; `sim/world/matter/build.rs` |
//! | smoothed particles (Müller 2003): the step; parameters and limits, kernels, pairs, surface, walls | `sim/liquid/sph.rs`, `sim/sph/` |
//! | what all liquids of particles are asked; those in one place | `sim/particles/{grains,coincident}.rs` |
//! | smoke and ink (Stam 1999): parameters and passes; bodies in it | `sim/grid_fluid.rs`, `sim/stam/`; `sim/coupling/grid_bodies.rs` |
//! | rigid bodies; how they collide; where they meet a liquid | `sim/rigid.rs`, `sim/body/`, `sim/coupling/liquid_bodies.rs` |
//! | cloth (Provot 1995, Runge–Kutta): parameters, springs, tearing, pins | `sim/cloth.rs`, `sim/cloth/` |
//! | what matters do to each other; liquid on cloth, bodies in it | `sim/coupling.rs`, `sim/couple/` |
//! | what a scene file may say; its checks; what can be changed as it plays | `scene.rs`, `sim/scene/`, `scene/parameters.rs` |
//! | scenes, palettes, themes, keys | `data/*.toml` |
//! | reading TOML with errors that name file, line and key; settings over it; entries that inherit | `data.rs`, `data/` |
//! | cells ↔ metres | `view/camera.rs` |
//! | the metaball field, how particles are splatted to it; depth light; walls in the picture | `view/field.rs`, `view/field/`; `view/light.rs`, `view/wall_layer.rs` |
//! | how a world may be shown: drives, backgrounds | `view/render_style.rs` |
//! | smoke and dye in the picture; bodies | `view/smoke.rs`, `view/body.rs` |
//! | cloth in the picture | `view/cloth.rs`, `view/cloth_raster.rs` |
//! | what colour a sample has; palettes; colour depths, dithering | `view/shade.rs`, `view/palette.rs`, `cell/color.rs`, `view/color/` |
//! | a frame, cell by cell; those that edges pass through; which glyph a cell gets | `view.rs`, `view/cell_painter.rs`, `view/brush/`; `view/glyph.rs`, `view/glyph/` |
//! | the widget for other people's apps; gauges and the like made of it | `view/widget.rs`, `view/widget/` |
//! | cells as pixels; the picture that cells try to be | `view/raster.rs`, `view/reference_image.rs` |
//! | what can be asked of the toy, by which key or gesture | `app/action.rs`, `app/action/{keymap,pointer,tilt}.rs` |
//! | what the toy does with it; with what it starts; as time passes | `app.rs`, `app/input.rs`, `app/show.rs`; `app/options.rs`; `app/tick.rs` |
//! | the screensaver: how it plays, what ends it; cross-fades; nothing flashes | `app/saver.rs`, `app/saver/{autopilot,fade,steady}.rs` |
//! | how many particles `auto` is | `app/auto_particles.rs` |
//! | what is drawn over the picture; the panel of settings | `app/draw.rs`, `app/overlay.rs`, `app/overlay/`; `app/panel.rs` |
//! | the run loop; how many threads suit the machine | `app/run.rs`, `app/interactive.rs`, `app/threads.rs` |
//! | the command line; what its values may be called; scenes by name or file | `cli.rs`, `app/config/` |
//! | settings, where they come from, themes, `slosh config` | `cli/settings.rs`, `app/settings/` |
//! | files that are written for the user | `app/files.rs` |
//! | completions and the manual | `cli/man_and_completions.rs` |
//! | recordings; the recording of the run loop | `app/recorder.rs`, `app/record/` |
//! | what happens to the app, noted and played again | `app/replay.rs`, `app/replay/` |
//! | share codes | `app/share_code.rs` |
//! | particles with homes; liquid cast in a shape | `sim/particles/{home,cast}.rs` |
//! | the clock, words, and pages that melt: what they are made from, and made of; letters as shapes; the time of day | `app/demo.rs`, `app/act/` |
//! | what starts the screensaver on idle, in shells, tmux and screen | `app/saver/{snippet,wait}.rs` |
//! | how the program ends when it does not end well; text from outside on its way to a terminal | `app/error.rs`; `term/sanitize.rs` |
//! | `list`, `render`, `probe`, `bench` | `cli/list.rs`, `cli/render.rs`, `app/capture/`, `cli/probe.rs`, `cli/bench.rs`, `app/bench/` |
//! | what they stand on; what happens at a given second of them | `app/headless.rs`, `app/stage/` |
//! | the terminal session, its guard and its signals; frames out, events in | `term.rs`, `app/term/{session,device,common,tty,windows,signals}.rs`; `app/term/{frame,hear}.rs` |
//! | what terminals say and can do; `doctor` | `app/term/{input,event,caps,ask}.rs`, `app/term/{input,caps}/`, `cli/doctor.rs` |
//! | when frames go out and how many bytes they may have | `app/term/{link,fences,pace,throttle,tmux,outbox}.rs` |
//! | the frame encoder | `app/term/screen/`, `app/term/thrift/`, `app/term/{screen,tile,thrift,swatches,coverage,strokes,wire,sgr,quality,color,backend}.rs` |
//!
//! # House rules
//!
//! 1. Nothing points outward.
//! 2. One door for change: `App::update(Action)` outside the world, `World::step` inside it.
//! 3. Data before code: a scene, a palette or a key is a TOML edit, read by the same path as the user's own files.
//! 4. Physics reads like the paper: one file a method, a step is a list of named passes, flat arrays, no allocation
//!    a step or a frame once warm.
//! 5. Every picture can be proved: the same seed and the same Actions give the same frames, with no terminal, on
//!    every instruction set and on any number of threads. And whatever happens, the terminal is left as it was found.

#[cfg(feature = "app")]
pub mod app;
pub mod cell;
#[cfg(feature = "app")]
pub mod cli;
pub mod data;
pub mod scene;
pub mod sim;
#[cfg(feature = "app")]
pub mod term;
pub mod view;

/// The README's example is compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

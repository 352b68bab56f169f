//! Recordings, checked with independent decoders.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH, SOON, folder};
use crate::pty::{Pty, Setup};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A moving scene, small enough to be quick.
const SCENE: &str = "dam --particles 200 --size 30x10 --seed 4";

fn slosh(args: &str) -> Command {
    let mut command = program::slosh();
    command.args(args.split_whitespace()).stdin(Stdio::null());
    command
}

fn run(args: &str) -> Output {
    slosh(args).finished()
}

#[track_caller]
fn good(args: &str) -> Vec<u8> {
    let output = run(args);
    assert!(output.status.success(), "slosh {args}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stderr, b"", "slosh {args}");
    output.stdout
}

/// A cast's screen after its last event, its duration, and its number of frames.
fn play_cast(path: &Path) -> (vt100::Parser, f64, usize) {
    let text = fs::read_to_string(path).expect("a file");
    let mut lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let header = lines.next().expect("a header");
    assert_eq!(header["version"], 2, "{header}");
    let (columns, rows) = (&header["width"], &header["height"]);
    let size =
        |cells: &serde_json::Value| std::num::NonZeroU16::new(cells.as_u64().expect("a size") as u16).expect("a size");
    let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
    let (mut last, mut count) = (0.0, 0);
    for event in lines {
        let at = event[0].as_f64().expect("a time");
        assert!(at >= last && event[1] == "o", "{event}");
        parser.process(event[2].as_str().expect("text").as_bytes());
        (last, count) = (at, count + 1);
    }
    (parser, last, count)
}

/// What a terminal shows for coloured rows.
fn screen_of(rows: &[u8], columns: u16, height: u16) -> vt100::Parser {
    let cells = |n| std::num::NonZeroU16::new(n).expect("a size");
    let mut parser = vt100::Parser::new(cells(height), cells(columns), 0);
    for (number, row) in String::from_utf8_lossy(rows).lines().enumerate() {
        parser.process(format!("\x1b[{};1H\x1b[?7l{row}", number + 1).as_bytes());
    }
    parser
}

/// Every visible cell with its colours.
fn cells(parser: &vt100::Parser) -> Vec<(String, vt100::Color, vt100::Color)> {
    let (rows, columns) = parser.screen().size();
    let (rows, columns) = (rows.get(), columns.get());
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let cell = |(row, column)| {
        let cell = parser.screen().cell(row, column).expect("a cell");
        let blank = cell.contents().trim().is_empty();
        let fg = if blank { vt100::Color::Default } else { cell.fgcolor() };
        (cell.contents().trim().to_owned(), fg, cell.bgcolor())
    };
    places.map(cell).collect()
}

/// A GIF's last picture, and its duration in hundredths of a second.
fn play_gif(path: &Path) -> (Vec<u8>, usize, u32, usize) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(path).expect("a file")).expect("a GIF");
    let width = usize::from(decoder.width());
    let mut picture = vec![0; width * usize::from(decoder.height()) * 3];
    let (mut length, mut count) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        for (number, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let (x, y) = (number % usize::from(frame.width), number / usize::from(frame.width));
            let at = 3 * ((y + usize::from(frame.top)) * width + x + usize::from(frame.left));
            picture[at..at + 3].copy_from_slice(&pixel[..3]);
        }
        length += u32::from(frame.delay);
        count += 1;
    }
    (picture, width, length, count)
}

/// An animated PNG's last picture, and its duration in milliseconds.
fn play_png(path: &Path) -> (Vec<u8>, u32, u32) {
    let file = std::io::BufReader::new(File::open(path).expect("a file"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let width = reader.info().width as usize;
    let count = reader.info().animation_control().map_or(1, |control| control.num_frames);
    let mut picture = vec![0; reader.output_buffer_size().expect("a size")];
    let mut part = picture.clone();
    let mut length = 0;
    for _ in 0..count {
        reader.next_frame(&mut part).expect("as many frames as it says");
        let Some(control) = reader.info().frame_control() else { return (part, 1, 0) };
        let (left, top) = (control.x_offset as usize, control.y_offset as usize);
        for (y, row) in part.chunks(3 * control.width as usize).take(control.height as usize).enumerate() {
            let at = 3 * ((y + top) * width + left);
            picture[at..at + row.len()].copy_from_slice(row);
        }
        length += u32::from(control.delay_num) * 1000 / u32::from(control.delay_den);
    }
    (picture, count, length)
}

fn mean_error(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

/// The last of this many frames as a still picture. Cells depend a little on what they showed before, so the last
/// frames are equal only for equal numbers of frames.
fn last_picture(seconds: &str, frames: usize) -> Vec<u8> {
    let pages = folder(&format!("record-pages-{seconds}-{frames}"));
    good(&format!("render {SCENE} --seconds {seconds} --frames {frames} --out {}/ --force", pages.display()));
    play_png(&pages.join(format!("frame-{frames:04}.png"))).0
}

#[test]
fn a_cast_plays_to_the_same_screen() {
    let folder = folder("record-cast");
    let frames = good(&format!("render {SCENE} --seconds 1.2 --frames 30 --format ansi --color truecolor"));
    let rows: Vec<&[u8]> = frames.split_inclusive(|&byte| byte == b'\n').collect();
    let last = screen_of(&rows[rows.len() - 10..].concat(), 30, 10);
    let path = folder.join("dam.cast");
    good(&format!("render {SCENE} --seconds 1.2 --record {}", path.display()));
    let (cast, length, events) = play_cast(&path);
    assert!((length - 1.2).abs() < 0.001 && events > 25, "{events} events in {length} s");
    assert!(cells(&cast) == cells(&last), "the cast ends on another screen");
}

#[test]
fn a_gif_shows_the_frames_for_as_long_as_they_last() {
    let path = folder("record-gif").join("dam.gif");
    good(&format!("render {SCENE} --seconds 1.2 --out {}", path.display()));
    let (picture, width, length, count) = play_gif(&path);
    assert_eq!((width, length), (240, 120));
    assert!((12..=16).contains(&count), "{count} frames");
    let error = mean_error(&picture, &last_picture("1.2", 30));
    assert!(error < 6.0, "its last frame is {error} of 255 from the picture");
}

#[test]
fn an_animated_png_is_exact() {
    let path = folder("record-apng").join("dam.apng");
    good(&format!("render {SCENE} --seconds 1.2 --out {}", path.display()));
    let (picture, count, length) = play_png(&path);
    assert!((20..=30).contains(&count) && length == 1200, "{count} frames, {length} ms");
    assert!(picture == last_picture("1.2", 30), "its last frame is another picture");
    let single = path.with_extension("png");
    good(&format!("render {SCENE} --seconds 1.2 --out {}", single.display()));
    let (picture, count, _) = play_png(&single);
    assert!(picture == last_picture("1.2", 1) && count == 1, "{count} frames, or another picture");
}

/// Frames and seconds as asked, or one sentence.
#[test]
fn a_film_has_the_frames_and_the_length_that_are_asked_for() {
    let folder = folder("record-rate");
    let film = |name: &str, args: &str| {
        let path = folder.join(name);
        good(&format!("render {SCENE} {args} --out {}", path.display()));
        path
    };
    // A tilting tank changes in every frame.
    let (_, _, length, count) = play_gif(&film("fast.gif", "--tilt 90 --seconds 1 --frames 50"));
    // Without those in which no cell is worth its bytes.
    assert!(length == 100 && (35..=50).contains(&count), "{count} frames");
    let (_, _, length, count) = play_gif(&film("slow.gif", "--tilt 90 --seconds 2 --frames 7"));
    assert_eq!((length, count), (200, 7));
    let (_, count, length) = play_png(&film("fast.apng", "--tilt 90 --seconds 1.5 --frames 80"));
    assert_eq!((length, count), (1500, 80));
    let (_, count, length) = play_png(&film("slow.apng", "--seconds 2 --frames 7"));
    assert_eq!((length, count), (2000, 7));
    // Longer than a frame of the format can be: 65.5 s of milliseconds, 655 s of hundredths.
    assert_eq!(play_png(&film("still.apng", "--seconds 100 --frames 1")).2, 100_000);
    assert_eq!(play_gif(&film("still.gif", "--seconds 700 --frames 1")).2, 70_000);

    let refused = run(&format!("render {SCENE} --seconds 1 --frames 60 --out {}/a.gif", folder.display()));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("--frames 50 or fewer"), "{said}");
    // The frames of a recording, evenly spaced, as often as asked.
    let log = film("film.slosh", "--seconds 1 --frames 20");
    let copy = folder.join("copy.apng");
    good(&format!("render {} --frames 5 --out {}", log.display(), copy.display()));
    assert_eq!(play_png(&copy).1, 5);
    let whole = folder.join("whole.gif");
    good(&format!("render {} --out {}", log.display(), whole.display()));
    assert_eq!(play_gif(&whole).2, 100);
}

#[test]
fn a_hyphen_is_standard_output() {
    let folder = folder("record-hyphen");
    let mut command = slosh(&format!("render {SCENE} --out -"));
    let output = command.current_dir(&folder).output().expect("slosh starts");
    assert_eq!(output.stdout, good(&format!("render {SCENE}")));
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
}

/// Ten seconds in the usual window are less than many pages accept for a picture, also where everything moves.
#[test]
fn ten_seconds_as_a_gif_stay_below_a_megabyte_and_a_half() {
    let path = folder("record-small").join("small.gif");
    good(&format!("render fountain --size 80x24 --seconds 4 --out {}", path.display()));
    let bytes = fs::metadata(&path).expect("a file").len();
    assert!(bytes < 600_000, "{bytes} bytes in 4 s");
}

/// An asciicast of slosh or of asciinema plays in the window, at its pace, and ends with the program.
#[test]
fn a_cast_of_any_origin_is_played() {
    let folder = folder("record-play-cast");
    let play =
        |name: &str| Setup::new([SLOSH, "play", folder.join(name).to_str().expect("UTF-8")]).size(60, 12).start();
    good(&format!("render {SCENE} --seconds 0.6 --out {}", folder.join("own.cast").display()));
    let mut pty = play("own.cast");
    pty.wait_for_picture();
    pty.assert_ends(Duration::from_secs(10), 0);
    assert_eq!(pty.traces(), [""; 0]);

    let third = "{\"version\":3,\"term\":{\"cols\":40,\"rows\":8}}\n# a comment\n[0.1,\"o\",\"$ \\u001b[31mfirst\\u001b[m\\r\\n\"]\n\
                 [0.1,\"i\",\"x\"]\n[0.1,\"r\",\"44x9\"]\n[0.2,\"o\",\"second\"]\n[1.5,\"o\",\"\"]\n[0.1,\"x\",\"0\"]\n";
    let second = "{\"version\":2,\"width\":40,\"height\":8,\"idle_time_limit\":0.5}\n[0.1,\"o\",\"$ first\\r\\n\"]\n[900,\"o\",\"second\"]\n[2000,\"o\",\"\"]\n";
    for (name, text) in [("third.cast", third), ("second.cast", second)] {
        fs::write(folder.join(name), text).expect("written");
        let mut pty = play(name);
        let both = |pty: &Pty| pty.screen().contents().contains("first") && pty.screen().contents().contains("second");
        assert!(pty.pump_until(Duration::from_secs(5), both), "{name}: {}", pty.screen().contents());
        pty.assert_ends(Duration::from_secs(10), 0);
    }
    for (text, said) in [
        ("{\"version\":1,\"stdout\":[]}\n", "versions 2 and 3"),
        ("{\"version\":2,\"width\":0,\"height\":8}\n", "out of range"),
        ("{\"version\":2,\"width\":9,\"height\":8}\n[0.1,\"o\"]\n", "bad.cast:2: must be [time"),
        ("no cast\n", "bad.cast:1: is not a"),
    ] {
        fs::write(folder.join("bad.cast"), text).expect("written");
        let mut pty = play("bad.cast");
        pty.assert_ends(Duration::from_secs(10), 2);
        assert!(pty.screen().contents().replace('\n', "").contains(said), "{}", pty.screen().contents());
    }
}

/// A recording is named where a scene or another kind of recording is expected, in one line.
#[test]
fn a_recording_in_the_wrong_place_is_named() {
    let folder = folder("record-misplaced");
    for (name, player) in [("a.cast", "slosh play"), ("a.gif", "a browser"), ("a.apng", "a browser")] {
        let path = folder.join(name);
        good(&format!("render {SCENE} --seconds 0.1 --out {}", path.display()));
        let play = (name != "a.cast").then_some("play");
        for command in play.into_iter().chain(["render", "probe"]) {
            let output = run(&format!("{command} {}", path.display()));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(2) && said.lines().count() == 1, "{said}");
            assert!(said.contains(name) && said.contains(player), "{said}");
        }
    }
}

/// A terminal without UTF-8 gets ASCII.
#[test]
fn frames_in_a_terminal_suit_its_character_set() {
    let folder = folder("record-ascii");
    let log = folder.join("dam.slosh");
    good(&format!("render {SCENE} --seconds 0.2 --out {}", log.display()));
    for scene in [SCENE.to_owned(), log.display().to_string()] {
        let args = format!("render {scene}");
        let argv = [SLOSH].into_iter().chain(args.split_whitespace());
        let mut pty = Setup::new(argv).var("LC_ALL", "C").var("TERM", "vt100").start();
        pty.assert_ends(Duration::from_secs(10), 0);
        assert!(pty.output.is_ascii() && pty.screen().contents().trim().len() > 40, "{}", pty.tail());
    }
    let utf8 = good(&format!("render {SCENE} --format text"));
    assert!(!utf8.is_ascii(), "a file has all glyphs");
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = folder("record-force");
    let frames = folder.join("frames");
    for (out, more) in [("a.cast", ""), ("a.gif", ""), ("a.png", ""), ("a.apng", ""), ("frames", "--frames 2")] {
        let path = folder.join(out);
        let render = format!("render {SCENE} --seconds 0.2 {more} --out {}", path.display());
        good(&render);
        let file = if path.is_dir() { frames.join("frame-0002.png") } else { path };
        fs::write(&file, "mine").expect("written");
        let output = run(&render);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--force") && said.contains("exists already"), "{said}");
        if file.starts_with(&frames) {
            fs::remove_file(frames.join("frame-0001.png")).expect("removed");
            assert_eq!(run(&render).status.code(), Some(2), "a later one is not overwritten either");
            assert!(!frames.join("frame-0001.png").exists(), "no file is begun for a recording that cannot be made");
        }
        assert_eq!(fs::read(&file).expect("the file"), b"mine");
        good(&format!("{render} --force"));
        assert_ne!(fs::read(&file).expect("the file"), b"mine");
    }
}

#[test]
fn the_ideal_picture_is_a_single_png_too() {
    let folder = folder("record-ideal");
    good(&format!("render {SCENE} --seconds 0.2 --ideal --out {}", folder.join("frames").display()));
    let path = folder.join("ideal.png");
    let render = format!("render {SCENE} --seconds 0.2 --ideal --out {}", path.display());
    good(&render);
    let ideal = fs::read(&path).expect("a picture");
    assert_eq!(ideal, fs::read(folder.join("frames/frame-0001.png")).expect("a frame"));
    assert_eq!(run(&render).status.code(), Some(2), "it exists already");
    let animated = run(&format!("{render} --force --frames 3"));
    assert_eq!(animated.status.code(), Some(2));
    assert_eq!(fs::read(&path).expect("a picture"), ideal);
}

#[test]
fn an_unsupported_extension_creates_no_folder() {
    let folder = folder("record-ending");
    let film = folder.join("a.mp4");
    for command in ["--record".to_owned(), format!("render {SCENE} --seconds 0.2 --out")] {
        let output = run(&format!("{command} {}", film.display()));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("a.mp4") && said.contains("choices: cast, gif"), "{said}");
        assert!(!film.exists());
    }
    good(&format!("render {SCENE} --seconds 0.2 --out {}/", film.display()));
    assert!(film.join("frame-0001.png").exists(), "a folder, since it is written as one");
}

/// Asserts that a file can be played.
fn assert_plays(path: &Path) {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("cast") => assert!(play_cast(path).2 > 3),
        Some("gif") => assert!(play_gif(path).3 > 3),
        _ => assert!(play_png(path).1 > 3),
    }
}

#[test]
fn a_recording_that_is_killed_plays_up_to_there() {
    let folder = folder("record-killed");
    for (name, signal) in [("a.cast", Signal::TERM), ("a.gif", Signal::TERM), ("a.apng", Signal::KILL)] {
        let path = folder.join(name);
        let args = format!("render {SCENE} --seconds 3000 --frames 75000 --out {}", path.display());
        let mut child = slosh(&args).stderr(Stdio::null()).spawn().expect("slosh starts");
        let end = Instant::now() + Duration::from_secs(20);
        while fs::metadata(&path).map_or(0, |data| data.len()) < 60_000 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        program::wait(&mut child);
        assert_plays(&path);
    }
}

#[test]
fn a_full_disk_is_an_error_and_what_fits_plays() {
    let folder = folder("record-full");
    for name in ["a.cast", "a.gif", "a.apng"] {
        let path = folder.join(name);
        let render = format!("{SLOSH} render {SCENE} --seconds 100 --frames 2500 --out {}", path.display());
        assert_reports_a_limit(&render, 117, name);
        assert_plays(&path);
    }
    // Not even the header fits.
    let path = folder.join("a.slosh");
    assert_reports_a_limit(&format!("{SLOSH} render {SCENE} --seconds 1 --out {}", path.display()), 1, "a.slosh");
    assert_reports_a_limit(&format!("{SLOSH} dam --record {} --force", path.display()), 1, "a.slosh");
}

/// A limit on the file size, in blocks of 512 bytes, stands for a full disk. Its signal would end the program.
#[track_caller]
fn assert_reports_a_limit(command: &str, blocks: u32, name: &str) {
    let mut pty = Setup::new(["sh", "-c", &format!("ulimit -f {blocks}; exec {command}")]).size(120, 24).start();
    let status = pty.end(Duration::from_secs(60)).expect("it should have ended by now");
    let said = pty.screen().contents();
    assert_eq!(Pty::code(status), 1, "{said}");
    assert!(said.contains(name) && said.contains("File too large"), "{said}");
    assert_eq!(pty.traces(), [""; 0], "{said}");
}

#[test]
fn a_recording_of_frames_is_not_played() {
    let folder = folder("record-frames");
    let path = folder.join("a.gif");
    let played = |path: &Path| {
        let output = program::slosh().arg("play").arg(path).finished();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let missing = played(&path);
    assert!(missing.contains("a.gif: No such file") && missing.lines().count() == 1, "{missing}");
    good(&format!("render {SCENE} --seconds 0.2 --out {}", path.display()));
    let frames = played(&path);
    assert!(frames.contains("a browser") && frames.lines().count() == 1, "{frames}");
}

// ---- in the toy ----

fn toy(folder: &Path, args: &[&str]) -> Pty {
    let change = format!("cd {} && exec \"$0\" \"$@\"", folder.display());
    let argv = ["sh", "-c", &change, SLOSH, "--particles", "200", "--seed", "4"];
    let mut pty = Setup::new(argv.into_iter().chain(args.iter().copied())).answering().start();
    pty.wait_for_picture();
    pty
}

#[track_caller]
fn quit(mut pty: Pty) -> String {
    pty.send(b"q");
    let status = pty.end(Duration::from_secs(10)).expect("it ends");
    assert_eq!(Pty::code(status), 0, "{}", pty.tail());
    assert_eq!(pty.traces(), [""; 0]);
    pty.tail()
}

#[test]
fn a_flag_records_from_the_start_and_r_stops_and_starts_another() {
    let folder = folder("record-toy");
    for name in ["run.cast", "run.gif", "run.png"] {
        let mut pty = toy(&folder, &["--record", name]);
        pty.pump(Duration::from_millis(800));
        pty.send(b"R");
        let said = |pty: &Pty| pty.screen().contents().contains(&format!("recorded {name}"));
        assert!(pty.pump_until(Duration::from_secs(5), said), "{}", pty.screen().contents());
        pty.send(b"R");
        pty.pump(Duration::from_millis(800));
        quit(pty);
        assert_plays(&folder.join(name));
        let (stem, ending) = name.split_once('.').expect("an ending");
        assert_plays(&folder.join(format!("{stem}-1.{ending}")));
    }
    let mut pty = toy(&folder, &[]);
    pty.send(b"R");
    pty.pump(Duration::from_millis(800));
    pty.signal(Signal::TERM);
    assert_eq!(pty.end(Duration::from_secs(10)).map(Pty::code), Some(143));
    assert_plays(&folder.join("slosh-1.gif"));
    let mut pty = toy(&folder, &["--recording", "cast"]);
    pty.send(b"R");
    pty.pump(Duration::from_millis(800));
    quit(pty);
    assert_plays(&folder.join("slosh-1.cast"));
}

#[test]
fn a_recording_has_the_background_of_the_terminal() {
    let folder = folder("record-background");
    let change = format!("cd {} && exec \"$0\" \"$@\"", folder.display());
    let argv = ["sh", "-c", &change, SLOSH, "circle", "--particles", "200", "--recording", "png"];
    let mut pty = Setup::new(argv).answering().start();
    pty.wait_for_picture();
    pty.send(b"\x1b]11;rgb:3030/3030/5050\x1b\\\x1b[?62c");
    pty.pump(Duration::from_millis(300));
    pty.send(b"R");
    pty.pump(Duration::from_millis(800));
    quit(pty);
    let (picture, count, _) = play_png(&folder.join("slosh-1.png"));
    assert!(count > 3, "{count} frames");
    assert_eq!(picture[..3], [0x30, 0x30, 0x50], "a corner outside of the glass");
}

/// The replies wait in the terminal before the program starts, and it draws its first frame before it reads them.
#[test]
fn a_recording_begins_in_the_colours_that_the_terminal_tells() {
    let folder = folder("record-colours");
    let path = folder.join("run.cast");
    let mut pty = Setup::new(recorded(&path)).answering().start();
    pty.send(b"\x1bP1+r524742=38\x1b\\\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\\x1b[?62c");
    let is_true_color = |pty: &Pty| pty.output.windows(4).any(|bytes| bytes == b"8;2;");
    assert!(pty.pump_until(SOON, |pty| is_true_color(pty) && pty.frames() > 6), "{}", pty.tail());
    pty.send(b"q");
    assert_eq!(pty.end(SOON).map(Pty::code), Some(0), "{}", pty.tail());
    let cast = fs::read_to_string(&path).expect("a recording");
    assert!(cast.contains("8;2;28;28;28") && !cast.contains("8;5;"), "{cast}");
    // A terminal that never replies is recorded too, however short.
    let path = folder.join("silent.cast");
    let mut pty = Setup::new(recorded(&path)).start();
    pty.send(b"q");
    pty.assert_ends(SOON, 0);
    assert!(play_cast(&path).2 > 0);
}

/// A second of motion, then a pause: the recording lasts as long as both.
#[test]
fn a_still_at_the_end_is_part_of_the_recording() {
    let folder = folder("record-still");
    std::thread::scope(|scope| {
        for name in ["still.cast", "still.gif", "still.apng", "still.slosh"] {
            let folder = &folder;
            scope.spawn(move || {
                let mut pty = toy(folder, &["--record", name]);
                pty.pump(Duration::from_millis(500));
                pty.send(b" ");
                pty.pump(Duration::from_millis(3000));
                quit(pty);
                let path = folder.join(name);
                let seconds = match name.rsplit_once('.').expect("an ending").1 {
                    "cast" => play_cast(&path).1,
                    "gif" => f64::from(play_gif(&path).2) / 100.0,
                    "apng" => f64::from(play_png(&path).2) / 1000.0,
                    _ => {
                        let copy = path.with_extension("copy.gif");
                        good(&format!("render {} --out {}", path.display(), copy.display()));
                        f64::from(play_gif(&copy).2) / 100.0
                    }
                };
                assert!(seconds > 3.4, "{name}: {seconds} s");
            });
        }
    });
}

#[test]
fn a_long_job_shows_its_progress_in_a_terminal_only() {
    let folder = folder("record-progress");
    // A fountain never rests, so the recording does not stop by itself.
    let scene = SCENE.replace("dam", "fountain");
    let args = format!("render {scene} --seconds 4000 --frames 90000 --out {}/long.cast", folder.display());
    let argv: Vec<&str> = [SLOSH].into_iter().chain(args.split_whitespace()).collect();
    let mut pty = Setup::new(argv).start();
    let shown = |pty: &Pty| pty.screen().contents().contains(" %, ") && pty.screen().contents().contains("[#");
    assert!(pty.pump_until(Duration::from_secs(20), shown), "{}", pty.screen().contents());
    assert!(!pty.screen().alternate_screen());
    pty.signal(Signal::TERM);
    pty.end(Duration::from_secs(5));
}

/// A full disk, in the form of a limit on the file size; the limit's signal would end other programs.
#[test]
fn a_recording_on_a_full_disk_stays_readable_and_is_reported() {
    // The number of free blocks of 512 bytes. A recording of input begins with a line that contains all scenes.
    let begun = folder("record-begun").join("begun.slosh");
    let mut pty = Setup::new(recorded(&begun)).size(40, 12).start();
    pty.wait_for_picture();
    pty.send(b"q");
    pty.end(Duration::from_secs(10));
    let header = fs::read(&begun).expect("a recording").iter().position(|&byte| byte == b'\n').expect("a line");
    let log = header as u32 / 512 + 16;
    let cases =
        [("cast", 40, ""), ("gif", 30, ""), ("png", 30, ""), ("slosh", log, ""), ("slosh", log, "trap '' XFSZ; ")];
    std::thread::scope(|scope| {
        for (number, (ending, blocks, trap)) in cases.into_iter().enumerate() {
            scope.spawn(move || {
                let path = folder(&format!("record-full-{number}")).join(format!("full.{ending}"));
                fills_the_disk(&path, blocks, trap);
                match ending {
                    "cast" => assert!(play_cast(&path).2 > 3),
                    "gif" => assert!(play_gif(&path).3 > 1),
                    "png" => assert!(play_png(&path).1 > 1),
                    _ => drop(good(&format!("render {} --frames 1 --format text", path.display()))),
                }
            });
        }
    });
}

fn recorded(path: &Path) -> [&str; 6] {
    [SLOSH, "dam", "--particles", "200", "--record", path.to_str().expect("UTF-8")]
}

fn fills_the_disk(path: &Path, blocks: u32, trap: &str) {
    let script = format!("{trap}ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let argv = ["/bin/sh", "-c", &script].into_iter().chain(recorded(path));
    let mut pty = Setup::new(argv).size(40, 12).start();
    pty.wait_for_picture();
    let told = |pty: &Pty| pty.screen().contents().replace('\n', " ").contains("recording ends");
    let ends = (0..200).any(|number| {
        pty.send([&b"\x1b[C"[..], b"\x1b[D"][number % 2]);
        pty.pump_until(Duration::from_millis(100), told)
    });
    assert!(ends, "{path:?}: the error is not reported: {}", pty.screen().contents());
    pty.send(b"q");
    let status = pty.end(Duration::from_secs(10)).expect("it should have ended by now");
    assert_eq!(Pty::code(status), 1, "{path:?}: {}", pty.tail());
    assert_eq!(pty.traces(), [""; 0], "{path:?}");
    let said = pty.screen().contents().replace('\n', "");
    assert!(said.contains("slosh: ") && said.contains("whole"), "{path:?}: {said}");
}

/// A window of 64 million pixels at 8×16 per cell. The end of its recording used to take 9 to 13 s, also after SIGTERM.
#[test]
fn the_largest_window_is_recorded_in_fewer_pixels() {
    let folder = folder("record-large");
    for ending in ["gif", "png"] {
        let path = folder.join(format!("large.{ending}"));
        let argv = [SLOSH, "dam", "--particles", "200", "--record", path.to_str().expect("UTF-8")];
        let mut pty = Setup::new(argv).size(1000, 500).start();
        assert!(pty.pump_until(Duration::from_secs(20), |pty| pty.output.len() > 3000), "{}", pty.tail());
        pty.signal(Signal::TERM);
        pty.assert_ends(Duration::from_secs(20), 128 + Signal::TERM.as_raw());
        let bytes = match ending {
            "gif" => play_gif(&path).0.len(),
            _ => play_png(&path).0.len(),
        };
        assert_eq!(bytes, 1000 * 1000 * 3, "{ending}");
    }
    // If the recording is not live, it has all pixels.
    let path = folder.join("offline.png");
    good(&format!("render dam --particles 100 --size 300x100 --seconds 0 --record {}", path.display()));
    assert_eq!(play_png(&path).0.len(), 2400 * 1600 * 3);
}

/// The author of a scene does not choose where it is saved, and a failed save leaves no file.
#[test]
fn a_scene_is_saved_atomically_in_the_current_folder() {
    let (folder, elsewhere) = (folder("record-save"), folder("record-save-elsewhere"));
    let here = folder.join("here");
    fs::create_dir_all(&here).expect("a folder");
    let files = |of: &Path| {
        let files = fs::read_dir(of).expect("a folder").map(|file| file.expect("a file").file_name());
        let mut names: Vec<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    for (name, file) in [(elsewhere.join("evil").display().to_string(), "evil"), ("../above".to_owned(), "above")] {
        let scene = folder.join("scene.toml");
        fs::write(&scene, format!("name = {name:?}\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n")).expect("written");
        for limit in ["", "ulimit -f 0; "] {
            let script = format!("{limit}cd {} && exec \"$0\" \"$@\"", here.display());
            let argv = ["/bin/sh", "-c", &script, SLOSH, scene.to_str().expect("UTF-8"), "--particles", "100"];
            let mut pty = Setup::new(argv).start();
            pty.wait_for_picture();
            pty.send(b"S");
            let word = if limit.is_empty() { "saved" } else { "large" };
            let said = |pty: &Pty| pty.screen().contents().contains(word);
            assert!(pty.pump_until(Duration::from_secs(10), said), "{}", pty.screen().contents());
            pty.send(b"q");
            pty.assert_ends(Duration::from_secs(10), 0);
            let saved = files(&here);
            assert!(saved.len() == 1 && saved[0].contains(file), "{name}, {limit}: {saved:?}");
            if !limit.is_empty() {
                fs::remove_file(here.join(&saved[0])).expect("ours");
            }
        }
    }
    assert_eq!(files(&elsewhere), [""; 0]);
    assert_eq!(files(&folder), ["here", "scene.toml"]);
}

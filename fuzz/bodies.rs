//! What the fuzz targets do with their bytes. `fuzz_targets/` gives these to libFuzzer, and tests/hostile.rs feeds them a
//! bounded number of mutated seeds, with any compiler, in every run of the tests.

use slosh::app::recorder::Header;
use slosh::app::replay::{Played, Replay};
use slosh::cli::launch::recorded_options;
use slosh::cli::settings::layers::Sources;
use slosh::data::Setting;
use slosh::scene;
use slosh::scene::Scene;
use slosh::scene::share_code::ShareCode;
use slosh::term::input::Parser;
use std::io::Cursor;

/// Any bytes from a terminal: no panic, no endless wait, and any cut of them means the same.
pub fn input(bytes: &[u8]) {
    let (mut parser, mut whole) = (Parser::new(), Vec::new());
    parser.feed(bytes, &mut whole);
    parser.flush(&mut whole);
    assert_eq!(parser.timeout(), None);

    let (mut parser, mut parts) = (Parser::new(), Vec::new());
    bytes.iter().for_each(|byte| parser.feed(&[*byte], &mut parts));
    parser.flush(&mut parts);
    assert_eq!(whole, parts);
}

/// Any text as a scene, and as a settings file: an error that names where, or something that says the same when it is
/// written and read again.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Scene::parse(text, "fuzz.toml") {
        Ok(scene) => {
            let again = Scene::parse(&scene.to_toml(), "again.toml").expect("what was written is read");
            assert_eq!(again.world.particles, scene.world.particles);
        }
        Err(error) => assert!(error.origin.starts_with("fuzz.toml"), "{error}"),
    }
    let sources = Sources { file: Some(("fuzz.toml".to_owned(), text.to_owned())), ..Sources::default() };
    let _ = sources.settings();
}

/// The header of the recordings whose notes are played: a small one, so that a step takes no time.
const HEADER: &str = concat!(
    r#"{"slosh":2,"version":"0.1.0","settings":"threads = 1","content":{"scenes":["drop",["drop","ink","curtain","cork"]]},"#,
    r#""seed":1,"work":1.0,"saver":false,"set":[]}"#
);

/// Notes of a recording that are played.
const NOTES: usize = 40;

/// Any bytes as a recording: the first line as its header, and the others as what happened in a small one.
pub fn recording(bytes: &[u8]) {
    let cut = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (first, rest) = bytes.split_at(cut);
    if let Ok(header) = std::str::from_utf8(first).map_err(drop).and_then(|line| Header::parse(line).map_err(drop)) {
        let _ = header.options("fuzz.slosh", recorded_options);
    }
    let all = [HEADER.as_bytes(), if rest.is_empty() { b"\n" } else { rest }].concat();
    let mut replay = Replay::read(Cursor::new(all), "fuzz.slosh", 1, recorded_options).expect("the header is right");
    for _ in 0..NOTES {
        if !matches!(replay.play_line(), Ok(Played::LogEntry | Played::Frame(_))) {
            return;
        }
    }
}

/// Any text as a share code; and as what is in one, with the right sum.
pub fn code(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for code in [text.to_owned(), ShareCode::pack(text)] {
        let Ok(recipe) = ShareCode::parse(&code) else { continue };
        let settings: Result<Vec<Setting>, _> = recipe.set.iter().map(|text| Setting::parse(text, "--set")).collect();
        let Ok(settings) = settings else { continue };
        let embedded = scene::find(&recipe.scene).expect("a code names a scene that there is");
        let _ = Scene::parse_with(embedded, "fuzz.toml", &settings);
    }
}

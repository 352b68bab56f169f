//! Hostile terminal input: garbage, fragments, and text that looks like keys; and the fuzz targets (`fuzz/`) with their
//! seeds and a bounded number of mutations. The fuzzers themselves need cargo-fuzz and a nightly compiler; this test
//! runs everywhere.

use proptest::prelude::*;
use slosh::term::input::Parser;
use slosh::term::{Event, KeyCode};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[path = "../../fuzz/bodies.rs"]
mod bodies;

fn seeds() -> Vec<(String, Vec<u8>)> {
    seeds_of("input")
}

/// The seeds of a fuzz target, in the same order everywhere.
fn seeds_of(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = fs::read_dir(folder).expect("seeds").map(|file| file.expect("a seed").path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.display().to_string(), fs::read(&path).expect("a seed"))).collect()
}

/// Words that are difficult for parsers of text and numbers.
const WORDS: [&[u8]; 24] = [
    b"1e39",
    b"-1e39",
    b"1e400",
    b"-1",
    b"0",
    b"-0.0",
    b"nan",
    b"inf",
    b"18446744073709551616",
    b"null",
    b"true",
    b"\"",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\n",
    b",",
    b"=",
    b"\\u001b",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"\xff",
    b"a.b.c",
];

/// A seed with pieces removed, inserted, duplicated, taken from another seed, and changed.
fn mutated(seeds: &[(String, Vec<u8>)], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = seeds[random.usize(0..seeds.len())].1.clone();
    for _ in 0..random.usize(1..6) {
        let (from, length) = (random.usize(0..=bytes.len()), random.usize(0..40));
        let to = (from + length).min(bytes.len());
        let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        match random.u8(0..7) {
            0 => drop(bytes.drain(from..to)),
            1 => drop(bytes.splice(from..from, WORDS[random.usize(0..WORDS.len())].iter().copied())),
            2 => drop(bytes.splice(from..to, bytes[from..to].repeat(random.usize(1..30)))),
            3 => {
                let other = &seeds[random.usize(0..seeds.len())].1;
                let start = random.usize(0..=other.len());
                bytes.splice(from..to, other[start..(start + length).min(other.len())].iter().copied());
            }
            // Parsers differ most on numbers.
            4 if !digits.is_empty() => {
                let at = digits[random.usize(0..digits.len())];
                bytes.splice(at..=at, WORDS[random.usize(0..10)].iter().copied());
            }
            5 if !digits.is_empty() => bytes[digits[random.usize(0..digits.len())]] = random.u8(b'0'..=b'9'),
            _ if from < bytes.len() => bytes[from] = random.u8(..),
            _ => {}
        }
    }
    bytes
}

/// Runs a target with its seeds and with mutations of them; FUZZ_CASES in the environment sets another number of
/// mutations.
#[track_caller]
fn fuzz(target: &str, body: fn(&[u8]), cases: usize) {
    let mut seeds = seeds_of(target);
    if target == "scene" {
        seeds.extend(slosh::scene::EMBEDDED.iter().map(|&(name, text)| (name.to_owned(), text.as_bytes().to_vec())));
    }
    seeds.iter().for_each(|(_, seed)| body(seed));
    let cases = std::env::var("FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    // A host with 48 turns takes 10 ms, fifty times as long as a header.
    let cases = if target == "guest" { cases.min(300) } else { cases };
    for case in 0..cases {
        let bytes = mutated(&seeds, &mut fastrand::Rng::with_seed(case as u64));
        if catch_unwind(AssertUnwindSafe(|| body(&bytes))).is_err() {
            panic!("{target}, case {case}: {:?}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn mutated_input() {
    fuzz("input", bodies::input, 3000);
}

#[test]
fn mutated_scenes_and_settings() {
    fuzz("scene", bodies::scene, 1000);
}

#[test]
fn mutated_recordings() {
    fuzz("recording", bodies::recording, 150);
}

#[test]
fn mutated_share_codes() {
    fuzz("code", bodies::code, 2000);
}

#[cfg(unix)]
#[test]
fn mutated_messages_of_guests() {
    fuzz("guest", bodies::guest, 60);
}

/// Otherwise the mutations would start from meaningless messages.
#[cfg(unix)]
#[test]
fn the_seeds_of_guests_are_valid() {
    use slosh::app::host::protocol::{ToHost, framed};
    for (name, seed) in seeds_of("guest") {
        let lines = seed.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let read = |line: &[u8]| {
            let message: ToHost = serde_json::from_slice(line).map_err(|error| error.to_string())?;
            ToHost::read(&framed(&message)[4..])
        };
        let wrong: Vec<_> = lines.filter_map(|line| read(line).err()).collect();
        assert_eq!(wrong.is_empty(), !name.ends_with("strange"), "{name}: {wrong:?}");
    }
}

fn parse(bytes: &[u8], cut: usize) -> Vec<Event> {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    bytes.chunks(cut).for_each(|part| parser.feed(part, &mut out));
    parser.flush(&mut out);
    assert_eq!(parser.timeout(), None, "the parser still expects input");
    out
}

fn types(event: &Event, c: char) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Char(c))
}

#[test]
fn every_seed_gives_the_same_events_however_it_is_cut() {
    assert!(seeds().len() >= 10);
    for (name, bytes) in seeds() {
        let whole = parse(&bytes, bytes.len());
        for cut in [1, 2, 3, 7] {
            assert_eq!(parse(&bytes, cut), whole, "{name} in parts of {cut}");
        }
    }
}

#[test]
fn keys_after_a_seed_are_not_affected() {
    for (name, bytes) in seeds() {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        parser.feed(&bytes, &mut out);
        parser.flush(&mut out);
        out.clear();
        parser.feed(b"z", &mut out);
        assert!(matches!(&*out, [event] if types(event, 'z')), "{name}: {out:?}");
    }
}

#[test]
fn text_that_was_pasted_is_no_key_even_if_the_paste_never_ends() {
    for bytes in [&b"\x1b[200~q\x03qqq\x1b[201~"[..], b"\x1b[200~q\x03\x1b[113uq", b"\x1b[200~q\x1b[201"] {
        assert!(parse(bytes, 1).iter().all(|event| matches!(event, Event::Paste(_))), "{bytes:?}");
    }
}

/// Ten megabytes of one string produce no key and take no memory.
#[test]
fn a_string_without_end_takes_no_memory() {
    for start in ["\x1b]11;", "\x1bP>|", "\x1b_", "\x1b["] {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        parser.feed(start.as_bytes(), &mut out);
        let taken = allocation_counter::measure(|| {
            for _ in 0..10_000 {
                parser.feed(&[b'0'; 1000], &mut out);
            }
        });
        assert!(taken.bytes_max < 10_000, "{start:?}: {} bytes", taken.bytes_max);
        assert!(out.is_empty(), "{start:?}");
        parser.feed(b"q\x1b\\", &mut out);
        assert!(!out.iter().any(|event| types(event, 'q')) || start == "\x1b[", "{start:?}: {out:?}");
    }
}

proptest! {
    /// Seeds cut into pieces and mixed with noise.
    #[test]
    fn noise_between_halves_of_seeds_never_panics(
        pieces in prop::collection::vec((any::<prop::sample::Index>(), 0..400usize, 0..400usize, prop::collection::vec(any::<u8>(), 0..6)), 0..8),
        cut in 1..9usize,
    ) {
        let seeds = seeds();
        let mut bytes = Vec::new();
        for (seed, from, to, noise) in pieces {
            let seed = &seeds[seed.index(seeds.len())].1;
            let from = from.min(seed.len());
            bytes.extend_from_slice(&seed[from..to.clamp(from, seed.len())]);
            bytes.extend(noise);
        }
        prop_assert_eq!(parse(&bytes, cut), parse(&bytes, bytes.len().max(1)));
    }
}

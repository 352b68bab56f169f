//! What a terminal, or somebody who writes to it, may send: garbage, halves, and text that looks like keys. The seeds
//! are those of the fuzz target (`fuzz/`), which needs a nightly compiler; this runs everywhere.
#![cfg(feature = "app")]

use proptest::prelude::*;
use slosh::app::term::input::Parser;
use slosh::app::term::{Event, KeyCode};
use std::fs;

fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/input");
    let files = fs::read_dir(folder).expect("seeds").map(|file| file.expect("a seed").path());
    files.map(|path| (path.display().to_string(), fs::read(&path).expect("a seed"))).collect()
}

fn parse(bytes: &[u8], cut: usize) -> Vec<Event> {
    let (mut parser, mut out) = (Parser::new(), Vec::new());
    bytes.chunks(cut).for_each(|part| parser.feed(part, &mut out));
    parser.flush(&mut out);
    assert_eq!(parser.patience(), None, "something is still waited for");
    out
}

fn types(event: &Event, c: char) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Char(c))
}

#[test]
fn every_seed_is_survived_and_means_the_same_however_it_is_cut() {
    assert!(seeds().len() >= 10);
    for (name, bytes) in seeds() {
        let whole = parse(&bytes, bytes.len());
        for cut in [1, 2, 3, 7] {
            assert_eq!(parse(&bytes, cut), whole, "{name} in parts of {cut}");
        }
    }
}

#[test]
fn a_seed_leaves_the_keys_after_it_alone() {
    for (name, bytes) in seeds() {
        let (mut parser, mut out) = (Parser::new(), Vec::new());
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

/// Ten megabytes of one string: no key comes of it, and no memory is taken for it.
#[test]
fn a_string_without_end_takes_no_memory() {
    for start in ["\x1b]11;", "\x1bP>|", "\x1b_", "\x1b["] {
        let (mut parser, mut out) = (Parser::new(), Vec::new());
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
    /// Seeds cut to pieces and mixed with noise.
    #[test]
    fn noise_between_halves_of_seeds(
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

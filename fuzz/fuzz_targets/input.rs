//! Any bytes from a terminal: no panic, no endless wait, and any cut of them means the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slosh::app::term::input::Parser;

fuzz_target!(|bytes: &[u8]| {
    let (mut parser, mut whole) = (Parser::new(), Vec::new());
    parser.feed(bytes, &mut whole);
    parser.flush(&mut whole);
    assert_eq!(parser.patience(), None);

    let (mut parser, mut parts) = (Parser::new(), Vec::new());
    bytes.iter().for_each(|byte| parser.feed(&[*byte], &mut parts));
    parser.flush(&mut parts);
    assert_eq!(whole, parts);
});

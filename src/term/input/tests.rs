//! Bytes that terminals send: whole, split anywhere, cut short, and hostile.

use crate::cell::color::Rgb;
use crate::term::input::event::{KeyEventKind, Mouse, MouseButton, MouseEventKind};
use crate::term::input::*;
use proptest::prelude::*;

fn parse(bytes: &[u8]) -> Vec<Event> {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.feed(bytes, &mut out);
    parser.flush(&mut out);
    out
}

fn key(code: KeyCode, mods: KeyModifiers, kind: KeyEventKind) -> Event {
    Event::Key(keys::key(code, mods, kind))
}

fn char(c: char) -> Event {
    press(KeyCode::Char(c), KeyModifiers::NONE)
}

#[track_caller]
fn assert_parses(cases: &[(&[u8], Event)]) {
    for (bytes, event) in cases {
        assert_eq!(parse(bytes), std::slice::from_ref(event), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn legacy_keys() {
    use KeyCode::*;
    assert_parses(&[
        (b"q", char('q')),
        (b"Q", char('Q')),
        ("é".as_bytes(), char('é')),
        ("漢".as_bytes(), char('漢')),
        ("\u{1b}é".as_bytes(), press(Char('é'), KeyModifiers::ALT)),
        (b"\x1b", press(Esc, KeyModifiers::NONE)),
        (b"\r", press(Enter, KeyModifiers::NONE)),
        (b"\x7f", press(Backspace, KeyModifiers::NONE)),
        (b"\x03", press(Char('c'), KeyModifiers::CONTROL)),
        (b"\x1a", press(Char('z'), KeyModifiers::CONTROL)),
        (b"\x1c", press(Char('\\'), KeyModifiers::CONTROL)),
        (b"\x00", press(Char(' '), KeyModifiers::CONTROL)),
        (b"\x1bq", press(Char('q'), KeyModifiers::ALT)),
        (b"\x1b[A", press(Up, KeyModifiers::NONE)),
        (b"\x1bOD", press(Left, KeyModifiers::NONE)),
        (b"\x1b[1;2C", press(Right, KeyModifiers::SHIFT)),
        (b"\x1b\x1b[B", press(Down, KeyModifiers::ALT)),
        (b"\x1b[Z", press(Tab, KeyModifiers::SHIFT)),
        (b"\x1b[3~", press(Delete, KeyModifiers::NONE)),
        (b"\x1b[6;5~", press(PageDown, KeyModifiers::CONTROL)),
        (b"\x1bOP", press(F(1), KeyModifiers::NONE)),
        (b"\x1b[[B", press(F(2), KeyModifiers::NONE)),
        (b"\x1b[15~", press(F(5), KeyModifiers::NONE)),
        (b"\x1b[24~", press(F(12), KeyModifiers::NONE)),
        (b"\x1b[27;5;106~", press(Char('j'), KeyModifiers::CONTROL)),
        // Without parameters it is no cursor report.
        (b"\x1b[R", press(F(3), KeyModifiers::NONE)),
    ]);
}

#[test]
fn rxvt_keys() {
    use KeyCode::*;
    let both = KeyModifiers::CONTROL | KeyModifiers::SHIFT;
    assert_parses(&[
        (b"\x1b[a", press(Up, KeyModifiers::SHIFT)),
        (b"\x1b[d", press(Left, KeyModifiers::SHIFT)),
        (b"\x1bOb", press(Down, KeyModifiers::CONTROL)),
        (b"\x1bOc", press(Right, KeyModifiers::CONTROL)),
        (b"\x1b[3$", press(Delete, KeyModifiers::SHIFT)),
        (b"\x1b[3^", press(Delete, KeyModifiers::CONTROL)),
        (b"\x1b[3@", press(Delete, both)),
        (b"\x1b[23$", press(F(11), KeyModifiers::SHIFT)),
    ]);
}

/// What has no name is a key too: any key ends the screensaver.
#[test]
fn any_key_is_a_key() {
    let other = press(KeyCode::Null, KeyModifiers::NONE);
    let keys: [&[u8]; 14] = [
        b"\x1b[57427u",
        b"\x1b[E",
        b"\x1bOE",
        b"\x1bOu",
        b"\x1b[57361u",
        b"\x1b[57362u",
        b"\x1b[57363u",
        b"\x1b[57358u",
        b"\x1b[57430u",
        b"\x1b[224z",
        b"\x1b[99~",
        b"\xff",
        b"\x80",
        b"\xe4",
    ];
    for bytes in keys {
        let events = parse(bytes);
        let is_key = matches!(&*events, [Event::Key(_)]);
        assert!(is_key, "{:?} gave {events:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(parse(b"\xe4q"), [other.clone(), char('q')], "Latin-1");
    assert_eq!(parse(b"\xed\xa0\x80"), [other], "half a pair of UTF-16");
}

/// Flags 4, 8 and 16: the key on a US layout comes third, and what was typed comes last.
#[test]
fn kitty_reports_the_layout_and_the_text() {
    use KeyCode::*;
    let typed = |bytes: &[u8]| match &*parse(bytes) {
        [Event::Key(key)] => (key.code, key.base, key.mods),
        other => panic!("{other:?}"),
    };
    assert_eq!(typed(b"\x1b[1089::99;5u"), (Char('с'), Char('c'), KeyModifiers::CONTROL));
    // Without the place of the key, as most terminals report it, by the letter.
    assert_eq!(typed(b"\x1b[1089;5u"), (Char('с'), Char('c'), KeyModifiers::CONTROL));
    assert_eq!(typed("Й".as_bytes()), (Char('Й'), Char('q'), KeyModifiers::NONE));
    assert_eq!(typed("ψ".as_bytes()), (Char('ψ'), Char('c'), KeyModifiers::NONE));
    assert_eq!(typed("ß".as_bytes()), (Char('ß'), Char('ß'), KeyModifiers::NONE));
    assert_eq!(typed(b"\x1b[1089::99;1;1089u"), (Char('с'), Char('c'), KeyModifiers::NONE));
    assert_eq!(typed(b"\x1b[1089:1057:99;2;1057u"), (Char('С'), Char('c'), KeyModifiers::NONE));
    assert_eq!(typed(b"\x1b[47:63;2;63u"), (Char('?'), Char('/'), KeyModifiers::NONE));
    assert_eq!(typed(b"\x1b[47:63;2u"), (Char('?'), Char('/'), KeyModifiers::NONE));
    assert_eq!(typed(b"\x1b[47;2u"), (Char('?'), Char('/'), KeyModifiers::NONE), "no alternate is reported");
    assert_eq!(typed(b"\x1b[113::113;1;64u"), (Char('@'), Char('q'), KeyModifiers::NONE), "AltGr");
    assert_eq!(typed(b"\x1b[0;;228u"), (Char('ä'), Null, KeyModifiers::NONE), "a dead key");
    assert_eq!(typed(b"\x1b[13;1;13u"), (Enter, Enter, KeyModifiers::NONE));
    for key in [&b"\x1b[1089::99;5u"[..], b"\x1b[1089;5u"] {
        assert!(matches!(&*parse(key), [Event::Key(key)] if key.is_interrupt()));
    }
    assert!(matches!(&*parse(b"\x1b[1089::99;5:3u"), [Event::Key(key)] if !key.is_interrupt()));
}

#[test]
fn alt_gr_of_a_windows_console_is_no_modifier() {
    let both = KeyModifiers::CONTROL | KeyModifiers::ALT;
    for c in ['[', ']', '@', '{', '}', '\\', '|', '~', '€', 'ł'] {
        assert_eq!(keys::without_alt_gr(c, both), KeyModifiers::NONE, "{c}");
    }
    assert_eq!(keys::without_alt_gr('q', both), both);
    assert_eq!(keys::without_alt_gr('@', KeyModifiers::CONTROL), KeyModifiers::CONTROL);
}

#[test]
fn kitty_keys() {
    use KeyCode::*;
    use KeyEventKind::*;
    assert_parses(&[
        (b"\x1b[27u", press(Esc, KeyModifiers::NONE)),
        (b"\x1b[99;5u", press(Char('c'), KeyModifiers::CONTROL)),
        (b"\x1b[1;1:1A", press(Up, KeyModifiers::NONE)),
        (b"\x1b[1;1:2A", key(Up, KeyModifiers::NONE, Repeat)),
        (b"\x1b[1;1:3A", key(Up, KeyModifiers::NONE, Release)),
        (b"\x1b[1;2:3D", key(Left, KeyModifiers::SHIFT, Release)),
        (b"\x1b[104;1:3u", key(Char('h'), KeyModifiers::NONE, Release)),
        (b"\x1b[104;2:3u", key(Char('H'), KeyModifiers::NONE, Release)),
        (b"\x1b[3;1:3~", key(Delete, KeyModifiers::NONE, Release)),
        (b"\x1b[104:72;2:3u", key(Char('H'), KeyModifiers::NONE, Release)),
        (b"\x1b[57419u", press(Up, KeyModifiers::NONE)),
        (b"\x1b[57400;129u", press(Char('1'), KeyModifiers::NONE)),
    ]);
    assert_eq!(parse(b"\x1b[57441;2u"), [], "shift on its own is no key");
}

fn mouse(kind: MouseEventKind, mods: KeyModifiers, x: f32, y: f32) -> Event {
    Event::Mouse(Mouse { kind, mods, x, y })
}

#[test]
fn mouse_in_cells() {
    use MouseEventKind::*;
    assert_parses(&[
        (b"\x1b[<0;1;1M", mouse(Down(MouseButton::Left), KeyModifiers::NONE, 0.5, 0.5)),
        (b"\x1b[<2;300;80m", mouse(Up(MouseButton::Right), KeyModifiers::NONE, 299.5, 79.5)),
        (b"\x1b[<36;3;4M", mouse(Drag(MouseButton::Left), KeyModifiers::SHIFT, 2.5, 3.5)),
        (b"\x1b[<35;3;4M", mouse(Moved, KeyModifiers::NONE, 2.5, 3.5)),
        (b"\x1b[<64;3;4M", mouse(ScrollUp, KeyModifiers::NONE, 2.5, 3.5)),
        (b"\x1b[<81;3;4M", mouse(ScrollDown, KeyModifiers::CONTROL, 2.5, 3.5)),
        (b"\x1b[M !!", mouse(Down(MouseButton::Left), KeyModifiers::NONE, 0.5, 0.5)),
    ]);
    assert_eq!(parse(b"\x1b[<66;3;4M"), [], "a wheel tilted sideways");
    assert_eq!(parse(b"\x1b[<0;3M"), parse(b"\x1b[<0;3;1M"), "nothing is out of range");
}

#[test]
fn mouse_in_pixels() {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.set_pixel_mouse(Some((8., 16.)));
    parser.feed(b"\x1b[<0;13;1M", &mut out);
    assert_eq!(out, [mouse(MouseEventKind::Down(MouseButton::Left), KeyModifiers::NONE, 12.5 / 8., 0.5 / 16.)]);
}

const REPLIES: &[&str] = &[
    "\x1b[0n",
    "\x1b[?62;22c",
    "\x1b[>1;4000;12c",
    "\x1b[?3u",
    "\x1b[12;40R",
    "\x1b[?12;40R",
    "\x1b[?2026;2$y",
    "\x1b[6;16;8t",
    "\x1b[4;600;800t",
    "\x1b[48;24;80;384;640t",
    "\x1b[?997;1n",
    "\x1b]11;rgb:1c1c/ffff/0000\x1b\\",
    "\x1b]11;rgb:1c/ff/00\x07",
    "\x1b]10;rgba:ffff/ffff/ffff/ffff\x1b\\",
    "\x1b]4;1;rgb:qq/q/q\x1b\\",
    "\x1bP>|kitty(0.31.0)\x1b\\",
    "\x1bP1+r524742=38\x1b\\",
    "\x1bP0+r5463\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
];

#[test]
fn replies_are_parsed() {
    let reply = |text: &str| match &*parse(text.as_bytes()) {
        [Event::Reply(reply)] => reply.clone(),
        other => panic!("{text:?} gave {other:?}"),
    };
    assert_eq!(reply("\x1b[0n"), Reply::Status);
    assert_eq!(reply("\x1b[?62;22c"), Reply::PrimaryAttributes(vec![62, 22]));
    assert_eq!(reply("\x1b[1;2R"), Reply::Cursor { column: 2 });
    assert_eq!(reply("\x1b[?2026;2$y"), Reply::Mode { mode: 2026, state: 2 });
    assert_eq!(reply("\x1b[6;16;8t"), Reply::CellPixels { width: 8, height: 16 });
    assert_eq!(reply("\x1b[48;24;80;384;640t"), Reply::Size { columns: 80, rows: 24, width: 640, height: 384 });
    assert_eq!(reply("\x1b]11;rgb:1c1c/ffff/0000\x1b\\"), Reply::Background(Rgb(0x1c, 255, 0)));
    assert_eq!(reply("\x1b]11;rgb:f/8/0\x07"), Reply::Background(Rgb(255, 136, 0)));
    assert_eq!(reply("\x1b]10;rgb:f/8/0\x07"), Reply::Foreground(Rgb(255, 136, 0)));
    assert_eq!(reply("\x1b]4;1;rgb:ff/0/0\x07"), Reply::NamedColors(vec![(1, Rgb(255, 0, 0))]));
    let named = "\x1b]4;0;rgb:0/0/0;99;rgb:1/1/1;15;rgb:ff/ff/ff;7\x1b\\";
    assert_eq!(reply(named), Reply::NamedColors(vec![(0, Rgb::BLACK), (15, Rgb::WHITE)]));
    assert_eq!(reply("\x1bP>|foot(1.16.2)\x1b\\"), Reply::Version("foot(1.16.2)".into()));
    assert_eq!(reply("\x1bP1$r0;48:2::1:2:3m\x1b\\"), Reply::Rendition("0;48:2::1:2:3".into()));
    assert_eq!(reply("\x1bP1+r524742=38\x1b\\"), Reply::Capability("XTGETTCAP RGB"));
    assert_eq!(reply("\x1bP1+r5463\x1b\\"), Reply::Capability("XTGETTCAP Tc"));
    assert_eq!(reply("\x1bP0+r5463\x1b\\"), Reply::Other);
}

/// Because every frame requests a status, a reply may follow the Esc key within milliseconds.
#[test]
fn an_answer_after_the_esc_key_does_not_swallow_it() {
    for reply in REPLIES {
        let events = parse(format!("\x1b{reply}").as_bytes());
        assert_eq!(events[0], press(KeyCode::Esc, KeyModifiers::NONE), "{reply:?}");
        assert!(events[1..].iter().all(|e| matches!(e, Event::Reply(_))), "{reply:?}: {events:?}");
    }
    let events = parse(b"\x1b\x1b[<0;1;1M");
    assert!(matches!(&*events, [Event::Key(_), Event::Mouse(_)]), "{events:?}");
}

#[test]
fn a_paste_is_not_keys() {
    let expected = [Event::Paste("q\x1b[A\r".into()), char('x')];
    assert_eq!(parse(b"\x1b[200~q\x1b[A\r\x1b[201~x"), expected);
}

#[test]
fn an_endless_paste_is_bounded_and_given_up() {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.feed(b"\x1b[200~", &mut out);
    for _ in 0..100 {
        parser.feed(&[b'q'; 1000], &mut out);
    }
    assert!(out.is_empty() && parser.buffer.len() <= MAX_PASTE);
    parser.feed(PASTE_END, &mut out);
    parser.feed(b"x", &mut out);
    assert!(matches!(&*out, [Event::Paste(_), last] if *last == char('x')));
}

/// Feeds pieces with a pause of this length after each.
fn with_pauses(pieces: &[&[u8]], pause: Duration) -> Vec<Event> {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    for piece in pieces {
        parser.feed(piece, &mut out);
        if pause >= PASTE_PAUSE {
            parser.pause();
        }
        while parser.timeout().is_some_and(|timeout| timeout <= pause) {
            parser.expire(&mut out);
        }
    }
    out
}

#[test]
fn control_c_ends_a_paste_whose_end_was_lost() {
    let pause = Duration::from_millis(100);
    for interrupt in [&b"\x03"[..], b"\x1b[99;5u", b"\x1b[1089::99;5u"] {
        let events = with_pauses(&[b"\x1b[200~abc", b"x", b"x", interrupt, b"q"], pause);
        let [Event::Paste(text), Event::Key(key), last] = &*events else { panic!("{events:?}") };
        assert!(text == "abcxx" && key.is_interrupt() && *last == char('q'), "{events:?}");
    }
    assert_eq!(with_pauses(&[b"\x1b[200~abc", b"x\x03y", b"\x1b[201~"], pause), [Event::Paste("abcx\x03y".into())]);
}

#[test]
fn the_rest_of_a_paste_that_stalled_is_not_keys() {
    let stall = Duration::from_secs(2);
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.feed(b"\x1b[200~abc", &mut out);
    parser.expire(&mut out);
    assert_eq!(parser.timeout(), None);
    parser.feed(b"qqq", &mut out);
    parser.feed(b"\x1b[201~x", &mut out);
    assert_eq!(out, [Event::Paste("abc".into()), Event::Paste("qqq".into()), char('x')]);
    // What is not ended was typed.
    let events = with_pauses(&[b"\x1b[200~abc", b"q", b"q"], stall);
    assert_eq!(events, [Event::Paste("abc".into()), char('q'), char('q')]);
}

/// A slow link may split a reply after its first byte.
#[test]
fn a_lone_esc_waits_longer_while_a_reply_is_due() {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.awaits_reply = true;
    parser.feed(b"\x1b", &mut out);
    assert_eq!(parser.timeout(), Some(SEQUENCE_TIMEOUT));
    parser.feed(b"[?62;22c", &mut out);
    assert_eq!(out, [Event::Reply(Reply::PrimaryAttributes(vec![62, 22]))]);
}

#[test]
fn control_c_breaks_through_everything_but_a_paste() {
    for start in ["\x1b[", "\x1b[12;", "\x1b]11;rgb", "\x1bP1+r", "\x1b_x", "\x1bO", "\u{1b}[[", "\x1b]x\x1b"] {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        parser.feed(start.as_bytes(), &mut out);
        parser.feed(b"\x03", &mut out);
        let last = out.last().unwrap_or_else(|| panic!("{start:?} swallows Ctrl-C"));
        assert!(matches!(last, Event::Key(Key { code: KeyCode::Char('c'), .. })), "{start:?}: {out:?}");
    }
}

#[test]
fn a_lone_esc_waits_for_silence() {
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    parser.feed(b"\x1b", &mut out);
    assert!(out.is_empty() && parser.timeout() == Some(ESC_TIMEOUT));
    parser.flush(&mut out);
    assert_eq!(out, [press(KeyCode::Esc, KeyModifiers::NONE)]);
    assert_eq!(parser.timeout(), None);
}

/// Bytes that look like a terminal's: whole sequences, halves of them, and noise.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(REPLIES).prop_map(|r| r.as_bytes().to_vec()),
        prop::sample::select(vec![
            "\x1b[A",
            "\x1b",
            "\x1b[<0;5;5M",
            "é",
            "\x1b[200~",
            "\x1b[201~",
            "\x1b[M",
            "\x1b[[",
            "\x1bO"
        ])
        .prop_map(|r| r.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_cut_of_the_same_bytes_gives_the_same_events(bytes in stream(), cuts in prop::collection::vec(1..9usize, 1..40)) {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        let (mut rest, mut cuts) = (&bytes[..], cuts.iter().cycle());
        while let (false, Some(&cut)) = (rest.is_empty(), cuts.next()) {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            parser.feed(now, &mut out);
            rest = later;
        }
        parser.flush(&mut out);
        prop_assert_eq!(out, parse(&bytes));
    }

    #[test]
    fn any_bytes_are_survived_in_bounded_space(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        parser.feed(&bytes, &mut out);
        prop_assert!(parser.buffer.len() <= MAX_STRING.max(bytes.len()));
        parser.flush(&mut out);
        prop_assert_eq!(parser.timeout(), None);
    }

    #[test]
    fn replies_are_never_keys(replies in prop::collection::vec(prop::sample::select(REPLIES), 0..20)) {
        let events = parse(replies.concat().as_bytes());
        prop_assert_eq!(events.len(), replies.len());
        prop_assert!(events.iter().all(|event| matches!(event, Event::Reply(_))), "{:?}", events);
    }
}

//! Replies that are strings: DCS and OSC.

use crate::cell::color::Rgb;
use crate::term::input::event::Reply;

/// XTVERSION, DECRQSS or XTGETTCAP.
pub fn device_reply(text: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(text);
    if let Some(name) = text.strip_prefix(">|") {
        return Reply::Version(name.to_owned());
    }
    if let Some(params) = text.strip_prefix("1$r").and_then(|status| status.strip_suffix('m')) {
        return Reply::Rendition(params.to_owned());
    }
    // The names are in hex.
    match text.strip_prefix("1+r").and_then(|pair| pair.split('=').next()) {
        Some("524742") => Reply::Capability("XTGETTCAP RGB"),
        Some("5463") => Reply::Capability("XTGETTCAP Tc"),
        _ => Reply::Other,
    }
}

/// The colour of the background or of text, or named colours.
pub fn system_reply(text: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(text);
    let reply = match text.split_once(';') {
        Some(("11", spec)) => color(spec).map(Reply::Background),
        Some(("10", spec)) => color(spec).map(Reply::Foreground),
        Some(("4", pairs)) => Some(Reply::NamedColors(named_colors(pairs))),
        _ => None,
    };
    reply.unwrap_or(Reply::Other)
}

/// `INDEX;COLOR;INDEX;COLOR…`; terminals reply with one pair or with all.
fn named_colors(pairs: &str) -> Vec<(u8, Rgb)> {
    let fields: Vec<&str> = pairs.split(';').take(32).collect();
    let named = |pair: &[&str]| {
        let index = pair[0].parse().ok().filter(|&index: &u8| index < 16)?;
        Some((index, color(pair.get(1)?)?))
    };
    fields.chunks(2).filter_map(named).collect()
}

/// X11's `rgb:R/G/B`, with one to four hex digits a channel, or `rgba:` with a fourth channel.
fn color(spec: &str) -> Option<Rgb> {
    let channels = spec.strip_prefix("rgb:").or_else(|| spec.strip_prefix("rgba:"))?;
    let mut channels = channels.split('/').map(|hex| {
        let value = u32::from_str_radix(hex, 16).ok()?;
        let max = 16u32.checked_pow(hex.len() as u32).filter(|_| hex.len() <= 4)? - 1;
        Some(((value * 255 + max / 2) / max) as u8)
    });
    Some(Rgb(channels.next()??, channels.next()??, channels.next()??))
}

//! Negative numbers with a unit on the command line.

use std::ffi::OsString;

/// Converts arguments such as `-20deg` after `tilt` to `-20`, because clap reads anything but a negative number with a hyphen as
/// a flag.
pub fn signed(args: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut after_tilt = false;
    args.into_iter().map(move |arg| {
        let degrees = arg.to_str().and_then(|text| text.strip_suffix("deg")).filter(|text| text.starts_with('-'));
        let number = degrees.filter(|text| after_tilt && text.parse::<f32>().is_ok()).map(OsString::from);
        after_tilt = arg == "tilt";
        number.unwrap_or(arg)
    })
}

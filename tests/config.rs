//! Layers of settings, and what comes of them.

#![cfg(feature = "app")]

use slosh::app::settings::{Layer, Settings};
use slosh::view::{ColorDepth, Drive, Glyphs, palette};

fn layer(glyphs: &str, palette: &str, color: &str, drive: &str) -> Layer {
    let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Layer { glyphs: said(glyphs), palette: said(palette), color: said(color), drive: said(drive) }
}

#[test]
fn nothing_said_leaves_the_choice_to_terminal_and_scene() {
    let settings = Settings::resolve(&[&Layer::default()]).expect("nothing is wrong with nothing");
    assert_eq!(settings, Settings::default());
    assert_eq!((settings.glyphs, settings.palette, settings.color), (None, None, None));
}

#[test]
fn a_later_layer_goes_before_an_earlier_one_where_it_speaks() {
    let file = layer("braille", "lava", "256", "");
    let flags = layer("half", "", "", "speed");
    let settings = Settings::resolve(&[&file, &flags]).expect("good layers");
    assert_eq!(settings.glyphs, Some(Glyphs::Half));
    assert_eq!(settings.palette.as_ref(), palette::find("lava"));
    assert_eq!((settings.color, settings.drive), (Some(ColorDepth::Ansi256), Drive::Speed));
    let settings = Settings::resolve(&[&flags, &file]).expect("good layers");
    assert_eq!(settings.glyphs, Some(Glyphs::Braille));
}

#[test]
fn auto_takes_a_depth_back() {
    let file = layer("", "", "mono", "");
    let flags = layer("", "", "auto", "");
    assert_eq!(Settings::resolve(&[&file, &flags]).expect("good layers").color, None);
}

#[test]
fn every_name_that_is_listed_is_found() {
    for glyphs in Glyphs::ALL {
        assert_eq!(Settings::resolve(&[&layer(glyphs.name(), "", "", "")]).expect("known").glyphs, Some(glyphs));
    }
    for name in palette::names() {
        let settings = Settings::resolve(&[&layer("", name, "", "")]).expect("known");
        assert_eq!(settings.palette.expect("a palette").name(), name);
    }
    for depth in ColorDepth::ALL {
        assert_eq!(Settings::resolve(&[&layer("", "", depth.name(), "")]).expect("known").color, Some(depth));
    }
    for drive in Drive::ALL {
        assert_eq!(Settings::resolve(&[&layer("", "", "", drive.name())]).expect("known").drive, drive);
    }
}

#[test]
fn an_unknown_name_is_refused_even_where_a_known_one_would_do() {
    for wrong in
        [layer("blocks", "", "", ""), layer("", "blue", "", ""), layer("", "", "rgb", ""), layer("", "", "", "heat")]
    {
        let failure = Settings::resolve(&[&wrong]).expect_err("unknown");
        assert!(failure.to_string().to_lowercase().contains("choices: "), "{failure}");
    }
}

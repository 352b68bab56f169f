//! The text that `y` copies: the command, or the link, that opens the same tank elsewhere.

use base64::Engine;

/// The address of the page that runs slosh in a browser: the homepage of a release (`.ci/release.toml`); empty in other
/// builds.
const PAGE: &str = env!("CARGO_PKG_HOMEPAGE");

/// The link that opens a share code, or the command if this build has no page.
pub fn of(code: &str) -> String {
    on_page(PAGE, code)
}

fn on_page(page: &str, code: &str) -> String {
    if page.is_empty() { format!("slosh play {code}") } else { format!("{page}#{code}") }
}

/// The sequence that copies `text` to the clipboard (OSC 52).
pub fn copying(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64::engine::general_purpose::STANDARD.encode(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::share_code::ShareCode;

    #[test]
    fn a_link_and_a_command_play_the_same() {
        let recipe = ShareCode {
            scene: "dam".into(),
            seed: 7,
            palette: "lava".into(),
            color_by: "density".into(),
            set: Vec::new(),
        };
        let code = recipe.code().expect("an embedded scene");
        assert_eq!(on_page("", &code), format!("slosh play {code}"));
        let link = on_page("https://page.example/", &code);
        assert_eq!(ShareCode::parse(&link), Ok(recipe));
    }
}

//! The text that `y` copies: the command, or the link, that opens the same tank elsewhere.

use crate::term::{Term, TerminalKind};
use base64::Engine;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::thread;

/// The address of the page that runs slosh in a browser: the homepage of a release (`.ci/release.toml`); empty in other builds.
const PAGE: &str = env!("CARGO_PKG_HOMEPAGE");

pub fn of(code: &str) -> String {
    on_page(PAGE, code)
}

fn on_page(page: &str, code: &str) -> String {
    if page.is_empty() { format!("slosh play {code}") } else { format!("{page}#{code}") }
}

/// Copies a text to the clipboard: by OSC 52, and inside tmux by tmux too, which by default ignores OSC 52 of a pane.
pub fn copy(term: &mut Term, text: &str) -> io::Result<()> {
    if term.caps.kind == TerminalKind::Tmux {
        let text = text.to_owned();
        // In a thread, because a server that hangs must not stop the picture.
        thread::spawn(move || {
            let mut tmux = Command::new("tmux");
            tmux.args(["load-buffer", "-w", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut tmux = tmux.spawn()?;
            if let Some(mut pipe) = tmux.stdin.take() {
                pipe.write_all(text.as_bytes())?;
            }
            tmux.wait()
        });
    }
    term.send_sequence(&format!("\x1b]52;c;{}\x07", base64::engine::general_purpose::STANDARD.encode(text)))
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

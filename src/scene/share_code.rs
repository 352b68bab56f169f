//! Share codes: scene, seed, parameters, palette and displayed quantity in one word that survives chats, mails and shells. A code
//! is `slosh1-`, followed by base64 for URLs (RFC 4648) of three bytes of CRC-32 and lines of text.

use crate::{data, scene};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const PREFIX: &str = "slosh1-";

const CHECKSUM_BYTES: usize = 3;

/// Upper limit on the overrides in a code. Each is applied to every scene.
const MAX_OVERRIDES: usize = 200;

/// The content of a code. All values are names, as in flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShareCode {
    /// One of the scenes that come with the program.
    pub scene: String,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The name of a palette.
    pub palette: String,
    /// The quantity that the colours show.
    pub color_by: String,
    /// Keys of the scene, as `KEY=VALUE`.
    pub set: Vec<String>,
}

impl ShareCode {
    /// Returns the code.
    ///
    /// # Errors
    /// If the scene is not an embedded one, has too many overrides, or a value is empty or has several lines.
    pub fn code(&self) -> Result<String, String> {
        if scene::find(&self.scene).is_none() {
            return Err(format!("only embedded scenes have share codes; {} is not one of them", self.scene));
        }
        if self.set.len() > MAX_OVERRIDES {
            return Err(format!("{} keys are set, and a code may set {MAX_OVERRIDES}", self.set.len()));
        }
        let head = [self.scene.clone(), self.seed.to_string(), self.palette.clone(), self.color_by.clone()];
        let lines = [&head[..], &self.set].concat();
        match lines.iter().find(|line| line.is_empty() || line.contains(char::is_control)) {
            Some(value) => Err(format!("a share code cannot hold {value:?}: each value is one line")),
            None => Ok(Self::pack(&lines.join("\n"))),
        }
    }

    /// Packs lines of text into a code.
    pub fn pack(text: &str) -> String {
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode([&checksum(text)[..], text.as_bytes()].concat()))
    }

    /// Parses a code, or a link that ends in `#` and a code.
    ///
    /// # Errors
    /// Says what is wrong with the code.
    pub fn parse(code: &str) -> Result<Self, String> {
        let code = code.trim();
        let code = code.rsplit_once('#').map_or(code, |(_, code)| code);
        let body = code.strip_prefix(PREFIX).ok_or_else(|| match code.split_once('-') {
            Some((version, _)) if version.starts_with("slosh") => {
                format!("{version} is of another version of slosh; this one reads {PREFIX}…")
            }
            _ => format!("a share code begins with {PREFIX}, and a recording ends in .slosh"),
        })?;
        if let Some(wrong) = body.chars().find(|&c| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')) {
            return Err(format!("{wrong:?} is not a character of share codes"));
        }
        let cut = "it was not copied whole, or not exactly";
        let bytes = URL_SAFE_NO_PAD.decode(body).map_err(|_| cut.to_owned())?;
        let (given, text) = bytes.split_at_checked(CHECKSUM_BYTES).ok_or_else(|| cut.to_owned())?;
        let text =
            std::str::from_utf8(text).ok().filter(|text| checksum(text) == given).ok_or_else(|| cut.to_owned())?;
        Self::read(text)
    }

    fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::to_owned);
        let mut next = |what: &str| lines.next().ok_or_else(|| format!("it names no {what}"));
        let scene = next("scene")?;
        if scene::find(&scene).is_none() {
            return Err(format!(
                "unknown scene {scene:?}; {}",
                data::advice_of_many(&scene, scene::names(), "slosh list")
            ));
        }
        let seed = next("seed")?.parse().map_err(|_| "its seed is not a number".to_owned())?;
        let palette = next("palette")?;
        let color_by = next("quantity")?;
        let set: Vec<String> = lines.collect();
        if set.len() > MAX_OVERRIDES {
            return Err(format!("it sets {} keys; a code may set {MAX_OVERRIDES}", set.len()));
        }
        Ok(Self { scene, seed, palette, color_by, set })
    }
}

fn checksum(text: &str) -> [u8; CHECKSUM_BYTES] {
    let [_, sum @ ..] = crc32fast::hash(text.as_bytes()).to_be_bytes();
    sum
}

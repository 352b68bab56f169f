//! slosh-scene(5), from the page of the documentation that says the same: `docs/scene-format.md`.
//!
//! Of Markdown it knows what that page uses: headings, paragraphs, tables, lists, blocks of code, code, emphasis and links.

use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

/// The page of the documentation.
const SOURCE: &str = include_str!("../../../docs/scene-format.md");

/// The page as roff.
pub fn page(date: &str, version: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("TH", ["SLOSH-SCENE", "5", date, &format!("slosh {version}")]);
    roff.control("SH", ["NAME"]);
    roff.text([roman("slosh-scene - scenes of slosh(1): what a TOML file may say of a tank")]);
    roff.control("SH", ["DESCRIPTION"]);
    let mut blocks = Blocks { roff: &mut roff, after_heading: true };
    for block in blocks_of(SOURCE) {
        blocks.write(&block);
    }
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold("slosh"), roman("(1)")]);
    roff
}

enum Block<'a> {
    Heading(usize, &'a str),
    Paragraph(String),
    Item(String),
    Code(Vec<&'a str>),
    /// Rows of cells, the head first.
    Table(Vec<Vec<&'a str>>),
}

fn blocks_of(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            blocks.push(Block::Code(lines.by_ref().take_while(|line| !line.starts_with("```")).collect()));
        } else if let Some(heading) = line.strip_prefix('#') {
            let more = heading.chars().take_while(|&c| c == '#').count();
            blocks.push(Block::Heading(1 + more, heading[more..].trim()));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(cells(row));
            }
            // The rule under the head.
            rows.remove(1);
            blocks.push(Block::Table(rows));
        } else if !line.trim().is_empty() {
            let item = line.strip_prefix("- ");
            let mut text = item.unwrap_or(line).trim().to_owned();
            let goes_on = |line: &&str| !line.trim().is_empty() && !line.starts_with(['|', '#', '`', '-']);
            // A line may begin with code; a block of it is set off by a blank line here.
            let goes_on = |line: &&str| goes_on(line) || (line.starts_with('`') && !line.starts_with("```"));
            while let Some(more) = lines.next_if(goes_on) {
                text = format!("{text} {}", more.trim());
            }
            blocks.push(if item.is_some() { Block::Item(text) } else { Block::Paragraph(text) });
        }
    }
    blocks
}

fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(str::trim).collect()
}

struct Blocks<'a> {
    roff: &'a mut Roff,
    /// A paragraph needs no request where a heading has just begun one.
    after_heading: bool,
}

impl Blocks<'_> {
    fn write(&mut self, block: &Block) {
        let after_heading = std::mem::replace(&mut self.after_heading, false);
        match block {
            // The title, and the table of contents that a manual page does not have.
            Block::Heading(1, _) => self.after_heading = true,
            Block::Item(text) if text.starts_with('[') => self.after_heading = after_heading,
            Block::Heading(level, text) => {
                let name = if *level == 2 { "SH" } else { "SS" };
                let text = text.replace('`', "");
                self.roff.control(name, [&*if *level == 2 { text.to_uppercase() } else { text }]);
                self.after_heading = true;
            }
            Block::Paragraph(text) => {
                if !after_heading {
                    self.roff.control("PP", []);
                }
                self.roff.text(inline(text));
            }
            Block::Item(text) => {
                self.roff.control("IP", ["\\(bu", "2"]);
                self.roff.text(inline(text));
            }
            Block::Code(lines) => {
                if !after_heading {
                    self.roff.control("PP", []);
                }
                self.roff.control("nf", []);
                for line in lines {
                    self.roff.text([roman(*line)]);
                }
                self.roff.control("fi", []);
            }
            Block::Table(rows) => self.table(rows),
        }
    }

    fn table(&mut self, rows: &[Vec<&str>]) {
        let (head, rows) = rows.split_first().expect("a table has a head");
        let is_of_keys = head.len() == 5 && head[0] == "key";
        for row in rows {
            self.roff.control("TP", []);
            let said = |cell: &&&str| !cell.is_empty() && **cell != "–";
            let meaning = if let ([_, value, unit, default, about], true) = (&row[..], is_of_keys) {
                let unit = if *unit == "–" { String::new() } else { format!(" {unit}") };
                let default = match *default {
                    "required" => "required".to_owned(),
                    default => format!("default {default}"),
                };
                format!("{about}. {value}{unit}; {default}")
            } else {
                row[1..].iter().filter(said).copied().collect::<Vec<_>>().join("; ")
            };
            self.roff.text(inline(&format!("**{}**", row[0].replace('`', ""))));
            self.roff.text(inline(&meaning));
        }
    }
}

/// Code and strong emphasis in bold, emphasis in italics, of a link its words.
fn inline(text: &str) -> Vec<Inline> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (before, from) = rest.split_at(at);
        let found = if let Some(strong) = from.strip_prefix("**") {
            strong.split_once("**").map(|(inside, after)| (bold(inside), after))
        } else if let Some(code) = from.strip_prefix('`') {
            code.split_once('`').map(|(inside, after)| (bold(inside), after))
        } else if let Some(emphasis) = from.strip_prefix('*') {
            emphasis.split_once('*').map(|(inside, after)| (italic(inside), after))
        } else {
            let link = from.strip_prefix('[').and_then(|link| link.split_once("]("));
            let link = link.filter(|(words, _)| !words.contains([']', '[']));
            link.and_then(|(words, to)| to.split_once(')').map(|(_, after)| (roman(words), after)))
        };
        let (part, after) = found.unwrap_or_else(|| (roman(&from[..1]), &from[1..]));
        if !before.is_empty() {
            parts.push(roman(before));
        }
        parts.push(part);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(roman(rest));
    }
    parts
}

//! Prints the manual page slosh-scene(5), made of docs/scene-format.md. Packages contain it.
//!
//! `cargo run --example scene_page > slosh-scene.5`
//!
//! The table of contents is left out. A table becomes a list of terms: its first column is the term, its last the
//! description, and the columns between are named by their headings.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use roff::{Inline, Roff, bold, italic, roman};
use slosh::cli::man;

const SOURCE: &str = include_str!("../docs/scene-format.md");

fn main() {
    print!("{}", page());
}

/// The page as macros of `man`.
pub fn page() -> String {
    let mut writer = RoffWriter { after_heading: true, ..RoffWriter::default() };
    let version = format!("slosh {}", env!("CARGO_PKG_VERSION"));
    writer.roff.control("TH", ["SLOSH-SCENE", "5", &man::date(), &version]);
    writer.roff.control("SH", ["NAME"]);
    writer.roff.text([roman("slosh-scene - the scene files of slosh")]);
    writer.roff.control("SH", ["DESCRIPTION"]);
    for event in Parser::new_ext(SOURCE, Options::ENABLE_TABLES) {
        writer.take(event);
    }
    writer.roff.control("SH", ["SEE ALSO"]);
    writer.roff.text([bold("slosh"), roman("(1)")]);
    man::wrapped(&writer.roff.render())
}

/// Converts Markdown events to roff requests.
#[derive(Default)]
struct RoffWriter {
    roff: Roff,
    /// The text of the current paragraph, heading, cell or item so far.
    text: Vec<Inline>,
    in_strong: bool,
    in_emphasis: bool,
    in_code_block: bool,
    /// The cells of the table's head, and of the current row so far.
    head: Vec<Vec<Inline>>,
    cells: Vec<Vec<Inline>>,
    /// Whether the current item has only links within the page so far. Such an item belongs to the table of contents.
    is_contents: bool,
    in_contents_link: bool,
    after_heading: bool,
}

impl RoffWriter {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code_block => {
                for line in text.lines() {
                    self.roff.text([roman(line)]);
                }
            }
            Event::Text(text) => {
                self.is_contents &= self.in_contents_link;
                let inline = match (self.in_strong, self.in_emphasis) {
                    (true, _) => bold(text.as_ref()),
                    (_, true) => italic(text.as_ref()),
                    _ => roman(text.as_ref()),
                };
                self.text.push(inline);
            }
            Event::Code(code) => {
                self.is_contents &= self.in_contents_link;
                self.text.push(bold(code.as_ref()));
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(roman(" ")),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag) {
        match tag {
            Tag::Strong => self.in_strong = true,
            Tag::Emphasis => self.in_emphasis = true,
            Tag::Item => self.is_contents = true,
            Tag::Link { dest_url, .. } => self.in_contents_link = dest_url.starts_with('#'),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.in_code_block = true;
                self.paragraph();
                self.roff.control("RS", ["4"]);
                self.roff.control("nf", []);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.in_strong = false,
            TagEnd::Emphasis => self.in_emphasis = false,
            TagEnd::Link => self.in_contents_link = false,
            TagEnd::CodeBlock => {
                self.in_code_block = false;
                self.roff.control("fi", []);
                self.roff.control("RE", []);
            }
            TagEnd::Heading(level) => {
                self.after_heading = true;
                let title: String = std::mem::take(&mut self.text).into_iter().map(plain).collect();
                match level {
                    HeadingLevel::H1 => {}
                    HeadingLevel::H2 => drop(self.roff.control("SH", [title.to_uppercase().as_str()])),
                    _ => drop(self.roff.control("SS", [title.as_str()])),
                }
            }
            TagEnd::Paragraph => {
                let text = std::mem::take(&mut self.text);
                self.paragraph();
                self.roff.text(text);
            }
            TagEnd::Item => {
                let text = std::mem::take(&mut self.text);
                if !self.is_contents && !text.is_empty() {
                    self.after_heading = false;
                    self.roff.control("IP", ["\\(bu", "2"]);
                    self.roff.text(text);
                }
            }
            TagEnd::TableCell => self.cells.push(std::mem::take(&mut self.text)),
            TagEnd::TableHead => self.head = std::mem::take(&mut self.cells),
            TagEnd::TableRow => self.row(),
            _ => {}
        }
    }

    /// Begins a paragraph. The text after a heading begins one without a request.
    fn paragraph(&mut self) {
        if !std::mem::take(&mut self.after_heading) {
            self.roff.control("PP", []);
        }
    }

    /// Writes a row as a term with its description, and the columns between in brackets.
    fn row(&mut self) {
        let mut cells = std::mem::take(&mut self.cells).into_iter();
        let Some(term) = cells.next() else { return };
        let mut facts = Vec::new();
        let mut meaning = Vec::new();
        for (cell, heading) in cells.zip(self.head.iter().skip(1)) {
            let name: String = heading.iter().cloned().map(plain).collect();
            let text: String = cell.iter().cloned().map(plain).collect();
            // A dash stands for "no unit".
            let is_empty = text.is_empty() || text == "–";
            if is_empty {
                continue;
            }
            if name.is_empty() || name == "value" {
                let target = if name.is_empty() { &mut meaning } else { &mut facts };
                target.extend(cell);
                continue;
            }
            if !facts.is_empty() {
                facts.push(roman("; "));
            }
            if name != "unit" {
                facts.push(roman(format!("{name} ")));
            }
            facts.extend(cell);
        }
        self.after_heading = false;
        self.roff.control("TP", []);
        self.roff.text(term);
        if !facts.is_empty() {
            if !meaning.is_empty() {
                meaning.push(roman(" "));
            }
            meaning.push(roman("("));
            meaning.extend(facts);
            meaning.push(roman(")"));
        }
        self.roff.text(meaning);
    }
}

/// The text without its font.
fn plain(inline: Inline) -> String {
    match inline {
        Inline::Roman(text) | Inline::Italic(text) | Inline::Bold(text) => text,
        Inline::LineBreak => " ".to_owned(),
    }
}

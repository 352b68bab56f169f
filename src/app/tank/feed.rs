//! Numbers from outside drive parameters of the scene (`slosh feed`). A reader turns lines into Actions, which are recorded as keys
//! are; the tank smooths the values, step by step.

use crate::app::action::Action;
use crate::math::Elementary;
use crate::scene::Scene;
use crate::scene::feed::FeedDef;
use crate::scene::parameters::Parameter;
use crate::sim::World;
use crate::sim::clock::STEP;

/// Upper limit on a line, in bytes.
const MAX_LINE: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq)]
enum Source {
    /// From 1 on.
    Column(usize),
    Key(String),
    /// One of so many equal parts of all columns.
    Part(usize, usize),
}

#[derive(Clone, Debug)]
struct Target {
    source: Source,
    parameter: Parameter,
    /// Index of its entry in the scene: its parameters share a range.
    entry: usize,
    from: Option<[f32; 2]>,
    range: [f32; 2],
    smooth: f32,
    /// The number that was read last, and the value now.
    raw: Option<f32>,
    value: f32,
}

#[derive(Clone, Debug, Default)]
pub struct Feed {
    targets: Vec<Target>,
    /// By entry: the largest number so far.
    largest: Vec<f32>,
    /// Whether the values are still on their way to the numbers that have arrived.
    pub moving: bool,
    /// Lines without the numbers that are wanted.
    pub bad_lines: u32,
    pub ended: bool,
}

impl Feed {
    pub fn new(scene: &Scene) -> Self {
        let mut targets = Vec::new();
        for (entry, def) in scene.feed.iter().enumerate() {
            let parameters = def.parameters(&scene.world);
            let count = parameters.len();
            targets.extend(parameters.into_iter().enumerate().map(|(number, parameter)| Target {
                source: match def {
                    FeedDef { key: Some(key), .. } => Source::Key(key.clone()),
                    FeedDef { column: Some(column), .. } => Source::Column(*column),
                    _ => Source::Part(number, count),
                },
                entry,
                from: def.from,
                range: def.range.unwrap_or([*parameter.range.start(), *parameter.range.end()]),
                smooth: def.smooth,
                raw: None,
                value: parameter.value(&scene.world),
                parameter,
            }));
        }
        Self { targets, largest: vec![0.0; scene.feed.len()], ..Self::default() }
    }

    pub fn set(&mut self, index: u16, raw: f32) {
        if let Some(target) = self.targets.get_mut(usize::from(index)).filter(|_| raw.is_finite()) {
            target.raw = Some(raw);
            self.largest[target.entry] = self.largest[target.entry].max(raw);
            self.moving = true;
        }
    }

    pub fn status(&self) -> Option<String> {
        let bad = match self.bad_lines {
            0 => None,
            1 => Some("1 line without numbers".to_owned()),
            count => Some(format!("{count} lines without numbers")),
        };
        let ended = self.ended.then(|| "input ended, the last values stay".to_owned());
        let parts: Vec<String> = ended.into_iter().chain(bad).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    pub fn step(&mut self, world: &mut World) {
        if !self.moving {
            return;
        }
        let Self { targets, largest, moving, .. } = self;
        *moving = false;
        for target in targets.iter_mut() {
            let Some(raw) = target.raw else { continue };
            let [low, high] = target.from.unwrap_or([0.0, largest[target.entry]]);
            let part = if low == high { 0.0 } else { ((raw - low) / (high - low)).clamp(0.0, 1.0) };
            let goal = target.range[0] + part * (target.range[1] - target.range[0]);
            let left = (goal - target.value) * (-STEP / target.smooth.max(1e-3)).exponential();
            let there = left.abs() <= 1e-3 * (target.range[1] - target.range[0]).abs();
            target.value = if there { goal } else { goal - left };
            *moving |= !there;
        }
        world.edit_parameters(|definition| {
            // What is fed does not move by itself.
            definition.piston.iter_mut().for_each(|piston| piston.swing = None);
            for target in targets.iter().filter(|target| target.raw.is_some()) {
                target.parameter.set_value(definition, target.value);
            }
        });
    }
}

#[derive(Clone, Debug, Default)]
pub struct FeedReader {
    /// The columns that are spread, from 1 on; all if there are none.
    columns: Vec<usize>,
    line: Vec<u8>,
    too_long: bool,
    bad_lines: u32,
    pub ended: bool,
}

impl FeedReader {
    pub fn new(columns: Vec<usize>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The Actions of what standard input holds now. Of several numbers for a parameter the last one counts.
    #[cfg(unix)]
    pub fn read(&mut self, feed: &Feed) -> Vec<Action> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = rustix::stdio::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        let ready =
            !self.ended && poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|count| count > 0);
        if !ready {
            return Vec::new();
        }
        let mut buf = [0; 1 << 16];
        match rustix::io::read(stdin, &mut buf) {
            Ok(0) => self.end(feed),
            Ok(count) => self.take(&buf[..count], feed),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Vec::new(),
            Err(_) => self.end(feed),
        }
    }

    pub fn end(&mut self, feed: &Feed) -> Vec<Action> {
        let rest = if self.line.is_empty() { Vec::new() } else { self.take(b"\n", feed) };
        self.ended = true;
        rest.into_iter().chain([Action::FeedReport(self.bad_lines, true)]).collect()
    }

    pub fn take(&mut self, bytes: &[u8], feed: &Feed) -> Vec<Action> {
        let mut numbers = vec![None; feed.targets.len()];
        let bad_before = self.bad_lines;
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let is_whole = part.ends_with(b"\n");
            self.too_long |= self.line.len() + part.len() > MAX_LINE;
            if !self.too_long {
                self.line.extend_from_slice(part);
            }
            if is_whole {
                let line = String::from_utf8_lossy(&self.line).into_owned();
                let found = !self.too_long && self.find(line.trim(), feed, &mut numbers);
                self.bad_lines =
                    self.bad_lines.saturating_add(u32::from(!found && (self.too_long || !line.trim().is_empty())));
                self.line.clear();
                self.too_long = false;
            }
        }
        let values = numbers.into_iter().enumerate().filter_map(|(index, number)| Some((index, number?)));
        let values = values.filter(|&(index, number)| feed.targets[index].raw != Some(number));
        let mut actions: Vec<Action> = values.map(|(index, number)| Action::Feed(index as u16, number)).collect();
        if self.bad_lines != bad_before {
            actions.push(Action::FeedReport(self.bad_lines, self.ended));
        }
        actions
    }

    /// Finds the numbers of all targets in a line. Returns whether there are any.
    fn find(&self, line: &str, feed: &Feed, numbers: &mut [Option<f32>]) -> bool {
        let json = line.starts_with(['{', '[']).then(|| serde_json::from_str::<serde_json::Value>(line).ok()).flatten();
        let columns: Vec<Option<f32>> = match &json {
            Some(serde_json::Value::Array(values)) => values.iter().map(json_number).collect(),
            Some(serde_json::Value::Object(values)) => values.values().map(json_number).collect(),
            _ => columns(line).map(number).collect(),
        };
        let chosen: Vec<f32> = match &*self.columns {
            [] => columns.iter().copied().flatten().collect(),
            chosen => chosen.iter().filter_map(|column| *columns.get(column - 1)?).collect(),
        };
        let mut found = false;
        for (target, number) in feed.targets.iter().zip(numbers) {
            let here = match &target.source {
                Source::Column(column) => columns.get(column - 1).copied().flatten(),
                Source::Key(key) => json.as_ref().and_then(|json| json_number(json.get(key)?)),
                Source::Part(..) if chosen.is_empty() => None,
                Source::Part(part, of) => {
                    let first = part * chosen.len() / of;
                    let end = ((part + 1) * chosen.len() / of).max(first + 1);
                    chosen[first..end].iter().copied().reduce(f32::max)
                }
            };
            found |= here.is_some();
            *number = here.or(*number);
        }
        found
    }
}

/// The columns of a line: between semicolons, or else commas, or else blanks.
fn columns(line: &str) -> Box<dyn Iterator<Item = &str> + '_> {
    match [';', ','].into_iter().find(|&separator| line.contains(separator)) {
        // The last one may be followed by a separator too.
        Some(separator) => Box::new(line.strip_suffix(separator).unwrap_or(line).split(separator).map(str::trim)),
        None => Box::new(line.split_whitespace()),
    }
}

/// A number, perhaps with a unit of percent.
fn number(text: &str) -> Option<f32> {
    text.trim_end_matches('%').trim_matches('"').parse().ok().filter(|number: &f32| number.is_finite())
}

fn json_number(value: &serde_json::Value) -> Option<f32> {
    match value {
        serde_json::Value::String(text) => number(text),
        value => value.as_f64().map(|number| number as f32).filter(|number| number.is_finite()),
    }
}

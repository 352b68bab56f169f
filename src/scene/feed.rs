//! The `[[feed]]` entries of a scene: the parameters that numbers from outside drive.

use crate::data::{DataError, Fields, advice};
use crate::scene::parameters::{self, Parameter};
use crate::sim::definition::WorldDef;
use serde::Serialize;

/// One entry: numbers of a column, or of a key of JSON, become values of parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedDef {
    /// The column, from 1 on. Without it and without a key all columns are spread over the parameters.
    pub column: Option<usize>,
    /// The key in lines of JSON.
    pub key: Option<String>,
    /// The key of a parameter, as `inlet.0.speed`; `piston.*.position` are those of all pistons.
    pub to: String,
    /// The numbers that become the ends of the range; without it 0 and the largest so far.
    pub from: Option<[f32; 2]>,
    /// The values that the parameter takes; without it its whole range.
    pub range: Option<[f32; 2]>,
    /// Seconds in which a value approaches a new one to 37 %.
    pub smooth: f32,
}

pub(super) fn feed(fields: &mut Fields) -> Result<FeedDef, DataError> {
    let limits = || -1e9..=1e9;
    Ok(FeedDef {
        column: fields.get("column").map(|entry| entry.integer(1..=1000)).transpose()?.map(|column| column as usize),
        key: fields.text("key")?.map(str::to_owned),
        to: fields.need("to")?.text()?.to_owned(),
        from: fields.get("from").map(|entry| entry.numbers(limits())).transpose()?,
        range: fields.get("range").map(|entry| entry.numbers(limits())).transpose()?,
        smooth: fields.number("smooth", 0.0..=60.0, 0.1)?,
    })
}

impl FeedDef {
    /// The parameters that it drives, in their order.
    pub fn parameters(&self, world: &WorldDef) -> Vec<Parameter> {
        let all = parameters::all(world).into_iter();
        match self.to.split_once('*') {
            None => all.filter(|parameter| parameter.key == self.to).collect(),
            Some((before, after)) => {
                let driven = |parameter: &Parameter| {
                    let middle = parameter.key.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                    middle.is_some_and(|middle| middle.parse::<usize>().is_ok())
                };
                all.filter(driven).collect()
            }
        }
    }

    /// Checks that there is such a parameter, that it can have these values, and that `from` is a range.
    ///
    /// # Errors
    /// Names the key, and says what is wrong with its value.
    pub fn validated(&self, world: &WorldDef) -> Result<(), (&'static str, String)> {
        let driven = self.parameters(world);
        if driven.is_empty() {
            let known: Vec<_> = parameters::all(world).into_iter().map(|parameter| parameter.key).collect();
            let known: Vec<&str> = known.iter().map(|key| &**key).collect();
            let advice = advice(&self.to, &known);
            return Err(("to", format!("names no parameter of this scene: {:?}; {advice}", self.to)));
        }
        if let Some([from, to]) = self.from
            && from == to
        {
            return Err(("from", format!("must be two different numbers, not [{from}, {to}]")));
        }
        if let Some([low, high]) = self.range
            && let Some(Parameter { key, range, .. }) =
                driven.iter().find(|parameter| [low, high].iter().any(|value| !parameter.range.contains(value)))
        {
            let (min, max) = (range.start(), range.end());
            return Err(("range", format!("{key} must be from {min} to {max}, not [{low}, {high}]")));
        }
        Ok(())
    }
}

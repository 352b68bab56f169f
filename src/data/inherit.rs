//! Entries that inherit: `inherits` names the entry from which an entry takes missing values.

use crate::data::{DataError, Entry, Fields};

/// Reads entries. Each may inherit from an earlier one, or from one of `known`. `read` gets the table of an entry and its parent.
pub fn inherit<T>(
    entries: &[Entry],
    known: &[T],
    name: fn(&T) -> &str,
    read: fn(&mut Fields, Option<&T>) -> Result<T, DataError>,
) -> Result<Vec<T>, DataError> {
    let mut all = Vec::new();
    for entry in entries {
        let mut fields = entry.fields()?;
        let named: Vec<(&str, &T)> = all.iter().chain(known).map(|elder| (name(elder), elder)).collect();
        let parent = fields.get("inherits").map(|name| name.word(&named)).transpose()?;
        let heir = read(&mut fields, parent)?;
        fields.done()?;
        all.push(heir);
    }
    Ok(all)
}

/// The user's own, then the embedded ones that none of them replaces by its name.
pub fn with_embedded<T: Clone>(mut own: Vec<T>, embedded: &[T], name: fn(&T) -> &str) -> Vec<T> {
    let others = embedded.iter().filter(|it| !own.iter().any(|other| name(other) == name(it)));
    own.extend(others.cloned().collect::<Vec<_>>());
    own
}

/// Reads the description, or returns "as" and the parent's name.
pub fn about(fields: &mut Fields, parent: Option<&str>) -> Result<Option<String>, DataError> {
    let own = fields.text("about")?.map(str::to_owned);
    Ok(own.or_else(|| parent.map(|parent| format!("as {parent}"))))
}

//! Entries that inherit: one says by `inherits` which other it is like in all that it does not say itself.

use crate::data::{DataError, Entry, Fields};

/// Reads entries, each of which may inherit from one before it, or from one of `known`: so none inherits from itself.
/// `read` gets an entry's table and what it inherits from.
///
/// # Errors
/// Those of `read`; an unknown parent; unknown keys.
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

/// What the table says that it is about, or that it is as its parent.
///
/// # Errors
/// If it is no text, or missing where nothing is inherited.
pub fn about(fields: &mut Fields, parent: Option<&str>) -> Result<Option<String>, DataError> {
    let own = fields.text("about")?.map(str::to_owned);
    Ok(own.or_else(|| parent.map(|parent| format!("as {parent}"))))
}

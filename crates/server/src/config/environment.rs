//! Variables of the environment that override keys of the file.

use toml::{Table, Value};

use super::ConfigError;

const PREFIX: &str = "TRUNKLINE_";

/// The variables that stand for keys, in the order of their names.
pub(super) fn ours(
    environment: impl Iterator<Item = (String, String)>,
) -> impl Iterator<Item = (String, String)> {
    let is_key = |name: &str| name.strip_prefix(PREFIX).is_some_and(|key| key.contains("__"));
    let mut found: Vec<_> = environment.filter(|(name, _)| is_key(name)).collect();
    found.sort();
    found.into_iter()
}

/// Sets the key that `variable` stands for. A value that is not TOML is taken as a text.
pub(super) fn set(table: &mut Table, variable: &str, value: &str) -> Result<(), ConfigError> {
    let key = variable.strip_prefix(PREFIX).unwrap_or(variable).to_lowercase();
    let mut names: Vec<&str> = key.split("__").collect();
    let last = names.pop().unwrap_or_default();
    let mut inner = table;
    for name in names {
        let entry = inner.entry(name).or_insert_with(|| Value::Table(Table::new()));
        inner = entry.as_table_mut().ok_or_else(|| ConfigError {
            place: variable.to_owned(),
            message: format!("{name} is no section"),
        })?;
    }
    let value = value.parse().unwrap_or_else(|_| Value::String(value.to_owned()));
    inner.insert(last.to_owned(), value);
    Ok(())
}

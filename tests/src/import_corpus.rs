//! The descriptions of others that `trunkline_import` reads, and whether what it finds is what others found.

mod canonical;
pub mod exceptions;
pub mod fix;
pub mod idl;
pub mod recorded;
pub mod table;
pub mod wsdl;
pub mod xsd;

/// What became of one description.
#[derive(Debug)]
pub struct Row {
    /// The case of the suite.
    pub case: String,
    /// Why it is not imported, if it is not.
    pub rejected: Option<String>,
    /// In what it differs from the facts of the suite, and what of it no plan carries: nothing, if all is well.
    pub differences: Vec<String>,
    /// How many messages came back equal.
    pub messages: usize,
    /// Kinds of message of which no plan is made, with the reason: tag=value could be read in two ways, or there is no form
    /// for what they hold.
    pub without_plan: usize,
}

/// Why not all of something is as it should be: each reason once, behind the first place where it is, with how often.
pub fn reasons<'a>(what: &str, all: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut known: Vec<(&str, &str, usize)> = Vec::new();
    for said in all {
        let (place, why) = said.split_once(": ").unwrap_or(("", said));
        match known.iter_mut().find(|it| it.1 == why) {
            Some(it) => it.2 += 1,
            None => known.push((place, why, 1)),
        }
    }
    let line = |(place, why, count): (&str, &str, usize)| {
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let place: String = place.chars().take(80).collect();
        let why: String =
            why.chars().map(|it| if it == '\n' { ' ' } else { it }).take(300).collect();
        format!("    {what}: {place}{more}: {why}")
    };
    known.into_iter().map(line).collect()
}

/// What is said of each case of a suite.
///
/// # Panics
/// The suite is not whole.
pub fn facts(suite: &std::path::Path, file: &str) -> Vec<serde_json::Value> {
    let facts = std::fs::read_to_string(suite.join(file)).expect("the facts");
    facts.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect()
}

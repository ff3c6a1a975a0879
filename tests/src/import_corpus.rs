//! The descriptions of others that `trunkline_import` reads, and whether what it finds is what others found.

pub mod fix;

/// What became of one description.
#[derive(Debug)]
pub struct Row {
    /// The case of the suite.
    pub case: String,
    /// Why it is not imported, if it is not.
    pub refused: Option<String>,
    /// In what it differs from the facts of the suite, and what of it no plan carries: nothing, if all is well.
    pub differences: Vec<String>,
    /// How many messages came back equal.
    pub messages: usize,
    /// Kinds of message of which no plan is made, because tag=value could be read in two ways.
    pub ambiguous: usize,
}

impl Row {
    /// A line of the table.
    pub fn line(&self) -> String {
        let imported = match &self.refused {
            None => "imported".to_owned(),
            Some(why) => format!("refused: {why}"),
        };
        let facts = match &*self.differences {
            [] => "facts agree".to_owned(),
            differences => differences.join("; "),
        };
        let ambiguous = match self.ambiguous {
            0 => String::new(),
            count => format!(", {count} kinds are ambiguous"),
        };
        format!(
            "{}\t{imported}\t{facts}\t{} messages came back{ambiguous}",
            self.case, self.messages
        )
    }
}

//! `trunkline lab list`

use trunkline_lab::definition::{self, Definition};
use trunkline_lab::table::{Align, Table};

use crate::Ending;
use crate::fault::Fault;
use crate::output::{print, print_table};

pub(crate) fn run() -> Result<Ending, Fault> {
    for name in definition::names() {
        let evaluation = Definition::named(name)?;
        print(&format!("{}: {}\n\n", evaluation.name, evaluation.source))?;
        let mut parts = Table::new([("part", Align::Left), ("what it measures", Align::Left)]);
        for part in &evaluation.parts {
            let how = if part.by_name { " (if it is named: --only)" } else { "" };
            parts.row([part.name.clone(), format!("{}{how}", part.what)]);
        }
        print_table(parts)?;
    }
    Ok(Ending::Right)
}

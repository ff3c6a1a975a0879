//! `trunkline lab list`

use trunkline_bench::table::{Align, Table};
use trunkline_experiment::definition::{self, Definition};

use crate::Ending;
use crate::fault::Fault;
use crate::output::{print, print_table};

pub(crate) fn run() -> Result<Ending, Fault> {
    for name in definition::names() {
        let evaluation = Definition::named(name)?;
        print(&format!("{}: {}\n\n", evaluation.name, evaluation.source))?;
        let mut parts = Table::new([("part", Align::Left), ("what it measures", Align::Left)]);
        for part in &evaluation.parts {
            parts.row([part.name.clone(), part.what.clone()]);
        }
        print_table(parts)?;
        // Below the table, which cuts long lines.
        for part in evaluation.parts.iter().filter(|part| part.by_name) {
            print(&format!("{0} is run only if it is named: --only {0}\n", part.name))?;
        }
    }
    Ok(Ending::Right)
}

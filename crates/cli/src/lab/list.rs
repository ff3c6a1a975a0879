//! `trunkline lab list`

use serde_json::json;
use trunkline_bench::table::{Align, Table};
use trunkline_experiment::definition::{self, Definition};

use crate::Ending;
use crate::fault::Fault;
use crate::output::{Form, print, print_table};

pub(crate) fn run(form: Form) -> Result<Ending, Fault> {
    for name in definition::names() {
        let evaluation = Definition::named(name)?;
        match form {
            Form::Text => print_parts(&evaluation)?,
            Form::Json => print_facts(&evaluation)?,
        }
    }
    Ok(Ending::Right)
}

fn print_parts(evaluation: &Definition) -> Result<(), Fault> {
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
    Ok(())
}

fn print_facts(evaluation: &Definition) -> Result<(), Fault> {
    let Definition { name, source, .. } = evaluation;
    Form::Json.fact(&json!({"fact": "experiment", "name": name, "source": source}))?;
    for part in &evaluation.parts {
        Form::Json.fact(&json!({
            "fact": "part", "experiment": name, "name": part.name, "what": part.what,
            "only_by_name": part.by_name,
        }))?;
    }
    Ok(())
}

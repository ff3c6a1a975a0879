//! `trunkline lab peers`

use std::path::Path;

use serde_json::json;
use trunkline_bench::table::{Align, Table};
use trunkline_experiment::subjects::{Known, toolkits_of_others};
use trunkline_lab::peer::{ANSWER_TIMEOUT, Discovery, Peer};

use crate::Ending;
use crate::arguments::PeersArguments;
use crate::fault::Fault;
use crate::output::{Form, complain, print_table};

pub(crate) fn run(arguments: &PeersArguments, form: Form) -> Result<Ending, Fault> {
    let discovery = Discovery::of(arguments.folder.as_deref())?;
    let toolkits = toolkits_of_others().map(|known| (known, discovery.program(known.name)));
    let all = discovery.peers.iter().cloned().chain(toolkits);
    let found: Vec<Found> =
        all.map(|(known, program)| Found::new(known, program.as_deref())).collect();
    form.say(&format!("peers in {}\n\n", discovery.folder.display()))?;
    match form {
        Form::Text => print_table(table(&found))?,
        Form::Json => found.iter().try_for_each(|it| form.fact(&it.fact()))?,
    }
    let broken: Vec<&String> = found.iter().filter_map(|it| it.error.as_ref()).collect();
    for error in &broken {
        complain(&Fault::new(error.as_str()));
    }
    Ok(if broken.is_empty() { Ending::Right } else { Ending::Wrong })
}

/// A peer on this machine, or the place where it would be.
struct Found {
    known: Known,
    state: &'static str,
    version: String,
    formats: Vec<String>,
    error: Option<String>,
}

impl Found {
    fn new(known: Known, program: Option<&Path>) -> Self {
        let mut found = Self {
            known,
            state: "absent",
            version: String::new(),
            formats: Vec::new(),
            error: None,
        };
        match program.map(|program| Peer::start(known.name, program, ANSWER_TIMEOUT)) {
            None => {}
            Some(Ok(peer)) => {
                let greeting = peer.greeting().clone();
                peer.stop();
                found.state = "ready";
                found.version = greeting.version;
                found.formats = greeting.formats;
            }
            Some(Err(error)) => {
                found.state = "broken";
                found.error = Some(error.to_string());
            }
        }
        found
    }

    fn how_to_get(&self) -> Option<&'static str> {
        (self.state == "absent").then(|| self.known.how_to_get())
    }

    fn fact(&self) -> serde_json::Value {
        let Self { known, state, version, formats, error } = self;
        json!({
            "fact": "peer", "name": known.name, "what": known.what, "state": state, "version": version,
            "formats": formats, "how_to_get": self.how_to_get(), "error": error,
        })
    }
}

fn table(found: &[Found]) -> Table {
    let columns = ["peer", "state", "version", "formats or modes", "what it is"];
    let mut table = Table::new(columns.map(|title| (title, Align::Left)));
    for it in found {
        let formats = match it.how_to_get() {
            Some(how) => format!("get it: {how}"),
            None => it.formats.join(", "),
        };
        table.row([it.known.name, it.state, &it.version, &formats, it.known.what]);
    }
    table
}

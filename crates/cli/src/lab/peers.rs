//! `trunkline lab peers`

use trunkline_bench::table::{Align, Table};
use trunkline_lab::peer::{ANSWER_TIMEOUT, Discovery, Peer};

use crate::Ending;
use crate::arguments::PeersArguments;
use crate::fault::Fault;
use crate::output::{complain, print, print_table};

pub(crate) fn run(arguments: &PeersArguments) -> Result<Ending, Fault> {
    let discovery = Discovery::of(arguments.folder.as_deref())?;
    let columns = ["peer", "state", "version", "formats", "what it is"];
    let mut table = Table::new(columns.map(|title| (title, Align::Left)));
    let mut broken = Vec::new();
    for (known, program) in &discovery.peers {
        let Some(program) = program else {
            let how = format!("get it: {}", known.how_to_get());
            table.row([known.name, "absent", "", &how, known.what]);
            continue;
        };
        match Peer::start(known.name, program, ANSWER_TIMEOUT) {
            Ok(peer) => {
                let greeting = peer.greeting().clone();
                peer.stop();
                let formats = greeting.formats.join(", ");
                table.row([known.name, "ready", &greeting.version, &formats, known.what]);
            }
            Err(error) => {
                table.row([known.name, "broken", "", "", known.what]);
                broken.push(error);
            }
        }
    }
    print(&format!("peers in {}\n\n", discovery.folder.display()))?;
    print_table(table)?;
    for error in &broken {
        complain(&Fault::new(error.to_string()));
    }
    Ok(if broken.is_empty() { Ending::Right } else { Ending::Wrong })
}

//! `trunkline admin`: what a router has, and what an administrator may do with it.

mod drain;
mod durable;
mod list;

use serde_json::json;
use trunkline_server::administration::{Disconnected, Rotated};

use crate::Ending;
use crate::arguments::{AdminCommand, Asked, DisconnectArguments};
use crate::fault::Fault;
use crate::site::Site;

pub(crate) fn run(command: &AdminCommand) -> Result<Ending, Fault> {
    match command {
        AdminCommand::Clients(arguments) => list::clients(arguments),
        AdminCommand::Subscriptions(arguments) => list::subscriptions(arguments),
        AdminCommand::Topics(arguments) => list::topics(arguments),
        AdminCommand::Durables(arguments) => list::durables(arguments),
        AdminCommand::Producers(arguments) => list::producers(arguments),
        AdminCommand::Disconnect(arguments) => disconnect(arguments),
        AdminCommand::Drain(arguments) => drain::drain(arguments),
        AdminCommand::Undrain(arguments) => drain::undrain(arguments),
        AdminCommand::Pause(arguments) => durable::change("/admin/durables/pause", arguments),
        AdminCommand::Resume(arguments) => durable::change("/admin/durables/resume", arguments),
        AdminCommand::Purge(arguments) => durable::purge(arguments),
        AdminCommand::Seek(arguments) => durable::seek(arguments),
        AdminCommand::DeleteDurable(arguments) => {
            durable::change("/admin/durables/delete", arguments)
        }
        AdminCommand::DeleteProducer(arguments) => {
            durable::change("/admin/producers/delete", arguments)
        }
        AdminCommand::Rotate(arguments) => rotate(arguments),
    }
}

fn rotate(arguments: &Asked) -> Result<Ending, Fault> {
    let Rotated { file, index } = Site::new(&arguments.site)?.act("/admin/rotate", &json!({}))?;
    let form = arguments.form.get();
    form.say(&format!("{file} is complete as soon as {index} is there\n"))?;
    form.fact(&json!({"fact": "rotated", "file": file, "index": index}))?;
    Ok(Ending::Right)
}

fn disconnect(Asked { what, site, form }: &Asked<DisconnectArguments>) -> Result<Ending, Fault> {
    let which = &what.which;
    if which.client.is_none() && which.name.is_none() && which.address.is_none() {
        return Err(Fault::new(
            "which client: --client, --name or --address says it; see trunkline admin disconnect --help",
        ));
    }
    let form = form.get();
    let mut site = Site::new(site)?;
    let wanted = json!({
        "client": which.client, "name": which.name, "address": which.address,
        "all": what.all, "reason": what.reason,
    });
    let ended: Disconnected = site.act("/admin/clients/disconnect", &wanted).map_err(|fault| {
        // The router speaks of its own words.
        Fault::new(fault.to_string().replace("only where all is set", "only with --all"))
    })?;
    for client in &ended.clients {
        form.say(&format!(
            "disconnected {} (client {} at {})\n",
            client.name, client.id, client.address
        ))?;
        form.fact(&json!({
            "fact": "disconnected", "client": client.id, "name": client.name, "address": client.address,
        }))?;
    }
    let more = ended.count - ended.clients.len() as u64;
    if more > 0 {
        form.say(&format!("and {more} more\n"))?;
        form.fact(&json!({"fact": "disconnected_more", "count": more}))?;
    }
    Ok(Ending::Right)
}

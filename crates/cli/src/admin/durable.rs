//! `trunkline admin pause`, `resume`, `purge`, `seek`, `delete-durable` and `delete-producer`

use serde_json::{Value, json};
use trunkline_client::Start;
use trunkline_server::administration::Changed;

use super::site::Site;
use crate::Ending;
use crate::arguments::{NamedArguments, SeekArguments, SiteArguments};
use crate::client::counted;
use crate::fault::Fault;

fn act(site: &SiteArguments, place: &str, what: &Value) -> Result<Changed, Fault> {
    Site::new(site)?.act(place, what)
}

pub(super) fn change(place: &str, arguments: &NamedArguments) -> Result<Ending, Fault> {
    act(&arguments.site, place, &json!({"name": arguments.name}))?;
    Ok(Ending::Right)
}

pub(super) fn purge(arguments: &NamedArguments) -> Result<Ending, Fault> {
    let name = &arguments.name;
    let changed = act(&arguments.site, "durables/purge", &json!({"name": name}))?;
    let Changed { purged, is_at_least } = changed;
    let form = arguments.site.form.get();
    let least = if is_at_least { ", and what it had not looked for yet" } else { "" };
    form.say(&format!("purged {}{least}\n", counted(purged, "message")))?;
    form.fact(&json!({
        "fact": "purged", "name": name, "messages": purged, "is_at_least": is_at_least,
    }))?;
    Ok(Ending::Right)
}

pub(super) fn seek(arguments: &SeekArguments) -> Result<Ending, Fault> {
    let to = match arguments.from {
        Start::All => json!("start"),
        Start::New => json!("end"),
        Start::Position(position) => json!({"position": position}),
        Start::Time(time) => json!({"time_ns": time}),
        Start::Last(_) => {
            return Err(Fault::new(
                "a durable subscription is moved to all, new, position:N or time:...",
            ));
        }
    };
    act(&arguments.site, "durables/seek", &json!({"name": arguments.name, "to": to}))?;
    Ok(Ending::Right)
}

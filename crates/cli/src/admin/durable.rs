//! `trunkline admin pause`, `resume`, `purge`, `seek`, `delete-durable` and `delete-producer`

use serde_json::json;
use trunkline_client::Start;
use trunkline_server::administration::Changed;

use crate::Ending;
use crate::arguments::{Asked, NamedArguments, SeekArguments};
use crate::client::counted;
use crate::fault::Fault;
use crate::site::Site;

pub(super) fn change(path: &str, asked: &Asked<NamedArguments>) -> Result<Ending, Fault> {
    let _: Changed = Site::new(&asked.site)?.act(path, &json!({"name": asked.what.name}))?;
    Ok(Ending::Right)
}

pub(super) fn purge(asked: &Asked<NamedArguments>) -> Result<Ending, Fault> {
    let (name, form) = (&asked.what.name, asked.form.get());
    let changed = Site::new(&asked.site)?.act("/admin/durables/purge", &json!({"name": name}))?;
    let Changed { purged, is_at_least } = changed;
    let least = if is_at_least { ", and what it had not looked for yet" } else { "" };
    form.say(&format!("purged {}{least}\n", counted(purged, "message")))?;
    form.fact(&json!({
        "fact": "purged", "name": name, "messages": purged, "is_at_least": is_at_least,
    }))?;
    Ok(Ending::Right)
}

pub(super) fn seek(asked: &Asked<SeekArguments>) -> Result<Ending, Fault> {
    let arguments = &asked.what;
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
    let wanted = json!({"name": arguments.name, "to": to});
    let _: Changed = Site::new(&asked.site)?.act("/admin/durables/seek", &wanted)?;
    Ok(Ending::Right)
}

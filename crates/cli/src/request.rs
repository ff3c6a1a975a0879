//! `trunkline request TOPIC PAYLOAD`

use std::io::{self, Write as _};

use serde_json::json;
use trunkline_client::{Error, Options};

use crate::Ending;
use crate::arguments::RequestArguments;
use crate::client::{connect, not_taken};
use crate::fault::Fault;
use crate::output::{Form, print};
use crate::payload::{payload_fact, write_payload};

pub(crate) fn run(arguments: &RequestArguments) -> Result<Ending, Fault> {
    let name = &arguments.topic;
    let mut client = connect(&arguments.to, "request", Options::default())?;
    let topic = client.topic(name).map_err(|error| not_taken(name, error))?;
    let payload = arguments.payload.as_bytes();
    let reply = client.request_as(topic, arguments.format, payload, arguments.to.timeout);
    let reply = reply.map_err(|error| match error {
        Error::TimedOut { .. } => Fault::new(format!("nobody answered on {name:?} in time")),
        error => not_taken(name, error),
    })?;
    if arguments.form.get() == Form::Json {
        let mut fact = json!({"fact": "reply", "topic": name, "format": reply.format});
        payload_fact(&mut fact, &reply.payload);
        Form::Json.fact(&fact)?;
    } else if arguments.raw {
        let mut out = io::stdout().lock();
        let written = out.write_all(&reply.payload).and_then(|()| out.flush());
        written.map_err(|cause| Fault::new(format!("standard output: {cause}")))?;
    } else {
        let mut line = String::new();
        write_payload(&mut line, reply.format, &reply.payload);
        line.push('\n');
        print(&line)?;
    }
    Ok(Ending::Right)
}

//! `trunkline durable delete NAME`

use trunkline_client::{Error, Options};

use crate::Ending;
use crate::arguments::{DeleteArguments, DurableCommand};
use crate::client::connect;
use crate::fault::Fault;

pub(crate) fn run(command: &DurableCommand) -> Result<Ending, Fault> {
    let DurableCommand::Delete(DeleteArguments { subscription, to }) = command;
    let mut client = connect(to, "durable", Options::default())?;
    client.delete(subscription).map_err(|error| match error {
        Error::Rejected(rejection) => {
            Fault::new(format!("{subscription:?} is not deleted: {}", rejection.text))
        }
        error => error.into(),
    })?;
    Ok(Ending::Right)
}

//! `trunkline lab component`, which the lab runs to publish and to receive

use trunkline_demo::component;

use crate::Ending;
use crate::arguments::ComponentArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &ComponentArguments) -> Result<Ending, Fault> {
    let Some(connect) = component::known(&arguments.subject) else {
        return Err(Fault::new(format!("{}: there is no such middleware here", arguments.subject)));
    };
    component::serve(&*connect)?;
    Ok(Ending::Right)
}

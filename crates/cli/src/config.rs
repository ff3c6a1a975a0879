//! `trunkline config`: what a router would be started with.

use std::path::Path;

use serde_json::Value;
use trunkline_server::Config;

use crate::Ending;
use crate::arguments::ConfigCommand;
use crate::fault::Fault;
use crate::output::print;

pub(crate) fn run(command: &ConfigCommand) -> Result<Ending, Fault> {
    match command {
        ConfigCommand::Check { file } => {
            let config = load(file.as_deref())?;
            config.check_exposure().map_err(Fault::new)?;
            config.check_files().map_err(Fault::new)?;
            trunkline_bridge::check(&config)?;
            let name = file.as_ref().map_or("the defaults".into(), |file| file.to_string_lossy());
            print(&format!("{name}: good\n"))?;
        }
        ConfigCommand::Show { file, json } => {
            let text = load(file.config.as_deref())?.to_toml();
            match json {
                true => print(&format!("{}\n", toml::from_str::<Value>(&text)?))?,
                false => print(&text)?,
            }
        }
    }
    Ok(Ending::Right)
}

/// The configuration of a file, if there is one, and of the environment.
pub(crate) fn load(file: Option<&Path>) -> Result<Config, Fault> {
    // A variable that is not text cannot be one of ours.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(Config::load(file, environment)?)
}

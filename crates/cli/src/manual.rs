//! `trunkline completions SHELL` and `trunkline man [DIR]`.

use std::fs;

use clap_mangen::Man;

use crate::Ending;
use crate::arguments::{CompletionsArguments, ManArguments, command, manual};
use crate::fault::Fault;
use crate::output::print;

pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<Ending, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "trunkline", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Right)
}

pub(crate) fn pages(arguments: &ManArguments) -> Result<Ending, Fault> {
    let Some(folder) = &arguments.folder else {
        let mut page = Vec::new();
        Man::new(manual()).render(&mut page)?;
        print(&String::from_utf8_lossy(&page))?;
        return Ok(Ending::Right);
    };
    let within = |cause| Fault::new(format!("{}: {cause}", folder.display()));
    fs::create_dir_all(folder).map_err(within)?;
    clap_mangen::generate_to(manual(), folder).map_err(within)?;
    Ok(Ending::Right)
}

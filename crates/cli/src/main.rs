//! The trunkline binary.
//!
//! Exit status: 0 when all went well, 1 when a run found a wrong answer or a broken peer, 2 when the
//! command could not be carried out, which one line on standard error explains, 3 when what was
//! measured does not carry a conclusion that was asked for.

// `memory` has what there is.
#![deny(unsafe_code)]

mod admin;
mod arguments;
mod client;
mod config;
mod convert;
mod credentials;
mod decode;
mod description;
mod durable;
mod fault;
mod fix;
mod input;
mod journal;
mod lab;
mod link;
mod log;
mod login;
mod manual;
mod memory;
mod output;
mod payload;
mod plan;
mod publish;
mod quantity;
mod reply;
mod request;
mod schema;
mod serve;
mod service;
mod signals;
mod simulate;
mod site;
mod soap;
mod subscribe;
mod top;

use std::process::ExitCode;

use arguments::{ClientCommand, Command, FixCommand, LabCommand, SoapCommand};
use fault::Fault;

/// How a command that could be carried out ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Right,
    /// Something under test is wrong, or what was asked for has come to an end; what, has been printed.
    Wrong,
    /// What was measured does not carry a conclusion; why, has been printed.
    Inconclusive,
}

fn main() -> ExitCode {
    match arguments::parse().and_then(run) {
        Ok(Ending::Right) => ExitCode::SUCCESS,
        Ok(Ending::Wrong) => ExitCode::from(1),
        Ok(Ending::Inconclusive) => ExitCode::from(3),
        Err(fault) => {
            output::complain(&fault);
            ExitCode::from(2)
        }
    }
}

fn run(command: Option<Command>) -> Result<Ending, Fault> {
    // Help and version have been printed.
    let Some(command) = command else { return Ok(Ending::Right) };
    match &command {
        // They obey signals themselves.
        Command::Serve(arguments) => return serve::run(arguments),
        Command::Client(command) => return client(command),
        Command::Top(arguments) => return top::run(arguments),
        Command::Admin(command) => return admin::run(command),
        Command::Fix(FixCommand::Connect(arguments)) => return fix::connect(arguments),
        Command::Fix(FixCommand::Accept(arguments)) => return fix::accept(arguments),
        _ => signals::stop_peers_on_termination()?,
    }
    match command {
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Client(command) => client(&command),
        Command::Config(command) => config::run(&command),
        Command::Credentials(command) => credentials::run(&command),
        Command::Journal(command) => journal::run(&command),
        Command::Lab(LabCommand::Run(arguments)) => lab::run::run(&arguments),
        Command::Lab(LabCommand::Show(arguments)) => lab::show::run(&arguments),
        Command::Lab(LabCommand::Compare(arguments)) => lab::compare::run(&arguments),
        Command::Lab(LabCommand::Peers { peers, form }) => lab::peers::run(&peers, form.get()),
        Command::Lab(LabCommand::List(form)) => lab::list::run(form.get()),
        Command::Lab(LabCommand::Message(arguments)) => lab::message::run(&arguments),
        Command::Lab(LabCommand::EchoSlope(arguments)) => lab::echo_slope::run(&arguments),
        Command::Lab(LabCommand::End(arguments)) => lab::end::run(&arguments),
        Command::Lab(LabCommand::Operations(arguments)) => lab::operations::run(&arguments),
        Command::Lab(LabCommand::Engine(arguments)) => lab::engine::run(&arguments),
        Command::Lab(LabCommand::Component(arguments)) => lab::component::run(&arguments),
        Command::Lab(LabCommand::Forwarder(arguments)) => lab::forwarder::run(&arguments),
        Command::Fix(FixCommand::Connect(arguments)) => fix::connect(&arguments),
        Command::Fix(FixCommand::Accept(arguments)) => fix::accept(&arguments),
        Command::Link(arguments) => link::run(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::pages(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Soap(SoapCommand::Describe(arguments)) => soap::describe(&arguments),
        Command::Soap(SoapCommand::Call(arguments)) => soap::call(&arguments),
        Command::Soap(SoapCommand::Serve(arguments)) => soap::serve(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::Admin(command) => admin::run(&command),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Decode(arguments) => decode::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
    }
}

fn client(command: &ClientCommand) -> Result<Ending, Fault> {
    match command {
        ClientCommand::Pub(arguments) => publish::run(arguments),
        ClientCommand::Sub(arguments) => subscribe::run(arguments),
        ClientCommand::Request(arguments) => request::run(arguments),
        ClientCommand::Reply(arguments) => reply::run(arguments),
        ClientCommand::Durable(command) => durable::run(command),
    }
}

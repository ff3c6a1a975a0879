//! `trunkline fix accept`: an acceptor of many sessions on one port, which answers by rules.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use trunkline_fix::tcp::{Acceptor, Handle, TcpConfig};
use trunkline_fix::{Application, Identity, Message, Notice, Outbox, Refusal, Role};

use super::Common;
use super::answers::Answers;
use super::printer::Printer;
use crate::Ending;
use crate::arguments::FixAcceptArguments;
use crate::fault::Fault;
use crate::output::remark;
use crate::signals::ask_to_stop;

/// How often it is looked whether a signal asks for the end.
const LOOK: Duration = Duration::from_millis(50);

/// How long the other sides may take for their Logouts.
const PATIENCE: Duration = Duration::from_secs(3);

struct Answering {
    identity: Identity,
    printer: Printer,
    answers: Arc<Answers>,
}

impl Application for Answering {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        self.printer.received(&self.identity, message);
        self.answers.give(message, outbox)
    }

    fn administrative(&mut self, message: Message<'_>) {
        self.printer.received(&self.identity, message);
    }

    fn logged_on(&mut self, _outbox: &mut Outbox) {
        self.printer.event(&self.identity, "logged_on", None);
    }

    fn logged_out(&mut self, reason: &str) {
        self.printer.event(&self.identity, "logged_out", Some(reason));
    }

    fn undelivered(&mut self, message: Message<'_>, _outbox: &mut Outbox) {
        self.printer.undelivered(&self.identity, message);
    }

    fn noticed(&mut self, notice: Notice<'_>) {
        self.printer.notice(&self.identity, &notice);
    }
}

/// Accepts sessions until it is told to stop.
pub(crate) fn accept(arguments: &FixAcceptArguments) -> Result<Ending, Fault> {
    let common = Common::of(&arguments.session)?;
    let read = |it| Answers::read(&common, it, arguments.unchecked);
    let answers = arguments.answers.as_deref().map(read).transpose()?;
    let answers = Arc::new(answers.unwrap_or_default());
    let printer =
        Printer::new(common.names.clone(), &arguments.session, arguments.target.len() > 1);
    let mut sessions = Vec::new();
    for target in &arguments.target {
        let identity = common.identity(&arguments.session.sender, target);
        let settings = common.settings(Role::Acceptor, identity.clone());
        let mut session = common.session(settings, 1)?;
        let (told, of) = (printer.clone(), identity.clone());
        session.on_sent(move |message| told.sent(&of, message));
        let (printer, answers) = (printer.clone(), answers.clone());
        sessions.push(Handle::new(session, Answering { identity, printer, answers }));
    }
    let config = TcpConfig { server_tls: arguments.tls.load()?, ..TcpConfig::default() };
    let stop = ask_to_stop()?;
    let refused = Arc::new(|peer, why: &str| remark(&format!("{peer} refused: {why}")));
    let acceptor = Acceptor::start(&arguments.listen, sessions.clone(), config, refused)
        .map_err(|cause| Fault::new(format!("{}: {cause}", arguments.listen)))?;
    let (form, address) = (arguments.session.form.get(), acceptor.address().to_string());
    form.say(&format!("listening {address}\n"))?;
    form.fact(&json!({"fact": "listening", "address": address}))?;
    while !stop.is_asked() && printer.is_read() {
        thread::sleep(LOOK);
    }
    sessions.iter().for_each(|it| it.log_out(None));
    let end = Instant::now() + PATIENCE;
    while sessions.iter().any(Handle::is_connected) && Instant::now() < end {
        thread::sleep(LOOK);
    }
    drop(acceptor);
    Ok(Ending::Right)
}

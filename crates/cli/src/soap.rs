//! The verbs for services. Here is `trunkline soap call`: one call of any service, from the command line.

use std::sync::Arc;

use trunkline_http::{self as http, Compression};
use trunkline_import::wsdl::{Description, Offers};
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, MessageEncoding, SoapVersion,
};
use trunkline_soap::QName;

use crate::Ending;
use crate::arguments::SoapCallArguments;
use crate::fault::Fault;
use crate::output::{print, remark};

use body::Messages;
use choice::{Bound, Choice};
use passport::Passport;

mod answered;
mod body;
mod choice;
mod content;
mod describe;
mod faults;
mod folder;
mod made_up;
mod members;
mod mixed;
mod parameters;
mod passport;
mod place;
mod reply;
mod request;
mod security;
mod serve;
mod source;
mod typed;
mod valid;

pub(crate) use describe::describe;
pub(crate) use serve::serve;
pub(crate) use source::read_any;

/// As many header blocks and attachments are named.
const SHOWN_HEADERS: usize = 8;

/// What is called, and how.
struct Called {
    name: String,
    action: String,
    binding: Binding,
    /// The element in the Body of a request.
    element: QName,
    /// Where requests go,
    url: String,
    /// the port that was said,
    port: Option<String>,
    /// and the ports where the WSDL has it, if it is called elsewhere.
    elsewhere: Option<String>,
    encoding: MessageEncoding,
    /// Is it the service that sends, and nobody calls?
    is_begun_there: bool,
    /// Header blocks that it may have, which are not sent.
    headers: Vec<String>,
    /// Attachments that it should have, likewise.
    attachments: Vec<String>,
    /// What it takes, if there is a WSDL.
    messages: Option<Messages>,
    /// The WSDL.
    description: Option<Arc<Description>>,
}

impl Called {
    /// An operation as its description has it, of which it is not said yet where it is called.
    fn of(description: &Arc<Description>, bound: &Bound<'_>, version: SoapVersion) -> Self {
        let messages = Messages::of(description, bound, version);
        let operation = bound.operation;
        Self {
            name: operation.name.clone(),
            action: operation.action.clone().unwrap_or_default(),
            binding: Binding { version, ..bound.form },
            element: messages.element().unwrap_or_else(|| QName::new("", &*operation.name)),
            url: String::new(),
            port: None,
            elsewhere: None,
            encoding: MessageEncoding::Xml,
            is_begun_there: operation.request.is_none() && messages.request.is_none(),
            headers: messages.blocks(),
            attachments: operation.request.iter().flat_map(|it| it.attachments.clone()).collect(),
            messages: Some(messages),
            description: Some(description.clone()),
        }
    }
}

/// Calls, prints what comes back, and says on standard error how it travelled.
pub(crate) fn call(arguments: &SoapCallArguments) -> Result<Ending, Fault> {
    // An error is of what was typed, and not of what is made from it.
    client(&arguments.url, "", Binding::default(), config(arguments)?)?;
    let passport = Passport::of(&arguments.caller, &arguments.url)?;
    let passport = passport.sealed(security::seal(&arguments.ws_security)?);
    let (called, envelope) = written(arguments, called(arguments, &passport)?)?;
    if arguments.dry_run {
        print(&format!("{envelope}\n"))?;
        if passport.is_sealed() {
            remark("the Security header is made when a request is sent, and not shown");
        }
        return Ok(Ending::Right);
    }
    let client = prepared(arguments, &passport, &called)?;
    announce(&called);
    sent(arguments, client, called, &envelope)
}

/// Sends an envelope, and prints what comes back.
fn sent(
    arguments: &SoapCallArguments,
    mut client: Client,
    called: Called,
    envelope: &str,
) -> Result<Ending, Fault> {
    let answered = client.call_envelope(&called.action, envelope);
    let profile = client.profile().filter(|_| has_travelled(&answered));
    if let Some(profile) = &profile {
        // A fault is told with it.
        if arguments.raw || !matches!(answered, Err(CallError::Fault(_))) {
            remark(&profile.to_string());
        }
        let wanted = called.encoding;
        if wanted.name() != profile.encoding && profile.answer != Some(wanted.name()) {
            remark(&format!("the server takes {} and no {}", profile.encoding, wanted.name()));
        }
    }
    let form = arguments.form.get();
    // What no graph holds is read all the same.
    let answered = match answered {
        Err(CallError::Reply(error)) => {
            mixed::decode(client.last_answer()).map(Some).ok_or(CallError::Reply(error))
        }
        other => other,
    };
    match answered {
        Ok(message) => {
            answered::notes(&called, message.as_ref(), client.last_answer())
                .iter()
                .for_each(|it| remark(it));
            match message {
                _ if arguments.raw => print(&format!("{}\n", client.last_answer()))?,
                Some(message) => {
                    reply::print_values(&message, &called, form)?;
                    reply::print_blocks(client.reply_blocks(), form)?;
                }
                None => form.say("taken; there is no answer\n")?,
            }
            Ok(Ending::Right)
        }
        Err(CallError::Fault(fault)) => {
            match arguments.raw {
                true => print(&format!("{}\n", client.last_answer()))?,
                false => {
                    let answer = (client.last_answer(), client.reply_blocks());
                    reply::print_fault(&fault, answer, profile.as_ref(), form)?;
                }
            }
            Ok(Ending::Wrong)
        }
        Err(error) => {
            // Who asks for the envelope gets it, also if it is one that nobody understands.
            let is_unread = matches!(error, CallError::Reply(_) | CallError::NotUnderstood(_));
            if arguments.raw && is_unread && content::is_envelope(client.last_answer()) {
                print(&format!("{}\n", client.last_answer()))?;
            }
            let ports = called.elsewhere.filter(|_| matches!(error, CallError::Status { .. }));
            let ports = ports.map(|it| format!("; --port calls one of {it}")).unwrap_or_default();
            Err(Fault::new(format!("{error}{ports}")))
        }
    }
}

/// The envelope that is sent: that of the first operation, where it is overloaded, which takes what is given.
fn written(arguments: &SoapCallArguments, all: Vec<Called>) -> Result<(Called, String), Fault> {
    let envelope = |called: &mut Called| {
        if called.is_begun_there {
            let name = &called.name;
            return Err(Fault::new(format!("{name}: the service begins it, and nobody calls it")));
        }
        let blocks = body::blocks(called, &arguments.header)?;
        match &arguments.body {
            Some(body) => body::envelope(called, body, &blocks, !arguments.unchecked),
            None => {
                let envelope = request::envelope(called, &arguments.values, &blocks)?;
                if !arguments.unchecked {
                    valid::check(called, &envelope)?;
                }
                Ok(envelope)
            }
        }
    };
    let mut wrong = None;
    for mut called in all {
        match envelope(&mut called) {
            Ok(envelope) => return Ok((called, envelope)),
            Err(why) => _ = wrong.get_or_insert(why),
        }
    }
    Err(wrong.unwrap_or_else(|| Fault::new("there is no operation to call")))
}

/// The client of what is called, who shows who calls.
fn prepared(
    arguments: &SoapCallArguments,
    passport: &Passport,
    called: &Called,
) -> Result<Client, Fault> {
    let namespace = &called.element.namespace;
    let mut client = client(&called.url, namespace, called.binding, config(arguments)?)?;
    if !passport.show(&mut client, &called.url)? {
        return Err(Fault::new(format!(
            "{} is called, and who calls is told to the host of {} only; say the former as URL",
            called.url, arguments.url
        )));
    }
    client.expect_ws_security(security::guard(&arguments.ws_security, passport.is_sealed())?);
    client.set_encoding(called.encoding);
    client.set_optimistic(arguments.optimistic);
    Ok(client)
}

/// Before it is sent: who waits wants to know for whom.
fn announce(called: &Called) {
    if !called.headers.is_empty() {
        let headers = listed(called.headers.iter().cloned(), SHOWN_HEADERS);
        remark(&format!("header blocks of the WSDL that are not sent: {headers}"));
    }
    if !called.attachments.is_empty() {
        let attachments = listed(called.attachments.iter().cloned(), SHOWN_HEADERS);
        remark(&format!("attachments of the WSDL that are not sent: {attachments}"));
    }
    let port = called.port.as_ref().map(|it| format!(" (port {it})")).unwrap_or_default();
    let how = if called.url.starts_with("vnd.sun.ws.tcp") { "SOAP/TCP" } else { "POST" };
    remark(&format!("{how} {}{port}", called.url));
}

/// Has the request been sent, as far as is known?
fn has_travelled<T>(answered: &Result<T, CallError>) -> bool {
    use http::Error::{Broken, TimedOut};
    match answered {
        Err(CallError::Transport(Broken { maybe_handled, .. })) => *maybe_handled,
        Err(CallError::Transport(TimedOut { limit, .. })) => *limit == "response_timeout",
        Err(CallError::Transport(_)) => false,
        _ => true,
    }
}

/// What the arguments say of the operation, and where they do not, the service's WSDL.
fn called(arguments: &SoapCallArguments, passport: &Passport) -> Result<Vec<Called>, Fault> {
    let SoapCallArguments { operation: name, namespace, binding, action, .. } = arguments;
    let Some(namespace) = namespace else {
        return from_wsdl(arguments, passport);
    };
    let version = if arguments.soap12 { SoapVersion::Soap12 } else { SoapVersion::Soap11 };
    let binding = binding.map_or_else(Binding::default, |it| it.binding());
    let local = arguments.element.as_ref().unwrap_or(name).clone();
    Ok(vec![Called {
        name: name.clone(),
        action: action.clone().unwrap_or_else(|| format!("{namespace}#{name}")),
        binding: Binding { version, qualified: !arguments.unqualified, ..binding },
        element: QName::new(namespace.clone(), local),
        url: arguments.url.clone(),
        port: None,
        elsewhere: None,
        encoding: arguments.encoding.get(),
        is_begun_there: false,
        headers: Vec::new(),
        attachments: Vec::new(),
        messages: None,
        description: None,
    }])
}

fn from_wsdl(arguments: &SoapCallArguments, passport: &Passport) -> Result<Vec<Called>, Fault> {
    let (url, own) = description_of(&arguments.url);
    let from = match &arguments.wsdl {
        Some(from) if from == "-" => "/dev/stdin".to_owned(),
        Some(from) => from.clone(),
        None => own,
    };
    let description = Arc::new(source::read_in_part(arguments, passport, &from)?);
    let Choice { operations, port } = choice::of(arguments, url, &from, &description)?;
    let first = &operations[0];
    let mut ports = first.ports.iter().filter(|it| choice::is_web(it.location())).peekable();
    let is_here = first.ports.iter().any(|it| choice::is_same(it.location(), url));
    let elsewhere = match port.is_some() || is_here || ports.peek().is_none() {
        true => None,
        false => Some(choice::ports(ports)),
    };
    let version = match arguments.soap12 {
        true => SoapVersion::Soap12,
        false => first.form.version,
    };
    let mut url = port.map_or(url, |it| it.location()).to_owned();
    let mut encoding = arguments.encoding.get();
    if arguments.by_policy {
        let here = || first.ports.iter().find(|it| choice::is_same_path(it.location(), &url));
        let offers = port.or(here().copied()).map(|it| it.port.offers).unwrap_or_default();
        (url, encoding) = (offers.url(&url), best(offers));
    }
    let called = |bound: &Bound<'_>| {
        let called = Called::of(&description, bound, version);
        Called {
            action: arguments.action.clone().unwrap_or(called.action),
            url: url.clone(),
            port: port.map(|it| it.shown()),
            elsewhere: elsewhere.clone(),
            encoding,
            ..called
        }
    };
    Ok(operations.iter().map(called).collect())
}

/// The encoding that serves best.
fn best(offers: Offers) -> MessageEncoding {
    match (offers.soap_tcp, offers.fast_infoset) {
        (true, _) => MessageEncoding::StatefulFastInfoset,
        (false, true) => MessageEncoding::FastInfoset,
        (false, false) => MessageEncoding::Xml,
    }
}

/// The URL of a service, and that of its WSDL. Either may be typed.
fn description_of(url: &str) -> (&str, String) {
    match url.rsplit_once('?') {
        Some((service, query)) if query.eq_ignore_ascii_case("wsdl") => (service, url.to_owned()),
        Some(_) => (url, format!("{url}&wsdl")),
        None => (url, format!("{url}?wsdl")),
    }
}

/// The first of them, and how many more there are.
fn listed(mut all: impl Iterator<Item = String>, most: usize) -> String {
    let shown: Vec<String> = all.by_ref().take(most).collect();
    match all.count() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The document at a URL.
fn get(location: &str, config: ClientConfig, passport: &Passport) -> Result<Vec<u8>, CallError> {
    let mut client = client(location, "", Binding::default(), config)?;
    passport.show(&mut client, location)?;
    client.get()
}

fn client(
    url: &str,
    namespace: &str,
    binding: Binding,
    config: ClientConfig,
) -> Result<Client, CallError> {
    Client::with(url, namespace, binding, config)
}

fn config(arguments: &SoapCallArguments) -> Result<ClientConfig, Fault> {
    let mut config = ClientConfig::default();
    if arguments.gzip {
        config.compression = Some(Compression::Gzip);
    }
    config.response_timeout = arguments.timeout;
    config.connect_timeout = arguments.timeout;
    config.tls = arguments.tls.load()?;
    Ok(config)
}

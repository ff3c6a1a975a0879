//! One caller's messages, one after another: bytes in, bytes out, whatever the transport.

use std::net::SocketAddr;
use std::sync::Arc;

use trunkline_codec::fast_infoset::{Parser, Reader, Writer};
use trunkline_codec::infoset::Reader as _;
use trunkline_http::{HeaderMap, Wait};
use trunkline_soap::{self as soap, Fault, FaultCode, HeaderBlock, Roles, Version};

use super::arrived::Envelope;
use super::asynchronous::Gate;
use super::context::Stages;
use super::encoding::FastInfoset;
use super::fallback::unknown_encoding;
use super::incoming::open_from;
use super::inspection::Inspected;
use super::media::Accepted;
use super::operation::{Call, Reply, Request, of_rpc};
use super::prologue::Prologues;
use super::service::{Endpoint, EndpointParts};
use super::telemetry::{Called, Telemetry};
use super::vocabularies::Vocabularies;
use super::ws_security;
use super::{Context, MessageEncoding};
use crate::Retained;

/// A conversation with one caller.
pub struct Conversation {
    endpoint: Endpoint,
    context: Context,
    /// By operation, once it has been called; behind them, the fallback.
    calls: Vec<Option<Box<dyn Call>>>,
    /// How messages began: in XML, stateless and stateful Fast Infoset.
    prologues: [Prologues<Beginning>; 3],
    /// What reads and writes Fast Infoset, stateless and stateful, once either was met.
    forms: [Option<Box<FastInfoset>>; 2],
    vocabularies: Vocabularies,
    fault: Vec<u8>,
    /// Why the last call failed.
    reason: Option<String>,
    /// The call whose answer is not there yet, and what it waits for until somebody does.
    pending: Option<usize>,
    wait: Option<Wait>,
    telemetry: Telemetry,
    /// Did the request come in a package?
    is_packaged: bool,
    /// The answer with its Security header.
    sealed: Vec<u8>,
}

/// The operation of messages that begin like an earlier one.
#[derive(Clone, Copy, Debug)]
struct Beginning {
    operation: usize,
    /// Which of its elements it is.
    element: usize,
    /// If false, other operations have the same element, and the action selects one.
    is_alone: bool,
    version: Version,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was answered.
    Reply,
    /// It was accepted, and there is no answer.
    Taken,
    /// It failed; the answer is a fault.
    Fault(FaultCode),
}

/// The answer to a request.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The envelope; empty if there is none.
    pub bytes: &'a [u8],
    /// The outcome.
    pub outcome: Outcome,
    /// The SOAP of the answer.
    pub version: Version,
    /// Was an operation called that is not answered? What there is then is a fault.
    pub is_one_way: bool,
    /// The media type of the package in which it is, if it is in one.
    pub(super) media_type: Option<&'a str>,
    /// It is not there yet.
    pub(super) waits: bool,
    /// So many wait that this one does not.
    pub(super) is_busy: bool,
}

/// What answers a message: an operation or the fallback.
enum Named {
    Operation {
        index: usize,
        /// Does the element in the Body tell, without the action?
        is_alone: bool,
    },
    Fallback,
}

impl std::fmt::Debug for Conversation {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Conversation").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Conversation {
    pub(super) fn new(
        endpoint: Endpoint,
        caller: Option<SocketAddr>,
        identity: Option<String>,
    ) -> Self {
        let operations = endpoint.0.service.operations.len();
        Self {
            context: Context::new(
                &endpoint.0.service.namespace,
                endpoint.0.binding.style.is_encoded(),
                endpoint.0.service.unknown,
                caller,
                identity,
            ),
            endpoint,
            calls: std::iter::repeat_with(|| None).take(operations + 1).collect(),
            prologues: [const { Prologues::new() }; 3],
            forms: [None, None],
            vocabularies: Vocabularies::default(),
            fault: Vec::new(),
            reason: None,
            pending: None,
            wait: None,
            telemetry: Telemetry::default(),
            is_packaged: false,
            sealed: Vec::new(),
        }
    }

    /// Has calls that wait for their answers do so without a thread, as far as the gate lets them: such an answer
    /// [waits](Answer::waits), and the same request is answered again once [that](Self::take_wait) is over.
    pub(super) fn set_gate(&mut self, gate: Option<Arc<Gate>>) {
        self.context.set_gate(gate);
    }

    /// Calls are told as spans.
    pub(super) fn telemetry(&mut self) -> &mut Telemetry {
        &mut self.telemetry
    }

    /// What the last call waits for.
    pub(super) fn take_wait(&mut self) -> Option<Wait> {
        self.wait.take()
    }

    /// What the vocabularies of Fast Infoset may hold, in place of the defaults; to be said before the first message.
    pub fn set_vocabularies(&mut self, vocabularies: Vocabularies) {
        self.vocabularies = vocabularies;
    }

    /// Who calls from here on, and with which headers of HTTP.
    pub(super) fn introduce(&mut self, identity: Option<String>, headers: Option<HeaderMap>) {
        self.context.introduce(identity, headers);
    }

    /// From here on, the parts of each call are timed.
    pub fn time_stages(&mut self) {
        self.context.time_stages();
    }

    /// How long the parts of the last call took, if they are timed.
    pub fn stages(&self) -> Option<Stages> {
        self.context.stages()
    }

    /// Why the last call failed, if it did.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The last call.
    pub fn context(&self) -> &Context {
        &self.context
    }

    pub(super) fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    /// Answers one envelope. The action is SOAPAction's, empty where there is none; `expected` is
    /// the SOAP of the answer as long as the request's own is not known.
    pub fn answer(&mut self, request: &[u8], action: &str, expected: Version) -> Answer<'_> {
        let xml = MessageEncoding::Xml;
        self.answer_in([xml, xml], request, action, expected)
    }

    /// As [`answer`](Self::answer), where the request and its answer are in these encodings. Of the stateful
    /// one, all messages of a conversation are of one sequence, in each direction.
    pub fn answer_in(
        &mut self,
        [received, sent]: [MessageEncoding; 2],
        request: &[u8],
        action: &str,
        expected: Version,
    ) -> Answer<'_> {
        self.context.set_attachments(Accepted::default(), 0);
        self.answer_envelope([received, sent], Envelope::of(request), action, expected)
    }

    /// As [`answer_in`](Self::answer_in), of a request that may have come in a package, with an answer in one that is accepted.
    pub(super) fn answer_attached(
        &mut self,
        encodings: [MessageEncoding; 2],
        request: Envelope<'_>,
        (action, expected): (&str, Version),
        accepted: Accepted,
    ) -> Answer<'_> {
        let service = &self.endpoint.0.service;
        let accepted = if service.seal.is_none() { accepted } else { Accepted::default() };
        self.context.set_attachments(accepted, service.attached_from);
        self.answer_envelope(encodings, request, action, expected)
    }

    /// Answers the request that waited, whose envelope was read before.
    pub(super) fn resume(&mut self, encodings: [MessageEncoding; 2]) -> Answer<'_> {
        let version = self.context.version();
        self.answer_envelope(encodings, Envelope::of(b""), "", version)
    }

    fn answer_envelope(
        &mut self,
        encodings: [MessageEncoding; 2],
        request: Envelope<'_>,
        action: &str,
        expected: Version,
    ) -> Answer<'_> {
        if self.endpoint.0.service.seal.is_none() {
            return self.answer_unsealed(encodings, request, action, expected);
        }
        let endpoint = self.endpoint.clone();
        let answer = self.answer_unsealed(encodings, request, action, expected);
        let Answer { mut outcome, version, is_one_way, waits, is_busy, .. } = answer;
        let sealed = match answer.bytes.is_empty() || encodings[1] != MessageEncoding::Xml {
            true => Ok(answer.bytes.to_vec()),
            false => {
                let seal = endpoint.0.service.seal.as_ref();
                seal.map_or(Ok(Vec::new()), |it| ws_security::sealed(it, answer.bytes))
            }
        };
        self.sealed = sealed.unwrap_or_else(|error| {
            let fault = Fault::from(error);
            outcome = Outcome::Fault(fault.code);
            self.reason = Some(fault.reason.clone());
            fault.encode(version)
        });
        let (bytes, media_type) = (&*self.sealed, None);
        Answer { bytes, outcome, version, is_one_way, media_type, waits, is_busy }
    }

    fn answer_unsealed(
        &mut self,
        [received, sent]: [MessageEncoding; 2],
        request: Envelope<'_>,
        action: &str,
        expected: Version,
    ) -> Answer<'_> {
        let Envelope { bytes: request, package } = request;
        self.is_packaged = package.is_some();
        let resumed = self.pending.take();
        let operation = match resumed {
            Some(operation) => Ok(operation),
            None => self.begin([received, sent], request, action, expected),
        };
        if resumed.is_none() && self.telemetry.is_on() {
            self.begin_span(operation.is_ok());
        }
        let entered = self.telemetry.enter();
        let Self { endpoint, context, calls, forms, fault, reason, pending, wait, .. } = self;
        let telemetry = &mut self.telemetry;
        let operations = &endpoint.0.service.operations;
        let called = operation.as_ref().ok().copied();
        let is_one_way = called
            .and_then(|it| operations.get(it))
            .is_some_and(|it| it.operation.output().is_none());
        let [stateless, stateful] = forms.each_mut().map(Option::as_deref_mut);
        let (parser, mut writer) = parts([received, sent], stateless, stateful);
        let parser = parser.filter(|_| resumed.is_none());
        let mut reader = parser.map(|parser| Reader::new(parser, request));
        let inspection = endpoint.0.service.inspection.as_ref().filter(|_| called.is_some());
        let inspected = |it| Inspected::new(it, request, package, reader.as_mut());
        context.set_inspected(inspection.map(inspected));
        let answered = operation.and_then(|operation| {
            let parts = &*endpoint.0;
            let call = calls[operation].get_or_insert_with(|| parts.begin(operation));
            let request = match &mut reader {
                _ if resumed.is_some() => return call.resume(writer.as_deref_mut(), context),
                None => package.map_or(Request::Xml(request), Request::Package),
                Some(reader) => Request::FastInfoset(reader),
            };
            call.call(request, writer.as_deref_mut(), context)
        });
        // What was not wanted of it belongs to the vocabulary all the same. An error ends that, which the next
        // message is told.
        _ = reader.map(Reader::finish);
        let (mut waits, mut media_type) = (false, None);
        let (bytes, outcome) = match answered {
            Ok(Reply::Later(later)) => {
                (*pending, *wait, waits) = (called, Some(telemetry.follow(later)), true);
                (&[][..], Outcome::Taken)
            }
            Ok(Reply::Nothing) => (&[][..], Outcome::Taken),
            Ok(Reply::Xml(bytes)) => (bytes, Outcome::Reply),
            Ok(Reply::Package(packed)) => {
                media_type = Some(&*packed.media_type);
                (&*packed.bytes, Outcome::Reply)
            }
            Ok(Reply::FastInfoset) => (writer.map_or(&[][..], |it| it.document()), Outcome::Reply),
            Err(failure) => {
                *reason = Some(failure.reason.clone());
                (written(&failure, context, writer, fault), Outcome::Fault(failure.code))
            }
        };
        telemetry.leave(entered);
        if !waits {
            end_span(telemetry, outcome, reason.as_deref());
        }
        let (version, is_busy) = (context.version(), context.is_busy());
        Answer { bytes, outcome, version, is_one_way, media_type, waits, is_busy }
    }

    #[cold]
    fn begin_span(&mut self, is_known: bool) {
        let Self { endpoint, context, telemetry, .. } = self;
        let namespace = &*endpoint.0.service.namespace;
        let operation = if is_known { context.operation() } else { "" };
        telemetry.begin(&Called { is_server: true, namespace, operation, authority: "" });
    }

    /// Which operation does a request call?
    fn begin(
        &mut self,
        [received, sent]: [MessageEncoding; 2],
        request: &[u8],
        action: &str,
        expected: Version,
    ) -> Result<usize, Fault> {
        self.context.begin("", action, expected);
        self.context.stamp_begun();
        self.reason = None;
        let limits = &self.endpoint.0.service.limits;
        for encoding in [received, sent] {
            if let Some(form) = form(encoding)
                && self.forms[form].is_none()
            {
                self.forms[form] = FastInfoset::new(encoding, limits, &self.vocabularies);
            }
        }
        let operation = match form(received) {
            None => self.recognise(request),
            Some(form) => self.recognise_in(form, request),
        }?;
        match self.endpoint.0.service.seal.is_some() && sent != MessageEncoding::Xml {
            true => Err(Fault::sender("answers here have a Security header, and are in XML only")),
            false => Ok(operation),
        }
    }

    /// Was a message of the stateful encoding rejected, so that no later one can be read?
    pub fn is_broken(&self) -> bool {
        self.forms[1].as_ref().is_some_and(|form| form.parser.is_broken())
    }

    /// The vocabularies that are retained, if there are any: of the requests, and of the answers.
    pub fn retained(&self) -> Option<[Retained; 2]> {
        let FastInfoset { parser, writer } = &**self.forms[1].as_ref()?;
        Some([Retained::of_parser(parser), Retained::of_writer(writer)])
    }

    /// As [`recognise`](Self::recognise), in Fast Infoset, whose document is begun. In a sequence, too, equal bytes
    /// mean the same: what an index once stood for, it stands for to the end.
    fn recognise_in(&mut self, form: usize, request: &[u8]) -> Result<usize, Fault> {
        let Some(mut binary) = self.forms[form].take() else {
            return Err(Fault::receiver("no encoding"));
        };
        let known = self.prologues[1 + form].find(request);
        let limits = &self.endpoint.0.service.limits;
        let opened =
            Reader::begin(&mut binary.parser, request).and_then(|mut reader| match known {
                Some(_) => Ok(None),
                None => {
                    let opened = open_from(&mut reader, limits)?;
                    reader.restart()?;
                    Ok(Some(opened))
                }
            });
        self.forms[form] = Some(binary);
        match (opened.map_err(|it| Fault::of_error(&it))?, known) {
            (Some(opened), _) => self.select(opened, request, 1 + form),
            (None, Some(known)) => self.begins_like(known),
            (None, None) => Err(Fault::receiver("no beginning")),
        }
    }

    /// Which operation does the message call? Its header is understood then.
    fn recognise(&mut self, request: &[u8]) -> Result<usize, Fault> {
        match self.prologues[0].find(request) {
            Some(known) => self.begins_like(known),
            None => self.open(request),
        }
    }

    /// The operation of a message that begins like an earlier one.
    fn begins_like(&mut self, known: Beginning) -> Result<usize, Fault> {
        let Beginning { operation, element, is_alone, version } = known;
        self.context.set_version(version);
        let operation = match is_alone {
            true => operation,
            false => self.by_action(&self.endpoint.0.elements[operation][element])?,
        };
        self.called(operation, version);
        Ok(operation)
    }

    fn called(&mut self, operation: usize, version: Version) {
        let operation = &self.endpoint.0.service.operations[operation];
        self.context.called(&operation.name, version);
    }

    #[cold]
    fn open(&mut self, request: &[u8]) -> Result<usize, Fault> {
        let opened = soap::open(request, &self.endpoint.0.service.limits);
        self.select(opened.map_err(|it| Fault::of_error(&it))?, request, 0)
    }

    /// Which operation does the envelope call? Its header is understood then.
    fn select(
        &mut self,
        opened: soap::Opened,
        request: &[u8],
        prologues: usize,
    ) -> Result<usize, Fault> {
        let endpoint = self.endpoint.clone();
        let service = &endpoint.0.service;
        self.context.set_version(opened.version);
        let roles: Vec<&str> = service.roles().iter().map(String::as_str).collect();
        let understood = |name: &_| service.understood(name);
        let roles = Roles::ultimate(&roles);
        let missing = soap::not_understood(&opened.header, &understood, &roles);
        if !missing.is_empty() {
            return Err(Fault::must_understand(missing));
        }
        if let Some(style) = &opened.encoding_style
            && opened.version == Version::Soap12
            && !soap::graph::is_known_encoding(style)
        {
            return Err(unknown_encoding(style));
        }
        if let Some(guard) = &service.guard {
            let document = (prologues == 0 && !self.is_packaged).then_some(request);
            let (header, limits) = (&opened.header, &service.limits);
            let caller = ws_security::check(guard, header, &roles, document, limits)?;
            self.context.set_secured(caller.identity());
        }
        match self.named(&opened)? {
            Named::Operation { index, is_alone } => {
                self.called(index, opened.version);
                let mut elements = endpoint.0.elements[index].iter();
                let element = elements.position(|it| Some(it) == opened.body.as_ref());
                if let Some(element) = element {
                    let version = opened.version;
                    let beginning = Beginning { operation: index, element, is_alone, version };
                    self.prologues[prologues].remember(request, &opened, beginning);
                }
                self.receive(opened.header, &roles);
                Ok(index)
            }
            Named::Fallback => {
                let element = opened.body.as_ref().map_or("", |it| &it.local);
                self.context.called(element, opened.version);
                self.receive(opened.header, &roles);
                Ok(service.operations.len())
            }
        }
    }

    /// Keeps the header blocks that are for the service; one with passwords has been looked at.
    fn receive(&mut self, mut header: Vec<HeaderBlock>, roles: &Roles<'_>) {
        let is_guarded = self.endpoint.0.service.guard.is_some();
        let is_secret = |it: &HeaderBlock| is_guarded && it.name.is(ws_security::WSSE, "Security");
        header.retain(|block| roles.play(block) && !is_secret(block));
        self.context.set_header(header);
    }

    /// The operation that the element in the Body names, or the action if several have that
    /// element.
    fn named(&self, opened: &soap::Opened) -> Result<Named, Fault> {
        let parts = &*self.endpoint.0;
        let operations = &parts.service.operations;
        let has_fallback = parts.service.fallback.is_some();
        let Some(element) = &opened.body else { return self.named_by_nothing() };
        let mut same = (0..operations.len()).filter(|&it| parts.elements[it].contains(element));
        match (same.next(), same.next()) {
            (Some(index), None) => Ok(Named::Operation { index, is_alone: true }),
            (Some(_), Some(_)) => {
                Ok(Named::Operation { index: self.by_action(element)?, is_alone: false })
            }
            (None, _) if has_fallback => Ok(Named::Fallback),
            (None, _) => Err(self.unknown(element)),
        }
    }

    /// The operation of a request with an empty Body: that of the action, or the only one that is called so.
    #[cold]
    fn named_by_nothing(&self) -> Result<Named, Fault> {
        let EndpointParts { service, elements, .. } = &*self.endpoint.0;
        let (operations, action) = (&service.operations, self.context.action());
        let is_it = |it: &usize| operations[*it].action == action;
        let all = || 0..operations.len();
        let is_empty = |it: &[soap::QName]| it.iter().all(|it| it.local.is_empty());
        let empty: Vec<usize> = all().filter(|it| is_empty(&elements[*it])).collect();
        let called = empty.iter().copied().find(is_it);
        let found = called.or_else(|| match &*empty {
            [only] if action.is_empty() => Some(*only),
            _ => None,
        });
        match found {
            Some(index) => Ok(Named::Operation { index, is_alone: false }),
            None if service.fallback.is_some() => Ok(Named::Fallback),
            // What it takes tells what is missing.
            None => match all().find(is_it) {
                Some(index) => Ok(Named::Operation { index, is_alone: false }),
                None => Err(Fault::sender(format!(
                    "the Body is empty, and {action:?} is the action of no operation"
                ))),
            },
        }
    }

    /// Of the operations with this element, the one with the request's action.
    fn by_action(&self, element: &soap::QName) -> Result<usize, Fault> {
        let parts = &*self.endpoint.0;
        let is_it = |(operation, its): (&super::service::Named, &Vec<soap::QName>)| {
            operation.action == self.context.action() && its.contains(element)
        };
        let mut all = parts.service.operations.iter().zip(&parts.elements);
        all.position(is_it).ok_or_else(|| self.ambiguous(element))
    }

    #[cold]
    fn ambiguous(&self, element: &soap::QName) -> Fault {
        let parts = &*self.endpoint.0;
        let all = parts.service.operations.iter().zip(&parts.elements);
        let same = all.filter(|it| it.1.contains(element)).map(|it| format!("{:?}", it.0.action));
        Fault::sender(format!(
            "{element} calls several operations; the action tells which: {}, not {:?}",
            same.collect::<Vec<_>>().join(", "),
            self.context.action()
        ))
    }

    #[cold]
    fn unknown(&self, element: &soap::QName) -> Fault {
        let parts = &*self.endpoint.0;
        let known = parts.elements.iter().flatten().filter(|it| !it.local.is_empty());
        let known: Vec<String> = known.map(ToString::to_string).collect();
        let fault = Fault::sender(format!(
            "no operation of {} is called by {element}; there is {}",
            parts.service.name,
            known.join(", ")
        ));
        of_rpc(fault, "ProcedureNotPresent", parts.binding.style.is_rpc(), &self.context)
    }
}

/// The call that a span tells of is over.
fn end_span(telemetry: &mut Telemetry, outcome: Outcome, reason: Option<&str>) {
    match outcome {
        Outcome::Fault(code) if telemetry.is_on() => {
            let is_error = code != FaultCode::Sender;
            telemetry.end(Some((&format!("{code:?}"), reason.unwrap_or_default(), is_error)));
        }
        _ => telemetry.end(None),
    }
}

/// A fault as it is answered, in the memory of the last or by a writer.
#[cold]
fn written<'f>(
    fault: &Fault,
    context: &Context,
    writer: Option<&'f mut Writer>,
    memory: &'f mut Vec<u8>,
) -> &'f [u8] {
    let (header, version) = (context.reply_header(), context.version());
    match writer {
        None => {
            *memory = fault.encode_with(header, version);
            memory
        }
        Some(writer) => {
            writer.begin();
            fault.encode_to(header, version, writer);
            // Names and prefixes of faults are checked before.
            _ = writer.finish();
            writer.document()
        }
    }
}

/// Which of a conversation's forms reads and writes an encoding; none for XML.
fn form(encoding: MessageEncoding) -> Option<usize> {
    match encoding {
        MessageEncoding::Xml => None,
        MessageEncoding::FastInfoset => Some(0),
        MessageEncoding::StatefulFastInfoset => Some(1),
    }
}

/// What reads one encoding, and what writes the other.
fn parts<'f>(
    [received, sent]: [MessageEncoding; 2],
    stateless: Option<&'f mut FastInfoset>,
    stateful: Option<&'f mut FastInfoset>,
) -> (Option<&'f mut Parser>, Option<&'f mut Writer>) {
    let both = |form: &'f mut FastInfoset| (&mut form.parser, &mut form.writer);
    let [stateless, stateful] = [stateless, stateful].map(|form| form.map(both).unzip());
    let parser = match received {
        MessageEncoding::Xml => None,
        MessageEncoding::FastInfoset => stateless.0,
        MessageEncoding::StatefulFastInfoset => stateful.0,
    };
    let writer = match sent {
        MessageEncoding::Xml => None,
        MessageEncoding::FastInfoset => stateless.1,
        MessageEncoding::StatefulFastInfoset => stateful.1,
    };
    (parser, writer)
}

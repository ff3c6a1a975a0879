//! One call by our client, whose answer is compared with what must come.

use trunkline_experiment::toolkits::{Call, Mode, Operation, Service};
use trunkline_http::{ClientConfig, Compression, Version};
use trunkline_message::{Message, Structure};
use trunkline_session::soap::{
    CallError, Client, MessageEncoding, SharedConnection, Vocabularies, VocabularyLimits,
    WriterOptions,
};

use super::arrays::{self, Base64, Doubles, Ints, Strings};
use super::callers::{Asked, Port, Prepared};
use super::service::{BINDING, Names, names};
use super::structures::{Items, Nothing, Number, OfOrder, OfStruct, OfSynthetic, Words};
use super::values;
use crate::answer;

/// Bytes of an answer at most.
pub(super) const BODY_BYTES: usize = 64 << 20;

/// Our client, of one thread.
pub(crate) struct OurPort(Client);

/// Makes clients of a service at a port of the loopback, or at a URL.
pub(crate) struct Connector {
    names: Names,
    mode: Mode,
    encoding: MessageEncoding,
    url: String,
    config: ClientConfig,
    /// The connection of all of them, where they share one.
    shared: Option<SharedConnection>,
}

impl Connector {
    /// `target` is a port or a URL.
    pub(crate) fn new((service, mode): (Service, Mode), target: &str) -> Result<Self, String> {
        let (scheme, encoding) = match mode {
            Mode::Http | Mode::HttpChunked | Mode::HttpOnce => ("http", MessageEncoding::Xml),
            Mode::HttpGzip | Mode::HttpDeflate | Mode::HttpZstd | Mode::HttpXmlCoding => {
                ("http", MessageEncoding::Xml)
            }
            Mode::HttpFastInfoset | Mode::HttpFastInfosetGzip => {
                ("http", MessageEncoding::FastInfoset)
            }
            Mode::SoapTcp | Mode::Multiplexed | Mode::SoapTcpUnbounded => {
                ("vnd.sun.ws.tcp", MessageEncoding::StatefulFastInfoset)
            }
            Mode::SoapTcpStateless => ("vnd.sun.ws.tcp", MessageEncoding::FastInfoset),
            Mode::Rmi | Mode::Bytes | Mode::HttpBytes | Mode::HttpReferences => {
                return Err(format!("there is no mode {} here", mode.name()));
            }
        };
        let names = names(service);
        let url = match target.parse::<u16>() {
            Ok(port) => format!("{scheme}://127.0.0.1:{port}{}", names.path),
            Err(_) => target.to_owned(),
        };
        let is_once = mode == Mode::HttpOnce;
        let compression = Compression::of_name(mode.coding());
        let config = ClientConfig {
            body_bytes: BODY_BYTES,
            compression,
            accept: compression.into_iter().collect(),
            chunked: mode == Mode::HttpChunked,
            version: if is_once { Version::HTTP_10 } else { Version::HTTP_11 },
            keep_alive: !is_once,
            ..ClientConfig::default()
        };
        let shared = || SharedConnection::new(&url, config.clone());
        let shared = (mode == Mode::Multiplexed).then(shared).transpose();
        let shared = shared.map_err(|error| error.to_string())?;
        Ok(Self { names, mode, encoding, url, config, shared })
    }

    /// A client for one thread.
    pub(crate) fn connect(&self) -> Result<OurPort, String> {
        let Names { namespace, path, .. } = self.names;
        let client = match &self.shared {
            Some(shared) => shared.client(path, namespace, BINDING),
            None => Client::with(&self.url, namespace, BINDING, self.config.clone()),
        };
        let mut client = client.map_err(|error| error.to_string())?;
        client.set_limits(arrays::limits());
        client.set_encoding(self.encoding);
        if self.mode == Mode::SoapTcpUnbounded {
            client.set_vocabularies(unbounded());
        }
        let from_the_first = [Mode::HttpFastInfoset, Mode::HttpFastInfosetGzip];
        client.set_optimistic(from_the_first.contains(&self.mode));
        Ok(OurPort(client))
    }
}

/// Vocabularies whose limits are raised as far as they go: the format ends at a million entries of a table.
pub(super) fn unbounded() -> Vocabularies {
    let vocabulary = VocabularyLimits { bytes: usize::MAX, entries: usize::MAX };
    let sent = WriterOptions { vocabulary, idle_entries: usize::MAX, ..WriterOptions::default() };
    Vocabularies { sent, received: vocabulary, connection_bytes: usize::MAX }
}

impl Port for OurPort {
    fn prepare(&self, asked: &Asked) -> Result<Box<dyn Prepared<Self>>, String> {
        Ok(match asked {
            Asked::Call(call) => prepared(*call),
            Asked::Distinct { items, first } => Box::new(Distinct {
                exchange: Exchange::echo("echoArray", Items { value: values::items(*items) }),
                next: *first,
            }),
            Asked::Bytes { .. } => return Err("only the bare echo sends bytes".into()),
        })
    }
}

/// Calls once, and compares the answer.
pub(crate) fn check(port: &mut OurPort, call: Call) -> Result<(), String> {
    prepared(call).call(port)
}

fn prepared(call: Call) -> Box<dyn Prepared<OurPort>> {
    struct Prepare;
    impl Visit for Prepare {
        type Out = Box<dyn Prepared<OurPort>>;

        fn visit<Q: Sent, R: Sent>(
            self,
            operation: &'static str,
            request: Q,
            expected: R,
        ) -> Self::Out {
            Box::new(Exchange { operation, request, expected, reply: R::default() })
        }
    }
    visit(call, Prepare)
}

/// A message of an operation.
pub(super) trait Sent: Message + Structure + Clone + Default + PartialEq + 'static {}

impl<T: Message + Structure + Clone + Default + PartialEq + 'static> Sent for T {}

/// What is done with the messages of a call, whatever their types.
pub(super) trait Visit {
    /// What comes of it.
    type Out;

    /// Does it: with the request, and the answer that must come to it.
    fn visit<Q: Sent, R: Sent>(self, operation: &'static str, request: Q, expected: R)
    -> Self::Out;
}

/// Makes the messages of a call.
pub(super) fn visit<V: Visit>(Call { operation, size }: Call, with: V) -> V::Out {
    fn echo<V: Visit, T: Sent>(with: V, name: &'static str, it: T) -> V::Out {
        with.visit(name, it.clone(), it)
    }
    let name = operation.name();
    match operation {
        Operation::EchoVoid => echo(with, name, Nothing {}),
        Operation::EchoInt => echo(with, name, Number { value: values::NUMBER }),
        Operation::EchoString => echo(with, name, Words { value: values::TEXT.into() }),
        Operation::EchoStruct => echo(with, name, OfStruct { value: values::structure() }),
        Operation::EchoSynthetic => {
            echo(with, name, OfSynthetic { value: values::synthetic(size) })
        }
        Operation::EchoArray => echo(with, name, Items { value: values::items(size) }),
        Operation::GetOrder => {
            let request = values::query(size);
            let expected = OfOrder { value: values::order(&request) };
            with.visit(name, request, expected)
        }
        Operation::EchoDoubles => echo(with, name, Doubles { value: values::doubles(size) }),
        Operation::EchoInts => echo(with, name, Ints { value: values::ints(size) }),
        Operation::EchoStrings => echo(with, name, Strings { value: values::strings(size) }),
        Operation::ReceiveDoubles => {
            with.visit(name, Doubles { value: values::doubles(size) }, arrays::count(size as usize))
        }
        Operation::ReceiveInts => {
            with.visit(name, Ints { value: values::ints(size) }, arrays::count(size as usize))
        }
        Operation::SendBytes => {
            with.visit(name, arrays::count(size as usize), Base64 { value: values::bytes(size) })
        }
        Operation::SendStrings => {
            with.visit(name, arrays::count(size as usize), Strings { value: values::strings(size) })
        }
    }
}

/// A request, the answer that must come to it, and room for that which comes.
struct Exchange<Q, R> {
    operation: &'static str,
    request: Q,
    expected: R,
    reply: R,
}

impl<T: Clone + Default> Exchange<T, T> {
    fn echo(operation: &'static str, request: T) -> Self {
        Self { operation, expected: request.clone(), reply: T::default(), request }
    }
}

impl<Q, R> Prepared<OurPort> for Exchange<Q, R>
where
    Q: Message + Structure,
    R: Message + Structure + PartialEq,
{
    fn call(&mut self, OurPort(client): &mut OurPort) -> Result<(), String> {
        let Self { operation, request, expected, reply } = self;
        let called = client.call_into(operation, request, reply);
        called.map_err(|error: CallError| error.to_string())?;
        answer::compare(expected, reply)
    }
}

/// echoArray, with two short texts in each item that no message had before.
struct Distinct {
    exchange: Exchange<Items, Items>,
    next: u64,
}

impl Prepared<OurPort> for Distinct {
    fn call(&mut self, port: &mut OurPort) -> Result<(), String> {
        let Exchange { request, expected, .. } = &mut self.exchange;
        for (item, expected) in request.value.iter_mut().zip(&mut expected.value) {
            item.id = format!("{:x}", self.next).into();
            item.description = format!("d{:x}", self.next).into();
            expected.clone_from(item);
            self.next += 1;
        }
        self.exchange.call(port)
    }
}

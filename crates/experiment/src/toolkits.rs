//! Toolkits that carry the operations of a service from structure to structure, client and server of one each.

use std::fmt;

use serde::Deserialize;

use crate::names::BARE;
use crate::subjects::TRUNKLINE;

words! {
    /// The services that toolkits carry, as the names of their programs end.
    pub enum Service {
        /// That of the benchmark of Metro's SOAP/TCP.
        Operations = "operations",
        /// Arrays of scientific data (Govindaraju and others, 2004).
        Arrays = "arrays",
    }
}

words! {
    /// How calls travel, in the order of tables.
    pub enum Mode {
        /// SOAP/TCP, Fast Infoset with a vocabulary that is kept.
        SoapTcp = "soap-tcp",
        /// The same, with all calls on one connection, where they overlap.
        Multiplexed = "soap-tcp-multiplexed",
        /// Fast Infoset over HTTP.
        HttpFastInfoset = "http-fast-infoset",
        /// XML over HTTP.
        Http = "http",
        /// SOAP/TCP, Fast Infoset without a vocabulary that is kept.
        SoapTcpStateless = "soap-tcp-stateless",
        /// SOAP/TCP, Fast Infoset with a vocabulary that is kept, whose limits are raised as far as they go.
        SoapTcpUnbounded = "soap-tcp-unbounded",
        /// Java RMI.
        Rmi = "rmi",
        /// Bytes by themselves, over TCP.
        Bytes = "bytes",
        /// XML over HTTP, with requests in chunks; answers as the server sends them then.
        HttpChunked = "http-chunked",
        /// XML over HTTP/1.0, a connection for each call.
        HttpOnce = "http-1.0",
        /// XML over HTTP, by who looks for values that stand in several places.
        HttpReferences = "http-references",
        /// Bytes by themselves, over HTTP.
        HttpBytes = "http-bytes",
        /// XML over HTTP, requests and answers compressed by gzip.
        HttpGzip = "http-gzip",
        /// The same by deflate.
        HttpDeflate = "http-deflate",
        /// The same by zstd.
        HttpZstd = "http-zstd",
        /// The same by the coding of our own that keeps the values of XML apart from its structure.
        HttpXmlCoding = "http-x-trunkline-xml",
        /// Fast Infoset over HTTP, compressed by gzip.
        HttpFastInfosetGzip = "http-fast-infoset-gzip",
    }
}

impl Mode {
    /// The words in tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::SoapTcp => "SOAP/TCP",
            Self::Multiplexed => "SOAP/TCP, multiplexed",
            Self::HttpFastInfoset => "Fast Infoset/HTTP",
            Self::Http => "SOAP/HTTP",
            Self::SoapTcpStateless => "SOAP/TCP, stateless",
            Self::SoapTcpUnbounded => "SOAP/TCP, unbounded",
            Self::Rmi => "RMI",
            Self::Bytes => "TCP",
            Self::HttpChunked => "SOAP/HTTP in chunks",
            Self::HttpOnce => "SOAP/HTTP 1.0",
            Self::HttpReferences => "SOAP/HTTP, references",
            Self::HttpBytes => "HTTP",
            Self::HttpGzip => "SOAP/HTTP, gzip",
            Self::HttpDeflate => "SOAP/HTTP, deflate",
            Self::HttpZstd => "SOAP/HTTP, zstd",
            Self::HttpXmlCoding => "SOAP/HTTP, x-trunkline-xml",
            Self::HttpFastInfosetGzip => "Fast Infoset/HTTP, gzip",
        }
    }

    /// transport/envelope/encoding/vocabulary/compression, as in rows.
    pub fn profile(self) -> &'static str {
        match self {
            Self::SoapTcp | Self::Multiplexed | Self::SoapTcpUnbounded => {
                "soap-tcp-1.0/soap-1.1-document-literal-wrapped/fast-infoset/retained/none"
            }
            Self::HttpFastInfoset => {
                "http-1.1/soap-1.1-document-literal-wrapped/fast-infoset/stateless/none"
            }
            Self::Http | Self::HttpChunked | Self::HttpReferences => {
                "http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/none"
            }
            Self::HttpOnce => "http-1.0/soap-1.1-document-literal-wrapped/xml-utf8/none/none",
            Self::SoapTcpStateless => {
                "soap-tcp-1.0/soap-1.1-document-literal-wrapped/fast-infoset/stateless/none"
            }
            Self::Rmi => "rmi/none/java-serialization/none/none",
            Self::Bytes => "tcp/none/none/none/none",
            Self::HttpBytes => "http-1.1/none/none/none/none",
            Self::HttpGzip => "http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/gzip",
            Self::HttpDeflate => "http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/deflate",
            Self::HttpZstd => "http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/zstd",
            Self::HttpXmlCoding => {
                "http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/x-trunkline-xml"
            }
            Self::HttpFastInfosetGzip => {
                "http-1.1/soap-1.1-document-literal-wrapped/fast-infoset/stateless/gzip"
            }
        }
    }

    /// The content coding of requests and answers, as HTTP calls it; `none` where there is none.
    pub fn coding(self) -> &'static str {
        self.profile().rsplit('/').next().unwrap_or_default()
    }

    /// Whether requests and answers are compressed.
    pub fn is_compressed(self) -> bool {
        self.coding() != "none"
    }

    /// Whether bytes are carried by themselves.
    pub fn is_bare(self) -> bool {
        matches!(self, Self::Bytes | Self::HttpBytes)
    }

    /// How ours calls beside whoever calls in this mode: nobody else speaks RMI, and ours has no references to look for.
    pub fn beside(self) -> Self {
        match self {
            Self::Rmi | Self::Bytes => Self::SoapTcp,
            Self::HttpReferences | Self::HttpBytes => Self::Http,
            mode => mode,
        }
    }
}

words! {
    /// The operations of both services: those of the benchmark of Metro's SOAP/TCP under the article's names, those of
    /// arrays as the toolkit's user says what the service does.
    pub enum Operation {
        /// No data.
        EchoVoid = "echoVoid",
        /// A number.
        EchoInt = "echoInt",
        /// A text.
        EchoString = "echoString",
        /// A small class.
        EchoStruct = "echoStruct",
        /// A small class with so many bytes.
        EchoSynthetic = "echoSynthetic",
        /// A list of so many items.
        EchoArray = "echoArray",
        /// A small request for an order of so many lines.
        GetOrder = "getOrder",
        /// So many numbers of 64 bits, there and back.
        EchoDoubles = "echoDoubles",
        /// So many integers, there and back.
        EchoInts = "echoInts",
        /// So many texts, there and back.
        EchoStrings = "echoStrings",
        /// So many numbers of 64 bits, which are counted.
        ReceiveDoubles = "receiveDoubles",
        /// So many integers, which are counted.
        ReceiveInts = "receiveInts",
        /// So many bytes that the service makes, in base64.
        SendBytes = "sendBytes",
        /// So many texts that the service makes.
        SendStrings = "sendStrings",
    }
}

impl Service {
    /// The one that has all of these calls; the first if none has.
    pub fn of(calls: &[Call]) -> Self {
        let has_all = |service: &Self| {
            calls.iter().all(|call| service.operations().any(|it| it == call.operation))
        };
        Self::ALL.into_iter().find(has_all).unwrap_or(Self::Operations)
    }

    /// What can be called.
    pub fn operations(self) -> impl Iterator<Item = Operation> {
        Operation::ALL.into_iter().filter(move |it| match self {
            Self::Operations => *it <= Operation::GetOrder,
            Self::Arrays => *it == Operation::EchoVoid || *it > Operation::GetOrder,
        })
    }
}

/// The longest list of a call, and the most bytes.
pub const LARGEST: u32 = 100_000;

/// An operation with a size: `echoVoid`, `echoSynthetic4K`, `echoArray40`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Call {
    /// The operation.
    pub operation: Operation,
    /// Bytes, items or lines; 0 where there are none.
    pub size: u32,
}

impl Operation {
    /// Bytes of a unit of its size; none if it has no size.
    fn unit(self) -> Option<(u32, &'static str)> {
        match self {
            Self::EchoSynthetic => Some((1 << 10, "K")),
            Self::EchoVoid | Self::EchoInt | Self::EchoString | Self::EchoStruct => None,
            _ => Some((1, "")),
        }
    }
}

impl Call {
    /// The call of this name.
    pub fn named(name: &str) -> Option<Self> {
        // The name of one may begin that of another.
        Operation::ALL.into_iter().find_map(|operation| {
            let rest = name.strip_prefix(operation.name())?;
            let size = match operation.unit() {
                None => rest.is_empty().then_some(0),
                Some((unit, end)) => {
                    let count: u32 = rest.strip_suffix(end)?.parse().ok()?;
                    count.checked_mul(unit).filter(|size| (1..=LARGEST).contains(size))
                }
            };
            Some(Self { operation, size: size? })
        })
    }
}

impl TryFrom<String> for Call {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::named(&name).ok_or_else(|| {
            let known = Operation::ALL.map(|it| match it.unit() {
                None => it.name().to_owned(),
                Some((_, end)) => format!("{}N{end}", it.name()),
            });
            format!("there is no call {name:?}; known: {}", known.join(", "))
        })
    }
}

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.operation.name())?;
        match self.operation.unit() {
            None => Ok(()),
            Some((unit, end)) => write!(out, "{}{end}", self.size / unit),
        }
    }
}

/// A toolkit with a client and a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// What rows call it.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// The files of its programs, one a service; none of our own.
    pub programs: &'static [&'static str],
    /// The ways in which it calls, in order.
    pub modes: &'static [Mode],
    /// It is compiled as it runs, and has to be let do so.
    pub is_compiled: bool,
    /// Where it serves that is none of this machine's programs: somebody's own service, which our client calls.
    pub endpoint: Option<&'static str>,
}

const fn ours(name: &'static str, what: &'static str, modes: &'static [Mode]) -> Toolkit {
    Toolkit { name, what, programs: &[], modes, is_compiled: false, endpoint: None }
}

const fn peer(
    name: &'static str,
    what: &'static str,
    programs: &'static [&'static str],
    modes: &'static [Mode],
) -> Toolkit {
    Toolkit { programs, ..ours(name, what, modes) }
}

const fn compiled(toolkit: Toolkit) -> Toolkit {
    Toolkit { is_compiled: true, ..toolkit }
}

/// All toolkits that are measured, in the order of tables.
pub const TOOLKITS: [Toolkit; 10] = [
    ours(
        TRUNKLINE,
        "Trunkline's client and server",
        &[
            Mode::SoapTcp,
            Mode::Multiplexed,
            Mode::HttpFastInfoset,
            Mode::Http,
            Mode::HttpChunked,
            Mode::HttpOnce,
            Mode::HttpGzip,
            Mode::HttpDeflate,
            Mode::HttpZstd,
            Mode::HttpXmlCoding,
            Mode::HttpFastInfosetGzip,
        ],
    ),
    compiled(peer(
        "metro",
        "Metro (Java), client and server",
        &["metro-operations", "metro-arrays"],
        &[Mode::SoapTcp, Mode::HttpFastInfoset, Mode::Http],
    )),
    peer(
        "gsoap-best",
        "gSOAP (C++), its fastest build",
        &["gsoap-best-operations", "gsoap-best-arrays"],
        &[Mode::Http, Mode::HttpChunked, Mode::HttpOnce],
    ),
    peer(
        "gsoap-debian",
        "gSOAP (C++) as distributed",
        &["gsoap-debian-arrays"],
        &[Mode::Http, Mode::HttpReferences, Mode::HttpGzip],
    ),
    compiled(peer(
        "cxf",
        "Apache CXF (Java), client and server",
        &["cxf-arrays"],
        &[Mode::Http, Mode::HttpChunked],
    )),
    compiled(peer(
        "axis",
        "Apache Axis 1.4 (Java), client and server",
        &["axis-arrays"],
        &[Mode::Http, Mode::HttpChunked, Mode::HttpOnce],
    )),
    compiled(peer(
        "axis2",
        "Apache Axis2 (Java), client and server",
        &["axis2-arrays"],
        &[Mode::Http, Mode::HttpChunked],
    )),
    compiled(peer("asmx", "ASMX (mono), client and server", &["asmx-arrays"], &[Mode::Http])),
    compiled(peer("rmi", "Java RMI", &["rmi-operations"], &[Mode::Rmi])),
    ours(BARE, "an echo of as many bytes", &[Mode::Bytes, Mode::HttpBytes]),
];

impl Toolkit {
    /// Somebody's own service at a URL, which our client calls.
    pub fn at(name: &'static str, url: &'static str) -> Self {
        Self { endpoint: Some(url), ..ours(name, "a service", &[Mode::Http]) }
    }

    /// Whether it is somebody else's.
    pub fn is_peer(&self) -> bool {
        !self.programs.is_empty() || self.endpoint.is_some()
    }

    /// Its program for a service; our own has all of them, and needs none.
    pub fn program(&self, service: Service) -> Option<&'static str> {
        let is_of_service = |name: &&&str| {
            let base = name.strip_suffix(service.name());
            base.is_some_and(|base| base.ends_with('-'))
        };
        self.programs.iter().find(is_of_service).copied()
    }

    /// Whether it compresses, and so is measured with content codings.
    pub fn compresses(&self) -> bool {
        self.modes.iter().any(|mode| mode.is_compressed())
    }

    /// Whether it carries a service, where it is there.
    pub fn carries(&self, service: Service) -> bool {
        match self.endpoint {
            Some(_) => service == Service::Arrays,
            None => !self.is_peer() || self.program(service).is_some(),
        }
    }
}

/// The toolkit of this name.
pub fn named(name: &str) -> Option<&'static Toolkit> {
    TOOLKITS.iter().find(|it| it.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_the_name_that_the_article_gives_it() {
        for (name, operation, size) in [
            ("echoVoid", Operation::EchoVoid, 0),
            ("echoSynthetic12K", Operation::EchoSynthetic, 12 << 10),
            ("echoArray40", Operation::EchoArray, 40),
            ("getOrder1000", Operation::GetOrder, 1000),
            ("echoInts10", Operation::EchoInts, 10),
            ("echoStrings50000", Operation::EchoStrings, 50_000),
        ] {
            assert_eq!(Call::named(name), Some(Call { operation, size }));
            assert_eq!(Call { operation, size }.to_string(), name);
        }
        for name in ["echo", "echoVoid1", "echoArray", "echoArray0", "echoSynthetic4", "getOrder-1"]
        {
            assert_eq!(Call::named(name), None, "{name}");
        }
        let told = Call::try_from("echoArray".to_owned()).expect_err("it has no size");
        assert!(told.contains("echoSyntheticNK, echoArrayN, getOrderN, echoDoublesN"), "{told}");
    }

    #[test]
    fn a_program_is_of_the_service_that_its_name_ends_in() {
        let gsoap = named("gsoap-best").expect("known");
        assert_eq!(gsoap.program(Service::Arrays), Some("gsoap-best-arrays"));
        let rmi = named("rmi").expect("known");
        assert!(rmi.carries(Service::Operations) && !rmi.carries(Service::Arrays));
        assert!(
            named(TRUNKLINE).is_some_and(|it| Service::ALL.map(|s| it.carries(s)) == [true; 2])
        );
        let own = Toolkit::at("own", "http://localhost/arrays");
        assert!(own.is_peer() && own.carries(Service::Arrays));
    }
}

//! Toolkits that carry the operations of a service from structure to structure, client and server of one each.

use std::fmt;

use serde::Deserialize;

use crate::names::BARE;
use crate::subjects::TRUNKLINE;

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
            Self::Http => "http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/none",
            Self::SoapTcpStateless => {
                "soap-tcp-1.0/soap-1.1-document-literal-wrapped/fast-infoset/stateless/none"
            }
            Self::Rmi => "rmi/none/java-serialization/none/none",
            Self::Bytes => "tcp/none/none/none/none",
        }
    }
}

words! {
    /// The operations of the benchmark of Metro's SOAP/TCP, under the article's names.
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
            Self::EchoArray | Self::GetOrder => Some((1, "")),
            _ => None,
        }
    }
}

impl Call {
    /// The call of this name.
    pub fn named(name: &str) -> Option<Self> {
        let begins = |it: &Operation| name.starts_with(it.name());
        let operation = Operation::ALL.into_iter().find(begins)?;
        let rest = &name[operation.name().len()..];
        let size = match operation.unit() {
            None => rest.is_empty().then_some(0),
            Some((unit, end)) => {
                let count: u32 = rest.strip_suffix(end)?.parse().ok()?;
                count.checked_mul(unit).filter(|size| (1..=LARGEST).contains(size))
            }
        };
        Some(Self { operation, size: size? })
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
    /// The file of its program; none of our own.
    pub program: Option<&'static str>,
    /// The ways in which it calls, in order.
    pub modes: &'static [Mode],
    /// It is compiled as it runs, and has to be let do so.
    pub is_compiled: bool,
}

const fn ours(name: &'static str, what: &'static str, modes: &'static [Mode]) -> Toolkit {
    Toolkit { name, what, program: None, modes, is_compiled: false }
}

const fn peer(
    name: &'static str,
    what: &'static str,
    program: &'static str,
    modes: &'static [Mode],
) -> Toolkit {
    Toolkit { name, what, program: Some(program), modes, is_compiled: false }
}

/// All toolkits that are measured, in the order of tables.
pub const TOOLKITS: [Toolkit; 5] = [
    ours(
        TRUNKLINE,
        "Trunkline's client and server",
        &[Mode::SoapTcp, Mode::Multiplexed, Mode::HttpFastInfoset, Mode::Http],
    ),
    Toolkit {
        is_compiled: true,
        ..peer(
            "metro",
            "Metro (Java), client and server",
            "metro-operations",
            &[Mode::SoapTcp, Mode::HttpFastInfoset, Mode::Http],
        )
    },
    peer("gsoap-best", "gSOAP (C++), its fastest build", "gsoap-best-operations", &[Mode::Http]),
    Toolkit { is_compiled: true, ..peer("rmi", "Java RMI", "rmi-operations", &[Mode::Rmi]) },
    ours(BARE, "an echo of the bytes of SOAP/TCP", &[Mode::Bytes]),
];

impl Toolkit {
    /// Whether it is somebody else's.
    pub fn is_peer(&self) -> bool {
        self.program.is_some()
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
        ] {
            assert_eq!(Call::named(name), Some(Call { operation, size }));
            assert_eq!(Call { operation, size }.to_string(), name);
        }
        for name in ["echo", "echoVoid1", "echoArray", "echoArray0", "echoSynthetic4", "getOrder-1"]
        {
            assert_eq!(Call::named(name), None, "{name}");
        }
        let told = Call::try_from("echoArray".to_owned()).expect_err("it has no size");
        assert!(told.ends_with("echoSyntheticNK, echoArrayN, getOrderN"), "{told}");
    }
}

//! Who takes part: codecs of ours, peers, and builds of ours beside one another.

use crate::format::{Format, Format as F};
use crate::{engines, middleware, toolkits};

/// Our codecs on structs with `derive(Message)`; each message is decoded into a new one, as by most
/// peers.
pub const TRUNKLINE: &str = "trunkline";
/// The same decoders, which decode all messages into one: nothing is allocated.
pub const TRUNKLINE_REUSED: &str = "trunkline-reused";
/// Our codecs on records, whose schema is known at run time only.
pub const TRUNKLINE_RECORD: &str = "trunkline-record";
/// What is measured on records: the formats that the paper compared.
pub const RECORD_FORMATS: [Format; 3] = [Format::SoapRpc, Format::Fix, Format::CdrUnion];
/// A second `trunkline` in the same run: how far it differs from the first is noise.
pub const TWIN: &str = "trunkline-twin";

/// How the names of subjects end that decode all messages into one.
const REUSED: &str = "-reused";

/// Whether a subject decodes all messages into one, and not each into a new one.
pub fn is_reused(subject: &str) -> bool {
    subject.ends_with(REUSED)
}

/// Whether a subject is the same program as another, at other work.
pub fn is_variant(subject: &str) -> bool {
    is_reused(subject) || subject.ends_with("-record")
}

/// The peers that can decode all messages into one, and their names when they do. Those in Rust are not among them:
/// their structures are mostly options, which keep nothing that could be used again.
pub const REUSING_PEERS: [(&str, &str); 3] =
    [("quickfix", "quickfix-reused"), ("omniorb", "omniorb-reused"), ("pugixml", "pugixml-reused")];

/// A peer that this project has a program for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name, also of the program's file.
    pub name: &'static str,
    /// What it stands for.
    pub what: &'static str,
    /// The formats that it is measured with.
    pub formats: &'static [Format],
}

const fn peer(name: &'static str, what: &'static str, formats: &'static [Format]) -> Known {
    Known { name, what, formats }
}

/// All peers that this project has programs for.
pub const PEERS: [Known; 13] = [
    peer(
        "gsoap-best",
        "gSOAP (C++), its fastest build",
        &[F::SoapRpc, F::SoapDocument, F::SoapCompact],
    ),
    peer("gsoap-debian", "gSOAP (C++) as distributed", &[F::SoapRpc, F::SoapDocument]),
    peer("quickfix", "QuickFIX (C++)", &[F::Fix]),
    peer("omniorb", "omniORB (C++)", &[F::CdrUnion]),
    peer("quick-xml", "quick-xml (Rust)", &[F::SoapDocument]),
    peer("ironfix", "ironfix-tagvalue (Rust)", &[F::Fix]),
    peer("pugixml", "pugixml (C++), decodes only", &[F::SoapDocument]),
    peer("gsoap-best-services", "gSOAP (C++) as a service, its fastest build", &ALL_STYLES),
    peer("gsoap-debian-services", "gSOAP (C++) as a service, as distributed", &ALL_STYLES),
    peer("metro-services", "Metro, the reference of JAX-WS (Java)", &STYLES_OF_JAX_WS),
    peer("cxf-services", "Apache CXF as a service (Java)", &STYLES_OF_JAX_WS),
    peer("axis-services", "Apache Axis 1.4 as a service (Java)", &STYLES_OF_AXIS),
    peer("asmx-services", "ASMX of mono as a service (C#)", &STYLES_OF_ASMX),
];

/// Toolkits that only call services, and their programs: each takes the place of a WSDL, and prints a line a
/// check.
pub const CLIENTS: [(&str, &str); 1] = [("zeep", "zeep-client")];

/// Every way in which SOAP carries customer and product records.
const ALL_STYLES: [Format; 5] = [
    F::NgDocumentLiteral,
    F::NgDocumentLiteralWrapped,
    F::NgDocumentEncoded,
    F::NgRpcLiteral,
    F::NgRpcEncoded,
];
/// Those that JAX-WS knows.
const STYLES_OF_JAX_WS: [Format; 3] =
    [F::NgDocumentLiteral, F::NgDocumentLiteralWrapped, F::NgRpcLiteral];

/// Those of Axis 1.4, which has no bare messages in the SOAP encoding.
const STYLES_OF_AXIS: [Format; 4] =
    [F::NgDocumentLiteral, F::NgDocumentLiteralWrapped, F::NgRpcLiteral, F::NgRpcEncoded];
/// Those of ASMX on classes as they are: parts of rpc/literal would need others, without a namespace.
const STYLES_OF_ASMX: [Format; 4] =
    [F::NgDocumentLiteral, F::NgDocumentLiteralWrapped, F::NgDocumentEncoded, F::NgRpcEncoded];

/// How the names of programs end that are services.
const SERVICES: &str = "-services";

/// The programs of toolkits that are at both ends of calls.
pub fn toolkits_of_others() -> impl Iterator<Item = Known> {
    let programs = |it: &toolkits::Toolkit| {
        let what = it.what;
        it.programs.iter().map(move |program| peer(program, what, &[]))
    };
    toolkits::TOOLKITS.iter().flat_map(programs)
}

impl Known {
    /// What rows call it: a toolkit is the same whether it works on trades or as a service.
    pub fn subject(self) -> &'static str {
        subject_of(self.name)
    }

    /// How to get the peer, where it is absent.
    pub fn how_to_get(self) -> &'static str {
        "make peers"
    }
}

/// What rows call the program of this name.
pub fn subject_of(program: &str) -> &str {
    program.strip_suffix(SERVICES).unwrap_or(program)
}

/// The formats that the peer with a program of this name is measured with.
pub fn formats_of(peer: &str) -> &'static [Format] {
    PEERS.iter().find(|known| known.name == peer).map_or(&[], |known| known.formats)
}

/// Which of ours a peer is compared with: like with like, with each message decoded into a new one, and
/// where both can, with all into one.
pub fn alike(peer: &'static str) -> impl Iterator<Item = [&'static str; 2]> {
    let reusing = REUSING_PEERS.iter().find(|(name, _)| *name == peer);
    [[TRUNKLINE, peer]].into_iter().chain(reusing.map(|(_, name)| [TRUNKLINE_REUSED, name]))
}

/// What rows call this build and the other, by what they decode into: new structs, one that is used again, new
/// records.
pub const BUILDS: [[&str; 2]; 3] = [
    ["this-build", "other-build"],
    ["this-build-reused", "other-build-reused"],
    [THIS_ON_RECORDS, "other-build-record"],
];
/// This build, on records.
pub const THIS_ON_RECORDS: &str = "this-build-record";

/// What rows call the other build, where they call this one so.
pub fn other_of(subject: &str) -> Option<&'static str> {
    BUILDS.into_iter().find(|[this, _]| *this == subject).map(|[_, other]| other)
}

/// Whether the subject is one of the builds.
pub fn is_build(subject: &str) -> bool {
    BUILDS.iter().flatten().any(|name| *name == subject)
}

/// Whether this project measures the subject itself; of any other there are only published figures.
pub fn is_measured(subject: &str) -> bool {
    let program = subject.strip_suffix(REUSED).unwrap_or(subject);
    subject.starts_with(TRUNKLINE)
        || is_build(subject)
        || PEERS.iter().any(|peer| peer.subject() == program)
        || middleware::named(subject).is_some()
        || toolkits::named(subject).is_some()
        || engines::named(subject).is_some()
}

/// What the subject decodes into, in a word or none.
pub fn way(subject: &str) -> &'static str {
    match subject {
        THIS_ON_RECORDS => "records",
        _ if is_reused(subject) => "reused",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_measured_and_products_of_a_paper_are_not() {
        for subject in ["trunkline-record", "metro", "omniorb-reused", "nats", "other-build"] {
            assert!(is_measured(subject), "{subject}");
        }
        for subject in ["product-a", "net-remoting"] {
            assert!(!is_measured(subject), "{subject}");
        }
    }

    #[test]
    fn each_way_of_this_build_stands_beside_the_same_of_the_other() {
        for [this, other] in BUILDS {
            assert_eq!(other_of(this), Some(other));
            assert_eq!((other_of(other), is_build(other)), (None, true));
            assert_eq!(is_reused(this), is_reused(other));
        }
        assert_eq!(other_of(TRUNKLINE), None);
    }
}

//! What is measured of content codings.

use serde::Deserialize;

use super::bounds::ensure;
use super::toolkit_calls::{BYTES, DIRECT, RATE};
use super::{cases, chosen};
use crate::names::SIZE;
use crate::toolkits::{Call, Mode, Service};

words! {
    /// How messages are made small, in the order of tables.
    pub enum Coding {
        /// XML as it is, which all others are compared with.
        None = "none",
        /// gzip at its fastest level, as Trunkline sends it.
        Gzip = "gzip",
        /// gzip at the level that is the default of zlib, in memory only.
        GzipDefault = "gzip-6",
        /// deflate, at the fastest level too.
        Deflate = "deflate",
        /// zstd.
        Zstd = "zstd",
        /// The coding of our own that keeps the values of XML apart from its structure.
        Xml = "x-trunkline-xml",
        /// Fast Infoset without a coding: another format, not a coding.
        FastInfoset = "fast-infoset",
        /// Fast Infoset compressed by gzip.
        FastInfosetGzip = "fast-infoset-gzip",
    }
}

impl Coding {
    /// How calls with it travel; none if nobody calls with it.
    pub fn mode(self) -> Option<Mode> {
        match self {
            Self::None => Some(Mode::Http),
            Self::Gzip => Some(Mode::HttpGzip),
            Self::GzipDefault => None,
            Self::Deflate => Some(Mode::HttpDeflate),
            Self::Zstd => Some(Mode::HttpZstd),
            Self::Xml => Some(Mode::HttpXmlCoding),
            Self::FastInfoset => Some(Mode::HttpFastInfoset),
            Self::FastInfosetGzip => Some(Mode::HttpFastInfosetGzip),
        }
    }

    /// Whether it is of XML, and compresses.
    pub fn is_of_xml(self) -> bool {
        !matches!(self, Self::None | Self::FastInfoset | Self::FastInfosetGzip)
    }

    /// encoding/vocabulary/compression, as in rows, of what is not sent.
    pub fn profile(self) -> String {
        let mode = self.mode().unwrap_or(Mode::HttpGzip);
        let rest = mode.profile().split_once('/').map_or("", |(_, rest)| rest);
        format!("none/{rest}")
    }
}

/// The messages of calls by content codings: their bytes, what compressing takes of the processor beside writing and reading
/// them, and calls over links.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Codings {
    /// What is called, of the service of arrays.
    pub operations: Vec<Call>,
    /// What is called in a quick run; all if there is nothing.
    #[serde(default)]
    pub quick_operations: Vec<Call>,
    /// Over these links. What is measured in memory is so beside the calls without a link, `direct`.
    pub links: Vec<String>,
    /// How long a turn lasts at least; there is one call at least.
    pub milliseconds: u32,
    /// Also in a quick run.
    #[serde(default = "super::measure::yes")]
    pub quick: bool,
}

/// How the cases begin.
const CASES: &str = "coding-";

/// The bytes of request and answer, and in per cent of those of XML.
pub const SIZES: [&str; 2] = [SIZE, "of-xml"];

/// What each stage takes of the processor in memory, of request and answer.
pub const STAGES: [&str; 4] = ["encode", "compress", "decompress", "decode"];

/// Compressing and decompressing, over writing and reading XML.
pub const OVER_CODEC: &str = "over-codec";

/// Compressing and decompressing, over a call without: XML and transport together. Of others what the processors of both ends
/// take more of a call.
pub const OVER_CALL: &str = "over-call";

/// What a call takes beyond writing and reading XML in memory.
pub const REST: &str = "rest";

/// A call with the coding over one without.
pub const OVER_NONE: &str = "over-none";

/// What a call saves of a link, what it adds to the processors', the bandwidth at which they are even, and where it was so
/// when measured.
pub const EVEN: [&str; 4] = ["bytes-saved", "cpu-added", "break-even", "crossing"];

impl Codings {
    /// What is called in such a run.
    pub fn operations(&self, is_quick: bool) -> &[Call] {
        chosen(&self.operations, &self.quick_operations, is_quick)
    }

    /// The case of what is not sent.
    pub fn case(coding: Coding, call: Call) -> String {
        format!("{CASES}{}-{call}", coding.name())
    }

    /// The case of calls over a link.
    pub fn case_over(coding: Coding, call: Call, link: &str) -> String {
        format!("{}@{link}", Self::case(coding, call))
    }

    /// The coding, the call and the link, if there is one, of a case such as `coding-gzip-echoVoid@direct`.
    pub fn parts(case: &str) -> Option<(Coding, Call, Option<&str>)> {
        let (case, link) = match case.split_once('@') {
            Some((case, link)) => (case, Some(link)),
            None => (case, None),
        };
        let rest = case.strip_prefix(CASES)?;
        // The name of one may begin that of another.
        Coding::ALL.into_iter().find_map(|coding| {
            let call = rest.strip_prefix(coding.name())?.strip_prefix('-')?;
            Some((coding, Call::named(call)?, link))
        })
    }

    /// Whether it is measured in memory, too.
    pub fn is_in_memory(&self) -> bool {
        self.links.iter().any(|link| link == DIRECT)
    }

    /// All cases, with the metrics of their rows.
    pub(super) fn cases(&self) -> Vec<cases::Case> {
        let mut all = Vec::new();
        for &call in &self.operations {
            for coding in Coding::ALL {
                if self.is_in_memory() {
                    let metrics = [&SIZES[..], &STAGES, &[OVER_CODEC], &EVEN].concat();
                    all.push((Self::case(coding, call), metrics));
                }
                let cases = self.links.iter().map(|link| Self::case_over(coding, call, link));
                let metrics: [&str; 7] =
                    [RATE, "latency", "client-cpu", "server-cpu", REST, OVER_NONE, OVER_CALL];
                all.extend(cases.map(|case| (case, [&metrics[..], &BYTES].concat())));
            }
        }
        all
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let is_of_arrays =
            |call: &&Call| Service::Arrays.operations().any(|it| it == call.operation);
        let mut all = self.operations.iter().chain(&self.quick_operations);
        let other = all.find(|it| !is_of_arrays(it));
        ensure(other.is_none(), || {
            let name = other.map_or(String::new(), Call::to_string);
            format!("{name} is no operation of the service of arrays")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_tells_coding_call_and_link() {
        let call = Call::named("echoDoubles1000").expect("a call");
        for coding in Coding::ALL {
            let case = Codings::case(coding, call);
            assert_eq!(Codings::parts(&case), Some((coding, call, None)), "{case}");
            let over = Codings::case_over(coding, call, "1gbit");
            assert_eq!(Codings::parts(&over), Some((coding, call, Some("1gbit"))), "{over}");
        }
        for case in ["coding-brotli-echoVoid", "coding-gzip", "http-1-echoVoid", "coding-gzip-7"] {
            assert_eq!(Codings::parts(case), None, "{case}");
        }
    }
}

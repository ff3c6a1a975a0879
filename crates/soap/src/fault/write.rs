//! Faults as both versions write them.

use trunkline_codec::infoset::{Name, Writer};

use super::{Fault, Version};
use crate::envelope::SOAP12;
use crate::header::{HeaderBlock, namespace};
use crate::qname::QName;

/// The prefix of the envelope's namespace.
const PREFIX: &str = "SOAP-ENV";

/// The whole message.
pub(super) fn message(
    fault: &Fault,
    blocks: &[HeaderBlock],
    version: Version,
    out: &mut impl Writer,
) {
    let mut writing = Writing { out, version };
    writing.start("Envelope");
    writing.out.declare(PREFIX, namespace(version));
    let has_own = version == Version::Soap12 && !fault.not_understood.is_empty();
    if has_own || !fault.upgrade.is_empty() || !blocks.is_empty() {
        writing.start("Header");
        writing.header(fault);
        blocks.iter().for_each(|block| writing.out.raw(&block.encode(version)));
        writing.out.end();
    }
    writing.start("Body");
    writing.start("Fault");
    match version {
        Version::Soap11 => writing.fault_11(fault),
        Version::Soap12 => writing.fault_12(fault),
    }
    (0..3).for_each(|_| writing.out.end());
}

struct Writing<'a, W> {
    out: &'a mut W,
    version: Version,
}

/// A name in no namespace.
fn plain(local: &str) -> Name<'_> {
    Name { prefix: "", namespace: "", local }
}

impl<W: Writer> Writing<'_, W> {
    fn own<'n>(&self, local: &'n str) -> Name<'n> {
        Name { prefix: PREFIX, namespace: namespace(self.version), local }
    }

    /// Begins an element in the namespace of the envelope.
    fn start(&mut self, local: &str) {
        self.out.start(self.own(local));
    }

    /// The blocks that SOAP 1.2 defines for faults (part 1 sections 5.4.7 and 5.4.8). That of another
    /// version may stand in a message of SOAP 1.1 too (appendix A).
    fn header(&mut self, fault: &Fault) {
        if !fault.upgrade.is_empty() {
            let prefix = if self.version == Version::Soap11 { "V" } else { PREFIX };
            let name = |local| Name { prefix, namespace: SOAP12, local };
            self.out.start(name("Upgrade"));
            if self.version == Version::Soap11 {
                self.out.declare(prefix, SOAP12);
            }
            for supported in &fault.upgrade {
                self.out.start(name("SupportedEnvelope"));
                self.out.attribute(plain("qname"), "ns:Envelope");
                self.out.declare("ns", namespace(*supported));
                self.out.end();
            }
            self.out.end();
        }
        if self.version == Version::Soap12 {
            for name in &fault.not_understood {
                self.start("NotUnderstood");
                let value = self.in_value(name);
                self.out.attribute(plain("qname"), &value);
                self.declare(name);
                self.out.end();
            }
        }
    }

    /// SOAP 1.1 section 4.4. The children are in no namespace and have no attributes (WS-I Basic
    /// Profile 1.1 R1000, R1001), but for `xml:lang` (R1016) where it says something.
    fn fault_11(&mut self, fault: &Fault) {
        let own = fault.subcodes.last().filter(|it| !it.namespace.is_empty());
        let standard = QName::new(namespace(self.version), fault.code.name(self.version));
        self.out.start(plain("faultcode"));
        self.code(own.unwrap_or(&standard));
        self.out.start(plain("faultstring"));
        if fault.language != "en" {
            self.language(fault);
        }
        self.close(&fault.reason);
        self.optional(plain("faultactor"), fault.role.as_deref());
        self.detail(plain("detail"), fault);
    }

    /// SOAP 1.2 part 1 section 5.4.
    fn fault_12(&mut self, fault: &Fault) {
        self.start("Code");
        self.start("Value");
        self.code(&QName::new(namespace(self.version), fault.code.name(self.version)));
        for subcode in &fault.subcodes {
            self.start("Subcode");
            self.start("Value");
            self.code(subcode);
        }
        (0..=fault.subcodes.len()).for_each(|_| self.out.end());
        self.start("Reason");
        self.start("Text");
        self.language(fault);
        self.close(&fault.reason);
        self.out.end();
        self.optional(self.own("Node"), fault.node.as_deref());
        self.optional(self.own("Role"), fault.role.as_deref());
        self.detail(self.own("Detail"), fault);
    }

    fn language(&mut self, fault: &Fault) {
        let name = Name { prefix: "xml", namespace: super::read::XML, local: "lang" };
        self.out.attribute(name, &fault.language);
    }

    /// Puts a code into the element just begun, and ends that.
    fn code(&mut self, code: &QName) {
        self.declare(code);
        let value = self.in_value(code);
        self.close(&value);
    }

    fn in_value(&self, name: &QName) -> String {
        name.to_value((PREFIX, namespace(self.version))).0
    }

    /// Declares the prefix that a name in a value takes, if it is not the envelope's.
    fn declare(&mut self, name: &QName) {
        if name.to_value((PREFIX, namespace(self.version))).1 {
            self.out.declare("ns", &name.namespace);
        }
    }

    /// Puts text into the element just begun, and ends that.
    fn close(&mut self, text: &str) {
        self.out.text(text);
        self.out.end();
    }

    fn optional(&mut self, name: Name<'_>, value: Option<&str>) {
        if let Some(value) = value {
            self.out.start(name);
            self.close(value);
        }
    }

    /// An empty detail would say in SOAP 1.1 that the Body was at fault, and nothing in SOAP 1.2.
    fn detail(&mut self, name: Name<'_>, fault: &Fault) {
        if !fault.detail.is_empty() {
            self.out.start(name);
            fault.detail.iter().for_each(|entry| self.out.raw(entry.as_str()));
            self.out.end();
        }
    }
}

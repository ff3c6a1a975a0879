//! Faults: kept documents, and what comes back of what was written.

use std::fs;
use std::path::PathBuf;

use trunkline_message::Limits;
use trunkline_random::Random;
use trunkline_soap::{Fault, FaultCode, FaultParts, Fragment, QName, Version};
use trunkline_tests::seam;

const VERSIONS: [(Version, &str); 2] = [(Version::Soap11, "11"), (Version::Soap12, "12")];

fn golden(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../golden/soap-faults");
    let path = folder.join(name);
    let kept = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    kept.trim_end().replace(">\n<", "><")
}

fn decode(bytes: &[u8]) -> Fault {
    seam::fault(bytes, &Limits::default()).unwrap()
}

fn fragment(text: &str) -> Fragment {
    Fragment::parse(text).unwrap()
}

/// Writes what is kept, and reads it as the second one.
#[track_caller]
fn kept(name: &str, version: (Version, &str), fault: &Fault, read: &Fault) {
    let document = golden(&format!("{name}-{}.xml", version.1));
    assert_eq!(String::from_utf8(fault.encode(version.0)).unwrap(), document);
    assert_eq!(&decode(document.as_bytes()), read);
}

#[test]
fn a_fault_of_an_application() {
    let mut fault = Fault::sender("refused: a < b")
        .with_detail(fragment("<Refusal xmlns=\"urn:x\"><code>42</code></Refusal>"))
        .with_detail(fragment(" <note>&amp;</note> <!-- left out -->"));
    fault.node = Some("urn:x:node".into());
    fault.role = Some("urn:x:desk".into());
    let nowhere = FaultParts { node: None, ..fault.clone().into_parts() };
    kept("sender", VERSIONS[0], &fault, &nowhere.into());
    kept("sender", VERSIONS[1], &fault, &fault);
    assert_eq!(fault.to_string(), "Sender: refused: a < b");
}

#[test]
fn a_fault_with_codes_of_its_own() {
    let mut fault = Fault::receiver("kein Thema")
        .with_subcode(QName::new("urn:x", "NoSuchTopic"))
        .with_subcode(QName::new("urn:x?a&b", "Gold"));
    fault.language = "de".into();
    let mut last = fault.clone();
    last.subcodes.remove(0);
    kept("subcodes", VERSIONS[0], &fault, &last);
    kept("subcodes", VERSIONS[1], &fault, &fault);
    assert_eq!(fault.to_string(), "Receiver (Gold): kein Thema");
}

#[test]
fn a_fault_that_names_the_blocks_not_understood() {
    let names = vec![QName::new("urn:x", "Security"), QName::new("urn:y", "To")];
    let fault = Fault::must_understand(names);
    let nameless = FaultParts { not_understood: Vec::new(), ..fault.clone().into_parts() };
    kept("must-understand", VERSIONS[0], &fault, &nameless.into());
    kept("must-understand", VERSIONS[1], &fault, &fault);
}

#[test]
fn a_fault_that_names_the_versions_understood() {
    let only = Fault::version_mismatch(&[Version::Soap12]);
    kept("version-mismatch", VERSIONS[0], &only, &only);
    let both = Fault::version_mismatch(&[Version::Soap12, Version::Soap11]);
    kept("version-mismatch", VERSIONS[1], &both, &both);
}

#[test]
fn codes_have_the_names_of_the_version() {
    for (code, name_11, name_12) in [
        (FaultCode::VersionMismatch, "VersionMismatch", "VersionMismatch"),
        (FaultCode::MustUnderstand, "MustUnderstand", "MustUnderstand"),
        (FaultCode::DataEncodingUnknown, "Client", "DataEncodingUnknown"),
        (FaultCode::Sender, "Client", "Sender"),
        (FaultCode::Receiver, "Server", "Receiver"),
    ] {
        let fault = Fault::new(code, "x");
        let written = |version| String::from_utf8(fault.encode(version)).unwrap();
        let first = format!("<faultcode>SOAP-ENV:{name_11}</faultcode>");
        assert!(written(Version::Soap11).contains(&first), "{name_11}");
        let second = format!("<SOAP-ENV:Value>SOAP-ENV:{name_12}</SOAP-ENV:Value>");
        assert!(written(Version::Soap12).contains(&second), "{name_12}");
        assert_eq!(decode(&fault.encode(Version::Soap12)), fault);
    }
}

#[test]
fn what_xml_does_not_have_is_told_all_the_same() {
    let fault = Fault::receiver("bell \u{7}, null \0, \u{ffff}, \r\n]]>");
    for (version, _) in VERSIONS {
        assert_eq!(
            decode(&fault.encode(version)).reason,
            "bell \u{fffd}, null \u{fffd}, \u{fffd}, \r\n]]>"
        );
    }
}

struct Chance(Random);

impl Chance {
    fn text(&mut self) -> String {
        let pieces = [
            "a",
            "é",
            "<",
            "&amp;",
            "\"",
            "'",
            "]]>",
            "\r\n",
            "\t",
            " ",
            ":",
            "SOAP-ENV:",
            "中",
            "😀",
        ];
        let length = self.0.below(12);
        (0..length).map(|_| pieces[self.0.below(pieces.len() as u64) as usize]).collect()
    }

    fn uri(&mut self) -> String {
        let uris =
            ["urn:a", "urn:b?x&y", "http://c/\"d\"", "http://schemas.xmlsoap.org/soap/envelope/"];
        uris[self.0.below(uris.len() as u64) as usize].into()
    }

    fn name(&mut self) -> QName {
        let locals = ["a", "Code", "é-1", "Client.Special", "_x"];
        let namespace = if self.0.chance(20) { String::new() } else { self.uri() };
        QName::new(namespace, locals[self.0.below(locals.len() as u64) as usize])
    }

    fn fragment(&mut self) -> Fragment {
        let name = self.name();
        // A prefix that only the envelope declares would be declared in the entry that is read.
        let text = self.text().replace("SOAP-ENV:", "S:");
        let leaf = Fragment::text(&name, &text).unwrap();
        match self.0.below(3) {
            0 => fragment(&format!("<p:x xmlns:p='urn:p' q='p:v'>{}</p:x>", leaf.as_str())),
            1 => fragment(&format!("<x>{0}{0}</x>", leaf.as_str())),
            _ => leaf,
        }
    }

    fn some<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.0.below(4);
        (0..count).map(|_| make(self)).collect()
    }

    fn fault(&mut self) -> Fault {
        let codes = [
            FaultCode::VersionMismatch,
            FaultCode::MustUnderstand,
            FaultCode::DataEncodingUnknown,
            FaultCode::Sender,
            FaultCode::Receiver,
        ];
        let code = codes[self.0.below(5) as usize];
        let parts = FaultParts {
            code,
            subcodes: self.some(Self::name),
            reason: self.text(),
            language: ["en", "de", "zh-Hant", ""][self.0.below(4) as usize].into(),
            node: self.0.chance(50).then(|| self.uri()),
            role: self.0.chance(50).then(|| self.uri()),
            detail: self.some(Self::fragment),
            not_understood: self.some(Self::name),
            upgrade: self.some(|it| [Version::Soap11, Version::Soap12][it.0.below(2) as usize]),
        };
        parts.into()
    }
}

/// What of a fault SOAP 1.1 can say.
fn in_soap_11(fault: &Fault) -> Fault {
    let mut fault = fault.clone();
    fault.node = None;
    fault.not_understood.clear();
    let last = fault.subcodes.pop().filter(|it| !it.namespace.is_empty());
    fault.subcodes = last.into_iter().collect();
    fault.code = match (fault.subcodes.first(), fault.code) {
        (Some(own), _) if own.local == "Client.Special" && own.namespace.ends_with("envelope/") => {
            FaultCode::Sender
        }
        (Some(_), _) => FaultCode::Receiver,
        (None, FaultCode::DataEncodingUnknown) => FaultCode::Sender,
        (None, code) => code,
    };
    fault
}

#[test]
fn what_was_written_is_read_again() {
    let mut chance = Chance(Random::new(20));
    for _ in 0..3_000 {
        let fault = chance.fault();
        assert_eq!(decode(&fault.encode(Version::Soap12)), fault);
        assert_eq!(decode(&fault.encode(Version::Soap11)), in_soap_11(&fault));
    }
}

#[test]
fn a_fault_cut_anywhere_is_refused() {
    let fault = Fault::sender("x").with_detail(fragment("<a/>"));
    for (version, _) in VERSIONS {
        let whole = fault.encode(version);
        for end in 0..whole.len() {
            let error = Fault::decode(&whole[..end], &Limits::default()).unwrap_err();
            assert!(error.offset() <= end, "{error}");
        }
    }
}

#[test]
fn fragments_are_checked() {
    for (text, expected) in [
        ("", "at byte 0: XML: document ends without a root element"),
        (
            "<a/><b/>",
            "at byte 4: XML: second element after the root, expected the end of the document",
        ),
        ("<p:a/>", "at byte 1: XML: prefix \"p\" is not bound to a namespace"),
        ("<!DOCTYPE a><a/>", "at byte 0: XML: document type declarations are rejected"),
        ("<?p i?><a/>", "at byte 0: XML: processing instructions are rejected, SOAP has none"),
        ("<a><?p i?></a>", "at byte 3: XML: processing instructions are rejected, SOAP has none"),
        ("<a>\u{ffff}</a>", "at byte 3: XML: character U+FFFE or U+FFFF is not allowed"),
    ] {
        assert_eq!(Fragment::parse(text).unwrap_err().to_string(), expected, "{text}");
    }
    let whole = "<?xml version='1.0'?>\n<!-- c -->\n<p:a xmlns:p='urn:p'>1</p:a>\n";
    let fragment = Fragment::parse(whole).unwrap();
    assert_eq!(fragment.as_str(), "<p:a xmlns:p='urn:p'>1</p:a>");
    assert_eq!(fragment.name().to_string(), "{urn:p}a");
    for local in ["", "a b", "1", "p:a", "a>", "é\u{0}"] {
        let error = Fragment::text(&QName::new("", local), "x").unwrap_err().to_string();
        assert!(error.starts_with("at byte 0: expected the name of an element, not "), "{error}");
    }
}

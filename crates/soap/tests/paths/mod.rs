//! Reads and writes documents by every path there is, all to one end.

#![allow(dead_code)]

use std::fmt::Debug;

use trunkline_message::{Message, Record, Structure};
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style};

pub(crate) fn options() -> Options {
    Options {
        style: Style::DocumentLiteral,
        layout: Layout::Operation,
        operation: "send".into(),
        namespace: "urn:a".into(),
        ..Options::default()
    }
}

/// Reads documents by every path, each to one message.
pub(crate) struct Paths<M> {
    pub(crate) plan: std::sync::Arc<Plan>,
    lasting: Decoder,
    message: M,
}

impl<M: Structure + Message + Clone + Debug + PartialEq> Paths<M> {
    pub(crate) fn new(options: &Options) -> Self {
        let plan = Plan::new(M::layout(), options).expect("a plan");
        Self { lasting: Decoder::new(&plan), plan, message: M::empty() }
    }

    #[track_caller]
    pub(crate) fn read(&mut self, document: &str) -> Result<M, String> {
        let bytes = document.as_bytes();
        let mut expected = M::empty();
        let mut generic = Decoder::new(&self.plan).generic();
        let read = generic.decode(bytes, &mut expected).map_err(|it| it.to_string());
        let expected = read.map(|()| expected);
        let unknown = generic.unknown();
        let mut record = Record::new(M::layout());
        let mut other = Decoder::new(&self.plan);
        let read = other.decode(bytes, &mut record).map_err(|it| it.to_string());
        assert_eq!(read.err(), expected.clone().err(), "as a record: {document}");
        assert_eq!(other.unknown(), unknown, "{document}");
        for time in 0..3 {
            let read = self.lasting.decode(bytes, &mut self.message);
            let read = read.map_err(|it| it.to_string()).map(|()| self.message.clone());
            assert_eq!(read, expected, "time {time}: {document}");
            assert_eq!(self.lasting.unknown(), unknown, "{document}");
        }
        if let Ok(message) = &expected {
            let mut encoder = Encoder::new(&self.plan);
            let mut typed = Encoder::new(&self.plan);
            let written = encoder.encode(&record).expect("it was read").to_vec();
            let again = typed.encode(message).expect("it was read");
            assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(again));
            assert_eq!(unknown, 0, "{document}");
        }
        expected
    }

    /// The message is written so, between the tags of the Body, and read again.
    #[track_caller]
    pub(crate) fn trip(&mut self, message: &M, body: &str) {
        let mut encoder = Encoder::new(&self.plan);
        let bytes = encoder.encode(message).unwrap_or_else(|it| panic!("{it}")).to_vec();
        let document = String::from_utf8(bytes).expect("XML");
        assert_eq!(inside(&document), body);
        assert_eq!(self.read(&document).as_ref(), Ok(message), "{document}");
    }

    /// What is written of the message, between the tags of the Body.
    #[track_caller]
    pub(crate) fn body(&self, message: &M) -> String {
        let mut encoder = Encoder::new(&self.plan);
        let bytes = encoder.encode(message).unwrap_or_else(|it| panic!("{it}"));
        inside(&String::from_utf8_lossy(bytes)).to_owned()
    }

    /// What is not as we write it.
    #[track_caller]
    pub(crate) fn reads(&mut self, body: &str, message: &M) {
        let soap = "xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'";
        let document = format!("<S:Envelope {soap}><S:Body>{body}</S:Body></S:Envelope>");
        assert_eq!(self.read(&document).as_ref(), Ok(message), "{document}");
    }

    #[track_caller]
    pub(crate) fn rejects(&mut self, body: &str, why: &str) {
        let soap = "xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'";
        let document = format!("<S:Envelope {soap}><S:Body>{body}</S:Body></S:Envelope>");
        let error = self.read(&document).expect_err(&document);
        assert!(error.contains(why), "{error}: {document}");
    }
}

fn inside(document: &str) -> &str {
    let (_, rest) = document.split_once("<SOAP-ENV:Body").expect("a Body");
    let (_, rest) = rest.split_once('>').expect("its end");
    rest.split_once("</SOAP-ENV:Body>").expect("a Body").0
}

/// Why there is no such plan.
#[track_caller]
pub(crate) fn rejection<M: Structure>(options: &Options) -> String {
    match Plan::new(M::layout(), options) {
        Ok(_) => panic!("there is a plan"),
        Err(error) => error.to_string(),
    }
}

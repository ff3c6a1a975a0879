//! What stands around a message: envelopes, header blocks and their roles, faults, and those who
//! would misuse them.

mod attacks;
mod conformance;
mod fault;
mod foreign;
mod header;
mod open;

use trunkline_message::{Limits, Result};
use trunkline_soap::Opened;
use trunkline_tests::seam;

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";

fn open(document: &str) -> Result<Opened> {
    seam::open(document.as_bytes(), &Limits::default())
}

/// What is wrong with it, as a user reads it.
fn rejected(document: &str) -> String {
    open(document).expect_err("a document that is wrong").to_string()
}

/// An envelope with the prefix `S` and these in it.
fn envelope(namespace: &str, inside: &str) -> String {
    format!("<S:Envelope xmlns:S=\"{namespace}\">{inside}</S:Envelope>")
}

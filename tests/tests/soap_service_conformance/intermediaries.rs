//! Nodes in the middle, which pass messages on (SOAP 1.2 part 1 section 2.7).

use trunkline_message::Limits;
use trunkline_soap::{self as soap, Fault, QName, Roles, Version};
use trunkline_tests::conformance;

use crate::normal;

const ROLES: Roles<'static> = Roles::intermediary(&[]);

fn nothing(_: &QName) -> bool {
    false
}

/// What an intermediary that understands no block sends: onwards, or back if it is a fault.
pub(crate) fn pass_on(request: &[u8]) -> Vec<u8> {
    let limits = Limits::default();
    let opened = match soap::open(request, &limits) {
        Ok(opened) => opened,
        Err(error) => return Fault::of_error(&error).encode(Version::Soap12),
    };
    let missing = soap::not_understood(&opened.header, &nothing, &ROLES);
    if !missing.is_empty() {
        return Fault::must_understand(missing).encode(opened.version);
    }
    match soap::forward(request, &limits, &ROLES, &nothing, &[]) {
        Ok(forwarded) => forwarded,
        Err(error) => Fault::of_error(&error).encode(opened.version),
    }
}

#[test]
fn a_block_that_asks_to_be_relayed_is() {
    let Some(directory) = conformance::directory("soap12-whitemesa") else { return };
    let path = directory.join("soap12/add-test-doc-int/XMLP-18.xml");
    let request = std::fs::read_to_string(path).expect("the file of the case");
    let passed_on = String::from_utf8(pass_on(request.as_bytes())).expect("UTF-8");
    assert_eq!(normal(&passed_on), normal(&request));
    assert!(passed_on.contains("seekrit"), "{passed_on}");
}

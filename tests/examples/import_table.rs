//! Prints what became of each description of others: `cargo run -p trunkline-tests --example import_table`. Below a line
//! that is not all well stands why, each reason once.

use trunkline_tests::conformance;
use trunkline_tests::import_corpus::{fix, idl, wsdl, xsd};

fn main() {
    if let Some(suite) = conformance::directory("fix-dictionaries") {
        fix::rows(&suite).iter().for_each(|row| println!("{}", row.line()));
    }
    if let Some(suite) = conformance::directory("idl") {
        idl::rows(&suite).iter().for_each(|(row, expected)| println!("{}\t{expected}", row.line()));
    }
    if let Some(suite) = conformance::directory("wsdl") {
        for row in wsdl::rows(&suite) {
            println!("{}", row.line());
            row.reasons().iter().for_each(|why| println!("{why}"));
        }
        for row in xsd::rows(&suite) {
            println!("{}", row.line());
            row.reasons().iter().for_each(|why| println!("{why}"));
        }
    }
}

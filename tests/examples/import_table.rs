//! Prints what became of each description of others: `cargo run -p trunkline-tests --example import_table`.

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
        wsdl::rows(&suite).iter().for_each(|row| println!("{}", row.line()));
        xsd::rows(&suite).iter().for_each(|row| println!("{}", row.line()));
    }
}

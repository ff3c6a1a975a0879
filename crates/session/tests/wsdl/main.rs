//! Descriptions of services, and the tools that read them.

mod services;

use std::path::PathBuf;
use std::{env, fs};

use services::{STYLES, all_paths, literal_paths, one_a_path, orders};
use trunkline_session::soap::wsdl::{self, Description};

fn golden() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/wsdl"))
}

/// Every golden file, without the ending, and its description.
fn all() -> Vec<(String, Description)> {
    let mut all = one_a_path();
    all.push(("all-paths".into(), all_paths()));
    all.push(("literal-paths".into(), literal_paths()));
    for (name, style, wrapped) in STYLES {
        all.push((format!("orders-{name}"), orders(&[(name, style, wrapped)])));
    }
    all.push(("orders-all".into(), orders(&STYLES)));
    all
}

#[test]
fn documents_are_as_they_were() {
    for (name, description) in all() {
        description.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        let path = golden().join(format!("{name}.wsdl"));
        let written = wsdl::write(&description);
        if env::var_os("TRUNKLINE_WRITE_GOLDEN").is_some() {
            fs::write(&path, &written).expect("a golden file");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == expected, "{name}.wsdl differs:\n{written}");
    }
}

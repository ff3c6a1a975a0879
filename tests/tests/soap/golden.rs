//! Documents kept in `golden/`: Figure 6 of the paper, and one of each other style.

use std::fs;
use std::path::PathBuf;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::Structure;
use trunkline_soap::{Encoder, Layout, Options, Plan, Style, Version};
use trunkline_tests::every_kind::{self, EveryKind};
use trunkline_tests::samples;
use trunkline_tests::soap_paths::Paths;

use crate::toolkits::operation;
use crate::{document, market_data};

fn golden(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../golden").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The document on one line: without the white space between tags, with one blank before each
/// attribute.
fn on_one_line(document: &str) -> String {
    document.trim_end().replace("\n<", "<").replace('\n', " ")
}

/// The structure of Figure 3 without the two fields that Figure 6 leaves out.
fn figure_6() -> MarketDataIncrementalRefresh {
    let mut message = samples::figure_3(1);
    message.header.msg_seq_num = None;
    message.body.entries[0].clear_md_entry_type();
    message
}

#[test]
fn figure_6_is_read_and_written_but_for_its_missing_bracket() {
    let printed = golden("figure-6.xml");
    let plan = market_data(&Options::default());
    let mut paths = Paths::<MarketDataIncrementalRefresh>::new(&plan);
    let error = paths.read(printed.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at byte 230: XML: expected an attribute name, > or />",
        "the Envelope's tag runs into the Body's"
    );

    let repaired = printed.replace("XMLSchema-instance\"\n<", "XMLSchema-instance\">\n<");
    assert_eq!(repaired.len(), printed.len() + 1);
    assert_eq!(paths.read(repaired.as_bytes()), Ok(figure_6()));

    let written = Encoder::new(&plan).encode(&figure_6()).unwrap().to_vec();
    assert_eq!(String::from_utf8(written).unwrap(), on_one_line(&repaired));
}

/// Table 1 says 639.0 and 386.9 bytes, on average over a day's messages.
#[test]
fn sizes_are_those_of_table_1() {
    let mut encoder = Encoder::new(&market_data(&Options::default()));
    for entries in 1..=10 {
        let mut message = figure_6();
        message.body.entries = vec![message.body.entries[0].clone(); entries].into_iter().collect();
        assert_eq!(encoder.encode(&message).unwrap().len(), 641 + 386 * entries);
    }
}

/// One file is the message as these options write it, white space between tags aside, and reads as
/// the message with that white space and without.
fn check<M>(name: &str, message: &M, options: &Options)
where
    M: Structure + trunkline_message::Message + Clone + std::fmt::Debug + PartialEq,
{
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let written = Encoder::new(&plan).encode(message).unwrap().to_vec();
    let written = String::from_utf8(written).unwrap();
    let kept = golden(name);
    assert_eq!(on_one_line(&kept), written, "{name}");
    let mut paths = Paths::<M>::new(&plan);
    assert_eq!(paths.read(kept.as_bytes()).as_ref(), Ok(message), "{name}");
    assert_eq!(paths.read(written.as_bytes()).as_ref(), Ok(message), "{name}, on one line");
}

#[test]
fn each_style_writes_and_reads_its_kept_document() {
    let message = figure_6();
    let with = |style, namespace: &str| Options {
        style,
        namespace: namespace.into(),
        ..Options::default()
    };
    check("soap/rpc-encoded-qualified.xml", &message, &with(Style::RpcEncoded, "urn:fixml"));
    check("soap/rpc-literal.xml", &message, &with(Style::RpcLiteral, ""));
    check("soap/rpc-literal-qualified.xml", &message, &with(Style::RpcLiteral, "urn:fixml"));
    check("soap/document-literal.xml", &message, &document(""));
    check("soap/document-literal-qualified.xml", &message, &document("urn:fixml"));
    let compact = Options { compact_tags: true, ..Options::default() };
    check("soap/compact-tags.xml", &samples::figure_3(2), &compact);
    let soap12 = Options { version: Version::Soap12, ..document("urn:fixml") };
    check("soap/soap12-document.xml", &message, &soap12);
    let soap12 = Options { version: Version::Soap12, ..with(Style::RpcEncoded, "urn:fixml") };
    check("soap/soap12-rpc.xml", &message, &soap12);
}

/// Ng, Chen & Greenfield's simple message, as the test service's bindings write it.
#[test]
fn each_binding_of_a_service_writes_and_reads_its_kept_document() {
    let message = samples::customer_services(1, 0);
    for (name, style, layout) in [
        ("document-literal", Style::DocumentLiteral, Layout::Message),
        ("document-literal-wrapped", Style::DocumentLiteral, Layout::Operation),
        ("document-encoded", Style::DocumentEncoded, Layout::Message),
        ("rpc-literal", Style::RpcLiteral, Layout::Operation),
        ("rpc-encoded", Style::RpcEncoded, Layout::Operation),
    ] {
        for (version, folder) in [(Version::Soap11, "ng"), (Version::Soap12, "ng-soap12")] {
            let options = Options { version, layout, ..operation(style) };
            check(&format!("soap/{folder}-{name}.xml"), &message, &options);
        }
    }
    let fragment = Options { layout: Layout::Fragment, ..operation(Style::RpcEncoded) };
    check("soap/ng-fragment.xml", &message, &fragment);
}

#[test]
fn components_and_lists_tell_their_types_where_content_is_encoded() {
    let message = every_kind::full();
    for (version, name) in
        [(Version::Soap11, "every-kind-arrays"), (Version::Soap12, "every-kind-soap12-arrays")]
    {
        let options = Options { version, ..operation(Style::RpcEncoded) };
        check::<EveryKind>(&format!("soap/{name}.xml"), &message, &options);
    }
}

#[test]
fn every_kind_of_field_keeps_its_form_and_tells_its_type() {
    let message = every_kind::full();
    check::<EveryKind>("soap/every-kind.xml", &message, &document("urn:kinds"));
    let typed = Options { types: true, ..Options::default() };
    check::<EveryKind>("soap/every-kind-typed.xml", &message, &typed);
    check::<EveryKind>("soap/nothing-set.xml", &EveryKind::default(), &Options::default());
}

/// Kohlhoff & Steele, section 7: "alternative schema definitions".
#[test]
fn each_schema_writes_and_reads_its_kept_document() {
    let message = figure_6();
    let flat = Options { flat: true, ..Options::default() };
    check("soap/flat.xml", &message, &flat);
    let attributes = Options { attributes: true, ..Options::default() };
    check("soap/attributes.xml", &message, &attributes);
    let both = Options { flat: true, attributes: true, ..Options::default() };
    check("soap/flat-attributes.xml", &message, &both);
    // Types are those of elements.
    let compact = Options { compact_tags: true, types: true, ..both };
    check("soap/flat-attributes-compact.xml", &samples::figure_3(2), &compact);
    let every_kind = every_kind::full();
    let qualified = Options { attributes: true, ..document("urn:kinds") };
    check::<EveryKind>("soap/every-kind-attributes.xml", &every_kind, &qualified);
    check::<EveryKind>("soap/nothing-set-attributes.xml", &EveryKind::default(), &attributes);
}

/// Kohlhoff & Steele, section 5.4: tags made from FIX numbers save about 30 to 40 % of the bytes.
#[test]
fn compact_tags_save_a_third() {
    let size = |compact_tags, entries| {
        let plan = market_data(&Options { compact_tags, ..Options::default() });
        Encoder::new(&plan).encode(&samples::figure_3(entries)).unwrap().len() as f64
    };
    for entries in 1..=10 {
        let saved = 100.0 * (1.0 - size(true, entries) / size(false, entries));
        assert!((30.0..=45.0).contains(&saved), "{entries} entries: {saved:.1} % saved");
    }
}

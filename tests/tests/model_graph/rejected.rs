//! Rules that are not met, when reading and when writing.

use std::sync::Arc;

use trunkline_message::{Layout, Limits, Record, Structure as _};
use trunkline_soap::graph::{self, Encoder};
use trunkline_soap::{Options, Plan, Style, Version};
use trunkline_wire::Decimal;

use crate::shapes::{Order, order};
use crate::trip;

fn plan() -> Arc<Plan> {
    let options = Options { style: Style::DocumentEncoded, ..Options::default() };
    Plan::new(Order::layout(), &options).expect("a plan")
}

/// The error of an order in which this stands in place of that.
#[track_caller]
fn with(from: &str, to: &str) -> String {
    let encoder = Encoder { multi_ref: false, types: false, ..Encoder::new(Version::Soap11) };
    let document = trip::written(&order(), &plan(), &encoder);
    assert!(document.contains(from), "no {from} in\n{document}");
    let document = document.replacen(from, to, 1);
    let mut read = Record::new(Order::layout());
    let read = graph::decode_message(document.as_bytes(), &plan(), &Limits::default(), &mut read);
    read.expect_err("an order that is wrong").to_string()
}

#[test]
fn what_is_not_as_it_must_be_is_rejected_with_its_path() {
    for (from, to, path, why) in [
        ("<Market></Market>", "", "price", "expected one of Limit, Market, not none"),
        ("<Market></Market>", "<Market/><Limit>1</Limit>", "price", "Market, not more than one"),
        ("<Limit>7</Limit>", "", "settlement/nested", "expected one of Limit, Market, not none"),
        ("<nested>", "<cash/><nested>", "settlement", "nested, not more than one"),
        ("<street/>", "", "address/street", "a required field is missing"),
        (
            "Sell short &amp; cover",
            "Hold",
            "side",
            "expected a value of Side, which \"Hold\" is not",
        ),
        ("<item>Buy</item>", "<item>buy</item>", "sides[0]", "which \"buy\" is not"),
        ("<item>1</item><item>2</item>", "<item>1</item>", "matrix[0]", "says 2 entries, but 1"),
        ("<Address><street>a</street></Address>", "", "corners", "says 2 entries, but 1"),
        ("<Limit>1</Limit>", "<Limit>x</Limit>", "prices[0]/Limit", "a decimal number"),
        ("<Limit>1</Limit>", "<Other/>", "prices", "not <Other>"),
        ("<name>leaf</name>", "", "folder/folders[1]/folders[0]/name", "a required field"),
        ("<hold>P1Y", "<hold>1Y", "hold", "a span of time"),
        ("<whole>1", "<whole>0x1", "whole", "a whole number"),
        ("<single>0.1", "<single>,1", "single", "a number"),
    ] {
        let error = with(from, to);
        let located = error.starts_with(&format!("{path} at byte "));
        assert!(located && error.contains(why), "{from} -> {to}: {error}");
    }
}

/// A record may hold what a struct cannot.
#[test]
fn a_record_that_lacks_something_is_not_written() {
    let rejected = |change: &dyn Fn(&mut Record)| {
        let layout = Arc::new(Layout::from_listing(&Order::layout().listing()).unwrap());
        let plan = Plan::new(&layout, &Options::default()).expect("a plan");
        let mut record = Record::from_message(&order());
        change(&mut record);
        graph::from_message(&record, &plan).expect_err("a record that is wrong").to_string()
    };
    let both = rejected(&|it| it.set("Limit", Decimal::from(1)).unwrap());
    assert_eq!(both, "price at byte 0: cannot be written: more than one arm of the choice is set");
    let none = rejected(&|it| assert!(it.remove("Market")));
    assert_eq!(none, "price at byte 0: cannot be written: no arm of the choice is set");
    let missing = rejected(&|it| assert!(it.struct_mut("address").unwrap().remove("street")));
    let expected = "address/street at byte 0: cannot be written: a required field is not set";
    assert_eq!(missing, expected);
    let short = rejected(&|it| {
        it.remove("corners");
        it.group_mut("corners").unwrap().next_entry().set("street", "x").unwrap();
    });
    assert!(short.starts_with("corners") && short.contains("says 2 entries, but 1"), "{short}");
}

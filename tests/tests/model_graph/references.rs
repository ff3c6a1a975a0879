//! Messages that hold themselves, by reference.

use std::sync::Arc;

use trunkline_message::{Limits, Message, Result, Structure as _};
use trunkline_soap::graph::{self, Encoder};
use trunkline_soap::{Options, Plan, Style, Version};
use trunkline_wire::Text;

use crate::shapes::text;
use crate::{encoded, encoded12, trip};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct List {
    value: i32,
    label: Option<Text>,
    next: Option<Box<List>>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Rows {
    rows: Vec<Vec<f64>>,
    names: Vec<Text>,
    lists: Vec<List>,
}

fn plan() -> Arc<Plan> {
    Plan::new(List::layout(), &document()).expect("a plan")
}

fn document() -> Options {
    Options { style: Style::DocumentEncoded, namespace: "urn:own".into(), ..Options::default() }
}

fn read(document: &str) -> Result<List> {
    let mut list = List::default();
    let limits = Limits { fields: usize::MAX, ..Limits::default() };
    graph::decode_message(document.as_bytes(), &plan(), &limits, &mut list)?;
    Ok(list)
}

fn rejected(body: &str) -> String {
    read(&encoded(body)).expect_err("a list that is wrong").to_string()
}

fn list(values: &[i32]) -> List {
    let mut list = List { value: *values.last().unwrap(), ..List::default() };
    for value in values.iter().rev().skip(1) {
        list = List { value: *value, label: None, next: Some(Box::new(list)) };
    }
    list
}

#[test]
fn a_linked_list_comes_in_by_reference() {
    let body = "<o:List><value>1</value><next href='#b'/></o:List>\
        <m id='b'><value>2</value><next href='#c'/></m><m id='c'><value>3</value></m>";
    assert_eq!(read(&encoded(body)), Ok(list(&[1, 2, 3])));
    let content = "<value>1</value><next E:id='b'><value>2</value><next><value>3</value></next>\
        </next><other E:ref='b'/>";
    assert_eq!(read(&encoded12("List", content)), Ok(list(&[1, 2, 3])));
    let (first, second) = ("<value>1</value>", "<value>2</value>");
    let content = format!("{first}<kept E:id='b'>{second}</kept><next E:ref='b'/>");
    assert_eq!(read(&encoded12("List", &content)), Ok(list(&[1, 2])));
}

#[test]
fn what_is_nil_is_absent() {
    let body = "<o:List><value>1</value><label xsi:nil='1'/><next href='#b'/></o:List>\
        <m id='b' xsi:nil='true'/>";
    assert_eq!(read(&encoded(body)), Ok(list(&[1])));
}

#[test]
fn shared_values_are_copies() {
    let body = "<o:List><value href='#v'/><label href='#l'/><next href='#b'/></o:List>\
        <m id='b'><value href='#v'/><label href='#l'/></m><m id='v'>7</m><m id='l'>x</m>";
    let label = Some(text("x"));
    let inner = List { value: 7, label: label.clone(), next: None };
    let expected = List { value: 7, label, next: Some(Box::new(inner)) };
    assert_eq!(read(&encoded(body)), Ok(expected));
}

#[test]
fn items_are_shared_at_every_level() {
    let plan = Plan::new(Rows::layout(), &document()).expect("a plan");
    let read = |rows: &str| {
        let row = "<m id='r' E:arrayType='xsd:double[2]'><i>1</i><i href='#n'/></m><m id='n'>2</m>";
        let list = "<m id='l'><value>1</value><next href='#k'/></m><m id='k'><value>2</value></m>";
        let document = encoded(&format!(
            "<o:Rows>{rows}<names E:arrayType='xsd:string[2]'><i href='#s'/><i href='#s'/></names>\
             <lists><i href='#l'/><i href='#l'/></lists></o:Rows>{row}{list}<m id='s'>x</m>"
        ));
        let mut read = Rows::default();
        graph::decode_message(document.as_bytes(), &plan, &Limits::default(), &mut read)?;
        Ok::<_, trunkline_message::Error>(read)
    };
    let expected = Rows {
        rows: vec![vec![1.0, 2.0], vec![1.0, 2.0], vec![]],
        names: vec![text("x"), text("x")],
        lists: vec![list(&[1, 2]), list(&[1, 2])],
    };
    let items = "<i href='#r'/><i href='#r'/><i/>";
    for rows in [
        format!("<rows E:arrayType='xsd:double[][3]'>{items}</rows>"),
        format!("<rows E:arrayType='o:ArrayOfdouble[3]'>{items}</rows>"),
        format!("<rows>{items}</rows>"),
    ] {
        assert_eq!(read(&rows).as_ref(), Ok(&expected), "{rows}");
    }
    for rows in ["xsd:double[1,3]", "xsd:double[,][3]", "xsd:double[][][3]"] {
        let error = read(&format!("<rows E:arrayType='{rows}'>{items}</rows>")).unwrap_err();
        assert!(error.to_string().contains("an array of one dimension"), "{error}");
    }
    let error = read("<rows><i href='#r'/><i><i>x</i></i></rows>").unwrap_err().to_string();
    assert!(error.starts_with("rows[1]") && error.contains("a number"), "{error}");
}

#[test]
fn a_circle_is_rejected() {
    let circle = "<o:List id='a'><value>1</value><next href='#b'/></o:List>\
        <m id='b'><value>2</value><next href='#a'/></m>";
    let error = rejected(circle);
    let expected = "expected a tree, not a value that contains itself";
    assert!(error.starts_with("next/next at byte ") && error.ends_with(expected), "{error}");
}

/// Each refers to the next, so that the document itself is flat.
fn chain(length: usize) -> String {
    let mut body = String::from("<o:List><value>0</value><next href='#n1'/></o:List>");
    for at in 1..length {
        let next = at + 1;
        body += &format!("<m id='n{at}'><value>{at}</value><next href='#n{next}'/></m>");
    }
    body + &format!("<m id='n{length}'><value>{length}</value></m>")
}

#[test]
fn references_lead_no_deeper_than_the_limit() {
    assert!(read(&encoded(&chain(100))).is_ok());
    for length in [200, 100_000] {
        let error = rejected(&chain(length));
        assert!(error.contains("depth = 128"), "{error}");
    }
    let nested = "<next><value>1</value>".repeat(100_000) + &"</next>".repeat(100_000);
    let error = rejected(&format!("<o:List><value>1</value>{nested}</o:List>"));
    assert!(error.contains("depth = 128"), "{error:.300}");
}

#[test]
fn a_message_that_nobody_reads_is_not_written() {
    let values: Vec<i32> = (0..120).collect();
    let written = trip::written(&list(&values), &plan(), &Encoder::new(Version::Soap11));
    assert_eq!(read(&written), Ok(list(&values)));
    let values: Vec<i32> = (0..200).collect();
    let error = graph::from_message(&list(&values), &plan()).unwrap_err().to_string();
    assert!(error.starts_with("next/next/") && error.contains("depth = 128"), "{error:.300}");
}

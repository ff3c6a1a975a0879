//! Entries of lists that stand among other elements, and what a graph of a message leaves out.

use trunkline_message::{Message, Structure as _, Unknown, UnknownContent};
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style, graph};

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Step {
    Move(i32),
    Turn(Turn),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Turn {
    angle: f64,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Walk {
    #[xml(list = "arms")]
    steps: Vec<Step>,
    #[xml(unwrapped)]
    turns: Vec<Turn>,
    note: Option<i32>,
}

fn plan() -> std::sync::Arc<Plan> {
    let options = Options { style: Style::DocumentLiteral, ..Options::default() };
    Plan::new(Walk::layout(), &options).expect("a plan")
}

fn walk() -> String {
    let turn = |angle| Turn { angle };
    let steps = vec![Step::Move(1), Step::Turn(turn(0.5)), Step::Move(3), Step::Turn(turn(4.0))];
    let turns = vec![turn(5.0), turn(6.0), turn(7.0)];
    let walk = Walk { steps, turns, note: Some(8) };
    let plan = plan();
    let mut encoder = Encoder::new(&plan);
    String::from_utf8(encoder.encode(&walk).expect("a message").to_vec()).expect("UTF-8")
}

/// The path of the error in a document, by every path.
#[track_caller]
fn path(document: &str) -> String {
    let plan = plan();
    let error = |decoder: &mut Decoder| {
        decoder.decode(document.as_bytes(), &mut Walk::default()).expect_err("no number").path()
    };
    let generic = error(&mut Decoder::new(&plan).generic());
    let mut lasting = Decoder::new(&plan);
    lasting.decode(walk().as_bytes(), &mut Walk::default()).expect("a message");
    assert_eq!(error(&mut lasting), generic, "{document}");
    generic
}

#[test]
fn an_error_in_a_list_of_arms_says_in_which_entry_it_is() {
    let text = walk();
    assert_eq!(path(&text.replace("<move>1<", "<move>x<")), "steps[0]/move");
    assert_eq!(path(&text.replace("<move>3<", "<move>x<")), "steps[2]/move");
    assert_eq!(path(&text.replace("<angle>4<", "<angle>x<")), "steps[3]/turn/angle");
}

#[test]
fn an_error_in_a_list_that_goes_on_counts_all_its_entries() {
    let text = walk();
    let note = "<note>8</note>";
    let last = "<turns><angle>7</angle></turns>";
    let apart = text.replace(note, "").replace(last, &format!("{note}{last}"));
    assert_ne!(apart, text);
    assert_eq!(path(&text.replace("<angle>7<", "<angle>x<")), "turns[2]/angle");
    assert_eq!(path(&apart.replace("<angle>7<", "<angle>x<")), "turns[2]/angle");
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Kept {
    note: Option<i32>,
    #[unknown]
    unknown: Unknown,
}

#[test]
fn a_graph_says_how_much_that_was_kept_it_leaves_out() {
    let plan = Plan::new(Kept::layout(), &Options::default()).expect("a plan");
    let kept = Kept { note: Some(8), unknown: Unknown::default() };
    let text = Encoder::new(&plan).encode(&kept).expect("a message").to_vec();
    let text = String::from_utf8(text).expect("UTF-8");
    let more = text.replace("</note>", "</note><more a='1'/><less/>");
    let mut kept = Kept::default();
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Keep);
    decoder.decode(more.as_bytes(), &mut kept).expect("a message");
    assert_eq!((kept.note, decoder.unknown()), (Some(8), 0));
    assert_eq!(graph::from_message(&kept, &plan).expect("a graph").unknown(), 2);
    kept.unknown.clear();
    assert_eq!(graph::from_message(&kept, &plan).expect("a graph").unknown(), 0);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Maybe {
    #[xml(nillable)]
    next: Option<Step>,
}

#[test]
fn a_choice_of_elements_cannot_be_nil() {
    let options = Options { style: Style::DocumentLiteral, ..Options::default() };
    let error = Plan::new(Maybe::layout(), &options).expect_err("no element of its own");
    assert!(error.path().contains("next"), "{error}");
    assert!(error.to_string().contains("xml(nillable) of a choice"), "{error}");
}

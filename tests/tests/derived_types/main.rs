//! A service whose messages have derived types, values of any type, and elements by choice, called by a
//! toolkit that knows its description alone.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{Binding, Fault, Server, Service};
use trunkline_tests::skip::skip;
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Shape {
    #[xml(base, type = "Shape")]
    Plain(Plain),
    Circle(Circle),
    Group(Group),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:shapes")]
struct Plain {
    name: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:shapes")]
struct Circle {
    name: Option<Text>,
    radius: f64,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:shapes")]
struct Group {
    name: Option<Text>,
    #[xml(unwrapped)]
    shapes: Vec<Shape>,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Any {
    Whole(i32),
    Word(Text),
    Circle(Circle),
}

/// Its own type is abstract.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Tool {
    Pen(Pen),
    Brush(Brush),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Pen {
    #[facet(min_inclusive = "1")]
    width: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Brush {
    hair: Text,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Step {
    Move(Circle),
    Turn(f64),
    Note(Text),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Drawing {
    first: Shape,
    #[xml(unwrapped)]
    shapes: Vec<Shape>,
    #[xml(unwrapped)]
    any: Vec<Any>,
    tool: Option<Tool>,
    #[xml(list = "arms")]
    steps: Vec<Step>,
}

fn drawing() -> Drawing {
    let circle = || Circle { name: Some("c".into()), radius: 0.5 };
    let plain = || Shape::Plain(Plain { name: Some("p".into()) });
    let inner = || {
        let shapes = vec![Shape::Circle(circle()), plain(), Shape::Group(Group::default())];
        Shape::Group(Group { name: Some("g".into()), shapes })
    };
    Drawing {
        first: inner(),
        shapes: vec![plain(), Shape::Circle(circle()), inner()],
        any: vec![Any::Whole(7), Any::Word("text".into()), Any::Circle(circle())],
        tool: Some(Tool::Pen(Pen { width: 3 })),
        steps: vec![
            Step::Move(circle()),
            Step::Turn(0.25),
            Step::Move(circle()),
            Step::Note("n".into()),
        ],
    }
}

#[test]
fn zeep_sends_derived_types_and_finds_them_in_the_answer() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = here.parent().expect("the workspace").join("peers/build/zeep/bin/python");
    if !python.is_file() {
        return skip("zeep is missing: make -C peers zeep");
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let service = Service::new("Drawing", "urn:drawing")
        .operation("draw", move |drawing: Drawing| -> Result<Drawing, Fault> {
            kept.lock().expect("no panic").push(drawing.clone());
            Ok(drawing)
        })
        .at("/drawing", Binding::document_literal());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let url = format!("http://{}/drawing", server.address());
    let script = here.join("tests/derived_types/draw.py");
    let output = Command::new(python).arg(script).arg(url).output().expect("Python runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(*seen.lock().expect("no panic"), [drawing()]);
    let group = "Group(gCircle(c0.5)Shape(p)Group(None))";
    let shapes = [group, "Shape(p)", "Circle(c0.5)", group, "7", "'text'", "Circle(c0.5)"];
    let expected = shapes.join("\n") + "\nPen 3\nmove 0.5\nturn 0.25\nmove 0.5\nnote n";
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected);
}

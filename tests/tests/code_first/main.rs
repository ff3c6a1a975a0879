//! Our typed client calls a service that was made from code: JAX-WS with no schema by hand, which has
//! its local elements in no namespace. The code is one, and Metro and CXF serve it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use trunkline_message::Message;
use trunkline_session::soap::{self, Binding, ClientConfig, Fault, Server};
use trunkline_tests::skip::skip;
use trunkline_wire::{Decimal, Text};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Question {
    symbol: Text,
    quantity: i32,
    limit: Option<Decimal>,
    #[xml(list = "unwrapped")]
    venues: Vec<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Quote {
    symbol: Text,
    price: Decimal,
    #[xml(list = "unwrapped")]
    venues: Vec<Text>,
    #[xml(list = "unwrapped")]
    lines: Vec<Line>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Line {
    quantity: i32,
    text: Text,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Answer {
    r#return: Quote,
}

trunkline_session::client! {
    struct Desk in "urn:desk" {
        fn quote(Question) -> Answer;
        fn keep(Keep) -> Kept;
        fn draw(Draw) -> Drawn;
        fn fill(Fill) -> Filled;
    }
}

/// The service, in a process of its own that ends with this.
struct Service {
    process: Child,
    url: String,
}

impl Service {
    fn start(mut java: Command) -> Self {
        let mut process =
            java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Java runs");
        let mut port = String::new();
        BufReader::new(process.stdout.take().expect("its output"))
            .read_line(&mut port)
            .expect("the port");
        let port: u16 = port.trim().parse().expect("the service is there, and tells its port");
        let url = format!("http://127.0.0.1:{port}/desk");
        Self { process, url }
    }

    fn client(&self) -> Desk {
        let binding = Binding::document_literal().unqualified();
        let mut desk = Desk::with(&self.url, binding, ClientConfig::default()).expect("a client");
        // What is made from code has no action, and CXF rejects any.
        for operation in ["quote", "keep", "draw", "fill"] {
            desk.client().set_action(operation, "");
        }
        desk
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// The service of each toolkit that is there.
fn services() -> impl Iterator<Item = Service> {
    programs().into_iter().map(Service::start)
}

/// The service's programs, one a toolkit; those that are not there are noted.
fn programs() -> Vec<Command> {
    ["metro", "cxf"].into_iter().filter_map(java).collect()
}

fn java(toolkit: &str) -> Option<Command> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let build = here.parent().expect("the workspace").join("peers/build");
    let jars = build.join(toolkit).join("lib");
    if !jars.is_dir() {
        skip(&format!("peers/build/{toolkit} is not there: make -C peers {toolkit}"));
        return None;
    }
    // Both have the interfaces of JAX-WS, by which the classes are compiled once.
    let classes = compiled(&here.join("tests/code_first/Desk.java"), &jars);
    let mut java = Command::new("java");
    java.args(["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp"])
        .arg(format!("{}:{}/*", classes.display(), jars.display()))
        .arg("Desk");
    Some(java)
}

/// The folder of the classes, which are compiled once.
fn compiled(source: &Path, jars: &Path) -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("code-first");
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let mut compiler = Command::new("javac");
        compiler.args(["-proc:none", "-cp", &format!("{}/*", jars.display()), "-d"]);
        let status = compiler.arg(&folder).arg(source).status().expect("the compiler runs");
        assert!(status.success(), "{compiler:?}");
        folder
    })
}

#[test]
fn our_client_calls_a_service_made_from_code() {
    for service in services() {
        let mut client = service.client();
        for quantity in [2, 0, 3] {
            let venues: Vec<Text> = ["XPAR", "<X&Y>"].map(Text::from).to_vec();
            let question =
                Question { symbol: "IBM".into(), quantity, limit: None, venues: venues.clone() };
            let lines = (0..quantity)
                .map(|quantity| Line { quantity, text: format!("IBM{quantity}").as_str().into() });
            let price = "6.35".parse().expect("a decimal");
            let quote = Quote { symbol: "IBM".into(), price, venues, lines: lines.collect() };
            assert_eq!(client.quote(&question).expect("an answer"), Answer { r#return: quote });
        }
        // In the namespace the service does not know its parameters.
        let mut qualified = Desk::new(&service.url).expect("a client");
        let question = Question { symbol: "IBM".into(), ..Question::default() };
        assert!(!matches!(qualified.quote(&question), Ok(it) if it.r#return.symbol == *"IBM"));
    }
}

/// In a namespace of its own, and one member in a third one, and one in none.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:party", form = "qualified")]
struct Party {
    name: Text,
    city: Option<Text>,
    #[xml(namespace = "urn:other")]
    code: Option<Text>,
    #[xml(form = "unqualified")]
    plain: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Money {
    #[xml(text)]
    amount: Decimal,
    #[xml(attribute)]
    currency: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Order {
    #[xml(attribute)]
    id: i32,
    #[xml(attribute, spaced)]
    flags: Vec<Text>,
    name: Option<Text>,
    buyer: Option<Party>,
    price: Option<Money>,
    #[xml(nillable)]
    note: Option<Text>,
    #[xml(nillable)]
    count: Option<i32>,
    #[xml(spaced)]
    sizes: Vec<i32>,
    #[xml(unwrapped)]
    fees: Vec<Money>,
    #[xml(attribute)]
    open: Option<bool>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Keep {
    order: Order,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Kept {
    r#return: Order,
}

#[test]
fn namespaces_attributes_texts_nil_and_spaced_lists_arrive_and_come_back() {
    for service in services() {
        let mut client = service.client();
        let text = |it: &str| Some(it.into());
        let money = |amount: &str, currency| Money {
            amount: amount.parse().expect("a decimal"),
            currency: text(currency),
        };
        let buyer = Party { name: "N".into(), city: text("C"), code: text("X"), plain: text("P") };
        let full = Order {
            id: 7,
            flags: vec!["a".into(), "b<".into()],
            name: None,
            buyer: Some(buyer.clone()),
            price: Some(money("6.35", "EUR")),
            note: text("n"),
            count: Some(3),
            sizes: vec![1, 2],
            fees: vec![money("1", "USD"), money("2", "\"&")],
            open: Some(true),
        };
        let found = "7 [a, b<] true n 3 [1, 2] N/C/X/P 6.35EUR 1USD 2\"&";
        let least = Order { id: 8, ..Order::default() };
        let other =
            Order { buyer: Some(Party { code: None, plain: None, ..buyer }), ..least.clone() };
        let expected = [
            (&full, found),
            (&least, "8 null null null null []"),
            (&other, "8 null null null null [] N/C/null/null"),
            (&full, found),
        ];
        for (order, found) in expected {
            let reply = client.keep(&Keep { order: order.clone() }).expect("an answer");
            let kept = Order { name: Some(found.into()), ..order.clone() };
            assert_eq!(reply, Kept { r#return: kept });
        }
    }
}

/// `@XmlSeeAlso` in Java: this class, or one that extends it.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
#[xml(choice = "type")]
enum Shape {
    #[xml(base, type = "shape")]
    Plain(Plain),
    #[xml(type = "circle")]
    Circle(Circle),
    #[xml(type = "square")]
    Square(Square),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Plain {
    name: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Circle {
    name: Option<Text>,
    radius: f64,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Square {
    name: Option<Text>,
    side: i32,
    inside: Option<Box<Shape>>,
}

/// `Object` in Java.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Object {
    Whole(i32),
    Word(Text),
    Truth(bool),
    #[xml(type = "circle")]
    Circle(Circle),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Drawing {
    title: Option<Text>,
    first: Option<Shape>,
    #[xml(unwrapped)]
    shapes: Vec<Shape>,
    any: Option<Object>,
    #[xml(unwrapped)]
    all: Vec<Object>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Draw {
    drawing: Drawing,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Drawn {
    r#return: Drawing,
}

fn drawing() -> Drawing {
    let circle = || Circle { name: Some("c".into()), radius: 0.5 };
    let inside = Some(Box::new(Shape::Circle(circle())));
    Drawing {
        title: None,
        first: Some(Shape::Square(Square { name: Some("s".into()), side: 3, inside })),
        shapes: vec![Shape::Plain(Plain { name: Some("p".into()) }), Shape::Circle(circle())],
        any: Some(Object::Whole(7)),
        all: vec![Object::Word("text".into()), Object::Truth(true), Object::Circle(circle())],
    }
}

/// What Java finds in it.
const FOUND: &str = "Square:s:3( Circle:c:0.5) Shape:p Circle:c:0.5 Integer:7 String:text Boolean:true \
                     Circle:c:0.5";

#[test]
fn derived_types_arrive_and_come_back() {
    for service in services() {
        let mut client = service.client();
        for _ in 0..3 {
            let reply = client.draw(&Draw { drawing: drawing() }).expect("an answer");
            let found = Drawing { title: Some(FOUND.into()), ..drawing() };
            assert_eq!(reply, Drawn { r#return: found });
        }
        let none = Drawing { first: None, shapes: vec![], any: None, all: vec![], title: None };
        let reply = client.draw(&Draw { drawing: none.clone() }).expect("an answer");
        assert_eq!(reply.r#return, Drawing { title: Some("null null".into()), ..none });
    }
}

/// `@XmlElements` in Java: the name of the element tells which.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum One {
    Whole(i32),
    Word(Text),
    Circle(Circle),
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Many {
    Count(i32),
    Line(Line),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Basket {
    #[xml(attribute)]
    owner: Option<Text>,
    one: Option<One>,
    found: Option<Text>,
    #[xml(list = "arms")]
    many: Vec<Many>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Fill {
    basket: Basket,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Filled {
    r#return: Basket,
}

#[test]
fn choices_of_elements_arrive_and_come_back() {
    for service in services() {
        let mut client = service.client();
        let circle = Circle { name: Some("c".into()), radius: 0.5 };
        let line = |quantity, text: &str| Many::Line(Line { quantity, text: text.into() });
        let many = vec![line(1, "a"), Many::Count(7), line(2, "<b>"), Many::Count(8)];
        for (one, many, found) in [
            (
                Some(One::Word("w".into())),
                many,
                "o String:w String:1a Integer:7 String:2<b> Integer:8",
            ),
            (Some(One::Circle(circle)), vec![], "o Circle:c:0.5"),
            (Some(One::Whole(-1)), vec![Many::Count(0)], "o Integer:-1 Integer:0"),
            (None, vec![], "o null"),
        ] {
            let basket = Basket { owner: Some("o".into()), one, found: None, many };
            let reply = client.fill(&Fill { basket: basket.clone() }).expect("an answer");
            assert_eq!(reply.r#return, Basket { found: Some(found.into()), ..basket });
        }
    }
}

#[test]
fn a_client_made_from_code_sends_derived_types_to_our_service() {
    for mut java in programs() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = seen.clone();
        let draw = move |request: Draw| -> Result<Drawn, Fault> {
            kept.lock().expect("no panic").push(request.drawing.clone());
            Ok(Drawn { r#return: Drawing { title: Some("ours".into()), ..request.drawing } })
        };
        let service = soap::Service::new("Desk", "urn:desk")
            .operation("draw", draw)
            .at("/desk", Binding::document_literal().unqualified());
        let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
        let url = format!("http://{}/desk", server.address());
        let output = java.arg(url).stdin(Stdio::null()).output().expect("Java runs");
        let told = String::from_utf8_lossy(&output.stdout);
        assert_eq!(told.trim(), format!("ours | {FOUND}"), "{output:?}");
        assert_eq!(*seen.lock().expect("no panic"), [drawing()]);
    }
}

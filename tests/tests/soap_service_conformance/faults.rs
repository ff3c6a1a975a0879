//! Faults whose details are values (round 4 group H), literal and encoded.

use trunkline_session::soap::{Binding, Fault, Fragment, Service};
use trunkline_soap::graph::{Content, Encoder, Message, Name, Node, NodeId};

const TYPES: &str = "http://soapinterop.org/types";
const PART: &str = "http://soapinterop.org/types/part";
const WSDL: &str = "http://soapinterop.org/wsdl";

/// What a detail holds.
#[derive(Clone, Copy)]
enum Value {
    Nothing,
    /// All that the request has.
    All,
    /// That argument.
    Argument(&'static str),
    /// The same in an element `soapStruct`.
    Wrapped(&'static str),
    WrappedAll,
}

/// A detail's element in literal messages, its name in encoded ones, and what it holds.
type Detail = (&'static str, &'static str, Value);

/// Operations and the details among which the argument `whichFault` chooses, the first of them if it
/// chooses none.
type Operation = (&'static str, &'static [Detail]);

const COMPLEX: &[Operation] = &[
    ("echoSOAPStructFault", &[("SOAPStructFaultPart", "part1", Value::WrappedAll)]),
    ("echoBaseStructFault", &[("BaseStructPart", "part2", Value::All)]),
    ("echoExtendedStructFault", &[("ExtendedStructPart", "part3", Value::All)]),
    (
        "echoMultipleFaults1",
        &[
            ("SOAPStructFaultPart", "part1", Value::Wrapped("param1")),
            ("BaseStructPart", "part2", Value::Argument("param2")),
        ],
    ),
    (
        "echoMultipleFaults2",
        &[
            ("BaseStructPart", "part2", Value::Argument("param1")),
            ("ExtendedStructPart", "part3", Value::Argument("param2")),
            ("MoreExtendedStructPart", "part4", Value::Argument("param3")),
        ],
    ),
];

const SIMPLE: &[Operation] = &[
    ("echoEmptyFault", &[("EmptyPart", "part1", Value::Nothing)]),
    ("echoStringFault", &[("StringPart", "part2", Value::All)]),
    ("echoIntArrayFault", &[("ArrayOfIntPart", "part5", Value::All)]),
    (
        "echoMultipleFaults1",
        &[
            ("EmptyPart", "part1", Value::Nothing),
            ("StringPart", "part2", Value::Argument("param1")),
            ("ArrayOfFloatPart", "part7", Value::Argument("param2")),
        ],
    ),
    (
        "echoMultipleFaults2",
        &[
            ("FloatPart", "part4", Value::Argument("param2")),
            ("StringPart", "part2", Value::Argument("param1")),
            ("ArrayOfStringPart", "part6", Value::Argument("param3")),
        ],
    ),
    (
        "echoMultipleFaults3",
        &[
            ("StringPart", "part2", Value::Argument("param1")),
            ("String2Part", "part8", Value::Argument("param2")),
        ],
    ),
    (
        "echoMultipleFaults4",
        &[
            ("IntPart", "part3", Value::Argument("param1")),
            ("EnumPart", "part9", Value::Argument("param2")),
        ],
    ),
];

/// The service of a case.
pub(crate) fn service(id: &str) -> Service {
    let operations = if id.contains("complex") { COMPLEX } else { SIMPLE };
    Service::new("GroupH", WSDL)
        .fallback(|message, _| answer(operations, message).map(Some))
        .at("/", Binding::rpc_encoded())
}

fn answer(operations: &[Operation], mut message: Message) -> Result<Message, Fault> {
    let (name, root) = message.body[0].clone();
    let local = name.local().trim_end_matches("Request");
    if local == "echoVersionMismatchFault" {
        message.body[0].0 = name.renamed("echoVersionMismatchFaultResponse");
        return Ok(message);
    }
    let (_, details) =
        operations.iter().find(|it| it.0 == local).unwrap_or_else(|| panic!("no operation {name}"));
    let which = message.graph.text_at(root, &["whichFault"]).unwrap_or("1");
    let index = which.parse::<usize>().ok().and_then(|it| it.checked_sub(1)).unwrap_or(0);
    let detail = detail(&mut message, root, details.get(index).unwrap_or(&details[0]));
    Err(Fault::receiver(format!("Fault in response to '{local}'.")).with_detail(detail))
}

fn detail(message: &mut Message, root: NodeId, detail: &Detail) -> Fragment {
    let (literal, encoded, value) = detail;
    let is_encoded = message.is_encoded();
    let graph = &mut message.graph;
    let argument =
        |graph: &trunkline_soap::graph::Graph, name| graph.member(root, name).expect("an argument");
    let all = match is_encoded {
        true => graph.member(root, "param").unwrap_or(root),
        false => root,
    };
    let wrapped = |inner| {
        let qualified = if is_encoded { "" } else { TYPES };
        let content = Content::Struct(vec![(Name::new(qualified, "soapStruct"), inner)]);
        let node = Node::new(content);
        let own = Name::new(TYPES, "SOAPStructFault");
        (if is_encoded { node.of_type(own) } else { node }, inner)
    };
    let node = match value {
        Value::Nothing if is_encoded => {
            graph.add(Node::new(Content::Nil).of_type(Name::new(TYPES, "EmptyFault")))
        }
        Value::Nothing => graph.add_struct(Vec::new()),
        Value::All => all,
        Value::Argument(name) => argument(graph, name),
        Value::Wrapped(name) => {
            let inner = argument(graph, name);
            graph.add(wrapped(inner).0)
        }
        Value::WrappedAll => graph.add(wrapped(all).0),
    };
    let name = match is_encoded {
        true => Name::new(WSDL, encoded),
        false => Name::new(PART, literal),
    };
    let encoder = Encoder::new(message.version);
    encoder.element(message, &name, node).expect("a value that can be written")
}

//! Shared values and circles (SOAP 1.1 sections 5.1 and 5.4.1, SOAP 1.2 part 2 section 3.1.5).

use trunkline_message::Limits;
use trunkline_soap::Version;
use trunkline_soap::graph::{self, Content, Encoder, Graph, Message, Name, Node, NodeId};

use crate::{ENCODING11, decode, encode, encoded, encoded12, encoders, rejected};

fn path(message: &Message, steps: &[&str]) -> NodeId {
    let (_, root) = message.root().expect("a root");
    let step = |node, step: &&str| message.graph.member(node, step).expect("a member");
    steps.iter().fold(root, step)
}

/// SOAP 1.1 section 4.1.1: the style of a header block is not that of the Body.
#[test]
fn values_that_a_header_block_shares_are_read_again() {
    let style = format!("S:encodingStyle='{ENCODING11}'");
    for (on_body, body) in [("", "<o:c/>"), ("", ""), (&*style, "<o:c/>"), (&*style, "")] {
        let document = encoded(body).replace(
            &format!("<S:Body {style}>"),
            &format!(
                "<S:Header><o:h {style}><a id='1'>v</a><b href='#1'/></o:h></S:Header>\
                 <S:Body {on_body}>"
            ),
        );
        let message = decode(&document);
        for encoder in encoders() {
            let after = encode(&message, &encoder);
            let again = decode(&after);
            let (_, block) = again.header[0];
            let [a, b] = ["a", "b"].map(|name| again.graph.member(block, name).expect("a member"));
            assert_eq!((a, again.graph.text(a)), (b, Some("v")), "{after}");
            assert_eq!(again.body.len(), message.body.len(), "{after}");
        }
    }
}

#[test]
fn two_references_lead_to_one_value() {
    let message = decode(&encoded(
        "<o:call><a href='#x'/><b href='#x'/><c>1</c></o:call><m id='x' E:root='0'>1</m>",
    ));
    assert_eq!(message.body.len(), 1, "the independent element is no root");
    assert_eq!(path(&message, &["a"]), path(&message, &["b"]));
    assert_ne!(path(&message, &["a"]), path(&message, &["c"]), "equal is not the same");
    assert_eq!(message.graph.text(path(&message, &["a"])), Some("1"));
}

#[test]
fn soap_12_refers_without_a_hash_and_with_one() {
    let message = decode(&encoded12("<a E:id='x'>1</a><b E:ref='x'/><c E:ref='#x'/>"));
    assert_eq!(path(&message, &["a"]), path(&message, &["b"]));
    assert_eq!(path(&message, &["a"]), path(&message, &["c"]));
}

#[test]
fn values_may_contain_themselves() {
    let message = decode(&encoded("<o:call><n id='1'><next href='#1'/></n></o:call>"));
    assert_eq!(path(&message, &["n"]), path(&message, &["n", "next", "next"]));
    let root = decode(&encoded("<o:n id='1'><next href='#2'/></o:n><m id='2'><up href='#1'/></m>"));
    assert_eq!(root.body.len(), 1);
    assert_eq!(path(&root, &["next", "up"]), path(&root, &[]));
}

#[test]
fn roots_are_told_by_root_id_and_order() {
    let names = |body: &str| {
        let message = decode(&encoded(body));
        message.body.iter().map(|(name, _)| name.local().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("<m id='x'>1</m><o:call><a href='#x'/></o:call>"), ["call"]);
    assert_eq!(names("<m E:root='0'>1</m><o:call E:root='1'/>"), ["call"]);
    assert_eq!(names("<o:a id='x' E:root='1'/><o:b href='#x'/>"), ["a", "b"]);
    assert_eq!(names("<o:a/><o:b/>"), ["a", "b"]);
    assert_eq!(names("<E:int id='x'>1</E:int><o:call><a href='#x'/></o:call>"), ["call"]);
}

#[test]
fn references_across_header_and_body_are_followed() {
    let document = encoded("<o:call><a href='#x'/></o:call>").replace(
        "<S:Body",
        &format!(
            "<S:Header><o:h S:encodingStyle='{}'><d id='x'>7</d></o:h></S:Header><S:Body",
            crate::ENCODING11
        ),
    );
    let message = decode(&document);
    let (_, block) = message.header[0];
    assert_eq!(message.graph.member(block, "d"), Some(path(&message, &["a"])));
    for encoder in encoders() {
        assert!(
            message.is_same(&decode(&encode(&message, &encoder)))
                || encoder.version == Version::Soap12
        );
    }
}

#[test]
fn references_that_lead_nowhere_or_twice_are_rejected() {
    let call = |inside: &str| rejected(&encoded(&format!("<o:call>{inside}</o:call>")));
    assert!(call("<a href='#x'/>").contains("an element with the id \"x\""));
    assert!(call("<a id='x'/><b id='x'/>").contains("\"x\" is another element's already"));
    assert!(call("<a id='x'/><b href='#x'>1</b>").contains("call/b at byte"));
    assert!(
        call("<a id='x'/><b href='#x'><c/></b>").contains("no content in an element that refers")
    );
    assert!(call("<a id='x'/><b id='y' href='#x'/>").contains("not both"));
    assert!(call("<a xsi:nil='1'>1</a>").contains("no content in an element that is nil"));
}

#[test]
fn references_out_of_the_message_are_left_to_the_caller() {
    let message = decode(&encoded("<o:call><a href='cid:photo@example.org'/></o:call>"));
    let node = message.graph.node(path(&message, &["a"]));
    assert_eq!(node.attribute("", "href"), Some("cid:photo@example.org"));
    assert!(encode(&message, &encoders()[0]).contains("href=\"cid:photo@example.org\""));
}

#[test]
fn identity_survives_every_way_of_writing_it() {
    let bodies = [
        "<o:call><a href='#x'/><b href='#x'/></o:call><m id='x' xsi:type='o:T'><c>1</c></m>",
        "<o:call><n id='1'><next id='2'><next href='#1'/></next><other href='#2'/></n></o:call>",
        "<o:n id='1'><next href='#2'/></o:n><m id='2'><up href='#1'/><self href='#2'/></m>",
        "<o:call><l E:arrayType='xsd:string[3]'><i href='#s'/><i>s</i><i href='#s'/></l></o:call>\
         <E:string id='s'>s</E:string>",
        "<o:call><a xsi:nil='1'/><b xsi:nil='true' xsi:type='o:T'/><c/></o:call>",
    ];
    for body in bodies {
        let message = decode(&encoded(body));
        for encoder in encoders() {
            let document = encode(&message, &encoder);
            let again = decode(&document);
            if encoder.version == Version::Soap11 {
                assert!(message.is_same(&again), "{document}");
            }
            let once_more = encode(&again, &encoder);
            assert_eq!(once_more, document, "what is written is read as it was");
        }
    }
}

#[test]
fn graphs_differ_in_identity_alone() {
    let shared = decode(&encoded("<o:call><a id='x'>1</a><b href='#x'/></o:call>"));
    let equal = decode(&encoded("<o:call><a>1</a><b>1</b></o:call>"));
    assert!(shared.is_same(&shared.clone()));
    assert!(!shared.is_same(&equal));
    assert!(!equal.is_same(&shared));
    let tree = Encoder { multi_ref: false, ..Encoder::new(Version::Soap11) };
    assert!(decode(&encode(&shared, &tree)).is_same(&equal), "without references, values repeat");
}

#[test]
fn circles_without_references_are_rejected_with_their_path() {
    let message = decode(&encoded("<o:call><n id='1'><next><up href='#1'/></next></n></o:call>"));
    let tree = Encoder { multi_ref: false, ..Encoder::new(Version::Soap11) };
    let error = tree.encode(&message).expect_err("a circle").to_string();
    assert!(error.contains("call/n/next/up at byte"), "{error}");
    assert!(error.contains("contains itself"), "{error}");
}

/// Each level uses the next one twice: 2^40 paths from the top to the bottom.
fn bomb() -> String {
    let level = |n: usize| format!("<m id='m{n}'><a href='#m{0}'/><b href='#m{0}'/></m>", n + 1);
    let levels: String = (0..40).map(level).collect();
    encoded(&format!("<o:call><a href='#m0'/></o:call>{levels}<m id='m40'>boom</m>"))
}

#[test]
fn what_is_shared_a_trillion_times_is_held_once() {
    let message = decode(&bomb());
    assert_eq!(message.graph.len(), 42);
    for encoder in encoders() {
        let document = encode(&message, &encoder);
        assert!(document.len() < 10_000);
        assert_eq!(decode(&document).graph.len(), 42);
    }
    let tree = Encoder { multi_ref: false, ..Encoder::new(Version::Soap11) };
    let error = tree.encode(&message).expect_err("too large").to_string();
    assert!(error.contains("message_bytes"), "{error}");
}

/// A list of so many nodes, each inside the one before.
fn chain(length: usize) -> Message {
    let mut message = Message::new(Version::Soap11);
    message.set_encoded();
    let next = Name::unqualified("next");
    let mut node = message.graph.add_text("end");
    for _ in 0..length {
        node = message.graph.add_struct(vec![(next.clone(), node)]);
    }
    message.body.push((Name::new("urn:own", "call"), node));
    message
}

#[test]
fn chains_deeper_than_elements_may_nest_go_on_elsewhere() {
    let message = chain(100_000);
    let again = decode(&encode(&message, &Encoder::new(Version::Soap11)));
    assert!(again.is_same(&message));
    let error = Encoder::new(Version::Soap12).encode(&message).expect_err("too deep").to_string();
    assert!(error.contains("depth = 128"), "{error}");
}

#[test]
fn limits_bound_what_is_read() {
    let many = encoded(&format!("<o:call>{}</o:call>", "<a/>".repeat(1000)));
    let read = |limits: &Limits| graph::decode(many.as_bytes(), limits);
    assert!(read(&Limits { fields: 1001, ..Limits::default() }).is_ok());
    let error = read(&Limits { fields: 1000, ..Limits::default() }).expect_err("too many");
    assert!(error.to_string().contains("fields = 1000"), "{error}");
    let deep = encoded(&"<a>".repeat(200));
    assert!(rejected(&deep).contains("deeper than depth = 128"));
}

#[test]
fn long_namespaces_are_held_once() {
    let namespace = "n".repeat(1 << 20);
    let document = encoded(&format!("<call xmlns='{namespace}'>{}</call>", "<a/>".repeat(50_000)));
    // To show the message, as the other form would for comparison, would spell the name every time.
    let message = graph::decode(document.as_bytes(), &Limits::default()).expect("a message");
    let members = message.graph.members(path(&message, &[]));
    let first = members[0].0.namespace().as_ptr();
    assert!(members.iter().all(|(name, _)| name.namespace().as_ptr() == first));
}

#[test]
fn names_and_characters_that_xml_lacks_are_rejected() {
    let write = |name: &str, text: &str| {
        let mut message = Message::new(Version::Soap11);
        let node = message.graph.add_text(text);
        message.body.push((Name::unqualified(name), node));
        Encoder::new(Version::Soap11).encode(&message)
    };
    assert!(write("call", "fine \t\n").is_ok());
    assert!(write("call", "\u{1}").expect_err("a control").to_string().contains("call at byte"));
    for name in ["", "a b", "a:b", "1", "a/><b"] {
        assert!(write(name, "").is_err(), "{name:?}");
    }
    let mut message = Message::new(Version::Soap11);
    let mut node = Node::new(Content::Nil);
    node.attributes.push((Name::unqualified("xmlns"), "urn:else".into()));
    let node = message.graph.add(node);
    message.body.push((Name::unqualified("call"), node));
    assert!(Encoder::new(Version::Soap11).encode(&message).is_err());
}

#[test]
fn graphs_are_compared_from_their_roots() {
    let mut graph = Graph::default();
    let (a, b) = (graph.add_text("1"), graph.add_text("1"));
    assert!(graph::are_same((&graph, &[a]), (&graph, &[b])));
    assert!(!graph::are_same((&graph, &[a, a]), (&graph, &[a, b])));
}

#[test]
fn where_all_is_referred_to_the_first_that_may_be_a_root_is_one() {
    let circle = |name: &str, more: &str| {
        format!("<o:{name} id='{name}'{more}><x href='#{name}'/></o:{name}>")
    };
    let body = circle("a", " E:root='0'") + &circle("b", "") + &circle("c", "");
    let message = decode(&encoded(&body));
    let names: Vec<&str> = message.body.iter().map(|(name, _)| name.local()).collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn text_around_the_body_is_rejected() {
    let document = encoded("<o:call><x>1</x></o:call>");
    for (mark, what) in [("<S:Body", "before"), ("</S:Envelope>", "behind")] {
        let document = document.replacen(mark, &format!("text{mark}"), 1);
        assert!(graph::decode(document.as_bytes(), &Limits::default()).is_err(), "{what}");
    }
    let white = document.replacen("<S:Body", " \n<S:Body", 1);
    assert_eq!(decode(&white).body.len(), 1);
}

#[test]
fn an_array_has_so_many_dimensions_at_most() {
    let array = |dimensions: usize| {
        let sizes = vec!["1"; dimensions].join(",");
        encoded(&format!("<o:call><x E:arrayType='xsd:int[{sizes}]'><i>7</i></x></o:call>"))
    };
    let read = |dimensions| graph::decode(array(dimensions).as_bytes(), &Limits::default());
    let most = (1..1_000).find(|it| read(it + 1).is_err()).expect("there is a limit");
    assert!(read(most).is_ok() && (most + 1..most + 20).all(|it| read(it).is_err()), "{most}");
}

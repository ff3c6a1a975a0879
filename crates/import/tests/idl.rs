//! OMG IDL is read, and its types become layouts whose plans write CDR.

use std::sync::Arc;

use trunkline_codec::cdr::{ByteOrder, Decoder, Encoder, Options as CdrOptions, Plan};
use trunkline_import::idl::{Body, Constant, Content, Options, Specification};
use trunkline_import::{Limits, Problem};
use trunkline_message::{Record, Value};

fn read_files(main: &str, files: &[(&str, &str)]) -> Result<Specification, Problem> {
    let mut resolver = |path: &str| {
        let all = [("own.idl", main)];
        let found = all.iter().chain(files).find(|it| it.0 == path);
        Ok(found.map(|it| it.1.as_bytes().to_vec()))
    };
    Specification::read("own.idl", &Options::default(), &mut resolver, &Limits::default())
}

fn own() -> Specification {
    let common = ("common.idl", include_str!("data/common.idl"));
    read_files(include_str!("data/own.idl"), &[common]).expect("it is read")
}

fn rejected(text: &str) -> String {
    read_files(text, &[]).unwrap_err().to_string()
}

#[test]
fn declarations_have_their_names_ids_and_values() {
    let own = own();
    let shown: Vec<(&str, &str)> =
        own.declarations().iter().filter(|it| it.is_main).map(|it| (&*it.name, &*it.id)).collect();
    assert!(shown.contains(&("Trading::Order", "IDL:example.com/Trading/Order:1.0")), "{shown:?}");
    let declaration = |name| own.declaration(own.find(name).expect("it is there"));
    // A prefix is that of its file.
    assert_eq!(declaration("Common::Symbol").id, "IDL:Common/Symbol:1.0");
    let Body::Const(_, value) = &declaration("MOST").body else { panic!("a constant") };
    assert_eq!(*value, Constant::Integer(20));
    let Body::Interface(market) = &declaration("Market").body else { panic!("an interface") };
    let Content::Operation(enter) = &market.contents[1] else { panic!("an operation") };
    assert_eq!(
        (&*enter.name, enter.parameters[1].direction, enter.raises.len()),
        ("enter", "out", 1)
    );
    assert_eq!(own.shown(&enter.parameters[0].of), "Trading::Order");
}

#[test]
fn a_struct_is_cdr_of_corba() {
    let own = own();
    let layout = Arc::new(own.layout(own.find("Order").expect("a struct")).expect("a layout"));
    let options = CdrOptions { byte_order: ByteOrder::Big, ..CdrOptions::default() };
    let plan = Plan::new(&layout, &options).expect("a plan");
    let mut order = Record::new(&layout);
    order.set("id", Value::Bytes(vec![7])).expect("data");
    order.set("kind", "sell").expect("a value");
    let leg = order.group_mut("parts").expect("a list").next_entry();
    leg.set("symbol", "X").expect("text");
    leg.set("quantity", Value::Integers(vec![1, 2])).expect("two");
    order.set("limit", Value::from(0.5)).expect("an arm");
    order.set("small_2", Value::from(9_u8)).expect("the arm of the second label");
    order.set("flag", Value::Code("x".parse().expect("a code"))).expect("a character");
    order.set("is_new", true).expect("a boolean");
    let mut encoder = Encoder::new(&plan);
    let bytes = encoder.encode(&order).expect("it is written").to_vec();
    let expected: &[&[u8]] = &[
        &[0, 0, 0, 1, 7, 0, 0, 0], // id
        &[0, 0, 0, 1],             // kind
        &[0, 0, 0, 1],             // one part
        &[0, 0, 0, 2, b'X', 0, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2],
        &[0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0], // buy, a gap, 0.5
        &[0, 0, 0, 2, 9],
        b"x\x01",
    ];
    assert_eq!(bytes, expected.concat());
    let mut back = Record::new(&layout);
    Decoder::new(&plan).decode(&bytes, &mut back).expect("it is read");
    assert_eq!(back, order);
}

/// What omniORB wrote of every type of an IDL, in both byte orders, is read by what is imported from that IDL and
/// written again to the byte.
#[test]
fn what_an_orb_wrote_comes_back() {
    let read = read_files(include_str!("data/vec.idl"), &[]).expect("it is read");
    let types = [
        ("prims", "Prims"),
        ("strs", "Strs"),
        ("multi_", "Multi"),
        ("byenum_", "ByEnum"),
        ("opt_", "OptString"),
        ("optd_", "OptDouble"),
        ("optl_", "OptLong"),
        ("optc_", "OptChar"),
        ("mix1_", "Mix1"),
        ("nested_", "Nested"),
        ("mdinc_", "MarketDataInc"),
    ];
    let text = |line: &'static str, key: &str| {
        let (_, behind) = line.split_once(&format!("\"{key}\": \""))?;
        Some(behind.split_once('"')?.0)
    };
    let mut count = 0;
    for line in include_str!("../../../golden/cdr-vectors.jsonl").lines() {
        let (file, hex) = (text(line, "file").expect("a name"), text(line, "hex").expect("bytes"));
        let Some((_, name)) = types.iter().find(|it| file.starts_with(it.0)) else { continue };
        let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digits).collect();
        let layout = read.layout(read.find(name).expect("it is declared")).expect("a layout");
        let byte_order = if file.ends_with(".le") { ByteOrder::Little } else { ByteOrder::Big };
        let options = CdrOptions { byte_order, ..CdrOptions::default() };
        let plan = Plan::new(&Arc::new(layout), &options).expect("a plan");
        let mut record = Record::new(plan.layout());
        Decoder::new(&plan).decode(&bytes, &mut record).unwrap_or_else(|it| panic!("{file}: {it}"));
        assert_eq!(Encoder::new(&plan).encode(&record).expect("it is written"), bytes, "{file}");
        count += 1;
    }
    assert!(count > 80, "{count}");
    // A union that holds something only if it is true is a member that may be absent.
    let layout = read.layout(read.find("Header").expect("a struct")).expect("a layout");
    assert!(
        layout.listing().contains("field\tLastSeq\t0\ti32\toptional\n"),
        "{}",
        layout.listing()
    );
}

/// As files of DDS have them.
#[test]
fn annotations_are_passed_over_unless_they_change_bytes() {
    let of = |annotation: &str| {
        format!(
            "@annotation unit {{ string name default \"\"; }};\n@topic @final\nstruct Quote {{\n  @key @id(1) string symbol;\n\
             \x20 {annotation} @range(min=0, max=(2 + 3)) double price;\n}};"
        )
    };
    let read = read_files(&of("@unit(name=\"EUR (cent)\")"), &[]).expect("it is read");
    let layout = read.layout(read.find("Quote").expect("a struct")).expect("a layout");
    let names: Vec<&str> = layout.scopes()[0].fields.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["symbol", "price"]);
    read_files(&of("@optional(FALSE)"), &[]).expect("it is as without");
    for (annotation, why) in [
        ("@optional", "own.idl:5:3: @optional changes the bytes"),
        ("@ ", "own.idl:5:3: @ without a name"),
        ("@a(1", "own.idl:5:3: the annotation has no end"),
    ] {
        let problem = rejected(&of(annotation));
        assert!(problem.starts_with(why) && problem.contains("; "), "{problem}");
    }
    assert!(
        rejected("@extensibility(MUTABLE) struct S { long a; };").contains("changes the bytes")
    );
}

#[test]
fn what_has_no_form_is_rejected_with_its_place() {
    let own = own();
    let error = own.layout(own.find("Open").expect("a struct")).unwrap_err().to_string();
    let expected = "own.idl:40:26: there is no form for the type any; \
                    leave the member out, or give it a type that has one";
    assert_eq!(error, expected);
    let error = own.layout(own.find("Side").expect("an enum")).unwrap_err().to_string();
    assert!(error.starts_with("own.idl:9:8: Trading::Side is no struct"), "{error}");
}

#[test]
fn what_idl_forbids_is_rejected_with_its_place() {
    for (text, expected) in [
        ("struct S { long a; long A; };", "own.idl:1:25: A is declared, but a is there already"),
        ("struct A { B b; };", "own.idl:1:12: B is not declared"),
        ("typedef long T; struct A { t b; };", "own.idl:1:28: t is declared as T"),
        ("struct A { A a; };", "own.idl:1:12: the struct A holds itself"),
        ("const octet C = 256;", "own.idl:1:17: 256 is out of the bounds of octet"),
        (
            "const double C = 1;",
            "own.idl:1:18: 1 is a whole number, and no value of double; write it with a point",
        ),
        ("const wchar C = 'a';", "own.idl:1:17: 'a' is no value of wchar; write L before it"),
        (
            "#pragma prefix \"a.b\";\nstruct S { long m; };",
            "own.idl:1:1: #pragma prefix \"a.b\"; has ; behind it; take that out",
        ),
        ("typedef sequence<long, 0> S;", "own.idl:1:24: the size is not at least 1"),
        ("interface I { void f(in long a) raises (I); };", "own.idl:1:41: I is no exception"),
        (
            "interface I { oneway long f(); };",
            "own.idl:1:28: the operation f is oneway and has an answer",
        ),
        (
            "union U switch (float) { case 1: long a; };",
            "own.idl:1:17: no union switches over this type",
        ),
        (
            "union U switch (long) { case 1: case 1: long a; };",
            "own.idl:1:33: the label stands twice",
        ),
        ("component C {};", "own.idl:1:1: component is not supported"),
        ("#include \"no.idl\"\n", "own.idl:1:1: no.idl, which is included, is not there"),
        ("\n#ifdef A\n", "own.idl:2:1: the conditional has no end"),
        (
            "#define F(x) x\n",
            "own.idl:1:1: #define F(x) x: macros with parameters are not supported",
        ),
        ("#if 1 +\n#endif\n", "own.idl:1:1: the condition 1 + is not understood"),
        ("#error no\n", "own.idl:1:1: #error no"),
        ("struct S { long a; }", "own.idl:1:20: expected ;, not the end"),
        ("/* ", "own.idl:1:1: the comment has no end"),
        ("const string C = \"a\n\";", "own.idl:1:18: the quotation has no end on its line"),
        ("struct A { long long; };", "own.idl:1:21: expected a name, not ;"),
    ] {
        let error = rejected(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn nothing_goes_on_without_end() {
    let limits = Limits { tokens: 1000, ..Limits::default() };
    let mut macros = String::from("#define A0 \n");
    for step in 1..40 {
        macros += &format!("#define A{step} A{0} A{0}\n", step - 1);
    }
    macros += "A39";
    let mut resolver = |path: &str| Ok((path == "own.idl").then(|| macros.clone().into_bytes()));
    let error = Specification::read("own.idl", &Options::default(), &mut resolver, &limits);
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("raise the limit `tokens`"), "{error}");
    let error = rejected("#include \"own.idl\"\n");
    assert!(error.contains("include others more than"), "{error}");
    let deep = format!("typedef {}long{} T;", "sequence<".repeat(1000), ">".repeat(1000));
    assert!(rejected(&deep).contains("raise the limit `depth`"));
    let deep = format!("const long C = {}1{};", "(".repeat(1000), ")".repeat(1000));
    assert!(rejected(&deep).contains("raise the limit `depth`"));
}

#[test]
fn conditionals_macros_and_names_before_their_declaration() {
    let text = "#define LIMIT 3\n#define __OWN__ 1\n#if defined(LIMIT) && LIMIT >= 2 && !defined NO && defined(__OWN__) && __OWN__\n\
                struct Node;\ntypedef sequence<Node> Nodes;\nstruct Node { Nodes inside; string name<LIMIT>; };\n#else\n\
                this is not read: don't\n#endif\n";
    let text = text.replace("string name<LIMIT>", "string<LIMIT> name");
    let read = read_files(&text, &[]).expect("it is read");
    let layout = read.layout(read.find("Node").expect("a struct")).expect("a layout");
    let expected = "message\tNode\t\nfield\tinside\t0\tNode[]\trequired\nfield\tname\t0\ttext\trequired\n\
                    note\tfacet\tmax_length\t3\nend\n";
    assert!(layout.listing().starts_with(expected), "{}", layout.listing());
}

/// Bounds are part of a type: what exceeds them is not written, and characters count as in facets.
#[test]
fn what_a_bounded_type_does_not_hold_is_not_written() {
    let text = "struct Order { string<4> name; sequence<long, 2> counts; sequence<octet, 3> data; sequence<string<2>, 2> labels; };";
    let read = read_files(text, &[]).expect("it is read");
    let layout = Arc::new(read.layout(read.find("Order").expect("a struct")).expect("a layout"));
    let mut encoder = Encoder::new(&Plan::new(&layout, &CdrOptions::default()).expect("a plan"));
    let mut write = |name: &str, counts: usize, data: usize, labels: &[&str]| {
        let mut order = Record::new(&layout);
        order.set("name", name).expect("text");
        order.set("counts", Value::Integers(vec![7; counts])).expect("numbers");
        order.set("data", Value::Bytes(vec![7; data])).expect("data");
        let group = order.group_mut("labels").expect("a list");
        for label in labels {
            let entry = group.next_entry();
            let item = entry.scope().path(0);
            entry.set(&item, *label).expect("text");
        }
        encoder.encode(&order).map(<[u8]>::len).map_err(|it| it.to_string())
    };
    assert!(write("ABCD", 2, 3, &["ab", "cd"]).is_ok());
    assert!(write("ABC\u{e9}", 0, 0, &[]).is_ok());
    let long = "x".repeat(64);
    for (written, why) in [
        (
            write("ABCDE", 0, 0, &[]),
            "name at byte 0: cannot be written: \"ABCDE\" has 5 characters, more than 4",
        ),
        (write(&long, 0, 0, &[]), "has 64 characters, more than 4"),
        (write("", 3, 0, &[]), "counts at byte 5: cannot be written: it has 3 items, more than 2"),
        (write("", 0, 4, &[]), "cannot be written: it has 4 octets, more than 3"),
        (write("", 0, 0, &["ab", "abc"]), "labels[1] at byte"),
        (write("", 0, 0, &["a", "b", "c"]), "cannot be written: it has 3 items, more than 2"),
    ] {
        let written = written.expect_err(why);
        assert!(written.contains(why), "{written}");
    }
}

#[test]
fn a_default_that_no_value_reaches_and_types_of_later_versions_are_named() {
    for (text, why) in [
        (
            "union U switch (boolean) { case TRUE: long a; case FALSE: long b; default: long c; };",
            "every value has a case in the union U, and none is left",
        ),
        (
            "enum E { x, y }; union U switch (E) { case x: case y: long a; default: long c; };",
            "every value has a case in the union U, and none is left",
        ),
        ("struct S { int32 a; };", "int32 is a type of IDL 4, and not supported"),
        ("struct S { map<string, long> a; };", "map is a type of IDL 4, and not supported"),
        ("struct S { int33 a; };", "int33 is not declared"),
    ] {
        let said = rejected(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}

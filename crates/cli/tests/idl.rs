//! `trunkline schema` of OMG IDL, and `trunkline convert` by it: what a file declares is shown, printed again and held to.

mod verbs;

use std::fs;
use std::path::{Path, PathBuf};

use verbs::run_in as run;

fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = verbs::folder("idl", test);
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

/// What `schema` prints of a file, and tells; it has to go well.
fn schema(folder: &Path, arguments: &[&str]) -> (String, String) {
    let (status, out, err) = run(folder, &[&["schema"], arguments].concat(), "");
    assert_eq!(status, Some(0), "{arguments:?}: {err}");
    (out, err)
}

const BOUNDED: &str = "module M {
  typedef sequence<long, 3> Row;
  typedef sequence<long, 2> Rows[2];
  typedef string<4> Brief;
  struct Table {
    sequence<sequence<long, 3>, 2> grid;
    sequence<Row, 2> named;
    Rows several;
    sequence<long, 2> many[1][2];
    sequence<sequence<Brief, 1> > texts;
    sequence<sequence<sequence<long, 1> >, 2> cube;
    sequence<sequence<octet, 2>, 2> data;
  };
  interface Desk { Row read(in Rows given); };
};
";

const TABLE: &str = r#"{"grid":[[1,2,3],[4]],"named":[[],[1,2,3]],"several":[[1,2],[]],"many":[[[1,2],[3]]],"texts":[["abcd"],["a"]],"cube":[[[1],[2],[3]],[]],"data":["AAE=","AA=="]}"#;

#[test]
fn bounds_of_lists_in_lists_hold() {
    let folder = folder("bounds", &[("own.idl", BOUNDED)]);
    let convert = |json: &str| {
        let arguments = ["convert", "--from", "json", "--to", "cdr-be", "--schema", "own.idl"];
        run(&folder, &[&arguments[..], &["--type", "M::Table"]].concat(), format!("{json}\n"))
    };
    let (status, out, err) = convert(TABLE);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    for (now, then, expected) in [
        ("[[1,2,3],[4]]", "[[1,2,3],[4,5,6,7]]", "grid[1] at byte"),
        ("[[1,2,3],[4]]", "[[1,2,3],[4],[5]]", "grid at byte"),
        ("[[],[1,2,3]]", "[[],[1,2,3,4]]", "named[1] at byte"),
        ("[[1,2],[]]", "[[1,2],[1,2,3]]", "several[1] at byte"),
        ("[[[1,2],[3]]]", "[[[1,2],[3,4,5]]]", "many[0][1] at byte"),
        ("[[\"abcd\"],", "[[\"abcd\",\"e\"],", "texts[0] at byte"),
        ("[[\"abcd\"],", "[[\"abcde\"],", "texts[0][0] at byte"),
        ("[[[1],[2],[3]],[]]", "[[[1],[2],[3,4]],[]]", "cube[0][2] at byte"),
        ("\"AA==\"", "\"AAAA\"", "data[1] at byte"),
    ] {
        let wrong = TABLE.replace(now, then);
        assert_ne!(wrong, TABLE);
        let (status, out, err) = convert(&wrong);
        assert_eq!((status, &*out), (Some(1), ""), "{then}: {err}");
        assert!(err.contains(expected) && err.contains(", more than "), "{then}: {err}");
    }
}

#[test]
fn bounds_of_lists_in_lists_are_printed() {
    let folder = folder("printed", &[("own.idl", BOUNDED)]);
    let (printed, _) = schema(&folder, &["own.idl", "--idl"]);
    for line in [
        "sequence<sequence<long, 3>, 2 > grid;",
        "sequence<sequence<long, 3>, 2 > named;",
        "sequence<long, 2> several[2];",
        "sequence<long, 2> many[1][2];",
        "sequence<sequence<string<4>, 1 > > texts;",
        "sequence<sequence<sequence<long, 1> >, 2 > cube;",
        "sequence<sequence<octet, 2>, 2 > data;",
    ] {
        assert!(printed.contains(&format!("    {line}\n")), "{line}: {printed}");
    }
    fs::write(folder.join("again.idl"), &printed).expect("a file");
    assert_eq!(schema(&folder, &["again.idl", "--idl"]).0, printed);
    let (rust, _) = schema(&folder, &["own.idl", "--rust"]);
    assert!(
        rust.contains("#[facet(max_items = 2, max_items_inside = \"3\")]\n    pub grid:"),
        "{rust}"
    );
    let (tree, _) = schema(&folder, &["own.idl", "M::Table"]);
    let cube = tree.lines().find(|it| it.trim_start().starts_with("cube ")).expect("a line");
    assert!(cube.ends_with("facet(max_items = \"2\") facet(max_items_inside = \"- 1\")"), "{cube}");
    let (_, told) = schema(&folder, &["own.idl", "--xsd"]);
    assert!(told.contains("facet(max_items_inside)"), "{told}");
    let (listing, _) = schema(&folder, &["own.idl", "M::Table", "--listing"]);
    fs::write(folder.join("own.listing"), &listing).expect("a file");
    assert_eq!(schema(&folder, &["own.listing", "--listing"]).0, listing);
}

#[test]
fn bases_and_what_is_inherited_are_listed() {
    let text = "module M {
  enum Color { RED, GREEN };
  const Color first = GREEN;
  const long MOST = 5;
  interface Base { enum Inner { A, B }; void ping(in Inner i); readonly attribute long x; };
  typedef Base Renamed;
  interface Other : Base { void pong(); };
  interface Derived : Renamed, Other { void own(); };
  valuetype Held supports Other { public long a; };
};
";
    let folder = folder("inherited", &[("own.idl", text)]);
    let listed = "module M
  enum Color  RED, GREEN
  const first  M::Color = GREEN
  const MOST  long = 5
  interface Base
    void ping(in M::Base::Inner i)
    readonly attribute long x
    enum Inner  A, B
  typedef Renamed  M::Base
  interface Other : M::Base
    void pong()
    void ping(in M::Base::Inner i)  of M::Base
    readonly attribute long x  of M::Base
  interface Derived : M::Renamed, M::Other
    void own()
    void ping(in M::Base::Inner i)  of M::Base
    readonly attribute long x  of M::Base
    void pong()  of M::Other
  valuetype Held : M::Other
    void pong()  of M::Other
    void ping(in M::Base::Inner i)  of M::Base
    readonly attribute long x  of M::Base
";
    assert_eq!(schema(&folder, &["own.idl"]).0, listed);
}

const MODULES: &str = "#include \"common.idl\"
module A {
  enum Side { BUY, SELL };
  module X { enum Deep { P, Q }; };
};
module B {
  const long MOST = 3;
  typedef long Id;
  enum Unused { NOTHING };
  enum Side { BUY, SELL };
  struct Order {
    A::Side of_a;
    A::X::Deep deep;
    Side own;
    Common::Kind sort;
    struct Leg { long a; } part;
  };
  interface I {
    enum Word { YES, NO };
    void say(in Word said, in A::Side side);
  };
};
";

#[test]
fn types_stay_in_their_modules_or_it_is_told() {
    let common = "module Common { enum Kind { ONE, TWO }; };";
    let folder = folder("modules", &[("own.idl", MODULES), ("common.idl", common)]);
    let (printed, told) = schema(&folder, &["own.idl", "--idl"]);
    fs::write(folder.join("again.idl"), &printed).expect("a file");
    let (again, _) = schema(&folder, &["again.idl", "--json"]);
    let names: Vec<String> = again
        .lines()
        .map(|it| serde_json::from_str::<serde_json::Value>(it).expect("JSON"))
        .filter(|it| it["kind"] != "module")
        .map(|it| {
            format!("{} {}", it["kind"].as_str().expect("text"), it["name"].as_str().expect("text"))
        })
        .collect();
    for expected in [
        "enum A::Side",
        "enum A::X::Deep",
        "enum B::Side",
        "enum Common::Kind",
        "struct B::Order",
        "struct B::Leg",
        "enum B::Word",
        "interface B::I",
    ] {
        assert!(names.iter().any(|it| it == expected), "{expected}: {printed}");
    }
    assert_eq!(names.len(), 8, "{names:?}");
    for line in ["::A::Side of_a;", "::A::X::Deep deep;", "::Common::Kind sort;", "Leg part;"] {
        assert!(printed.contains(&format!("    {line}\n")), "{line}: {printed}");
    }
    for expected in [
        "B::Order::Leg (own.idl:16) and one more: types of interfaces and structs are in the module around them",
        "B::MOST (own.idl:7): constants are in no message",
        "B::Id (own.idl:8): typedefs are written as what they stand for",
        "B::Unused (own.idl:9): an enumeration that is in no message is left out",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    // What comes of it is written by the same bytes.
    let json = r#"{"of_a":"SELL","deep":"Q","own":"BUY","sort":"TWO","part":{"a":7}}"#;
    let written = |file: &str| {
        let arguments =
            ["convert", "--from", "json", "--to", "cdr-be", "--type", "B::Order", "--schema"];
        run(&folder, &[&arguments[..], &[file]].concat(), format!("{json}\n"))
    };
    assert_eq!(written("own.idl").0, Some(0), "{}", written("own.idl").2);
    assert_eq!(written("own.idl"), written("again.idl"));
}

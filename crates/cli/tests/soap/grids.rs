//! Arrays of several dimensions, as they are described, called, answered and printed.

use std::fs;
use std::process::Command;

use super::said;
use super::served::Served;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
    xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><xsd:schema targetNamespace="urn:t">
    <xsd:complexType name="Grid"><xsd:complexContent><xsd:restriction base="enc:Array">
      <xsd:attribute ref="enc:arrayType" wsdl:arrayType="xsd:int[,]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
    <xsd:complexType name="Cube"><xsd:complexContent><xsd:restriction base="enc:Array">
      <xsd:attribute ref="enc:arrayType" wsdl:arrayType="xsd:string[,,]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
  </xsd:schema></types>
  <message name="In"><part name="m" type="t:Grid"/><part name="c" type="t:Cube"/></message>
  <portType name="T"><operation name="fill"><input message="t:In"/><output message="t:In"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="fill"><soap:operation soapAction="urn:t/fill"/>
      <input><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input>
      <output><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output>
    </operation></binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/fill"/></port></service>
</definitions>"#;

const ANSWER: &str = r#"{"m": [[1, 2], [3, 4]], "c": [[["a"], ["b"]], [["c"], ["d"]]]}"#;

const PRINTED: [&str; 8] = [
    "m[0].item[0] = 1",
    "m[0].item[1] = 2",
    "m[1].item[0] = 3",
    "m[1].item[1] = 4",
    "c[0].item[0].item[0] = a",
    "c[0].item[1].item[0] = b",
    "c[1].item[0].item[0] = c",
    "c[1].item[1].item[0] = d",
];

fn answers(served: &Served, name: &str, answer: &str) {
    let folder = served.folder.join("answers");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join(name), answer).expect("a file");
}

/// The call is one as it is printed, and what it answers is another.
#[test]
fn a_grid_is_typed_as_it_is_printed() {
    let mut served = Served::of("grids", WSDL);
    answers(&served, "fill.json", ANSWER);
    let line = served.start_all(&["--answers", "answers"]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let described = served.describe(url);
    let call = described.lines().find(|it| it.contains("soap call")).expect("a call").trim();
    assert!(call.ends_with(" fill 'm[0].item[0]=1' 'c[0].item[0].item[0]=text'"), "{call}");
    let call = call.replace('\'', "");
    let (status, out, err) = said(&call.split(' ').skip(3).collect::<Vec<_>>());
    assert_eq!((status, out.lines().collect::<Vec<_>>()), (Some(0), PRINTED.to_vec()), "{err}");

    let again: Vec<String> = out.lines().map(|it| it.replace(" = ", "=")).collect();
    let again: Vec<&str> = [url, "fill"].into_iter().chain(again.iter().map(|it| &**it)).collect();
    let (status, out, err) = said(&again);
    assert_eq!((status, out.lines().count()), (Some(0), 8), "{err}");
    let (status, envelope, err) = said(&[&again[..], &["--dry-run"]].concat());
    assert_eq!(status, Some(0), "{err}");
    for sizes in [":int[2,2]\"", ":string[2,2,1]\""] {
        assert!(envelope.contains(sizes), "no {sizes} in {envelope}");
    }

    // `decode` shows the same rows.
    fs::write(served.folder.join("fill.xml"), envelope).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(["decode", "--schema", "quotes.wsdl", "fill.xml"]).current_dir(&served.folder);
    let output = command.output().expect("the program runs");
    let shown = String::from_utf8(output.stdout).expect("text");
    let lines = shown.lines().skip(1).map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    let expected = [
        "m 2 entries",
        "[0] 1, 2",
        "[1] 3, 4",
        "c 2 entries",
        "[0] 2 entries",
        "[0] a",
        "[1] b",
        "[1] 2 entries",
        "[0] c",
        "[1] d",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected, "{shown}");
}

/// An answer that cannot be sent, or is none of the operation, is named before anything is served: where, and what it should be.
#[test]
fn an_answer_that_cannot_be_sent_is_named_at_the_start() {
    let served = Served::of("uneven", WSDL);
    let uneven = "the rows of an array of several dimensions have not all the same number of items";
    for (name, answer, place, why) in [
        (
            "fill.json",
            "{\"m\": [[1, 2],\n  [3]], \"c\": []}",
            "fill.json:2:3: m: ",
            format!("{uneven}: row 1 has 1, and the first 2"),
        ),
        (
            "fill.json",
            "{\"m\": [],\n \"c\": [[[\"a\"]],\n [[\"b\", \"c\"]]]}",
            "fill.json:3:3: c: ",
            format!("{uneven}: row 0 has 2, and the first 1"),
        ),
        (
            "fill.xml",
            "<!-- own -->\n<t:fillResponce xmlns:t='urn:t'><m/><c/></t:fillResponce>",
            "fill.xml:2:1: ",
            "expected the message fillResponse of \"urn:t\"".to_owned(),
        ),
    ] {
        answers(&served, name, answer);
        let error = served.failure(&["--answers", "answers"]);
        assert!(
            error.contains(place) && error.contains(&why),
            "{answer}: no {place}{why} in {error}"
        );
        let rule = format!("[[answer]]\noperation = 'fill'\nfile = 'answers/{name}'\n");
        fs::write(served.folder.join("rules.toml"), rule).expect("a file");
        let error = served.failure(&["--answers", "rules.toml"]);
        let rule = "rules.toml:3:8: answer 1, to fill: ";
        assert!(error.contains(rule) && error.contains(place), "{answer}: no {rule} in {error}");
    }
    let rule = "[[answer]]\noperation = 'fill'\nresponse = { m = [[1, 2],\n  [3]], c = [] }\n";
    fs::write(served.folder.join("rules.toml"), rule).expect("a file");
    let error = served.failure(&["--answers", "rules.toml"]);
    assert!(error.contains("rules.toml:4:3: answer 1, to fill: m: "), "{error}");
}

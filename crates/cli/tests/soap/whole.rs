//! Elements that are the whole message, and have a default or a fixed value (XML Schema part 1, section 3.3.4).

use std::fs;

use super::nil::run;
use super::said;
use super::served::Served;

fn wsdl() -> String {
    let operations = ["def", "fix", "word"];
    let all = |write: &dyn Fn(&str) -> String| operations.map(write).concat();
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
    <element name="def" type="int" default="7"/><element name="fix" type="string" fixed="F"/>
    <element name="word" type="string" default="w"/></schema></types>
  {}<portType name="T">{}</portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>{}</binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://h/whole"/></port></service>
</definitions>"#,
        all(&|name| format!(
            "<message name=\"{name}\"><part name=\"p\" element=\"t:{name}\"/></message>"
        )),
        all(&|name| format!(
            "<operation name=\"{name}\"><input message=\"t:{name}\"/><output message=\"t:{name}\"/></operation>"
        )),
        all(&|name| format!(
            "<operation name=\"{name}\"><soap:operation soapAction=\"urn:{name}\"/><input><soap:body use=\"literal\"/>\
             </input><output><soap:body use=\"literal\"/></output></operation>"
        )),
    )
}

const EXPECTED: [(&str, &str); 3] = [("def", "7"), ("fix", "\"F\""), ("word", "\"w\"")];

#[test]
fn an_empty_one_stands_for_its_value() {
    let served = Served::of("whole-converted", &wsdl());
    let convert = |from: &str, to: &str, input: &str| {
        let arguments =
            ["convert", "--from", from, "--to", to, "--check", "--schema", "quotes.wsdl"];
        run(&served, &arguments, input)
    };
    for (name, value) in EXPECTED {
        let expected = format!("{{\"{name}\":{{\"value\":{value}}}}}\n");
        for text in [
            format!("<{name} xmlns='urn:t'/>"),
            format!("<t:{name} xmlns:t='urn:t'></t:{name}>"),
            format!("<{name} xmlns='urn:t'><!-- nothing --></{name}>"),
        ] {
            let (status, out, err) = convert("xml", "json", &text);
            assert_eq!((status, &*out, &*err), (Some(0), &*expected, ""), "{text}");
            let (_, binary, err) = convert("xml", "fast-infoset", &text);
            let (_, out, _) = convert("fast-infoset", "json", &binary);
            assert_eq!((&*out, &*err), (&*expected, ""), "{text}");
        }
    }
    // Empty, it would become another.
    let (status, out, err) = convert("json", "xml", "{\"word\":{\"value\":\"\"}}");
    let why = "an element that is empty stands for the default";
    assert!((status, &*out) == (Some(1), "") && err.contains(why), "{out}{err}");
}

#[test]
fn an_empty_one_is_called_and_served() {
    let mut served = Served::of("whole-served", &wsdl());
    fs::create_dir(served.folder.join("answers")).expect("a folder");
    for (name, _) in EXPECTED {
        let path = served.folder.join(format!("answers/{name}.xml"));
        fs::write(path, format!("<{name} xmlns='urn:t'/>")).expect("a file");
    }
    let started = served.start_all(&["--answers", "answers"]);
    let url = started[0].split(' ').next().expect("a URL");
    for (name, value) in EXPECTED {
        let (status, out, err) = said(&[url, name, "--body", &format!("<{name} xmlns='urn:t'/>")]);
        let expected = format!("{name} = {}\n", value.trim_matches('"'));
        assert_eq!((status, out), (Some(0), expected), "{err}{}", served.log());
    }
}

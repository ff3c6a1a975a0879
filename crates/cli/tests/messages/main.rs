//! `trunkline decode` and `trunkline convert` of what users have: logs of FIX, envelopes, dumps; with a schema and
//! without.

mod matrix;
#[path = "../verbs/mod.rs"]
mod verbs;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use verbs::run_in as run;

const DICTIONARY: &str = "<fix major='4' minor='4'>
 <header>
  <field name='BeginString' required='Y'/><field name='BodyLength' required='Y'/>
  <field name='MsgType' required='Y'/><field name='SenderCompID' required='Y'/>
 </header>
 <trailer><field name='CheckSum' required='Y'/></trailer>
 <messages>
  <message name='NewOrderSingle' msgtype='D' msgcat='app'>
   <field name='ClOrdID' required='Y'/><field name='Side' required='Y'/>
   <component name='OrderQtyData' required='Y'/><field name='Price' required='N'/>
   <group name='NoPartyIDs' required='N'><field name='PartyID' required='Y'/></group>
   <field name='RawDataLength' required='N'/><field name='RawData' required='N'/>
  </message>
 </messages>
 <components><component name='OrderQtyData'><field name='OrderQty' required='Y'/></component></components>
 <fields>
  <field number='8' name='BeginString' type='STRING'/><field number='9' name='BodyLength' type='LENGTH'/>
  <field number='35' name='MsgType' type='STRING'/><field number='10' name='CheckSum' type='STRING'/>
  <field number='49' name='SenderCompID' type='STRING'/><field number='11' name='ClOrdID' type='STRING'/>
  <field number='54' name='Side' type='CHAR'>
   <value enum='1' description='BUY'/><value enum='2' description='SELL'/>
  </field>
  <field number='38' name='OrderQty' type='QTY'/><field number='44' name='Price' type='PRICE'/>
  <field number='453' name='NoPartyIDs' type='NUMINGROUP'/><field number='448' name='PartyID' type='STRING'/>
  <field number='95' name='RawDataLength' type='LENGTH'/><field number='96' name='RawData' type='DATA'/>
 </fields>
</fix>";

const ORDER: &str =
    "35=D|49=DESK|11=A1|54=1|38=100|44=6.350|9001=own|453=1|448=FUND 7|95=3|96=x\u{2}y|";

/// A message of FIX with its frame.
fn framed(body: &str) -> String {
    let body = body.replace('|', "\u{1}");
    let text = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
    let sum = text.bytes().map(u32::from).sum::<u32>() % 256;
    format!("{text}10={sum:03}\u{1}")
}

fn folder(test: &str) -> PathBuf {
    let folder = verbs::folder("messages", test);
    fs::write(folder.join("own.xml"), DICTIONARY).expect("a file");
    folder
}

/// Lines without what aligns them.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_log_is_shown_by_its_dictionary() {
    let folder = folder("dictionary");
    let order = framed(ORDER);
    let log = format!(
        "20260105-09:30:00.000 : Connected\n20260105-09:30:00.123 : {order}\n20260105-09:30:01.000 : {}\n",
        order.replace('\u{1}', "|")
    );
    fs::write(folder.join("session.log"), &log).expect("a file");
    let (status, out, err) = run(&folder, &["decode", "--schema", "own.xml", "session.log"], b"");
    assert_eq!(
        (status, &*err),
        (Some(0), "session.log: 2 messages; 1 line without one\n"),
        "{out}"
    );
    let first = log.find("8=FIX").expect("a message");
    let expected = [
        &format!(
            "session.log:2 (byte {first}): FIX.4.4, NewOrderSingle, MsgType D, {} bytes, behind \"20260105-09:30:00.123\"",
            order.len()
        ),
        "StandardHeader",
        "SenderCompID 49 DESK",
        "ClOrdID 11 A1",
        "Side 54 BUY (1)",
        "OrderQtyData",
        "OrderQty 38 100",
        "Price 44 6.350",
        "NoPartyIDs 453 1 entry",
        "[0]",
        "PartyID 448 FUND 7",
        "RawData 96 hex:780279",
        "9001 own (not described)",
    ];
    let shown = lines(&out);
    assert_eq!(shown[..expected.len()], expected, "{out}");
    assert!(shown[expected.len()].contains("\"|\" for SOH"), "{out}");
    assert_eq!(shown[1..expected.len()], shown[expected.len() + 1..], "both say the same");
}

#[test]
fn without_a_dictionary_fields_have_the_standards_names() {
    let folder = folder("names");
    let log = framed(ORDER).replace('\u{1}', "^A");
    let (status, out, err) = run(&folder, &["decode"], log.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""));
    let shown = lines(&out);
    assert!(shown[0].starts_with("-:1 (byte 0): FIX.4.4, NewOrderSingle, MsgType D, "), "{out}");
    for line in ["Side 54 1", "PartyID 448 FUND 7", "RawData 96 hex:780279", "9001 own"] {
        assert!(shown.iter().any(|it| it == line), "no {line} in {out}");
    }
}

#[test]
fn what_is_wrong_is_named_and_the_rest_is_shown() {
    let folder = folder("wrong");
    let order = framed(ORDER);
    let price = framed(&ORDER.replace("6.350", "6,35"));
    let side = framed(&ORDER.replace("54=1", "54=7"));
    let sum = order.replace("11=A1", "11=A2");
    let cut = &order[..60];
    let log = [&order, &price, &side, &sum, cut, &order].map(|it| format!("{it}\n")).concat();
    let (status, out, err) = run(&folder, &["decode", "--schema", "own.xml"], log.as_bytes());
    assert_eq!(status, Some(1), "{out}");
    assert_eq!(err, "-: 6 messages, 4 of them wrong\n");
    let wrong: Vec<_> = out.lines().filter_map(|it| it.strip_prefix("  wrong: ")).collect();
    assert_eq!(wrong.len(), 4, "{out}");
    for (said, expected) in wrong.iter().zip([
        "Price at byte 49: expected a decimal number",
        "Side at byte ",
        "CheckSum at byte ",
        "at byte 60: the message ends where CheckSum (10=)",
    ]) {
        assert!(said.starts_with(expected), "{said}");
    }
    assert_eq!(out.matches("NewOrderSingle").count(), 5, "{out}");
    // Without a dictionary, the frame is checked.
    let (status, out, _) = run(&folder, &["decode"], log.as_bytes());
    assert_eq!((status, out.matches("  wrong: ").count()), (Some(1), 2), "{out}");
    // What is missing, by its name.
    let missing = framed("35=D|49=DESK|54=1|38=100|");
    let (_, out, _) = run(&folder, &["decode", "-s", "own.xml"], missing.as_bytes());
    assert!(out.contains("  wrong: ClOrdID at byte ") && out.contains("is missing"), "{out}");
    let other = framed("35=Z|49=DESK|");
    let (_, out, _) = run(&folder, &["decode", "-s", "own.xml"], other.as_bytes());
    assert!(
        out.contains("wrong: the description has no message \"Z\"; it has NewOrderSingle"),
        "{out}"
    );
}

const ENVELOPE: &str = "<?xml version='1.0' encoding='ISO-8859-1'?>
<s:Envelope xmlns:s='http://www.w3.org/2003/05/soap-envelope'><s:Header><h:id xmlns:h='urn:h'>7</h:id></s:Header>
<s:Body><q:quote xmlns:q='urn:quotes' side='buy'><q:symbol>IBM</q:symbol><q:note>a &lt; b</q:note></q:quote></s:Body>
</s:Envelope>";

#[test]
fn an_envelope_is_shown_as_a_tree() {
    let folder = folder("envelope");
    let (status, out, err) = run(&folder, &["decode"], ENVELOPE.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""));
    let shown = lines(&out);
    assert_eq!(
        shown[0],
        format!("-:1 (byte 0): SOAP 1.2, ISO-8859-1, quote, {} bytes", ENVELOPE.len())
    );
    let expected = [
        "Envelope {http://www.w3.org/2003/05/soap-envelope}",
        "Header",
        "id {urn:h} 7",
        "Body",
        "quote {urn:quotes}",
        "@side buy",
        "symbol IBM",
        "note a < b",
    ];
    assert_eq!(shown[1..], expected, "{out}");
    let log = format!("10:00 sent {}\n10:01 done\n", ENVELOPE.replace('\n', " "));
    let (status, out, err) = run(&folder, &["decode"], log.as_bytes());
    assert_eq!((status, &*err), (Some(0), "-: 1 message; 1 line without one\n"));
    assert_eq!(lines(&out)[1..], expected, "{out}");
    // One that is cut is shown as far as it goes.
    let wrong = ENVELOPE.replace("</q:note>", "</q:nota>");
    let (status, out, _) = run(&folder, &["decode"], wrong.as_bytes());
    assert_eq!(status, Some(1));
    assert!(out.contains("symbol") && out.contains("  wrong: "), "{out}");
}

#[test]
fn objects_of_json_are_lines() {
    let folder = folder("objects");
    let lines = "{\"NewOrderSingle\": {\"Side\": \"BUY\"}}\n{\"a\": 1.50}\n{\"a\" 1}\n";
    let (status, out, err) = run(&folder, &["decode"], lines.as_bytes());
    assert_eq!((status, &*err), (Some(1), "-: 3 messages, 1 of them wrong\n"), "{out}");
    assert!(out.contains("\n  {\"a\": 1.50}\n") && out.contains("wrong: expected"), "{out}");
    let (_, out, _) = run(&folder, &["decode", "--json"], lines.as_bytes());
    assert!(out.contains("\"message\":{\"a\": 1.50}"), "{out}");
    let (status, out, _) = run(&folder, &["decode", "-s", "own.xml"], lines.as_bytes());
    assert_eq!((status, out.matches("wrong: ").count()), (Some(1), 3), "{out}");
    assert!(out.contains("a required field is missing"), "{out}");
}

#[test]
fn dumps_and_compressed_logs_are_read() {
    let folder = folder("dumps");
    let order = framed(ORDER);
    let hex: String = order.bytes().map(|it| format!("{it:02x}")).collect();
    let expected = lines(&run(&folder, &["decode"], order.as_bytes()).1)[1..].to_vec();
    let (status, out, _) = run(&folder, &["decode"], format!("{hex}\n").as_bytes());
    assert_eq!((status, &lines(&out)[1..]), (Some(0), &expected[..]), "{out}");
    assert!(out.contains("in hexadecimal"), "{out}");
    let mut dump = String::new();
    for (index, row) in order.as_bytes().chunks(16).enumerate() {
        let pairs: Vec<_> = row.iter().map(|it| format!("{it:02x}")).collect();
        let shown = |it: &u8| if it.is_ascii_graphic() { char::from(*it) } else { '.' };
        let text: String = row.iter().map(shown).collect();
        dump += &format!("{:08x}  {}  |{text}|\n", 16 * index, pairs.join(" "));
    }
    let (status, out, _) = run(&folder, &["decode"], dump.as_bytes());
    assert_eq!((status, &lines(&out)[1..]), (Some(0), &expected[..]), "{out}");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(order.as_bytes()).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let (status, out, err) = run(&folder, &["decode"], &gzip);
    assert_eq!((status, &lines(&out)[1..]), (Some(0), &expected[..]), "{out}");
    assert!(err.contains("compressed by gzip"), "{err}");
}

#[test]
fn cdr_is_shown_by_idl_and_in_hexadecimal_without() {
    let folder = folder("cdr");
    let idl = "module Trading { enum Side { buy, sell }; struct Order { string id; Side kind; sequence<long> lots; }; };";
    fs::write(folder.join("own.idl"), idl).expect("a file");
    let bytes = b"\0\0\0\x03A1\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x64";
    fs::write(folder.join("order.bin"), bytes).expect("a file");
    let by_idl =
        ["decode", "--schema", "own.idl", "--type", "Trading::Order", "--format", "cdr-be"];
    let (status, out, err) = run(&folder, &[&by_idl[..], &["order.bin"]].concat(), b"");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert_eq!(
        lines(&out),
        ["order.bin:1 (byte 0): cdr-be, Order, 20 bytes", "id A1", "kind sell", "lots 100"]
    );
    // A dump of it, one a line.
    let hex: String = bytes.iter().map(|it| format!("{it:02x}")).collect();
    let (status, out, _) = run(&folder, &by_idl, format!("{hex}\n{hex}\n").as_bytes());
    assert_eq!((status, out.matches("kind").count()), (Some(0), 2), "{out}");
    let (status, out, _) = run(&folder, &["decode", "order.bin"], b"");
    assert_eq!(status, Some(1));
    assert!(out.contains("of no format that is known, 20 bytes"), "{out}");
    assert!(out.contains("000010  00 00 00 64"), "{out}");
    let (status, out, _) = run(&folder, &[&by_idl[..], &["order.bin"]].concat(), b"");
    assert_eq!(status, Some(0), "{out}");
}

#[test]
fn a_stream_that_does_not_end_is_shown_as_it_comes_and_memory_is_bounded() {
    let folder = folder("long");
    let order = framed(ORDER);
    let log = format!("{order}\n").repeat(20_000);
    let (status, out, _) = run(&folder, &["decode", "-s", "own.xml"], log.as_bytes());
    assert_eq!((status, out.matches("ClOrdID").count()), (Some(0), 20_000));
}

fn convert(
    folder: &Path,
    from: &str,
    to: &str,
    more: &[&str],
    input: &[u8],
) -> (Option<i32>, String, String) {
    let arguments = ["convert", "--from", from, "--to", to, "--schema", "own.xml"];
    run(folder, &[&arguments[..], more].concat(), input)
}

const DESCRIBED: &str =
    "35=D|49=DESK|11=A1|54=1|38=100|44=6.350|453=2|448=FUND 7|448=B|95=3|96=x\u{2}y|";

#[test]
fn a_message_goes_through_every_format_and_back() {
    let folder = folder("formats");
    let order = framed(DESCRIBED);
    let second = framed("35=D|49=DESK|11=\u{e4}\"<&\\|54=2|38=1|");
    let log = format!("10:00 {order}\n10:01 {second}\n");
    let back = format!("{order}{second}");
    for format in ["json", "xml", "soap-1.1", "soap-1.2", "fast-infoset"] {
        let (status, there, err) = convert(&folder, "fix", format, &[], log.as_bytes());
        assert_eq!((status, &*err, there.lines().count()), (Some(0), "", 2), "{format}: {there}");
        let (status, again, err) = convert(&folder, format, "fix", &["--framed"], there.as_bytes());
        assert_eq!((status, &*err, &again), (Some(0), "", &back), "{format}: {there}");
        let (status, again, err) = convert(&folder, format, "json", &[], there.as_bytes());
        assert_eq!((status, &*err), (Some(0), ""), "{format}: {there}");
        let json = convert(&folder, "fix", "json", &[], log.as_bytes()).1;
        assert_eq!(again, json, "{format}");
    }
    for format in ["cdr-le", "cdr-be"] {
        let (status, there, err) = convert(&folder, "fix", format, &[], log.as_bytes());
        assert_eq!((status, &*err, there.lines().count()), (Some(0), "", 2), "{format}: {there}");
        let of_type = ["--framed", "--type", "NewOrderSingle"];
        let (status, again, err) = convert(&folder, format, "fix", &of_type[1..], there.as_bytes());
        // CDR carries prices as doubles, which have no zeros behind the last digit.
        let short = framed(&DESCRIBED.replace("6.350", "6.35"));
        assert_eq!(
            (status, &*err, again),
            (Some(0), "", format!("{short}\n{second}\n")),
            "{there}"
        );
    }
}

#[test]
fn json_is_what_the_guide_says() {
    let folder = folder("json");
    let order = framed(ORDER);
    let (status, out, err) = convert(&folder, "fix", "json", &[], order.as_bytes());
    let expected = "{\"NewOrderSingle\":{\"StandardHeader\":{\"SenderCompID\":\"DESK\"},\"ClOrdID\":\"A1\",\
                    \"Side\":\"BUY\",\"OrderQtyData\":{\"OrderQty\":100},\"Price\":6.350,\
                    \"NoPartyIDs\":[{\"PartyID\":\"FUND 7\"}],\"RawData\":\"eAJ5\",\"9001\":\"own\"}}\n";
    assert_eq!((status, &*err, &*out), (Some(0), "", expected));
    let (_, quoted, _) = convert(&folder, "fix", "json", &["--quoted"], order.as_bytes());
    assert!(
        quoted.contains("\"OrderQty\":\"100\"") && quoted.contains("\"Price\":\"6.350\""),
        "{quoted}"
    );
    // Written by others: any order, white space, numbers as strings, the message alone.
    let other = "{ \"Price\" : \"6.350\", \"Side\":\"BUY\",\"NoPartyIDs\":[ {\"PartyID\":\"FUND 7\"} ], \"RawData\":\"eAJ5\",\
                 \"ClOrdID\":\"A1\",\"OrderQtyData\":{\"OrderQty\":100},\"StandardHeader\":{\"SenderCompID\":\"DESK\"},\"9001\":\"own\"}\n";
    for (json, more) in [(expected, vec![]), (&quoted, vec![]), (other, vec!["--type", "D"])] {
        let (status, out, err) = convert(&folder, "json", "fix", &more, json.as_bytes());
        assert_eq!((status, &*err), (Some(0), ""), "{json}");
        assert_eq!(out.trim_end(), order, "{json}");
    }
}

#[test]
fn what_a_format_cannot_hold_is_named_and_nothing_is_lost_silently() {
    let folder = folder("lost");
    let order = framed(ORDER);
    for (from, to, input, expected) in [
        (
            "fix",
            "xml",
            &*order,
            "1 field or element is not described (9001), and xml does not hold such",
        ),
        (
            "fix",
            "cdr-le",
            &order,
            "1 field or element is not described (9001), and cdr-le does not hold such",
        ),
        (
            "json",
            "fix",
            "{\"NewOrderSingle\":{\"StandardHeader\":{\"SenderCompID\":\"D\"},\"ClOrdID\":\"\",\"Side\":\"BUY\",\
             \"OrderQtyData\":{\"OrderQty\":1}}}\n",
            "as fix: ClOrdID at byte",
        ),
        (
            "json",
            "fix",
            "{\"NewOrderSingle\":{\"Sides\":1}}\n",
            "Sides at byte 19: the schema does not know it, and unknown content is rejected",
        ),
        (
            "json",
            "fix",
            "{\"NewOrderSingle\":{\"OrderQtyData\":{\"OrderQty\":\"many\"}}}\n",
            "OrderQtyData/OrderQty at byte ",
        ),
        (
            "json",
            "fix",
            "{\"Order\":{}}\n",
            "the description has no message \"Order\"; it has NewOrderSingle",
        ),
        (
            "xml",
            "json",
            "<NewOrderSingle><StandardHeader><SenderCompID>D</SenderCompID></StandardHeader><ClOrdID>1</ClOrdID>\
             <Side>BUY</Side><OrderQtyData><OrderQty>1</OrderQty></OrderQtyData><Own>x</Own></NewOrderSingle>",
            "1 field or element is not described (<Own>x</Own>), and json does not hold such",
        ),
    ] {
        let good = framed(DESCRIBED);
        let (status, out, err) = convert(&folder, from, to, &[], input.as_bytes());
        assert_eq!((status, &*out), (Some(1), ""), "{from} to {to}: {err}");
        let said = err.strip_prefix("-:1 (byte 0): ").unwrap_or(&err);
        assert!(said.starts_with(expected) && err.lines().count() == 1, "{err}");
        if from == "fix" {
            let both = format!("{order}\n{good}\n");
            let (status, out, _) = convert(&folder, from, to, &[], both.as_bytes());
            assert_eq!((status, out.lines().count()), (Some(1), 1), "the other one goes on");
        }
    }
    let cdr = convert(&folder, "cdr-le", "json", &[], b"0700000042414e5a41490000\n");
    assert!(cdr.2.contains("wrong") || cdr.0 == Some(1), "{cdr:?}");
}

#[test]
fn frames_of_cdr_are_read_and_written() {
    let folder = folder("frames");
    let order = framed(DESCRIBED.replace("6.350", "6.35").as_str());
    let log = order.repeat(3);
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    let arguments =
        ["convert", "--from", "fix", "--to", "cdr-be", "--schema", "own.xml", "--framed"];
    fs::write(folder.join("log"), &log).expect("a file");
    let output =
        command.args(arguments).arg("log").current_dir(&folder).output().expect("it starts");
    assert!(output.status.success());
    let frames = output.stdout;
    let length = u32::from_le_bytes(*frames.first_chunk().expect("a length")) as usize;
    assert_eq!(frames.len(), 3 * (4 + length));
    let of_type = ["--framed", "--type", "D"];
    let (status, back, err) = convert(&folder, "cdr-be", "fix", &of_type, &frames);
    assert_eq!((status, &*err, back), (Some(0), "", log));
    let (status, back, err) =
        convert(&folder, "cdr-be", "fix", &of_type, &frames[..frames.len() - 1]);
    assert_eq!((status, back), (Some(1), order.repeat(2)));
    assert!(err.contains("the input ends within a message"), "{err}");
}

#[test]
fn what_messages_cost_is_told_for_every_format() {
    let folder = folder("cost");
    let log = format!("{}\n{}\nnothing\n", framed(DESCRIBED), framed(DESCRIBED));
    let measure = ["lab", "message", "-", "--schema", "own.xml", "--repetitions", "1"];
    let (status, out, err) = run(&folder, &measure, log.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let rows: Vec<_> = lines(&out)[2..].to_vec();
    assert_eq!(rows.len(), 8, "{out}");
    let bytes = framed(DESCRIBED).len();
    let fix = format!("NewOrderSingle fix 2 {bytes}");
    assert!(rows[0].starts_with(&fix), "{out}");
    let (status, out, _) = run(&folder, &[&measure[..], &["--json"]].concat(), log.as_bytes());
    assert_eq!((status, out.lines().count()), (Some(0), 8), "{out}");
    let fact: serde_json::Value =
        serde_json::from_str(out.lines().next().expect("a fact")).expect("JSON");
    assert_eq!((&fact["format"], &fact["messages"]), (&"fix".into(), &2.into()), "{out}");
    let (status, _, err) = run(&folder, &measure, b"8=FIX.4.4|9=5|35=0|10=1|");
    assert_eq!(status, Some(2), "{err}");
}

#[test]
fn what_messages_take_on_links_and_at_a_rate_is_told() {
    let folder = folder("links");
    let log = format!("{}\n{}\n", framed(DESCRIBED), framed(DESCRIBED));
    let measure = ["lab", "message", "-", "--schema", "own.xml", "--repetitions", "1"];
    let more = ["--link", "direct,1mbit-2ms", "--rate", "1k"];
    let (status, out, err) = run(&folder, &[&measure[..], &more].concat(), log.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert_eq!(lines(&out).len(), 3 * (2 + 8) + 2, "{out}");
    let options = [&measure[..], &more, &["--json"]].concat();
    let (status, out, err) = run(&folder, &options, log.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let facts: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |fact: &str| facts.iter().filter(|it| it["fact"] == fact).collect::<Vec<_>>();
    assert_eq!(
        ["message_in_format", "message_over_link", "message_at_rate"].map(|it| of(it).len()),
        [8, 16, 8]
    );
    for it in of("message_over_link") {
        let trip = it["round_trip_ns"].as_f64().expect("a time");
        let carried = it["messages_per_second"].as_f64();
        match it["link"].as_str() {
            Some("direct") => assert_eq!(carried, None),
            _ => {
                // There and back, the delay and the time of its bytes.
                let carried = carried.expect("it has a rate");
                assert!(trip >= 2.0 * (2e6 + 1e9 / carried), "{it}");
            }
        }
    }
    let fix = framed(DESCRIBED).len() as f64;
    let of_fix = of("message_at_rate")[0];
    assert_eq!(of_fix["wire_bits_per_second"].as_f64(), Some((fix + 78.0) * 8e3));
}

#[test]
fn instructions_of_messages_are_counted_where_valgrind_is() {
    let folder = folder("instructions");
    fs::write(folder.join("orders.log"), framed(DESCRIBED)).expect("a folder for the test");
    let measure = ["lab", "message", "orders.log", "--schema", "own.xml", "--repetitions", "1"];
    let options = [&measure[..], &["--instructions", "--json"]].concat();
    let (status, out, err) = run(&folder, &options, b"");
    if status == Some(2) && err.contains("valgrind is not there") {
        return trunkline_tests::skip::skip(
            "valgrind is not there; Debian has it in the package valgrind",
        );
    }
    assert_eq!(status, Some(0), "{out}{err}");
    // It takes a while, so that it is said what is counted.
    let said = "counting instructions under Valgrind, of 1 type of message in up to 8 formats: some seconds for each\n";
    assert!(err.starts_with(said) && err.contains("\ncounting NewOrderSingle as fix\n"), "{err}");
    for line in out.lines() {
        let fact: serde_json::Value = serde_json::from_str(line).expect("JSON");
        for key in ["encode_instructions", "decode_instructions"] {
            assert!(fact[key].as_f64().expect("a count") > 100.0, "{line}");
        }
    }
}

#[test]
fn facts_have_all_keys() {
    let folder = folder("facts");
    let log = format!("{}\n{}\n", framed(ORDER), framed(&ORDER.replace("6.350", "x")));
    let (status, out, _) = run(&folder, &["decode", "--json", "-s", "own.xml"], log.as_bytes());
    assert_eq!(status, Some(1));
    let facts: Vec<serde_json::Value> =
        out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    assert_eq!(facts.len(), 2);
    assert_eq!(facts[0]["message"]["NewOrderSingle"]["Side"], "BUY");
    assert!(facts[0]["wrong"].is_null() && facts[0]["fields"].is_null());
    assert!(facts[1]["wrong"].as_str().is_some_and(|it| it.starts_with("Price at byte ")), "{out}");
    assert_eq!(
        facts[1]["fields"][2],
        serde_json::json!({"tag": 35, "name": "MsgType", "value": "D", "value_hex": null})
    );
    let keys = |it: &serde_json::Value| it.as_object().map(|it| it.len());
    assert_eq!(keys(&facts[0]), keys(&facts[1]));
    assert!(out.contains("\"Price\":6.350"), "digits stay as they are: {out}");
}

const SERVICE: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:q" xmlns:q="urn:q"
 xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
 <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:q" elementFormDefault="qualified">
  <element name="ask"><complexType><sequence>
   <element name="symbol" type="string" maxOccurs="unbounded"/>
  </sequence><attribute name="side" type="string"/></complexType></element>
  <element name="answer"><complexType><sequence><element name="price" type="decimal"/></sequence></complexType></element>
 </schema></types>
 <message name="ask"><part name="body" element="q:ask"/></message>
 <message name="answer"><part name="body" element="q:answer"/></message>
 <portType name="T"><operation name="get"><input message="q:ask"/><output message="q:answer"/></operation></portType>
 <binding name="B" type="q:T"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="get"><soap:operation soapAction="urn:get"/>
   <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
 <service name="Quotes"><port name="Port" binding="q:B"><soap:address location="http://h/q"/></port></service>
</definitions>"#;

#[test]
fn envelopes_are_read_by_the_services_description() {
    let folder = folder("service");
    fs::write(folder.join("quotes.wsdl"), SERVICE).expect("a file");
    let envelope = |body: &str| {
        format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns='urn:q'><e:Body>{body}</e:Body></e:Envelope>"
        )
    };
    let ask = envelope("<ask side='buy'><symbol>IBM</symbol><symbol>SAP</symbol></ask>");
    let answer = envelope("<answer><price>182.350</price></answer>");
    let log = format!("10:00 sent {ask}\n10:01 received {answer}\n");
    let (status, out, err) = run(&folder, &["decode", "--schema", "quotes.wsdl"], log.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let shown = lines(&out);
    assert!(shown[0].contains("SOAP 1.1, UTF-8, ask, "), "{out}");
    for line in ["symbol IBM, SAP", "side buy", "price 182.350"] {
        assert!(shown.iter().any(|it| it == line), "no {line} in {out}");
    }
    let to = |from: &str, to: &str, input: &str| {
        let arguments = ["convert", "--from", from, "--to", to, "--schema", "quotes.wsdl"];
        let (status, out, err) = run(&folder, &arguments, input.as_bytes());
        assert_eq!((status, &*err), (Some(0), ""), "{from} to {to}: {out}");
        out
    };
    let json = to("soap-1.1", "json", &format!("{ask}\n{answer}\n"));
    let expected = "{\"ask\":{\"symbol\":[\"IBM\",\"SAP\"],\"side\":\"buy\"}}\n{\"answer\":{\"price\":182.350}}\n";
    assert_eq!(json, expected);
    for format in ["soap-1.1", "soap-1.2", "fast-infoset", "xml"] {
        assert_eq!(to(format, "json", &to("json", format, &json)), json, "{format}");
    }
    // Faults, and Bodies with nothing inside, are no messages of the description, and not wrong.
    let fault = envelope(
        "<e:Fault xmlns=''><faultcode>e:Server</faultcode><faultstring>no</faultstring></e:Fault>",
    );
    let (status, out, err) = run(
        &folder,
        &["decode", "-s", "quotes.wsdl"],
        format!("{fault}\n{}\n", envelope("")).as_bytes(),
    );
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert!(lines(&out).iter().any(|it| it == "faultstring no"), "{out}");
    // An element that the description does not have.
    let other = envelope("<order/>");
    let (status, out, _) = run(&folder, &["decode", "--schema", "quotes.wsdl"], other.as_bytes());
    assert_eq!(status, Some(1));
    assert!(out.contains("wrong: the description has no message \"order\"; it has get"), "{out}");
}

#[test]
fn a_listing_of_samples_reads_them_with_their_namespace() {
    let folder = folder("samples");
    let order = "<ns:Order xmlns:ns=\"urn:a\"><ns:Id>7</ns:Id></ns:Order>";
    let login = "<h:Login xmlns:h=\"urn:h\">FUND</h:Login>";
    let envelope = format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Header>{login}</s:Header>\
         <s:Body>{order}</s:Body></s:Envelope>"
    );
    fs::write(folder.join("order.xml"), order).expect("a file");
    fs::write(folder.join("envelope.xml"), &envelope).expect("a file");
    let (_, listing, _) = run(&folder, &["schema", "order.xml", "--listing"], b"");
    assert!(listing.contains("note-type\txml\telement_namespace\turn:a\n"), "{listing}");
    fs::write(folder.join("order.listing"), &listing).expect("a file");
    let (_, tree, err) = run(&folder, &["schema", "envelope.xml"], b"");
    assert!(tree.starts_with("Order  ") && tree.contains("\nLogin\n"), "{tree}");
    assert!(!tree.contains("Envelope"), "{tree}");
    let said = "Login: a header block, in 1 of 1 envelopes, described by itself";
    assert!(err.contains(said), "{err}");
    for (format, text) in [("xml", order), ("soap-1.1", &envelope)] {
        let to_json = ["convert", "--from", format, "--to", "json", "--schema", "order.listing"];
        let to_json = [&to_json[..], &["--drop-headers"]].concat();
        let (status, json, err) = run(&folder, &to_json, text.as_bytes());
        assert_eq!((status, &*json), (Some(0), "{\"Order\":{\"Id\":7}}\n"), "{err}");
        let back = ["convert", "--from", "json", "--to", format, "--schema", "order.listing"];
        let (status, again, err) = run(&folder, &back, json.as_bytes());
        assert_eq!(status, Some(0), "{err}");
        assert!(again.contains("<Order xmlns=\"urn:a\"><Id>7</Id></Order>"), "{again}");
    }
    let (status, out, _) = run(&folder, &["decode", "-s", "order.listing", "envelope.xml"], b"");
    assert_eq!(status, Some(0), "{out}");
    let other = order.replace("urn:a", "urn:b");
    let (status, out, _) = run(&folder, &["decode", "-s", "order.listing"], other.as_bytes());
    assert_eq!(status, Some(1), "{out}");
}

#[test]
fn what_a_message_does_not_say_is_asked_for() {
    let folder = folder("not-said");
    let idl = "struct A { long x; }; struct B { long x; long y; };";
    fs::write(folder.join("own.idl"), idl).expect("a file");
    let (status, out, _) = run(&folder, &["decode", "--format", "cdr-be"], b"0000000700000008\n");
    assert_eq!(status, Some(0));
    let expected = "-:1 (byte 0): cdr-be, whose fields are shown with --schema and --type, 8 bytes, in hexadecimal\n  000000  00 00 00 07  00 00 00 08";
    assert!(out.starts_with(expected), "{out}");

    let json = ["convert", "--from", "json", "--to", "cdr-be", "--schema", "own.idl"];
    let (status, _, err) = run(&folder, &json, b"{\"x\": 7, \"y\": 8}\n");
    assert_eq!(status, Some(1));
    assert!(err.contains("json does not say which message it is: put it into an object"), "{err}");
    for input in ["{\"B\": {\"x\": 7, \"y\": 8}}\n", "{\"x\": 7, \"y\": 8}\n"] {
        let named = input.starts_with("{\"B");
        let arguments = [&json[..], if named { &[] } else { &["--type", "B"] }].concat();
        let (status, out, err) = run(&folder, &arguments, input.as_bytes());
        assert_eq!((status, &*out), (Some(0), "0000000700000008\n"), "{err}");
    }
    let (_, _, err) = run(&folder, &[&json[..], &["--type", "Bb"]].concat(), b"{\"x\": 7}\n");
    assert!(err.contains("has no message \"Bb\"; it has A, B; did you mean B?"), "{err}");
}

/// An error of a value has the value, and what the schema takes in its place.
#[test]
fn a_wrong_value_is_told_with_what_may_stand_there() {
    let folder = folder("values");
    let venue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/venue");
    let venue = |file: &str| venue.join(file).to_str().expect("text").to_owned();
    let fix = ["convert", "--from", "fix", "--to", "json", "--schema", &venue("venue.xml")];
    let log = fs::read_to_string(venue("session.log")).expect("a log");
    let (_, json, err) = run(&folder, &fix, log.as_bytes());
    assert!(err.contains("an unexpected character at 1; it is \"1OO\"\n"), "{err}");
    let back = ["convert", "--from", "json", "--to", "fix", "--schema", &venue("venue.xml")];
    let bay = json.replace("\"BUY\"", "\"BAY\"");
    let (status, _, err) = run(&folder, &back, bay.as_bytes());
    assert_eq!(status, Some(1));
    assert!(err.contains("; it is \"BAY\", and it takes BUY, SELL\n"), "{err}");
    // Of FIX by its codes. The check sum is that of the message that was changed.
    let order = "8=FIX.4.4|9=115|35=D|49=DESK7|56=VENUE|34=2|52=20260105-09:30:01.456|11=ORD-1|55=IBM|54=9|\
        38=100|44=182.350|453=1|448=FUND 7|452=3|10=242|";
    let (status, _, err) = run(&folder, &fix, order.as_bytes());
    assert_eq!(status, Some(1));
    assert!(
        err.contains("expected a value of Side, not \"9\"; it takes 1 (BUY), 2 (SELL)\n"),
        "{err}"
    );
}

/// A file in which nothing is recognised is not what was meant.
#[test]
fn what_holds_no_message_is_no_success() {
    let folder = folder("no-message");
    let (status, out, err) = run(&folder, &["decode"], b"dear all,\nthe orders are attached\n");
    assert_eq!((status, &*out), (Some(1), ""));
    assert_eq!(err, "-: 0 messages; 2 lines without one\n");
    // Nothing at all is no log with something else.
    assert_eq!(run(&folder, &["decode"], b"").0, Some(0));
}

/// A dictionary of a version that is none of FIX's is told to have another one.
#[test]
fn a_dictionary_says_which_version_it_is_of() {
    let folder = folder("versions");
    let dictionary = |root: &str| {
        format!(
            "<fix {root}><header/><trailer/><messages><message name='Note' msgtype='B' msgcat='app'>\
             <field name='Text' required='Y'/></message></messages><fields>\
             <field number='58' name='Text' type='STRING'/></fields></fix>"
        )
    };
    for (root, version, said) in [
        (
            "type='FIX' major='5' minor='0' servicepack='2'",
            "type=\"FIX\" major=\"5\" minor=\"0\" servicepack=\"2\"",
            "",
        ),
        (
            "type='FIXT' major='1' minor='1'",
            "type=\"FIXT\" major=\"1\" minor=\"1\" servicepack=\"0\"",
            "",
        ),
        (
            "type='Order Entry' major='3' minor='1'",
            "type=\"FIX\" major=\"4\" minor=\"4\" servicepack=\"0\"",
            "said otherwise: the version: \"Order Entry.3.1 SP0\" is no version of FIX, and that is FIX 4.4 here\n",
        ),
    ] {
        fs::write(folder.join("own.xml"), dictionary(root)).expect("a file");
        let (status, out, err) = run(&folder, &["schema", "own.xml", "--fix"], b"");
        assert_eq!((status, &*err), (Some(0), said), "{root}");
        assert!(out.starts_with(&format!("<fix {version}>")), "{root}: {out}");
    }
    fs::write(folder.join("own.listing"), "message Note B\nfield Text 58 text required\nend\n")
        .expect("a file");
    let (status, _, err) = run(&folder, &["schema", "own.listing", "--fix"], b"");
    assert_eq!(status, Some(0), "{err}");
    assert!(
        err.contains("the version: it says no version of FIX, and that is FIX 4.4 here"),
        "{err}"
    );
}

/// Windows writes text so: each character in two bytes, behind a mark.
#[test]
fn logs_in_utf_16_are_read() {
    let folder = folder("utf-16");
    let text = format!(
        "10:00 sent {}\r\n10:01 nothing\r\n10:02 sent {}\r\n",
        framed(ORDER),
        framed("35=D|49=D\u{fc}sk|11=A2|54=2|38=5|")
    );
    let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let decode = ["decode", "-s", "own.xml"];
    let (status, expected, _) = run(&folder, &decode, &text);
    assert_eq!(status, Some(0), "{expected}");
    assert!(expected.contains("FUND 7") && expected.contains("D\u{fc}sk"), "{expected}");
    for (bytes, charset) in [
        ([b"\xff\xfe", &*little(&text)].concat(), "UTF-16LE"),
        ([b"\xfe\xff", &*big(&text)].concat(), "UTF-16BE"),
        (little(&text), "UTF-16LE"),
        (big(&text), "UTF-16BE"),
    ] {
        let (status, out, err) = run(&folder, &decode, &bytes);
        assert_eq!((status, &out), (Some(0), &expected), "{err}");
        assert!(err.contains(&format!("in {charset}, read as UTF-8")), "{err}");
        let convert = ["convert", "--from", "fix", "--to", "json", "-s", "own.xml"];
        let (status, json, err) = run(&folder, &convert, &bytes);
        assert_eq!((status, json.lines().count()), (Some(0), 2), "{err}");
        // It ends within a character.
        let (status, _, err) = run(&folder, &decode, &bytes[..bytes.len() - 1]);
        assert_eq!(status, Some(2), "{err}");
        assert!(err.contains(charset) && err.contains("ends within a character"), "{err}");
    }
    let json = [b"\xff\xfe", &*little("{\"NewOrderSingle\":{}}\n")].concat();
    let (_, out, _) = run(&folder, &["decode"], &json);
    assert!(out.contains("JSON"), "{out}");
}

//! SOAP decoders that read messages of several senders in turn, whose headers vary, with something
//! unknown in them now and then: each is read as if it were the first, by the parser alone.

use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh, MdEntry};
use trunkline_message::Structure;
use trunkline_random::Random;
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style};
use trunkline_wire::Code;

/// Prefixes of envelopes.
const SENDERS: [&str; 7] = ["SOAP-ENV", "S", "T", "averylongprefix", "soapenv", "env", "e"];

/// What may stand in a Header, with a number in it.
const BLOCKS: [&str; 14] = [
    "",
    " ",
    "<!-- # -->",
    "<a:MessageID xmlns:a='http://www.w3.org/2005/08/addressing'>urn:uuid:#</a:MessageID>",
    "<id>#</id><id>#</id>",
    "<id xmlns='urn:own' lang='#'><id/></id>",
    "<e:id xmlns:e='urn:own' xmlns:averyverylongprefix#='urn:#'>#</e:id>",
    "<id xmlns:a='urn:1' xmlns:b='urn:2' xmlns:c='urn:3' xmlns:d='urn:4' xmlns:f='urn:5' \
     xmlns:g='urn:6' xmlns:h='urn:7' xmlns:i='urn:8' xmlns:j='urn:9' xmlns:k='urn:10' \
     xmlns:l='urn:11' xmlns:m='urn:12' xmlns:n='urn:13' xmlns:o='urn:14' xmlns:q='urn:#'/>",
    "<SOAP-ENV:Body><name>#</name></SOAP-ENV:Body>",
    "<o:id xmlns:o='urn:o' SOAP-ENV:mustUnderstand='0'>#</o:id>",
    "<o:id xmlns:o='urn:o' SOAP-ENV:mustUnderstand='1'>#</o:id>",
    "<id>#</di>",
    "<o:id>#</o:id>",
    "#",
];

/// Changes that senders make now and then: what is replaced, and by what.
const CHANGES: [(&str, &str); 6] = [
    ("<SOAP-ENV:Body", "<SOAP-ENV:Body "),
    ("</SOAP-ENV:Envelope>", "</SOAP-ENV:Envelope><!-- -->"),
    ("FIXMLMessage>", "FIXMLMessage trace='1'>"),
    ("MDEntryID>", "MDEntryID lang='en'>"),
    ("</MDIncGroup>", "</MDIncGroup><unknown/>"),
    ("</MDIncGroup>", "<unknown/></MDIncGroup>"),
];

fn message(random: &mut Random) -> MarketDataIncrementalRefresh {
    let mut message = MarketDataIncrementalRefresh::default();
    message.header.sender.comp_id = "ABC".into();
    message.header.target.comp_id = "XYZ".into();
    for number in 0..random.index(4) {
        let mut entry = MdEntry::default();
        entry.md_update_action = Code::new("0");
        entry.set_md_entry_id(format!("T{number}").as_str());
        if random.index(2) == 0 {
            entry.instrument.set_symbol("CBG");
        }
        message.body.entries.push(entry);
    }
    message
}

/// The Body's content with prefixes.
fn prefixed(document: &str) -> String {
    let (before, body) = document.split_at(document.find("<SOAP-ENV:Body").unwrap());
    let body = body.replace("</SOAP-ENV:", "\u{1}").replace("<SOAP-ENV:", "\u{2}");
    let body = body.replace("</", "\u{3}").replace('<', "<p:").replace('\u{3}', "</p:");
    let body = body.replace('\u{1}', "</SOAP-ENV:").replace('\u{2}', "<SOAP-ENV:");
    format!("{before}{}", body.replace("xmlns=", "xmlns:p="))
}

/// A document as one of the senders writes it.
fn written(plain: &str, prefixes: bool, random: &mut Random) -> String {
    let sender = SENDERS[random.index(SENDERS.len())];
    let is_foreign = prefixes && sender.len() < 4;
    let mut text = if is_foreign { prefixed(plain) } else { plain.to_owned() };
    let number = random.index(1_000_000).to_string();
    let blocks = BLOCKS[random.index(BLOCKS.len())].replace('#', &number);
    let (start, end) = ("<SOAP-ENV:Header", "</SOAP-ENV:Header>");
    let header = match random.index(8) {
        0 => String::new(),
        1 => format!("{start}/>"),
        2 => format!("{start} SOAP-ENV:a='1'\n>{blocks}{blocks}{end}"),
        3 => format!("{start}>{blocks}{end}\n"),
        _ => format!("{start}>{blocks}{end}"),
    };
    text = text.replacen("<SOAP-ENV:Body", &(header + "<SOAP-ENV:Body"), 1);
    if let Some((from, to)) = CHANGES.get(random.index(20)) {
        text = text.replacen(from, to, 1);
    }
    text.replace("SOAP-ENV", sender)
}

fn check(options: &Options, seed: u64) {
    let mut random = Random::new(seed);
    let plan = Plan::new(MarketDataIncrementalRefresh::layout(), options).expect("a plan");
    let prefixes = options.style == Style::DocumentLiteral && !options.attributes;
    let mut lasting = Decoder::new(&plan);
    let mut found = MarketDataIncrementalRefresh::default();
    let (mut read, mut rejected) = (0, 0);
    for _ in 0..2000 {
        let bytes = Encoder::new(&plan).encode(&message(&mut random)).unwrap().to_vec();
        let document = written(str::from_utf8(&bytes).unwrap(), prefixes, &mut random);
        for _ in 0..1 + random.index(3) {
            let mut generic = Decoder::new(&plan).generic();
            let mut expected = MarketDataIncrementalRefresh::default();
            let result = generic.decode(document.as_bytes(), &mut expected);
            assert_eq!(lasting.decode(document.as_bytes(), &mut found), result, "{document}");
            assert_eq!(lasting.unknown(), generic.unknown(), "{document}");
            match result {
                Ok(()) => {
                    assert_eq!(found, expected, "{document}");
                    read += 1;
                }
                Err(_) => rejected += 1,
            }
        }
    }
    assert!(read > 1000 && rejected > 300, "{read} were read, {rejected} rejected");
}

#[test]
fn every_message_is_read_as_if_it_were_the_first() {
    let literal = Options {
        style: Style::DocumentLiteral,
        namespace: "urn:own".into(),
        ..Options::default()
    };
    let operation = Options {
        layout: Layout::Operation,
        namespace: "urn:own".into(),
        types: true,
        ..Options::default()
    };
    let attributes = Options { attributes: true, ..literal.clone() };
    let flat = Options { attributes: true, flat: true, ..Options::default() };
    for (seed, options) in
        [Options::default(), literal, attributes, operation, flat].iter().enumerate()
    {
        check(options, seed as u64);
    }
}

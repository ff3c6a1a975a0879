//! Every shape of type as SOAP: structs by themselves, choices, enumerations, lists of anything.

use std::fmt::Debug;

use trunkline_message::{Message, Record, Structure};
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style, Version};
use trunkline_tests::random::{self, Safe};
use trunkline_tests::shapes::{self, Address, Loose, Order, Price, Settlement, Side};
use trunkline_tests::soap_paths::Paths;
use trunkline_wire::{Decimal, Text};

/// Options of every kind that changes how elements look.
fn options() -> Vec<Options> {
    let styles =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded];
    let mut all = Vec::new();
    for bits in 0..128 {
        let [types, compact_tags, flat, attributes, named, operation, newer] =
            [1, 2, 4, 8, 16, 32, 64].map(|bit| bits & bit != 0);
        for style in styles {
            all.push(Options {
                style,
                types,
                compact_tags,
                flat,
                attributes,
                namespace: if named { "urn:x" } else { "" }.into(),
                layout: if operation { Layout::Operation } else { Layout::Message },
                version: if newer { Version::Soap12 } else { Version::Soap11 },
                ..Options::default()
            });
        }
    }
    for bits in 0..16 {
        let [types, flat, attributes, operation] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        all.push(Options {
            style: Style::DocumentLiteral,
            types,
            flat,
            attributes,
            namespace: "urn:x".into(),
            qualified: false,
            layout: if operation { Layout::Operation } else { Layout::Message },
            ..Options::default()
        });
    }
    all
}

/// Typed to bytes to typed, by every path; as a record the same bytes.
fn round<M: Structure + Message + Clone + Debug + PartialEq>(options: &Options, messages: &[M]) {
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let mut paths = Paths::<M>::new(&plan);
    let (mut encoder, mut other) = (Encoder::new(&plan), Encoder::new(&plan));
    let mut record = Record::new(M::layout());
    for message in messages {
        let bytes = encoder.encode(message).unwrap_or_else(|it| panic!("{it}: {options:?}"));
        let read = paths
            .read(bytes)
            .unwrap_or_else(|it| panic!("{it} in {} with {options:?}", bytes.escape_ascii()));
        assert_eq!(&read, message, "{} with {options:?}", bytes.escape_ascii());
        assert_eq!(paths.unknown(), 0, "{}", bytes.escape_ascii());
        Decoder::new(&plan).decode(bytes, &mut record).expect("it was read");
        let again = other.encode(&record).expect("it was read");
        assert_eq!(again.escape_ascii().to_string(), bytes.escape_ascii().to_string());
    }
}

#[test]
fn every_shape_comes_back_whatever_the_options_are() {
    for options in options() {
        round::<Order>(&options, &shapes::orders());
    }
}

#[test]
fn unwrapped_lists_come_back_whatever_the_options_are() {
    for options in options() {
        round::<Loose>(&options, &shapes::all_loose());
    }
}

#[test]
fn shapes_with_any_contents_come_back() {
    fn filled<M: Structure + Message>(seed: u64) -> M {
        let mut message = M::empty();
        random::fill(&mut message, seed, Safe::SOAP, 4);
        message
    }
    for (index, options) in options().iter().enumerate().step_by(7) {
        let seeds = || (0..8).map(|it| (index as u64) << 8 | it);
        round::<Order>(options, &seeds().map(filled).collect::<Vec<_>>());
        // An optional list that is unwrapped cannot be there without entries.
        let loose = seeds()
            .map(filled::<Loose>)
            .map(|it| Loose { ratio: it.ratio.filter(|ratio| !ratio.is_empty()), ..it });
        round::<Loose>(options, &loose.collect::<Vec<_>>());
    }
}

/// By schema, without an envelope: what stands in the tests below.
fn fragment() -> Options {
    Options {
        style: Style::DocumentLiteral,
        layout: Layout::Fragment,
        operation: "m".into(),
        ..Options::default()
    }
}

fn written<M: Structure + Message>(options: &Options, message: &M) -> String {
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let bytes = Encoder::new(&plan).encode(message).expect("a message").to_vec();
    String::from_utf8(bytes).expect("UTF-8")
}

/// Every path's answer to what stands inside the element `m`.
fn read<M>(options: &Options, content: &str) -> Result<(M, usize), String>
where
    M: Structure + Message + Clone + Debug + PartialEq,
{
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let mut paths = Paths::<M>::new(&plan);
    // Once more, so that paths which have read it before are asked, too.
    let document = format!("<m>{content}</m>");
    let _ = paths.read(document.as_bytes());
    let read = paths.read(document.as_bytes());
    read.map(|message| (message, paths.unknown())).map_err(|error| error.to_string())
}

#[track_caller]
fn rejected<M>(content: &str, expected: &str)
where
    M: Structure + Message + Clone + Debug + PartialEq,
{
    let error = read::<M>(&fragment(), content).expect_err("it is rejected");
    let (place, why) = expected.split_once(": ").expect("a place and a reason");
    let (found, said) = error.split_once(": ").expect("a place and a reason");
    let found = found.split_once("at byte").map_or("", |it| it.0.trim_end());
    assert_eq!((found, said), (place, why), "in {content}");
}

#[test]
fn every_shape_looks_as_the_guide_says() {
    let order = shapes::full();
    let literal = "<m><side>Sell &lt;short&gt;</side><Market></Market><nested><Limit>7</Limit></nested>\
        <address><street>a &lt;b&gt;</street><city>c</city></address><terms></terms>\
        <single>0.1</single><whole>123456789012345678901234567890</whole>\
        <exact>0.12345678901234567890123</exact><hold>P1Y2MT0.5S</hold>\
        <notes><item></item><item>b &amp; c</item></notes><flags></flags>\
        <sides><item>Buy</item><item>Sell &lt;short&gt;</item></sides>\
        <matrix><item><item>1</item><item>2</item></item><item><item>3</item><item>4</item></item></matrix>\
        <corners><Address><street>a</street></Address><Address><street>b</street></Address></corners>\
        <prices><Limit>1</Limit><Market></Market><Market></Market></prices>\
        <ragged><item></item><item><item>1</item><item>2</item></item></ragged>\
        <words><item><item>x</item></item><item></item><item><item>y</item><item>z</item></item></words>\
        <legs><Address><street>leg</street></Address><Address><street>other</street></Address></legs>\
        <folder><name>root</name><folders><Folder><name>empty</name></Folder><Folder><name>b</name>\
        <folders><Folder><name>leaf</name><parent><name>up</name></parent></Folder></folders></Folder>\
        </folders></folder></m>";
    assert_eq!(written(&fragment(), &order), literal);
    let attributes = "<m side=\"Sell &lt;short>\" single=\"0.1\" whole=\"123456789012345678901234567890\" \
        exact=\"0.12345678901234567890123\" hold=\"P1Y2MT0.5S\"><Market/><nested><Limit>7</Limit></nested>\
        <address street=\"a &lt;b>\" city=\"c\"/><terms/><notes><item></item><item>b &amp; c</item></notes>";
    let found = written(&Options { attributes: true, ..fragment() }, &order);
    assert!(found.starts_with(attributes), "{found}");
    let loose = "<m><name>n</name><number>1</number><number>2</number><number>65535</number>\
        <ratio>0.5</ratio><ratio>-1</ratio><note></note><note>b &amp; c</note>\
        <side>Sell &lt;short&gt;</side><side>Buy</side>\
        <leg><street>a</street></leg><leg><street>b</street></leg>\
        <price><Market></Market></price><price><Limit>3</Limit></price>\
        <row><item>1</item><item>2</item></row><row></row><row><item>3</item></row>\
        <word><item>x</item></word><word></word><pair>7</pair><pair>8</pair><must>9</must>\
        <musts><street>m</street></musts><inside><id>1</id><line>l</line><line>k</line></inside>\
        <branch><leaf><item>1</item></leaf><branch><leaf><item>2</item></leaf></branch>\
        <branch><leaf><item>3</item></leaf><branch><leaf><item>4</item></leaf></branch></branch></branch></m>";
    assert_eq!(written(&fragment(), &shapes::loose()), loose);
    let encoded = Options {
        style: Style::DocumentEncoded,
        types: true,
        namespace: "urn:x".into(),
        ..Options::default()
    };
    let found = written(&encoded, &order);
    for part in [
        "<side xsi:type=\"ns:Side\">Sell &lt;short&gt;</side><Market xsi:type=\"ns:Nothing\"></Market>",
        "<nested xsi:type=\"ns:Price\"><Limit xsi:type=\"xsd:decimal\">7</Limit></nested>",
        "<terms xsi:type=\"ns:Terms\"></terms><single xsi:type=\"xsd:float\">0.1</single>",
        "<hold xsi:type=\"xsd:duration\">P1Y2MT0.5S</hold><notes xsi:type=\"SOAP-ENC:Array\" \
         SOAP-ENC:arrayType=\"xsd:string[2]\"><item xsi:type=\"xsd:string\"></item>",
        "SOAP-ENC:arrayType=\"ns:Side[2]\"><item xsi:type=\"ns:Side\">Buy</item>",
        "SOAP-ENC:arrayType=\"xsd:double[][2]\"><item xsi:type=\"SOAP-ENC:Array\" \
         SOAP-ENC:arrayType=\"xsd:double[2]\"><item>1</item>",
        // In an array, names of items mean nothing, and those of arms do.
        "<prices><Limit xsi:type=\"xsd:decimal\">1</Limit><Market xsi:type=\"ns:Nothing\"></Market>",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
    let newer = Options { version: Version::Soap12, ..encoded };
    let part = "SOAP-ENC:itemType=\"SOAP-ENC:Array\" SOAP-ENC:arraySize=\"2\"><item \
                xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:itemType=\"xsd:double\" SOAP-ENC:arraySize=\"2\">";
    let found = written(&newer, &order);
    assert!(found.contains(part), "{found}");
    // Arrays of the encoding have an element around their items, whatever is noted.
    let found = written(&newer, &shapes::loose());
    assert!(
        found.contains("SOAP-ENC:itemType=\"xsd:unsignedShort\" SOAP-ENC:arraySize=\"3\"><item>1")
    );
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Ticket {
    side: Side,
    price: Price,
    settlement: Option<Settlement>,
    address: Option<Address>,
    pair: Vec<[i16; 2]>,
    prices: Option<Vec<Price>>,
    notes: Vec<Text>,
}

#[test]
fn what_is_not_as_the_schema_has_it_is_rejected_where_it_stands() {
    let good = "<side>Buy</side><Market/>";
    let (ticket, unknown) = read::<Ticket>(&fragment(), good).expect("a ticket");
    assert_eq!(
        (ticket.price.clone(), ticket.settlement.clone(), unknown),
        (Price::Market, None, 0)
    );
    rejected::<Ticket>("<side>Buy</side>", "price: expected one of Limit, Market, not none");
    rejected::<Ticket>(
        "<side>Buy</side><Market/><Limit>1</Limit>",
        "price: expected one of Limit, Market, not more than one",
    );
    rejected::<Ticket>(
        "<side>Buy</side><Market/><Market/>",
        "price/Market: expected one element Market with all that is in it, not a second",
    );
    rejected::<Ticket>(
        &format!("{good}<cash/><memo>a</memo>"),
        "settlement: expected one of cash, account, memo, delivery, references, nested, not more than one",
    );
    rejected::<Ticket>(
        &format!("{good}<nested></nested>"),
        "settlement/nested: expected one of Limit, Market, not none",
    );
    rejected::<Ticket>(&format!("{good}<address/>"), "address/street: a required field is missing");
    rejected::<Ticket>(
        &format!("{good}<delivery><city>c</city></delivery>"),
        "settlement/delivery/street: a required field is missing",
    );
    rejected::<Ticket>(
        "<side>Hold</side><Market/>",
        "side: expected one of Buy, Sell <short>, not \"Hold\"",
    );
    rejected::<Ticket>(
        &format!("{good}<pair><item><item>1</item></item></pair>"),
        "pair[0]: the count says 2 entries, but 1 is there",
    );
    rejected::<Ticket>(
        &format!("{good}<pair><item><item>1</item><item>1</item></item><item/></pair>"),
        "pair[1]: the count says 2 entries, but 0 are there",
    );
    rejected::<Ticket>(
        &format!("{good}<prices><Limit>1</Limit><Limit>x</Limit></prices>"),
        "prices[1]/Limit: expected a decimal number, but it has an unexpected character at 0",
    );
    rejected::<Ticket>(
        &format!("{good}<prices><Never/></prices>"),
        "prices: expected <Limit or Market> of no namespace, not <Never> of no namespace",
    );
    rejected::<Ticket>(
        &format!("{good}<prices>text</prices>"),
        "prices: expected Limit or Market elements",
    );
    rejected::<Ticket>(&format!("{good}<notes>text</notes>"), "notes: expected item elements");
    rejected::<Ticket>(
        &format!("{good}<notes/><notes/>"),
        "notes: expected one element notes with all <item> inside, not a second",
    );
    rejected::<Ticket>(
        &format!("{good}<item>text</item>"),
        ": expected <item> of no namespace inside an element references, not <item> of no namespace",
    );
    rejected::<Ticket>(
        &format!("{good}<address street=\"a\"/>"),
        "address: expected <street> of no namespace, not the attribute street",
    );
}

#[test]
fn white_space_and_what_is_nil_are_read_as_xml_schema_has_them() {
    let good = "<side>Buy</side><Market/>";
    let (ticket, _) = read::<Ticket>(&fragment(), good).expect("a ticket");
    // White space around a name, an entry that is nil, and one that is not there.
    let spaced = "<side> Buy\n</side><Market/>";
    assert_eq!(read::<Ticket>(&fragment(), spaced).map(|it| it.0), Ok(ticket.clone()));
    let nil = "xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:nil=\"true\"";
    let absent = format!("{good}<address {nil}/><memo {nil}/>");
    assert_eq!(read::<Ticket>(&fragment(), &absent).map(|it| it.0), Ok(ticket));
    rejected::<Ticket>(
        &format!("<side>Buy</side><Market {nil}/>"),
        "price: expected one of Limit, Market, not none",
    );
    rejected::<Ticket>(
        &format!("{good}<notes><item {nil}/></notes>"),
        "notes[0]: expected an entry, not nil",
    );
}

#[test]
fn unwrapped_entries_may_stand_apart() {
    let rest = "<pair>1</pair><pair>2</pair>";
    let apart = format!(
        "<number>1</number><leg><street>a</street></leg><name>n</name>{rest}<number>2</number>\
         <other/><number>3</number> <!-- c --> <number>4</number><leg><street>b</street></leg>\
         <note>x</note><row><item>1</item></row><note>y</note><row/><must>7</must><must>8</must>"
    );
    let (found, unknown) = read::<Loose>(&fragment(), &apart).expect("a message");
    assert_eq!((&found.number[..], unknown), (&[1, 2, 3, 4][..], 1));
    assert_eq!(found.legs.iter().map(|it| &*it.street).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(found.notes, ["x", "y"].map(Text::from));
    assert_eq!((&found.row[..], &found.must[..]), (&[vec![1], vec![]][..], &[7, 8][..]));
    assert_eq!((found.ratio, found.musts), (None, vec![]));

    let rejected = |content: &str, expected: &str| rejected::<Loose>(content, expected);
    rejected("<name>n</name><pair>1</pair>", "pair: the count says 2 entries, but 1 is there");
    rejected(
        "<name>n</name><pair>1</pair><must>1</must><pair>2</pair>",
        "pair: the count says 2 entries, but 1 is there",
    );
    rejected(
        &format!("<name>n</name>{rest}<must>1</must>{rest}"),
        "pair: expected all elements pair of a fixed number together",
    );
    rejected("<name>n</name>", "pair: a required field is missing");
    rejected(
        &format!("<name>n</name>{rest}<number>1</number><number>x</number>"),
        "number: expected a whole number, but it has an unexpected character at 0",
    );
    rejected(
        &format!("<name>n</name>{rest}<price></price>"),
        "price[0]: expected one of Limit, Market, not none",
    );
    let nil = "xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:nil=\"true\"";
    rejected(
        &format!("<name>n</name>{rest}<note>a</note><note {nil}/>"),
        "notes: expected an entry, not nil",
    );
    // An unknown element between those of an array parts them no more than white space does.
    let between = "<name>n</name><pair>1</pair><other/><pair>2</pair>";
    let (found, unknown) = read::<Loose>(&fragment(), between).expect("a message");
    assert_eq!((found.pair, unknown), ([1, 2], 1));
}

#[test]
fn records_that_no_struct_could_be_are_not_written() {
    let plan = Plan::new(Order::layout(), &fragment()).expect("a plan");
    let said = |change: &dyn Fn(&mut Record)| {
        let mut record = Record::from_message(&shapes::full());
        change(&mut record);
        let error = Encoder::new(&plan).encode(&record).expect_err("it is rejected");
        format!("{} {}", error.path(), error.kind())
    };
    let why = said(&|it| _ = it.remove("Market"));
    assert_eq!(why, "price cannot be written: no arm of the choice is set");
    let why = said(&|it| it.set("Limit", Decimal::from(1)).expect("an arm"));
    assert_eq!(why, "price cannot be written: more than one arm of the choice is set");
    let why = said(&|it| _ = it.struct_mut("address").expect("a struct").remove("street"));
    assert_eq!(why, "address/street cannot be written: a required field is not set");
    let why = said(&|it| _ = it.group_mut("corners").expect("a list").next_entry());
    let many = "cannot be written: the list has another number of items than it must have";
    assert_eq!(why, format!("corners {many}"));
    let why = said(&|it| _ = it.group_mut("prices").expect("a list").next_entry());
    assert_eq!(why, "prices[3] cannot be written: no arm of the choice is set");
    let loose = Loose { ratio: Some(vec![]), ..shapes::loose() };
    let plan = Plan::new(Loose::layout(), &fragment()).expect("a plan");
    let error = Encoder::new(&plan).encode(&loose).expect_err("it is rejected");
    let why = "an empty list that is unwrapped cannot be told from none";
    assert_eq!(
        error.to_string().split_once(": ").expect("why").1,
        format!("cannot be written: {why}")
    );
}

/// A tree of 100,000 levels, in each way in which a type can hold itself.
#[test]
fn what_is_too_deep_is_rejected_before_the_stack_ends() {
    let levels = 100_000;
    let nested = |open: &str, close: &str, count: usize| {
        format!("{}{}", open.repeat(count), close.repeat(count))
    };
    let folder = |inside: String| format!("<m><name>a</name>{inside}</m>");
    let parents = folder(nested("<parent><name>a</name>", "</parent>", levels));
    let folders = folder(nested("<folders><Folder><name>a</name>", "</Folder></folders>", levels));
    let options = fragment();
    let plan = Plan::new(shapes::Folder::layout(), &options).expect("a plan");
    let branches = format!("<m>{}</m>", nested("<branch>", "</branch>", levels));
    let of_branches = Plan::new(shapes::Branch::layout(), &options).expect("a plan");
    for (plan, document) in [(&plan, &parents), (&plan, &folders), (&of_branches, &branches)] {
        let mut record = Record::new(plan.layout());
        for mut decoder in [Decoder::new(plan), Decoder::new(plan).generic()] {
            let error = decoder.decode(document.as_bytes(), &mut record).expect_err("too deep");
            assert!(error.to_string().contains("depth = 128"), "{error}");
        }
    }
    // What is within the limit is read, by every path and without the parser's help further out.
    let mut paths = Paths::<shapes::Folder>::new(&plan);
    for count in [1, 40, 60, 63, 64, 126, 127, 128] {
        let document = folder(nested("<parent><name>a</name>", "</parent>", count));
        assert_eq!(paths.read(document.as_bytes()).is_ok(), count < 127, "{count}");
        let document =
            folder(nested("<folders><Folder><name>a</name>", "</Folder></folders>", count));
        assert_eq!(paths.read(document.as_bytes()).is_ok(), count < 64, "{count}");
    }
}

/// Counts that a sender only states take no memory.
#[test]
fn stated_counts_that_are_not_true_are_rejected() {
    let options = Options {
        style: Style::DocumentEncoded,
        types: true,
        namespace: "urn:x".into(),
        ..Options::default()
    };
    let document = written(&options, &shapes::full());
    let plan = Plan::new(Order::layout(), &options).expect("a plan");
    let mut paths = Paths::<Order>::new(&plan);
    for list in ["xsd:string[2]", "ns:Side[2]", "xsd:double[2]", "xsd:int[][2]"] {
        let (kind, _) = list.rsplit_once('[').expect("a count");
        for count in ["1", "4000000000", "18446744073709551615", "99999999999999999999"] {
            let hostile = document.replacen(list, &format!("{kind}[{count}]"), 1);
            assert_ne!(hostile, document);
            assert!(paths.read(hostile.as_bytes()).is_err(), "{list} {count}");
        }
    }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Clash {
    limit: Option<i32>,
    price: Option<Settled>,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Settled {
    Limit(i32),
    Item(i32),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Entries {
    #[xml(list = "unwrapped", entry = "note")]
    notes: Vec<Text>,
    note: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Misnamed {
    #[xml(entry = "1st note")]
    notes: Vec<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Single {
    #[xml(list = "unwrapped")]
    note: Text,
}

#[test]
fn a_plan_rejects_elements_of_one_name_and_notes_that_mean_nothing() {
    let said = |layout: &std::sync::Arc<trunkline_message::Layout>| {
        let error = Plan::new(layout, &fragment()).expect_err("no plan");
        format!("{}: {}", error.path(), error.kind())
    };
    let clash = "price/limit: not supported: two elements limit beside each other in XML";
    assert_eq!(said(Clash::layout()), clash);
    let clash = "note: not supported: two elements note beside each other in XML";
    assert_eq!(said(Entries::layout()), clash);
    let note =
        "notes: not supported: the note xml(entry = \"1st note\"), which is no name of an element";
    assert_eq!(said(Misnamed::layout()), note);
    let note = "note: not supported: xml(list = \"unwrapped\") of what is no list in a struct";
    assert_eq!(said(Single::layout()), note);
    // Where components have no elements, names are told apart as those of their fields are.
    let flat = Options { flat: true, ..fragment() };
    round::<Clash>(&flat, &[Clash { limit: Some(1), price: Some(Settled::Limit(2)) }]);
}

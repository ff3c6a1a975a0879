//! FIX dictionaries become layouts whose plans read and write messages.

use std::sync::Arc;

use trunkline_codec::fix::{Decoder, Encoder, Options, Plan};
use trunkline_import::fix::Dictionary;
use trunkline_import::{Limits, Problem};
use trunkline_message::{Layout, Record, Value};

const VENUE: &str = include_str!("data/venue.xml");
const ORCHESTRA: &str = include_str!("data/orchestra.xml");

fn read(text: &str) -> Result<Dictionary, Problem> {
    Dictionary::read("own.xml", text.as_bytes(), &Limits::default())
}

fn layout(dictionary: &Dictionary, message: &str) -> Arc<Layout> {
    let message = dictionary.message(message).expect("it is there");
    Arc::new(dictionary.layout(message).expect("it has a layout"))
}

/// Bars between the fields of what is framed.
fn framed(begin_string: &str, body: &str) -> Vec<u8> {
    let text = format!("8={begin_string}|9={}|{body}", body.len()).replace('|', "\x01");
    let sum = text.bytes().fold(0_u8, u8::wrapping_add);
    format!("{text}10={sum:03}\x01").into_bytes()
}

fn comes_back(dictionary: &Dictionary, layout: &Arc<Layout>, body: &str) -> Record {
    let begin_string = dictionary.begin_string().expect("it is known").to_owned();
    let bytes = framed(&begin_string, body);
    let plan = Plan::new(layout, &Options { begin_string, ..Options::default() }).expect("a plan");
    let (mut record, mut decoder) = (Record::new(layout), Decoder::new(&plan));
    decoder.decode(&bytes, &mut record).expect("it is read");
    assert_eq!(decoder.unknown(), 0);
    assert_eq!(Encoder::new(&plan).encode(&record).expect("it is written"), bytes);
    record
}

#[test]
fn a_message_of_a_venue_comes_back() {
    let dictionary = read(VENUE).expect("a dictionary");
    let layout = layout(&dictionary, "New Order \u{2014} Single");
    assert_eq!(layout.name(), "NewOrderSingle");
    let record = comes_back(
        &dictionary,
        &layout,
        "35=D|49=ME|52=20261126-01:02:03.004|627=1|628=HUB|11=A1|55=EURUSD|453=2|448=X|802=1|523=DESK|448=Y|54=2|\
         18=1 2|44=1.10250|95=3|96=a|b|93=2|89===|",
    );
    let text = |path: &str| format!("{:?}", record.get(path).expect("it is set"));
    assert_eq!(text("Side"), "Enumeration(1)");
    assert!(text("Price").contains("1.10250"), "{}", text("Price"));
    assert!(record.get("StandardTrailer/Signature").is_some());
}

#[test]
fn the_layout_says_what_the_dictionary_says() {
    let dictionary = read(VENUE).expect("a dictionary");
    let expected = "message\tNewOrderSingle\tD
component\tStandardHeader\trequired
field\tSenderCompID\t49\ttext\trequired
field\tSendingTime\t52\ttimestamp\trequired
group\tNoHops\t627\tHops\toptional
field\tHopCompID\t628\ttext\toptional
end
end
field\tClOrdID\t11\ttext\trequired
component\tInstrument\trequired
field\tSymbol\t55\ttext\trequired
field\tSecurityID\t48\ttext\toptional
end
component\tParties\timplied
group\tNoPartyIDs\t453\tPartyIDs\toptional
field\tPartyID\t448\ttext\trequired
group\tNoPartySubIDs\t802\tPartySubIDs\toptional
field\tPartySubID\t523\ttext\toptional
end
end
end
field\tSide\t54\tSide\trequired
field\tExecInst\t18\tExecInst[]\toptional
field\tPrice\t44\tdecimal\toptional
field\tRawData\t96\tbytes\toptional\t95
component\tStandardTrailer\timplied
field\tSignature\t89\tbytes\toptional\t93
end
end
enumeration\tSide
value\tBUY\t1
value\tSELL\t2
end
enumeration\tExecInst
value\tNOT_HELD\t1
value\tWORK\t2
end
";
    assert_eq!(layout(&dictionary, "NewOrderSingle").listing(), expected);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let dictionary = read(VENUE).expect("a dictionary");
    let warnings: Vec<String> = dictionary.warnings().iter().map(ToString::to_string).collect();
    let expected = [
        "own.xml:45:7: the code 1 stands for two values of ExecInst; the first is taken",
        "own.xml:49:5: the type \"STRNG\" of the field SecurityID is not known; it is read as text",
        "own.xml:25:7: the field Txet of the message New Order \u{2014} Single is not defined; \
         it is unknown content until it is: define it",
        "own.xml:27:5: the messages New Order \u{2014} Single and Quote have the MsgType D; \
         ask for either by its name",
        "own.xml:23:7: the message New Order \u{2014} Single has SendingTime, as its header or trailer has; \
         that of the header or trailer is taken",
    ];
    assert_eq!(warnings, expected);
    // Without names of its own it has nothing to say.
    assert!(dictionary.message("Quote").is_some() && dictionary.message("X").is_none());
}

#[test]
fn orchestra_is_read_as_well() {
    let dictionary = read(ORCHESTRA).expect("a repository");
    assert_eq!(dictionary.begin_string(), Some("FIXT.1.1"));
    let layout = layout(&dictionary, "D");
    let record = comes_back(&dictionary, &layout, "35=D|54=2|59=Z|78=1|79=FUND 7|95=1|96=x|");
    assert_eq!(format!("{:?}", record.get("Side")), "Some(Enumeration(1))");
    // Parties may agree on values that are not in its code set.
    assert!(format!("{:?}", record.get("TimeInForce")).contains('Z'));
    let warnings: Vec<String> = dictionary.warnings().iter().map(ToString::to_string).collect();
    let expected = "own.xml:34:9: the field 1234 of the message NewOrderSingle is not defined; \
                    it is unknown content until it is: define it";
    assert_eq!(warnings, [expected]);
    let error = read(&ORCHESTRA.replace("baseType=\"String\"", "")).unwrap_err().to_string();
    assert!(error.contains("of the type Account, which is none of tag=value"), "{error}");
}

#[test]
fn header_and_trailer_may_be_in_another_file() {
    let own = "<fix type='FIX' major='5' minor='0' servicepack='2'><header/><trailer/><messages>\
               <message name='News' msgtype='B'><field name='Headline' required='Y'/></message></messages>\
               <fields><field number='148' name='Headline' type='STRING'/></fields></fix>";
    let dictionary = read(own).expect("a dictionary").with_transport(read(VENUE).expect("another"));
    let layout = layout(&dictionary, "B");
    comes_back(
        &dictionary,
        &layout,
        "35=B|49=ME|52=20261126-01:02:03|627=1|628=HUB|148=x|93=1|89=y|",
    );
}

#[test]
fn what_cannot_be_read_is_rejected_with_its_place() {
    let rejected = |text: &str| match read(text) {
        Err(problem) => problem.to_string(),
        Ok(dictionary) => dictionary.layout(&dictionary.messages()[0]).unwrap_err().to_string(),
    };
    let of = |parts: &str, fields: &str| {
        rejected(&format!(
            "<fix><messages><message name='M' msgtype='X'>\n{parts}</message></messages>\n\
             <components><component name='C'>\n<component name='C'/></component></components>\n\
             <fields>\n{fields}</fields></fix>"
        ))
    };
    assert_eq!(
        rejected("<schema/>"),
        "own.xml:1:1: expected a FIX dictionary, not schema; \
         the root element of one is fix, or the repository of FIX Orchestra"
    );
    assert_eq!(
        of("", "<field name='A' number='0'/>"),
        "own.xml:6:1: \"0\" is not the number of a field; give it one from 1 to 2147483647"
    );
    assert_eq!(
        of("", "<field number='1'/>"),
        "own.xml:6:1: the field has no name; give it the attribute name"
    );
    assert_eq!(
        of("<component name='C' required='N'/>", ""),
        "own.xml:4:1: C holds itself; FIX has no such message: take it out there"
    );
    assert_eq!(
        of("<field name='A'/>", "<field name='A' number='5000' type='DATA'/>"),
        "own.xml:2:1: nothing tells how long the data A are; put a field ALen of the type LENGTH before it"
    );
    let small = Limits { document_bytes: 10, ..Limits::default() };
    let error = Dictionary::read("own.xml", VENUE.as_bytes(), &small).unwrap_err().to_string();
    assert!(error.ends_with("raise the limit `document_bytes`"), "{error}");
}

/// Neither what holds others without end nor what holds them often takes more than it should.
#[test]
fn components_inside_one_another_have_an_end() {
    let mut components = String::new();
    for index in 0..10_000 {
        let (a, b) = (index, index + 1);
        components += &format!(
            "<component name='A{a}'><component name='A{b}'/><component name='B{b}'/></component>\
             <component name='B{a}'><component name='A{b}'/><component name='B{b}'/></component>"
        );
    }
    let own = format!(
        "<fix><messages><message name='M' msgtype='X'><component name='A0'/></message></messages>\
         <components>{components}<component name='A10000'/><component name='B10000'/></components><fields/></fix>"
    );
    let dictionary = read(&own).expect("a dictionary");
    let error = dictionary.layout(&dictionary.messages()[0]).unwrap_err().to_string();
    assert!(error.contains("is inside more than 128 components and groups"), "{error}");
}

/// As `Currency` in FIX 5.0, by way of components, and `SenderCompID`, which the header has.
#[test]
fn a_field_that_stands_twice_is_one() {
    let own = "<fix><header><field name='F' required='N'/></header><messages><message name='M' msgtype='X'>\
               <component name='I'/><field name='A' required='Y'/><component name='J'/><component name='I'/>\
               <group name='N'><component name='J'/></group></message></messages>\
               <components><component name='I'><field name='A'/><field name='B'/></component>\
               <component name='J'><field name='C'/><component name='I'/><field name='F'/></component></components>\
               <fields><field number='5001' name='A' type='INT'/><field number='5002' name='B' type='INT'/>\
               <field number='5003' name='C' type='INT'/><field number='5004' name='F' type='INT'/>\
               <field number='5005' name='N' type='NUMINGROUP'/></fields></fix>";
    let dictionary = read(own).expect("a dictionary");
    let layout = layout(&dictionary, "M");
    let options = Options { begin_string: "FIX.4.4".into(), ..Options::default() };
    let plan = Plan::new(&layout, &options).expect("a plan");
    let bytes =
        framed("FIX.4.4", "35=X|5004=1|5001=2|5002=3|5003=4|5005=1|5003=5|5001=6|5002=7|5004=8|");
    let mut record = Record::new(&layout);
    Decoder::new(&plan).decode(&bytes, &mut record).expect("it is read");
    for (path, value) in [("StandardHeader/F", 1), ("I/A", 2), ("I/B", 3), ("J/C", 4)] {
        assert_eq!(record.get(path), Some(&Value::Integer(value)), "{path}");
    }
    let Some(Value::Group(group)) = record.get("N") else { panic!("a group") };
    let entry = &group.entries()[0];
    assert_eq!(entry.get("J/I/A"), Some(&Value::Integer(6)));
    assert_eq!(Encoder::new(&plan).encode(&record).expect("it is written"), bytes);
    let told = |name: &str| {
        let what = format!("{name} stands twice in the message M; the first is taken");
        dictionary.warnings().iter().any(|it| it.to_string().ends_with(&what))
    };
    assert!(told("A (5001)") && told("F (5004)"), "{:?}", dictionary.warnings());
}

/// As `Symbol` in market data of some venues: behind the count it is the entry's.
#[test]
fn a_field_in_entries_and_around_them_is_told_by_the_group() {
    let own = "<fix><messages><message name='M' msgtype='X'><field name='A'/><group name='N'><field name='B'/>\
               <field name='A'/><field name='C'/></group><field name='C'/></message></messages>\
               <fields><field name='A' number='5000' type='INT'/><field name='N' number='5001' type='INT'/>\
               <field name='B' number='5002' type='INT'/><field name='C' number='5003' type='INT'/></fields></fix>";
    let dictionary = read(own).expect("a dictionary");
    let warning = dictionary.warnings()[0].to_string();
    assert!(
        warning.contains("A (5000) stands in the group N and around it in the message M"),
        "{warning}"
    );
    let layout = layout(&dictionary, "M");
    let options = Options { begin_string: "FIX.4.4".into(), ..Options::default() };
    let plan = Plan::new(&layout, &options).expect("a plan");
    let bodies = [
        "35=X|5000=1|5003=2|5001=2|5002=3|5000=4|5002=5|5003=6|",
        "35=X|5001=1|5002=3|5000=4|",
        "35=X|5000=1|5003=2|5001=1|5002=3|",
    ];
    for body in bodies {
        let bytes = framed("FIX.4.4", body);
        let mut record = Record::new(&layout);
        Decoder::new(&plan).decode(&bytes, &mut record).expect("it is read");
        let of_message = body.starts_with("35=X|5000=1");
        assert_eq!(record.get("A"), of_message.then_some(&Value::Integer(1)), "{body}");
        assert_eq!(record.get("C"), of_message.then_some(&Value::Integer(2)), "{body}");
        assert_eq!(Encoder::new(&plan).encode(&record).expect("it is written"), bytes);
    }
    // What the last entry has already cannot be another's: it is told, and not taken for something else.
    let bytes = framed("FIX.4.4", "35=X|5001=1|5002=3|5000=4|5000=1|");
    let error = Decoder::new(&plan).decode(&bytes, &mut Record::new(&layout)).unwrap_err();
    assert!(error.to_string().starts_with("N[0]/A at byte"), "{error}");
}

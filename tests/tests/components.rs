//! Optional components: absent, or there with all that they must have, in every format.

use std::sync::Arc;

use trunkline_codec::{cdr, fix};
use trunkline_message::{Error, ErrorKind, Layout, Limits, Message, Record, Structure};
use trunkline_soap as soap;
use trunkline_tests::plain_fix;
use trunkline_wire::Text;

const LISTING: &str = "message M U1
component Party implied
  field ID 448 text required
  component Place required
    field City 1 text required
  end
  component Hop implied
    field Host 628 text required
    field Count 2 u32 optional
  end
  group Roles 3 Role required
    field Role 452 u32 required
  end
end
field Note 58 text optional
end";

fn schema() -> Arc<Layout> {
    Arc::new(Layout::from_listing(LISTING).unwrap())
}

type Encode = Box<dyn FnMut(&Record) -> Result<Vec<u8>, Error>>;
type Decode = Box<dyn FnMut(&[u8], &mut Record) -> Result<(), Error>>;

macro_rules! codec {
    ($codec:ident, $plan:expr) => {{
        let plan = $plan;
        let (mut encoder, mut decoder) = ($codec::Encoder::new(&plan), $codec::Decoder::new(&plan));
        (
            Box::new(move |it: &Record| encoder.encode(it).map(<[u8]>::to_vec)) as Encode,
            Box::new(move |bytes: &[u8], it: &mut Record| decoder.decode(bytes, it)) as Decode,
        )
    }};
}

fn codecs(schema: &Arc<Layout>) -> Vec<(Encode, Decode)> {
    let mut all = vec![codec!(fix, fix::Plan::new(schema, &fix::Options::default()).unwrap())];
    for optional in [cdr::Optional::Union, cdr::Optional::Bitmap] {
        let options = cdr::Options { optional, ..cdr::Options::default() };
        all.push(codec!(cdr, cdr::Plan::new(schema, &options).unwrap()));
    }
    for (flat, attributes) in [(false, false), (true, false), (false, true), (true, true)] {
        let options = soap::Options { flat, attributes, ..soap::Options::default() };
        all.push(codec!(soap, soap::Plan::new(schema, &options).expect("a plan")));
    }
    all
}

fn record(schema: &Arc<Layout>, texts: &[(&str, &str)], roles: Option<u32>) -> Record {
    let mut record = Record::new(schema);
    for (path, text) in texts {
        record.set(path, *text).unwrap();
    }
    if let Some(count) = roles {
        let group = record.group_mut("Roles").unwrap();
        (0..count).for_each(|role| group.next_entry().set("Role", role).unwrap());
    }
    record
}

const PARTY: [(&str, &str); 2] = [("ID", "ABC"), ("City", "Sydney")];

#[test]
fn an_optional_component_is_absent_or_whole() {
    let schema = schema();
    let hop = [PARTY[0], PARTY[1], ("Host", "a")];
    for whole in [
        record(&schema, &[], None),
        record(&schema, &[("Note", "n")], None),
        record(&schema, &PARTY, Some(0)),
        record(&schema, &PARTY, Some(2)),
        record(&schema, &hop, Some(1)),
    ] {
        for (number, (mut encode, mut decode)) in codecs(&schema).into_iter().enumerate() {
            let bytes = encode(&whole).unwrap_or_else(|error| panic!("{number}: {error}"));
            let mut read = Record::new(&schema);
            for _ in 0..3 {
                let decoded = decode(&bytes, &mut read);
                decoded.unwrap_or_else(|error| panic!("{number}, {whole:?}: {error}"));
                assert_eq!(read, whole, "{number}");
            }
        }
    }
}

#[test]
fn a_component_that_lacks_what_it_must_have_is_not_written() {
    let schema = schema();
    for (part, missing) in [
        (record(&schema, &[("ID", "ABC")], Some(1)), "Party/Place/City"),
        (record(&schema, &[("City", "Sydney")], Some(1)), "Party/ID"),
        (record(&schema, &[("Host", "a")], None), "Party/ID"),
        (record(&schema, &PARTY, None), "Party/Roles"),
        (record(&schema, &[], Some(1)), "Party/ID"),
    ] {
        for (number, (mut encode, _)) in codecs(&schema).into_iter().enumerate() {
            let error = encode(&part).unwrap_err();
            assert_eq!(error.path(), missing, "{number}: {part:?}");
            assert!(error.to_string().ends_with("a required field is not set"), "{error}");
        }
    }
}

#[test]
fn a_component_that_lacks_what_it_must_have_is_not_read_from_fix_and_cdr() {
    let schema = schema();
    let mut codecs = codecs(&schema);
    let mut reject = |codec: usize, bytes: &[u8], missing: &str| {
        let error = (codecs[codec].1)(bytes, &mut Record::new(&schema)).unwrap_err();
        assert_eq!(error.path(), missing, "{error}");
        assert!(error.to_string().ends_with("a required field is missing"), "{error}");
    };
    let fix = |body: &str| plain_fix::message(&format!("35=U1|{body}"));
    reject(0, &fix("448=ABC|3=0|"), "Party/Place/City");
    reject(0, &fix("1=Sydney|3=0|58=n|"), "Party/ID");
    reject(0, &fix("448=ABC|1=Sydney|"), "Party/Roles");
    reject(0, &fix("448=ABC|1=Sydney|3=0|2=7|"), "Party/Hop/Host");
    // ID, City, Host, Count, Roles, Note: each begins with whether it is there.
    reject(1, b"\x01\0\0\0\x02\0\0\0A\0\0\0\0\0\0", "Party/Place/City");
    reject(1, b"\0\0\0\x01\x07\0\0\0\0\0", "Party/ID");
    // The same as bits, the first lowest.
    reject(2, b"\x01\0\0\0\x02\0\0\0A\0", "Party/Place/City");
    reject(2, b"\x08\0\0\0\x07\0\0\0", "Party/ID");
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Order {
    first: Option<u32>,
    #[field(implied)]
    party: Party,
    last: Option<u32>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Party {
    id: Text,
    role: Option<u32>,
}

/// A struct cannot say that a component is absent which must have something, and a record can: so
/// what both read is not compared, but whether they read it.
struct Decoders {
    all: [soap::Decoder; 2],
    order: Order,
    record: Record,
}

impl Decoders {
    fn new(plan: &Arc<soap::Plan>) -> Self {
        let all = [soap::Decoder::new(plan).generic(), soap::Decoder::new(plan)];
        Self { all, order: Order::default(), record: Record::new(plan.layout()) }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Order, Error> {
        let mut read: Option<Result<(Order, Record), Error>> = None;
        for decoder in &mut self.all {
            for _ in 0..3 {
                let of_struct = decoder.decode(bytes, &mut self.order);
                let of_record = decoder.decode(bytes, &mut self.record);
                assert_eq!(of_struct, of_record);
                let this = of_struct.map(|()| (self.order.clone(), self.record.clone()));
                assert_eq!(read.get_or_insert_with(|| this.clone()), &this);
            }
        }
        read.expect("read").map(|(order, _)| order)
    }
}

/// Every path through a document, before and after it has learnt others, gives the same answer.
#[test]
fn a_component_that_lacks_what_it_must_have_is_not_read_from_soap() {
    let plan = |attributes| {
        let options = soap::Options { attributes, ..soap::Options::default() };
        soap::Plan::new(Order::layout(), &options).expect("a plan")
    };
    let document = |plan: &Arc<soap::Plan>, content: &str, attributes: bool| {
        let written = soap::Encoder::new(plan).encode(&Order::default()).unwrap().to_vec();
        let written = String::from_utf8(written).unwrap();
        let empty = if attributes { "<party id=\"\"/>" } else { "<party><id></id></party>" };
        assert!(written.contains(empty), "{written}");
        written.replace(empty, content).into_bytes()
    };
    let missing = || Err(("party/id", "a required field is missing"));
    let twice = ("party", "expected one element party with all that is in it, not a second");
    let ok = |id: &str, role| Ok(Party { id: id.into(), role });
    let nil = "<party xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='1'/>";
    let elements = [
        ("", ok("", None)),
        ("<first>1</first><last>2</last>", ok("", None)),
        (nil, ok("", None)),
        ("<party><id>A</id></party>", ok("A", None)),
        ("<first>1</first><party><role>3</role><id>A</id></party><last>2</last>", ok("A", Some(3))),
        ("<party/>", missing()),
        ("<party></party>", missing()),
        ("<first>1</first><party></party><last>2</last>", missing()),
        ("<first>1</first><party> <!-- none --> </party><last>2</last>", missing()),
        ("<first>1</first><party><role>3</role></party><last>2</last>", missing()),
        ("<first>1</first><party><other>3</other></party><last>2</last>", missing()),
        // The second is empty, and the first is not: the gap is the same as that of the one alone.
        ("<party><id>A</id></party><first>1</first><party></party><last>2</last>", Err(twice)),
        ("<first>1</first><party></party><last>2</last>", missing()),
    ];
    let attributes = [
        ("", ok("", None)),
        ("<party id=\"A\"/>", ok("A", None)),
        ("<party id=\"A\" role=\"3\"></party>", ok("A", Some(3))),
        ("<party/>", missing()),
        ("<party></party>", missing()),
        ("<party role=\"3\"/>", missing()),
        ("<party other=\"3\"/>", missing()),
    ];
    for (cases, in_attributes) in [(&elements[..], false), (&attributes[..], true)] {
        let plan = plan(in_attributes);
        let mut decoders = Decoders::new(&plan);
        for (content, expected) in cases.iter().chain(cases) {
            let bytes = document(&plan, content, in_attributes);
            let read = decoders.read(&bytes);
            match (&read, expected) {
                (Ok(order), Ok(party)) => assert_eq!(order.party, *party, "{content}"),
                (Err(error), Err((path, why))) => {
                    assert_eq!(error.path(), *path, "{content}");
                    assert!(error.to_string().ends_with(why), "{error}");
                }
                _ => panic!("{content}: {read:?}"),
            }
        }
    }
}

/// A description that is read twice is one: what was made for the first serves the second.
#[test]
fn a_listing_read_twice_mixes() {
    let (first, second) = (schema(), schema());
    assert!(!Arc::ptr_eq(&first, &second));
    let texts = [("Note", "one")];
    for (mut encode, mut decode) in codecs(&first) {
        let sent = record(&second, &texts, None);
        let bytes = encode(&sent).expect("the same description");
        let mut read = Record::new(&second);
        decode(&bytes, &mut read).expect("the same description");
        assert_eq!(read, record(&first, &texts, None));
    }
    // One field is called otherwise.
    let other = Arc::new(Layout::from_listing(&LISTING.replace("Host", "Guest")).unwrap());
    for (mut encode, mut decode) in codecs(&first) {
        let rejection = encode(&Record::new(&other)).unwrap_err();
        assert_eq!(rejection.kind(), &ErrorKind::Schema);
        assert_eq!(decode(b"", &mut Record::new(&other)).unwrap_err().kind(), &ErrorKind::Schema);
    }
}

/// An element without content says that the component is there.
#[test]
fn a_component_that_is_there_and_empty_lacks_its_choice() {
    let listing = "message M
component Party implied
choice By required
field ID 0 text required
field Number 0 u32 required
end
end
end";
    let layout = Arc::new(Layout::from_listing(listing).unwrap());
    let plan = soap::Plan::new(&layout, &soap::Options::default()).expect("a plan");
    let mut record = Record::new(&layout);
    record.set("Number", 7).unwrap();
    let written = soap::Encoder::new(&plan).encode(&record).unwrap().to_vec();
    let empty = String::from_utf8(written).unwrap().replace("<Number>7</Number>", "");
    for mut decoder in [soap::Decoder::new(&plan), soap::Decoder::new(&plan).generic()] {
        let error = decoder.decode(empty.as_bytes(), &mut record).unwrap_err().to_string();
        assert!(error.contains("Party/By") && error.contains("one of ID, Number"), "{error}");
    }
    let read =
        soap::graph::decode_message(empty.as_bytes(), &plan, &Limits::default(), &mut record);
    let error = read.unwrap_err().to_string();
    assert!(error.contains("Party/By") && error.contains("one of ID, Number"), "{error}");
}

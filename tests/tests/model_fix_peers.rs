//! Enumerations, choices, lists of values and structs by themselves, written and read by QuickFIX, which
//! sorts fields by their tags.

use std::path::PathBuf;
use std::time::Duration;

use trunkline_codec::fix;
use trunkline_lab::peer::{Discovery, Peer};
use trunkline_message::{Message, Structure as _};
use trunkline_tests::skip;
use trunkline_wire::{Decimal, Text, Timestamp};

/// A MarketDataIncrementalRefresh of FIX 4.3, with types of its own for the same tags.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[fix(message_type = "X")]
struct Refresh {
    sender: Option<Sender>,
    #[fix(tag = 56)]
    target: Text,
    on_behalf_of: Option<OnBehalfOf>,
    resent: Option<Resent>,
    #[fix(tag = 52)]
    sending_time: Timestamp,
    #[fix(tag = 268)]
    entries: Vec<Entry>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Sender {
    #[fix(tag = 49)]
    comp_id: Text,
    #[fix(tag = 50)]
    sub_id: Option<Text>,
    #[fix(tag = 142)]
    location_id: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct OnBehalfOf {
    #[fix(tag = 115)]
    comp_id: Option<Text>,
    #[fix(tag = 144)]
    location_id: Text,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Resent {
    #[fix(tag = 43)]
    PossDupFlag(bool),
    #[fix(tag = 97)]
    PossResend(bool),
}

#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
enum UpdateAction {
    #[default]
    #[fix(code = "0")]
    New,
    #[fix(code = "1")]
    Change,
    #[fix(code = "2")]
    Delete,
}

/// MULTIPLEVALUESTRING in FIX 4.3.
#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
enum QuoteCondition {
    #[default]
    #[fix(code = "A")]
    Open,
    #[fix(code = "B")]
    Closed,
    #[fix(code = "L")]
    FastTrading,
}

/// An entry begins with a struct, whose first field parts it from the next.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Entry {
    update: Option<Update>,
    instrument: Option<Instrument>,
    #[fix(tag = 270)]
    price: Option<Decimal>,
    #[fix(tag = 276)]
    quote_conditions: Vec<QuoteCondition>,
    #[fix(tag = 277)]
    trade_conditions: Vec<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Update {
    #[fix(tag = 279)]
    action: UpdateAction,
    #[fix(tag = 278)]
    id: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Instrument {
    #[fix(tag = 55)]
    symbol: Text,
    #[fix(tag = 461)]
    cfi_code: Option<Text>,
}

/// Of `seed`'s bits, each says whether something is there.
fn message(seed: u32) -> Refresh {
    let text = |bit: u32, text: &str| (seed >> bit & 1 != 0).then(|| Text::from(text));
    let entry = |number: u32| Entry {
        update: Some(Update {
            action: [UpdateAction::New, UpdateAction::Change, UpdateAction::Delete]
                [((seed + number) % 3) as usize],
            id: text(3, "E1"),
        }),
        instrument: text(number, "BHP")
            .map(|symbol| Instrument { symbol, cfi_code: text(4, "ES") }),
        price: (seed & 32 != 0).then(|| Decimal::new(635, -2).unwrap()),
        quote_conditions: [
            QuoteCondition::FastTrading,
            QuoteCondition::Open,
            QuoteCondition::Closed,
        ][..((seed >> 1) + number) as usize % 4]
            .to_vec(),
        trade_conditions: text(6, "C").into_iter().chain(text(1, "AB")).collect(),
    };
    Refresh {
        sender: Some(Sender {
            comp_id: "ABC".into(),
            sub_id: text(0, "S"),
            location_id: text(1, "SYD"),
        }),
        target: "XYZ".into(),
        on_behalf_of: text(2, "LON")
            .map(|location_id| OnBehalfOf { comp_id: text(5, "DEF"), location_id }),
        resent: match seed % 3 {
            0 => None,
            1 => Some(Resent::PossDupFlag(true)),
            _ => Some(Resent::PossResend(false)),
        },
        sending_time: Timestamp::parse_fix(b"20021128-18:09:42").unwrap(),
        entries: (0..=seed % 3).map(entry).collect(),
    }
}

#[test]
fn quickfix_reads_and_writes_the_shapes_of_types() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../peers/build/bin");
    let found = Discovery::of(folder.is_dir().then_some(&*folder)).expect("a folder");
    let Some((_, program)) = found.found().find(|(known, _)| known.name == "quickfix") else {
        return skip::skip("the peer quickfix is not built (make peers)");
    };
    let mut peer = Peer::start("quickfix", program, Duration::from_secs(60)).unwrap();
    let plan = fix::Plan::new(Refresh::layout(), &fix::Options::default()).unwrap();
    let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
    let messages: Vec<Refresh> = (0..128).map(message).collect();
    let ours: Vec<Vec<u8>> =
        messages.iter().map(|it| encoder.encode(it).unwrap().to_vec()).collect();
    peer.load("fix", &ours).unwrap();
    let theirs = peer.echo().unwrap();
    peer.stop();
    assert_eq!(theirs.len(), messages.len());
    let mut apart = 0;
    for (message, theirs) in messages.iter().zip(&theirs) {
        let mut back = Refresh::default();
        decoder
            .decode(theirs, &mut back)
            .unwrap_or_else(|error| panic!("{error}\n{}", theirs.escape_ascii()));
        assert_eq!(&back, message, "{}", theirs.escape_ascii());
        let place = |field: &[u8]| theirs.windows(field.len()).position(|it| it == field);
        // The sender's fields have the target between them, and the other party's.
        let [Some(sender), Some(target), Some(location)] =
            [place(b"\x0149="), place(b"\x0156="), place(b"\x01142=")]
        else {
            continue;
        };
        apart += usize::from(sender < target && target < location);
    }
    assert!(apart > 30, "{apart}");
}

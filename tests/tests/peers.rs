//! What other implementations write is read here, and what is written here they read.
//!
//! Each peer reads our bytes into its own structures and writes those again (`peers/PROTOCOL.md`);
//! what comes back has to be the same message. omniORB's bytes have to be ours, padding aside.

use std::path::PathBuf;
use std::time::Duration;

use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh, MdEntry};
use trunkline_codec::{cdr, fix};
use trunkline_lab::experiment::Operation;
use trunkline_lab::peer::{Discovery, Peer};
use trunkline_message::Structure;
use trunkline_soap as soap;
use trunkline_tests::random::Safe;
use trunkline_tests::{samples, skip};
use trunkline_wire::Decimal;

type Market = MarketDataIncrementalRefresh;

type Encode = Box<dyn FnMut(&Market) -> Vec<u8>>;
type Decode = Box<dyn FnMut(&[u8]) -> trunkline_message::Result<Market>>;

/// Both directions of one format.
struct Codec {
    encode: Encode,
    decode: Decode,
}

impl Codec {
    fn of(format: &str) -> Self {
        match format {
            "fix" => {
                let plan = fix::Plan::new(Market::layout(), &fix::Options::default()).unwrap();
                let (mut to, mut from) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
                Self {
                    encode: Box::new(move |it| to.encode(it).unwrap().to_vec()),
                    decode: decoding(move |bytes, it| from.decode(bytes, it)),
                }
            }
            "cdr-le" | "cdr-be" => {
                let little = format == "cdr-le";
                let byte_order = if little { cdr::ByteOrder::Little } else { cdr::ByteOrder::Big };
                let options = cdr::Options { byte_order, ..cdr::Options::default() };
                let plan = cdr::Plan::new(Market::layout(), &options).unwrap();
                let (mut to, mut from) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
                Self {
                    encode: Box::new(move |it| to.encode(it).unwrap().to_vec()),
                    decode: decoding(move |bytes, it| from.decode(bytes, it)),
                }
            }
            _ => {
                let style = match format {
                    "soap-doc" => soap::Style::DocumentLiteral,
                    _ => soap::Style::RpcEncoded,
                };
                let options = soap::Options { style, ..soap::Options::default() };
                let plan = soap::Plan::new(Market::layout(), &options).expect("a plan");
                let (mut to, mut from) = (soap::Encoder::new(&plan), soap::Decoder::new(&plan));
                Self {
                    encode: Box::new(move |it| to.encode(it).unwrap().to_vec()),
                    decode: decoding(move |bytes, it| from.decode(bytes, it)),
                }
            }
        }
    }
}

fn decoding(
    mut decode: impl FnMut(&[u8], &mut Market) -> trunkline_message::Result<()> + 'static,
) -> Decode {
    Box::new(move |bytes| {
        let mut message = Market::default();
        decode(bytes, &mut message).map(|()| message)
    })
}

/// The paper's messages of 1 to 10 entries, and any others within what every peer can hold.
fn messages() -> Vec<Market> {
    let mut messages: Vec<Market> = (1..=10).map(samples::figure_3).collect();
    messages.extend((0..120).map(|seed| held_by_all(samples::market_data(seed, Safe::ALL))));
    messages
}

/// The peers hold decimals as doubles and print 15 digits of them.
fn held_by_all(mut message: Market) -> Market {
    let numbers = |it: Option<u32>| it.map(|it| it & 0x7FFF_FFFF);
    message.header.msg_seq_num = numbers(message.header.msg_seq_num);
    message.header.last_msg_seq_num_processed = numbers(message.header.last_msg_seq_num_processed);
    for hop in message.header.hops.iter_mut() {
        hop.hop_ref_id = numbers(hop.hop_ref_id);
    }
    for entry in message.body.entries.iter_mut() {
        shorten(entry);
    }
    message
}

fn shorten(entry: &mut MdEntry) {
    let short = |it: Option<&Decimal>| {
        it.map(|it| Decimal::new(it.mantissa() % 1_000_000_000_000, it.exponent().clamp(-6, 0)))
            .map(|it| it.expect("within range"))
    };
    macro_rules! shorten {
        ($($from:expr, $get:ident, $set:ident;)*) => {$(
            if let Some(value) = short($from.$get()) {
                $from.$set(value);
            }
        )*};
    }
    shorten! {
        entry, md_entry_px, set_md_entry_px;
        entry, md_entry_size, set_md_entry_size;
        entry, min_qty, set_min_qty;
        entry, total_volume_traded, set_total_volume_traded;
        entry, net_chg_prev_day, set_net_chg_prev_day;
        entry.instrument, repurchase_rate, set_repurchase_rate;
        entry.instrument, factor, set_factor;
        entry.instrument, strike_price, set_strike_price;
        entry.instrument, contract_multiplier, set_contract_multiplier;
        entry.instrument, coupon_rate, set_coupon_rate;
    }
}

fn program(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../peers/build/bin");
    let found = Discovery::of(folder.is_dir().then_some(&*folder)).expect("a folder");
    let program = found.found().find(|(known, _)| known.name == name).map(|(_, it)| it.to_owned());
    if program.is_none() {
        skip::skip(&format!("the peer {name} is not built (make peers)"));
    }
    program
}

/// Sends all messages through the peer and back in each of its formats.
fn there_and_back(name: &str, formats: &[&str]) {
    let Some(program) = program(name) else { return };
    let mut peer = Peer::start(name, &program, Duration::from_secs(60)).unwrap();
    let messages = messages();
    for format in formats {
        let mut codec = Codec::of(format);
        let ours: Vec<Vec<u8>> = messages.iter().map(|it| (codec.encode)(it)).collect();
        peer.load(format, &ours).unwrap();
        let theirs = peer.echo().unwrap();
        assert_eq!(theirs.len(), messages.len());
        for ((message, ours), theirs) in messages.iter().zip(&ours).zip(&theirs) {
            let back = (codec.decode)(theirs).unwrap_or_else(|error| {
                panic!("{name} {format}: {error}\n{}", theirs.escape_ascii())
            });
            assert_eq!(&back, message, "{name} {format}: {}", theirs.escape_ascii());
            if format.starts_with("cdr") {
                same_but_for_padding(&mut codec, message, ours, theirs);
            }
        }
    }
    peer.stop();
}

/// Sends all messages through the peer, which decodes them into one structure, one after another: nothing
/// of a message may be left in the next.
fn reused(name: &str, format: &str) {
    let Some(program) = program(name) else { return };
    let mut peer = Peer::start(name, &program, Duration::from_secs(60)).unwrap();
    let messages = messages();
    let mut codec = Codec::of(format);
    let ours: Vec<Vec<u8>> = messages.iter().map(|it| (codec.encode)(it)).collect();
    peer.load(format, &ours).unwrap();
    let each_new = peer.echo().unwrap();
    peer.reuse_messages();
    // Padding octets of CDR may hold anything.
    for (index, (reused, new)) in peer.echo().unwrap().iter().zip(&each_new).enumerate() {
        let [reused, new] = [reused, new].map(|bytes| (codec.decode)(bytes).unwrap());
        assert_eq!(reused, new, "{name} message {index}");
    }
    let sample = peer.run(Operation::Decode, 2).unwrap();
    assert_eq!(sample.messages, 2 * messages.len() as u64);
    peer.stop();
}

/// Padding is what a reader does not look at: where the bytes differ, any other byte in ours has
/// to leave the message as it is.
fn same_but_for_padding(codec: &mut Codec, message: &Market, ours: &[u8], theirs: &[u8]) {
    assert_eq!(ours.len(), theirs.len());
    for at in (0..ours.len()).filter(|&at| ours[at] != theirs[at]) {
        let mut other = ours.to_vec();
        other[at] ^= 0xFF;
        let read = (codec.decode)(&other);
        assert_eq!(read.as_ref(), Ok(message), "byte {at} is no padding");
    }
}

#[test]
fn gsoap_as_distributed() {
    there_and_back("gsoap-debian", &["soap-rpc", "soap-doc"]);
}

#[test]
fn gsoap_in_its_fastest_build() {
    there_and_back("gsoap-best", &["soap-rpc", "soap-doc"]);
}

#[test]
fn quickfix() {
    there_and_back("quickfix", &["fix"]);
}

#[test]
fn omniorb_in_both_byte_orders() {
    there_and_back("omniorb", &["cdr-le", "cdr-be"]);
}

#[test]
fn quick_xml() {
    there_and_back("quick-xml", &["soap-rpc", "soap-doc"]);
}

#[test]
fn ironfix() {
    there_and_back("ironfix", &["fix"]);
}

#[test]
fn peers_that_reuse_a_message_leave_nothing_of_it_in_the_next() {
    for (name, format) in [
        ("quickfix", "fix"),
        ("omniorb", "cdr-le"),
        ("quick-xml", "soap-doc"),
        ("ironfix", "fix"),
        ("pugixml", "soap-doc"),
    ] {
        reused(name, format);
    }
}

/// What cannot be asked for is rejected, and not answered with what is slower.
#[test]
fn gsoap_makes_every_message_anew() {
    for name in ["gsoap-best", "gsoap-debian"] {
        let Some(program) = program(name) else { continue };
        let mut peer = Peer::start(name, &program, Duration::from_secs(60)).unwrap();
        let messages = [(Codec::of("soap-doc").encode)(&samples::figure_3(2))];
        peer.load("soap-doc", &messages).unwrap();
        peer.run(Operation::Decode, 1).unwrap();
        peer.reuse_messages();
        let rejected = peer.run(Operation::Decode, 1).expect_err("it cannot");
        assert!(rejected.to_string().ends_with("gSOAP allocates each message anew"), "{rejected}");
        peer.stop();
    }
}

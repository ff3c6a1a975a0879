//! Valid messages of each style, cut short and with bits flipped.

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_lab::customer_services::web_service::{NAMESPACE, PATHS};
use trunkline_message::Structure as _;
use trunkline_random::Random;
use trunkline_session::soap::{Binding, QName};
use trunkline_soap::{Encoder, Fragment, HeaderBlock, Plan};
use trunkline_tests::samples;

use crate::{beside, client, headers, post, serve, short};

/// All paths of the service, in SOAP 1.1 and 1.2, and of the one that takes any message.
fn paths() -> Vec<(String, Binding)> {
    let both = |(path, binding): (&str, Binding)| {
        [(path.to_owned(), binding), (format!("/soap12{path}"), binding.soap12())]
    };
    let encoded = Binding::rpc_encoded();
    let any = [encoded, encoded.soap12()].map(|binding| ("/any".to_owned(), binding));
    PATHS.into_iter().flat_map(both).chain(any).collect()
}

/// A message of a customer and two products, with a header block that nobody has to understand.
fn valid(binding: Binding) -> Vec<u8> {
    let plan =
        Plan::new(CustomerServices::layout(), &binding.options(NAMESPACE, "echo")).expect("a plan");
    let block = Fragment::text(&QName::new("urn:trace", "trace"), "on & on").expect("a name");
    let block = HeaderBlock::new(block).for_role("urn:trace:role").mandatory();
    let header = block.encode(binding.version);
    let message = samples::customer_services(1, 2);
    let mut encoder = Encoder::new(&plan);
    encoder.encode_with(&header, &message).expect("a message that can be written").to_vec()
}

#[test]
fn messages_cut_short_are_faults() {
    const CUTS: usize = 2_000;
    let server = serve(short());
    beside(&server, || {
        for (path, binding) in paths() {
            let (whole, mut client) = (valid(binding), client(&server));
            let headers = headers(binding.version, &format!("{NAMESPACE}#echo"));
            assert_eq!(post(&mut client, &path, &headers, &whole).status.as_u16(), 200, "{path}");
            for cut in 0..CUTS {
                let part = &whole[..cut * whole.len() / CUTS];
                let answer = post(&mut client, &path, &headers, part);
                assert_ne!(answer.status.as_u16(), 200, "{path}: cut at {}", part.len());
            }
            // What was learnt from them does not spoil the next one.
            assert_eq!(post(&mut client, &path, &headers, &whole).status.as_u16(), 200, "{path}");
            assert_eq!(client.connections(), 1, "{path}");
        }
    });
    assert!(server.counters().requests > 12 * CUTS as u64);
    assert_eq!(server.counters().panics, 0);
}

#[test]
fn messages_with_flipped_bits_are_answered() {
    const FLIPS: usize = 5_000;
    let server = serve(short());
    beside(&server, || {
        let mut random = Random::new(20_041_120);
        for (path, binding) in paths() {
            let (whole, mut client) = (valid(binding), client(&server));
            let headers = headers(binding.version, &format!("{NAMESPACE}#echo"));
            let (mut replies, mut faults) = (0, 0);
            for _ in 0..FLIPS {
                let mut damaged = whole.clone();
                for _ in 0..=random.below(2) {
                    let place = random.below(damaged.len() as u64) as usize;
                    damaged[place] ^= 1 << random.below(8);
                }
                match post(&mut client, &path, &headers, &damaged).status.as_u16() {
                    200 => replies += 1,
                    _ => faults += 1,
                }
            }
            assert!(replies > FLIPS / 100 && faults > FLIPS / 100, "{path}: {replies}, {faults}");
            assert_eq!(post(&mut client, &path, &headers, &whole).status.as_u16(), 200, "{path}");
            assert_eq!(client.connections(), 1, "{path}");
        }
    });
    assert!(server.counters().requests > 12 * FLIPS as u64);
    assert_eq!(server.counters().panics, 0);
}

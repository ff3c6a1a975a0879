//! There and back, as a struct and as a record.

use trunkline_codec::cdr;
use trunkline_message::{Message, Record, Structure};
use trunkline_tests::random::{self, Safe};

use crate::plans;
use crate::shapes::{Folder, Link, Price, Settlement, folder, least, order, text};

/// Struct and record have the same octets, from which both come back, into messages used before, too.
fn there_and_back<M>(messages: &[M])
where
    M: Message + Structure + Clone + PartialEq + std::fmt::Debug,
{
    for plan in plans::<M>() {
        let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
        let mut back = messages[0].clone();
        let mut record = Record::new(plan.layout());
        for message in messages {
            let bytes = encoder.encode(message).unwrap().to_vec();
            decoder.decode(&bytes, &mut back).unwrap();
            assert_eq!(back, *message);
            decoder.decode(&bytes, &mut record).unwrap();
            assert_eq!(record, Record::from_message(message));
            assert_eq!(encoder.encode(&record).unwrap(), bytes);
        }
    }
}

#[test]
fn every_shape_comes_back() {
    there_and_back(&[order(), least(), order(), least()]);
}

#[test]
fn a_message_may_be_a_choice() {
    let nested = Settlement::Again(Box::new(least()));
    let parts = Settlement::Parts([1, 2, 3]);
    there_and_back(&[Settlement::Cash, parts, Settlement::References(vec![]), nested]);
    there_and_back(&[Price::Market, Price::Limit(7.into())]);
}

#[test]
fn random_messages_come_back() {
    let mut messages = Vec::new();
    for seed in 0..150 {
        let mut message = least();
        random::fill(&mut message, seed, Safe::CDR, 4);
        messages.push(message);
    }
    there_and_back(&messages);
}

/// As deep as a decoder allows: folders in folders, behind parents and behind links.
#[test]
fn what_holds_itself_comes_back() {
    let around =
        |make: &dyn Fn(Folder) -> Folder| (0..100).fold(folder("x", vec![]), |it, _| make(it));
    let (in_list, up) = (
        around(&|it| folder("", vec![it])),
        around(&|it| Folder { parent: Some(Box::new(it)), ..folder("", vec![]) }),
    );
    let linked = (0..60).fold(folder("y", vec![]), |it, _| Folder {
        link: Some(Link::To(Box::new(it))),
        ..folder("", vec![])
    });
    let away = Folder { link: Some(Link::Away(text("z"))), ..folder("", vec![]) };
    there_and_back(&[in_list, up, linked, away]);
}

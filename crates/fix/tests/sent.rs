//! Who asks for it is told of everything that a session sends, in its order.

use std::sync::{Arc, Mutex};

use trunkline_fix::{
    Application, Identity, MemoryStore, Message, Moment, Outbox, Refusal, Role, Session, Settings,
    Version,
};

/// Refuses orders.
struct Refusing;

impl Application for Refusing {
    fn message(&mut self, message: Message<'_>, _: &mut Outbox) -> Result<(), Refusal> {
        match message.message_type() {
            b"D" => Err(Refusal::Business { reason: 0, text: "no".to_owned() }),
            _ => Ok(()),
        }
    }
}

/// What was told of a session: the bytes, and the MsgTypes.
type Told = Arc<Mutex<(Vec<u8>, Vec<String>)>>;

fn session(role: Role, own: &str, other: &str) -> (Session, Told) {
    let settings = Settings::new(role, Identity::new(Version::Fix44, own, other));
    let mut session = Session::new(settings, None, Box::new(MemoryStore::default()));
    let told = Told::default();
    let all = told.clone();
    session.on_sent(move |message| {
        let (bytes, types) = &mut *all.lock().expect("no panic before");
        bytes.extend_from_slice(message.bytes());
        types.push(String::from_utf8_lossy(message.message_type()).into_owned());
    });
    (session, told)
}

#[test]
fn all_that_leaves_a_session_is_told_of_it() {
    let now = Moment { monotonic: 0, utc: 1_795_651_200_000_000_000 };
    let mut sides =
        [session(Role::Initiator, "FUND", "BANK"), session(Role::Acceptor, "BANK", "FUND")];
    let mut left: [Vec<u8>; 2] = Default::default();
    sides.iter_mut().for_each(|it| it.0.connected(now));
    for turn in 0..6 {
        for from in 0..2 {
            let session = &mut sides[from].0;
            let bytes = session.output().to_vec();
            session.sent(bytes.len(), &mut Refusing);
            left[from].extend_from_slice(&bytes);
            sides[1 - from].0.received(now, &bytes, &mut Refusing);
        }
        let initiator = &mut sides[0].0;
        match turn {
            1 => assert!(initiator.send(now, |it| it.send("D", b"11=a\x01")).is_ok()),
            3 => initiator.log_out(now, None, &mut Refusing),
            _ => {}
        }
    }
    let types = sides.iter().zip(&left).map(|((_, told), left)| {
        let (bytes, types) = &*told.lock().expect("no panic before");
        assert_eq!(bytes, left);
        types.join(" ")
    });
    assert_eq!(types.collect::<Vec<_>>(), ["A D 5", "A j 5"]);
}

//! What an application refuses has its answer, or is not counted.

use std::io;

use trunkline_fix::{
    Application, Identity, MemoryStore, Message, Moment, Outbox, Refusal, Role, Session, Settings,
    Store, Version,
};

/// Refuses all.
struct Refusing;

impl Application for Refusing {
    fn message(&mut self, _message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        Err(Refusal::Business { reason: 0, text: "no".to_owned() })
    }
}

/// Has no room for messages of the application.
struct Full(MemoryStore);

impl Store for Full {
    fn next_sender(&self) -> u64 {
        self.0.next_sender()
    }

    fn next_target(&self) -> u64 {
        self.0.next_target()
    }

    fn set_next_target(&mut self, number: u64) -> io::Result<()> {
        self.0.set_next_target(number)
    }

    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
        match message {
            Some(_) => Err(io::Error::other("it is full")),
            None => self.0.save(None),
        }
    }

    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
        self.0.load(from, message)
    }

    fn reset(&mut self, utc: i64) -> io::Result<()> {
        self.0.reset(utc)
    }

    fn began(&self) -> Option<i64> {
        self.0.began()
    }
}

#[test]
fn a_message_whose_answer_cannot_be_kept_ends_the_session_and_is_not_counted() {
    let now = Moment { monotonic: 0, utc: 1_795_651_200_000_000_000 };
    let session = |role, own: &str, other: &str, store: Box<dyn Store>| {
        Session::new(Settings::new(role, Identity::new(Version::Fix44, own, other)), None, store)
    };
    let mut fund = session(Role::Initiator, "FUND", "BANK", Box::<MemoryStore>::default());
    let mut bank = session(Role::Acceptor, "BANK", "FUND", Box::new(Full(MemoryStore::default())));
    let pass = |from: &mut Session, to: &mut Session| {
        let bytes = from.output().to_vec();
        from.sent(bytes.len(), &mut Refusing);
        to.received(now, &bytes, &mut Refusing);
    };
    bank.connected(now);
    fund.connected(now);
    pass(&mut fund, &mut bank);
    pass(&mut bank, &mut fund);
    assert!(bank.is_logged_on() && fund.is_logged_on());
    fund.send(now, |it| it.send("D", b"11=a\x01")).expect("memory");
    pass(&mut fund, &mut bank);
    // The next connection asks for it again.
    assert_eq!((bank.is_over(), bank.numbers()), (true, (2, 2)));
}

//! What is sent while a Logon is on its way.

use trunkline_fix::{
    Application, Identity, MemoryStore, Message, Moment, Outbox, Refusal, Role, Session, Settings,
    Version,
};

/// Keeps the ClOrdIDs of what comes.
#[derive(Default)]
struct Orders(Vec<String>);

impl Application for Orders {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        let id = message.get(11).expect("an order").to_vec();
        self.0.push(String::from_utf8(id).expect("text"));
        Ok(())
    }

    fn logged_on(&mut self, outbox: &mut Outbox) {
        if outbox.settings().role == Role::Initiator {
            outbox.send("D", b"11=c\x01").expect("memory");
        }
    }
}

#[test]
fn orders_sent_before_the_logon_is_answered_come_at_once() {
    let now = Moment { monotonic: 0, utc: 1_795_651_200_000_000_000 };
    let session = |role, own: &str, other: &str| {
        let settings = Settings::new(role, Identity::new(Version::Fix44, own, other));
        Session::new(settings, None, Box::<MemoryStore>::default())
    };
    let mut fund = session(Role::Initiator, "FUND", "BANK");
    let mut bank = session(Role::Acceptor, "BANK", "FUND");
    let (mut sender, mut orders) = (Orders::default(), Orders::default());
    bank.connected(now);
    fund.connected(now);
    for id in ["a", "b"] {
        fund.send(now, |it| it.send("D", format!("11={id}\x01").as_bytes())).expect("memory");
    }
    for _ in 0..2 {
        let bytes = fund.output().to_vec();
        fund.sent(bytes.len(), &mut sender);
        bank.received(now, &bytes, &mut orders);
        let bytes = bank.output().to_vec();
        bank.sent(bytes.len(), &mut orders);
        fund.received(now, &bytes, &mut sender);
    }
    assert_eq!(orders.0, ["a", "b", "c"]);
    assert_eq!((fund.numbers().0, bank.numbers().1), (5, 5), "nothing was asked for again");
}

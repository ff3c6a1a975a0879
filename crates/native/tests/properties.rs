//! What is encoded is decoded again; the fast ways are the plain ones; broken bytes are errors.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use trunkline_native::{
    Acknowledge, Acknowledged, ClientFrame, Clock, Closing, Confirmed, Conflation, Consume,
    Consuming, Credentials, Delete, Delivery, DeliveryPolicy, Durability, Error, ErrorKind,
    Features, Gap, HELLO_BYTES, Hello, LastValues, Lost, LostReason, Message, Notice, Overflow,
    Producer, Producing, Publish, Rejected, Release, Reply, Request, Requester, RouterFrame,
    RouterReply, Start, Store, Stored, Subscribe, Taken, Topic, Updates, Welcome, decode_client,
    decode_delivery, decode_hello, decode_message, decode_publish, decode_router, decode_store,
    encode_delivery, encode_message, encode_plain_message, encode_publish, encode_store, kind,
};

const LIMIT: u32 = 2048;

fn config() -> Config {
    let rng_seed = RngSeed::Fixed(2004);
    Config { rng_seed, cases: 1000, failure_persistence: None, ..Config::default() }
}

/// Numbers, text and payload from which any frame is made.
#[derive(Clone, Debug)]
struct Material {
    choice: u8,
    small: [u32; 2],
    large: [u64; 4],
    short: u16,
    flags: u8,
    text: String,
    payload: Vec<u8>,
}

fn material() -> impl Strategy<Value = Material> {
    (
        any::<u8>(),
        any::<[u32; 2]>(),
        any::<[u64; 4]>(),
        any::<u16>(),
        any::<u8>(),
        "[^\\p{Cc}]{0,50}",
        vec(any::<u8>(), 0..300),
    )
        .prop_map(|(choice, small, large, short, flags, text, payload)| Material {
            choice,
            small,
            large,
            short,
            flags,
            text,
            payload,
        })
}

impl Material {
    fn client(&self) -> ClientFrame<'_> {
        let [first, second] = self.small;
        let [a, b, ..] = self.large;
        let (format, payload, name) = (self.short, &*self.payload, &*self.text);
        match self.choice % 18 {
            0 => ClientFrame::Hello(self.hello()),
            1 => ClientFrame::Topic(Topic { alias: first, name }),
            2 => {
                let clears_last_value = self.has(1);
                ClientFrame::Publish(Publish { alias: first, clears_last_value, format, payload })
            }
            3 => ClientFrame::Subscribe(Subscribe {
                subscription: first,
                updates: self.updates(),
                last_values: self.has(1),
                format: self.has(2).then_some(format),
                filter: if self.has(4) { name } else { "" },
                fields: if self.has(8) { name } else { "" },
                pattern: name,
            }),
            4 => ClientFrame::Unsubscribe(first),
            5 => ClientFrame::Request(Request {
                alias: first,
                timeout_ms: second,
                correlation: a,
                format,
                payload,
            }),
            6 => ClientFrame::Reply(Reply {
                request: Requester { client: a, correlation: b },
                format,
                payload,
            }),
            7 => ClientFrame::Ping(a),
            8 => ClientFrame::Pong(a),
            9 => ClientFrame::Forget(first),
            10 => ClientFrame::Taken(Taken { messages: a, round_trip: b }),
            11 => ClientFrame::Clock(a),
            _ if self.choice % 36 == 35 => {
                let (user, secret) = self.two_names();
                ClientFrame::Credentials(Credentials { user, secret })
            }
            _ => self.guaranteed_client(),
        }
    }

    fn updates(&self) -> Updates {
        match self.small[1] {
            0..0x4000_0000 => Updates::All,
            0xc000_0000.. => Updates::Newest,
            rate => Updates::PerSecond(rate),
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn guaranteed_client(&self) -> ClientFrame<'_> {
        let [subscription, second] = self.small;
        let position = self.large[0];
        // A producer has a name.
        let name = if self.text.is_empty() { "x" } else { &*self.text };
        match self.choice % 16 {
            10 => ClientFrame::Producer(Producer { name }),
            11 => ClientFrame::Store(self.store()),
            12 => ClientFrame::Consume(self.consume()),
            13 => {
                let is_cumulative = self.has(1);
                ClientFrame::Acknowledge(Acknowledge { subscription, position, is_cumulative })
            }
            14 => ClientFrame::Release(Release { subscription, delay_ms: second, position }),
            _ => ClientFrame::Delete(Delete { name }),
        }
    }

    fn store(&self) -> Store<'_> {
        Store {
            alias: self.small[0],
            time_to_live_ms: self.small[1],
            sequence: self.large[0],
            is_repeated: self.has(1),
            format: self.short,
            payload: &self.payload,
        }
    }

    fn consume(&self) -> Consume<'_> {
        let [value, pace, ..] = self.large;
        let (name, pattern) = self.two_names();
        Consume {
            subscription: self.small[0],
            window: self.small[1],
            updates: self.updates(),
            start: match self.short % 5 {
                0 => Start::New,
                1 => Start::All,
                2 => Start::Position(value),
                3 => Start::Time(value),
                _ => Start::Last(value),
            },
            pace: pace as u32,
            wants_confirmed: self.has(1),
            wants_acknowledged: self.has(2),
            policy: DeliveryPolicy { acknowledge_within_ms: self.small[0], deliveries: self.short },
            format: self.has(4).then_some(self.short),
            filter: if self.has(8) { &self.text } else { "" },
            fields: if self.has(16) { &self.text } else { "" },
            name,
            pattern,
        }
    }

    fn two_names(&self) -> (&str, &str) {
        let middle = self.text.char_indices().nth(usize::from(self.short % 51));
        self.text.split_at(middle.map_or(self.text.len(), |it| it.0))
    }

    fn features(&self) -> Features {
        let (credit, times, last_values) = (self.has(16), self.has(32), self.has(64));
        let (notices, policies, formats) = (self.has(128), self.has(8), self.has(4));
        let (filters, fields) = (self.has(2), self.has(1));
        Features { credit, times, last_values, notices, policies, formats, filters, fields }
    }

    fn hello(&self) -> Hello<'_> {
        Hello {
            version: self.short,
            has_credentials: self.has(64),
            features: self.features(),
            queue_messages: self.small[0],
            overflow: match self.flags % 4 {
                0 => Overflow::Default,
                1 => Overflow::DropOldest,
                2 => Overflow::DropNewest,
                _ => Overflow::Disconnect,
            },
            queue_bytes: self.large[0],
            messages_per_second: self.small[1],
            bytes_per_second: self.large[1],
            name: &self.text,
        }
    }

    fn message(&self) -> Message<'_> {
        let [sequence, a, b, c] = self.large;
        Message {
            subscription: self.small[0],
            topic: self.small[1],
            sequence,
            conflation: (self.flags & 1 != 0).then_some(Conflation { replaced: a, age: b }),
            request: (self.flags & 2 != 0).then_some(Requester { client: b, correlation: c }),
            published: (self.flags & 4 != 0).then_some(c),
            last_value: (self.flags & 8 != 0).then_some(a),
            format: self.short,
            payload: &self.payload,
        }
    }

    fn delivery(&self) -> Delivery<'_> {
        let [position, time, replaced, age] = self.large;
        Delivery {
            subscription: self.small[0],
            topic: self.small[1],
            position,
            time,
            deliveries: age as u32,
            conflation: self.has(1).then_some(Conflation { replaced, age }),
            is_repeated: self.has(2),
            is_unconfirmed: self.has(4),
            is_kept: self.has(8),
            is_unrendered: self.has(16),
            format: self.short,
            payload: &self.payload,
        }
    }

    fn guaranteed_router(&self) -> RouterFrame<'_> {
        let [subscription, window] = self.small;
        let [a, position, first, last] = self.large;
        let durability = Durability { memory: self.short, disk: a as u16 };
        match self.choice % 18 {
            11 => RouterFrame::Producing(Producing { window, window_bytes: a, last }),
            12 => RouterFrame::Stored(Stored { durability, sequence: a, position }),
            13 => RouterFrame::Consuming(Consuming {
                subscription,
                window,
                waiting: a,
                next: position,
                is_new: self.has(1),
            }),
            14 => RouterFrame::Delivery(self.delivery()),
            15 => RouterFrame::Confirmed(Confirmed { subscription, durability, position }),
            16 => RouterFrame::Acknowledged(Acknowledged {
                subscription,
                durability,
                acknowledgements: a,
                position,
            }),
            _ => {
                let reason = match self.flags {
                    1 => LostReason::Expired,
                    2 => LostReason::Damaged,
                    3 => LostReason::OverQuota,
                    4 => LostReason::NotKept,
                    5 => LostReason::Purged,
                    other => LostReason::Other(other.into()),
                };
                RouterFrame::Lost(Lost { subscription, reason, count: a, first, last })
            }
        }
    }

    fn router(&self) -> RouterFrame<'_> {
        let [first, second] = self.small;
        let [a, b, c, d] = self.large;
        match self.choice % 21 {
            0 => RouterFrame::Welcome(Welcome {
                version: self.short,
                features: self.features(),
                frame_bytes: first,
                client: a,
                topics: second,
                subscriptions: b as u32,
            }),
            1 => RouterFrame::Topic(Topic { alias: first, name: &self.text }),
            2 => RouterFrame::Message(self.message()),
            3 => RouterFrame::Gap(Gap {
                subscription: first,
                topic: second,
                count: a,
                first: b,
                last: c,
                age: d,
                reason: &self.text,
            }),
            4 => RouterFrame::Subscribed(first),
            5 => RouterFrame::Rejected(Rejected {
                of: self.flags,
                code: self.short,
                offset: (first < u32::MAX / 2).then_some(first),
                id: a,
                text: &self.text,
            }),
            6 => RouterFrame::Reply(RouterReply {
                correlation: a,
                format: self.short,
                payload: &self.payload,
            }),
            7 => RouterFrame::Ping(a),
            8 => RouterFrame::Pong(a),
            9 => RouterFrame::Closing(Closing { code: self.short, text: &self.text }),
            10 => RouterFrame::Unsubscribed(first),
            11 => RouterFrame::Clock(Clock { token: a, time: b }),
            19 => RouterFrame::LastValues(LastValues { subscription: first, count: a }),
            20 => RouterFrame::Notice(Notice { code: self.short, text: &self.text }),
            _ => self.guaranteed_router(),
        }
    }
}

proptest! {
    #![proptest_config(config())]

    /// Whatever follows it, and however much of it is there.
    #[test]
    fn frames_come_back(material in material(), rest in vec(any::<u8>(), 0..40)) {
        let (client, router) = (material.client(), material.router());
        let mut bytes = Vec::new();
        client.encode(&mut bytes);
        let length = bytes.len();
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(decode_client(&bytes, LIMIT), Ok(Some((client, length))));
        for end in 0..length {
            prop_assert_eq!(decode_client(&bytes[..end], LIMIT), Ok(None));
        }
        bytes.clear();
        router.encode(&mut bytes);
        let length = bytes.len();
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(decode_router(&bytes, LIMIT), Ok(Some((router, length))));
        for end in 0..length {
            prop_assert_eq!(decode_router(&bytes[..end], LIMIT), Ok(None));
        }
    }

    #[test]
    fn a_hello_is_waited_for(material in material(), rest in vec(any::<u8>(), 0..40)) {
        let mut bytes = Vec::new();
        let hello = material.hello();
        ClientFrame::Hello(hello).encode(&mut bytes);
        let length = bytes.len();
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(decode_hello(&bytes), Ok(Some((hello, length))));
        for end in 0..length {
            prop_assert_eq!(decode_hello(&bytes[..end]), Ok(None));
        }
    }

    #[test]
    fn the_fast_ways_are_the_plain_ones(material in material(), limit in 0..600_u32) {
        let plain = Message {
            conflation: None,
            request: None,
            published: None,
            last_value: None,
            ..material.message()
        };
        let (mut slow, mut fast) = (Vec::new(), Vec::new());
        encode_message(&mut slow, &plain);
        let Message { subscription, topic, sequence, format, payload, .. } = plain;
        encode_plain_message(&mut fast, subscription, topic, sequence, format, payload);
        prop_assert_eq!(&slow, &fast);
        let within = fast.len() as u32 <= limit;
        prop_assert_eq!(decode_message(&fast, limit), within.then_some((plain, fast.len())));
        prop_assert_eq!(decode_router(&fast, limit).is_ok(), within);

        // PUBLISH is REQUEST without two of its fields.
        let alias = material.small[0];
        let request = Request { alias, timeout_ms: 0, correlation: 0, format, payload };
        slow.clear();
        ClientFrame::Request(request).encode(&mut slow);
        slow.drain(12..24);
        let [a, b, c, d] = (slow.len() as u32).to_le_bytes();
        slow[..5].copy_from_slice(&[a, b, c, d, kind::PUBLISH]);
        fast.clear();
        encode_publish(&mut fast, alias, format, payload);
        prop_assert_eq!(&slow, &fast);
        let publish = Publish { alias, clears_last_value: false, format, payload };
        let within = fast.len() as u32 <= limit;
        prop_assert_eq!(decode_publish(&fast, limit), within.then_some((publish, fast.len())));
        prop_assert_eq!(decode_client(&fast, limit).is_ok(), within);
        fast[5] = 1;
        let clearing = ClientFrame::Publish(Publish { clears_last_value: true, ..publish });
        prop_assert_eq!(decode_publish(&fast, LIMIT), None);
        prop_assert_eq!(decode_client(&fast, LIMIT), Ok(Some((clearing, fast.len()))));
    }

    /// Sent again, conflated, or without a form, they are not read in the fast way: the rest must be the same.
    #[test]
    fn so_are_those_of_guaranteed_delivery(material in material(), limit in 0..600_u32) {
        let first = Store { is_repeated: false, ..material.store() };
        let mut bytes = Vec::new();
        encode_store(&mut bytes, &first);
        let length = bytes.len();
        let within = length as u32 <= limit;
        prop_assert_eq!(decode_store(&bytes, limit), within.then_some((first, length)));
        prop_assert_eq!(decode_client(&bytes, limit).is_ok(), within);
        bytes[5] = 1;
        let again = ClientFrame::Store(Store { is_repeated: true, ..first });
        prop_assert_eq!(decode_store(&bytes, LIMIT), None);
        prop_assert_eq!(decode_client(&bytes, LIMIT), Ok(Some((again, length))));

        let plain = Delivery { conflation: None, is_unrendered: false, ..material.delivery() };
        bytes.clear();
        encode_delivery(&mut bytes, &plain);
        let length = bytes.len();
        let within = length as u32 <= limit;
        prop_assert_eq!(decode_delivery(&bytes, limit), within.then_some((plain, length)));
        prop_assert_eq!(decode_router(&bytes, limit).is_ok(), within);
        bytes[5] |= 16;
        let unrendered = RouterFrame::Delivery(Delivery { is_unrendered: true, ..plain });
        prop_assert_eq!(decode_delivery(&bytes, LIMIT), None);
        prop_assert_eq!(decode_router(&bytes, LIMIT), Ok(Some((unrendered, length))));
        bytes[5] &= !16;
        let conflation = Some(Conflation { replaced: 3, age: 4 });
        bytes.splice(40..40, [3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
        let length = bytes.len();
        bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
        bytes[5] |= 1;
        let conflated = RouterFrame::Delivery(Delivery { conflation, ..plain });
        prop_assert_eq!(decode_delivery(&bytes, LIMIT), None);
        prop_assert_eq!(decode_router(&bytes, LIMIT), Ok(Some((conflated, length))));
    }

    /// A changed byte is another frame, an error or the wish for more; never more than the limit.
    #[test]
    fn damaged_frames_are_told(
        material in material(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = Vec::new();
        material.client().encode(&mut bytes);
        let place = at.index(bytes.len().min(60));
        bytes[place] = byte;
        check(&bytes, decode_client(&bytes, LIMIT).map(|it| it.map(|it| it.1)));
        bytes.clear();
        material.router().encode(&mut bytes);
        let place = at.index(bytes.len().min(60));
        bytes[place] = byte;
        check(&bytes, decode_router(&bytes, LIMIT).map(|it| it.map(|it| it.1)));
    }

    #[test]
    fn any_bytes_are_told(bytes in vec(any::<u8>(), 0..64), length in 0..64_u8) {
        let mut bytes = bytes;
        for start in [&[][..], &[length, 0, 0, 0]] {
            bytes.splice(..0, start.iter().copied());
            check(&bytes, decode_client(&bytes, LIMIT).map(|it| it.map(|it| it.1)));
            check(&bytes, decode_router(&bytes, LIMIT).map(|it| it.map(|it| it.1)));
            let hello = decode_hello(&bytes).map(|it| it.map(|it| it.1));
            prop_assert!(hello.is_err() || bytes.len() < HELLO_BYTES);
            check(&bytes, hello);
        }
    }
}

fn check(bytes: &[u8], decoded: Result<Option<usize>, Error>) {
    match decoded {
        Ok(Some(length)) => assert!(length <= bytes.len()),
        Ok(None) => assert!(bytes.len() < LIMIT as usize),
        Err(error) => assert!(error.offset <= bytes.len().max(48), "{error}"),
    }
}

#[test]
fn what_is_wrong_is_told_as_soon_as_it_is_seen() {
    let client = |bytes: &[u8]| decode_client(bytes, LIMIT).unwrap_err().to_string();
    let router = |bytes: &[u8]| decode_router(bytes, LIMIT).unwrap_err().to_string();
    let at = |text: &str| format!("byte {text}");
    assert_eq!(client(&[7, 0, 0, 0]), at("0 of a frame: the length is 7, and must be 8 or more"));
    assert_eq!(
        client(b"GET / HTTP/1.1\r\n\r\n"),
        at("0 of a frame: the length is 542393671, and may be 2048 at most")
    );
    assert_eq!(
        client(&[30, 0, 0, 0, 130, 0]),
        at("4 of a frame: MESSAGE (kind 130) goes the other way")
    );
    assert_eq!(client(&[30, 0, 0, 0, 77, 0]), at("4 of a frame: there is no kind 77"));
    assert_eq!(client(&[30, 0, 0, 0, 3, 4]), at("5 of a frame: unknown flags, 0x04"));
    assert_eq!(router(&[30, 0, 0, 0, 130, 18]), at("5 of a frame: unknown flags, 0x10"));
    assert_eq!(
        router(&[30, 0, 0, 0, 130, 1]),
        at("0 of a frame: the length is 30, and must be 40 or more")
    );
    assert_eq!(client(&[18, 0, 0, 0, 8, 0]), at("16 of a frame: 2 bytes behind the last field"));
    assert_eq!(
        client(&[14, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, b'a', 0xff]),
        at("13 of a frame: the text is not UTF-8")
    );
}

#[test]
fn a_conversation_begins_with_hello() {
    let none = |bytes: &[u8], offset| {
        assert_eq!(decode_hello(bytes), Err(Error { offset, kind: ErrorKind::NotHello }));
    };
    none(b"GET / HTTP/1.1\r\n\r\n", 0);
    none(b"8=FIX.4.4\x01", 0);
    none(&[16, 0, 0, 0, 8, 0, 0, 0], 0);
    none(&[60, 0, 0, 0, 4], 4);
    none(&[60, 0, 0, 0, 1, 0, 0, 0, b'T', b'R', b'Y'], 8);
    let mut hello = Vec::new();
    let name = "a\u{7}";
    ClientFrame::Hello(Hello { version: 1, name, ..Hello::default() }).encode(&mut hello);
    let error = decode_hello(&hello).unwrap_err();
    assert_eq!(error, Error { offset: 49, kind: ErrorKind::ControlCharacter });
    hello[20] = 9;
    hello[49] = b'b';
    let error = decode_hello(&hello).unwrap_err();
    assert_eq!(error.to_string(), "byte 20 of a frame: overflow cannot be 9");
}

#[test]
fn names_of_guaranteed_delivery_are_checked() {
    let error = |frame: ClientFrame<'_>| {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        decode_client(&bytes, LIMIT).unwrap_err().to_string()
    };
    let at = |text: &str| format!("byte {text}");
    let (producer, delete) = (|name| Producer { name }, |name| Delete { name });
    let empty = at("0 of a frame: the length is 12, and must be 13 or more");
    assert_eq!(error(ClientFrame::Producer(producer(""))), empty);
    assert_eq!(error(ClientFrame::Delete(delete(""))), empty);
    let long = "x".repeat(300);
    let too_long = at("0 of a frame: the length is 213, and may be 212 at most");
    assert_eq!(error(ClientFrame::Producer(producer(&long[..201]))), too_long);
    let control = at("13 of a frame: a control character in a name");
    assert_eq!(error(ClientFrame::Delete(delete("a\n"))), control);

    let consume = |name, pattern| {
        let (updates, start) = (Updates::All, Start::New);
        let (wants_confirmed, wants_acknowledged) = (false, false);
        let (subscription, window, pace) = (1, 0, 0);
        error(ClientFrame::Consume(Consume {
            subscription,
            window,
            updates,
            start,
            pace,
            wants_confirmed,
            wants_acknowledged,
            policy: DeliveryPolicy::NONE,
            format: None,
            filter: "",
            fields: "",
            name,
            pattern,
        }))
    };
    let cannot_be = |length| at(&format!("21 of a frame: name_length cannot be {length}"));
    assert_eq!(consume(&long[..201], "a"), cannot_be(201));
    assert_eq!(consume(&long, "a"), cannot_be(255));
    assert_eq!(consume("ab\u{7}", "a"), at("42 of a frame: a control character in a name"));
}

#[test]
fn what_consume_cannot_say_is_told() {
    let mut bytes = vec![0; 42];
    bytes[..5].copy_from_slice(&[42, 0, 0, 0, kind::CONSUME]);
    let mut with = |place: usize, byte| {
        let before = std::mem::replace(&mut bytes[place], byte);
        let decoded = decode_client(&bytes, LIMIT);
        let told = decoded.err().map(|error| error.to_string()).unwrap_or_default();
        bytes[place] = before;
        told
    };
    assert_eq!(with(21, 0), "");
    assert_eq!(with(21, 3), "byte 0 of a frame: the length is 42, and must be 43 or more");
    assert_eq!(with(20, 5), "byte 20 of a frame: start cannot be 5");
    assert_eq!(with(5, 32), "byte 5 of a frame: unknown flags, 0x20");
    assert_eq!(with(5, 8), "byte 0 of a frame: the length is 42, and must be 44 or more");
    assert_eq!(with(41, 0xff), "byte 41 of a frame: the text is not UTF-8");
}

//! What is encoded is decoded again; the fast ways are the plain ones; broken bytes are errors.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use trunkline_native::{
    ClientFrame, Closing, Conflation, Error, ErrorKind, Gap, HELLO_BYTES, Hello, Message, Overflow,
    Publish, Refused, Reply, Request, Requester, RouterFrame, RouterReply, Subscribe, Topic,
    Updates, Welcome, decode_client, decode_hello, decode_message, decode_publish, decode_router,
    encode_message, encode_plain_message, encode_publish, kind,
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
        match self.choice % 10 {
            0 => ClientFrame::Hello(self.hello()),
            1 => ClientFrame::Topic(Topic { alias: first, name }),
            2 => ClientFrame::Publish(Publish { alias: first, format, payload }),
            3 => ClientFrame::Subscribe(Subscribe {
                subscription: first,
                updates: match second {
                    0..0x4000_0000 => Updates::All,
                    0xc000_0000.. => Updates::Newest,
                    rate => Updates::PerSecond(rate),
                },
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
            _ => ClientFrame::Forget(first),
        }
    }

    fn hello(&self) -> Hello<'_> {
        Hello {
            version: self.short,
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
            format: self.short,
            payload: &self.payload,
        }
    }

    fn router(&self) -> RouterFrame<'_> {
        let [first, second] = self.small;
        let [a, b, c, d] = self.large;
        match self.choice % 11 {
            0 => RouterFrame::Welcome(Welcome {
                version: self.short,
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
            }),
            4 => RouterFrame::Subscribed(first),
            5 => RouterFrame::Refused(Refused {
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
            _ => RouterFrame::Unsubscribed(first),
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
        let plain = Message { conflation: None, request: None, ..material.message() };
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
        let publish = Publish { alias, format, payload };
        let within = fast.len() as u32 <= limit;
        prop_assert_eq!(decode_publish(&fast, limit), within.then_some((publish, fast.len())));
        prop_assert_eq!(decode_client(&fast, limit).is_ok(), within);
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
    assert_eq!(router(&[30, 0, 0, 0, 130, 6]), at("5 of a frame: unknown flags, 0x04"));
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

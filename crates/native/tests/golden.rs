//! Every frame to the byte, and the same bytes in `docs/native-protocol.md`.

use trunkline_native::{
    Acknowledge, Acknowledged, ClientFrame, Clock, Closing, Confirmed, Conflation, Consume,
    Consuming, Credentials, Delete, Delivery, DeliveryPolicy, Durability, Features, Gap, Hello,
    LastValues, Lost, LostReason, Message, Notice, Overflow, Producer, Producing, Publish,
    Rejected, Release, Reply, Request, Requester, RouterFrame, RouterReply, Start, Store, Stored,
    Subscribe, Taken, Topic, Updates, Welcome, code, decode_client, decode_hello, decode_router,
    encode_credentials, format, kind,
};

const LIMIT: u32 = 4096;

const HELLO: Hello<'_> = Hello {
    version: 1,
    has_credentials: false,
    features: Features::NONE,
    queue_messages: 11_000,
    overflow: Overflow::DropOldest,
    queue_bytes: 1 << 20,
    messages_per_second: 500,
    bytes_per_second: 65_536,
    name: "slow",
};

const PUBLISH: Publish<'_> =
    Publish { alias: 7, clears_last_value: false, format: format::TEXT, payload: b"1.0842" };

/// What the document calls the frame, the frame, its bytes.
const CLIENT: &[(&str, ClientFrame<'_>, &str)] = &[
    (
        "HELLO version 1, queue of 11000 messages and 1 MiB, drop the oldest, 500 messages/s, 65536 bytes/s, name \"slow\"",
        ClientFrame::Hello(HELLO),
        "34000000 01 00 0000  54524e4b 0100 0000  f82a0000 01 000000  0000100000000000
         f4010000 00000000  0000010000000000  736c6f77",
    ),
    (
        "HELLO the same, with credit and times",
        ClientFrame::Hello(Hello {
            features: Features { credit: true, times: true, ..Features::NONE },
            ..HELLO
        }),
        "34000000 01 00 0000  54524e4b 0100 0300  f82a0000 01 000000  0000100000000000
         f4010000 00000000  0000010000000000  736c6f77",
    ),
    (
        "HELLO the same without both, and CREDENTIALS follows",
        ClientFrame::Hello(Hello { has_credentials: true, ..HELLO }),
        "34000000 01 01 0000  54524e4b 0100 0000  f82a0000 01 000000  0000100000000000
         f4010000 00000000  0000010000000000  736c6f77",
    ),
    (
        "CREDENTIALS user \"anna\", password \"secret\"",
        ClientFrame::Credentials(Credentials { user: "anna", secret: "secret" }),
        "16000000 13 00 0000  04 000000  616e6e61 736563726574",
    ),
    (
        "CREDENTIALS token \"4f9a\"",
        ClientFrame::Credentials(Credentials { user: "", secret: "4f9a" }),
        "10000000 13 00 0000  00 000000  34663961",
    ),
    (
        "TOPIC alias 7, name \"fx/EURUSD\"",
        ClientFrame::Topic(Topic { alias: 7, name: "fx/EURUSD" }),
        "15000000 02 00 0000  07000000 66782f455552555344",
    ),
    (
        "PUBLISH alias 7, format 1, payload \"1.0842\"",
        ClientFrame::Publish(PUBLISH),
        "12000000 03 00 0100  07000000 312e30383432",
    ),
    (
        "PUBLISH the same, which clears the last value",
        ClientFrame::Publish(Publish { clears_last_value: true, ..PUBLISH }),
        "12000000 03 01 0100  07000000 312e30383432",
    ),
    (
        "SUBSCRIBE subscription 1, at most 10 updates/s, pattern \"fx/*\"",
        ClientFrame::Subscribe(Subscribe {
            subscription: 1,
            updates: Updates::PerSecond(10),
            last_values: false,
            format: None,
            filter: "",
            fields: "",
            pattern: "fx/*",
        }),
        "14000000 04 00 0000  01000000 0a000000  66782f2a",
    ),
    (
        "SUBSCRIBE the same, last values first",
        ClientFrame::Subscribe(Subscribe {
            subscription: 1,
            updates: Updates::PerSecond(10),
            last_values: true,
            format: None,
            filter: "",
            fields: "",
            pattern: "fx/*",
        }),
        "14000000 04 01 0000  01000000 0a000000  66782f2a",
    ),
    (
        "SUBSCRIBE the same, without last values, in format 5",
        ClientFrame::Subscribe(Subscribe {
            subscription: 1,
            updates: Updates::PerSecond(10),
            last_values: false,
            format: Some(5),
            filter: "",
            fields: "",
            pattern: "fx/*",
        }),
        "14000000 04 02 0500  01000000 0a000000  66782f2a",
    ),
    (
        "SUBSCRIBE the same, as they are published, those that pass \"Bid > 1.08\"",
        ClientFrame::Subscribe(Subscribe {
            subscription: 1,
            updates: Updates::PerSecond(10),
            last_values: false,
            format: None,
            filter: "Bid > 1.08",
            fields: "",
            pattern: "fx/*",
        }),
        "22000000 04 04 0000  01000000 0a000000  0a000000 426964203e20312e3038 66782f2a",
    ),
    (
        "SUBSCRIBE the same, all, of which \"Bid,Ask\", in format 2",
        ClientFrame::Subscribe(Subscribe {
            subscription: 1,
            updates: Updates::PerSecond(10),
            last_values: false,
            format: Some(2),
            filter: "",
            fields: "Bid,Ask",
            pattern: "fx/*",
        }),
        "1f000000 04 0a 0200  01000000 0a000000  07000000 4269642c41736b 66782f2a",
    ),
    (
        "SUBSCRIBE the same, as they are published, \"Bid\" of those that pass \"Ask<2\"",
        ClientFrame::Subscribe(Subscribe {
            subscription: 1,
            updates: Updates::PerSecond(10),
            last_values: false,
            format: None,
            filter: "Ask<2",
            fields: "Bid",
            pattern: "fx/*",
        }),
        "24000000 04 0c 0000  01000000 0a000000  05000000 41736b3c32 03000000 426964 66782f2a",
    ),
    ("UNSUBSCRIBE subscription 1", ClientFrame::Unsubscribe(1), "0c000000 05 00 0000  01000000"),
    (
        "REQUEST alias 7, time-out 2000 ms, correlation 42, format 2, payload \"{}\"",
        ClientFrame::Request(Request {
            alias: 7,
            timeout_ms: 2000,
            correlation: 42,
            format: format::JSON,
            payload: b"{}",
        }),
        "1a000000 06 00 0200  07000000 d0070000  2a00000000000000  7b7d",
    ),
    (
        "REPLY to request 42 of client 4294967299, format 2, payload \"[]\"",
        ClientFrame::Reply(Reply {
            request: Requester { client: 0x1_0000_0003, correlation: 42 },
            format: format::JSON,
            payload: b"[]",
        }),
        "1a000000 07 00 0200  0300000001000000  2a00000000000000  5b5d",
    ),
    ("PING token 99", ClientFrame::Ping(99), "10000000 08 00 0000  6300000000000000"),
    ("PONG token 99", ClientFrame::Pong(99), "10000000 09 00 0000  6300000000000000"),
    ("FORGET alias 7", ClientFrame::Forget(7), "0c000000 0a 00 0000  07000000"),
    (
        "TAKEN 1000 messages, round trip 250000 ns",
        ClientFrame::Taken(Taken { messages: 1000, round_trip: 250_000 }),
        "18000000 11 00 0000  e803000000000000 90d0030000000000",
    ),
    ("CLOCK token 99", ClientFrame::Clock(99), "10000000 12 00 0000  6300000000000000"),
];

const TIME: u64 = 1_700_000_000_000_000_000;

const STORE: Store<'_> = Store {
    alias: 7,
    time_to_live_ms: 5000,
    sequence: 42,
    is_repeated: false,
    format: format::TEXT,
    payload: b"1.0842",
};

const ACKNOWLEDGE: Acknowledge =
    Acknowledge { subscription: 2, position: 1_000_017, is_cumulative: false };

/// The same in guaranteed delivery.
const GUARANTEED_CLIENT: &[(&str, ClientFrame<'_>, &str)] = &[
    (
        "PRODUCER name \"desk-7\"",
        ClientFrame::Producer(Producer { name: "desk-7" }),
        "12000000 0b 00 0000  00000000 6465736b2d37",
    ),
    (
        "STORE alias 7, lives 5000 ms, sequence 42, format 1, payload \"1.0842\"",
        ClientFrame::Store(STORE),
        "1e000000 0c 00 0100  07000000 88130000 2a00000000000000
         312e30383432",
    ),
    (
        "STORE the same, which may have been sent before",
        ClientFrame::Store(Store { is_repeated: true, ..STORE }),
        "1e000000 0c 01 0100  07000000 88130000 2a00000000000000
         312e30383432",
    ),
    (
        "CONSUME subscription 2, window of 100, all that is kept, CONFIRMED and ACKNOWLEDGED wanted, name \"risk\", pattern \"orders/>\"",
        ClientFrame::Consume(Consume {
            subscription: 2,
            window: 100,
            updates: Updates::All,
            start: Start::All,
            pace: 0,
            wants_confirmed: true,
            wants_acknowledged: true,
            policy: DeliveryPolicy::NONE,
            format: None,
            filter: "",
            fields: "",
            name: "risk",
            pattern: "orders/>",
        }),
        "34000000 0d 03 0000  02000000 64000000 00000000 01 04 0000
         0000000000000000 00000000 00000000
         7269736b 6f72646572732f3e",
    ),
    (
        "CONSUME subscription 2, new messages, acknowledged within 5 s, at most 3 deliveries, name \"gate\", pattern \"orders/>\"",
        ClientFrame::Consume(Consume {
            subscription: 2,
            window: 0,
            updates: Updates::All,
            start: Start::New,
            pace: 0,
            wants_confirmed: false,
            wants_acknowledged: false,
            policy: DeliveryPolicy { acknowledge_within_ms: 5_000, deliveries: 3 },
            format: None,
            filter: "",
            fields: "",
            name: "gate",
            pattern: "orders/>",
        }),
        "34000000 0d 00 0000  02000000 00000000 00000000 00 04 0300
         0000000000000000 00000000 88130000
         67617465 6f72646572732f3e",
    ),
    (
        "CONSUME subscription 3, a replay from the time 1700000000000000000 on, twice as fast, pattern \"fx/*\"",
        ClientFrame::Consume(Consume {
            subscription: 3,
            window: 0,
            updates: Updates::All,
            start: Start::Time(TIME),
            pace: 2000,
            wants_confirmed: false,
            wants_acknowledged: false,
            policy: DeliveryPolicy::NONE,
            format: None,
            filter: "",
            fields: "",
            name: "",
            pattern: "fx/*",
        }),
        "2c000000 0d 00 0000  03000000 00000000 00000000 03 00 0000
         00002a36fe9c9717 d0070000 00000000
         66782f2a",
    ),
    (
        "CONSUME subscription 3, a replay of all that is kept, in format 2, \"Bid\" of those that pass \"Ask<2\", pattern \"fx/*\"",
        ClientFrame::Consume(Consume {
            subscription: 3,
            window: 0,
            updates: Updates::All,
            start: Start::All,
            pace: 0,
            wants_confirmed: false,
            wants_acknowledged: false,
            policy: DeliveryPolicy::NONE,
            format: Some(format::JSON),
            filter: "Ask<2",
            fields: "Bid",
            name: "",
            pattern: "fx/*",
        }),
        "3c000000 0d 1c 0200  03000000 00000000 00000000 01 00 0000
         0000000000000000 00000000 00000000
         05000000 41736b3c32 03000000 426964
         66782f2a",
    ),
    (
        "ACKNOWLEDGE subscription 2, position 1000017",
        ClientFrame::Acknowledge(ACKNOWLEDGE),
        "18000000 0e 00 0000  02000000 00000000 51420f0000000000",
    ),
    (
        "ACKNOWLEDGE the same, and all before it",
        ClientFrame::Acknowledge(Acknowledge { is_cumulative: true, ..ACKNOWLEDGE }),
        "18000000 0e 01 0000  02000000 00000000 51420f0000000000",
    ),
    (
        "RELEASE subscription 2, not before 500 ms, position 1000017",
        ClientFrame::Release(Release { subscription: 2, delay_ms: 500, position: 1_000_017 }),
        "18000000 0f 00 0000  02000000 f4010000 51420f0000000000",
    ),
    (
        "DELETE name \"risk\"",
        ClientFrame::Delete(Delete { name: "risk" }),
        "10000000 10 00 0000  00000000 7269736b",
    ),
];

const PLAIN: Message<'_> = Message {
    subscription: 1,
    topic: 12,
    sequence: 1000,
    conflation: None,
    request: None,
    published: None,
    last_value: None,
    format: format::TEXT,
    payload: b"1.0842",
};

/// The same from the router.
const ROUTER: &[(&str, RouterFrame<'_>, &str)] = &[
    (
        "WELCOME version 1, frames of 1 MiB, client 4294967299, 500000 aliases, 10000 subscriptions",
        RouterFrame::Welcome(Welcome {
            version: 1,
            features: Features::NONE,
            frame_bytes: 1 << 20,
            client: 0x1_0000_0003,
            topics: 500_000,
            subscriptions: 10_000,
        }),
        "20000000 80 00 0000  0100 0000 00001000  0300000001000000  20a10700 10270000",
    ),
    (
        "WELCOME the same, with credit and times",
        RouterFrame::Welcome(Welcome {
            version: 1,
            features: Features { credit: true, times: true, ..Features::NONE },
            frame_bytes: 1 << 20,
            client: 0x1_0000_0003,
            topics: 500_000,
            subscriptions: 10_000,
        }),
        "20000000 80 00 0000  0100 0300 00001000  0300000001000000  20a10700 10270000",
    ),
    (
        "TOPIC number 12, name \"fx/EURUSD\"",
        RouterFrame::Topic(Topic { alias: 12, name: "fx/EURUSD" }),
        "15000000 81 00 0000  0c000000 66782f455552555344",
    ),
    (
        "MESSAGE subscription 1, topic 12, sequence 1000, format 1, payload \"1.0842\"",
        RouterFrame::Message(PLAIN),
        "1e000000 82 00 0100  01000000 0c000000  e803000000000000  312e30383432",
    ),
    (
        "MESSAGE the same, which replaced 3 and is 250000 ns old",
        RouterFrame::Message(Message {
            conflation: Some(Conflation { replaced: 3, age: 250_000 }),
            ..PLAIN
        }),
        "2e000000 82 01 0100  01000000 0c000000  e803000000000000
         0300000000000000  90d0030000000000  312e30383432",
    ),
    (
        "MESSAGE the same, which was published at 7000000000 ns",
        RouterFrame::Message(Message {
            conflation: Some(Conflation { replaced: 3, age: 250_000 }),
            published: Some(7_000_000_000),
            ..PLAIN
        }),
        "36000000 82 05 0100  01000000 0c000000  e803000000000000
         0300000000000000  90d0030000000000  00863ba101000000  312e30383432",
    ),
    (
        "MESSAGE the same, neither, but a last value that is 250000 ns old",
        RouterFrame::Message(Message { last_value: Some(250_000), ..PLAIN }),
        "26000000 82 08 0100  01000000 0c000000  e803000000000000
         90d0030000000000  312e30383432",
    ),
    (
        "MESSAGE the same, conflated, which was published at 7000000000 ns",
        RouterFrame::Message(Message {
            conflation: Some(Conflation { replaced: 0, age: 250_000 }),
            published: Some(7_000_000_000),
            last_value: Some(250_000),
            ..PLAIN
        }),
        "3e000000 82 0d 0100  01000000 0c000000  e803000000000000
         0000000000000000  90d0030000000000  00863ba101000000  90d0030000000000  312e30383432",
    ),
    (
        "MESSAGE the same, which is request 42 of client 4294967299",
        RouterFrame::Message(Message {
            request: Some(Requester { client: 0x1_0000_0003, correlation: 42 }),
            ..PLAIN
        }),
        "2e000000 82 02 0100  01000000 0c000000  e803000000000000
         0300000001000000  2a00000000000000  312e30383432",
    ),
    (
        "GAP subscription 1, topic 12, 5 lost, 1001 to 1009, since 3000000 ns",
        RouterFrame::Gap(Gap {
            subscription: 1,
            topic: 12,
            count: 5,
            first: 1001,
            last: 1009,
            age: 3_000_000,
            reason: "",
        }),
        "30000000 83 00 0000  01000000 0c000000  0500000000000000
         e903000000000000  f103000000000000  c0c62d0000000000",
    ),
    (
        "GAP subscription 1, topic 12, message 1001, 3000000 ns old, reason \"no Px\"",
        RouterFrame::Gap(Gap {
            subscription: 1,
            topic: 12,
            count: 1,
            first: 1001,
            last: 1001,
            age: 3_000_000,
            reason: "no Px",
        }),
        "35000000 83 01 0000  01000000 0c000000  0100000000000000
         e903000000000000  e903000000000000  c0c62d0000000000  6e6f205078",
    ),
    ("SUBSCRIBED subscription 1", RouterFrame::Subscribed(1), "0c000000 84 00 0000  01000000"),
    (
        "LAST_VALUES subscription 1, 250 of them",
        RouterFrame::LastValues(LastValues { subscription: 1, count: 250 }),
        "18000000 93 00 0000  01000000 00000000  fa00000000000000",
    ),
    (
        "REJECTED of SUBSCRIBE 1, code 1, byte 3, \"an empty level\"",
        RouterFrame::Rejected(Rejected {
            of: kind::SUBSCRIBE,
            code: code::BAD_NAME,
            offset: Some(3),
            id: 1,
            text: "an empty level",
        }),
        "26000000 85 00 0000  04 00 0100 03000000  0100000000000000
         616e20656d707479206c6576656c",
    ),
    (
        "REJECTED of REQUEST 42, code 6, no byte, \"nobody\"",
        RouterFrame::Rejected(Rejected {
            of: kind::REQUEST,
            code: code::NO_RESPONDER,
            offset: None,
            id: 42,
            text: "nobody",
        }),
        "1e000000 85 00 0000  06 00 0600 ffffffff  2a00000000000000  6e6f626f6479",
    ),
    (
        "REPLY to request 42, format 2, payload \"[]\"",
        RouterFrame::Reply(RouterReply { correlation: 42, format: format::JSON, payload: b"[]" }),
        "12000000 86 00 0200  2a00000000000000  5b5d",
    ),
    ("PING token 99", RouterFrame::Ping(99), "10000000 87 00 0000  6300000000000000"),
    ("PONG token 99", RouterFrame::Pong(99), "10000000 88 00 0000  6300000000000000"),
    (
        "CLOCK token 99, time 7000000000 ns",
        RouterFrame::Clock(Clock { token: 99, time: 7_000_000_000 }),
        "18000000 92 00 0000  6300000000000000 00863ba101000000",
    ),
    (
        "CLOSING code 37, \"the router stops\"",
        RouterFrame::Closing(Closing { code: code::STOPPING, text: "the router stops" }),
        "1c000000 89 00 0000  2500 0000  74686520726f757465722073746f7073",
    ),
    (
        "NOTICE code 41, \"back at 7 pm\"",
        RouterFrame::Notice(Notice { code: code::DRAINING, text: "back at 7 pm" }),
        "18000000 94 00 0000  2900 0000 6261636b206174203720706d",
    ),
    ("UNSUBSCRIBED subscription 1", RouterFrame::Unsubscribed(1), "0c000000 8a 00 0000  01000000"),
];

const DURABILITY: Durability = Durability { memory: 2, disk: 1 };

const DELIVERY: Delivery<'_> = Delivery {
    subscription: 2,
    topic: 12,
    position: 1_000_017,
    time: TIME,
    deliveries: 0,
    conflation: None,
    is_repeated: false,
    is_unconfirmed: false,
    is_kept: false,
    is_unrendered: false,
    format: format::TEXT,
    payload: b"1.0842",
};

/// The same from the router.
const GUARANTEED_ROUTER: &[(&str, RouterFrame<'_>, &str)] = &[
    (
        "PRODUCING window of 1000 messages and 1 MiB, the last is 41",
        RouterFrame::Producing(Producing { window: 1000, window_bytes: 1 << 20, last: 41 }),
        "20000000 8b 00 0000  e8030000 00000000 0000100000000000
         2900000000000000",
    ),
    (
        "STORED in 2 memories and on 1 disk, sequence 42, position 1000017",
        RouterFrame::Stored(Stored { durability: DURABILITY, sequence: 42, position: 1_000_017 }),
        "20000000 8c 00 0000  0200 0100 00000000 2a00000000000000
         51420f0000000000",
    ),
    (
        "CONSUMING subscription 2, which is new, window of 100, 5 wait, from position 1000000 on",
        RouterFrame::Consuming(Consuming {
            subscription: 2,
            window: 100,
            waiting: 5,
            next: 1_000_000,
            is_new: true,
        }),
        "20000000 8d 01 0000  02000000 64000000 0500000000000000
         40420f0000000000",
    ),
    (
        "CONSUMING the same, while it is paused",
        RouterFrame::Consuming(Consuming {
            subscription: 2,
            window: 0,
            waiting: 5,
            next: 1_000_000,
            is_new: false,
        }),
        "20000000 8d 00 0000  02000000 00000000 0500000000000000
         40420f0000000000",
    ),
    (
        "DELIVERY subscription 2, topic 12, position 1000017, time 1700000000000000000, format 1, payload \"1.0842\"",
        RouterFrame::Delivery(DELIVERY),
        "2e000000 8e 00 0100  02000000 0c000000 51420f0000000000
         00002a36fe9c9717 00000000 00000000
         312e30383432",
    ),
    (
        "DELIVERY the same from the journal, which was delivered twice before",
        RouterFrame::Delivery(Delivery {
            deliveries: 2,
            is_repeated: true,
            is_kept: true,
            ..DELIVERY
        }),
        "2e000000 8e 0a 0100  02000000 0c000000 51420f0000000000
         00002a36fe9c9717 02000000 00000000
         312e30383432",
    ),
    (
        "DELIVERY the same not yet durable, which replaced 3 and is 250000 ns old",
        RouterFrame::Delivery(Delivery {
            conflation: Some(Conflation { replaced: 3, age: 250_000 }),
            is_unconfirmed: true,
            ..DELIVERY
        }),
        "3e000000 8e 05 0100  02000000 0c000000 51420f0000000000
         00002a36fe9c9717 00000000 00000000
         0300000000000000 90d0030000000000
         312e30383432",
    ),
    (
        "DELIVERY the same, which is not to be had as it is wanted: \"no Bid\"",
        RouterFrame::Delivery(Delivery { is_unrendered: true, payload: b"no Bid", ..DELIVERY }),
        "2e000000 8e 10 0100  02000000 0c000000 51420f0000000000
         00002a36fe9c9717 00000000 00000000
         6e6f20426964",
    ),
    (
        "CONFIRMED subscription 2, in 2 memories and on 1 disk, position 1000017",
        RouterFrame::Confirmed(Confirmed {
            subscription: 2,
            durability: DURABILITY,
            position: 1_000_017,
        }),
        "18000000 8f 00 0000  02000000 0200 0100 51420f0000000000",
    ),
    (
        "ACKNOWLEDGED subscription 2, in 2 memories and on 1 disk, 7 acknowledgements, position 1000020",
        RouterFrame::Acknowledged(Acknowledged {
            subscription: 2,
            durability: DURABILITY,
            acknowledgements: 7,
            position: 1_000_020,
        }),
        "20000000 90 00 0000  02000000 0200 0100 0700000000000000
         54420f0000000000",
    ),
    (
        "LOST subscription 2, 3 expired, 1000002 to 1000009",
        RouterFrame::Lost(Lost {
            subscription: 2,
            reason: LostReason::Expired,
            count: 3,
            first: 1_000_002,
            last: 1_000_009,
        }),
        "28000000 91 00 0000  02000000 0100 0000 0300000000000000
         42420f0000000000 49420f0000000000",
    ),
    (
        "LOST the same, an unknown number purged",
        RouterFrame::Lost(Lost {
            subscription: 2,
            reason: LostReason::Purged,
            count: 0,
            first: 1_000_002,
            last: 1_000_009,
        }),
        "28000000 91 00 0000  02000000 0500 0000 0000000000000000
         42420f0000000000 49420f0000000000",
    ),
    (
        "REJECTED of STORE 44, code 10, no byte, \"43 comes next\"",
        RouterFrame::Rejected(Rejected {
            of: kind::STORE,
            code: code::OUT_OF_SEQUENCE,
            offset: None,
            id: 44,
            text: "43 comes next",
        }),
        "25000000 85 00 0000  0c 00 0a00 ffffffff 2c00000000000000
         343320636f6d6573206e657874",
    ),
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs.map(|pair| u8::from_str_radix(&pair, 16).expect("two digits")).collect()
}

#[test]
fn frames_of_clients() {
    for (name, frame, hex) in CLIENT.iter().chain(GUARANTEED_CLIENT) {
        let expected = bytes(hex);
        let mut encoded = Vec::new();
        frame.encode(&mut encoded);
        assert_eq!(encoded, expected, "{name}");
        assert_eq!(decode_client(&expected, LIMIT), Ok(Some((*frame, expected.len()))), "{name}");
    }
    let (_, _, hello) = CLIENT[0];
    assert_eq!(decode_hello(&bytes(hello)), Ok(Some((HELLO, 52))));
}

#[test]
fn frames_of_the_router() {
    for (name, frame, hex) in ROUTER.iter().chain(GUARANTEED_ROUTER) {
        let expected = bytes(hex);
        let mut encoded = Vec::new();
        frame.encode(&mut encoded);
        assert_eq!(encoded, expected, "{name}");
        assert_eq!(decode_router(&expected, LIMIT), Ok(Some((*frame, expected.len()))), "{name}");
    }
}

/// The document shows each of these frames, and no others.
#[test]
fn the_document_shows_the_same_bytes() {
    let document = include_str!("../../../docs/native-protocol.md");
    let mut shown: Vec<(&str, Vec<u8>)> = document
        .split("```bytes\n")
        .skip(1)
        .map(|rest| {
            let block = rest.split("```").next().unwrap_or_default();
            let (name, hex) = block.split_once('\n').expect("a name, then bytes");
            (name, bytes(hex))
        })
        .collect();
    let client = CLIENT.iter().chain(GUARANTEED_CLIENT).map(|(name, _, hex)| (*name, hex));
    let router = ROUTER.iter().chain(GUARANTEED_ROUTER).map(|(name, _, hex)| (*name, hex));
    let mut known: Vec<_> = client.chain(router).map(|(name, hex)| (name, bytes(hex))).collect();
    shown.sort();
    known.sort();
    assert_eq!(shown, known);
}

/// The tables of the document name every format and code as the crate does.
#[test]
fn the_document_names_the_same_numbers() {
    let document = include_str!("../../../docs/native-protocol.md");
    for (number, name) in format::NAMES {
        assert!(document.contains(&format!("| {number} | {name} |")), "format {number}");
    }
    for number in 0..=u16::MAX {
        if let Some(name) = code::name(number) {
            assert!(document.contains(&format!("| {number} | {name} |")), "code {number}");
        }
    }
}

#[test]
fn credentials_are_as_long_as_they_may_be_and_never_printed() {
    let long = |user: usize, secret: usize| {
        let (user, secret) = ("u".repeat(user), "s".repeat(secret));
        let mut bytes = Vec::new();
        encode_credentials(&mut bytes, &Credentials { user: &user, secret: &secret });
        decode_client(&bytes, LIMIT).map(|it| it.is_some())
    };
    assert_eq!(long(200, 1024), Ok(true));
    assert!(long(201, 4).is_err() && long(4, 1025).is_err());
    // A user's name that is longer than the frame, and one that ends within a letter.
    let (_, _, hex) = CLIENT[3];
    let mut frame = bytes(hex);
    frame[8] = 11;
    assert_eq!(decode_client(&frame, LIMIT).map_err(|it| it.offset), Err(8));
    frame[14..16].copy_from_slice("\u{e9}".as_bytes());
    frame[8] = 3;
    assert_eq!(decode_client(&frame, LIMIT).map_err(|it| it.offset), Err(14));
    let frame = ClientFrame::Credentials(Credentials { user: "anna", secret: "s3cret" });
    assert!(!format!("{frame:?}").contains("s3cret"), "{frame:?}");
}

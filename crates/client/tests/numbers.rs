//! Numbers of subscriptions that the router ends by itself: each is given back once, and not before what came for
//! it is handed over.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trunkline_client::{Client, Conversation, Error, Event, Options, Subscribe, code, kind};
use trunkline_native::{
    ClientFrame, Features, Message, Rejected, RouterFrame, Topic, VERSION, Welcome, decode_client,
};

const WELCOME: RouterFrame<'_> = RouterFrame::Welcome(Welcome {
    features: Features::NONE,
    version: VERSION,
    frame_bytes: 1 << 20,
    client: 1,
    topics: 1000,
    subscriptions: 100,
});

fn rejected(of: u8, id: u32) -> RouterFrame<'static> {
    let code = if of == kind::UNSUBSCRIBE { code::UNKNOWN } else { code::LIMIT };
    RouterFrame::Rejected(Rejected { of, code, offset: None, id: id.into(), text: "rejected" })
}

/// What a router says that ends subscription 0 by itself when the topic `end` is named.
fn answers<'a>(frame: &ClientFrame<'_>) -> Vec<RouterFrame<'a>> {
    match frame {
        ClientFrame::Hello(_) => vec![WELCOME],
        ClientFrame::Ping(token) => vec![RouterFrame::Pong(*token)],
        ClientFrame::Topic(it) if it.name == "end" => vec![rejected(kind::SUBSCRIBE, 0)],
        ClientFrame::Topic(it) if it.name == "say" => {
            let name = RouterFrame::Topic(Topic { alias: 3, name: "fx" });
            let (conflation, request, published) = (None, None, None);
            let (subscription, topic, sequence, format) = (0, 3, 1, 0);
            let payload = b"1.0842";
            let message = Message {
                subscription,
                topic,
                sequence,
                conflation,
                request,
                published,
                last_value: None,
                format,
                payload,
            };
            vec![name, RouterFrame::Message(message)]
        }
        ClientFrame::Subscribe(it) if it.pattern.contains('!') => {
            vec![rejected(kind::SUBSCRIBE, it.subscription)]
        }
        ClientFrame::Subscribe(it) if it.pattern == "ends another" => {
            vec![rejected(kind::SUBSCRIBE, 0), RouterFrame::Subscribed(it.subscription)]
        }
        ClientFrame::Subscribe(it) => vec![RouterFrame::Subscribed(it.subscription)],
        ClientFrame::Unsubscribe(number) => vec![RouterFrame::Unsubscribed(*number)],
        _ => Vec::new(),
    }
}

/// A router for some connections, one after the other; what it heard of subscriptions on each.
fn listen(connections: usize, knows_zero: bool) -> (String, JoinHandle<Vec<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("tcp://{}", listener.local_addr().expect("it is bound"));
    let serve = move |_| {
        let (mut stream, _) = listener.accept().expect("a client comes");
        let (mut input, mut heard, mut bytes) = (Vec::new(), Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            input.extend_from_slice(&bytes[..count]);
            while let Some((frame, length)) = decode_client(&input, 1 << 20).expect("a client") {
                let mut answer = Vec::new();
                match frame {
                    ClientFrame::Unsubscribe(0) if !knows_zero => {
                        rejected(kind::UNSUBSCRIBE, 0).encode(&mut answer);
                    }
                    frame => answers(&frame).iter().for_each(|it| it.encode(&mut answer)),
                }
                match frame {
                    ClientFrame::Subscribe(it) => {
                        heard.push(format!("+{} {}", it.subscription, it.pattern));
                    }
                    ClientFrame::Unsubscribe(number) => heard.push(format!("-{number}")),
                    _ => {}
                }
                input.drain(..length);
                // The client may be gone.
                let _ = stream.write_all(&answer);
            }
        }
        heard
    };
    (address, thread::spawn(move || (0..connections).map(serve).collect()))
}

/// What one call hands over.
fn receive(client: &mut Client) -> Vec<String> {
    let mut found = Vec::new();
    let patience = Some(Duration::from_secs(30));
    let told = client.receive(patience, &mut |event| {
        found.push(match event {
            Event::Message(it) => format!("message of {}", it.subscription.number()),
            Event::Rejected(it) => format!("{} {} rejected", kind::name(it.of), it.id),
            other => format!("{other:?}"),
        });
    });
    told.expect("the connection is there");
    found
}

#[test]
fn a_number_that_the_router_took_back_is_given_once() {
    let (address, router) = listen(2, false);
    let mut client = Client::connect(&address, &Options::default()).expect("a router");
    let every = Subscribe::every();
    let old = client.subscribe("old", &every).expect("it is taken");
    // That it is rejected comes now, and is put aside.
    let end = client.topic("end").expect("it is taken");
    let error = client.unsubscribe(old).expect_err("the router does not know it");
    assert!(matches!(&error, Error::Rejected(it) if it.code == code::UNKNOWN), "{error}");
    let new = client.subscribe("new", &every).expect("it is taken");
    assert_ne!(new, old, "what was rejected is not handed over yet");
    assert_eq!(receive(&mut client), ["SUBSCRIBE 0 rejected"]);
    assert_eq!(client.subscribe("third", &every).expect("it is taken"), old);
    client.forget(end);
    client.reconnect().expect("the router is there");
    drop(client);
    let heard = router.join().expect("the router ends");
    assert_eq!(heard[0], ["+0 old", "-0", "+1 new", "+0 third"]);
    assert_eq!(heard[1], ["+0 third", "+1 new"]);
}

#[test]
fn what_came_before_the_end_is_of_the_subscription_that_ended() {
    let (address, router) = listen(1, true);
    let mut client = Client::connect(&address, &Options::default()).expect("a router");
    let every = Subscribe::every();
    let old = client.subscribe("old", &every).expect("it is taken");
    client.topic("say").expect("it is taken");
    client.unsubscribe(old).expect("it is there");
    let new = client.subscribe("new", &every).expect("it is taken");
    assert_ne!(new, old, "a message for it is not handed over yet");
    assert_eq!(receive(&mut client), ["message of 0"]);
    assert_eq!(client.subscribe("third", &every).expect("it is taken"), old);
    drop(client);
    router.join().expect("the router ends");
}

#[test]
fn an_older_subscription_that_is_rejected_meanwhile_is_told_by_itself() {
    let (address, router) = listen(1, true);
    let mut client = Client::connect(&address, &Options::default()).expect("a router");
    let every = Subscribe::every();
    client.subscribe("old", &every).expect("it is taken");
    let new = client.subscribe("ends another", &every).expect("the other one is rejected");
    assert_eq!(new.number(), 1);
    assert_eq!(receive(&mut client), ["SUBSCRIBE 0 rejected"]);
    // Of several that are asked for together the others are ended.
    let error = client.subscribe_each(&["a", "!", "b"], &every).expect_err("one is rejected");
    assert!(matches!(&error, Error::Rejected(it) if it.of == kind::SUBSCRIBE), "{error}");
    client.synchronise().expect("the router is there");
    drop(client);
    let heard = router.join().expect("the router ends").remove(0);
    assert_eq!(heard, ["+0 old", "+1 ends another", "+0 a", "+2 !", "+3 b", "-0", "-3"]);
}

#[test]
fn what_was_left_is_not_asked_for_again() {
    let mut conversation = Conversation::new(&Options::named("test"));
    let every = Subscribe::every();
    let [left, stays] =
        ["left", "stays"].map(|it| conversation.subscribe(it, &every).expect("room"));
    conversation.unsubscribe(left);
    conversation.restart();
    conversation.sent(conversation.output().len());
    let mut welcome = Vec::new();
    WELCOME.encode(&mut welcome);
    conversation.received(&welcome);
    assert!(matches!(conversation.next_event(), Ok(Some(Event::Welcome(_)))));
    let (frame, length) =
        decode_client(conversation.output(), 1 << 20).expect("a frame").expect("one");
    let ClientFrame::Subscribe(it) = frame else { panic!("{frame:?}") };
    assert_eq!((it.subscription, it.pattern), (stays.number(), "stays"));
    assert_eq!(length, conversation.output().len(), "it is all that is asked for");
}

//! Who may do what, seen from outside: a running router with rules, and clients over each wire.

mod raw;
mod wires;

use std::time::Duration;

use raw::{PATIENCE, Raw, Seen, router};
use trunkline_client::{Client, Consume, Error, Event, Login, Options, Subscribe};
use trunkline_native::{self as native, code, kind};
use trunkline_security::{Credentials, hash_password, hash_token};
use trunkline_server::{Config, Running, Server};
use wires::{Folder, Page, Wire, uid};

const RULES: &str = r#"
[access]
anonymous = "local"

[access.roles]
operators = ["user:root", "uid:UID"]

[[access.rule]]
name = "prices"
who = "*"
allow = "subscribe"
topics = "fx/>"

[[access.rule]]
name = "feeds"
who = "user:feed-*"
allow = ["publish", "request"]
topics = ["fx/*", "quotes/>"]

[[access.rule]]
name = "no rouble"
who = ["user:feed-*", "anonymous"]
deny = ["publish", "subscribe"]
topics = "fx/RUB*"

[[access.rule]]
name = "orders"
who = "user:anna"
allow = ["store", "consume", "delete"]
topics = "orders/>"

[[access.rule]]
who = "role:operators"
allow = "all"
"#;

/// A configuration with these rules, and users anna, root and feed-7, whose passwords are their names turned round.
fn config(rules: &str) -> Config {
    let rules = rules.replace("UID", &uid());
    let mut config =
        Config::from_text("rules", &rules, std::iter::empty()).expect("a configuration");
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = Some("127.0.0.1:0".to_owned());
    config.access.known = users(&["anna", "root", "feed-7"]);
    config
}

fn users(names: &[&str]) -> Credentials {
    let password = |name: &&str| format!("{name} {}\n", hash_password(&turned(name), &[7; 16]));
    let token = |name: &&str| format!("{name} {}\n", hash_token(&format!("the token of {name}")));
    let lines: String = names.iter().map(|name| password(name) + &token(name)).collect();
    Credentials::parse(&lines).expect("credentials")
}

fn turned(name: &str) -> String {
    name.chars().rev().collect()
}

fn login(user: &str) -> Option<Login> {
    let password = turned(user);
    (!user.is_empty()).then(|| Login::Password { user: user.to_owned(), password })
}

fn options(user: &str) -> Options {
    Options {
        name: "tester".to_owned(),
        login: login(user),
        timeout: PATIENCE,
        ..Options::default()
    }
}

fn native_address(router: &Running) -> String {
    router.addresses()[0].address.to_string()
}

/// Who, over what, what, to which topics, and what the rejection says; empty where it is allowed.
const TABLE: &[(&str, &str, &str, &str, &str)] = &[
    ("", "tcp", "subscribe", "fx/EURUSD", ""),
    ("", "tcp", "subscribe", "fx/RUBEUR", "\"no rouble\" denies it"),
    ("", "tcp", "subscribe", "fx/*", "\"no rouble\" denies it"),
    ("", "tcp", "subscribe", ">", "\"no rouble\" denies it"),
    ("", "tcp", "subscribe", "$SYS/>", "no access rule allows it"),
    ("", "tcp", "publish", "fx/EURUSD", "no access rule allows it"),
    ("", "tcp", "store", "orders/new", "no access rule allows it"),
    ("anna", "tcp", "subscribe", "fx/>", ""),
    ("anna", "tcp", "subscribe", ">", "allows all of it; \"prices\" allows \"fx/>\""),
    ("anna", "tcp", "subscribe", "*/EURUSD", "allows all of it; \"prices\" allows \"fx/>\""),
    ("anna", "tcp", "subscribe", "$*", "no access rule allows it"),
    ("anna", "tcp", "publish", "fx/EURUSD", "user:anna may not publish to \"fx/EURUSD\""),
    ("anna", "tcp", "store", "orders/new", ""),
    ("anna", "tcp", "store", "fx/EURUSD", "no access rule allows it"),
    ("anna", "tcp", "consume", "orders/>", ""),
    ("anna", "tcp", "consume", ">", "allows all of it; \"orders\" allows \"orders/>\""),
    ("anna", "tcp", "delete", "orders/>", ""),
    ("feed-7", "tcp", "publish", "fx/EURUSD", ""),
    ("feed-7", "tcp", "publish", "fx/RUBEUR", "\"no rouble\" denies it"),
    ("feed-7", "tcp", "publish", "fx/EURUSD/spot", "no access rule allows it"),
    ("feed-7", "tcp", "request", "quotes/EURUSD", ""),
    ("feed-7", "tcp", "request", "orders/new", "no access rule allows it"),
    ("feed-7", "tcp", "store", "fx/EURUSD", "may not store messages of any topic"),
    ("feed-7", "tcp", "delete", "orders/>", "no access rule allows it"),
    ("root", "tcp", "subscribe", ">", ""),
    ("root", "tcp", "subscribe", "$SYS/>", ""),
    ("root", "tcp", "delete", "fx/>", ""),
    // By the user of the process at the other end.
    ("", "unix", "publish", "anything", ""),
    ("", "unix", "subscribe", ">", ""),
    ("anna", "unix", "publish", "anything", "user:anna may not"),
    ("", "websocket", "subscribe", "fx/EURUSD", ""),
    ("", "websocket", "subscribe", ">", "\"no rouble\" denies it"),
    ("", "websocket", "publish", "fx/EURUSD", "anonymous may not"),
    ("anna", "websocket", "subscribe", ">", "allows all of it; \"prices\" allows \"fx/>\""),
    ("feed-7", "websocket", "publish", "fx/EURUSD", ""),
    ("feed-7", "websocket", "publish", "fx/RUBEUR", "\"no rouble\" denies it"),
    ("feed-7", "websocket", "request", "quotes/EURUSD", ""),
    ("feed-7", "websocket", "request", "orders/new", "no access rule allows it"),
];

#[test]
fn who_may_do_what() {
    let folder = Folder::new("access");
    let mut config = config(RULES);
    config.listen.native.push(folder.address("unix").parse().expect("an address"));
    let router = Server::start(config).expect("a router");
    let mut made = Client::connect(&native_address(&router), &options("root")).expect("root");
    for (at, (user, wire, operation, topics, expected)) in TABLE.iter().enumerate() {
        let case = format!("{user} {wire} {operation} {topics}");
        let durable = format!("durable {at}");
        if *operation == "delete" {
            made.consume(&Consume::durable(&durable, topics)).expect("a durable subscription");
        }
        let mut wire = Wire::open(&router, wire, (!user.is_empty()).then(|| (*user, turned(user))));
        // Twice, since what was looked up is kept.
        for _ in 0..2 {
            let rejected = wire.attempt(operation, topics, &durable);
            match rejected {
                None => assert_eq!(*expected, "", "{case} is allowed"),
                Some(text) => {
                    assert!(!expected.is_empty() && text.contains(expected), "{case}: {text}")
                }
            }
            // What is deleted is gone, and a connection says once who its producer is.
            if matches!(*operation, "delete" | "store") {
                break;
            }
        }
    }
}

/// A subscription is compared with patterns, so that none receives what a narrower one would not.
#[test]
fn what_is_not_allowed_does_not_come() {
    let router = Server::start(config(RULES)).expect("a router");
    let mut anna = Client::connect(&native_address(&router), &options("anna")).expect("anna");
    for pattern in [">", "*/>", "f*/>", "*"] {
        let error = anna.subscribe(pattern, &Subscribe::every()).expect_err(pattern);
        assert!(matches!(error, Error::Rejected(it) if it.code == code::FORBIDDEN), "{pattern}");
    }
    anna.subscribe("fx/>", &Subscribe::every()).expect("it is allowed");
    let mut root = Client::connect(&native_address(&router), &options("root")).expect("root");
    for topic in ["secret/plan", "fx/EURUSD"] {
        let topic = root.topic(topic).expect("a topic");
        root.publish(topic, b"x").expect("it is sent");
    }
    let mut seen = Vec::new();
    while seen.is_empty() {
        let note = &mut |event: Event<'_>| {
            if let Event::Message(message) = event {
                seen.push(message.topic.to_owned());
            }
        };
        anna.receive(None, note).expect("messages");
    }
    assert_eq!(seen, ["fx/EURUSD"]);
}

#[test]
fn who_somebody_is_has_to_be_right() {
    let mut config = config("[access]\nanonymous = \"nowhere\"");
    config.router.handshake_timeout = Duration::from_secs(60);
    let router = Server::start(config).expect("a router");
    let address = native_address(&router);
    let connect =
        |login: Option<Login>| Client::connect(&address, &Options { login, ..options("") });
    let password = |user: &str, password: &str| {
        Some(Login::Password { user: user.to_owned(), password: password.to_owned() })
    };
    for login in [
        None,
        password("anna", ""),
        password("anna", "Anna"),
        password("nobody", "ydobon"),
        Some(Login::Token("the token of bob".to_owned())),
        Some(Login::Token(String::new())),
    ] {
        let error = connect(login.clone()).expect_err("nobody");
        assert!(
            matches!(error, Error::Closed { code: code::UNAUTHENTICATED, .. }),
            "{login:?}: {error}"
        );
    }
    connect(password("anna", "anna")).expect("anna");
    connect(Some(Login::Token("the token of anna".to_owned()))).expect("anna");
    // Pages, with a header and with a first text.
    let mut page = Page::with_header(&router, "Basic YW5uYTphbm5h").expect("a page");
    assert_eq!(page.attempt("subscribe", "x", ""), None);
    for header in ["Basic YW5uYTphbm4=", "Bearer x", "Digest x"] {
        let error = Page::with_header(&router, header).map(|_| ()).expect_err(header);
        let status = if header.starts_with("Digest") { "400" } else { "401" };
        assert!(error.contains(status), "{header}: {error}");
    }
    let login = r#"{"token": "the token of feed-7"}"#;
    assert!(Page::with_login(&router, login).is_ok());
    for login in
        [r#"{"token": "x"}"#, r#"{"user": "anna", "password": "x"}"#, r#"{"publish": "x"}"#]
    {
        assert!(Page::with_login(&router, login).is_err(), "{login}");
    }
}

/// While a password is compared, its client waits, and nobody else does; what it sent behind is then done.
#[test]
fn a_password_is_compared_while_others_go_on() {
    let router = Server::start(config(RULES)).expect("a router");
    let mut other = Raw::named(&router, "other");
    other.subscribe(1, "fx/EURUSD");
    let mut many: Vec<Raw> = (0..8).map(|_| Raw::silent(&router)).collect();
    for raw in &mut many {
        raw.send(|out| {
            let hello = native::Hello { version: 1, has_credentials: true, ..Default::default() };
            native::encode_hello(out, &hello);
            let credentials = native::Credentials { user: "feed-7", secret: "7-deef" };
            native::encode_credentials(out, &credentials);
            native::encode_topic(out, 0, "fx/EURUSD");
            native::encode_publish(out, 0, 0, b"first");
        });
        other.settle();
    }
    for raw in &mut many {
        let welcome = raw.next();
        assert!(matches!(welcome, Seen::Welcome(_)), "{welcome:?}");
    }
    assert_eq!((0..8).map(|_| other.message()).collect::<Vec<_>>(), vec![b"first"; 8]);
}

#[test]
fn a_broken_login_ends_the_connection() {
    let router = Server::start(config(RULES)).expect("a router");
    let hello = native::Hello { version: 1, has_credentials: true, ..Default::default() };
    let credentials = native::Credentials { user: "anna", secret: "anna" };
    let mut raw = Raw::silent(&router);
    raw.send(|out| {
        native::encode_hello(out, &hello);
        native::encode_ping(out, 1);
    });
    let Seen::Closing(code, text) = raw.next() else { panic!("not the end") };
    assert!(code == code::BAD_FRAME && text.contains("no CREDENTIALS"), "{text}");
    let mut raw = Raw::named(&router, "late");
    raw.send(|out| native::encode_credentials(out, &credentials));
    let Seen::Closing(code, text) = raw.next() else { panic!("not the end") };
    assert!(code == code::BAD_FRAME && text.contains("CREDENTIALS"), "{text}");
    // A frame that would be longer than credentials are is not waited for.
    let mut raw = Raw::silent(&router);
    raw.send(|out| {
        native::encode_hello(out, &hello);
        out.extend_from_slice(&60_000_u32.to_le_bytes());
        out.extend_from_slice(&[kind::CREDENTIALS, 0, 0, 0]);
    });
    let Seen::Closing(code, _) = raw.next() else { panic!("not the end") };
    assert_eq!(code, code::BAD_FRAME);
}

#[test]
fn another_cannot_answer_a_request() {
    let router = router(|_| {});
    let [mut asks, mut asked, mut attacker] =
        ["asks", "asked", "attacker"].map(|name| Raw::named(&router, name));
    asked.subscribe(1, "quotes/>");
    asks.topic(0, "quotes/EURUSD");
    let request =
        native::Request { alias: 0, timeout_ms: 60_000, correlation: 1, format: 0, payload: b"?" };
    asks.send(|out| native::encode_request(out, &request));
    let told = loop {
        match asked.next() {
            Seen::Topic(..) => {}
            Seen::Request(_, requester, _) => break requester,
            other => panic!("no request but {other:?}"),
        }
    };
    // The client's number is known, and its correlations are 1, 2, 3 and so on.
    for correlation in (0..100).chain([told.correlation ^ 1, told.correlation.wrapping_add(1)]) {
        let request = native::Requester { client: told.client, correlation };
        let reply = native::Reply { request, format: 0, payload: b"forged" };
        attacker.send(|out| native::encode_reply(out, &reply));
        let Seen::Rejected(kind::REPLY, code, ..) = attacker.next() else { panic!("it is taken") };
        assert_eq!(code, code::REQUESTER_GONE);
    }
    let reply = native::Reply { request: told, format: 0, payload: b"1.0842" };
    asked.send(|out| native::encode_reply(out, &reply));
    assert_eq!(asks.next(), Seen::Reply(1, 0, b"1.0842".to_vec()));
    // It was answered once.
    asked.send(|out| native::encode_reply(out, &reply));
    assert!(matches!(asked.next(), Seen::Rejected(kind::REPLY, code::REQUESTER_GONE, ..)));
}

#[test]
fn a_reload_holds_for_those_who_are_connected() {
    let mut before = config(RULES);
    let router = Server::start(before.clone()).expect("a router");
    let address = native_address(&router);
    let mut anna = Client::connect(&address, &options("anna")).expect("anna");
    anna.subscribe("fx/>", &Subscribe::every()).expect("it is allowed");
    let kept = anna.subscribe("fx/EURUSD", &Subscribe::every()).expect("it is allowed");
    anna.consume(&Consume::durable("anna", "orders/>")).expect("it is allowed");
    let mut feed = Wire::open(&router, "tcp", Some(("feed-7", turned("feed-7"))));
    assert_eq!(feed.attempt("publish", "fx/EURUSD", ""), None);
    // Fewer may do less.
    let fewer = RULES
        .replace("topics = \"fx/>\"", "topics = \"fx/EURUSD\"")
        .replace("topics = \"orders/>\"", "topics = \"orders/new\"")
        .replace("\"fx/*\", ", "");
    before = config(&fewer);
    router.handle().reconfigure(before.clone()).expect("a reload");
    let (mut rejected, mut ended) = (Vec::new(), 0);
    while rejected.len() < 2 {
        let note = &mut |event: Event<'_>| match event {
            Event::Rejected(it) => rejected.push((it.of, it.code, it.text.to_owned())),
            Event::Ended(_) => ended += 1,
            _ => {}
        };
        anna.receive(None, note).expect("events");
    }
    rejected.sort();
    assert_eq!(ended, 0);
    let [(of, code, text), (of_consume, ..)] = &rejected[..] else { panic!("{rejected:?}") };
    assert_eq!((*of, *code, *of_consume), (kind::SUBSCRIBE, code::FORBIDDEN, kind::CONSUME));
    assert!(text.contains("\"prices\" allows \"fx/EURUSD\""), "{text}");
    let text = feed.attempt("publish", "fx/EURUSD", "").expect("it is not allowed any more");
    assert!(text.contains("no access rule allows it"), "{text}");
    anna.unsubscribe(kept).expect("it is still there");
    // A password that is taken away ends what came with it; a token of the same user stays.
    let mut by_token = options("");
    by_token.login = Some(Login::Token("the token of anna".to_owned()));
    let mut other = Client::connect(&address, &by_token).expect("anna again");
    let token = format!("anna {}", hash_token("the token of anna"));
    before.access.known = Credentials::parse(&token).expect("credentials");
    router.handle().reconfigure(before).expect("a reload");
    let closed = loop {
        match anna.receive(None, &mut |_| {}) {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(closed, Error::Closed { code: code::UNAUTHENTICATED, .. }), "{closed}");
    other.subscribe("fx/EURUSD", &Subscribe::every()).expect("it is there");
}

#[test]
fn many_subscriptions_are_compared_with_new_rules_and_none_is_forgotten() {
    let router = Server::start(config(RULES)).expect("a router");
    let mut raw = Raw::named(&router, "many");
    raw.send(|out| {
        for number in 0..3_000 {
            native::encode_subscribe(out, number, native::Updates::All, &format!("fx/a{number}"));
        }
    });
    for number in 0..3_000 {
        assert_eq!(raw.next(), Seen::Subscribed(number));
    }
    let none =
        config("[[access.rule]]\nname = \"a\"\nwho = \"*\"\nallow = \"all\"\ntopics = \"fx/a7\"");
    router.handle().reconfigure(none).expect("a reload");
    let mut ended: Vec<u64> = (0..2_999)
        .map(|_| match raw.next() {
            Seen::Rejected(kind::SUBSCRIBE, code::FORBIDDEN, _, number, _) => number,
            other => panic!("no rejection but {other:?}"),
        })
        .collect();
    ended.sort_unstable();
    assert_eq!(ended, (0..3_000).filter(|it| *it != 7).collect::<Vec<_>>());
    raw.settle();
}

#[test]
fn names_of_producers_and_durable_subscriptions_belong_to_identities() {
    const OWN: &str = r#"
[[access.rule]]
name = "own"
who = "user:*"
allow = ["store", "consume"]
topics = "orders/>"
names = ["{name}", "{name}/*"]

[[access.rule]]
name = "clearing"
who = "user:anna"
allow = ["consume", "delete"]
names = ["clearing", ""]
"#;
    let router = Server::start(config(OWN)).expect("a router");
    let client =
        |user: &str| Client::connect(&native_address(&router), &options(user)).expect(user);
    let (mut anna, mut feed) = (client("anna"), client("feed-7"));
    let rejected = |error: Error, part: &str| match error {
        Error::Rejected(it) => {
            assert!(it.code == code::FORBIDDEN && it.text.contains(part), "{part}: {}", it.text);
        }
        other => panic!("{other}"),
    };
    anna.producer("anna/desk").expect("it is her own");
    anna.consume(&Consume::durable("clearing", "orders/>")).expect("it is hers");
    anna.consume(&Consume::replay("orders/>", trunkline_client::Start::New)).expect("a replay");
    let name = "user:feed-7 may not store messages of any topic under the name \"anna/desk\"";
    rejected(feed.producer("anna/desk").expect_err("hers"), name);
    feed.producer("feed-7").expect("its own");
    for consume in [Consume::durable("clearing", "orders/>"), Consume::durable("anna", "orders/>")]
    {
        let error = feed.consume(&consume).expect_err("hers");
        rejected(error, "\"own\" allows names like \"{name}\"");
    }
    let replay = Consume::replay("orders/>", trunkline_client::Start::New);
    rejected(feed.consume(&replay).expect_err("no rule"), "no access rule allows all of it");
    rejected(feed.delete("clearing").expect_err("hers"), "under the name \"clearing\"");
    // Other rules: who uses a name that belongs to others is disconnected, its subscriptions end.
    let other = OWN.replace("user:*", "user:feed-*").replace("\"clearing\", \"\"", "\"\"");
    router.handle().reconfigure(config(&other)).expect("a reload");
    match end_of(&mut anna) {
        Error::Closed { code: code::FORBIDDEN, reason } => {
            assert!(reason.contains("user:anna may not store"), "{reason}");
        }
        other => panic!("{other}"),
    }
    feed.synchronise().expect("it may stay");
}

/// Why the router ends a connection.
fn end_of(client: &mut Client) -> Error {
    loop {
        if let Err(error) = client.receive(Some(PATIENCE), &mut |_| {}) {
            return error;
        }
    }
}

#[test]
fn limits_are_those_of_an_identity_whatever_a_client_calls_itself() {
    let rules = "[[access.rule]]\nwho = \"*\"\nallow = \"all\"\n\
                 [[client.rule]]\nwho = \"user:anna\"\nupdates_per_second = 1000";
    let router = Server::start(config(rules)).expect("a router");
    let address = native_address(&router);
    // A capped client is told what each message replaced.
    for (user, name, is_capped) in [("anna", "feed-7", true), ("feed-7", "anna", false)] {
        let named = Options { name: name.to_owned(), ..options(user) };
        let mut client = Client::connect(&address, &named).expect(user);
        client.subscribe("t", &Subscribe::every()).expect("a subscription");
        let topic = client.topic("t").expect("a topic");
        client.publish(topic, b"x").expect("it is sent");
        let mut seen = None;
        while seen.is_none() {
            let note = &mut |event: Event<'_>| {
                if let Event::Message(message) = event {
                    seen = Some(message.conflation.is_some());
                }
            };
            client.receive(None, note).expect("a message");
        }
        assert_eq!(seen, Some(is_capped), "{user}");
    }
}

#[test]
fn a_router_that_others_can_reach_wants_rules() {
    let open = |change: &dyn Fn(&mut Config)| {
        let mut config = raw::config(|config| {
            config.listen.native = vec!["tcp://0.0.0.0:0".parse().expect("an address")];
        });
        change(&mut config);
        Server::start(config).map(|_| ()).map_err(|error| error.to_string())
    };
    let error = open(&|_| {}).expect_err("no rules");
    for part in ["listen.native", "0.0.0.0:0", "[[access.rule]]", "anonymous = \"everywhere\""] {
        assert!(error.contains(part), "{error}");
    }
    let http = open(&|config| {
        config.listen.native.clear();
        config.listen.http = Some("0.0.0.0:0".to_owned());
    });
    assert!(http.is_err_and(|error| error.contains("listen.http")));
    // TLS keeps nobody from connecting who needs no certificate for it.
    let with_tls = |change: &dyn Fn(&mut Config)| {
        let mut config = raw::config(|config| config.listen.native.clear());
        config.listen.native.push("tls://0.0.0.0:0".parse().expect("an address"));
        config.listen.websocket = Some("0.0.0.0:0".to_owned());
        config.tls.websocket = true;
        change(&mut config);
        config.check_exposure()
    };
    assert!(with_tls(&|_| {}).is_err_and(|error| error.contains("listen.native")));
    let pages = with_tls(&|config| config.listen.native.clear());
    assert!(pages.is_err_and(|error| error.contains("listen.websocket")));
    with_tls(&|config| config.tls.client_ca = Some("clients.pem".into())).expect("certificates");
    let plain = with_tls(&|config| {
        config.tls.client_ca = Some("clients.pem".into());
        config.tls.websocket = false;
    });
    assert!(plain.is_err_and(|error| error.contains("listen.websocket")));
    open(&|config| config.access.anonymous = trunkline_server::config::Anonymous::Everywhere)
        .expect("everybody may");
    open(&|it| it.access.rules = config(RULES).access.rules).expect("there are rules");
    // A reload does not open it either.
    let router = router(|_| {});
    let open = raw::config(|config| {
        config.listen.native = vec!["tcp://0.0.0.0:0".parse().expect("an address")];
    });
    let error = router.handle().reconfigure(open).expect_err("no rules");
    assert!(error.contains("[[access.rule]]"), "{error}");
}

/// Access rules do not see who logs on to a FIX session.
#[test]
fn fix_sessions_that_others_can_reach_want_certificates() {
    let fix = |change: &dyn Fn(&mut Config)| {
        let text = "[[fix]]\nlisten = \"0.0.0.0:5001\"\nsender = \"A\"\ntargets = [\"B\"]\nstore = \"s\"\n\
                    [[fix.send]]\ntopics = \"reports\"";
        let mut it = raw::config(|_| {});
        it.fix = config(text).fix;
        it.access.rules = config(RULES).access.rules;
        change(&mut it);
        it.check_exposure()
    };
    let error = fix(&|_| {}).expect_err("whoever knows two names");
    for part in ["0.0.0.0:5001", "tls = true", "client_ca", "anonymous = \"everywhere\""] {
        assert!(error.contains(part), "{error}");
    }
    assert!(fix(&|it| it.fix[0].tls = true).is_err());
    fix(&|it| {
        it.fix[0].tls = true;
        it.tls.client_ca = Some("clients.pem".into());
    })
    .expect("certificates");
    fix(&|it| it.fix[0].listen = Some("127.0.0.1:5001".to_owned())).expect("this machine alone");
}

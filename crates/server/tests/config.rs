//! Configurations: what is read, what is overridden, and how a mistake is told.

use std::time::Duration;

use trunkline_reactor::Idle;
use trunkline_router::Overflow;
use trunkline_security::Identity;
use trunkline_server::config::{Config, LogFormat, LogLevel};

fn read(text: &str) -> Result<Config, String> {
    with(text, &[])
}

fn with(text: &str, environment: &[(&str, &str)]) -> Result<Config, String> {
    let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    Config::from_text("trunkline.toml", text, environment).map_err(|error| error.to_string())
}

const EVERYTHING: &str = r#"
[listen]
native = ["tcp://127.0.0.1:0", "unix:///run/a.sock"]
http = "off"
websocket = "[::1]:9000"

[limits]
connections = 10
topics = 20
topics_per_client = 2100
subscriptions = 30
subscriptions_per_client = 31
overlaps_per_client = 35
matches = 32
matches_per_client = 34
requests_per_client = 33
frame_bytes = "2 MiB"
output_bytes = 8192
memory_bytes = "1 GiB"

[client]
queue_messages = 5
queue_bytes = "3 kB"
overflow = "drop-newest"
messages_per_second = 6
bytes_per_second = "7 KiB"
updates_per_second = 8

[[client.rule]]
name = "slow*"
queue_messages = 11000
overflow = "disconnect"
updates_per_second = 500

[journal]
producers_per_client = 36
new_producers_per_client = 37

[[client.rule]]
who = "user:anna"
queue_messages = 12

[[client.rule]]
name = "*"
queue_bytes = "1 MiB"

[access]
anonymous = "nowhere"

[access.roles]
"the operators" = ["user:root", "uid:0"]

[[access.rule]]
name = "prices"
who = "*"
allow = ["publish", "subscribe"]
topics = ["fx/>"]

[[access.rule]]
who = "role:the operators"
deny = "all"

[[journal.durable]]
name = "gateway*"
acknowledge_within = "30s"
deliveries = 5
dead_letters = "dead/gateway"

[[journal.durable]]
name = "*"
acknowledge_within = "5min"

[http]
hosts = ["router.example.org"]

[admin]
token_file = "/etc/trunkline/admin.token"
origins = ["https://operations.example.org"]

[router]
idle = "20us"
keepalive = "10s"
keepalive_missed = 2
handshake_timeout = "1s"
shutdown_timeout = "500ms"

[log]
format = "json"
level = "debug"

[tls]
certificate = "router.pem"
key = "router.key"
client_ca = "customers.pem"

[[fix]]
listen = "127.0.0.1:5001"
tls = true
sender = "BANK"
targets = ["FUND", "PENSION"]
version = "FIX.4.4"
dictionary = "FIX44.xml"
transport = "FIXT11.xml"
store = "/var/lib/trunkline/fix"
hours = "mon-fri 08:00-17:30 Europe/London"

[fix.certificates]
FUND = "CN=fund-*,O=Fund"
PENSION = "*"

[[fix.rule]]
messages = ["NewOrderSingle", "F"]
topic = "orders/{SenderCompID}/{Symbol}"
delivery = "direct"

[[fix.send]]
topics = "reports/{TargetCompID}"

[[fix.market_data]]
topic = "fx/{Symbol}"
symbols = ["EUR/*"]
updates_per_second = 10

[[fix]]
connect = "venue.example:9000"
tls = true
ca = "venue.pem"
logon = "venue.logon"
heartbeat = "10s"
sender = "BANK"
targets = ["VENUE"]
store = "/var/lib/trunkline/fix"

[[fix.send]]
topics = "orders/{TargetCompID}"
"#;

#[test]
fn nothing_is_the_defaults() {
    assert_eq!(read("").unwrap(), Config::default());
    assert_eq!(read("[client]\n[listen]").unwrap(), Config::default());
}

#[test]
fn every_key_is_taken() {
    let config = read(EVERYTHING).unwrap();
    assert_eq!(config.listen.native[1].to_string(), "unix:///run/a.sock");
    assert_eq!(
        (config.listen.http.as_deref(), config.listen.websocket.as_deref()),
        (None, Some("[::1]:9000"))
    );
    assert_eq!((config.limits.frame_bytes, config.limits.output_bytes), (2 << 20, 8192));
    assert_eq!(config.limits.memory_bytes, 1 << 30);
    let admin = &config.admin;
    assert_eq!(admin.token_file.as_deref(), Some("/etc/trunkline/admin.token".as_ref()));
    assert_eq!(admin.origins, ["https://operations.example.org"]);
    assert_eq!(config.router.idle, Idle::SpinFor(Duration::from_micros(20)));
    assert_eq!(config.router.shutdown_timeout, Duration::from_millis(500));
    assert_eq!((config.log.format, config.log.level), (LogFormat::Json, LogLevel::Debug));
    let slow = config.client_options("slow-7", &Identity::Anonymous);
    assert_eq!((slow.queue_messages, slow.overflow), (11_000, Overflow::Disconnect));
    assert_eq!(
        (
            slow.queue_bytes,
            config.updates_per_second("slow-7", &Identity::Anonymous).unwrap().get()
        ),
        (3_000, 500)
    );
    let other = config.client_options("gui", &Identity::Anonymous);
    assert_eq!((other.queue_messages, other.queue_bytes), (5, 1 << 20));
    assert_eq!(other.overflow, Overflow::DropNewest);
    assert_eq!(other.bytes_per_second.unwrap().get(), 7 << 10);
    assert_eq!(config.updates_per_second("gui", &Identity::Anonymous).unwrap().get(), 8);
    let rules = config.journal.settings().delivery_rules;
    let letters = rules[0].policy.dead_letters.as_ref().unwrap();
    assert_eq!((letters.deliveries, &*letters.topic), (5, "dead/gateway"));
    assert_eq!(rules[1].policy.acknowledge_within, 300_000_000_000);
    assert_eq!(config.client_options("gui", &Identity::user("anna")).queue_messages, 12);
}

#[test]
fn a_mistake_in_an_access_rule_is_told() {
    for (text, part) in [
        ("[access]\nanonymous = \"always\"", "line 2, column 13: unknown word"),
        ("[[access.rule]]\nallow = \"all\"", "missing key `who`"),
        (
            "[[access.rule]]\nwho = \"*\"\nallow = \"read\"",
            "\"read\" is no operation; there are publish",
        ),
        (
            "[[access.rule]]\nwho = \"*\"",
            "the access rule \"rule 1\": it allows and denies nothing",
        ),
        (
            "[[access.rule]]\nwho = \"*\"\nallow = \"all\"\ndeny = \"all\"",
            "either allows or denies",
        ),
        ("[[access.rule]]\nwho = \"anna\"\nallow = \"all\"", "\"anna\" names nobody"),
        ("[[access.rule]]\nwho = \"role:x\"\nallow = \"all\"", "there is no role \"x\""),
        (
            "[[access.rule]]\nwho = \"*\"\nallow = \"all\"\ntopics = \"a//b\"",
            "\"a//b\" is no pattern",
        ),
        ("[access]\ncredentials = \"/nowhere/at/all\"", "access.credentials /nowhere/at/all: "),
        ("[[client.rule]]\nwho = \"anna\"", "\"anna\" names nobody"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.starts_with("trunkline.toml") && error.contains(part), "{text}: {error}");
    }
}

#[test]
fn what_is_shown_gives_the_same_again() {
    for config in [Config::default(), read(EVERYTHING).unwrap()] {
        let shown = config.to_toml();
        assert_eq!(read(&shown).as_ref(), Ok(&config), "{shown}");
    }
    // Every key of the file that has all of them is shown.
    let shown = read(EVERYTHING).unwrap().to_toml();
    for key in EVERYTHING.lines().filter_map(|line| line.split_once(" = ")) {
        assert!(shown.contains(key.0), "{} is not shown", key.0);
    }
}

#[test]
fn a_mistake_is_told_with_its_place() {
    for (text, parts) in [
        ("[client]\nqueue_mesages = 5", &["trunkline.toml line 2, column 1", "queue_mesages"][..]),
        (
            "[client]\nqueue_messages = \"many\"",
            &["line 2, column 18", "expected a whole number, found \"many\""],
        ),
        ("[client]\nqueue_bytes = \"5 MB/s\"", &["line 2, column 15", "64 MiB"]),
        ("[client]\n\n  overflow = \"drop\"", &["line 3", "drop-oldest"]),
        ("[router]\nkeepalive = 30", &["line 2", "30s"]),
        ("[router]\nidle = \"sleep\"", &["line 2", "spin"]),
        ("[listen]\nnative = [\"127.0.0.1:7400\"]", &["line 2", "tcp://"]),
        ("[listen]\nhttp = \"7401\"", &["line 2", "HOST:PORT"]),
        ("[clients]", &["line 1, column 2", "clients"]),
        ("[client", &["line 1"]),
        ("[[client.rule]]\nqueue_messages = 1", &["client.rule says name, or who"]),
        ("[limits]\nmemory_bytes = \"1 MiB\"", &["limits.memory_bytes", "64 MiB"]),
        ("[limits]\nframe_bytes = 10", &["limits.frame_bytes", "65536"]),
        ("[router]\nkeepalive = \"1ms\"", &["router.keepalive", "10ms"]),
        ("[client]\nqueue_messages = 0", &["client.queue_messages is at least 1"]),
        ("[journal]\nranges = 0", &["journal.ranges is at least 1"]),
        ("[[journal.durable]]\nname = \"a\"", &["journal.durable", "\"a\"", "acknowledge_within"]),
        ("[[journal.durable]]\nname = \"a\"\ndeliveries = 5", &["deliveries and no dead_letters"]),
        (
            "[[journal.durable]]\nname = \"a\"\ndead_letters = \"dead\"",
            &["dead_letters and no deliveries"],
        ),
        (
            "[[journal.durable]]\nname = \"a\"\ndeliveries = 0\ndead_letters = \"dead\"",
            &["deliveries of less than 1"],
        ),
        (
            "[[journal.durable]]\nname = \"a\"\nacknowledge_within = \"1ms\"",
            &["less than \"10ms\""],
        ),
        (
            "[[journal.durable]]\nname = \"a\"\ndeliveries = 5\ndead_letters = \"dead/*\"",
            &["line 4", "no topic"],
        ),
        ("[[fix]]\nlisten = \"5001\"", &["line 2, column 10", "HOST:PORT"]),
        (
            "[[fix]]\nlisten = \":0\"\nsender = \"A\"\ntargets = [\"B\"]\nstore = \"s\"",
            &["fix that listens at :0", "nothing would come or go"],
        ),
        (
            "[[fix]]\nlisten = \":0\"\nsender = \"A\"\ntargets = [\"B\", \"B\"]\nstore = \"s\"\n\
             [[fix.send]]\ntopics = \"reports\"",
            &["two FIX sessions of A and B"],
        ),
    ] {
        let error = read(text).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "{text:?}: {error:?} lacks {part:?}");
        }
        assert!(!error.contains('\n'), "{error:?} is one line");
    }
}

#[test]
fn a_fix_listens_or_connects_with_what_belongs_to_that() {
    let rest = "sender = \"A\"\nstore = \"s\"\n[[fix.send]]\ntopics = \"reports\"";
    for (keys, targets, part) in [
        ("", "\"B\"", "the fix of A has neither listen nor connect"),
        ("listen = \":0\"\nconnect = \"a:1\"", "\"B\"", "both listen and connect"),
        ("listen = \":0\"\nca = \"a.pem\"", "\"B\"", "the fix that listens at :0 has a ca"),
        ("connect = \"a:1\"\nca = \"a.pem\"", "\"B\"", "connects to a:1 has a ca, and no tls"),
        ("listen = \":0\"\nlogon = \"a\"", "\"B\"", "a logon, which is for who connects"),
        ("listen = \":0\"\nheartbeat = \"5s\"", "\"B\"", "a heartbeat, which is for who connects"),
        (
            "listen = \":0\"\ntls = true\ncertificates = {B = \"*\"}",
            "\"B\"",
            "no client_ca in [tls]",
        ),
        ("connect = \"a:1\"\nheartbeat = \"500ms\"", "\"B\"", "whole seconds"),
        ("connect = \"a:1\"\ncertificates = {B = \"*\"}", "\"B\"", "for who listens"),
        ("listen = \":0\"\ncertificates = {B = \"*\"}", "\"B\"", "certificates, and no tls"),
        ("listen = \":0\"\ntls = true\ncertificates = {C = \"*\"}", "\"B\"", "certificate of C"),
        (
            "listen = \":0\"\ntls = true\ncertificates = {C = \"*\"}",
            "\"B\", \"C\"",
            "no certificate of B",
        ),
    ] {
        let tls = "[tls]\ncertificate = \"a\"\nkey = \"b\"";
        let text = format!("{tls}\n[[fix]]\n{keys}\ntargets = [{targets}]\n{rest}");
        let error = read(&text).expect_err(&text);
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn what_is_guaranteed_in_fix_sessions_needs_a_journal_on_a_disk() {
    let fix =
        "[[fix]]\nlisten = \"127.0.0.1:0\"\nsender = \"A\"\ntargets = [\"B\"]\nstore = \"s\"\n";
    let rule = "[[fix.rule]]\nmessages = [\"*\"]\ntopic = \"orders\"\n";
    let send = "[[fix.send]]\ntopics = \"reports\"\n";
    let checked = |text: &str| read(text).expect("a configuration").check_fix();
    for kept in [rule, send] {
        let error = checked(&format!("{fix}{kept}")).expect_err("no journal");
        assert!(error.contains("127.0.0.1:0") && error.contains("directory = "), "{error}");
        checked(&format!("[journal]\ndirectory = \"j\"\n{fix}{kept}")).expect("a journal");
    }
    checked(&format!("{fix}{rule}delivery = \"direct\"\n")).expect("nothing is kept");
}

#[test]
fn the_environment_overrides_the_file() {
    let config = with(
        "[client]\nqueue_messages = 5",
        &[
            ("TRUNKLINE_CLIENT__QUEUE_MESSAGES", "7"),
            ("TRUNKLINE_CLIENT__QUEUE_BYTES", "2 MiB"),
            ("TRUNKLINE_LISTEN__NATIVE", "tcp://127.0.0.1:0"),
            ("TRUNKLINE_ROUTER__IDLE", "spin"),
            ("TRUNKLINE_PEERS", "not ours"),
            ("PATH", "x"),
        ],
    )
    .unwrap();
    assert_eq!((config.client.queue_messages, config.client.queue_bytes), (7, 2 << 20));
    assert_eq!(config.listen.native.len(), 1);
    assert_eq!(config.router.idle, Idle::Spin);
}

#[test]
fn a_wrong_variable_is_named() {
    for (name, value, part) in [
        ("TRUNKLINE_CLIENT__QUEUE_MESAGES", "7", "unknown key"),
        ("TRUNKLINE_CLIENT__OVERFLOW", "drop", "drop-oldest"),
        ("TRUNKLINE_CLIENT__QUEUE_MESSAGES__X", "1", "X"),
    ] {
        let error = with("[client]\nqueue_messages = 5", &[(name, value)]).unwrap_err();
        assert!(error.starts_with(name), "{error:?}");
        assert!(error.to_lowercase().contains(&part.to_lowercase()), "{error:?} lacks {part:?}");
    }
}

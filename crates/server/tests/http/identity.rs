//! Who may see and administer a router with access rules.

use trunkline_security::{Credentials, hash_password, hash_token};
use trunkline_server::{Config, Server};

use super::administration::{Answer, answer};
use super::{authority, place};

const RULES: &str = r#"
[[access.rule]]
name = "operations"
who = "user:anna"
allow = "administer"

[[access.rule]]
name = "monitors"
who = ["user:watcher", "user:clerk"]
allow = "observe"

[[access.rule]]
name = "not clerks"
who = "user:clerk"
deny = "observe"

[[access.rule]]
name = "of one topic"
who = "user:desk"
allow = ["administer", "observe"]
topics = "fx/>"
"#;

const USERS: [&str; 4] = ["anna", "watcher", "clerk", "desk"];

fn config(rules: &str) -> Config {
    let mut config =
        Config::from_text("rules", rules, std::iter::empty()).expect("a configuration");
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = Some("127.0.0.1:0".into());
    config.listen.websocket = None;
    let lines = USERS.map(|user| {
        let password = hash_password(&format!("of {user}"), &[7; 16]);
        format!("{user} {password}\n{user} {}\n", hash_token(&format!("token-{user}")))
    });
    config.access.known = Credentials::parse(&lines.concat()).expect("a file");
    config
}

/// The header of a user; none of nobody.
fn basic(user: &str, password: &str) -> String {
    let mut text = b"Authorization: Basic ".to_vec();
    trunkline_wire::base64::encode_into(format!("{user}:{password}").as_bytes(), &mut text);
    String::from_utf8(text).expect("ASCII")
}

fn ask(router: &trunkline_server::Running, method: &str, path: &str, header: &str) -> Answer {
    let address = place(router, "http");
    let body = if method == "POST" { "{}" } else { "" };
    let end = if header.is_empty() { "" } else { "\r\n" };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{header}{end}Content-Length: {}\r\n\
         Content-Type: application/json\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    answer(authority(&address), &request)
}

#[test]
fn who_may_see_and_do_what() {
    let router = Server::start(config(RULES)).expect("a router");
    let anonymous = "anonymous may not observe the router: no access rule allows it";
    let all_topics = "user:desk may not observe the router: no access rule allows it";
    let cases = [
        ("", "GET", "/health", 200, ""),
        ("", "GET", "/health/ready", 200, ""),
        ("", "GET", "/", 200, ""),
        ("", "GET", "/metrics", 401, anonymous),
        ("", "HEAD", "/status", 401, ""),
        ("", "GET", "/admin/clients", 401, anonymous),
        ("", "POST", "/admin/undrain", 401, "anonymous may not administer the router"),
        ("anna", "GET", "/metrics", 200, ""),
        ("anna", "GET", "/status", 200, ""),
        ("anna", "GET", "/admin/clients", 200, ""),
        ("anna", "POST", "/admin/undrain", 200, ""),
        ("watcher", "GET", "/metrics", 200, ""),
        ("watcher", "GET", "/status", 200, ""),
        ("watcher", "GET", "/admin/durables", 200, ""),
        ("watcher", "POST", "/admin/undrain", 403, "user:watcher may not administer the router"),
        ("watcher", "PUT", "/admin/undrain", 403, "user:watcher may not administer the router"),
        ("clerk", "GET", "/metrics", 403, "the access rule \"not clerks\" denies it"),
        ("clerk", "GET", "/admin/clients", 403, "the access rule \"not clerks\" denies it"),
        ("desk", "GET", "/status", 403, all_topics),
    ];
    for (user, method, path, status, part) in cases {
        let headers = match user {
            "" => vec![String::new()],
            _ => vec![
                basic(user, &format!("of {user}")),
                format!("Authorization: Bearer token-{user}"),
            ],
        };
        for header in headers {
            let answer = ask(&router, method, path, &header);
            let case = format!("{header} {method} {path}: {answer:?}");
            assert_eq!(answer.status, status, "{case}");
            assert!(answer.body.contains(part), "{case}");
            let asks = answer.head.matches("www-authenticate: ").count();
            assert_eq!(asks, if status == 401 { 2 } else { 0 }, "{case}");
        }
    }
}

#[test]
fn what_shows_nobody_is_rejected_without_the_secret() {
    let router = Server::start(config(RULES)).expect("a router");
    for (header, part) in [
        (basic("anna", "of watcher"), "the user or the password is wrong"),
        (basic("nobody", "of anna"), "the user or the password is wrong"),
        (basic("", "of anna"), "Authorization: Basic"),
        ("Authorization: Bearer token-nobody".to_owned(), "nobody has this token"),
        ("Authorization: Bearer ".to_owned(), "nobody has this token"),
        ("Authorization: Digest of anna".to_owned(), "Basic or Bearer"),
        ("Authorization: Basic \u{e9}".to_owned(), "Authorization"),
    ] {
        for path in ["/metrics", "/admin/clients"] {
            let answer = ask(&router, "GET", path, &header);
            assert_eq!(answer.status, 401, "{header}: {answer:?}");
            assert!(answer.body.contains(part), "{header}: {answer:?}");
            assert!(!answer.body.contains("of anna"), "{answer:?}");
        }
    }
}

#[test]
fn changed_rules_and_passwords_hold_at_once() {
    let router = Server::start(config(RULES)).expect("a router");
    let anna = basic("anna", "of anna");
    assert_eq!(ask(&router, "GET", "/metrics", &anna).status, 200);
    let mut other = config(&RULES.replace("user:anna", "user:clerk"));
    router.handle().reconfigure(other.clone()).expect("it is taken over");
    let answer = ask(&router, "GET", "/metrics", &anna);
    assert_eq!(answer.status, 403, "{answer:?}");
    other = config(RULES);
    other.access.known = Credentials::default();
    router.handle().reconfigure(other).expect("it is taken over");
    assert_eq!(ask(&router, "GET", "/metrics", &anna).status, 401);
    let mut open = config("");
    router.handle().reconfigure(open.clone()).expect("it is taken over");
    assert_eq!(ask(&router, "GET", "/metrics", "").status, 200);
    open.access.anonymous = trunkline_server::config::Anonymous::Nowhere;
    router.handle().reconfigure(open).expect("it is taken over");
    assert_eq!(ask(&router, "GET", "/metrics", "").status, 401);
    assert_eq!(ask(&router, "GET", "/status", &anna).status, 200);
    assert_eq!(ask(&router, "GET", "/admin/clients", &anna).status, 403, "there is no token");
}

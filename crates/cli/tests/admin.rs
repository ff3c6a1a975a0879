//! `trunkline admin` as administrators meet it.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use trunkline_client::{Client, Options};
use trunkline_server::{Config, Running, Server};

/// A router with administration, and the file of the token.
struct Router {
    running: Running,
    token: PathBuf,
}

impl Router {
    fn start(name: &str) -> Self {
        let token = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("admin-{name}.token"));
        let _ = fs::remove_file(&token);
        fs::write(&token, "0123456789abcdef\n").expect("our own folder");
        fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).expect("our own file");
        let mut config = Config::default();
        config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
        config.listen.http = Some("127.0.0.1:0".to_owned());
        config.listen.websocket = None;
        config.admin.token_file = Some(token.clone());
        Self { running: Server::start(config).expect("a router"), token }
    }

    /// A router whose administrators are users of a file that `trunkline credentials` has made.
    fn with_users(folder: &Path) -> Self {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("our own folder");
        let password = credentials(&["password", "anna"], "correct horse\n");
        let watcher = credentials(&["password", "watcher"], "battery staple\n");
        let token = credentials(&["token", "operator"], "");
        let lines = [&password, &watcher, &token].map(|it| String::from_utf8_lossy(&it.stdout));
        fs::write(folder.join("credentials"), lines.concat()).expect("our own folder");
        let said = String::from_utf8(token.stderr).expect("text");
        let own = said.trim_end().rsplit(' ').next().expect("a token");
        for (name, secret) in
            [("anna", "correct horse"), ("watcher", "battery staple"), ("token", own)]
        {
            fs::write(folder.join(name), format!("{secret}\n")).expect("our own folder");
        }
        let file = folder.join("credentials");
        let text = format!(
            "[listen]\nnative = \"tcp://127.0.0.1:0\"\nhttp = \"127.0.0.1:0\"\nwebsocket = \"off\"\n\
             [access]\ncredentials = {file:?}\n\
             [[access.rule]]\nname = \"operations\"\nwho = [\"user:anna\", \"user:operator\"]\n\
             allow = \"administer\"\n\
             [[access.rule]]\nname = \"monitors\"\nwho = \"user:watcher\"\nallow = \"observe\"\n\
             [[access.rule]]\nname = \"clients\"\nwho = \"anonymous\"\nallow = \"subscribe\"\n"
        );
        let config = folder.join("trunkline.toml");
        fs::write(&config, text).expect("our own folder");
        let config = Config::load(Some(&config), std::iter::empty()).expect("a configuration");
        let token = folder.join("token");
        Self { running: Server::start(config).expect("a router"), token }
    }

    fn url(&self, protocol: &str) -> String {
        let found = self.running.addresses().iter().find(|it| it.protocol == protocol);
        found.expect("it listens").url()
    }

    fn client(&self, name: &str) -> Client {
        Client::connect(&self.url("native"), &Options::named(name)).expect("a client")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
        command.arg("admin").args(arguments).args(["--to", &self.url("http")]);
        command.env_remove("TRUNKLINE_TOKEN_FILE");
        command
    }

    /// What it prints, and its status.
    fn run(&self, arguments: &[&str]) -> (String, i32) {
        said(self.command(arguments).env("TRUNKLINE_TOKEN_FILE", &self.token).output())
    }
}

/// What `trunkline credentials` prints that reads this.
fn credentials(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .arg("credentials")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // It may have ended without reading.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    output
}

fn said(output: std::io::Result<Output>) -> (String, i32) {
    let output = output.expect("the program runs");
    let all = [output.stdout, output.stderr].concat();
    (String::from_utf8(all).expect("text"), output.status.code().expect("it ends"))
}

#[test]
fn without_the_token_it_is_said_where_it_is_named() {
    let router = Router::start("token");
    let (text, status) = said(router.command(&["clients"]).output());
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("Bearer TOKEN is needed") && text.contains("--token-file"), "{text}");
    let other = router.token.with_extension("other");
    fs::write(&other, "another token").expect("our own folder");
    let other = other.to_str().expect("text");
    let (text, status) = said(router.command(&["clients", "--token-file", other]).output());
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("Bearer TOKEN is needed"), "{text}");
    assert!(!text.contains("another token"), "{text}");
    let (text, _) = said(router.command(&["clients", "--token-file", "nowhere"]).output());
    assert!(text.contains("nowhere: "), "{text}");
    fs::remove_file(other).expect("our own file");
}

#[test]
fn users_administer_as_far_as_the_access_rules_allow() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("admin-users");
    let router = Router::with_users(&folder);
    let mut client = router.client("desk");
    let file = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let (anna, watcher, token) = (file("anna"), file("watcher"), file("token"));
    let as_anna = ["--user", "anna", "--password-file", &anna];
    let as_watcher = ["--user", "watcher", "--password-file", &watcher];
    let as_operator = ["--token-file", &token];
    let run = |words: &[&str], who: &[&str]| said(router.command(&[words, who].concat()).output());
    for who in [&as_anna[..], &as_watcher, &as_operator] {
        let (text, status) = run(&["clients"], who);
        assert!(status == 0 && text.contains("desk"), "{who:?}: {text}");
    }
    let disconnect = ["disconnect", "--name", "desk"];
    let (text, status) = run(&disconnect, &as_watcher);
    assert_eq!(status, 2, "{text}");
    let why = "user:watcher may not administer the router: no access rule allows it";
    assert!(text.contains(why), "{text}");
    let (text, status) = run(&disconnect, &["--user", "anna", "--password-file", &watcher]);
    assert!(status == 2 && text.contains("the user or the password is wrong"), "{text}");
    assert!(!text.contains("battery staple"), "{text}");
    let (text, status) = run(&["clients"], &[]);
    assert!(status == 2 && text.contains("anonymous may not observe the router"), "{text}");
    assert!(text.contains("--user or --token-file"), "{text}");
    client.synchronise().expect("it is connected still");
    let (text, status) = run(&disconnect, &as_operator);
    assert_eq!(status, 0, "{text}");
    let status_of = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
        command.args(words).args(["--to", &router.url("http")]);
        said(command.env_remove("TRUNKLINE_TOKEN_FILE").output())
    };
    for verb in [&["top", "--once", "--interval", "10ms"][..], &["durable", "list"]] {
        let (text, status) = status_of(verb);
        assert!(status == 2 && text.contains("anonymous may not observe"), "{verb:?}: {text}");
        let (text, status) = status_of(&[verb, &as_watcher].concat());
        assert_eq!(status, 0, "{verb:?}: {text}");
    }
}

#[test]
fn clients_are_listed_and_disconnected() {
    let router = Router::start("clients");
    let clients: Vec<Client> = ["one", "two"].map(|name| router.client(name)).into();
    let (text, status) = router.run(&["clients"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("one") && text.contains("two"), "{text}");
    let (text, _) = router.run(&["clients", "--limit", "1"]);
    assert!(text.contains("there may be more than 1; --limit lists more"), "{text}");
    let (text, status) = router.run(&["disconnect"]);
    assert!(status == 2 && text.contains("which client"), "{text}");
    let (text, status) = router.run(&["disconnect", "--name", "*o*"]);
    assert!(status == 2 && text.contains("2 clients are meant (one#"), "{text}");
    assert!(text.contains("only with --all"), "{text}");
    let (text, status) = router.run(&["disconnect", "--name", "nobody"]);
    assert!(status == 2 && text.contains("no client that is connected is meant"), "{text}");
    let (text, status) = router.run(&["disconnect", "--name", "*o*", "--all", "--reason", "bye"]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("disconnected ")).count(), 2, "{text}");
    for mut client in clients {
        let error = client.synchronise().expect_err("it was disconnected").to_string();
        assert!(error.contains("an administrator disconnected the client: bye"), "{error}");
    }
}

#[test]
fn a_drained_router_stops_if_that_is_wanted() {
    let router = Router::start("drain");
    let _client = router.client("desk");
    let (text, status) = router.run(&["drain", "--reason", "back soon"]);
    assert_eq!((&*text, status), ("nothing waits, and no clients are accepted\n", 0));
    let late = Client::connect(&router.url("native"), &Options::named("late")).map(|_| ());
    let late = late.expect_err("it drains").to_string();
    assert!(late.contains("draining for maintenance: back soon"), "{late}");
    let (text, status) = router.run(&["undrain"]);
    assert_eq!((&*text, status), ("the router accepts clients\n", 0));
    router.client("late");
    let (text, status) = router.run(&["drain", "--stop"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("stop"), "{text}");
    router.running.wait().expect("it has stopped");
}

#[test]
fn durable_subscriptions_are_paused_purged_and_moved_and_producers_deleted() {
    let router = Router::start("durables");
    let mut desk = router.client("desk");
    let durable = trunkline_client::Consume::durable("clearing", "orders/>");
    desk.consume(&durable).expect("it is active");
    let mut feed = router.client("feed");
    feed.producer("desk-7").expect("a producer");
    let topic = feed.topic("orders/new").expect("a topic");
    let (text, status) = router.run(&["pause", "clearing"]);
    assert_eq!(status, 0, "{text}");
    let sequence = feed.store(topic, 1, b"35=D").expect("taken");
    feed.wait_stored(sequence, std::time::Duration::from_secs(20)).expect("stored");
    let (text, _) = router.run(&["durables"]);
    assert!(text.contains("clearing (paused)"), "{text}");
    let (text, status) = router.run(&["purge", "clearing"]);
    assert_eq!((&*text, status), ("purged 1 message\n", 0));
    for (arguments, expected) in [
        (&["seek", "clearing", "--from", "all"][..], ""),
        (&["purge", "clearing", "--json"], "\"fact\":\"purged\""),
        (&["resume", "clearing"], ""),
        (&["delete-durable", "clearing"], ""),
    ] {
        let (text, status) = router.run(arguments);
        assert_eq!(status, 0, "{arguments:?}: {text}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    for (arguments, expected) in [
        (&["pause", "clearing"][..], "there is no such durable subscription"),
        (&["seek", "clearing", "--from", "last:5"], "all, new, position:N or time:"),
        (&["delete-producer", "desk-7"], "a client uses it"),
        (&["delete-producer", "desk-8"], "there is no such producer"),
    ] {
        let (text, status) = router.run(arguments);
        assert_eq!(status, 2, "{arguments:?}: {text}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}

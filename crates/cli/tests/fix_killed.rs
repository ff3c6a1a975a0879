//! `trunkline fix` with QuickFIX/J at the other end, and `kill -9` of either: nothing that was printed is lost, and what
//! comes again says so.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_bench::folder::PrivateFolder;
use trunkline_tests::toolkit::Toolkit;

const PATIENCE: Duration = Duration::from_secs(60);

const ANSWERS: &str = r#"
[[answer]]
to = "D"
send = "35=8|6=0|11={11}|14=0|17=e{count}|37=o{count}|39=0|54={54}|55={55}|150=0|151={38}"
"#;

fn dictionary() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    root.join("peers/build/quickfixj/dictionaries/FIX44.xml")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Our side, whose lines are read as they are printed.
struct Ours {
    child: Child,
    input: Option<ChildStdin>,
    reader: Option<thread::JoinHandle<()>>,
}

/// Lines of all processes of a side, in order.
type Lines = Arc<Mutex<Vec<String>>>;

impl Ours {
    fn start(folder: &PrivateFolder, lines: &Lines, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
        command.current_dir(folder.path()).arg("fix").args(arguments);
        command.args(["--sender", "TRUNKLINE", "--target", "QUICKFIX", "--store", "store"]);
        command.arg("--dictionary").arg(dictionary());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program runs");
        let (out, all) = (child.stdout.take().expect("a pipe"), lines.clone());
        let read = move || {
            for line in BufReader::new(out).lines() {
                all.lock().expect("no panic before").push(line.expect("text"));
            }
        };
        Self { input: child.stdin.take(), child, reader: Some(thread::spawn(read)) }
    }

    /// Ends it by `kill -9`.
    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.end();
    }

    fn end(&mut self) {
        self.child.wait().expect("it ends");
        self.reader.take().expect("it is read").join().expect("all is read");
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn lines(of: &Lines) -> Vec<String> {
    of.lock().expect("no panic before").clone()
}

/// ClOrdIDs of lines that begin so, each with whether it says that it may have come before.
fn printed(of: &Lines, begin: &str, name: &str) -> Vec<(String, bool)> {
    let of = lines(of);
    let lines = of.iter().filter(|it| it.starts_with(begin) && it.contains(name));
    let id =
        |it: &String| it.split('|').find_map(|it| it.strip_prefix("ClOrdID=")).map(str::to_owned);
    lines.map(|it| (id(it).expect("an order's id"), it.contains("|PossDupFlag="))).collect()
}

/// Each of them once, in order, and how often it came; what comes again must say that it may have come before.
#[track_caller]
fn counted(all: &[(String, bool)]) -> (Vec<&str>, HashMap<&str, usize>) {
    let (mut order, mut count) = (Vec::new(), HashMap::new());
    for (id, is_possible_duplicate) in all {
        let before = count.entry(&**id).or_insert(0);
        match *before {
            0 => order.push(&**id),
            _ => assert!(is_possible_duplicate, "{id} came twice, and did not say so"),
        }
        *before += 1;
    }
    (order, count)
}

fn start(peer: &mut Toolkit, role: &str, port: u16, folder: &PrivateFolder) {
    let (folder, dictionary) = (folder.path().display(), dictionary());
    let dictionary = dictionary.display();
    peer.expect(
        &format!("start {role} {port} FIX.4.4 QUICKFIX TRUNKLINE {folder} {dictionary}"),
        "ok",
    );
}

#[test]
fn an_acceptor_that_is_killed_has_all_orders_and_answers_them() {
    let Some(mut peer) = Toolkit::start("quickfixj-session") else { return };
    let folders = [(); 2].map(|()| PrivateFolder::new().expect("a folder"));
    std::fs::write(folders[0].path().join("answers.toml"), ANSWERS).expect("a file");
    let port = free_port();
    let (all, mut sent) = (Lines::default(), Vec::new());
    let address = format!("127.0.0.1:{port}");
    let accept = ["accept", "--listen", &*address, "--answers", "answers.toml"];
    for round in 0..5 {
        let ours = Ours::start(&folders[0], &all, &accept);
        if round == 0 {
            start(&mut peer, "initiator", port, &folders[1]);
        }
        let ids: Vec<String> = (0..200).map(|it| format!("q{round}-{it}")).collect();
        peer.expect("logged-on 20000", "ok");
        peer.ask(&format!("send {}", ids.join(" ")));
        sent.extend(ids);
        match round {
            4 => until("all are here, and answered", || {
                let taken = peer.expect("taken", "taken");
                printed(&all, "<", "NewOrderSingle").iter().any(|it| it.0 == "q4-199")
                    && taken.contains("=q4-199")
            }),
            _ => {
                ours.kill();
                peer.expect("logged-out 20000", "ok");
            }
        }
    }
    let orders = printed(&all, "<", "NewOrderSingle");
    let (order, times) = counted(&orders);
    assert_eq!(order, sent);
    let taken = peer.expect("taken", "taken");
    let executions = taken.split_whitespace().map(|it| it.trim_start_matches('='));
    let executions: Vec<&str> = executions.map(|it| it.trim_end_matches('*')).collect();
    for id in &sent {
        let answers = executions.iter().filter(|it| *it == id).count();
        // What was taken twice is answered twice: who is to know that it was?
        assert!((1..=times[&**id]).contains(&answers), "{id} was answered {answers} times");
    }
}

#[test]
fn what_an_initiator_has_printed_arrives_whoever_is_killed() {
    let Some(mut peer) = Toolkit::start("quickfixj-session") else { return };
    let folders = [(); 2].map(|()| PrivateFolder::new().expect("a folder"));
    let port = free_port();
    start(&mut peer, "acceptor", port, &folders[1]);
    let (all, address) = (Lines::default(), format!("127.0.0.1:{port}"));
    for round in 0..5 {
        let mut ours = Ours::start(&folders[0], &all, &["connect", &address]);
        let mut input = ours.input.take().expect("a pipe");
        let count = |begin: &str| lines(&all).iter().filter(|it| it.starts_with(begin)).count();
        let before = count(">");
        for number in 0..200 {
            let order =
                format!("35=D|11=t{round}-{number}|21=1|38=100|40=1|54=1|55=INTC|60={{now}}");
            // Who is killed reads nothing any more.
            _ = writeln!(input, "{order}");
        }
        until("some are sent", || count(">") > before + 50);
        match round {
            4 => {
                let last = "ClOrdID=t4-199|";
                let is_answered = |it: &String| it.starts_with('<') && it.contains(last);
                until("all are answered", || lines(&all).iter().any(is_answered));
            }
            _ if round % 2 == 0 => {
                ours.kill();
                peer.expect("logged-out 20000", "ok");
            }
            _ => {
                peer.kill();
                // It says that the connection is gone, and ends.
                ours.end();
                let Some(another) = Toolkit::start("quickfixj-session") else { return };
                peer = another;
                start(&mut peer, "acceptor", port, &folders[1]);
            }
        }
    }
    let executions = printed(&all, "<", "ExecutionReport");
    let answered: HashSet<&str> = executions.iter().map(|it| &*it.0).collect();
    let sent = printed(&all, ">", "NewOrderSingle");
    let (sent, _) = counted(&sent);
    assert!(sent.len() >= 400, "{}", sent.len());
    let lost: Vec<&str> = sent.into_iter().filter(|it| !answered.contains(it)).collect();
    assert!(lost.is_empty(), "sent, and not answered: {lost:?}");
}

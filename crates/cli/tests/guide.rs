//! The walk of docs/integrate.md: every command of it, with what it prints.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The guide's router and service are where nobody said otherwise. Here they are at ports of the system's choice.
const ROUTER: &str =
    "listen.native = [\"tcp://127.0.0.1:0\"]\nlisten.websocket = \"off\"\nlisten.http = \"off\"\n";
const ROUTERS_ADDRESS: &str = "127.0.0.1:7400";
const ROUTERS_LOG: &str = "router.log";
const SERVICES_ADDRESS: &str = "127.0.0.1:8080";

/// A shell in the folder of the guide's files, as the reader has it.
struct Reader {
    folder: PathBuf,
    /// The folder of the binary comes first.
    path: String,
    /// What runs behind the others, and the lines that it prints.
    behind: Vec<Child>,
    printing: Sender<String>,
    printed: Receiver<String>,
    /// Addresses, as they are and as the guide has them.
    addresses: Vec<(String, &'static str)>,
}

impl Reader {
    fn new(docs: &Path) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
        for file in fs::read_dir(docs.join("examples/venue")).expect("the guide's files") {
            let file = file.expect("a file").path();
            fs::copy(&file, folder.join(file.file_name().expect("a name"))).expect("a copy");
        }
        // It stands beside the walk's files and is none of them.
        fs::write(folder.join("ports.toml"), ROUTER).expect("a file");
        let binary = Path::new(env!("CARGO_BIN_EXE_trunkline")).parent().expect("a folder");
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
        let (printing, printed) = channel();
        Self { folder, path, behind: Vec::new(), printing, printed, addresses: Vec::new() }
    }

    fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(&self.folder).env("PATH", &self.path);
        let router = self.addresses.iter().find(|it| it.1 == ROUTERS_ADDRESS);
        shell.env("TRUNKLINE_TO", router.map_or(String::new(), |it| format!("tcp://{}", it.0)));
        shell
    }

    /// Types a command, and says which lines it prints, of which there are to be so many; those of what runs behind come after
    /// its own.
    fn types(&mut self, command: &str, count: usize) -> Vec<String> {
        let here = |text: &str| {
            self.addresses.iter().fold(text.to_owned(), |text, it| text.replace(it.1, &it.0))
        };
        let mut lines = match command.strip_suffix(" &") {
            Some(command) => {
                let command = command
                    .replacen("trunkline serve", "trunkline serve --config ports.toml", 1)
                    .replacen("soap serve", "soap serve --listen 127.0.0.1:0", 1);
                self.starts(&here(&command));
                VecDeque::new()
            }
            None => {
                let script = format!("{{ {} ; }} 2>&1", here(command));
                let output = self.shell(&script).output().expect("a shell");
                String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
            }
        };
        while lines.len() < count {
            let line = self.printed.recv_timeout(PATIENCE);
            lines.push_back(line.unwrap_or_else(|_| panic!("{command}: no more than {lines:?}")));
        }
        if command.starts_with("trunkline serve") {
            self.meets_router();
        } else if command.starts_with("trunkline soap serve") {
            let line = lines.front().expect("the service says where it is");
            self.learns(line, SERVICES_ADDRESS);
        }
        let shown =
            |line: String| self.addresses.iter().fold(line, |line, it| line.replace(&it.0, it.1));
        lines.into_iter().map(shown).collect()
    }

    fn starts(&mut self, command: &str) {
        let mut shell = self.shell(&format!("exec 2>&1; exec {command}"));
        let mut child = shell.stdout(Stdio::piped()).spawn().expect("a shell");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let printing = self.printing.clone();
        thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|line| printing.send(line))
        });
        self.behind.push(child);
    }

    /// Waits for the router that was started, whose log says where it is.
    fn meets_router(&mut self) {
        let patience = Instant::now() + PATIENCE;
        loop {
            let log = fs::read_to_string(self.folder.join(ROUTERS_LOG)).unwrap_or_default();
            if log.lines().any(|it| it == "ready") {
                return self.learns(&log, ROUTERS_ADDRESS);
            }
            assert!(Instant::now() < patience, "the router is not ready: {log}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// What says where something is, and where it is in the guide.
    fn learns(&mut self, said: &str, in_guide: &'static str) {
        let host = "127.0.0.1:";
        let at = said.find(host).expect("an address") + host.len();
        let port: String = said[at..].chars().take_while(char::is_ascii_digit).collect();
        self.addresses.push((format!("{host}{port}"), in_guide));
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        for child in &mut self.behind {
            // Some have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A line without the numbers that are others on every machine and in every run: in the tables of `lab message` the times, in
/// summaries all.
fn masked(command: &str, line: &str) -> String {
    let is_table = command.starts_with("trunkline lab message");
    let has_seconds = [" s;", " s,"].iter().any(|it| line.contains(it));
    let is_summary = line.starts_with("trunkline: ") && has_seconds;
    if !is_table && !is_summary {
        return line.to_owned();
    }
    let word = |(at, word): (usize, &str)| {
        let bare = word.trim_end_matches([',', ';']);
        let is_number = bare.starts_with(|it: char| it.is_ascii_digit())
            && bare.replace([',', '.'], "").parse::<u64>().is_ok();
        match is_number && (is_summary || at >= TIMES) {
            true => "N".to_owned(),
            // The line below a title is as wide as the column.
            false if word.bytes().all(|it| it == b'-') => "-".to_owned(),
            false => word.to_owned(),
        }
    };
    line.split_whitespace().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// The columns of `lab message` before those of times: the message, its format, how many there are, and their bytes.
const TIMES: usize = 4;

#[test]
fn the_guide_says_what_is_printed() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let guide = fs::read_to_string(docs.join("integrate.md")).expect("the guide");
    let mut reader = Reader::new(&docs);
    let mut verbs = Vec::new();
    for block in guide.split("```console\n").skip(1).filter_map(|it| it.split("```").next()) {
        for step in block.split("$ ").skip(1) {
            let (command, expected) = step.split_once('\n').expect("a line");
            let mask = |line: &str| masked(command, line);
            let expected: Vec<String> = expected.lines().map(mask).collect();
            let printed = reader.types(command, expected.len());
            let printed: Vec<String> = printed.iter().map(|it| mask(it)).collect();
            assert_eq!(printed, expected, "{command}");
            verbs.push(command.to_owned());
        }
    }
    for verb in [
        "trunkline schema venue.xml",
        "trunkline decode --schema quotes.wsdl",
        "trunkline convert --from soap-1.1",
        "trunkline soap describe",
        "trunkline soap serve",
        "trunkline soap call",
        "trunkline lab message",
        "trunkline sub",
    ] {
        assert!(verbs.iter().any(|it| it.starts_with(verb)), "the walk has no `{verb}`");
    }
}

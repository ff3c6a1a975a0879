//! Another toolkit at the other end: a program that answers lines with lines (peers/PROTOCOL.md).

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A peer's program that runs; it is stopped when dropped.
pub struct Toolkit {
    name: String,
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// The file of a peer's program, if it has been built.
pub fn program(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let program = root.join("peers/build/bin").join(name);
    program.is_file().then_some(program)
}

/// Is there a program of this name on the path?
pub fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// What a program printed, which ends well.
///
/// # Panics
/// If it cannot be run, or does not end well.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?} ended with {}:\n{out}{err}", output.status);
    out
}

impl Toolkit {
    /// Starts a peer's program; None, with a note, if it has not been built.
    pub fn start(name: &str) -> Option<Self> {
        let Some(program) = program(name) else {
            crate::skip::skip(&format!("peers/build/bin/{name} is not there: make peers"));
            return None;
        };
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a peer's program runs");
        let questions = child.stdin.take().expect("its input");
        let answers = BufReader::new(child.stdout.take().expect("its output"));
        let mut toolkit = Self { name: name.to_owned(), child, questions, answers };
        let hello = toolkit.ask("hello");
        assert!(hello.starts_with("hello "), "{name}: {hello}");
        Some(toolkit)
    }

    /// The formats that it has.
    pub fn formats(&mut self) -> Vec<String> {
        let hello = self.ask("hello");
        let formats = hello.split(' ').nth(3).unwrap_or_default();
        formats.split(',').map(str::to_owned).collect()
    }

    /// Its answer to a question.
    pub fn ask(&mut self, question: &str) -> String {
        writeln!(self.questions, "{question}").expect("a question is taken");
        self.questions.flush().expect("a question is taken");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("an answer");
        assert!(!answer.is_empty(), "{} ended at: {question}", self.name);
        answer.trim_end().to_owned()
    }

    /// Kills it, without a chance to end in order.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Its answer to a question, which begins with this word; the rest of it.
    pub fn expect(&mut self, question: &str, word: &str) -> String {
        let answer = self.ask(question);
        let rest = answer.strip_prefix(word).map(str::trim_start);
        rest.unwrap_or_else(|| panic!("{}: {question}: {answer}", self.name)).to_owned()
    }
}

impl Drop for Toolkit {
    fn drop(&mut self) {
        _ = writeln!(self.questions, "stop");
        _ = self.questions.flush();
        // One that does not stop is not waited for.
        std::thread::sleep(std::time::Duration::from_millis(50));
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

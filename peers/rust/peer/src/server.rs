//! The peer's side of PROTOCOL.md.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::market_data::Clear;

/// Why a message or a command is rejected.
pub type Failure = Box<dyn Error>;

/// The toolkit under test.
pub trait Codec {
    /// The structure that a message is decoded into.
    type Message: Clear + Default;

    /// The format that follows is `format`; false if the peer does not know it.
    fn select(&mut self, format: &str) -> bool;

    /// Decodes one message into a structure that is empty.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes.
    fn decode_into(&mut self, bytes: &[u8], message: &mut Self::Message) -> Result<(), Failure>;

    /// Decodes one message into a new structure.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes.
    fn decode(&mut self, bytes: &[u8]) -> Result<Self::Message, Failure> {
        let mut message = Self::Message::default();
        self.decode_into(bytes, &mut message)?;
        Ok(message)
    }

    /// Encodes one message into a buffer that is the codec's own.
    ///
    /// # Errors
    /// Whatever the format cannot carry.
    fn encode(&mut self, message: &Self::Message) -> Result<&[u8], Failure>;
}

/// Answers commands from standard input until `stop` or its end; `hello` is "NAME VERSION FORMATS".
pub fn serve<C: Codec>(codec: C, hello: &str) -> io::Result<()> {
    let mut server = Server { codec, hello, bytes: Vec::new(), kept: Vec::new() };
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == "stop" {
            break;
        }
        let answer = server.answer(&line).unwrap_or_else(|failure| {
            let mut text = String::from("error ");
            let _ = write!(text, "{failure}");
            text.replace(['\n', '\r'], " ")
        });
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct Server<'a, C: Codec> {
    codec: C,
    hello: &'a str,
    bytes: Vec<Vec<u8>>,
    kept: Vec<C::Message>,
}

impl<C: Codec> Server<'_, C> {
    fn answer(&mut self, line: &str) -> Result<String, Failure> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "hello" => Ok(format!("hello {}", self.hello)),
            "load" => {
                let (format, path) = rest.split_once(' ').ok_or("load wants FORMAT FILE")?;
                self.load(format, path)
            }
            "echo" => self.echo(rest, false),
            "echo-reused" => self.echo(rest, true),
            "run" => {
                let (operation, passes) = rest.split_once(' ').ok_or("run wants OPERATION N")?;
                match passes.split_once(' ') {
                    None => self.run(operation, passes.parse()?),
                    Some((passes, "reused")) if operation == "decode" => {
                        self.run("decode reused", passes.parse()?)
                    }
                    Some((_, word)) => Err(format!("unknown word: {word}").into()),
                }
            }
            _ => Err(format!("unknown command: {verb}").into()),
        }
    }

    fn load(&mut self, format: &str, path: &str) -> Result<String, Failure> {
        self.bytes.clear();
        self.kept.clear();
        if !self.codec.select(format) {
            return Err(format!("unknown format: {format}").into());
        }
        let bytes = split(&fs::read(path).map_err(|error| format!("{path}: {error}"))?)
            .ok_or_else(|| format!("{path}: ends inside a message"))?;
        let mut kept = Vec::with_capacity(bytes.len());
        for (index, message) in bytes.iter().enumerate() {
            let decoded = self.codec.decode(message);
            kept.push(decoded.map_err(|failure| format!("message {index}: {failure}"))?);
        }
        (self.bytes, self.kept) = (bytes, kept);
        Ok(format!("loaded {}", self.kept.len()))
    }

    fn echo(&mut self, path: &str, is_reused: bool) -> Result<String, Failure> {
        self.require_loaded()?;
        let mut corpus = Vec::new();
        let mut reused = C::Message::default();
        for (message, bytes) in self.kept.iter().zip(&self.bytes) {
            let encoded = if is_reused {
                reused.clear();
                self.codec.decode_into(bytes, &mut reused)?;
                self.codec.encode(&reused)?
            } else {
                self.codec.encode(message)?
            };
            corpus.extend_from_slice(&u32::try_from(encoded.len())?.to_le_bytes());
            corpus.extend_from_slice(encoded);
        }
        fs::write(path, corpus).map_err(|error| format!("{path}: {error}"))?;
        Ok(format!("echoed {}", self.kept.len()))
    }

    fn run(&mut self, operation: &str, passes: u64) -> Result<String, Failure> {
        self.require_loaded()?;
        let mut reused = C::Message::default();
        let start = thread_time();
        for _ in 0..passes {
            match operation {
                "decode" => {
                    for bytes in &self.bytes {
                        black_box(self.codec.decode(black_box(bytes))?);
                    }
                }
                "decode reused" => {
                    for bytes in &self.bytes {
                        reused.clear();
                        self.codec.decode_into(black_box(bytes), &mut reused)?;
                        black_box(&mut reused);
                    }
                }
                "encode" => {
                    for message in &self.kept {
                        black_box(self.codec.encode(black_box(message))?);
                    }
                }
                _ => return Err(format!("this peer does not {operation}").into()),
            }
        }
        let spent = thread_time() - start;
        let count = passes * self.bytes.len() as u64;
        Ok(format!("{},{count}", spent.as_nanos()))
    }

    fn require_loaded(&self) -> Result<(), Failure> {
        if self.kept.is_empty() {
            return Err("nothing is loaded".into());
        }
        Ok(())
    }
}

/// The messages of a corpus: each a length (u32, little-endian), then as many bytes.
fn split(mut corpus: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut messages = Vec::new();
    while !corpus.is_empty() {
        let (length, rest) = corpus.split_first_chunk()?;
        let (message, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        messages.push(message.to_vec());
        corpus = rest;
    }
    Some(messages)
}

/// CPU time of this thread.
fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

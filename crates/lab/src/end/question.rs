//! The questions of the protocol.

use std::path::Path;

use trunkline_http::Order;
use trunkline_net::tcp::Wait;

use super::fault::Fault;
use super::serving::Serving;
use crate::experiment::Operation;
use crate::peer::Carried;
use crate::subjects::Passes;
use trunkline_experiment::format::Format;

/// Which of the requests that wait is next.
const ORDERS: [(&str, Order); 2] =
    [("first-in", Order::FirstIn), ("shortest-first", Order::SHORTEST_FIRST)];

/// One line of input.
pub(super) enum Question<'a> {
    Hello,
    Load {
        format: &'a str,
        file: &'a Path,
    },
    Listen,
    /// Be a service.
    Serve(Serving<'a>),
    Stages,
    Unserve,
    Stop,
    Task(Task<'a>),
}

/// What is done with the messages that were loaded.
pub(super) enum Task<'a> {
    Echo { file: &'a Path, is_reused: bool },
    Run(Passes),
    Reply { wait: Wait, file: &'a Path },
    Call { address: &'a str, wait: Wait, count: u64, file: &'a Path },
    Drain { wait: Wait, carried: Carried, slow: Option<f64> },
    Pour { address: &'a str, count: u64, carried: Carried, slow: Option<f64> },
    Pace { address: &'a str, wait: Wait, rate: f64, count: u64, file: &'a Path },
}

impl<'a> Question<'a> {
    pub(super) fn parse(line: &'a str) -> Result<Self, Fault> {
        let mut words = Words { rest: line };
        let verb = words.next("a question")?;
        let question = match verb {
            "hello" => Self::Hello,
            "stop" => Self::Stop,
            "listen" => Self::Listen,
            "serve" => Self::Serve(words.serving()?),
            "stages" => Self::Stages,
            "unserve" => Self::Unserve,
            "load" => Self::Load { format: words.next("a format")?, file: words.file()? },
            _ => Self::Task(Task::parse(verb, &mut words)?),
        };
        words.end(question)
    }
}

impl<'a> Task<'a> {
    fn parse(verb: &str, words: &mut Words<'a>) -> Result<Self, Fault> {
        Ok(match verb {
            "echo" => Self::Echo { file: words.file()?, is_reused: false },
            "echo-reused" => Self::Echo { file: words.file()?, is_reused: true },
            "run" => {
                let operations = [Operation::Decode, Operation::Encode];
                let operation = words.one_of(operations.map(|it| (it.name(), it)))?;
                let count = words.count()?;
                let is_reused = operation == Operation::Decode && words.reused();
                Self::Run(Passes { operation, count, is_reused })
            }
            "reply" => Self::Reply { wait: words.wait()?, file: words.file()? },
            "call" => Self::Call {
                address: words.next("HOST:PORT")?,
                wait: words.wait()?,
                count: words.count()?,
                file: words.file()?,
            },
            "drain" => Self::Drain {
                wait: words.wait()?,
                carried: words.carried("bytes")?,
                slow: words.slow()?,
            },
            "pour" => Self::Pour {
                address: words.next("HOST:PORT")?,
                count: words.count()?,
                carried: words.carried("encoded")?,
                slow: words.slow()?,
            },
            "pace" => Self::Pace {
                address: words.next("HOST:PORT")?,
                wait: words.wait()?,
                rate: words.rate()?,
                count: words.count()?,
                file: words.file()?,
            },
            other => return Err(Fault::new(format!("unknown word {other:?}"))),
        })
    }

    /// Of how many messages the task keeps times, as far as it says so.
    pub(super) fn times(&self) -> Option<u64> {
        match self {
            Self::Call { count, .. } | Self::Pace { count, .. } => Some(*count),
            _ => None,
        }
    }
}

struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn next(&mut self, what: &str) -> Result<&'a str, Fault> {
        let (word, rest) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        self.rest = rest;
        if word.is_empty() {
            return Err(Fault::new(format!("{what} is missing")));
        }
        Ok(word)
    }

    /// The rest of the line, blanks included.
    fn file(&mut self) -> Result<&'a Path, Fault> {
        let file = std::mem::take(&mut self.rest);
        if file.is_empty() {
            return Err(Fault::new("a file is missing"));
        }
        Ok(Path::new(file))
    }

    fn count(&mut self) -> Result<u64, Fault> {
        let word = self.next("a count")?;
        word.parse().ok().filter(|count| *count > 0).ok_or_else(|| expected("a count", word))
    }

    fn wait(&mut self) -> Result<Wait, Fault> {
        self.one_of(Wait::ALL.map(|wait| (wait.name(), wait)))
    }

    fn one_of<T: Copy>(&mut self, choices: [(&str, T); 2]) -> Result<T, Fault> {
        let what = choices.map(|(name, _)| name).join(" or ");
        let word = self.next(&what)?;
        let found = choices.into_iter().find(|(name, _)| *name == word);
        found.map(|(_, choice)| choice).ok_or_else(|| expected(&what, word))
    }

    fn carried(&mut self, bytes: &str) -> Result<Carried, Fault> {
        self.one_of([("structures", Carried::Structures), (bytes, Carried::Bytes)])
    }

    /// `reused` at the end of the line, or not.
    fn reused(&mut self) -> bool {
        let is_there = self.rest == "reused";
        if is_there {
            self.rest = "";
        }
        is_there
    }

    /// Messages a second.
    fn rate(&mut self) -> Result<f64, Fault> {
        let word = self.next("a rate")?;
        let rate = word.parse().ok().filter(|rate: &f64| (1e-3..=1e9).contains(rate));
        rate.ok_or_else(|| expected("messages a second", word))
    }

    /// `slow F` at the end of the line, or nothing.
    fn slow(&mut self) -> Result<Option<f64>, Fault> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        match self.next("slow")? {
            "slow" => {}
            word => return Err(expected("slow F or the end of the line", word)),
        }
        let word = self.next("a factor")?;
        let factor = word.parse().ok().filter(|factor: &f64| (1.0..=1e6).contains(factor));
        factor.map(Some).ok_or_else(|| expected("a factor of 1 or more", word))
    }

    /// Threads, and words in any order to the end of the line.
    fn serving(&mut self) -> Result<Serving<'a>, Fault> {
        let mut serving = Serving { threads: self.count()? as usize, ..Serving::default() };
        while !self.rest.is_empty() {
            match self.next("a word")? {
                "close" => serving.closes = true,
                "chunked" => serving.is_chunked = true,
                "nagle" => serving.has_nagle = true,
                "stages" => serving.has_stages = true,
                "tls" => {
                    let chain = self.next("a certificate's file")?;
                    let key = self.next("a key's file")?;
                    serving.tls = Some((Path::new(chain), Path::new(key)));
                }
                "mutual" => serving.mutual = Some(Path::new(self.next("a certificate's file")?)),
                "pool" => serving.pool = Some((self.count()? as usize, self.one_of(ORDERS)?)),
                "tcp" => {
                    let name = self.next("a format")?;
                    let format = Format::named(name).ok_or_else(|| expected("a format", name))?;
                    serving.tcp = Some(format);
                }
                word => return Err(expected("a word for services", word)),
            }
        }
        Ok(serving)
    }

    fn end<T>(&self, question: T) -> Result<T, Fault> {
        if self.rest.is_empty() { Ok(question) } else { Err(expected("nothing more", self.rest)) }
    }
}

fn expected(what: &str, found: &str) -> Fault {
    Fault::new(format!("expected {what}, not {found:?}"))
}

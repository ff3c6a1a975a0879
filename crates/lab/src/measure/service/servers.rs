//! Servers that take turns: ours, a bare echo, and the peers', each a process of its own, and the
//! requests for them, whose first answers were looked at.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::slice;
use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;

use super::processors::Processors;
use super::tally::{LATENCY, Series};
use super::tls::Credentials;
use crate::customer_services::web_service::path_of;
use crate::customer_services::{self, batch};
use crate::format::Codec;
use crate::link::Proxy;
use crate::measure::{Findings, Setting};
use crate::peer::{ANSWER_TIMEOUT, Peer, PeerError, Serving};
use crate::service::{Connecting, Failure, Load, Post, Protocol, Request, Secure};
use crate::{answer, format, turns};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::{MessageCase, Transport};
use trunkline_experiment::format::{Encoding, Family, Format};
use trunkline_experiment::names::{BARE, NETWORK};
use trunkline_experiment::subjects::{Known, TRUNKLINE, formats_of};

/// What a server is asked to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) transport: Transport,
    pub(super) has_nagle: bool,
    /// More words for our own end.
    pub(super) words: String,
}

impl Asked {
    pub(super) fn over(transport: Transport) -> Self {
        Self { transport, has_nagle: false, words: String::new() }
    }

    /// HTTP, and nothing else.
    pub(super) fn plain() -> Self {
        Self::over(Transport::Http)
    }
}

/// Threads of our server and of the bare echo at most: as the server's defaults are.
const OUR_THREADS: u32 = 4;

/// A server that runs.
pub(super) struct Server {
    pub(super) name: String,
    asked: Asked,
    /// Only this one, where a server has but one.
    only: Option<Format>,
    pub(super) formats: Vec<Format>,
    pub(super) peer: Peer,
    pub(super) address: SocketAddr,
    pub(super) is_warm: bool,
}

/// Whose server it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Ours,
    Bare,
    /// A known peer, by its place among them.
    Peers(usize),
}

/// A server that takes part in a case, and what it is sent.
pub(super) struct Entry {
    pub(super) server: usize,
    pub(super) to: Connecting,
    pub(super) requests: Arc<Vec<Request>>,
    pub(super) series: Series,
    /// The shaped link in front of it.
    pub(super) _link: Option<Proxy>,
}

impl AsMut<[Self]> for Entry {
    fn as_mut(&mut self) -> &mut [Self] {
        slice::from_mut(self)
    }
}

/// All servers that have been started, and what is sent to them.
pub(super) struct Servers<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) found: &'a mut Findings,
    all: Vec<Server>,
    /// Who could not be started, so that it is told once.
    failed: Vec<(String, Asked)>,
    requests: BTreeMap<Key, Result<Arc<Vec<Request>>, String>>,
    credentials: Option<Credentials>,
    /// Connections at the same time, at most.
    connections: u32,
    processors: Processors,
}

type Key = (usize, Format, String, bool);

impl<'a> Servers<'a> {
    pub(super) fn new(setting: &'a Setting<'a>, found: &'a mut Findings, connections: u32) -> Self {
        Self {
            setting,
            found,
            all: Vec::new(),
            failed: Vec::new(),
            requests: BTreeMap::new(),
            credentials: None,
            connections,
            processors: Processors::divide(),
        }
    }

    pub(super) fn server(&mut self, index: usize) -> &mut Server {
        &mut self.all[index]
    }

    /// The servers for a format: ours, then the others if they take part.
    pub(super) fn of(&mut self, asked: &Asked, format: Format, with_others: bool) -> Vec<usize> {
        let mut whose = vec![Whose::Ours];
        let is_plain = asked.transport == Transport::Http && !asked.has_nagle;
        if with_others {
            // The bare echo speaks plain HTTP.
            whose.extend(is_plain.then_some(Whose::Bare));
            let is_http = matches!(asked.transport, Transport::Http | Transport::Tls);
            let peers = self.setting.request.peers.peers.iter().enumerate();
            let takes_part = |(_, (known, _)): &(usize, &(Known, _))| {
                is_http && formats_of(known.name).contains(&format)
            };
            whose.extend(peers.filter(takes_part).map(|(index, _)| Whose::Peers(index)));
        }
        whose.into_iter().filter_map(|it| self.one(asked, format, it)).collect()
    }

    fn one(&mut self, asked: &Asked, format: Format, whose: Whose) -> Option<usize> {
        let name = match whose {
            Whose::Ours => TRUNKLINE,
            Whose::Bare => BARE,
            Whose::Peers(index) => self.setting.request.peers.peers[index].0.subject(),
        };
        let only = (asked.transport == Transport::Tcp).then_some(format);
        let is_it = |it: &Server| it.name == name && it.asked == *asked && it.only == only;
        if let Some(index) = self.all.iter().position(is_it) {
            return self.all[index].formats.contains(&format).then_some(index);
        }
        let key = (name.to_owned(), asked.clone());
        if self.failed.contains(&key) {
            return None;
        }
        match self.start((name, whose), asked, only) {
            Ok(Some(server)) => {
                let has_format = server.formats.contains(&format);
                self.all.push(server);
                has_format.then(|| self.all.len() - 1)
            }
            Ok(None) => {
                // Once for each peer and style, however often it would have had a turn.
                let profile = format.profile_over(asked.transport.profile());
                let blank = self.setting.row(NETWORK, name, &profile, LATENCY.0, LATENCY.1);
                let row = Row { verdict: Verdict::Absent, ..blank };
                if !self.found.rows.contains(&row) {
                    self.found.rows.push(row);
                }
                None
            }
            Err(why) => {
                // Few toolkits do everything; our own end must.
                match whose {
                    Whose::Peers(_) => self.found.notes.push(why),
                    Whose::Ours | Whose::Bare => self.found.faults.push(why),
                }
                self.failed.push(key);
                None
            }
        }
    }

    fn start(
        &mut self,
        (name, whose): (&str, Whose),
        asked: &Asked,
        only: Option<Format>,
    ) -> Result<Option<Server>, String> {
        let told = |error: PeerError| error.to_string();
        let request = self.setting.request;
        let (mut peer, formats) = match whose {
            Whose::Peers(index) => {
                let (known, program) = &request.peers.peers[index];
                let Some(program) = program else { return Ok(None) };
                let start = || Peer::start(known.name, program, ANSWER_TIMEOUT);
                let peer = self.processors.among_servers(start).map_err(told)?;
                let greeting = peer.greeting();
                self.found.versions.insert(known.subject().to_owned(), greeting.version.clone());
                let formats = greeting.formats.iter().filter_map(|name| Format::named(name));
                let formats = formats.collect();
                (peer, formats)
            }
            Whose::Ours | Whose::Bare => {
                let arguments: &[&str] = match whose {
                    Whose::Bare => &["lab", "end", "--bare"],
                    _ => &["lab", "end"],
                };
                let start = || Peer::start_with(name, &request.program, arguments, ANSWER_TIMEOUT);
                let started = self.processors.among_servers(start);
                (started.map_err(told)?, Format::of_family(Family::CustomerServices).collect())
            }
        };
        let serving = self.serving(whose, asked, only)?;
        let port = peer.serve(&serving).map_err(told)?;
        Ok(Some(Server {
            name: name.to_owned(),
            asked: asked.clone(),
            only,
            formats,
            peer,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            is_warm: false,
        }))
    }

    fn serving(
        &mut self,
        whose: Whose,
        asked: &Asked,
        only: Option<Format>,
    ) -> Result<Serving, String> {
        let mut words: Vec<String> = Vec::new();
        if matches!(asked.transport, Transport::Tls | Transport::MutualTls) {
            let credentials = self.credentials()?;
            words.push(format!(
                "tls {} {}",
                credentials.certificate.display(),
                credentials.key.display()
            ));
            if asked.transport == Transport::MutualTls {
                words.push(format!("mutual {}", credentials.certificate.display()));
            }
        }
        words.extend(only.map(|format| format!("tcp {}", format.name())));
        if whose == Whose::Ours {
            words.extend(asked.has_nagle.then(|| "nagle".to_owned()));
            words.extend((!asked.words.is_empty()).then(|| asked.words.clone()));
        }
        let threads = match whose {
            Whose::Ours | Whose::Bare => self.processors.of_servers().min(OUR_THREADS),
            Whose::Peers(_) => self.connections,
        };
        Ok(Serving { threads, closes: false, words: words.join(" ") })
    }

    fn credentials(&mut self) -> Result<&Credentials, String> {
        if self.credentials.is_none() {
            self.credentials = Some(Credentials::new()?);
        }
        self.credentials.as_ref().ok_or_else(|| "no certificate".to_owned())
    }

    /// Who takes part in a case with a message, of those others that `others` lets in: the right answers are known. Who
    /// has given a wrong one has a row that says so.
    pub(super) fn enter(
        &mut self,
        asked: &Asked,
        format: Format,
        (case, message, is_kept): (&str, &MessageCase, bool),
        others: Option<&dyn Fn(&str) -> bool>,
    ) -> Vec<Entry> {
        let mut entries = Vec::new();
        for server in self.of(asked, format, others.is_some()) {
            let name = self.all[server].name.clone();
            if others.is_some_and(|is_in| !is_in(&name)) {
                continue;
            }
            let made = self.requests((server, format), message, is_kept);
            let of = |requests: &[Request]| {
                Series::of_calls((case, &name), format, asked.transport, requests)
            };
            match made.and_then(|requests| Ok((self.connecting(server, format)?, requests))) {
                Ok((to, requests)) => {
                    let series = of(&requests);
                    entries.push(Entry { server, to, requests, series, _link: None });
                }
                Err(_) => {
                    let row = of(&[]).without(self.setting, LATENCY, Verdict::WrongAnswer);
                    self.found.rows.push(row);
                }
            }
        }
        entries
    }

    /// The entry with a shaped link in front of its server, if one can be made.
    pub(super) fn behind(&mut self, link: &str, entry: Entry) -> Option<Entry> {
        if link == "direct" {
            return Some(entry);
        }
        let proxy = link.parse().ok().and_then(|it| Proxy::start(it, entry.to.address).ok());
        let Some(proxy) = proxy else {
            self.found.faults.push(format!("{link}: no link can be made"));
            return None;
        };
        let to = Connecting { address: proxy.address(), ..entry.to };
        Some(Entry { to, _link: Some(proxy), ..entry })
    }

    /// Lets all take turns. Who fails takes no more part.
    pub(super) fn take_turns<E: AsMut<[Entry]>>(
        &mut self,
        all: &mut [E],
        repetitions: u32,
        progress: &mut dyn FnMut(&str, f64),
        mut work: impl FnMut(&mut Self, &mut E, u32) -> Result<(), Failure>,
    ) {
        for repetition in 0..repetitions {
            progress("taking turns", f64::from(repetition) / f64::from(repetitions));
            turns::take_turns(all, repetition, |it| {
                if it.as_mut().iter().any(|entry| entry.series.out.is_some()) {
                    return;
                }
                if let Err(failure) = work(self, it, repetition) {
                    self.dismiss(it.as_mut(), &failure);
                }
            });
        }
    }

    /// They take no more part.
    pub(super) fn dismiss(&mut self, entries: &mut [Entry], failure: &Failure) {
        if let Some(Entry { series, .. }) = entries.first() {
            let (name, format, case) = (&series.subject, series.of.name(), &series.case);
            self.found.faults.push(format!("{name} ({format}), {case}: {failure}"));
        }
        entries.iter_mut().for_each(|entry| entry.series.dismiss(Verdict::WrongAnswer));
    }

    /// How a server is spoken to.
    fn connecting(&self, index: usize, format: Format) -> Result<Connecting, String> {
        let Server { asked, address, .. } = &self.all[index];
        let protocol = match (asked.transport, format.encoding()) {
            (Transport::Tcp, Encoding::Cdr(_)) => Protocol::LengthPrefixed,
            (Transport::Tcp, _) => Protocol::Xml,
            _ => Protocol::Http,
        };
        let secure = |is_mutual: bool| -> Result<Option<Secure>, String> {
            let credentials = self.credentials.as_ref();
            credentials.map(|credentials| credentials.client(is_mutual)).transpose()
        };
        let secure = match asked.transport {
            Transport::Http | Transport::Tcp => None,
            Transport::Tls => secure(false)?,
            Transport::MutualTls => secure(true)?,
        };
        let has_nagle = asked.has_nagle;
        let address = *address;
        Ok(Connecting { address, protocol, nodelay: !has_nagle, is_split: has_nagle, secure })
    }

    /// The requests for a server with a message, made and tried once. The error tells what was wrong
    /// with the answers; it is told here, the first time.
    fn requests(
        &mut self,
        (index, format): (usize, Format),
        case: &MessageCase,
        is_kept: bool,
    ) -> Result<Arc<Vec<Request>>, String> {
        let key = (index, format, case.name.clone(), is_kept);
        if let Some(known) = self.requests.get(&key) {
            return known.clone();
        }
        let made = self.try_requests((index, format), case, is_kept).map(Arc::new);
        if let Err(why) = &made {
            let (name, format, case) = (&self.all[index].name, format.name(), &case.name);
            let transport = self.all[index].asked.transport.name();
            self.found.faults.push(format!("{name} ({format} over {transport}), {case}: {why}"));
        }
        self.requests.insert(key, made.clone());
        made
    }

    /// The requests, with the answers that came to them and were right.
    pub(super) fn try_requests(
        &self,
        (index, format): (usize, Format),
        case: &MessageCase,
        is_kept: bool,
    ) -> Result<Vec<Request>, String> {
        let messages = batch(case, 0);
        let corpus = format::corpus(format, &messages).map_err(|error| error.to_string())?;
        let to = self.connecting(index, format)?;
        let mut requests = Vec::with_capacity(corpus.len());
        for body in &corpus {
            requests.push(match to.protocol {
                Protocol::Http => post(format, is_kept).request(body),
                protocol => Request::framed(protocol, body).map_err(|error| error.to_string())?,
            });
        }
        let answers =
            Load::new(&to, &requests).first_answers().map_err(|failure| failure.to_string())?;
        if self.all[index].name == BARE {
            if answers != corpus {
                return Err("the answer is not the request".into());
            }
        } else {
            let expected = messages.iter().map(customer_services::response);
            let mut codec = Codec::of_answers(format).strict();
            let mut reply = CustomerServices::default();
            for (index, (bytes, expected)) in answers.iter().zip(expected).enumerate() {
                let told = |what: String| format!("answer {index}: {what}");
                codec.decode(bytes, &mut reply).map_err(|error| told(error.to_string()))?;
                answer::compare(&expected, &reply).map_err(told)?;
            }
        }
        for (request, answer) in requests.iter_mut().zip(answers) {
            request.answer = answer;
        }
        Ok(requests)
    }
}

/// How a message of a format is sent in HTTP. The host is a name without a port, so that the bytes are
/// the same for all.
pub(super) fn post(format: Format, is_kept: bool) -> Post<'static> {
    Post {
        path: path_of(format).unwrap_or("/"),
        host: "localhost",
        content_type: "text/xml; charset=utf-8",
        action: Some("urn:trunkline:ng-2004#echo"),
        is_kept,
        chunk: None,
    }
}

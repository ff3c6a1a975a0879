//! The router with FIX sessions joined to its topics, as a process.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use trunkline_bench_bus::broker::{Launch, Options, Ready, Running};
use trunkline_http::{Client, ClientConfig, HeaderMap, Method};

use crate::disk::Place;
use crate::measure::Setting;
use crate::sessions::DICTIONARY;
use trunkline_bench::folder::PrivateFolder;
use trunkline_experiment::definition::sessions::Rendition;
use trunkline_experiment::subjects::TRUNKLINE;

/// SenderCompID of the router's side.
pub(super) const ROUTER: &str = "ROUTER";

/// Who asks for market data.
pub(super) const READER: &str = "READER";

/// How sessions on the other side are called, with a number behind.
pub(super) fn source(number: u32) -> String {
    format!("SOURCE-{number}")
}

/// How long starting may take, with the stores of a hundred sessions.
const PATIENCE: Duration = Duration::from_secs(60);

/// A router that runs, with its files.
pub(super) struct Router {
    running: Running,
    /// Where clients connect.
    pub(super) native: String,
    /// Where sessions do.
    pub(super) fix: String,
    http: Client,
    _folder: PrivateFolder,
}

impl Router {
    /// Starts a router that takes so many sessions, and one that reads.
    pub(super) fn start(setting: &Setting<'_>, sessions: u32) -> io::Result<Self> {
        // A session keeps its numbers on a disk.
        let folder = match Place::find() {
            Ok(place) => PrivateFolder::below(&place.folder)?,
            Err(_) => PrivateFolder::new()?,
        };
        let file = folder.path().join("trunkline.toml");
        fs::write(folder.path().join("FIX43.xml"), DICTIONARY)?;
        fs::write(&file, configuration(folder.path(), sessions))?;
        let launch = Launch {
            name: TRUNKLINE.to_owned(),
            program: setting.request.program.clone(),
            arguments: vec!["serve".into(), "--config".into(), file.display().to_string()],
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ready: Ready::Says { prefix: "listening native ".into() },
        };
        let options = Options { timeout: PATIENCE, ..Options::default() };
        let running = launch.start(&options).map_err(io::Error::other)?;
        let said = |prefix: &str| {
            let said = running.said(prefix);
            said.ok_or_else(|| io::Error::other(format!("the router does not say {prefix:?}")))
        };
        let (fix, http) = (said("listening fix ")?, said("listening http http://")?);
        let http = Client::new(http.trim_end_matches('/'), ClientConfig::default())
            .map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self { native: running.address().to_owned(), fix, http, running, _folder: folder })
    }

    /// What its threads have used of the processors so far, in nanoseconds.
    pub(super) fn processor_time(&self) -> Option<f64> {
        self.running.threads_time().map(|it| it.as_nanos() as f64)
    }

    /// What it has counted so far.
    pub(super) fn metrics(&mut self) -> io::Result<Metrics> {
        let answer = self.http.request(&Method::GET, "/metrics", &HeaderMap::new(), &[]);
        let answer = answer.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Metrics(String::from_utf8_lossy(&answer.body).into_owned()))
    }

    /// Messages that it has converted into a format so far.
    pub(super) fn converted(&mut self, format: Rendition) -> io::Result<u64> {
        let of_format = format!("format=\"{}\"", format.name());
        Ok(self.metrics()?.sum("trunkline_conversions_total", &[&*of_format, MADE]))
    }
}

/// What a router counts of what it has done, among what it could not do.
pub(super) const MADE: &str = "what=\"made\"";

/// What a router has counted.
pub(super) struct Metrics(String);

impl Metrics {
    /// The sum of what is called so and has these labels. What nobody asked for so far is not there.
    pub(super) fn sum(&self, name: &str, labels: &[&str]) -> u64 {
        let values = self.0.lines().filter_map(|line| {
            let rest = line.strip_prefix(name)?;
            let (of, value) = rest.rsplit_once(' ')?;
            let is_it = of.is_empty() || of.starts_with('{');
            let has_labels = labels.iter().all(|it| of.contains(it));
            value.parse::<u64>().ok().filter(|_| is_it && has_labels)
        });
        values.sum()
    }
}

/// Prices are published under their symbols; whoever asks gets the newest.
fn configuration(folder: &Path, sessions: u32) -> String {
    let targets: Vec<String> =
        (0..sessions).map(source).chain([READER.to_owned()]).map(|it| format!("{it:?}")).collect();
    let at = |name: &str| format!("{:?}", folder.join(name).display().to_string());
    let mut text = String::from("[listen]\n");
    let native = format!("unix://{}/router", folder.display());
    _ = writeln!(text, "native = [{native:?}]\nhttp = \"127.0.0.1:0\"\nwebsocket = \"off\"\n");
    _ = writeln!(text, "[log]\nlevel = \"error\"\n");
    let dictionary = at("FIX43.xml");
    _ = writeln!(text, "[[topic]]\npattern = \"fx/>\"\nschema = {dictionary}\nformat = \"fix\"\n");
    _ = writeln!(text, "[[fix]]\nlisten = \"127.0.0.1:0\"\nsender = {ROUTER:?}");
    _ = writeln!(text, "targets = [{}]\ndictionary = {dictionary}", targets.join(", "));
    _ = writeln!(text, "store = {}\n", at("fix"));
    _ = writeln!(text, "[[fix.rule]]\nmessages = [\"W\"]\ntopic = \"fx/{{Symbol}}\"");
    _ = writeln!(text, "delivery = \"direct\"\n\n[[fix.market_data]]\ntopic = \"fx/{{Symbol}}\"");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_router_counts_is_summed_by_name_and_labels() {
        let text = "# HELP a_total Words 7\na_total{of=\"x\",what=\"made\"} 3\na_total{of=\"x\",what=\"failed\"} 4\n\
                    a_total{of=\"as published\",what=\"made\"} 5\na_total_of_another 9\nb 6\n# EOF\n";
        let metrics = Metrics(text.to_owned());
        assert_eq!(metrics.sum("a_total", &[]), 12);
        assert_eq!(metrics.sum("a_total", &[MADE]), 8);
        assert_eq!(metrics.sum("a_total", &["of=\"x\"", MADE]), 3);
        assert_eq!((metrics.sum("b", &[]), metrics.sum("c", &[])), (6, 0));
    }
}

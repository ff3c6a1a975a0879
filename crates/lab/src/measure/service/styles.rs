//! Who speaks which style: Ng, Chen and Greenfield's table 1, by what a toolkit says of itself and by calls
//! whose answers were looked at.

use std::path::Path;
use std::process::{Command, Stdio};

use super::servers::{Asked, Servers};
use crate::customer_services::batch;
use crate::customer_services::web_service::path_of;
use crate::evaluation::Step;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::{MessageCase, Styles, Transport};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{BARE, STYLES};
use trunkline_experiment::subjects::CLIENTS;

/// What was found of a toolkit in one style.
struct Found {
    /// What it says itself, if it says anything.
    is_claimed: Option<bool>,
    /// Calls that were tried.
    calls: u32,
    /// Whether all were answered rightly.
    is_right: bool,
}

pub(super) fn measure(
    servers: &mut Servers<'_>,
    asked: &Styles,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let setting = servers.setting;
    for message in setting.request.definition.messages.cases_named(&asked.messages) {
        let case = format!("{STYLES}-{}", message.name);
        progress(Step { part: STYLES, text: &format!("{case}: calling"), share: 0.0 });
        for server in toolkits(servers, &asked.formats) {
            let of = |&format: &Format| {
                let is_claimed = Some(servers.server(server).formats.contains(&format));
                let is_right = servers.try_requests((server, format), message, true).is_ok();
                let calls = batch(message, 0).len() as u32;
                (format, Found { is_claimed, calls, is_right })
            };
            let found: Vec<(Format, Found)> = asked.formats.iter().map(of).collect();
            let name = servers.server(server).name.clone();
            rows(servers, (&case, &name), &found);
        }
        if !setting.request.is_quick {
            clients(servers, asked, (&case, message), progress);
        }
    }
}

/// The servers of all toolkits, whichever of the formats they speak.
fn toolkits(servers: &mut Servers<'_>, formats: &[Format]) -> Vec<usize> {
    let plain = Asked::plain();
    let mut all: Vec<usize> =
        formats.iter().flat_map(|&format| servers.of(&plain, format, true)).collect();
    all.sort_unstable();
    all.dedup();
    all.retain(|&index| servers.server(index).name != BARE);
    all
}

/// Those who only call: each reads the WSDL of our service in every style, and calls what it finds there.
fn clients(
    servers: &mut Servers<'_>,
    asked: &Styles,
    (case, message): (&str, &MessageCase),
    progress: &mut dyn FnMut(Step<'_>),
) {
    let folder = &servers.setting.request.peers.folder;
    for (name, program) in CLIENTS {
        let text = format!("{case}: {name}");
        progress(Step { part: STYLES, text: &text, share: 0.5 });
        let program = std::path::absolute(folder.join(program)).ok().filter(|it| it.is_file());
        let Some(program) = program else {
            let blank = servers.setting.row(case, name, "", SUPPORTED.0, SUPPORTED.1);
            servers.found.rows.push(Row { verdict: Verdict::Absent, ..blank });
            continue;
        };
        let mut found = Vec::new();
        for &format in &asked.formats {
            let Some(&ours) = servers.of(&Asked::plain(), format, false).first() else { continue };
            let address = servers.server(ours).address;
            let url = format!("http://{address}{}?wsdl", path_of(format).unwrap_or_default());
            let is_right = calls_rightly(&program, &url, &message.name);
            found.push((format, Found { is_claimed: None, calls: 1, is_right }));
        }
        rows(servers, (case, name), &found);
    }
}

/// Whether a client that knows nothing but a WSDL says of a message that it was answered as it must be.
fn calls_rightly(program: &Path, wsdl: &str, message: &str) -> bool {
    let output = Command::new(program).arg(wsdl).stdin(Stdio::null()).output();
    output.is_ok_and(|output| {
        let said = String::from_utf8_lossy(&output.stdout);
        let end = format!(" echo {message}");
        said.lines().any(|line| line.starts_with("passed ") && line.ends_with(&end))
    })
}

const SUPPORTED: (&str, &str) = ("supported", "styles");

/// The rows of one toolkit; one that says that it speaks a style and does not is at fault.
fn rows(servers: &mut Servers<'_>, (case, name): (&str, &str), found: &[(Format, Found)]) {
    let is_of_the_paper = |format: Format| format != Format::NgDocumentLiteralWrapped;
    let spoken = found.iter().filter(|(format, it)| it.is_right && is_of_the_paper(*format));
    let styles = spoken.count() as f64;
    for (format, Found { is_claimed, calls, is_right }) in found {
        let profile = format.profile_over(Transport::Http.profile());
        let row = |(metric, unit): (&str, &str), value: f64| {
            let blank = servers.setting.row(case, name, &profile, metric, unit);
            Row { value: Some(value), runs: *calls, ..blank }
        };
        let one = |is_so: bool| f64::from(u8::from(is_so));
        let is_wrong = *is_claimed == Some(true) && !is_right;
        let verdict = if is_wrong { Verdict::WrongAnswer } else { Verdict::Ok };
        let mut of_format = vec![
            Row { verdict, ..row(SUPPORTED, one(*is_right)) },
            row(("styles", "styles"), styles),
        ];
        of_format.extend(is_claimed.map(|it| row(("claimed", "styles"), one(it))));
        servers.found.rows.extend(of_format);
        if is_wrong {
            let format = format.name();
            servers.found.faults.push(format!("{name} ({format}), {case}: not spoken as it says"));
        }
    }
}

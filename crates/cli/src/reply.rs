//! `trunkline reply TOPIC (PAYLOAD | --command COMMAND)`

use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use trunkline_client::{Event, Options, Reply, RequestId, Subscribe};

use crate::Ending;
use crate::arguments::ReplyArguments;
use crate::client::{MOMENT, connect, counted, not_taken, tell, tell_notice};
use crate::fault::Fault;
use crate::signals;

/// A request that waits for its answer.
struct Waiting {
    id: RequestId,
    topic: String,
    payload: Vec<u8>,
}

pub(crate) fn run(arguments: &ReplyArguments) -> Result<Ending, Fault> {
    let stop = signals::ask_to_stop()?;
    let name = &arguments.topic;
    let mut client = connect(&arguments.to, "reply", Options::default())?;
    client.subscribe(name, &Subscribe::every()).map_err(|error| not_taken(name, error))?;
    tell(&format!("answering requests on {name} at {}", client.address()));
    let most = arguments.count.unwrap_or(u64::MAX);
    let (mut answered, mut unanswered, mut too_late) = (0, 0, 0);
    let mut requests: Vec<Waiting> = Vec::new();
    while answered + unanswered < most && !stop.is_asked() {
        client.receive(Some(MOMENT), &mut |event| match event {
            Event::Message(message) => requests.extend(message.request.map(|id| Waiting {
                id,
                topic: message.topic.to_owned(),
                payload: message.payload.to_vec(),
            })),
            Event::Rejected(_) => too_late += 1,
            Event::Gap(gap) => {
                let lost = match gap.count {
                    1 => format!("1 request on {} was lost", gap.topic),
                    count => format!("{count} requests on {} were lost", gap.topic),
                };
                tell(&format!("gap: {lost}"));
            }
            Event::Notice(it) => tell_notice(&it),
            _ => {}
        })?;
        for request in requests.drain(..) {
            if answered + unanswered == most || stop.is_asked() {
                break;
            }
            match answer(arguments, &request) {
                Ok(payload) => {
                    client.reply(request.id, &Reply { format: arguments.format, payload })?;
                    answered += 1;
                }
                Err(why) => {
                    tell(&format!("no answer to a request on {}: {why}", request.topic));
                    unanswered += 1;
                }
            }
        }
    }
    client.synchronise()?;
    client.receive(Some(Duration::ZERO), &mut |event| {
        if let Event::Rejected(_) = event {
            too_late += 1;
        }
    })?;
    let requests = counted(answered + unanswered, "request");
    tell(&format!("{requests}, {unanswered} not answered, {too_late} answered too late"));
    Ok(Ending::Right)
}

/// The answer, or why there is none.
fn answer(arguments: &ReplyArguments, request: &Waiting) -> Result<Vec<u8>, String> {
    match (&arguments.payload, &arguments.command) {
        (Some(text), _) => Ok(text.clone().into_bytes()),
        (None, Some(command)) => run_command(command, request, arguments.to.timeout),
        (None, None) => Err("there is nothing to answer with".to_owned()),
    }
}

/// What the command prints, if it ends well and in time.
fn run_command(command: &str, request: &Waiting, time: Duration) -> Result<Vec<u8>, String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .env("TRUNKLINE_TOPIC", &request.topic)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|cause| format!("the shell cannot be started: {cause}"))?;
    let printed = pipe(&mut child, request.payload.clone());
    match printed.recv_timeout(time) {
        Ok(Ok(mut printed)) => {
            // A line's end is the command's, as the shell sees it in $(...).
            if printed.last() == Some(&b'\n') {
                printed.pop();
            }
            let status = child.wait().map_err(|cause| cause.to_string())?;
            if status.success() { Ok(printed) } else { Err(format!("the command's {status}")) }
        }
        Ok(Err(cause)) => Err(end(child, &format!("what the command prints: {cause}"))),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            Err(end(child, &format!("the command took longer than {time:?}")))
        }
    }
}

/// Threads for both pipes, since a command may print before it has read everything.
fn pipe(child: &mut Child, input: Vec<u8>) -> std::sync::mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    thread::spawn(move || {
        // A command need not read what it gets.
        let _ = stdin.map(|mut stdin| stdin.write_all(&input));
    });
    thread::spawn(move || {
        let mut printed = Vec::new();
        let read = stdout.map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut printed));
        // Nobody waits any more where the command took too long.
        let _ = sender.send(read.map(|_| printed));
    });
    receiver
}

fn end(mut child: Child, why: &str) -> String {
    let _ = child.kill();
    let _ = child.wait();
    why.to_owned()
}

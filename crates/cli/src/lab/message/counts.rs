//! Instructions that a user's messages take: this program counts itself, by Valgrind.
//!
//! It is started anew for each count, with its own options and what it has to do so often; what one message takes is
//! the difference between few passes and many.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use trunkline_bench::folder::PrivateFolder;
use trunkline_lab::counter;
use trunkline_transcode::Format;

use crate::fault::Fault;

/// The option by which it is asked for, and the one that says what is counted.
const OPTION: &str = "--instructions";
pub(super) const COUNTED: &str = "--counted";

/// Passes over the messages before anything counts: enough for all that is learnt or allocated once.
const FEW: u32 = 4;
/// Messages that count, at least.
const MESSAGES: usize = 400;

/// What is counted: a type in a format, and how often its messages are encoded and decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(super) name: String,
    pub(super) format: Format,
    pub(super) passes: [u32; 2],
}

/// As [`COUNTED`] has it: `ENCODE,DECODE,FORMAT,NAME`.
pub(crate) fn counted(text: &str) -> Result<Counted, String> {
    let wrong = || format!("{text:?} says not what is counted");
    let mut words = text.splitn(4, ',');
    let mut next = || words.next().ok_or_else(wrong);
    let mut passes = [0; 2];
    for passes in &mut passes {
        *passes = next()?.parse().map_err(|_| wrong())?;
    }
    let format = Format::named(next()?).ok_or_else(wrong)?;
    Ok(Counted { name: next()?.to_owned(), format, passes })
}

/// Instructions of encoding and of decoding one message, of so many messages of a type in a format.
pub(super) fn of(name: &str, format: Format, messages: usize) -> Result<[f64; 2], Fault> {
    let more = MESSAGES.div_ceil(messages) as u32;
    let many = FEW + more;
    let [few, encode, decode] = thread::scope(|scope| {
        let total = |passes| {
            let name = name.to_owned();
            scope.spawn(move || total(&Counted { name, format, passes }))
        };
        // Others on the machine do not change what is counted.
        let all = [total([FEW, FEW]), total([many, FEW]), total([FEW, many])];
        all.map(|it| it.join().unwrap_or_else(|_| Err(Fault::new("counting ended"))))
    });
    let few = few?;
    let each = |many: u64| many.saturating_sub(few) as f64 / (f64::from(more) * messages as f64);
    Ok([each(encode?), each(decode?)])
}

/// All instructions of this program when it does so much.
fn total(counted: &Counted) -> Result<u64, Fault> {
    let folder = PrivateFolder::new()?;
    let file = folder.path().join("counts");
    let Counted { name, format, passes: [encode, decode] } = counted;
    let own: Vec<OsString> = env::args_os().skip(1).filter(|it| it != OPTION).collect();
    let mut command = Command::new(counter::PROGRAM);
    command.args(counter::options(&file)).arg(env::current_exe()?).args(own);
    command.args([COUNTED, &format!("{encode},{decode},{format},{name}")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().map_err(|error| Fault::new(format!("valgrind: {error}")))?;
    match status.success() {
        true => counter::sum(Path::new(&file)).map_err(Fault::new),
        false => Err(Fault::new(format!("valgrind: {status}"))),
    }
}

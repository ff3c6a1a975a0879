//! The same echo through Linux's own traffic shaping, in a network namespace that goes with the
//! process, so that neither root nor any change to the machine is needed.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use super::{CheckEffort, EchoTimes};
use trunkline_bench::statistics::{Bounds, ComparisonRule};
use trunkline_experiment::link::Link;

/// Where the echo server listens in the namespace, which is empty but for it.
const PORT: u16 = 7;
/// Bytes that the shaper lets through at once when it was idle: a frame and a little more, the
/// least that works.
const BURST: u32 = 2000;
/// Bytes of a message whose way back takes long enough for the burst of the way out to be there in
/// full again, so that it is the same for all messages from here on.
const BEYOND_BURST: u32 = 6000;
/// Bits per second above which a packet is sooner sent than the shaper's timer has run: at 1 Gbit/s its
/// slope is twice that of the rate.
const FASTEST: u64 = 100_000_000;
/// Bytes that are read of what the echo prints.
const MOST_OUTPUT: u64 = 1 << 20;
/// Longer than the echo at 1 Mbit/s takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A token bucket on the loopback interface of the namespace for each direction, so that
/// acknowledgements pass data as on a full-duplex link. The classes that hold them limit nothing.
///
/// Linux counts a packet with its Ethernet header of 14 bytes, which loopback has too; 24 more are
/// check sequence, preamble and gap, and 84 the shortest frame. Packets are not larger than
/// Ethernet's and carry no time stamps, as ours. $1 the rate, $2 the burst, $3 the port.
const SCRIPT: &str = r#"
set -e
PATH="$PATH:/usr/sbin:/sbin"
rate=$1 burst=$2 port=$3
shift 3
ip link set lo mtu 1500 gso_max_segs 1 up
echo 0 > /proc/sys/net/ipv4/tcp_timestamps
tc qdisc add dev lo root handle 1: htb
for direction in dport sport; do
    class=$((${class:-0} + 1))
    tc class add dev lo parent 1: classid 1:$class htb rate 100gbit quantum 60000
    tc qdisc add dev lo parent 1:$class handle ${class}0: tbf rate "$rate" burst "$burst" \
        limit 400000 overhead 24 mpu 84 linklayer ethernet
    tc filter add dev lo parent 1: protocol ip u32 match ip "$direction" "$port" 0xffff \
        flowid 1:$class
done
exec "$@"
"#;

/// Measures the echo through a shaper of the same rate; `program` is the trunkline binary, which
/// runs there as `lab echo-slope`. The link must have a rate; its delay is not part of this.
///
/// # Errors
/// The namespace, the shaper or one of the tools is not to be had on this machine, with the reason;
/// or the link has no rate or more than 100 Mbit/s.
pub fn echo_times(link: Link, effort: CheckEffort, program: &Path) -> Result<EchoTimes, TcError> {
    let rate = link.rate.ok_or_else(|| TcError("a link without a rate".into()))?;
    if rate.get() > FASTEST {
        return Err(TcError(format!("{} is faster than its timer", link.rate_name())));
    }
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--net", "sh", "-c", SCRIPT, "sh"]);
    command.arg(format!("{rate}bit")).arg(BURST.to_string()).arg(PORT.to_string());
    command.arg(program).args(["lab", "echo-slope", "--port", &PORT.to_string()]);
    command.args(["--repetitions", &effort.repetitions.to_string()]);
    command.args(["--passes", &effort.passes.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|cause| TcError(format!("unshare: {cause}")))?;
    let output = finish(child)?;
    serde_json::from_str(&output).map_err(|cause| TcError(format!("lab echo-slope: {cause}")))
}

/// What it printed; its last words as the error if it failed.
fn finish(mut child: Child) -> Result<String, TcError> {
    let unreadable = |cause: io::Error| TcError(format!("unshare: {cause}"));
    let deadline = Instant::now() + PATIENCE;
    // What it prints fits into the pipe, so that it can end before it is read.
    let status = loop {
        if let Some(status) = child.try_wait().map_err(unreadable)? {
            break status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return Err(TcError(format!("no result within {} seconds", PATIENCE.as_secs())));
        }
        thread::sleep(Duration::from_millis(5));
    };
    let (mut out, mut err) = (String::new(), String::new());
    if let Some(pipe) = child.stdout {
        pipe.take(MOST_OUTPUT).read_to_string(&mut out).map_err(unreadable)?;
    }
    if let Some(pipe) = child.stderr {
        pipe.take(MOST_OUTPUT).read_to_string(&mut err).map_err(unreadable)?;
    }
    if status.success() {
        return Ok(out);
    }
    let last = err.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(TcError(last.map_or_else(|| status.to_string(), str::to_owned)))
}

/// How much time a byte takes in Linux's shaper, as a multiple of what it takes in ours: the ratio
/// of the slopes, repetition by repetition. None if there is none.
///
/// Unlike a link, a token bucket passes the first bytes after a pause at once. For long messages that
/// is a constant, so that only those count.
pub fn ratio(tc: &EchoTimes, ours: &EchoTimes) -> Option<Bounds> {
    let pairs = tc.slopes(BEYOND_BURST)?.into_iter().zip(ours.slopes(BEYOND_BURST)?);
    let ratios: Vec<f64> = pairs.map(|(tc, ours)| tc / ours).collect();
    ComparisonRule::default().bounds(&ratios)
}

/// Why there is nothing to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcError(String);

impl fmt::Display for TcError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "tc: {}", self.0)
    }
}

impl std::error::Error for TcError {}

//! Round trips of a user's messages over a link: encoded, sent, decoded, and the same way back.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_experiment::link::Link;
use trunkline_lab::link::Proxy;
use trunkline_message::{Layout, Record};
use trunkline_net::LengthPrefixed;
use trunkline_net::tcp::{Connection, Listener, Stream, Wait};
use trunkline_transcode::{Codec, Format, Options};

use crate::fault::Fault;
use crate::input::limits;

/// How long a repetition makes round trips; one at least.
const REPETITION: u64 = 20_000_000;
/// Before any counts, so that connections and codecs are warm.
const WARM_UP: u32 = 20;
/// How long one may take, beyond what its link takes.
const PATIENCE: Duration = Duration::from_secs(60);

type Framed = Connection<LengthPrefixed>;

/// Two ends and the link between them.
pub(super) struct Trips {
    pub(super) link: Link,
    /// Nanoseconds of one, on average, by repetition.
    pub(super) times: Vec<f64>,
    codec: Codec,
    came: Record,
    /// Once it has gone, the other end goes too.
    client: Framed,
    _proxy: Option<Proxy>,
    /// The message that is next.
    next: usize,
}

impl Trips {
    /// Connects two ends that speak a format, and makes some first round trips.
    pub(super) fn new(
        layout: &Arc<Layout>,
        records: &[Record],
        (format, options, link): (Format, &Options, Link),
    ) -> Result<Self, Fault> {
        let codec = || Codec::new(layout, format, options, &limits());
        let listener = Listener::bind("127.0.0.1:0")?;
        let address = listener.address()?;
        let (its, room) = (codec()?, Record::new(layout));
        thread::Builder::new()
            .name("answers".to_owned())
            .spawn(move || serve(&listener, its, room))?;
        let proxy = (link != Link::DIRECT).then(|| Proxy::start(link, address)).transpose()?;
        let to = proxy.as_ref().map_or(address, Proxy::address);
        let client = connected(Stream::connect(&to.to_string(), Wait::Blocking)?, link)?;
        let (codec, came) = (codec()?, Record::new(layout));
        let mut trips =
            Self { link, times: Vec::new(), codec, came, client, _proxy: proxy, next: 0 };
        let begun = monotonic_nanoseconds();
        for _ in 0..WARM_UP {
            trips.check(records)?;
            if monotonic_nanoseconds() - begun >= REPETITION {
                break;
            }
        }
        Ok(trips)
    }

    /// Makes round trips for a while.
    pub(super) fn repeat(&mut self, records: &[Record]) -> Result<(), Fault> {
        let (begun, mut count) = (monotonic_nanoseconds(), 0_u32);
        loop {
            self.go(records)?;
            count += 1;
            let nanoseconds = monotonic_nanoseconds() - begun;
            if nanoseconds >= REPETITION {
                self.times.push(nanoseconds as f64 / f64::from(count));
                return Ok(());
            }
        }
    }

    fn go(&mut self, records: &[Record]) -> Result<(), Fault> {
        let Self { codec, came, client, next, .. } = self;
        client.send(codec.encode(&records[*next])?)?;
        *next = (*next + 1) % records.len();
        let answer = client.receive()?.ok_or_else(|| Fault::new("its other end has gone"))?;
        Ok(codec.decode(answer, came).map(|_| ())?)
    }

    /// As [`go`](Self::go), and compares what came with the same message written and read in memory.
    fn check(&mut self, records: &[Record]) -> Result<(), Fault> {
        let sent = &records[self.next];
        self.go(records)?;
        let bytes = self.codec.encode(sent)?.to_vec();
        let mut expected = self.came.clone();
        self.codec.decode(&bytes, &mut expected)?;
        match expected == self.came {
            true => Ok(()),
            false => Err(Fault::new("another message comes back")),
        }
    }
}

fn connected(stream: Stream, link: Link) -> Result<Framed, Fault> {
    let patience = PATIENCE + link.delay * 4;
    stream.set_timeouts(patience, patience)?;
    Ok(Connection::new(stream, LengthPrefixed, limits())?)
}

/// Answers each message of one connection by the same message, read and written.
fn serve(listener: &Listener, mut codec: Codec, mut came: Record) {
    let mut answer = || -> Option<()> {
        let stream = listener.accept(Wait::Blocking).ok()?;
        let mut connection = connected(stream, Link::DIRECT).ok()?;
        loop {
            let message = connection.receive().ok()??;
            codec.decode(message, &mut came).ok()?;
            connection.send(codec.encode(&came).ok()?).ok()?;
        }
    };
    // The other end says what is wrong, if this one has gone.
    answer();
}

//! Which brokers there are, and how each is started.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{fs, io};

use super::{BrokerError, Launch, MIDDLEWARE, Options, Ready, Reason, Running, find};
use crate::certificate::Certificate;
use trunkline_bench::folder::PrivateFolder;

/// How often another port is tried when somebody was faster.
const PORTS_TRIED: usize = 3;

/// A broker that this project can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broker {
    /// What rows call it, and the adaptor of the program [`MIDDLEWARE`].
    pub name: &'static str,
    /// What it stands for.
    pub what: &'static str,
    /// Its program.
    pub program: &'static str,
    /// How to get it where it is absent.
    pub how_to_get: &'static str,
    /// What is configured, and what is left at its default and matters.
    pub settings: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nats,
    /// NATS with TLS from the first byte.
    NatsTls,
    /// NATS with streams on disk, synced after every message or when it sees fit.
    JetStream {
        syncs: bool,
    },
    Redis,
    /// Redis with a log on disk, synced before every reply or each second.
    RedisLog {
        syncs: bool,
    },
    /// With Nagle's algorithm, as it comes, or without.
    Mosquitto {
        nodelay: bool,
    },
    ZeroMq,
    /// No process: programs share memory.
    Iceoryx2,
    /// A driver that makes the memory which programs share.
    Aeron,
}

/// All that this project can start, iceoryx2 included, which needs no process.
pub const BROKERS: [Broker; 13] = [
    Broker {
        name: "nats",
        what: "NATS, core subjects",
        program: "nats-server",
        how_to_get: "Debian's package nats-server",
        settings: "as it comes: max_pending 64 MB for a client, then it is disconnected",
        kind: Kind::Nats,
    },
    Broker {
        name: "nats-latest",
        what: "NATS, core subjects, the newest release",
        program: "nats-server-latest",
        how_to_get: "make peers",
        settings: "as it comes: max_pending 64 MB for a client, then it is disconnected",
        kind: Kind::Nats,
    },
    Broker {
        name: "nats-latest-tls",
        what: "NATS, core subjects, the newest release, with TLS",
        program: "nats-server-latest",
        how_to_get: "make peers",
        settings: "a certificate for the server alone, handshake_first, else as nats-latest",
        kind: Kind::NatsTls,
    },
    Broker {
        name: "redis",
        what: "Redis publish and subscribe",
        program: "redis-server",
        how_to_get: "Debian's package redis-server",
        settings: "nothing on disk; maxclients 65000, or what descriptors allow; \
                   client-output-buffer-limit pubsub 32mb 8mb 60 by default, then the client is \
                   disconnected",
        kind: Kind::Redis,
    },
    Broker {
        name: "mosquitto",
        what: "Mosquitto, MQTT 3.1.1 at QoS 0",
        program: "mosquitto",
        how_to_get: "Debian's package mosquitto",
        settings: "set_tcp_nodelay false by default, nothing on disk; max_queued_messages 1000 by \
                   default, which is for QoS 1 and 2: at QoS 0 the queue has no limit",
        kind: Kind::Mosquitto { nodelay: false },
    },
    Broker {
        name: "mosquitto-nodelay",
        what: "Mosquitto, MQTT 3.1.1 at QoS 0, without Nagle's algorithm",
        program: "mosquitto",
        how_to_get: "Debian's package mosquitto",
        settings: "set_tcp_nodelay true, else as mosquitto: a message is sent at once, by a system call \
                   of its own",
        kind: Kind::Mosquitto { nodelay: true },
    },
    Broker {
        name: "zeromq",
        what: "ZeroMQ, a SUB-to-PUB proxy of libzmq",
        program: MIDDLEWARE,
        how_to_get: "make peers",
        settings: "one I/O thread a process; high-water marks of 100,000 messages where the default \
                   is 1,000, beyond which messages are dropped without a word",
        kind: Kind::ZeroMq,
    },
    Broker {
        name: "iceoryx2",
        what: "iceoryx2, shared memory without a broker",
        program: MIDDLEWARE,
        how_to_get: "make peers",
        settings: "a service for each topic; a full subscriber makes the publisher wait",
        kind: Kind::Iceoryx2,
    },
    Broker {
        name: "aeron",
        what: "Aeron over shared memory, its driver and its client in C",
        program: MIDDLEWARE,
        how_to_get: "make peers",
        settings: "aeron:ipc as it comes, an exclusive publication and a subscription for each topic; the driver has one \
                   thread and sleeps when it has nothing to do; who waits backs off as Aeron's agents do by default",
        kind: Kind::Aeron,
    },
    Broker {
        name: "jetstream-always",
        what: "NATS JetStream, every message synced to disk",
        program: "nats-server-latest",
        how_to_get: "make peers",
        settings: "sync_interval always; file storage, one replica, limits retention, else as it comes",
        kind: Kind::JetStream { syncs: true },
    },
    Broker {
        name: "jetstream-default",
        what: "NATS JetStream, as it comes",
        program: "nats-server-latest",
        how_to_get: "make peers",
        settings: "sync_interval 2m by default; file storage, one replica, limits retention",
        kind: Kind::JetStream { syncs: false },
    },
    Broker {
        name: "redis-always",
        what: "Redis Streams, synced to disk before replies",
        program: "redis-server",
        how_to_get: "Debian's package redis-server",
        settings: "appendonly yes, appendfsync always; the log is not rewritten during a run",
        kind: Kind::RedisLog { syncs: true },
    },
    Broker {
        name: "redis-everysec",
        what: "Redis Streams, synced to disk each second",
        program: "redis-server",
        how_to_get: "Debian's package redis-server",
        settings: "appendonly yes, appendfsync everysec; the log is not rewritten during a run",
        kind: Kind::RedisLog { syncs: false },
    },
];

/// The broker that rows call so.
pub fn named(name: &str) -> Option<&'static Broker> {
    BROKERS.iter().find(|broker| broker.name == name)
}

impl Broker {
    /// Where its program is: in the folder of the peers, else where the system has programs.
    pub fn find(&self, peers: &Path) -> Option<PathBuf> {
        find(self.program, peers)
    }

    /// The name of its adaptor in the program [`MIDDLEWARE`].
    pub fn adaptor(&self) -> &'static str {
        match self.kind {
            Kind::Nats | Kind::NatsTls | Kind::JetStream { .. } => "nats",
            Kind::RedisLog { .. } => "redis-streams",
            Kind::Mosquitto { .. } => "mosquitto",
            _ => self.name,
        }
    }

    /// Whether it keeps messages on disk and acknowledges them.
    pub fn is_durable(&self) -> bool {
        matches!(self.kind, Kind::JetStream { .. } | Kind::RedisLog { .. })
    }

    /// Starts it on a free port, and waits until it answers.
    ///
    /// # Errors
    /// If it is absent ([`BrokerError::is_absent`]), ends, or does not answer in time.
    pub fn start(&self, peers: &Path, options: &Options) -> Result<Running, BrokerError> {
        self.start_with(peers, None, options)
    }

    /// As [`Broker::start`], with the files that an earlier one has left.
    ///
    /// # Errors
    /// As for [`Broker::start`].
    pub fn start_again(
        &self,
        peers: &Path,
        left: &Arc<PrivateFolder>,
        options: &Options,
    ) -> Result<Running, BrokerError> {
        self.start_with(peers, Some(left), options)
    }

    fn start_with(
        &self,
        peers: &Path,
        left: Option<&Arc<PrivateFolder>>,
        options: &Options,
    ) -> Result<Running, BrokerError> {
        let Some(program) = self.find(peers) else {
            let (program, how_to_get) = (self.program.into(), self.how_to_get.to_owned());
            return Err(BrokerError::new(self.name, Reason::Absent { program, how_to_get }));
        };
        let version = version(&program, self.kind);
        let mut tries = 0;
        loop {
            let system = |cause| BrokerError::new(self.name, Reason::System(cause));
            let folder = match (left, &options.data) {
                (Some(left), _) => Ok(Arc::clone(left)),
                (None, Some(parent)) => PrivateFolder::below(parent).map(Arc::new),
                (None, None) => PrivateFolder::new().map(Arc::new),
            };
            let folder = folder.map_err(system)?;
            let shared = shared_memory(folder.path());
            if self.kind == Kind::Iceoryx2 {
                let address = folder.path().display().to_string();
                let mut running = Running::new(None, folder, version);
                running.remove_shared_memory(shared);
                running.set_ready(address, std::time::Duration::ZERO);
                return Ok(running);
            }
            let port = free_port().map_err(system)?;
            let launch = self.launch(&program, &version, port, folder.path()).map_err(system)?;
            tries += 1;
            match launch.start_in(folder, options) {
                Err(BrokerError { reason: Reason::Ended(_), .. }) if tries < PORTS_TRIED => {}
                Ok(mut running) if self.kind == Kind::Aeron => {
                    running.remove_shared_memory(shared);
                    return Ok(running);
                }
                ended => return ended,
            }
        }
    }

    fn launch(
        &self,
        program: &Path,
        version: &str,
        port: u16,
        folder: &Path,
    ) -> io::Result<Launch> {
        let mut address = format!("tcp://127.0.0.1:{port}");
        let arguments = match self.kind {
            Kind::Nats => format!("--addr 127.0.0.1 --port {port}"),
            Kind::NatsTls => {
                let made = Certificate::make(folder)?;
                address = made.address(&format!("tls://127.0.0.1:{port}"));
                fs::write(folder.join("nats.conf"), nats_tls(port, &made))?;
                "-c nats.conf".to_owned()
            }
            Kind::JetStream { syncs } => {
                fs::write(folder.join("nats.conf"), jetstream(port, syncs))?;
                "-c nats.conf".to_owned()
            }
            Kind::Redis => {
                format!("--bind 127.0.0.1 --port {port} --maxclients 65000 --appendonly no --dir .")
            }
            Kind::RedisLog { syncs } => {
                let when = if syncs { "always" } else { "everysec" };
                format!(
                    "--bind 127.0.0.1 --port {port} --appendonly yes --appendfsync {when} \
                     --auto-aof-rewrite-percentage 0 --dir ."
                )
            }
            Kind::Mosquitto { nodelay } => {
                fs::write(folder.join("mosquitto.conf"), mosquitto(port, nodelay))?;
                "-c mosquitto.conf".to_owned()
            }
            Kind::ZeroMq | Kind::Iceoryx2 => "zeromq-proxy".to_owned(),
            Kind::Aeron => format!("aeron-driver /dev/shm/{}aeron", shared_memory(folder)),
        };
        let mut arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        if matches!(self.kind, Kind::Redis | Kind::RedisLog { .. }) {
            arguments.extend(["--save".to_owned(), String::new()]);
        }
        Ok(Launch {
            name: self.name.to_owned(),
            program: program.to_owned(),
            arguments,
            version: version.to_owned(),
            ready: self.ready(address),
        })
    }

    fn ready(&self, address: String) -> Ready {
        let (greeting, answer): (&[u8], &[u8]) = match self.kind {
            Kind::Nats | Kind::NatsTls | Kind::JetStream { .. } => {
                (b"CONNECT {\"verbose\":false}\r\nPING\r\n", b"PONG\r\n")
            }
            Kind::Redis | Kind::RedisLog { .. } => (b"PING\r\n", b"+PONG\r\n"),
            // CONNECT with a clean session and a name of one letter; CONNACK without a fault.
            Kind::Mosquitto { .. } => (b"\x10\x0d\0\x04MQTT\x04\x02\0\0\0\x01r", b"\x20\x02\0\0"),
            Kind::ZeroMq | Kind::Iceoryx2 | Kind::Aeron => {
                return Ready::Says { prefix: "listening ".to_owned() };
            }
        };
        Ready::Answers { address, greeting: greeting.to_vec(), answer: answer.to_vec() }
    }
}

/// Mosquitto does not listen on a port that only a command line names, except for itself alone.
fn mosquitto(port: u16, nodelay: bool) -> String {
    format!(
        "listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n\
         set_tcp_nodelay {nodelay}\nlog_dest stderr\nlog_type error\nlog_type warning\n"
    )
}

/// TLS 1.3 alone, as ours; without `handshake_first` the server speaks before it encrypts.
fn nats_tls(port: u16, certificate: &Certificate) -> String {
    let Certificate { chain, key } = certificate;
    format!(
        "listen: \"127.0.0.1:{port}\"\ntls {{\ncert_file: {chain:?}\nkey_file: {key:?}\nhandshake_first: \
         true\nmin_version: \"1.3\"\n}}\n"
    )
}

/// Streams are files in the broker's folder.
fn jetstream(port: u16, syncs: bool) -> String {
    let sync = if syncs { "sync_interval: always\n" } else { "" };
    format!("listen: \"127.0.0.1:{port}\"\njetstream {{\nstore_dir: \"streams\"\n{sync}}}\n")
}

/// How the names of the shared memory begin that belongs to a folder.
fn shared_memory(folder: &Path) -> String {
    format!("{}_", folder.file_name().unwrap_or_default().to_string_lossy())
}

/// A port that nobody listens on at this moment.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// What the program says its version is; `unknown` if it does not.
fn version(program: &Path, kind: Kind) -> String {
    let arguments: &[&str] = match kind {
        Kind::Nats | Kind::NatsTls | Kind::JetStream { .. } => &["--version"],
        Kind::Redis | Kind::RedisLog { .. } => &["--version"],
        Kind::Mosquitto { .. } => &["-h"],
        Kind::ZeroMq => &["zeromq", "version"],
        Kind::Iceoryx2 => &["iceoryx2", "version"],
        Kind::Aeron => &["aeron", "version"],
    };
    let said = Command::new(program).args(arguments).output();
    let said = said.map(|output| output.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let number = |word: &str| {
        let word = word.trim_start_matches("v=").trim_start_matches('v');
        let is_number = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        is_number.then(|| word.to_owned())
    };
    said.split_ascii_whitespace().find_map(number).unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The brokers whose programs are here by themselves, started and stopped.
    #[test]
    fn the_brokers_of_this_machine_start_and_stop() {
        for broker in BROKERS {
            match broker.start("/nowhere".as_ref(), &Options::default()) {
                Ok(running) => {
                    let scheme = if broker.kind == Kind::NatsTls { "tls" } else { "tcp" };
                    let begin = format!("{scheme}://127.0.0.1:");
                    assert!(running.address().starts_with(&begin), "{}", broker.name);
                    assert_ne!(running.version(), "unknown", "{}", broker.name);
                    assert!(running.resident_bytes().is_none_or(|bytes| bytes > 1 << 20));
                }
                Err(error) => assert!(error.is_absent(), "{error}"),
            }
        }
    }

    #[test]
    fn brokers_are_found_by_the_names_of_rows() {
        assert_eq!(named("redis").expect("Redis").program, "redis-server");
        assert_eq!(named("nats-latest").expect("NATS").adaptor(), "nats");
        assert_eq!(named("mosquitto-nodelay").expect("Mosquitto").adaptor(), "mosquitto");
        assert!(named("carrier-pigeon").is_none());
    }

    #[test]
    fn mosquitto_takes_part_as_it_comes_and_without_nagles_algorithm() {
        for (name, nodelay) in [("mosquitto", "false"), ("mosquitto-nodelay", "true")] {
            let Kind::Mosquitto { nodelay: is_set } = named(name).expect("Mosquitto").kind else {
                panic!("{name} is another broker");
            };
            let line = format!("\nset_tcp_nodelay {nodelay}\n");
            assert!(mosquitto(1883, is_set).contains(&line), "{name}");
        }
    }

    #[test]
    fn an_absent_broker_says_how_to_get_it() {
        let broker = Broker { program: "no-such-broker", ..BROKERS[0] };
        let error = broker.start("peers".as_ref(), &Options::default()).expect_err("absent");
        assert!(error.is_absent());
        let text = "nats: no-such-broker is not here; Debian's package nats-server";
        assert_eq!(error.to_string(), text);
    }
}

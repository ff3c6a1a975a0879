//! `trunkline serve`: the router, until it is told to stop.

use std::io::ErrorKind;
use std::thread;

use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tracing::level_filters::LevelFilter;
use tracing::{error, info, warn};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use trunkline_bridge::Bridge;
use trunkline_server::config::{Log, LogFormat, LogLevel};
use trunkline_server::{Config, Handle, Server};

use crate::Ending;
use crate::arguments::{ListenAddress, ServeArguments};
use crate::config::load;
use crate::fault::Fault;
use crate::log::Lines;
use crate::memory::give_back_large_blocks;
use crate::service::{self, ServiceManager};

pub(crate) fn run(arguments: &ServeArguments) -> Result<Ending, Fault> {
    give_back_large_blocks();
    let manager = ServiceManager::from_environment()?;
    let inherited = service::inherited()?;
    let file = arguments.file.config.clone();
    let (journal, mut listen) = (arguments.journal.clone(), arguments.listen.clone());
    for socket in &inherited {
        listen.push(ListenAddress::of(&socket.listening()?));
    }
    let load = move || {
        let mut config = load(file.as_deref())?;
        if journal.is_some() {
            config.journal.directory.clone_from(&journal);
        }
        ListenAddress::replace(&listen, &mut config)?;
        Ok(config)
    };
    let config = load()?;
    let log = Lines::to(std::io::stderr())
        .map_err(|cause| Fault::new(format!("no thread for the log: {cause}")))?;
    start_log(&config.log, log.clone());
    let signals = Signals::new([SIGHUP, SIGINT, SIGTERM])
        .map_err(|cause| Fault::new(format!("signals cannot be received: {cause}")))?;
    let router =
        Server::start_with(config.clone(), inherited).map_err(|cause| match cause.kind() {
            ErrorKind::AddrInUse => {
                Fault::new(format!("{cause}; --listen chooses another address"))
            }
            _ => cause.into(),
        })?;
    let form = arguments.form.get();
    for listening in router.addresses() {
        let (protocol, url) = (listening.protocol, listening.url());
        form.say(&format!("listening {protocol} {url}\n"))?;
        form.fact(&json!({"fact": "listening", "protocol": protocol, "url": url}))?;
    }
    let bridge = Bridge::start(&config, router.addresses())?;
    for address in bridge.addresses() {
        form.say(&format!("listening fix {address}\n"))?;
        let (protocol, url) = ("fix", address.to_string());
        form.fact(&json!({"fact": "listening", "protocol": protocol, "url": url}))?;
    }
    form.say("ready\n")?;
    form.fact(&json!({"fact": "ready"}))?;
    let handle = router.handle();
    manager.ready();
    manager.watch(handle.clone())?;
    thread::spawn(move || obey(signals, &handle, &load, config, &manager, bridge));
    let ended = router.wait();
    log.finish();
    ended?;
    Ok(Ending::Right)
}

/// Reads the configuration again.
type Load = dyn Fn() -> Result<Config, Fault>;

/// Reloads and stops as signals say.
fn obey(
    mut signals: Signals,
    handle: &Handle,
    load: &Load,
    mut config: Config,
    manager: &ServiceManager,
    bridge: Bridge,
) {
    let mut bridge = Some(bridge);
    let mut is_stopping = false;
    for signal in signals.forever() {
        if signal == SIGHUP {
            manager.reloading();
            reload(handle, load, &mut config);
            if let Some(Err(cause)) = bridge.as_ref().map(|it| it.renew(&config)) {
                error!(%cause, "FIX sessions show the certificate that they had");
            }
            manager.ready();
        } else if is_stopping {
            // Who asks twice does not want to wait.
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        } else {
            is_stopping = true;
            // Its sessions log out, and the router has what came in them.
            drop(bridge.take());
            handle.stop();
        }
    }
}

fn reload(handle: &Handle, load: &Load, config: &mut Config) {
    let fresh = match load() {
        Ok(fresh) => fresh,
        Err(cause) => {
            return error!(%cause, "the configuration is not taken over, nothing has changed");
        }
    };
    if let Err(cause) = handle.reconfigure(fresh.clone()) {
        return error!(%cause, "the configuration is not taken over, nothing has changed");
    }
    for key in config.needs_restart(&fresh) {
        warn!(key, "this changes with the next start only");
    }
    info!("the configuration has been taken over");
    *config = fresh;
}

fn start_log(log: &Log, out: Lines) {
    let level = match log.level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    // Who connects and what is rejected is logged even where little else is.
    let audit = if level == LevelFilter::OFF { level } else { level.max(LevelFilter::INFO) };
    let filter = Targets::new().with_default(level).with_target("audit", audit);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(move || out.clone())
        .with_target(false)
        .with_ansi(false);
    let registry = tracing_subscriber::registry().with(filter);
    match log.format {
        LogFormat::Text => registry.with(lines).init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).init(),
    }
}

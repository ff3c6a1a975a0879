//! `trunkline link --to ADDR`

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::thread;
use std::time::Duration;

use serde_json::json;
use trunkline_experiment::link::Link;
use trunkline_lab::link::{Proxy, ProxyError};

use crate::Ending;
use crate::arguments::LinkArguments;
use crate::fault::Fault;
use crate::output::complain;

pub(crate) fn run(arguments: &LinkArguments) -> Result<Ending, Fault> {
    let link = Link { rate: arguments.rate, delay: arguments.delay };
    let listen = address("--listen", &arguments.listen)?;
    let to = address("--to", &arguments.to)?;
    let tell = |error: ProxyError| complain(&error.into());
    let proxy = Proxy::listen(link, listen, to, tell)?;
    let address = proxy.address();
    let rate = link.rate.map_or("unlimited rate".to_owned(), |_| link.rate_name());
    let delay = match link.delay {
        Duration::ZERO => "no delay".to_owned(),
        _ => format!("{} one way", link.delay_name()),
    };
    let form = arguments.form.get();
    form.say(&format!("{address} leads to {to} at {rate}, {delay}\n"))?;
    form.fact(&json!({
        "fact": "link", "address": address.to_string(), "to": to.to_string(),
        "bits_per_second": link.rate, "delay_ns": link.delay.as_nanos() as u64,
    }))?;
    // Until a signal ends the process.
    loop {
        thread::park();
    }
}

/// The first address of a host and port.
fn address(option: &str, text: &str) -> Result<SocketAddr, Fault> {
    let mut found = text
        .to_socket_addrs()
        .map_err(|cause| Fault::new(format!("{option}: {text:?} is no address: {cause}")))?;
    found.next().ok_or_else(|| Fault::new(format!("{option}: {text:?} is no address")))
}

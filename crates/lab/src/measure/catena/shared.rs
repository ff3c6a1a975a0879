//! A hop through shared memory between two processors that spin, and between processes that are woken.
//!
//! Those that spin are a router and one thread that publishes and receives, or, where there is no router, a
//! publisher and a subscriber: in either case both processors of a small machine are kept busy.

use super::hops::{came, sent};
use super::spread::receiving;
use super::stage::{
    Failure, OTHERS, PROBE_MILLISECONDS, PROBES, PUBLISHER, Program, Stage, Starting, settle,
};
use super::{Found, Procedure, receive};
use crate::measure::Setting;
use trunkline_demo::component::task::{Publishing, Range, Receiving, Task};
use trunkline_experiment::definition::SharedMemory;
use trunkline_experiment::definition::traffic::PAYLOAD_BYTES;
use trunkline_experiment::middleware::Middleware;

pub(super) struct Sharing<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) asked: &'a SharedMemory,
    /// Whether those that wait spin, or sleep.
    pub(super) spins: bool,
}

impl Procedure for Sharing<'_> {
    fn starting(&self) -> Starting {
        Starting { processor: Some(OTHERS), spins: self.spins }
    }

    fn cases(&self) -> Vec<String> {
        self.asked.rates.iter().map(|&rate| SharedMemory::case(self.way(), rate)).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        if !self.spins {
            let router = subject.router_and(" and ");
            return format!(
                "publisher spins on cpu {PUBLISHER}; {router}subscriber block on cpu {OTHERS}"
            );
        }
        match subject.has_router() {
            true => format!(
                "one thread publishes and receives, spinning on cpu {PUBLISHER}; a router spins on cpu \
                 {OTHERS}: there and back"
            ),
            false => {
                format!("publisher spins on cpu {PUBLISHER}, subscriber on cpu {OTHERS}; no router")
            }
        }
    }

    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure> {
        let milliseconds = self.asked.turns.milliseconds(self.setting.request.is_quick);
        let names = stage.prices(1, Vec::new());
        let topics = Range { first: 0, count: 1 };
        // In one thread both connections are in one program: what it publishes comes to it again.
        let is_one = self.spins && stage.subject.has_router();
        let mut connection = stage.connection("both", &names);
        connection.spins = self.spins;
        let connect = Task::Connect(connection);
        let processor = if is_one { PUBLISHER } else { OTHERS };
        let mut subscriber = stage.program("subscriber", Some(processor))?;
        subscriber.ask(&connect)?;
        subscriber.ask(&Task::Subscribe(topics))?;
        let mut publisher = None;
        if is_one {
            subscriber.ask(&connect)?;
            hear_itself(&mut subscriber)?;
        } else {
            let mut program = stage.program("publisher", Some(PUBLISHER))?;
            program.ask(&connect)?;
            settle(&mut program, &mut [(&mut subscriber, 0)])?;
            publisher = Some(program);
        }
        for &rate in &self.asked.rates {
            let run = stage.next_run();
            let messages = (f64::from(rate) * milliseconds as f64 / 1e3).max(50.0) as u64;
            let end = vec![0];
            let bytes = PAYLOAD_BYTES;
            let publish = Publishing { run, rate: rate.into(), messages, bytes, end };
            let receive_ = receiving(run, topics, milliseconds, messages / 10);
            let receive_ = Receiving { spins: self.spins, ..receive_ };
            let (published, received) = match &mut publisher {
                None => {
                    let both = Task::Both { publish, receive: receive_ };
                    let answer = subscriber.ask(&both)?;
                    (sent(answer.clone())?, came(answer)?)
                }
                Some(publisher) => {
                    subscriber.begin(&Task::Receive(receive_))?;
                    let published = publisher.ask(&Task::Publish(publish))?;
                    (sent(published)?, came(subscriber.finish()?)?)
                }
            };
            let profile = stage.subject.profile(&self.who(stage.subject));
            let case = SharedMemory::case(self.way(), rate);
            let series = found.of(&case, stage.subject, profile);
            receive(series, &[&received], (Some(&published), messages))?;
        }
        Ok(())
    }
}

/// Probes go from its last connection to its first.
fn hear_itself(program: &mut Program) -> Result<(), Failure> {
    for _ in 0..PROBES {
        program.ask(&Task::Probe { topics: vec![0] })?;
        if program.ask(&Task::Listen { milliseconds: PROBE_MILLISECONDS })?.heard {
            return Ok(());
        }
    }
    Err(Failure::Broken("what it publishes does not come to itself".into()))
}

impl Sharing<'_> {
    fn way(&self) -> &'static str {
        if self.spins { "spinning" } else { "waking" }
    }
}

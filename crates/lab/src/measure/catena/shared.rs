//! A hop through shared memory between two processors that spin, and between processes that are woken.
//!
//! Those that spin are a router and one thread that publishes and receives, or, where there is no router, a
//! publisher and a subscriber: in either case both processors of a small machine are kept busy.

use super::program::{
    PROBE_MILLISECONDS, PROBES, Program, TOPIC, came, carry, publishing, receiving, sent, settle,
};
use super::stage::{Failure, OTHERS, PUBLISHER, Stage, Starting};
use super::{Asked, Found, Procedure, receive};
use trunkline_demo::component::task::{Receiving, Task};
use trunkline_experiment::definition::SharedMemory;
use trunkline_experiment::middleware::Middleware;

pub(super) struct Sharing<'a> {
    pub(super) asked: &'a SharedMemory,
    /// Whether those that wait spin, or sleep.
    pub(super) spins: bool,
}

impl Procedure for Asked<'_, Sharing<'_>> {
    fn starting(&self) -> Starting {
        Starting { spins: self.measure.spins, ..Starting::PINNED }
    }

    fn cases(&self) -> Vec<String> {
        self.measure.asked.rates.iter().map(|&rate| self.measure.case(rate)).collect()
    }

    fn who(&self, subject: &Middleware) -> String {
        if !self.measure.spins {
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

    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure> {
        let spins = self.measure.spins;
        let names = stage.prices(1, Vec::new());
        // In one thread both connections are in one program: what it publishes comes to it again.
        let is_one = spins && stage.subject.has_router();
        let mut connection = stage.connection("both", &names);
        connection.spins = spins;
        let connect = Task::Connect(connection);
        let processor = if is_one { PUBLISHER } else { OTHERS };
        let mut subscriber = stage.program("subscriber", Some(processor))?;
        subscriber.ask(&connect)?;
        subscriber.ask(&Task::Subscribe(TOPIC))?;
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
        for &rate in &self.measure.asked.rates {
            let (run, milliseconds) = (stage.next_run(), self.milliseconds());
            let publish = publishing(run, rate.into(), milliseconds, vec![0]);
            let messages = publish.messages;
            let receiving = receiving(run, TOPIC, milliseconds, messages / 10);
            let receiving = Receiving { spins, ..receiving };
            let (published, received) = match &mut publisher {
                None => {
                    let answer = subscriber.ask(&Task::Both { publish, receive: receiving })?;
                    (sent(answer.clone())?, vec![came(answer)?])
                }
                Some(publisher) => {
                    carry(publisher, &Task::Publish(publish), [(&mut subscriber, receiving)])?
                }
            };
            let series = self.series(&self.measure.case(rate), stage.subject, found);
            receive(series, &received.iter().collect::<Vec<_>>(), (Some(&published), messages))?;
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
    fn case(&self, rate: u32) -> String {
        SharedMemory::case(if self.spins { "spinning" } else { "waking" }, rate)
    }
}

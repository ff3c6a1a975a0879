//! Draining a router for maintenance.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use trunkline_server::administration::DrainStatus;

use crate::Ending;
use crate::arguments::{Asked, DrainArguments};
use crate::fault::Fault;
use crate::output::Form;
use crate::site::Site;

/// Between two questions of how far it has come.
const MOMENT: Duration = Duration::from_millis(100);

/// How much later than the router a drain is given up.
const GRACE: Duration = Duration::from_secs(5);

pub(super) fn drain(asked: &Asked<DrainArguments>) -> Result<Ending, Fault> {
    let (arguments, form) = (&asked.what, asked.form.get());
    let mut site = Site::new(&asked.site)?;
    let timeout_ms = u64::try_from(arguments.timeout.as_millis()).unwrap_or(u64::MAX);
    let wanted =
        json!({"reason": arguments.reason, "timeout_ms": timeout_ms, "stop": arguments.stop});
    let mut status: DrainStatus = site.act("/admin/drain", &wanted)?;
    if arguments.no_wait {
        tell(form, &status)?;
        return Ok(Ending::Right);
    }
    let until = Instant::now() + arguments.timeout + GRACE;
    while !status.is_empty && !status.is_overdue && Instant::now() < until {
        thread::sleep(MOMENT);
        status = match site.get("/admin/drain") {
            Ok(status) => status,
            // It was to stop, and has.
            Err(_) if arguments.stop => break,
            Err(fault) => return Err(fault),
        };
        if !status.is_draining {
            return Err(Fault::new("somebody has ended the drain (trunkline admin undrain)"));
        }
    }
    if arguments.stop && !status.is_empty && !status.is_overdue {
        form.say("the router has stopped\n")?;
        form.fact(&json!({"fact": "stopped"}))?;
        return Ok(Ending::Right);
    }
    tell(form, &status)?;
    Ok(if status.is_empty { Ending::Right } else { Ending::Wrong })
}

pub(super) fn undrain(arguments: &Asked) -> Result<Ending, Fault> {
    let status: DrainStatus = Site::new(&arguments.site)?.act("/admin/undrain", &json!({}))?;
    tell(arguments.form.get(), &status)?;
    Ok(Ending::Right)
}

fn tell(form: Form, status: &DrainStatus) -> Result<(), Fault> {
    form.say(match status {
        DrainStatus { is_draining: false, .. } => "the router accepts clients\n",
        DrainStatus { is_empty: true, stops: true, .. } => "nothing waits, and the router stops\n",
        DrainStatus { is_empty: true, .. } => "nothing waits, and no clients are accepted\n",
        DrainStatus { is_overdue: true, stops: true, .. } => {
            "messages wait still, and the router stops\n"
        }
        DrainStatus { is_overdue: true, .. } => {
            "messages wait still, and no clients are accepted\n"
        }
        _ => "no clients are accepted\n",
    })?;
    form.fact(&json!({
        "fact": "drain", "is_draining": status.is_draining, "is_empty": status.is_empty,
        "is_overdue": status.is_overdue, "stops": status.stops,
    }))
}

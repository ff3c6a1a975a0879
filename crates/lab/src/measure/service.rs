//! Calls of a service with customer and product records (Ng, Chen and Greenfield 2004).

mod contest;
mod formula;
mod pool;
pub(super) mod processors;
mod published;
mod servers;
pub(crate) mod stages;
mod styles;
mod tally;
mod tls;
mod typed;

use super::{Findings, Setting};
use crate::evaluation::Step;
use servers::Servers;
use trunkline_experiment::definition::Measure;

/// Does all that is called.
pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    if !measures.iter().any(|it| it.is_of_services()) {
        return;
    }
    let mut servers = Servers::new(setting, found, contest::connections(measures));
    for measure in measures {
        if let Measure::Styles(asked) = measure {
            styles::measure(&mut servers, asked, progress);
        }
    }
    for (kind, calls) in measures.iter().filter_map(|measure| measure.calls()) {
        contest::measure(&mut servers, kind, calls, progress);
    }
    for measure in measures {
        if let Measure::Calls(asked) = measure {
            typed::measure(&mut servers, asked, progress);
        }
    }
    for measure in measures {
        match measure {
            Measure::Pool(asked) => pool::measure(&mut servers, asked, progress),
            Measure::Stages(asked) => stages::measure(&mut servers, asked, progress),
            _ => {}
        }
    }
    drop(servers);
    published::rows(setting, measures, found);
}

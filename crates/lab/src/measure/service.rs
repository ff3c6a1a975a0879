//! Calls of a service with customer and product records (Ng, Chen and Greenfield 2004).

mod contest;
mod pool;
mod processors;
mod published;
mod servers;
pub(crate) mod stages;
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
    let mut servers = Servers::new(contest::connections(measures));
    contest::measure(setting, measures, &mut servers, found, progress);
    typed::measure(setting, measures, &mut servers, found, progress);
    pool::measure(setting, measures, &mut servers, found, progress);
    stages::measure(setting, measures, &mut servers, found, progress);
    published::rows(setting, measures, found);
}

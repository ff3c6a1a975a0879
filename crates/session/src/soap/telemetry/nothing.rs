//! No spans.

use trunkline_http::{HeaderMap, Wait};

use super::Called;

/// Nothing.
#[derive(Debug, Default)]
pub(in crate::soap) struct Telemetry(());

/// No guard.
pub(in crate::soap) struct Entered;

impl Telemetry {
    pub(in crate::soap) fn set_on(&mut self, _: bool) {}

    pub(in crate::soap) fn is_on(&self) -> bool {
        false
    }

    pub(in crate::soap) fn arrive(&mut self, _: &HeaderMap) {}

    pub(in crate::soap) fn begin(&mut self, _: &Called<'_>) {}

    pub(in crate::soap) fn enter(&self) -> Entered {
        Entered
    }

    pub(in crate::soap) fn leave(&self, _: Entered) {}

    pub(in crate::soap) fn follow(&self, wait: Wait) -> Wait {
        wait
    }

    pub(in crate::soap) fn end(&mut self, _: Option<(&str, &str, bool)>) {}

    pub(in crate::soap) fn depart(&self, _: &mut HeaderMap) {}
}

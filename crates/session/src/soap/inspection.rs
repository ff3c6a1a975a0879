//! Functions that look at requests as they came.

use std::fmt;
use std::sync::Arc;

use trunkline_codec::fast_infoset::Reader;
use trunkline_codec::infoset::{Event, Reader as _};
use trunkline_soap::{Fault, Unpacked};

use super::{Context, Service};

/// A function that looks at a request, as XML.
#[derive(Clone)]
pub(super) struct Inspection(Arc<Inspect>);

type Inspect = dyn Fn(&[u8], &Context) -> Result<(), Fault> + Send + Sync;

impl Inspection {
    pub(super) fn new(
        function: impl Fn(&[u8], &Context) -> Result<(), Fault> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(function))
    }
}

/// What of a service's requests is not there yet when they are looked at.
pub(super) fn unseen(service: &Service) -> Option<String> {
    let streamed = service.operations.iter().find(|it| it.is_streamed)?;
    let why = "what is attached to its requests comes when they have been inspected";
    service.inspection.as_ref().map(|_| format!("{}: {why}", streamed.name))
}

/// What is to look at the request of a call, and that request.
pub(super) struct Inspected {
    pub(super) inspection: Inspection,
    document: Vec<u8>,
}

impl fmt::Debug for Inspected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} bytes", self.document.len())
    }
}

impl Inspected {
    /// The request as XML: what is attached is in its place, and what is Fast Infoset is read, and to be read again.
    pub(super) fn new(
        inspection: &Inspection,
        request: &[u8],
        package: Option<&Unpacked>,
        reader: Option<&mut Reader<'_>>,
    ) -> Self {
        let document = match (reader, package) {
            (Some(reader), _) => shown(reader).into_bytes(),
            (None, Some(package)) => package.whole().into_owned(),
            (None, None) => request.to_vec(),
        };
        Self { inspection: inspection.clone(), document }
    }

    pub(super) fn inspect(&self, context: &Context) -> Result<(), Fault> {
        (self.inspection.0)(&self.document, context)
    }
}

/// Of what cannot be read, what came before it: that is told by who reads the request.
fn shown(reader: &mut Reader<'_>) -> String {
    let mut shown = String::new();
    if matches!(reader.next(), Ok(Event::Start(_))) {
        _ = reader.raw(&[], &mut shown);
    }
    _ = reader.restart();
    shown
}

//! Spans, by the process's provider of tracers and its propagator.

use std::future::poll_fn;

use opentelemetry::propagation::{Extractor, Injector};
use opentelemetry::trace::{SpanKind, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, ContextGuard, KeyValue, global};
use trunkline_http::{HeaderMap, HeaderName, HeaderValue, Wait};

use super::Called;

/// The span of a call, on either side.
#[derive(Clone, Debug, Default)]
pub(in crate::soap) struct Telemetry {
    is_on: bool,
    /// What a request came with.
    parent: Option<Context>,
    /// With the span that is open.
    current: Option<Context>,
}

impl Telemetry {
    pub(in crate::soap) fn set_on(&mut self, is_on: bool) {
        self.is_on = is_on;
    }

    pub(in crate::soap) fn is_on(&self) -> bool {
        self.is_on
    }

    /// A request has come with these headers.
    pub(in crate::soap) fn arrive(&mut self, headers: &HeaderMap) {
        if self.is_on {
            let found = global::get_text_map_propagator(|it| it.extract(&Received(headers)));
            self.parent = Some(found);
        }
    }

    /// Opens the span of a call.
    pub(in crate::soap) fn begin(&mut self, called: &Called<'_>) {
        if !self.is_on {
            return;
        }
        let Called { is_server, namespace, operation, authority } = *called;
        let method = match operation {
            "" => "_OTHER".to_owned(),
            operation => format!("{namespace}/{operation}"),
        };
        let kind = if is_server { SpanKind::Server } else { SpanKind::Client };
        let mut attributes = vec![
            KeyValue::new("rpc.system.name", "soap"),
            KeyValue::new("rpc.method", method.clone()),
        ];
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse::<i64>().ok()),
            _ => (authority, None),
        };
        if !host.is_empty() {
            attributes.push(KeyValue::new("server.address", host.to_owned()));
        }
        attributes.extend(port.map(|it| KeyValue::new("server.port", it)));
        let tracer = global::tracer("trunkline");
        let builder = tracer.span_builder(method).with_kind(kind).with_attributes(attributes);
        let parent = self.parent.take().unwrap_or_else(Context::current);
        let span = builder.start_with_context(&tracer, &parent);
        self.current = Some(parent.with_span(span));
    }

    /// What happens on this thread is part of the call until the guard goes.
    pub(in crate::soap) fn enter(&self) -> Option<ContextGuard> {
        self.current.clone().map(Context::attach)
    }

    pub(in crate::soap) fn leave(&self, entered: Option<ContextGuard>) {
        drop(entered);
    }

    /// So is what happens while something is waited for.
    pub(in crate::soap) fn follow(&self, mut wait: Wait) -> Wait {
        let Some(current) = self.current.clone() else { return wait };
        Box::pin(poll_fn(move |context| {
            let _entered = current.clone().attach();
            wait.as_mut().poll(context)
        }))
    }

    /// Closes the span: with the code of a failure, why, and whether that is this side's.
    pub(in crate::soap) fn end(&mut self, failure: Option<(&str, &str, bool)>) {
        let Some(current) = self.current.take() else { return };
        let span = current.span();
        if let Some((code, why, is_error)) = failure {
            span.set_attribute(KeyValue::new("rpc.response.status_code", code.to_owned()));
            if is_error {
                span.set_attribute(KeyValue::new("error.type", code.to_owned()));
                span.set_status(Status::error(why.to_owned()));
            }
        }
        span.end();
    }

    /// Adds the headers by which the other side knows the trace.
    pub(in crate::soap) fn depart(&self, headers: &mut HeaderMap) {
        if let Some(current) = &self.current {
            let mut sent = Sent(headers);
            global::get_text_map_propagator(|it| it.inject_context(current, &mut sent));
        }
    }
}

struct Received<'h>(&'h HeaderMap);

impl Extractor for Received<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct Sent<'h>(&'h mut HeaderMap);

impl Injector for Sent<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(key), Ok(value)) = (HeaderName::try_from(key), HeaderValue::try_from(value)) {
            self.0.insert(key, value);
        }
    }
}

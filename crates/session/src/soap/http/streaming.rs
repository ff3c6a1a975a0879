//! Requests whose attachments are read as they come.

use std::io::{Cursor, Read};

use trunkline_http::{Body, HeaderMap, Request, Response, StatusCode, Streamed, header};
use trunkline_soap as soap;

use super::{Caller, Site, rejection};
use crate::soap::QName;
use crate::soap::arrived::Arrived;
use crate::soap::service::{Endpoint, EndpointParts};
use crate::soap::streams::{Unpacking, explained};

impl Site {
    /// Is a request for this path one whose attachments may be read as they come?
    pub(super) fn may_stream(&self, path: &str, headers: &HeaderMap) -> bool {
        let media_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let endpoint = self.endpoints.iter().find(|it| it.path() == path);
        media_type.is_some_and(soap::is_package) && endpoint.is_some_and(|it| it.has_streams())
    }

    /// Answers a request whose body comes as it is read.
    pub(super) fn begin_stream(
        &self,
        caller: &mut Caller,
        request: &Request<'_>,
        body: Body,
        response: &mut Response,
    ) -> Streamed {
        let (path, headers) = (request.path, Some(request.headers));
        caller.begun = None;
        let known = match self.admit(caller, request.method, path, headers) {
            Ok(known) => known,
            Err(refusal) => {
                *response = refusal.response();
                return Streamed::Answered;
            }
        };
        let Some(index) = self.endpoints.iter().position(|it| it.path() == path) else {
            *response = self.nothing_here(path);
            return Streamed::Answered;
        };
        self.introduce(caller, index, known.clone(), headers);
        if self.traces_calls {
            self.conversation(caller, index).telemetry().arrive(request.headers);
        }
        match self.stream(caller, index, request, body, response) {
            None => Streamed::Answered,
            Some((begun, body)) => {
                caller.begun = Some(known);
                Streamed::Whole(begun, body)
            }
        }
    }

    /// The same of one whose body is there, as it was compressed; false if it is to be answered as others are.
    pub(super) fn stream_whole(
        &self,
        caller: &mut Caller,
        index: usize,
        request: &Request<'_>,
        response: &mut Response,
    ) -> bool {
        let body = || Cursor::new(request.body.to_vec());
        self.may_stream(request.path, request.headers)
            && self.stream(caller, index, request, body(), response).is_none()
    }

    /// Answers a request, unless its operation takes it as a whole: then gives what was read of its body, and the rest.
    fn stream<R: Read + Send + 'static>(
        &self,
        caller: &mut Caller,
        index: usize,
        request: &Request<'_>,
        mut body: R,
        response: &mut Response,
    ) -> Option<(Vec<u8>, R)> {
        let endpoint = &self.endpoints[index];
        let media_type = request.header("content-type").unwrap_or_default();
        let limits = endpoint.limits();
        let most = limits.message_bytes.min(self.body_bytes);
        let mut refuse = |status, text: &str| {
            *response = rejection(status, text);
            response.headers.remove(header::ALLOW);
        };
        let (mut unpacking, root) = match Unpacking::open(media_type, most, &mut body) {
            Ok(opened) => opened,
            Err(error) => {
                refuse(StatusCode::BAD_REQUEST, &error.to_string());
                return None;
            }
        };
        let unpacked = match soap::unpack_envelope(media_type, &root, limits) {
            Ok(Some(unpacked)) => unpacked,
            // The envelope comes later.
            Ok(None) => return Some((unpacking.into_input(), body)),
            Err(error) => {
                refuse(StatusCode::BAD_REQUEST, &explained(&error));
                return None;
            }
        };
        unpacking.go_on(&unpacked);
        let arrived = match Arrived::of_package(request, unpacked) {
            Ok(arrived) => arrived,
            Err((status, text)) => {
                refuse(status, &text);
                return None;
            }
        };
        // What is wrong with an envelope is told by the conversation.
        if let Ok(opened) = soap::open(arrived.envelope().bytes, limits)
            && opened.body.is_none_or(|it| endpoint.takes_whole(&it, &arrived.action))
        {
            return Some((unpacking.into_input(), body));
        }
        let context = self.conversation(caller, index).context_mut();
        context.set_incoming(unpacking, Box::new(body));
        self.answer(caller, index, Some(arrived), request, response);
        let read = self.conversation(caller, index).context_mut().take_incoming();
        if let Some(failure) = read.as_ref().and_then(Unpacking::failure) {
            *response = rejection(StatusCode::BAD_REQUEST, failure);
            response.headers.remove(header::ALLOW);
        }
        None
    }
}

impl Endpoint {
    /// Do operations get their attachments as they come?
    fn has_streams(&self) -> bool {
        self.0.service.operations.iter().any(|it| it.is_streamed)
    }

    /// Does what answers a request with this element in its Body take it as a whole?
    fn takes_whole(&self, element: &QName, action: &str) -> bool {
        let EndpointParts { service, elements, .. } = &*self.0;
        let all = service.operations.iter().zip(elements);
        let called: Vec<_> = all.filter(|it| it.1.contains(element)).map(|it| it.0).collect();
        match &*called {
            [] => service.fallback.is_some(),
            [only] => !only.is_streamed,
            several => !several.iter().any(|it| it.is_streamed && it.action == action),
        }
    }
}

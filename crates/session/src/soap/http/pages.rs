//! What is at a path beside calls.

use trunkline_http::{HeaderValue, Request, Response, StatusCode, header};

use super::Site;
use crate::soap::media::TEXT_XML;
use crate::soap::page;
use crate::soap::service::Endpoint;

impl Site {
    /// The WSDL, or a page for people.
    pub(super) fn get(&self, endpoint: &Endpoint, request: &Request<'_>) -> Response {
        let location = self.public.location(request, endpoint.path());
        let mut response = Response::default();
        match request.query {
            // In .NET the second has everything in one document, as ours has.
            Some(query)
                if ["wsdl", "singleWsdl"].iter().any(|it| query.eq_ignore_ascii_case(it)) =>
            {
                response.content_type(TEXT_XML);
                response.body = endpoint.wsdl_with(&location, self.offer).into_bytes();
            }
            Some(query) if !query.is_empty() => {
                if let Some(document) = endpoint.imported(query, &location) {
                    response.content_type(TEXT_XML);
                    response.body = document.into_bytes();
                    return response;
                }
                let text = format!("there is {}?wsdl", endpoint.path());
                return Response::text(StatusCode::NOT_FOUND, &format!("{text}\n"));
            }
            _ => {
                response.content_type("text/html; charset=utf-8");
                let policy = HeaderValue::from_static(page::POLICY);
                response.headers.insert(header::CONTENT_SECURITY_POLICY, policy);
                response.body = page::page(endpoint, &location).into_bytes();
            }
        }
        response
    }

    pub(super) fn nothing_here(&self, path: &str) -> Response {
        let paths: Vec<&str> = self.endpoints.iter().map(Endpoint::path).collect();
        let text = format!("no service is at {path}; there is {}\n", paths.join(", "));
        Response::text(StatusCode::NOT_FOUND, &text)
    }
}

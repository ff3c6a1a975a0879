//! The router's HTTP, as administrators use it.

use std::fs;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::Value;
use trunkline_http::{Client, HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::arguments::SiteArguments;
use crate::fault::Fault;
use crate::output::plain;
use crate::top::connect;

/// Names the file of the token.
const VARIABLE: &str = "TRUNKLINE_TOKEN_FILE";

/// A router and the permission to administer it.
pub(super) struct Site {
    client: Client,
    /// Such as `http://127.0.0.1:7401`.
    url: String,
    headers: HeaderMap,
}

impl Site {
    pub(super) fn new(arguments: &SiteArguments) -> Result<Self, Fault> {
        let (client, url) = connect(&arguments.to, &arguments.tls)?;
        let from_environment = || std::env::var_os(VARIABLE).filter(|it| !it.is_empty());
        let file = arguments.token_file.clone().or_else(|| from_environment().map(PathBuf::from));
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(file) = file {
            let token = fs::read_to_string(&file)
                .map_err(|cause| Fault::new(format!("{}: {cause}", file.display())))?;
            let value = HeaderValue::try_from(format!("Bearer {}", token.trim_end()));
            let mut value = value.map_err(|_| {
                Fault::new(format!("{}: a token is one line of ASCII", file.display()))
            })?;
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        Ok(Self { client, url, headers })
    }

    /// What is at a place below `/admin`.
    pub(super) fn get<T: DeserializeOwned>(&mut self, place: &str) -> Result<T, Fault> {
        self.ask(&Method::GET, place, b"")
    }

    /// Has something done.
    pub(super) fn act<T: DeserializeOwned>(
        &mut self,
        place: &str,
        what: &Value,
    ) -> Result<T, Fault> {
        self.ask(&Method::POST, place, what.to_string().as_bytes())
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        method: &Method,
        place: &str,
        body: &[u8],
    ) -> Result<T, Fault> {
        let answer = self.client.request(method, &format!("/admin/{place}"), &self.headers, body);
        let answer = answer.map_err(|error| {
            Fault::new(format!(
                "{error}; `trunkline serve` starts a router, --to says where one is"
            ))
        })?;
        let url = &self.url;
        match answer.status {
            StatusCode::OK => serde_json::from_slice(&answer.body)
                .map_err(|error| Fault::new(format!("{url} is no router: {error}"))),
            StatusCode::UNAUTHORIZED => {
                let what = match self.headers.contains_key(header::AUTHORIZATION) {
                    true => "the token is not the router's",
                    false => "a token is needed",
                };
                Err(Fault::new(format!(
                    "{url}: {what}; --token-file or ${VARIABLE} names the file of the token, \
                     which admin.token_file of the router's configuration names"
                )))
            }
            // Of what was asked for, and not found or not done, the router says enough.
            StatusCode::NOT_FOUND | StatusCode::CONFLICT | StatusCode::BAD_REQUEST => {
                Err(Fault::new(reason(&answer.body)))
            }
            status => Err(Fault::new(format!("{url}: {status}: {}", reason(&answer.body)))),
        }
    }
}

fn reason(body: &[u8]) -> String {
    plain(&String::from_utf8_lossy(body)).trim().to_owned()
}

/// A value as a query has it.
pub(super) fn encoded(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'*' => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

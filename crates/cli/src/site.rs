//! The router's HTTP, as verbs ask it.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use trunkline_client::Login;
use trunkline_http::{
    Client, ClientConfig, Compression, HeaderMap, HeaderValue, Method, StatusCode, header,
};
use trunkline_wire::base64;

use crate::arguments::SiteArguments;
use crate::fault::Fault;
use crate::output::plain;

/// For an answer of a router that is at hand.
const PATIENCE: Duration = Duration::from_secs(5);

/// A router, and what shows who asks it.
pub(crate) struct Site {
    client: Client,
    /// Such as `http://127.0.0.1:7401`.
    url: String,
    headers: HeaderMap,
}

impl Site {
    pub(crate) fn new(arguments: &SiteArguments) -> Result<Self, Fault> {
        let url = &arguments.to;
        let (scheme, authority) = url.split_once("://").unwrap_or(("http", url));
        let authority = authority.trim_end_matches('/');
        let is_http = matches!(scheme, "http" | "https");
        if !is_http || authority.is_empty() || authority.contains('/') {
            return Err(Fault::new(format!(
                "{url:?} is not like http://127.0.0.1:7401, the router's HTTP address"
            )));
        }
        let config = ClientConfig {
            connect_timeout: PATIENCE,
            response_timeout: PATIENCE,
            accept: Compression::STANDARD.to_vec(),
            tls: arguments.tls.load_for(url)?.filter(|_| scheme == "https"),
            ..ClientConfig::default()
        };
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(login) = arguments.login.login()? {
            headers.insert(header::AUTHORIZATION, authorization(&login)?);
        }
        let client = Client::new(authority, config)?;
        Ok(Self { client, url: format!("{scheme}://{authority}"), headers })
    }

    /// What is at a path.
    pub(crate) fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, Fault> {
        self.ask(&Method::GET, path, b"")
    }

    /// Has something done.
    pub(crate) fn act<T: DeserializeOwned>(
        &mut self,
        path: &str,
        what: &Value,
    ) -> Result<T, Fault> {
        self.ask(&Method::POST, path, what.to_string().as_bytes())
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        method: &Method,
        path: &str,
        body: &[u8],
    ) -> Result<T, Fault> {
        let answer = self.client.request(method, path, &self.headers, body);
        let answer = answer.map_err(|error| {
            Fault::new(format!(
                "{error}; `trunkline serve` starts a router, --to says where one is"
            ))
        })?;
        let (url, reason) = (&self.url, reason(&answer.body));
        match answer.status {
            StatusCode::OK => serde_json::from_slice(&answer.body)
                .map_err(|error| Fault::new(format!("{url} is no router: {error}"))),
            StatusCode::UNAUTHORIZED => {
                Err(Fault::new(format!("{url}: {reason} (--user or --token-file says who asks)")))
            }
            StatusCode::FORBIDDEN => Err(Fault::new(format!("{url}: {reason}"))),
            // Of what was asked for, and not found or not done, the router says enough.
            StatusCode::NOT_FOUND | StatusCode::CONFLICT | StatusCode::BAD_REQUEST => {
                Err(Fault::new(reason))
            }
            status => Err(Fault::new(format!("{url}: {status}: {reason}"))),
        }
    }
}

/// The header that shows who somebody is.
fn authorization(login: &Login) -> Result<HeaderValue, Fault> {
    let text = match login {
        Login::Token(token) => format!("Bearer {}", token.trim_end()),
        Login::Password { user, password } => {
            let mut text = b"Basic ".to_vec();
            base64::encode_into(format!("{user}:{password}").as_bytes(), &mut text);
            String::from_utf8_lossy(&text).into_owned()
        }
    };
    let mut value = HeaderValue::try_from(text)
        .map_err(|_| Fault::new("a token is one line of ASCII".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn reason(body: &[u8]) -> String {
    plain(&String::from_utf8_lossy(body)).trim().to_owned()
}

/// A value as a query has it.
pub(crate) fn encoded(value: &str) -> String {
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

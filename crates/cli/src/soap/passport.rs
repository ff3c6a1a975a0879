//! Who calls, and headers of HTTP that go with that.

use trunkline_http::Uri;
use trunkline_session::soap::ws_security::Seal;
use trunkline_session::soap::{CallError, Client};

use crate::arguments::CallerArguments;
use crate::fault::Fault;
use crate::login::password_of;

/// What is shown to the host of the URL that was typed, and to nobody else: a WSDL may name other hosts.
pub(super) struct Passport {
    url: String,
    login: Option<(String, String)>,
    headers: Vec<(String, String)>,
    seal: Option<Seal>,
}

impl Passport {
    /// For the host of this URL.
    pub(super) fn of(arguments: &CallerArguments, url: &str) -> Result<Self, Fault> {
        let CallerArguments { user, password_file, http_header } = arguments;
        let login = user.as_ref().map(|user| {
            let password = password_of(user, password_file.as_deref())?;
            Ok::<_, Fault>((user.clone(), password))
        });
        let header = |text: &String| {
            let (name, value) = text.split_once(':').ok_or_else(|| {
                Fault::new(format!("--http-header {text:?}: it is not NAME: VALUE"))
            })?;
            Ok::<_, Fault>((name.trim().to_owned(), value.trim().to_owned()))
        };
        let headers = http_header.iter().map(header).collect::<Result<_, _>>()?;
        Ok(Self { url: url.to_owned(), login: login.transpose()?, headers, seal: None })
    }

    /// With a Security header.
    pub(super) fn sealed(self, seal: Option<Seal>) -> Self {
        Self { seal, ..self }
    }

    pub(super) fn is_sealed(&self) -> bool {
        self.seal.is_some()
    }

    /// Has the client show it, if it is one of that host; false if it is not, and there is something to show.
    pub(super) fn show(&self, client: &mut Client, url: &str) -> Result<bool, CallError> {
        if self.login.is_none() && self.headers.is_empty() && self.seal.is_none() {
            return Ok(true);
        }
        if !is_same_host(&self.url, url) {
            return Ok(false);
        }
        if let Some((user, password)) = &self.login {
            client.set_login(user, password)?;
        }
        client.set_ws_security(self.seal.clone());
        self.headers.iter().try_for_each(|(name, value)| client.set_http_header(name, value))?;
        Ok(true)
    }
}

/// Are both of the same scheme, host and port?
pub(super) fn is_same_host(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|it| it.parse::<Uri>().ok());
    let same = one
        .zip(other)
        .map(|(one, other)| one.scheme() == other.scheme() && one.authority() == other.authority());
    same.unwrap_or_default()
}

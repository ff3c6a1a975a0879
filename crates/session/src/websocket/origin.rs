//! Which pages may connect.

use std::net::IpAddr;

use trunkline_http::host_of;

/// Origins whose pages may connect, beside those that always may.
///
/// A browser names the origin of the page; a program that names none is no browser and may connect.
/// Pages of this machine may, and pages that come from the host that they connect to, whatever the
/// port. A connection over loopback to any other name than `localhost` is not taken for such a page:
/// a foreign name may be made to point here. A reverse proxy on this machine therefore needs its
/// origins listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    listed: Vec<String>,
}

impl Origins {
    /// Origins such as `https://desk.example.org`, compared whole and without regard to case; `*` is
    /// any, `null` is what pages from files and sandboxes say.
    pub fn new<T: Into<String>>(listed: impl IntoIterator<Item = T>) -> Self {
        Self { listed: listed.into_iter().map(Into::into).collect() }
    }

    /// Whether a page may connect. `host` is the request's `Host`; `over_loopback` says that the
    /// connection comes from this machine.
    pub(super) fn allow(&self, origin: Option<&str>, host: &str, over_loopback: bool) -> bool {
        let Some(origin) = origin else { return true };
        if self.listed.iter().any(|it| it == "*" || it.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((_, authority)) = origin.split_once("://") else { return false };
        let (page, target) = (host_of(authority.trim_end_matches('/')), host_of(host));
        let is_own = page.eq_ignore_ascii_case(target)
            && (!over_loopback || target.parse::<IpAddr>().is_ok());
        is_local(target) && is_local(page) || is_own || is_local(page) && over_loopback
    }
}

fn is_local(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_this_machine_and_of_the_same_host_may_connect() {
        let none = Origins::default();
        for (origin, host, over_loopback, may) in [
            (None, "anything", true, true),
            (Some("http://localhost:3000"), "localhost:7402", true, true),
            (Some("http://127.0.0.1:8080"), "localhost:7402", true, true),
            (Some("http://[::1]"), "127.0.0.1:7402", true, true),
            (Some("http://10.0.0.7"), "10.0.0.7:7402", false, true),
            (Some("http://10.0.0.7"), "10.0.0.7:7402", true, true),
            (Some("https://Desk.example.org"), "desk.example.org:7402", false, true),
            (Some("https://desk.example.org"), "desk.example.org:7402", true, false),
            (Some("http://localhost"), "desk.example.org", false, false),
            (Some("https://evil.example.org"), "localhost:7402", true, false),
            (Some("https://evil.example.org"), "10.0.0.7:7402", false, false),
            (Some("null"), "localhost:7402", true, false),
            (Some(""), "localhost:7402", true, false),
        ] {
            assert_eq!(none.allow(origin, host, over_loopback), may, "{origin:?} at {host}");
        }
    }

    #[test]
    fn listed_origins_may_connect_from_anywhere() {
        let listed = Origins::new(["https://desk.example.org", "null"]);
        assert!(listed.allow(Some("https://Desk.example.org"), "10.0.0.7", false));
        assert!(listed.allow(Some("null"), "10.0.0.7", true));
        assert!(!listed.allow(Some("https://desk.example.org:8443"), "10.0.0.7", false));
        assert!(Origins::new(["*"]).allow(Some("https://evil.example.org"), "x", true));
    }
}

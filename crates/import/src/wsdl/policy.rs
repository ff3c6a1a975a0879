//! What a service offers beside XML over HTTP, as its policy asserts it (WS-Policy 1.2 and 1.5) in Metro's words and those of WS-MTOMPolicy.

use std::sync::Arc;

use crate::markup::{Document, Element};

/// The namespaces of WS-Policy.
const POLICIES: [&str; 2] =
    ["http://www.w3.org/ns/ws-policy", "http://schemas.xmlsoap.org/ws/2004/09/policy"];
const UTILITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// Of MTOM's policy (WS-MTOMPolicy 1.0).
const MTOM: &str = "http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization";
/// Metro's namespaces.
const CHANNELS: &str = "http://java.sun.com/xml/ns/wsit/2006/09/policy/soaptcp/service";
const FAST_INFOSET: &str = "http://java.sun.com/xml/ns/wsit/2006/09/policy/fastinfoset/service";
/// Of WS-MTOMPolicy 1.0.
const MTOM: &str = "http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization";
/// Policies refer to no others so deeply.
const DEEPEST: usize = 8;

/// What a service offers beside XML over HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// SOAP/TCP at the host of the URL.
    pub soap_tcp: bool,
    /// Its port, if it is not the URL's.
    pub soap_tcp_port: Option<u16>,
    /// Fast Infoset over HTTP.
    pub fast_infoset: bool,
    /// Octets in packages of MTOM over HTTP.
    pub mtom: bool,
}

impl Offers {
    /// Where the service is called with what it offers, which HTTP knows by this URL.
    pub fn url(&self, url: &str) -> String {
        let Some((host, path)) = url.strip_prefix("http://").filter(|_| self.soap_tcp).map(|it| {
            let path = it.find('/').unwrap_or(it.len());
            it.split_at(path)
        }) else {
            return url.to_owned();
        };
        let (name, own) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
            _ => (host, None),
        };
        let port = self.soap_tcp_port.or(own).unwrap_or(80);
        format!("vnd.sun.ws.tcp://{name}:{port}{path}")
    }

    /// Adds what the policies say that are attached to an element: a binding, port or port type.
    pub(super) fn attached(&mut self, element: &Element, documents: &[Arc<Document>]) {
        self.read(element, documents, 0);
    }

    /// Of alternatives any counts, since the client chooses.
    fn read(&mut self, element: &Element, documents: &[Arc<Document>], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for inside in &element.children {
            match (&*inside.namespace, &*inside.name) {
                (namespace, "PolicyReference") if POLICIES.contains(&namespace) => {
                    let uri = inside.attribute("URI").and_then(|it| it.strip_prefix('#'));
                    let found = uri.and_then(|id| find(documents, id));
                    found.into_iter().for_each(|it| self.read(it, documents, depth + 1));
                }
                (namespace, "Policy" | "ExactlyOne" | "All") if POLICIES.contains(&namespace) => {
                    self.read(inside, documents, depth + 1);
                }
                (CHANNELS, "OptimizedTCPTransport") if is_enabled(inside) => {
                    self.soap_tcp = true;
                    self.soap_tcp_port = inside.attribute("port").and_then(|it| it.parse().ok());
                }
                (FAST_INFOSET, "OptimizedFastInfosetSerialization") => {
                    self.fast_infoset |= is_enabled(inside);
                }
                (MTOM, "OptimizedMimeSerialization") => self.mtom = true,
                _ => {}
            }
        }
    }
}

/// As Metro has it: it is unless it says no.
fn is_enabled(assertion: &Element) -> bool {
    assertion.attribute("enabled").is_none_or(|it| {
        ["true", "yes"].iter().any(|yes| it.eq_ignore_ascii_case(yes)) || it == "1"
    })
}

fn find<'a>(documents: &'a [Arc<Document>], id: &str) -> Option<&'a Element> {
    let all = documents.iter().flat_map(|it| it.root.all("Policy"));
    let mut all = all.filter(|it| POLICIES.contains(&&*it.namespace));
    all.find(|it| {
        let own = it.attribute_in(UTILITY, "Id").or(it.attribute("Id"));
        own.or(it.attribute("id")) == Some(id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_http_becomes_one_of_soap_tcp() {
        let offers = Offers { soap_tcp: true, ..Offers::default() };
        let other = Offers { soap_tcp_port: Some(5), ..offers };
        let channel = "vnd.sun.ws.tcp://";
        assert_eq!(offers.url("http://a:1/b?c"), format!("{channel}a:1/b?c"));
        assert_eq!(other.url("http://a:1/b"), format!("{channel}a:5/b"));
        assert_eq!(other.url("http://[::1]:1"), format!("{channel}[::1]:5"));
        assert_eq!(offers.url("http://[::1]/x"), format!("{channel}[::1]:80/x"));
        assert_eq!(offers.url("https://a/b"), "https://a/b");
        assert_eq!(Offers::default().url("http://a/b"), "http://a/b");
    }
}

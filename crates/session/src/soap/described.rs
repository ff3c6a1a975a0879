//! A service that was described before it was written: the documents that clients get.

/// The description of a service, with what it imports.
#[derive(Clone, Debug, Default)]
pub(super) struct Described {
    pub(super) wsdl: String,
    /// Addresses in the WSDL, and the paths that stand for them on this server; none is the service's own.
    pub(super) addresses: Vec<(String, Option<String>)>,
    /// What it imports, by the query behind a path.
    pub(super) documents: Vec<(String, String)>,
}

impl Described {
    /// The WSDL, or what is at a query, for a service that is reached at `location`, which ends in its `path`.
    pub(super) fn text(&self, query: Option<&str>, location: &str, path: &str) -> Option<String> {
        let document = match query {
            None => &self.wsdl,
            Some(query) => &self.documents.iter().find(|it| it.0 == query)?.1,
        };
        let server = location.strip_suffix(path).unwrap_or(location);
        let mut text = document.clone();
        for (address, path) in self.addresses.iter().filter(|it| !it.0.is_empty()) {
            let own = || location.to_owned();
            let there = path.as_ref().map_or_else(own, |path| format!("{server}{path}"));
            text = located(&text, address, &there);
        }
        for (query, _) in &self.documents {
            text = located(&text, &format!("?{query}"), &format!("{location}?{query}"));
        }
        Some(text)
    }
}

/// A document with another address in place of one. Both stand as attributes, where `&` is escaped.
fn located(document: &str, address: &str, location: &str) -> String {
    let escaped = |url: &str| url.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let (from, to) = (escaped(address), escaped(location));
    // Those of addresses and imports of WSDL, and of those of schemas.
    ["location", "schemaLocation"].iter().fold(document.to_owned(), |text, name| {
        ["\"", "'"].iter().fold(text, |text, quote| {
            text.replace(&format!("{name}={quote}{from}{quote}"), &format!("{name}=\"{to}\""))
        })
    })
}

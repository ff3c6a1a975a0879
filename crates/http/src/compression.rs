//! Which compression a body has, and which one is asked for (RFC 9110, sections 8.4 and 12.5.3).

use std::fmt::Write as _;

use http::{HeaderMap, HeaderValue, header};
use trunkline_compression::Compression;

/// The order in which one is chosen where a client prefers none. The last is chosen only by its name: nobody else has it.
const ORDER: [Compression; 4] =
    [Compression::Gzip, Compression::Zstd, Compression::Deflate, Compression::Xml];

/// All names, as `Accept-Encoding`.
pub(super) const KNOWN: &str = "gzip, zstd, deflate, x-trunkline-xml";

/// How many times longer a body may become, if nothing else is configured.
pub(super) const RATIO: usize = 200;

/// Whether clients, ours among them, would reject what becomes so long.
pub(super) fn is_too_dense(length: usize, compressed: usize) -> bool {
    const ALWAYS_ALLOWED: usize = 1 << 20;
    length > ALWAYS_ALLOWED && length / RATIO >= compressed
}

/// The compression in a `Content-Encoding`.
///
/// # Errors
/// The coding, if it is unknown; more than one coding is unknown, too.
pub(super) fn of_body(headers: &HeaderMap) -> Result<Option<Compression>, String> {
    let mut found = None;
    for value in headers.get_all(header::CONTENT_ENCODING) {
        let value = value.to_str().unwrap_or("?");
        for name in value.split(',').map(str::trim) {
            if name.is_empty() || name.eq_ignore_ascii_case("identity") {
                continue;
            }
            let coding = Compression::of_name(name).ok_or_else(|| name.to_owned())?;
            if found.replace(coding).is_some() {
                return Err(value.to_owned());
            }
        }
    }
    Ok(found)
}

/// The coding that a client prefers; none, if that is to have none. `*` stands for those that every client has that says so: gzip
/// and deflate.
pub(super) fn accepted(headers: &HeaderMap) -> Option<Compression> {
    let mut weights = [None; ORDER.len()];
    let (mut any, mut identity) = (None, 0);
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        for item in value.to_str().unwrap_or("").split(',') {
            let (name, weight) = weighted(item);
            let coding = Compression::of_name(name);
            match ORDER.iter().position(|it| Some(*it) == coding) {
                // A coding may have two names, gzip and x-gzip.
                Some(place) => weights[place] = weights[place].max(Some(weight)),
                None if name == "*" => any = Some(weight),
                None if name.eq_ignore_ascii_case("identity") => identity = weight,
                None => {}
            }
        }
    }
    let mut best = (0, None);
    for (coding, weight) in ORDER.into_iter().zip(weights) {
        let any = any.filter(|_| matches!(coding, Compression::Gzip | Compression::Deflate));
        let weight = weight.or(any).unwrap_or(0);
        if weight > best.0 {
            best = (weight, Some(coding));
        }
    }
    best.1.filter(|_| best.0 >= identity)
}

/// An `Accept-Encoding` that prefers the first of these.
pub(super) fn asked(codings: &[Compression]) -> HeaderValue {
    let mut text = String::new();
    for (place, coding) in codings.iter().enumerate() {
        match place {
            0 => text.push_str(coding.name()),
            _ => {
                let tenths = 10_usize.saturating_sub(place).max(1);
                let _ = write!(text, ", {};q=0.{tenths}", coding.name());
            }
        }
    }
    // Names are ASCII.
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("identity"))
}

/// The value of `Content-Encoding`.
pub(super) fn header(coding: Compression) -> HeaderValue {
    HeaderValue::from_static(coding.name())
}

/// `gzip;q=0.5` as its name and its weight in thousandths.
fn weighted(item: &str) -> (&str, u32) {
    let mut parts = item.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    let thousandths = match weight.map(|weight| weight.trim().parse::<f32>()) {
        None => 1000,
        Some(Ok(weight)) if (0.0..=1.0).contains(&weight) => (weight * 1000.0).round() as u32,
        Some(_) => 0,
    };
    (name, thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(value: &str) -> Option<Compression> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, value.parse().expect("a value"));
        super::accepted(&headers)
    }

    #[test]
    fn the_client_chooses_by_weight() {
        assert_eq!(accepted("gzip, deflate, br"), Some(Compression::Gzip));
        assert_eq!(accepted("gzip, deflate, br, zstd"), Some(Compression::Gzip));
        assert_eq!(accepted("gzip;q=0.2, deflate;q=0.8"), Some(Compression::Deflate));
        assert_eq!(accepted("gzip;q=0.2, zstd;q=0.8"), Some(Compression::Zstd));
        assert_eq!(accepted("gzip;q=0.2, x-trunkline-xml"), Some(Compression::Xml));
        assert_eq!(accepted("gzip;q=0, *"), Some(Compression::Deflate));
        assert_eq!(accepted("gzip;q=0, deflate;q=0, *"), None);
        assert_eq!(accepted("br, identity"), None);
        assert_eq!(accepted("gzip, identity"), Some(Compression::Gzip));
        assert_eq!(accepted("identity, gzip;q=0.5, zstd;q=0.9"), None);
        assert_eq!(accepted("Identity;q=0.6, gzip;q=0.5, zstd;q=0.7"), Some(Compression::Zstd));
        assert_eq!(accepted("gzip, x-gzip;q=0"), Some(Compression::Gzip));
        assert_eq!(accepted("x-gzip, gzip;q=0, deflate;q=0.5"), Some(Compression::Gzip));
        assert_eq!(accepted("gzip;q=0.000"), None);
        assert_eq!(accepted("*;q=0"), None);
        assert_eq!(accepted("gzip;q=often"), None);
    }

    #[test]
    fn what_is_asked_for_is_chosen() {
        for first in Compression::ALL {
            let others = Compression::ALL.into_iter().filter(|it| *it != first);
            let all: Vec<_> = [first].into_iter().chain(others).collect();
            let asked = asked(&all);
            assert_eq!(accepted(asked.to_str().expect("ASCII")), Some(first), "{asked:?}");
        }
        assert_eq!(asked(&Compression::STANDARD), "gzip, deflate;q=0.9, zstd;q=0.8");
        let mut known: Vec<_> = KNOWN.split(", ").filter_map(Compression::of_name).collect();
        known.sort_by_key(|it| Compression::ALL.iter().position(|all| all == it));
        assert_eq!(known, Compression::ALL);
    }
}

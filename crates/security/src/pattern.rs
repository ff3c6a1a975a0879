//! Which patterns lie in which.
//!
//! It is decided level by level, as the router's matcher matches: on the first level no wildcard stands for a
//! name that begins with `$`, unless it begins with `$` itself.

/// Whether every topic that `inner` matches is matched by `outer` too. Both are patterns; a topic is one.
#[must_use]
pub fn contains(outer: &str, inner: &str) -> bool {
    let (mut outer, mut inner) = (outer.split('/'), inner.split('/'));
    let mut is_first = true;
    loop {
        let (outer, inner) = match (outer.next(), inner.next()) {
            (Some(outer), Some(inner)) => (outer, inner),
            // Both end together.
            (None, None) => return true,
            _ => return false,
        };
        let is_reserved = is_first && inner.starts_with('$');
        match outer {
            ">" => return !is_reserved,
            _ if inner == ">" => return false,
            "*" if is_reserved => return false,
            "*" => {}
            _ => match outer.strip_suffix('*') {
                // Whatever begins with more, or is more, begins with it.
                Some(prefix) if inner != "*" && beginning(inner).starts_with(prefix) => {}
                None if outer == inner => {}
                _ => return false,
            },
        }
        is_first = false;
    }
}

/// A level without the `*` that it may end with.
fn beginning(level: &str) -> &str {
    level.strip_suffix('*').unwrap_or(level)
}

//! What XML knows of a message besides its layout, from the notes.
//!
//! | note | of | meaning |
//! |---|---|---|
//! | `entry` | a list of structs | the name of the element of each; that of their type otherwise |
//! | `list` | a list | `unwrapped`: its entries have no element around them |

use trunkline_message::{Field, Holds, Layout, ScopeId, is_name};

/// The name of the element that is the message, or each entry of a group. A note that is no name does
/// not count.
pub fn entry_name(layout: &Layout, scope: ScopeId) -> &str {
    let group = layout.field_of(scope);
    let noted = group.and_then(|it| layout.notes().of_member(it.member, "xml", "entry"));
    noted.filter(|name| is_name(name)).unwrap_or(&layout.scope(scope).name)
}

/// Do the entries of a list stand in the element around, without one around them?
pub fn is_unwrapped(layout: &Layout, field: &Field) -> bool {
    matches!(field.holds, Holds::List(_) | Holds::Group(_))
        && layout.notes().of_member(field.member, "xml", "list") == Some("unwrapped")
}

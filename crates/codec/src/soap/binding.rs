//! What XML knows of a message besides its layout, from the notes.
//!
//! | note | of | meaning |
//! |---|---|---|
//! | `entry` | a list of structs | the name of the element of each; that of their type otherwise |

use trunkline_message::{Layout, ScopeId, is_name};

/// The name of the element that is the message, or each entry of a group. A note that is no name does
/// not count.
pub fn entry_name(layout: &Layout, scope: ScopeId) -> &str {
    let group = layout.field_of(scope);
    let noted = group.and_then(|it| layout.notes().of_member(it.member, "xml", "entry"));
    noted.filter(|name| is_name(name)).unwrap_or(&layout.scope(scope).name)
}

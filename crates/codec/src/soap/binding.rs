//! What XML knows of a message besides its layout, from the notes.
//!
//! | note | of | meaning |
//! |---|---|---|
//! | `entry` | a list | the name of the element of each entry; otherwise that of their type, or `item` |
//! | `list` | a list in a struct | `unwrapped`: no element around all entries |

use trunkline_message::{Body, Field, Holds, Layout, ScopeId, is_name};

/// The name of the element that is the message, or each entry of a group. A note that is no name does
/// not count.
pub fn entry_name(layout: &Layout, scope: ScopeId) -> &str {
    let noted = layout.field_of(scope).and_then(|it| item_name(layout, it));
    noted.unwrap_or(&layout.scope(scope).name)
}

/// The name that was noted for the elements of a list's entries.
pub fn item_name<'a>(layout: &'a Layout, list: &Field) -> Option<&'a str> {
    let noted = layout.notes().of_member(list.member, "xml", "entry");
    noted.filter(|name| is_name(name))
}

/// Is it a list whose entries stand in the element around by themselves, each named after the list,
/// if not otherwise [noted](item_name)? Arrays of the encoding are not, whatever the note says.
pub fn is_unwrapped(layout: &Layout, field: &Field) -> bool {
    let is_list = matches!(field.holds, Holds::Group(_) | Holds::List(_));
    let noted = || layout.notes().of_member(field.member, "xml", "list") == Some("unwrapped");
    let in_struct = || matches!(layout.schema().type_of(field.member.of).body, Body::Struct(_));
    is_list && noted() && in_struct()
}

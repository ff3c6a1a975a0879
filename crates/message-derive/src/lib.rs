//! `derive(Message)`: a struct becomes a message, a component or a group's entry.

#![forbid(unsafe_code)]

mod expand;
mod parse;

use proc_macro::TokenStream;

/// Implements `Fields`, `Structure` and `Message` of `trunkline_message`.
///
/// ```
/// use trunkline_message::{Group, Message, Unknown};
/// use trunkline_wire::{Decimal, Text};
///
/// #[derive(Message, Clone, Debug, Default, PartialEq)]
/// #[message(name = "Order", message_type = "D")]
/// struct Order {
///     #[component(name = "Header")]
///     header: Header,                // a struct that derives Message too
///     #[field(name = "ClOrdID", number = 11)]
///     cl_ord_id: Text,               // required
///     #[field(name = "Price", number = 44)]
///     price: Option<Decimal>,        // optional
///     #[field(name = "EncodedText", number = 355, length = 354)]
///     encoded_text: Option<Vec<u8>>, // data with its length field
///     #[group(name = "Allocations", number = 78, entry = "Allocation")]
///     allocations: Group<Allocation>, // absent when empty, unless `required`
///     #[unknown]
///     unknown: Unknown,              // keeps fields that the schema does not know
/// }
/// # #[derive(Message, Clone, Debug, Default, PartialEq)]
/// # struct Header { #[field(number = 49)] sender: Text }
/// # #[derive(Message, Clone, Debug, Default, PartialEq)]
/// # struct Allocation { #[field(number = 79)] account: Text }
/// ```
///
/// Names are the Rust names where none is given (`#[message(rename_all = "camelCase")]` turns
/// them); `number` is needed by FIX only. `#[component(optional)]` makes a component optional; a
/// component's name may be a path (`"ApplicationMessage/MarketDataInc"`).
///
/// A wide and sparse struct marks one field with `#[presence]`, of type `Presence<N>`. Its optional
/// fields have the plain type and `#[field(optional)]`. Each gets accessors as visible as the
/// struct, and `PartialEq` and `Debug` come from this derive:
///
/// ```
/// use trunkline_message::{Message, Presence};
/// use trunkline_wire::Decimal;
///
/// #[derive(Message, Clone, Default)]
/// struct Quote {
///     #[presence]
///     present: Presence<1>,
///     #[field(name = "BidPx", number = 132, optional)]
///     bid_px: Decimal,
/// }
/// let mut quote = Quote::default();
/// quote.set_bid_px(7);
/// assert_eq!(quote.bid_px(), Some(&Decimal::from(7)));
/// quote.clear_bid_px();
/// assert_eq!(quote.bid_px(), None);
/// ```
///
/// A schema is a tree, so no struct may hold itself, not even by way of others. Both are compile
/// errors, the latter a cycle of [`DEPTH`](../trunkline_message/trait.Structure.html):
///
/// ```compile_fail
/// # use trunkline_message::{Group, Message};
/// #[derive(Message, Clone, Default)]
/// struct Folder {
///     name: String,
///     #[group(entry = "file")]
///     files: Group<File>,
/// }
/// #[derive(Message, Clone, Default)]
/// struct File {
///     name: String,
///     #[group(entry = "folder")]
///     folders: Group<Folder>, // a `u32` in its place, and it compiles
/// }
/// ```
#[proc_macro_derive(Message, attributes(message, field, component, group, presence, unknown))]
pub fn derive_message(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    parse::Struct::from_input(&input)
        .map(|it| expand::expand(&it))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

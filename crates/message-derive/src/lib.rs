//! `derive(Message)`: a struct becomes a message, a component or a group's entry.

#![forbid(unsafe_code)]

mod expand;
mod parse;

use proc_macro::TokenStream;

/// Implements `Fields`, `Structure` and `Message` of `trunkline_message`.
///
/// ```ignore
/// #[derive(Message, Clone, Debug, Default, PartialEq)]
/// #[message(name = "Order", message_type = "D")]
/// struct Order {
///     #[component(name = "Header")]
///     header: Header,                      // a struct that derives Message too
///     #[field(name = "ClOrdID", number = 11)]
///     cl_ord_id: Text,                     // required
///     #[field(name = "Price", number = 44)]
///     price: Option<Decimal>,              // optional
///     #[field(name = "EncodedText", number = 355, length = 354)]
///     encoded_text: Option<Vec<u8>>,       // data with its length field
///     #[group(name = "Allocations", number = 78, entry = "Allocation")]
///     allocations: Group<Allocation>,      // absent when empty, unless `required`
///     #[unknown]
///     unknown: Unknown,                    // keeps fields that the schema does not know
/// }
/// ```
/// Names are the Rust names where none is given (`#[message(rename_all = "camelCase")]` turns
/// them); `number` is needed by FIX only. `#[component(optional)]` makes a component optional; a
/// component's name may be a path (`"ApplicationMessage/MarketDataInc"`).
///
/// Wide and sparse structs mark one field with `#[presence]` (of type `Presence<N>`), give their
/// optional fields the plain type and `#[field(optional)]`, and get accessors for each, as visible as
/// the struct: `price()`, `set_price(..)`, `clear_price()`. For such structs `PartialEq` and `Debug` come from this derive.
#[proc_macro_derive(Message, attributes(message, field, component, group, presence, unknown))]
pub fn derive_message(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    parse::Struct::from_input(&input)
        .map(|it| expand::expand(&it))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

//! `derive(Message)`: a struct becomes a message, a component or a list's entry; an enum a choice or an
//! enumeration.

#![forbid(unsafe_code)]

mod enums;
mod expand;
mod parse;

use proc_macro::TokenStream;

/// Implements `Fields`, `FieldValue`, `Structure` and `Message` of `trunkline_message`.
///
/// ```
/// use trunkline_message::{Group, Message, Unknown};
/// use trunkline_wire::{Decimal, Text};
///
/// #[derive(Message, Clone, Debug, Default, PartialEq)]
/// #[message(name = "Order")]
/// #[fix(message_type = "D")]
/// struct Order {
///     #[field(name = "Header")]
///     header: Header,                 // a struct that derives Message too
///     #[field(name = "ClOrdID")]
///     #[fix(tag = 11)]
///     cl_ord_id: Text,                // required
///     #[field(name = "Price")]
///     #[fix(tag = 44)]
///     price: Option<Decimal>,         // optional
///     #[field(name = "EncodedText")]
///     #[fix(tag = 355, length = 354)]
///     encoded_text: Option<Vec<u8>>,  // data with its length field
///     #[field(name = "Allocations")]
///     #[fix(tag = 78)]
///     #[xml(entry = "Allocation")]
///     allocations: Group<Allocation>, // absent when empty, unless `required`
///     #[unknown]
///     unknown: Unknown,               // keeps fields that the schema does not know
/// }
/// # #[derive(Message, Clone, Debug, Default, PartialEq)]
/// # struct Header { #[fix(tag = 49)] sender: Text }
/// # #[derive(Message, Clone, Debug, Default, PartialEq)]
/// # struct Allocation { #[fix(tag = 79)] account: Text }
/// ```
///
/// Names are the Rust names where none is given (`#[message(rename_all = "camelCase")]` turns
/// them). A struct inside is there always, or with `#[field(implied)]` if anything inside it is; its
/// name may be a path (`"ApplicationMessage/MarketDataInc"`).
///
/// What only one format needs stands in an attribute of its name: `#[fix(message_type = "D")]` of a
/// struct, `#[fix(tag = 355, length = 354)]` and `#[xml(entry = "Allocation")]` of a member. XML names
/// entries after their type where nothing else is said. `#[cdr(switch = "i32")]` of a choice and
/// `#[cdr(label = "3")]` of an arm say how CDR has it as a union. Of formats without an attribute there is
/// `#[note(bencode(key = "px"))]`.
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
///     #[field(name = "BidPx", optional)]
///     #[fix(tag = 132)]
///     bid_px: Decimal,
/// }
/// let mut quote = Quote::default();
/// quote.set_bid_px(7);
/// assert_eq!(quote.bid_px(), Some(&Decimal::from(7)));
/// quote.clear_bid_px();
/// assert_eq!(quote.bid_px(), None);
/// ```
///
/// An enum is an enumeration if no variant holds anything, and else a choice, of which one arm is there. An
/// `Option<Struct>` may be there with nothing inside. Lists are `Vec<Item>`, of values, structs, enums
/// or lists, and `Vec<Option<Item>>` if an item may be nil; of exactly so many items `[Item; 3]`. What holds itself does so by way of a list or an
/// `Option<Box<Self>>`:
///
/// ```
/// use trunkline_message::Message;
///
/// #[derive(Message, Clone)]
/// enum Side {
///     #[fix(code = "1")]
///     Buy,
///     #[fix(code = "2")]
///     Sell,
/// }
/// #[derive(Message, Clone)]
/// enum Price {
///     Market,
///     Limit(f64),
/// }
/// #[derive(Message, Clone)]
/// struct Order {
///     side: Side,
///     price: Price,
///     replaces: Option<Box<Order>>,
///     notes: Vec<String>,
/// }
/// ```
///
/// Without end no struct may hold itself, which is a compile error, a cycle of
/// [`DEPTH`](../trunkline_message/trait.FieldValue.html):
///
/// ```compile_fail
/// # use trunkline_message::Message;
/// #[derive(Message, Clone)]
/// struct Folder {
///     parent: Box<Folder>, // `Option<Box<Folder>>`, and it compiles
/// }
/// ```
///
/// No struct inside may be called as a kind of value is:
///
/// ```compile_fail
/// # use trunkline_message::Message;
/// #[derive(Message, Clone, Default)]
/// struct Time { // `Clock`, and it compiles
///     hour: u8,
///     minute: u8,
/// }
/// #[derive(Message, Clone, Default)]
/// struct Alarm {
///     at: Time,
/// }
/// ```
/// Names are those that every format can print:
///
/// ```compile_fail
/// # use trunkline_message::Message;
/// #[derive(Message, Clone, Default)]
/// struct Order {
///     #[field(name = "limit price")] // `limit-price`, and it compiles
///     price: f64,
/// }
/// ```
///
/// A default is a value of its member's type, and its member no `Option`:
///
/// ```compile_fail
/// # use trunkline_message::Message;
/// #[derive(Message, Clone)]
/// struct Order {
///     #[field(default = "1.2.3")] // `1.2`, and it compiles
///     price: trunkline_wire::Decimal,
/// }
/// ```
///
/// ```compile_fail
/// # use trunkline_message::Message;
/// #[derive(Message, Clone, Copy)]
/// enum Side { Buy, Sell }
/// #[derive(Message, Clone)]
/// struct Order {
///     #[field(default = "Bye")] // `Buy`, and it compiles
///     side: Side,
/// }
/// ```
///
/// ```compile_fail
/// # use trunkline_message::Message;
/// #[derive(Message, Clone)]
/// struct Order {
///     #[field(default = "1")] // `u8`, and it compiles
///     count: Option<u8>,
/// }
/// ```
#[proc_macro_derive(
    Message,
    attributes(message, field, facet, fix, xml, cdr, note, presence, unknown)
)]
pub fn derive_message(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let expanded = match &input.data {
        syn::Data::Enum(data) => enums::expand(&input, data),
        _ => parse::Struct::from_input(&input).map(|it| expand::expand(&it)),
    };
    let of_rejected = |error: syn::Error| {
        let errors = error.to_compile_error();
        // What stands for a type with parameters would be wrong by itself.
        let is_plain =
            input.generics.params.is_empty() && !matches!(input.data, syn::Data::Union(_));
        let stand_in = is_plain.then(|| expand::rejected(&input.ident));
        quote::quote! { #errors #stand_in }
    };
    expanded.unwrap_or_else(of_rejected).into()
}

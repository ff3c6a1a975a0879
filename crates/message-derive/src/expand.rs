//! The code that a derive stands for.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned as _;

use crate::parse::{self, Member, Need, Note, Struct};

pub(crate) fn expand(input: &Struct) -> TokenStream {
    let positions = positions(input);
    let (fields, field_value) = (fields(input), field_value(input));
    let (structure, message) = (structure(input), message(&input.ident));
    let bits = input.presence.is_some().then(|| with_presence(input));
    quote! {
        const _: () = {
            use ::trunkline_message::Fields as _;
            #positions
            #fields
            #field_value
            #structure
            #message
            #bits
        };
    }
}

fn fields(input: &Struct) -> TokenStream {
    let ident = &input.ident;
    let (encode, decode, clear) = (encode(input), decode(input), clear(input));
    let unknown = input.unknown.as_ref().map(|unknown| {
        quote! {
            #[inline]
            fn unknown(&mut self) -> Option<&mut ::trunkline_message::Unknown> {
                Some(&mut self.#unknown)
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl ::trunkline_message::Fields for #ident {
            #[inline]
            fn encode_fields<E: ::trunkline_message::Encoder>(&self, base: usize, encoder: &mut E) {
                #encode
            }

            #[inline]
            fn decode_field<D: ::trunkline_message::Decoder>(
                &mut self,
                index: usize,
                decoder: &mut D,
            ) -> ::trunkline_message::Result<()> {
                #decode
            }

            #[inline]
            fn clear(&mut self) {
                #clear
            }

            #unknown
        }
    }
}

/// What it is as a member of another.
fn field_value(input: &Struct) -> TokenStream {
    let ident = &input.ident;
    let width = position(input.members.len());
    let depths = input.members.iter().map(|it| {
        let ty = &it.ty;
        quote! { <#ty as ::trunkline_message::FieldValue>::DEPTH }
    });
    let (alone, empty, assertions) = (alone(), empty(input), assertions(input));
    quote! {
        // An item of its own is evaluated whether it is used or not, so that structs that hold each
        // other are a compile error where they are defined.
        const _: usize = <#ident as ::trunkline_message::FieldValue>::DEPTH;
        #assertions

        #[automatically_derived]
        impl ::trunkline_message::FieldValue for #ident {
            const FORM: ::trunkline_message::Form = ::trunkline_message::Form::Struct;
            const WIDTH: usize = #width;
            const DEPTH: usize = ::trunkline_message::depth_around(&[#(#depths),*]);

            fn empty() -> Self {
                Self { #(#empty)* }
            }

            fn register(types: &mut ::trunkline_message::Types) -> ::trunkline_message::TypeId {
                types.structure::<Self>()
            }

            #[inline]
            fn encode<E: ::trunkline_message::Encoder>(&self, position: usize, encoder: &mut E) {
                self.encode_fields(position, encoder);
            }

            #[inline]
            fn decode<D: ::trunkline_message::Decoder>(
                &mut self,
                offset: usize,
                decoder: &mut D,
            ) -> ::trunkline_message::Result<()> {
                self.decode_field(offset, decoder)
            }

            #alone

            #[inline]
            fn reset(&mut self) {
                ::trunkline_message::Fields::clear(self);
            }
        }

        #[automatically_derived]
        impl ::trunkline_message::Element for #ident {}
    }
}

/// What is told of a member fits its type.
fn assertions(input: &Struct) -> TokenStream {
    let implied = input.members.iter().filter(|it| it.need == Need::Implied).map(|it| {
        let ty = &it.ty;
        quote_spanned! { ty.span() =>
            const _: () = assert!(
                matches!(<#ty as ::trunkline_message::FieldValue>::FORM, ::trunkline_message::Form::Struct),
                "only a struct is implied by what is inside; a list is without being told",
            );
        }
    });
    let bits = input.members.iter().filter(|it| has_bit(it)).map(|it| {
        let ty = &it.ty;
        quote_spanned! { ty.span() =>
            const _: () = assert!(
                <#ty as ::trunkline_message::FieldValue>::WIDTH == 1
                    && !matches!(
                        <#ty as ::trunkline_message::FieldValue>::FORM,
                        ::trunkline_message::Form::Struct | ::trunkline_message::Form::Choice
                    ),
                "a bit tells of a value or list; an optional struct is an Option",
            );
        }
    });
    let defaults = input.members.iter().filter_map(default_fits);
    quote! { #(#implied)* #(#bits)* #(#defaults)* }
}

/// A default is a value of the member's type.
fn default_fits(member: &Member) -> Option<TokenStream> {
    let (ty, default) = (&member.ty, member.default.as_ref()?);
    let text = default.value();
    let told = format!("the default {text:?} is no value of the member's type");
    let is_value = match parse::is_value(ty, &text) {
        Some(is_value) => quote! { #is_value },
        None => quote! {
            ::trunkline_message::is_one_of(
                #text, <#ty as ::trunkline_message::FieldValue>::VALUES,
            )
        },
    };
    Some(quote_spanned! { default.span() =>
        const _: () = {
            assert!(
                matches!(<#ty as ::trunkline_message::FieldValue>::FORM, ::trunkline_message::Form::Value)
                    && matches!(
                        <#ty as ::trunkline_message::FieldValue>::NEED,
                        ::trunkline_message::Need::Required
                    ),
                "a value that is no Option has a default",
            );
            assert!(#is_value, #told);
        };
    })
}

/// What stands for a type whose derive is rejected, so that the errors are all that is told of it and not each use as well.
pub(crate) fn rejected(ident: &Ident) -> TokenStream {
    quote! {
        const _: () = {
            #[automatically_derived]
            impl ::trunkline_message::Fields for #ident {
                fn encode_fields<E: ::trunkline_message::Encoder>(&self, _: usize, _: &mut E) {}
                fn decode_field<D: ::trunkline_message::Decoder>(
                    &mut self,
                    _: usize,
                    _: &mut D,
                ) -> ::trunkline_message::Result<()> {
                    Ok(())
                }
                fn clear(&mut self) {}
            }

            #[automatically_derived]
            impl ::trunkline_message::FieldValue for #ident {
                const FORM: ::trunkline_message::Form = ::trunkline_message::Form::Struct;
                fn empty() -> Self {
                    loop {}
                }
                fn register(types: &mut ::trunkline_message::Types) -> ::trunkline_message::TypeId {
                    types.structure::<Self>()
                }
                fn encode<E: ::trunkline_message::Encoder>(&self, _: usize, _: &mut E) {}
                fn decode<D: ::trunkline_message::Decoder>(
                    &mut self,
                    _: usize,
                    _: &mut D,
                ) -> ::trunkline_message::Result<()> {
                    Ok(())
                }
            }

            #[automatically_derived]
            impl ::trunkline_message::Structure for #ident {
                const NAME: &'static str = "";
                fn describe(_: &mut ::trunkline_message::Members<'_>) {}
                fn layout() -> &'static ::std::sync::Arc<::trunkline_message::Layout> {
                    loop {}
                }
            }

            #[automatically_derived]
            impl ::trunkline_message::Message for #ident {
                fn message_layout(&self) -> &::std::sync::Arc<::trunkline_message::Layout> {
                    loop {}
                }
            }

            #[automatically_derived]
            impl ::trunkline_message::Element for #ident {}
        };
    }
}

/// What has a scope of its own where it takes one position.
pub(crate) fn alone() -> TokenStream {
    quote! {
        #[inline]
        fn encode_alone<E: ::trunkline_message::Encoder>(&self, position: usize, encoder: &mut E) {
            encoder.structure(position, self);
        }

        #[inline]
        fn decode_alone<D: ::trunkline_message::Decoder>(
            &mut self,
            decoder: &mut D,
        ) -> ::trunkline_message::Result<()> {
            decoder.structure(self)
        }
    }
}

/// Every field of the struct: its default, zero or empty.
fn empty(input: &Struct) -> Vec<TokenStream> {
    let of_members = input.members.iter().enumerate().map(|(i, it)| {
        let (ident, ty, at) = (&it.ident, &it.ty, position(i));
        match it.default {
            Some(_) => quote! { #ident: ::trunkline_message::default_of::<Self, #ty>(#at), },
            None => {
                let value = as_value(ty);
                quote! { #ident: #value::empty(), }
            }
        }
    });
    let presence = input.presence.iter().map(|(ident, _)| ident);
    let others = presence.chain(&input.unknown);
    let others = others.map(|ident| quote! { #ident: ::core::default::Default::default(), });
    of_members.chain(others).collect()
}

/// A type and its members have names that every format can print.
pub(crate) fn check_names<'a>(
    (ident, of): (&Ident, &str),
    members: impl Iterator<Item = (&'a Ident, &'a String)>,
) -> TokenStream {
    let told = format!("{of:?} is not a name");
    let checks = members.map(|(ident, name)| {
        let told = format!("{name:?} is not a name, nor a path of names");
        quote_spanned! { ident.span() =>
            const _: () = assert!(::trunkline_message::is_path(#name), #told);
        }
    });
    let of_type = quote_spanned! { ident.span() =>
        const _: () = assert!(::trunkline_message::is_name(#of), #told);
    };
    quote! { #of_type #(#checks)* }
}

fn structure(input: &Struct) -> TokenStream {
    let (ident, name, layout) = (&input.ident, &input.name, layout(&input.name));
    let names = check_names((ident, name), input.members.iter().map(|it| (&it.ident, &it.name)));
    let of_type = input.notes.iter().map(|Note { format, word, value, .. }| {
        quote! { members.note_type(#format, #word, #value); }
    });
    let describe = input.members.iter().map(describe);
    quote! {
        #names

        #[automatically_derived]
        impl ::trunkline_message::Structure for #ident {
            const NAME: &'static str = #name;

            fn describe(members: &mut ::trunkline_message::Members<'_>) {
                #(#of_type)*
                #(#describe)*
            }

            #layout
        }
    }
}

pub(crate) fn layout(name: &str) -> TokenStream {
    quote! {
        fn layout() -> &'static ::std::sync::Arc<::trunkline_message::Layout> {
            static LAYOUT: ::std::sync::OnceLock<::std::sync::Arc<::trunkline_message::Layout>> =
                ::std::sync::OnceLock::new();
            LAYOUT.get_or_init(|| {
                let mut types = ::trunkline_message::Types::default();
                let root = types.structure::<Self>();
                match types.layout(root) {
                    Ok(layout) => ::std::sync::Arc::new(layout),
                    Err(error) => panic!("{}: {error}", #name),
                }
            })
        }
    }
}

pub(crate) fn message(ident: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::trunkline_message::Message for #ident {
            #[inline]
            fn message_layout(&self) -> &::std::sync::Arc<::trunkline_message::Layout> {
                <Self as ::trunkline_message::Structure>::layout()
            }
        }
    }
}

/// `P0`, `P1`, ... : the flat position of each member; the last one is the width.
fn positions(input: &Struct) -> TokenStream {
    let mut out = quote! { const P0: usize = 0; };
    for (i, member) in input.members.iter().enumerate() {
        let (this, next) = (position(i), position(i + 1));
        let ty = &member.ty;
        out.extend(quote! {
            const #next: usize = #this + <#ty as ::trunkline_message::FieldValue>::WIDTH;
        });
        // Decoding goes by the name.
        out.extend(member.is_narrow().then(|| {
            quote_spanned! { ty.span() =>
                const _: () = assert!(
                    #next - #this == 1,
                    "a struct inside is called as a kind of value is (Date, Time, Code, ...): \
                     give it another name",
                );
            }
        }));
    }
    out
}

/// A type as one of fields. Where it is none, all that stands for it is one error, at the type.
pub(crate) fn as_value(ty: &Type) -> TokenStream {
    quote! { <#ty as ::trunkline_message::FieldValue> }
}

fn position(i: usize) -> Ident {
    format_ident!("P{i}")
}

fn describe(member: &Member) -> TokenStream {
    let (name, ty) = (&member.name, &member.ty);
    let need = match member.need {
        Need::OfType => quote! { None },
        Need::Required => quote! { Some(::trunkline_message::Need::Required) },
        Need::Bit => quote! { Some(::trunkline_message::Need::Optional) },
        Need::Implied | Need::Default => quote! { Some(::trunkline_message::Need::Implied) },
    };
    let notes = member.notes.iter().map(|Note { format, word, value, .. }| {
        quote! { members.note(#format, #word, #value); }
    });
    let value = as_value(ty);
    quote! { #value::describe_as(members, #name, #need); #(#notes)* }
}

/// Members in their order; neighbours that have a bit are visited by one loop over the bits set.
fn encode(input: &Struct) -> TokenStream {
    let mut out = TokenStream::new();
    let mut i = 0;
    while i < input.members.len() {
        let end = (i..input.members.len()).find(|&j| !has_bit(&input.members[j]));
        let end = end.unwrap_or(input.members.len());
        if end > i {
            out.extend(encode_bits(input, i, end));
            i = end;
            continue;
        }
        let (member, at) = (&input.members[i], position(i));
        let (ident, value) = (&member.ident, as_value(&member.ty));
        out.extend(match member.need {
            Need::Required | Need::Default => {
                quote! { #value::encode(&self.#ident, base + #at, encoder); }
            }
            _ => quote! {
                if #value::is_there(&self.#ident) {
                    #value::encode(&self.#ident, base + #at, encoder);
                }
            },
        });
        i += 1;
    }
    if let Some(unknown) = &input.unknown {
        out.extend(quote! {
            if !self.#unknown.is_empty() {
                encoder.unknown(&self.#unknown);
            }
        });
    }
    out
}

fn has_bit(member: &Member) -> bool {
    member.need == Need::Bit
}

fn encode_bits(input: &Struct, start: usize, end: usize) -> TokenStream {
    let Some((presence, _)) = &input.presence else { return TokenStream::new() };
    let arms = (start..end).map(|i| {
        let (member, at) = (&input.members[i], position(i));
        let (ident, value) = (&member.ident, as_value(&member.ty));
        quote! { #i => #value::encode(&this.#ident, base + #at, encoder), }
    });
    // Else the compiler loads every field of the struct before the loop, set or not.
    quote! {
        for field in self.#presence.iter(#start, #end) {
            let this = ::core::hint::black_box(self);
            match field {
                #(#arms)*
                _ => {}
            }
        }
    }
}

/// What takes one position by its name is an arm of its own, so that the match is a table.
fn decode(input: &Struct) -> TokenStream {
    let mut arms = TokenStream::new();
    let mut ranges = TokenStream::new();
    for (i, member) in input.members.iter().enumerate() {
        let (ident, at, end) = (&member.ident, position(i), position(i + 1));
        let of_type = as_value(&member.ty);
        let offset = match member.is_narrow() {
            true => quote! { 0 },
            false => quote! { index - #at },
        };
        let value = match &input.presence {
            Some((presence, _)) if member.need == Need::Bit => quote! {{
                #of_type::decode(&mut self.#ident, #offset, decoder)?;
                self.#presence.insert(#i);
                Ok(())
            }},
            _ => quote! { #of_type::decode(&mut self.#ident, #offset, decoder), },
        };
        match member.is_narrow() {
            true => arms.extend(quote! { #at => #value }),
            // No range pattern: a struct inside may be without members.
            false => ranges.extend(quote! { index if (#at..#end).contains(&index) => #value }),
        }
    }
    quote! {
        match index {
            #arms
            #ranges
            _ => unreachable!("a plan visits the fields of its layout only"),
        }
    }
}

fn clear(input: &Struct) -> TokenStream {
    let mut out = TokenStream::new();
    if let Some((presence, _)) = &input.presence {
        out.extend(quote! { self.#presence.clear(); });
    }
    for (i, member) in input.members.iter().enumerate().filter(|(_, it)| !has_bit(it)) {
        let (ident, ty, at) = (&member.ident, &member.ty, position(i));
        let value = as_value(ty);
        out.extend(match member.default {
            Some(_) => quote! {
                ::trunkline_message::put_default::<Self, #ty>(#at, &mut self.#ident);
            },
            None => quote! { #value::reset(&mut self.#ident); },
        });
    }
    if let Some(unknown) = &input.unknown {
        out.extend(quote! { self.#unknown.clear(); });
    }
    out
}

/// What a struct with a presence field needs besides: accessors, and comparisons that do not see
/// what lies behind a bit that is not set.
fn with_presence(input: &Struct) -> TokenStream {
    let ident = &input.ident;
    let Some((presence, presence_type)) = &input.presence else { return TokenStream::new() };
    let count = input.members.len();
    let accessors = input
        .members
        .iter()
        .enumerate()
        .filter(|(_, it)| has_bit(it))
        .map(|(i, member)| accessor(i, member, presence, &input.visibility));
    let equal = input.members.iter().map(|member| {
        let field = &member.ident;
        if has_bit(member) {
            quote! { && self.#field() == other.#field() }
        } else {
            quote! { && self.#field == other.#field }
        }
    });
    let unknown_equal = input.unknown.iter().map(|it| quote! { && self.#it == other.#it });
    let shown = input.members.iter().map(|member| {
        let (field, name) = (&member.ident, member.ident.to_string());
        if has_bit(member) {
            quote! { if let Some(value) = self.#field() { out.field(#name, value); } }
        } else {
            quote! { out.field(#name, &self.#field); }
        }
    });
    let type_name = ident.to_string();
    quote! {
        const _: () = assert!(
            #count <= <#presence_type>::CAPACITY,
            "the presence field has too few words for the fields of the struct",
        );

        impl #ident {
            #(#accessors)*
        }

        #[automatically_derived]
        impl ::core::cmp::PartialEq for #ident {
            fn eq(&self, other: &Self) -> bool {
                self.#presence == other.#presence #(#equal)* #(#unknown_equal)*
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Debug for #ident {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let mut out = f.debug_struct(#type_name);
                #(#shown)*
                out.finish()
            }
        }
    }
}

fn accessor(
    i: usize,
    member: &Member,
    presence: &Ident,
    visibility: &syn::Visibility,
) -> TokenStream {
    let Member { ident, ty: value, name, docs, .. } = member;
    let (set, clear) = (format_ident!("set_{ident}"), format_ident!("clear_{ident}"));
    let (set_doc, clear_doc) = (format!("Sets {name}."), format!("Makes {name} absent."));
    let docs = if docs.is_empty() {
        let doc = format!("{name}, if it is set.");
        quote! { #[doc = #doc] }
    } else {
        quote! { #(#docs)* }
    };
    quote! {
        #docs
        #[inline]
        #visibility fn #ident(&self) -> Option<&#value> {
            self.#presence.contains(#i).then_some(&self.#ident)
        }

        #[doc = #set_doc]
        #[inline]
        #visibility fn #set(&mut self, value: impl Into<#value>) -> &mut Self {
            self.#ident = value.into();
            self.#presence.insert(#i);
            self
        }

        #[doc = #clear_doc]
        #[inline]
        #visibility fn #clear(&mut self) -> &mut Self {
            self.#presence.remove(#i);
            self
        }
    }
}

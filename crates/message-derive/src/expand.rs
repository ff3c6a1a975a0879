//! The code that a derive stands for.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::parse::{Form, Member, Role, Struct};

pub(crate) fn expand(input: &Struct) -> TokenStream {
    let positions = positions(input);
    let (fields, structure, message) = (fields(input), structure(input), message(input));
    let bits = input.presence.is_some().then(|| with_presence(input));
    quote! {
        const _: () = {
            use ::trunkline_message::{FieldValue as _, Fields as _};
            #positions
            #fields
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

fn structure(input: &Struct) -> TokenStream {
    let ident = &input.ident;
    let width = position(input.members.len());
    let depths =
        input.members.iter().filter(|it| !matches!(it.role, Role::Leaf { .. })).map(|it| {
            let value = &it.value;
            quote! { <#value as ::trunkline_message::Structure>::DEPTH }
        });
    let describe = input.members.iter().map(describe);
    let (name, message_type) = (&input.name, &input.message_type);
    quote! {
        // An item of its own is evaluated whether it is used or not, so that structs that hold each
        // other are a compile error where they are defined.
        const _: usize = <#ident as ::trunkline_message::Structure>::DEPTH;

        #[automatically_derived]
        impl ::trunkline_message::Structure for #ident {
            const WIDTH: usize = #width;
            const DEPTH: usize = ::trunkline_message::depth_around(&[#(#depths),*]);

            fn describe(schema: &mut ::trunkline_message::SchemaBuilder) {
                schema.of_type(#name);
                #(#describe)*
            }

            fn schema() -> &'static ::std::sync::Arc<::trunkline_message::Schema> {
                static SCHEMA: ::std::sync::OnceLock<::std::sync::Arc<::trunkline_message::Schema>> =
                    ::std::sync::OnceLock::new();
                SCHEMA.get_or_init(|| {
                    let mut schema = ::trunkline_message::Schema::builder(#name, #message_type);
                    <Self as ::trunkline_message::Structure>::describe(&mut schema);
                    match schema.build() {
                        Ok(schema) => ::std::sync::Arc::new(schema),
                        Err(error) => panic!("{}: {error}", #name),
                    }
                })
            }
        }
    }
}

fn message(input: &Struct) -> TokenStream {
    let ident = &input.ident;
    quote! {
        #[automatically_derived]
        impl ::trunkline_message::Message for #ident {
            #[inline]
            fn message_schema(&self) -> &::std::sync::Arc<::trunkline_message::Schema> {
                <Self as ::trunkline_message::Structure>::schema()
            }
        }
    }
}

/// `P0`, `P1`, ... : the flat position of each member; the last one is the width.
fn positions(input: &Struct) -> TokenStream {
    let mut out = quote! { const P0: usize = 0; };
    for (i, member) in input.members.iter().enumerate() {
        let (this, next) = (position(i), position(i + 1));
        let value = &member.value;
        let width = match member.role {
            Role::Component { .. } => quote! { <#value as ::trunkline_message::Structure>::WIDTH },
            _ => quote! { 1 },
        };
        out.extend(quote! { const #next: usize = #this + #width; });
    }
    out
}

fn position(i: usize) -> Ident {
    format_ident!("P{i}")
}

fn need(optional: bool) -> TokenStream {
    if optional {
        quote! { ::trunkline_message::Need::Optional }
    } else {
        quote! { ::trunkline_message::Need::Required }
    }
}

fn describe(member: &Member) -> TokenStream {
    let (name, number, value) = (&member.name, member.number, &member.value);
    match &member.role {
        Role::Leaf { form, length } => {
            let need = need(*form != Form::Required);
            quote! {
                schema.data_field(
                    #name,
                    #number,
                    #length,
                    <#value as ::trunkline_message::FieldValue>::KIND,
                    #need,
                );
            }
        }
        Role::Component { optional } => {
            // Only the innermost of a path is the struct's own; the outer ones hold nothing else.
            let steps: Vec<&str> = name.split('/').collect();
            let need = need(*optional);
            let ends = steps.iter().map(|_| quote! { schema.end(); });
            quote! {
                #(schema.begin_component(#steps, #need);)*
                schema.describe::<#value>();
                #(#ends)*
            }
        }
        Role::Group { entry, required } => {
            let need = need(!required);
            quote! {
                schema.begin_group(#name, #number, #entry, #need);
                schema.describe::<#value>();
                schema.end();
            }
        }
    }
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
        let ident = &member.ident;
        out.extend(match &member.role {
            Role::Leaf { form: Form::Option, .. } => quote! {
                if let Some(value) = &self.#ident {
                    value.encode(base + #at, encoder);
                }
            },
            Role::Leaf { .. } => quote! { self.#ident.encode(base + #at, encoder); },
            Role::Component { .. } => quote! { self.#ident.encode_fields(base + #at, encoder); },
            Role::Group { required: true, .. } => {
                quote! { encoder.group(base + #at, &self.#ident); }
            }
            Role::Group { .. } => quote! {
                if !self.#ident.is_empty() {
                    encoder.group(base + #at, &self.#ident);
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
    matches!(member.role, Role::Leaf { form: Form::Bit, .. })
}

fn encode_bits(input: &Struct, start: usize, end: usize) -> TokenStream {
    let Some((presence, _)) = &input.presence else { return TokenStream::new() };
    let arms = (start..end).map(|i| {
        let (ident, at) = (&input.members[i].ident, position(i));
        quote! { #i => self.#ident.encode(base + #at, encoder), }
    });
    quote! {
        for field in self.#presence.iter(#start, #end) {
            match field {
                #(#arms)*
                _ => {}
            }
        }
    }
}

fn decode(input: &Struct) -> TokenStream {
    let mut arms = TokenStream::new();
    let mut ranges = TokenStream::new();
    for (i, member) in input.members.iter().enumerate() {
        let (ident, at, value) = (&member.ident, position(i), &member.value);
        match &member.role {
            Role::Leaf { form: Form::Required, .. } => {
                arms.extend(quote! { #at => self.#ident.decode(decoder), });
            }
            Role::Leaf { form: Form::Option, .. } => arms.extend(quote! {
                #at => self
                    .#ident
                    .get_or_insert_with(<#value as ::core::default::Default>::default)
                    .decode(decoder),
            }),
            Role::Leaf { form: Form::Bit, .. } => {
                let (presence, _) = input.presence.as_ref().expect("checked when parsed");
                arms.extend(quote! {
                    #at => {
                        self.#ident.decode(decoder)?;
                        self.#presence.insert(#i);
                        Ok(())
                    }
                });
            }
            Role::Group { .. } => {
                arms.extend(quote! { #at => decoder.group(&mut self.#ident), });
            }
            Role::Component { .. } => {
                let end = position(i + 1);
                ranges.extend(quote! {
                    #at..#end => self.#ident.decode_field(index - #at, decoder),
                });
            }
        }
    }
    quote! {
        match index {
            #arms
            #ranges
            _ => unreachable!("a plan visits the fields of its schema only"),
        }
    }
}

fn clear(input: &Struct) -> TokenStream {
    let mut out = TokenStream::new();
    if let Some((presence, _)) = &input.presence {
        out.extend(quote! { self.#presence.clear(); });
    }
    for member in &input.members {
        let ident = &member.ident;
        out.extend(match &member.role {
            Role::Leaf { form: Form::Bit, .. } => continue,
            Role::Leaf { form: Form::Option, .. } => quote! { self.#ident = None; },
            Role::Leaf { form: Form::Required, .. } => quote! { self.#ident.reset(); },
            Role::Component { .. } | Role::Group { .. } => quote! { self.#ident.clear(); },
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
    let Member { ident, value, name, docs, .. } = member;
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

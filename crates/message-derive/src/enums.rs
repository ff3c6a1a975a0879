//! Enums: unit variants are the values of an enumeration, variants that hold something are the arms of a
//! choice.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result, Type, Variant};

use crate::expand::{alone, as_value, check_names, layout, message};
use crate::parse::{self, Note};

struct Arm {
    ident: Ident,
    name: String,
    /// What it holds, if it does.
    holds: Option<Type>,
    notes: Vec<Note>,
}

/// The code that a derive for an enum stands for.
pub(crate) fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let (name, camel) = parse::head(input)?;
    if data.variants.is_empty() {
        return Err(Error::new(input.span(), "an enum without variants says nothing"));
    }
    let is_choice = data.variants.iter().any(|it| !matches!(it.fields, Fields::Unit));
    let (mut arms, mut errors): (Vec<Arm>, _) = (Vec::new(), parse::Errors::default());
    for variant in &data.variants {
        arms.extend(errors.take(Arm::from_variant(variant, camel, is_choice)));
    }
    errors.add_repeated(arms.iter().map(|it| (&it.ident, &*it.name, &*it.notes)));
    let known: &[&[_]] = if is_choice { &[&parse::OF_CHOICES] } else { &[&parse::OF_ENUMERATIONS] };
    let of_type = errors.take(parse::notes(&input.attrs, known)).unwrap_or_default();
    errors.finish()?;
    // The values of an enumeration are texts, not names.
    let named = arms.iter().map(|it| (&it.ident, &it.name)).filter(|_| is_choice);
    let names = check_names((&input.ident, &name), named);
    let code = match is_choice {
        true => choice(&input.ident, &name, &of_type, &arms),
        false => enumeration(&input.ident, &name, &of_type, &arms),
    };
    Ok(quote! { const _: () = { #names #code }; })
}

impl Arm {
    fn from_variant(variant: &Variant, camel: bool, is_choice: bool) -> Result<Self> {
        let but = "a variant has `#[field(name = \"...\")]`";
        parse::reject_misplaced(&variant.attrs, &["message", "presence", "unknown"], but)?;
        let mut name = variant.ident.unraw().to_string();
        if camel {
            name[..1].make_ascii_lowercase();
        }
        for attribute in variant.attrs.iter().filter(|it| it.path().is_ident("field")) {
            attribute.parse_nested_meta(|meta| match meta.path.is_ident("name") {
                true => parse::text(&meta).map(|it| name = it),
                false => Err(meta.error("expected name")),
            })?;
        }
        let holds = match &variant.fields {
            Fields::Unit => None,
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Some(fields.unnamed[0].ty.clone())
            }
            _ => {
                let name = &variant.ident;
                let why = format!(
                    "an arm of a choice holds one thing: `{name}({name})`, a struct that derives `Message`"
                );
                return Err(Error::new(variant.fields.span(), why));
            }
        };
        if let Some(ty) = holds.as_ref().filter(|ty| parse::inner(ty, "Option").is_some()) {
            let why = "an arm of a choice is there if it is chosen, and holds no Option";
            return Err(Error::new(ty.span(), why));
        }
        holds.as_ref().map_or(Ok(()), parse::reject_type)?;
        let known: &[&[_]] = match is_choice {
            true => &[&parse::OF_ARMS, &parse::FACETS],
            false => &[&parse::OF_VALUES],
        };
        let notes = parse::notes(&variant.attrs, known)?;
        Ok(Self { ident: variant.ident.clone(), name, holds, notes })
    }
}

fn choice(ident: &Ident, name: &str, of_type: &[Note], arms: &[Arm]) -> TokenStream {
    let (layout, message) = (layout(name), message(ident));
    let of_type = of_type.iter().map(|Note { format, word, value, .. }| {
        quote! { members.note_type(#format, #word, #value); }
    });
    let describe = arms.iter().map(|Arm { name, holds, notes, .. }| {
        let ty = holds_or_nothing(holds.as_ref());
        let notes = notes.iter().map(|Note { format, word, value, .. }| {
            quote! { members.note(#format, #word, #value); }
        });
        quote! {
            <#ty as ::trunkline_message::FieldValue>::describe_as(members, #name, None);
            #(#notes)*
        }
    });
    let (fields, value) = (choice_fields(ident, arms), choice_value(ident, arms));
    quote! {
        #fields
        #value

        #[automatically_derived]
        impl ::trunkline_message::Element for #ident {}

        #[automatically_derived]
        impl ::trunkline_message::Structure for #ident {
            const NAME: &'static str = #name;

            fn describe(members: &mut ::trunkline_message::Members<'_>) {
                #(#of_type)*
                #(#describe)*
            }

            #layout
        }

        #message
    }
}

fn holds_or_nothing(holds: Option<&Type>) -> TokenStream {
    holds.map_or(quote! { ::trunkline_message::Nothing }, |ty| quote! { #ty })
}

fn choice_fields(ident: &Ident, arms: &[Arm]) -> TokenStream {
    let encode = arms.iter().enumerate().map(|(i, Arm { ident, holds, .. })| match holds {
        Some(ty) => {
            let of_type = as_value(ty);
            quote! { Self::#ident(value) => #of_type::encode_alone(value, base + #i, encoder), }
        }
        None => quote! {
            Self::#ident => ::trunkline_message::Nothing.encode_alone(base + #i, encoder),
        },
    });
    let decode = arms.iter().enumerate().map(|(i, Arm { ident, holds, .. })| match holds {
        Some(ty) => {
            let of_type = as_value(ty);
            quote! {
                #i => {
                    if !matches!(self, Self::#ident(_)) {
                        *self = Self::#ident(#of_type::empty());
                    }
                    match self {
                        Self::#ident(value) => #of_type::decode_alone(value, decoder),
                        #[allow(unreachable_patterns)]
                        _ => unreachable!("it was made"),
                    }
                }
            }
        }
        None => quote! {
            #i => {
                *self = Self::#ident;
                ::trunkline_message::Nothing.decode_alone(decoder)
            }
        },
    });
    quote! {
        #[automatically_derived]
        impl ::trunkline_message::Fields for #ident {
            #[inline]
            fn encode_fields<E: ::trunkline_message::Encoder>(&self, base: usize, encoder: &mut E) {
                use ::trunkline_message::FieldValue as _;
                match self {
                    #(#encode)*
                }
            }

            #[inline]
            fn decode_field<D: ::trunkline_message::Decoder>(
                &mut self,
                index: usize,
                decoder: &mut D,
            ) -> ::trunkline_message::Result<()> {
                use ::trunkline_message::FieldValue as _;
                match index {
                    #(#decode)*
                    _ => unreachable!("a plan visits the fields of its layout only"),
                }
            }

            fn clear(&mut self) {
                *self = <Self as ::trunkline_message::FieldValue>::empty();
            }
        }
    }
}

/// What it is as a member of another.
fn choice_value(ident: &Ident, arms: &[Arm]) -> TokenStream {
    let (alone, width) = (alone(), arms.len());
    let first = &arms[0].ident;
    let empty = match &arms[0].holds {
        Some(ty) => {
            let of_type = as_value(ty);
            quote! { Self::#first(#of_type::empty()) }
        }
        None => quote! { Self::#first },
    };
    let depths = arms.iter().map(|it| {
        let ty = holds_or_nothing(it.holds.as_ref());
        quote! { <#ty as ::trunkline_message::FieldValue>::DEPTH }
    });
    quote! {
        const _: usize = <#ident as ::trunkline_message::FieldValue>::DEPTH;

        #[automatically_derived]
        impl ::trunkline_message::FieldValue for #ident {
            const FORM: ::trunkline_message::Form = ::trunkline_message::Form::Choice;
            const WIDTH: usize = #width;
            const OPTIONAL_WIDTH: usize = #width;
            const DEPTH: usize = ::trunkline_message::depth_around(&[#(#depths),*]);

            fn empty() -> Self {
                #empty
            }

            fn register(types: &mut ::trunkline_message::Types) -> ::trunkline_message::TypeId {
                types.structure::<Self>()
            }

            #[inline]
            fn encode<E: ::trunkline_message::Encoder>(&self, position: usize, encoder: &mut E) {
                ::trunkline_message::Fields::encode_fields(self, position, encoder);
            }

            #[inline]
            fn decode<D: ::trunkline_message::Decoder>(
                &mut self,
                offset: usize,
                decoder: &mut D,
            ) -> ::trunkline_message::Result<()> {
                ::trunkline_message::Fields::decode_field(self, offset, decoder)
            }

            #alone
        }
    }
}

fn enumeration(ident: &Ident, name: &str, of_type: &[Note], arms: &[Arm]) -> TokenStream {
    let variants: Vec<&Ident> = arms.iter().map(|it| &it.ident).collect();
    let names: Vec<&String> = arms.iter().map(|it| &it.name).collect();
    let places: Vec<usize> = (0..arms.len()).collect();
    let (first, item) = (variants[0], item(ident, variants[0]));
    let value = format_ident!("value");
    let of_type = of_type.iter().map(|Note { format, word, value, .. }| {
        quote! { types.notes().note_type(of, #format, #word, #value); }
    });
    let notes = arms.iter().enumerate().flat_map(|(i, it)| {
        it.notes.iter().map(move |Note { format, word, value, .. }| {
            let i = i as u32;
            quote! {
                let member = ::trunkline_message::MemberId { of, index: #i };
                types.notes().note_member(member, #format, #word, #value);
            }
        })
    });
    quote! {
        #[automatically_derived]
        impl ::trunkline_message::FieldValue for #ident {
            const VALUES: &'static [&'static str] = &[#(#names),*];

            fn empty() -> Self {
                Self::#first
            }

            fn register(types: &mut ::trunkline_message::Types) -> ::trunkline_message::TypeId {
                types.once::<Self>(|types| {
                    let of = types.enumeration(#name, Self::VALUES);
                    #(#of_type)*
                    #(#notes)*
                    of
                })
            }

            #[inline]
            fn encode<E: ::trunkline_message::Encoder>(&self, position: usize, encoder: &mut E) {
                let #value = match self {
                    #(Self::#variants => #places,)*
                };
                encoder.enumeration(position, #value);
            }

            #[inline]
            fn decode<D: ::trunkline_message::Decoder>(
                &mut self,
                _: usize,
                decoder: &mut D,
            ) -> ::trunkline_message::Result<()> {
                *self = match decoder.enumeration()? {
                    #(#places => Self::#variants,)*
                    _ => unreachable!("a decoder gives values of the enumeration only"),
                };
                Ok(())
            }
        }

        #item

        #[automatically_derived]
        impl ::trunkline_message::Element for #ident {}
    }
}

/// As an item of a list, a value is the only field of a scope.
fn item(ident: &Ident, first: &Ident) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::trunkline_message::Fields for #ident {
            #[inline]
            fn encode_fields<E: ::trunkline_message::Encoder>(&self, base: usize, encoder: &mut E) {
                ::trunkline_message::FieldValue::encode(self, base, encoder);
            }

            #[inline]
            fn decode_field<D: ::trunkline_message::Decoder>(
                &mut self,
                _: usize,
                decoder: &mut D,
            ) -> ::trunkline_message::Result<()> {
                ::trunkline_message::FieldValue::decode(self, 0, decoder)
            }

            fn clear(&mut self) {
                *self = Self::#first;
            }
        }

    }
}

//! What the attributes say.

use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Ident, LitInt, LitStr, Result};
use syn::{Type, Visibility};

pub(crate) struct Struct {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) name: String,
    pub(crate) message_type: String,
    pub(crate) members: Vec<Member>,
    pub(crate) presence: Option<(Ident, Type)>,
    pub(crate) unknown: Option<Ident>,
}

pub(crate) struct Member {
    pub(crate) ident: Ident,
    /// The type of the value, or of an entry: without the `Option` or `Group` around it.
    pub(crate) value: Type,
    pub(crate) name: String,
    pub(crate) number: u32,
    pub(crate) role: Role,
    pub(crate) docs: Vec<Attribute>,
}

pub(crate) enum Role {
    Leaf { form: Form, length: u32 },
    Component { optional: bool },
    Group { entry: String, required: bool },
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Required,
    Option,
    Bit,
}

#[derive(Default)]
struct Words {
    name: Option<String>,
    number: u32,
    length: u32,
    entry: Option<String>,
    optional: bool,
    required: bool,
}

impl Struct {
    pub(crate) fn from_input(input: &DeriveInput) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(Error::new(input.span(), "Message is derived for structs"));
        };
        let Fields::Named(fields) = &data.fields else {
            return Err(Error::new(input.span(), "Message needs named fields"));
        };
        if !input.generics.params.is_empty() {
            // One static schema would serve every type that stands for a parameter.
            let why = "Message is derived for structs without parameters";
            return Err(Error::new(input.generics.span(), why));
        }
        let (mut name, mut message_type, mut camel) =
            (input.ident.unraw().to_string(), String::new(), false);
        for attribute in input.attrs.iter().filter(|it| it.path().is_ident("message")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("name") {
                    name = text(&meta)?;
                } else if meta.path.is_ident("message_type") {
                    message_type = text(&meta)?;
                } else if meta.path.is_ident("rename_all") {
                    camel = match text(&meta)?.as_str() {
                        "camelCase" => true,
                        _ => return Err(meta.error("only \"camelCase\"")),
                    };
                } else {
                    return Err(meta.error("expected name, message_type or rename_all"));
                }
                Ok(())
            })?;
        }
        let mut out = Self {
            ident: input.ident.clone(),
            visibility: input.vis.clone(),
            name,
            message_type,
            members: Vec::new(),
            presence: None,
            unknown: None,
        };
        let bits = fields.named.iter().any(|field| has(&field.attrs, "presence"));
        for field in &fields.named {
            let ident = field.ident.clone().expect("named");
            if has(&field.attrs, "presence") {
                if out.presence.replace((ident, field.ty.clone())).is_some() {
                    return Err(Error::new(field.span(), "a second #[presence] field"));
                }
            } else if has(&field.attrs, "unknown") {
                if out.unknown.replace(ident).is_some() {
                    return Err(Error::new(field.span(), "a second #[unknown] field"));
                }
            } else {
                let member = Member::from_field(ident, field, camel, bits)?;
                member.refuse_itself(&input.ident)?;
                out.members.push(member);
            }
        }
        Ok(out)
    }
}

impl Member {
    fn from_field(ident: Ident, field: &syn::Field, camel: bool, bits: bool) -> Result<Self> {
        let rust_name = ident.unraw().to_string();
        let default = if camel { camel_case(&rust_name) } else { rust_name };
        let (role, words) = words(field)?;
        let (value, role) = match role {
            "component" => (field.ty.clone(), Role::Component { optional: words.optional }),
            "group" => {
                let value = inner(&field.ty, "Group")
                    .ok_or_else(|| Error::new(field.ty.span(), "a group is a Group<Entry>"))?;
                let entry = words.entry.ok_or_else(|| {
                    Error::new(field.span(), "a group says the name of an entry: entry = \"...\"")
                })?;
                (value, Role::Group { entry, required: words.required })
            }
            _ => {
                let (value, form) = match inner(&field.ty, "Option") {
                    Some(value) => (value, Form::Option),
                    None if words.optional && !bits => {
                        let why =
                            "`optional` needs a #[presence] field in the struct; else use Option";
                        return Err(Error::new(field.span(), why));
                    }
                    None if words.optional => (field.ty.clone(), Form::Bit),
                    None => (field.ty.clone(), Form::Required),
                };
                (value, Role::Leaf { form, length: words.length })
            }
        };
        let name = words.name.unwrap_or(default);
        let docs = field.attrs.iter().filter(|it| it.path().is_ident("doc")).cloned().collect();
        Ok(Self { ident, value, name, number: words.number, role, docs })
    }
}

impl Member {
    /// A schema lists the fields of a struct inside those of the struct around it, so a struct
    /// inside itself would have no end.
    fn refuse_itself(&self, outer: &Ident) -> Result<()> {
        let Type::Path(path) = &self.value else { return Ok(()) };
        let holds_itself = path.qself.is_none()
            && (path.path.is_ident(outer) || path.path.is_ident("Self"))
            && !matches!(self.role, Role::Leaf { .. });
        if !holds_itself {
            return Ok(());
        }
        let why = format!("{outer} holds itself: a schema is a tree of bounded depth");
        Err(Error::new(self.value.span(), why))
    }
}

/// What a member may be, and the words that its attribute knows.
const ROLES: [(&str, &[&str]); 3] = [
    ("field", &["name", "number", "length", "optional"]),
    ("component", &["name", "optional"]),
    ("group", &["name", "number", "entry", "required"]),
];

/// The member's role, a field where no attribute says so, and what the attribute says.
fn words(field: &syn::Field) -> Result<(&'static str, Words)> {
    let mut found = None;
    for attribute in &field.attrs {
        let role = ROLES.iter().find(|(role, _)| attribute.path().is_ident(role));
        let Some(&(role, known)) = role else { continue };
        if found.is_some() {
            return Err(Error::new(attribute.span(), "a second attribute for one member"));
        }
        let mut words = Words::default();
        if !matches!(attribute.meta, syn::Meta::Path(_)) {
            attribute.parse_nested_meta(|meta| words.take(&meta, known))?;
        }
        found = Some((role, words));
    }
    Ok(found.unwrap_or(("field", Words::default())))
}

impl Words {
    fn take(&mut self, meta: &ParseNestedMeta<'_>, known: &[&str]) -> Result<()> {
        match known.iter().find(|word| meta.path.is_ident(word)) {
            Some(&"name") => self.name = Some(text(meta)?),
            Some(&"entry") => self.entry = Some(text(meta)?),
            Some(&"number") => self.number = meta.value()?.parse::<LitInt>()?.base10_parse()?,
            Some(&"length") => self.length = meta.value()?.parse::<LitInt>()?.base10_parse()?,
            Some(&"optional") => self.optional = true,
            Some(&"required") => self.required = true,
            _ => return Err(meta.error(format!("expected one of: {}", known.join(", ")))),
        }
        Ok(())
    }
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|it| it.path().is_ident(name))
}

/// `T` of `wrapper<T>`.
fn inner(ty: &Type, wrapper: &str) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != wrapper {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner.clone()),
        _ => None,
    }
}

fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(input: DeriveInput) -> Option<String> {
        Struct::from_input(&input).err().map(|error| error.to_string())
    }

    #[test]
    fn a_struct_that_holds_itself_is_refused() {
        let why = "Node holds itself: a schema is a tree of bounded depth";
        for itself in [quote::quote!(Node), quote::quote!(Self)] {
            let node = syn::parse_quote! {
                struct Node { name: String, #[group(entry = "child")] children: Group<#itself> }
            };
            assert_eq!(problem(node).as_deref(), Some(why));
            let node = syn::parse_quote! { struct Node { #[component] inner: #itself } };
            assert_eq!(problem(node).as_deref(), Some(why));
        }
        let other = syn::parse_quote! {
            struct Node { #[group(entry = "child")] children: Group<other::Node> }
        };
        assert_eq!(problem(other), None);
    }
}

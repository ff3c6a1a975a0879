//! How the bodies of a binding look, whatever the SOAP version.

use trunkline_soap::Style;

use super::{Binding, Description};

/// What makes messages and port types differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    RpcEncoded,
    DocumentEncoded,
    RpcLiteral,
    Wrapped,
    Bare,
    /// As the two above, with the elements inside in no namespace.
    WrappedUnqualified,
    BareUnqualified,
}

/// How the types of a body are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// By the SOAP encoding.
    Encoded,
    /// Literal, elements inside in no namespace.
    Unqualified,
    /// Literal, every element in the target namespace.
    Qualified,
}

impl Shape {
    /// The encoded ones first: names of their types stand in messages (`xsi:type`) and should be
    /// the schema's own, also where literal types of the same names are numbered.
    pub(super) const ALL: [Self; 7] = [
        Self::RpcEncoded,
        Self::DocumentEncoded,
        Self::RpcLiteral,
        Self::Wrapped,
        Self::Bare,
        Self::WrappedUnqualified,
        Self::BareUnqualified,
    ];

    pub(super) fn of(binding: &Binding) -> Self {
        match (binding.style, binding.wrapped, binding.qualified) {
            (Style::RpcEncoded, ..) => Self::RpcEncoded,
            (Style::RpcLiteral, ..) => Self::RpcLiteral,
            (Style::DocumentEncoded, ..) => Self::DocumentEncoded,
            (Style::DocumentLiteral, true, true) => Self::Wrapped,
            (Style::DocumentLiteral, false, true) => Self::Bare,
            (Style::DocumentLiteral, true, false) => Self::WrappedUnqualified,
            (Style::DocumentLiteral, false, false) => Self::BareUnqualified,
        }
    }

    pub(super) fn form(self) -> Form {
        match self {
            Self::RpcEncoded | Self::DocumentEncoded => Form::Encoded,
            Self::RpcLiteral | Self::WrappedUnqualified | Self::BareUnqualified => {
                Form::Unqualified
            }
            Self::Wrapped | Self::Bare => Form::Qualified,
        }
    }

    pub(super) fn is_rpc(self) -> bool {
        matches!(self, Self::RpcEncoded | Self::RpcLiteral)
    }

    pub(super) fn is_encoded(self) -> bool {
        self.form() == Form::Encoded
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::RpcEncoded => "RpcEncoded",
            Self::DocumentEncoded => "DocumentEncoded",
            Self::RpcLiteral => "RpcLiteral",
            Self::Wrapped => "DocumentLiteralWrapped",
            Self::Bare => "DocumentLiteral",
            Self::WrappedUnqualified => "DocumentLiteralWrappedUnqualified",
            Self::BareUnqualified => "DocumentLiteralUnqualified",
        }
    }

    /// A name that only a document with several shapes has to tell from those of other shapes.
    pub(super) fn name(self, stem: &str, shapes: &[Self]) -> String {
        let suffix = if shapes.len() > 1 { self.suffix() } else { "" };
        format!("{stem}{suffix}")
    }

    pub(super) fn port_type(self, description: &Description, shapes: &[Self]) -> String {
        let own = || format!("{}PortType", description.name);
        self.name(&description.port_type.clone().unwrap_or_else(own), shapes)
    }
}

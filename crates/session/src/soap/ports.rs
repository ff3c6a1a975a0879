//! The ports of a service in its WSDL.

use trunkline_soap::{Style, Version};

use super::{Binding, wsdl};

/// A port for each path behind the address of a server. Each is named after its style, as an interface may have several;
/// those of one style are told apart by what else they differ in.
pub(super) fn of(service: &str, server: &str, paths: &[(String, Binding)]) -> Vec<wsdl::Binding> {
    let mut ports: Vec<wsdl::Binding> = Vec::new();
    for (path, binding) in paths {
        let is_free = |name: &String| ports.iter().all(|it| it.name != *name);
        let mut names = names(service, binding).into_iter();
        let name = names.by_ref().find(is_free).unwrap_or_else(|| {
            let last = detailed(service, binding);
            let mut numbered = (2..).map(|number| format!("{last}{number}"));
            numbered.find(is_free).unwrap_or_default()
        });
        ports.push(wsdl::Binding {
            name,
            binding: None,
            version: binding.version,
            style: binding.style,
            wrapped: binding.wrapped,
            qualified: binding.qualified,
            location: format!("{server}{path}"),
        });
    }
    ports
}

/// What a port may be called, best first.
fn names(service: &str, binding: &Binding) -> [String; 3] {
    let simple = format!("{service}{}", style(binding));
    let versioned = format!("{simple}{}", version(binding));
    [simple, versioned, detailed(service, binding)]
}

fn detailed(service: &str, binding: &Binding) -> String {
    let is_document = binding.style == Style::DocumentLiteral;
    let bare = if is_document && !binding.wrapped { "Bare" } else { "" };
    format!("{service}{bare}{}{}", style(binding), version(binding))
}

fn style(binding: &Binding) -> &'static str {
    match binding.style {
        Style::DocumentLiteral => "Port",
        Style::DocumentEncoded => "DocumentEncodedPort",
        Style::RpcLiteral => "RpcLiteralPort",
        Style::RpcEncoded => "RpcEncodedPort",
    }
}

fn version(binding: &Binding) -> &'static str {
    match binding.version {
        Version::Soap11 => "",
        Version::Soap12 => "12",
    }
}

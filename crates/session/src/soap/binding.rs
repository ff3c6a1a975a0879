//! How a service's messages look on the wire.

use trunkline_soap::{Layout, Options, Style, Version};

/// One of the ways to write the messages of an interface.
///
/// | | a call of `add` in namespace N |
/// |---|---|
/// | document/literal, wrapped | `<add xmlns=N><a>1</a><b>2</b></add>` |
/// | document/literal, bare | `<AddRequest xmlns=N><a>1</a><b>2</b></AddRequest>` |
/// | document/encoded | `<n:AddRequest xmlns:n=N><a xsi:type="xsd:int">1</a>...` |
/// | rpc/literal | `<n:add xmlns:n=N><a>1</a><b>2</b></n:add>` |
/// | rpc/encoded | `<n:add xmlns:n=N><a xsi:type="xsd:int">1</a>...` |
///
/// Replies are named `addResponse`, or after the response's struct. Source: WSDL 1.1 section 3.5,
/// SOAP 1.1 sections 5 and 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Document or rpc, literal or encoded.
    pub style: Style,
    /// Is the element in the Body of a document named after the operation, not the struct?
    pub wrapped: bool,
    /// With document/literal, are the elements inside the Body's child in the namespace of the service?
    /// See [`unqualified`](Self::unqualified).
    pub qualified: bool,
    /// Which SOAP a client speaks and a WSDL names. A service answers in that of the request.
    pub version: Version,
    /// Do answers in SOAP 1.2 name the return value, where values are encoded? See
    /// [`with_result`](Self::with_result).
    pub result: bool,
    /// May a call have its parameters by position, in rpc? See [`by_position`](Self::by_position).
    pub positional: bool,
}

impl Default for Binding {
    /// [`document_literal`](Self::document_literal), what most toolkits write today.
    fn default() -> Self {
        Self::document_literal()
    }
}

impl Binding {
    const fn new(style: Style, wrapped: bool) -> Self {
        Self {
            style,
            wrapped,
            qualified: true,
            version: Version::Soap11,
            result: false,
            positional: false,
        }
    }

    /// Document/literal, wrapped.
    pub const fn document_literal() -> Self {
        Self::new(Style::DocumentLiteral, true)
    }

    /// Document/literal, bare.
    pub const fn document_literal_bare() -> Self {
        Self::new(Style::DocumentLiteral, false)
    }

    /// Document/encoded.
    pub const fn document_encoded() -> Self {
        Self::new(Style::DocumentEncoded, false)
    }

    /// Rpc/literal.
    pub const fn rpc_literal() -> Self {
        Self::new(Style::RpcLiteral, true)
    }

    /// Rpc/encoded, with the type of each value.
    pub const fn rpc_encoded() -> Self {
        Self::new(Style::RpcEncoded, true)
    }

    /// The same with the elements inside the Body's child in no namespace, in document/literal: the
    /// schema says `elementFormDefault="unqualified"`, or nothing of it. So are the services of JAX-WS,
    /// CXF and Axis2 that were made from code.
    ///
    /// `<n:add xmlns:n=N><a>1</a><b>2</b></n:add>`
    #[must_use]
    pub const fn unqualified(mut self) -> Self {
        self.qualified = false;
        self
    }

    /// The same in SOAP 1.2.
    #[must_use]
    pub const fn soap12(mut self) -> Self {
        self.version = Version::Soap12;
        self
    }

    /// The same with `rpc:result` in answers of SOAP 1.2 whose only part is none of the request's, in
    /// rpc/encoded: it names that part as the return value (SOAP 1.2 part 2 section 4.2.1). The
    /// specification asks for it; zeep 4.3 reads no answer that has it, and so it has to be asked for.
    #[must_use]
    pub const fn with_result(mut self) -> Self {
        self.result = true;
        self
    }

    /// The same for callers that have no names of parameters, in rpc: PHP without a WSDL calls them `param0` and
    /// `param1`, SOAP::Lite as it likes. If the name of a call's first element is no parameter's, elements of such names
    /// are the parameters in the order of the struct; one too many is a fault. Without this, such elements are unknown
    /// content, and the parameters are missing. Nor do clients need it.
    #[must_use]
    pub const fn by_position(mut self) -> Self {
        self.positional = true;
        self
    }

    /// `document/literal` and so on.
    pub const fn name(&self) -> &'static str {
        match (self.style, self.wrapped) {
            (Style::DocumentLiteral, true) => "document/literal wrapped",
            (Style::DocumentLiteral, false) => "document/literal",
            (Style::DocumentEncoded, _) => "document/encoded",
            (Style::RpcLiteral, _) => "rpc/literal",
            (Style::RpcEncoded, _) => "rpc/encoded",
        }
    }

    /// The envelope in profiles: `soap-1.1-rpc-encoded`.
    pub(super) fn envelope(&self) -> String {
        let version = match self.version {
            Version::Soap11 => "1.1",
            Version::Soap12 => "1.2",
        };
        format!("soap-{version}-{}", self.name().replace(['/', ' '], "-"))
    }

    /// Name of the element in the Body: after the operation, or the struct.
    pub(super) fn element<'a>(&self, operation: &'a str, structure: &'a str) -> &'a str {
        match self.is_named_after_operation() {
            true => operation,
            false => structure,
        }
    }

    fn is_named_after_operation(&self) -> bool {
        self.wrapped || self.style.is_rpc()
    }

    /// How the codec writes and reads requests of an operation in a namespace; for replies,
    /// `operation` is `addResponse`.
    pub fn options(&self, namespace: &str, operation: &str) -> Options {
        let layout = match self.is_named_after_operation() {
            true => Layout::Operation,
            false => Layout::Message,
        };
        Options {
            version: self.version,
            style: self.style,
            layout,
            operation: operation.to_owned(),
            namespace: namespace.to_owned(),
            qualified: self.qualified,
            types: self.style.is_encoded(),
            zone: true,
            exponents: false,
            positional: self.positional,
            // A service looks at the header before, and a client after.
            any_header: true,
            ..Options::default()
        }
    }
}

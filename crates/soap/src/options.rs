//! Which SOAP is spoken: version, style, and what else differs between services.

use crate::envelope;
use crate::naming::Naming;

/// Which SOAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Version {
    /// SOAP 1.1, W3C note of 2000.
    #[default]
    Soap11,
    /// SOAP 1.2, W3C recommendation of 2007.
    Soap12,
}

/// What stands in the Body and how values are written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// An element named after the operation, its content by the encoding rules of section 5.
    #[default]
    RpcEncoded,
    /// An element named after the operation, its content by schema.
    RpcLiteral,
    /// The message itself, by schema.
    DocumentLiteral,
    /// The message itself, its content by the encoding rules of section 5.
    DocumentEncoded,
}

impl Style {
    /// Is the content by the encoding rules?
    pub fn is_encoded(self) -> bool {
        matches!(self, Self::RpcEncoded | Self::DocumentEncoded)
    }

    /// Is it an element named after an operation that stands in the Body?
    pub fn is_rpc(self) -> bool {
        matches!(self, Self::RpcEncoded | Self::RpcLiteral)
    }
}

/// Which element is the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Layout {
    /// One named after the schema: inside the operation's element with rpc, the Body's child with
    /// document.
    #[default]
    Message,
    /// The Body's child, which is named after the operation: the fields are the parameters of rpc,
    /// or the children of a wrapper (document/literal wrapped).
    Operation,
    /// One named after the operation, without an envelope: for header blocks and details of
    /// faults. Its content is by schema; with document/encoded by the encoding rules.
    Fragment,
    /// The Body: the fields are its children, where a document has several (WSDL 1.1 section 3.5). Its content is by
    /// schema, and it has no attributes for fields.
    Body,
    /// None: the Body is empty, and the message has no fields (Basic Profile 1.1, R2716).
    Nothing,
}

/// How messages are written, and what is expected of those that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which SOAP is written; both are read.
    pub version: Version,
    /// What stands in the Body.
    pub style: Style,
    /// Which element is the message.
    pub layout: Layout,
    /// The operation's name: for the rpc styles, and for [layouts](Self::layout) named after it.
    pub operation: String,
    /// Namespace of the Body's child, and with document/literal of every element inside that is
    /// [qualified](Self::qualified); empty for none.
    pub namespace: String,
    /// With document/literal, are the elements inside the Body's child in the namespace
    /// (`elementFormDefault="qualified"`)? If not, they are in none, as the schemas of most services
    /// have it that were made from code (XML Schema part 1 section 3.3.2 has it so by default).
    pub qualified: bool,
    /// Does every value have an `xsi:type`? Not where values are
    /// [attributes](Self::attributes), which have no attributes of their own, nor in
    /// [fragments](Layout::Fragment) by schema.
    ///
    /// With document/encoded, and with rpc/encoded where the [operation](Layout::Operation) is the
    /// message, entries and components have one too, by the schema's type names, and groups
    /// and lists of numbers are arrays of the encoding: `SOAP-ENC:arrayType="ns:customer[20]"`
    /// (SOAP 1.1 section 5.4.2), `itemType` and `arraySize` in SOAP 1.2 (part 2 section 3.1.4).
    pub types: bool,
    /// Do times of day and time stamps have a `Z`, for UTC? Then what comes without a
    /// zone has none, and is written without one again. If not, all are UTC by agreement, and none
    /// is written with a zone. Days keep the zone that they came with in both cases.
    pub zone: bool,
    /// May decimals that are read have an exponent? `xsd:decimal` has none (XML Schema Part 2, 3.2.3), but
    /// whoever holds prices as `xsd:double`, as the paper's programs did, writes one now and then.
    pub exponents: bool,
    /// With rpc, is it the answer of a call? Any element is read as the operation's, and where the
    /// operation is the message, its first child as the first field, whatever their names are: SOAP
    /// 1.1 section 7.1 names both by convention only. What is named by `rpc:result` (SOAP 1.2 part 2
    /// section 4.2.1) is the first field, too. What has the name of another field is that field.
    pub any_wrapper: bool,
    /// With rpc, and where the operation is the message, may a call have its parameters by position, as PHP sends
    /// them without a WSDL (`param0`, `param1`)? If the name of its first element is no parameter's, elements of such
    /// names are the parameters in their order; one too many is an error. Only where every parameter is an
    /// element of its own, and not in [answers](Self::any_wrapper).
    pub positional: bool,
    /// With rpc in SOAP 1.2, and where the operation is the message, is the first field the return
    /// value of a call? Then `rpc:result` says so (part 2 section 4.2.1) if it is set. Not where
    /// values are [attributes](Self::attributes).
    pub result: bool,
    /// Are header blocks that must be understood skipped like the others? For callers that have checked
    /// them. Otherwise they are an error.
    pub any_header: bool,
    /// Names of two to four characters in place of the schema's, those of attributes too (the
    /// paper's section 5.4).
    pub compact_tags: bool,
    /// Do components have no elements of their own? Their fields then stand in the element of the
    /// message or entry. A name that stands there more than once takes the name of the component
    /// around it in front, and so on outwards until it is unique: `SenderCompID`,
    /// `TargetCompID`. What is the same even so is numbered: `CompID-2`.
    pub flat: bool,
    /// Is every field with one value an attribute of the element that it stands in, as in FIXML
    /// 4.4? Lists, structs by themselves, arms of choices and items stay elements. Fields named `xmlns` and `href`, which mean
    /// something else as attributes, are numbered: `href-2`. A decoder accepts as many attributes
    /// of an element as [`Limits`](trunkline_message::Limits) say.
    pub attributes: bool,
    /// Is nil read as records hold it ([`Fields::is_nil`](trunkline_message::Fields::is_nil)): items of any array of the
    /// encoding, of which each may be nil (SOAP 1.1 section 5.1), but for lists of numbers; and structs that are nil and have
    /// attributes? Structs of Rust cannot hold that, and reject it all the same.
    pub nil_in_records: bool,
    /// May the element that is the message be nil, as its declaration says (`nillable="true"`)? A message that
    /// [is nil](trunkline_message::Fields::is_nil), as records and an `Option` of a struct can be, is written and read so.
    /// Others reject it, unless they have nothing that must be there. Not where the message is the Body or nothing.
    pub nillable: bool,
}

impl Default for Options {
    /// As the paper's Figure 6: SOAP 1.1, rpc/encoded, no namespace, no types.
    fn default() -> Self {
        Self {
            version: Version::default(),
            style: Style::default(),
            layout: Layout::default(),
            operation: "sendMessage".into(),
            namespace: String::new(),
            qualified: true,
            types: false,
            zone: false,
            exponents: true,
            any_wrapper: false,
            positional: false,
            result: false,
            any_header: false,
            compact_tags: false,
            flat: false,
            attributes: false,
            nil_in_records: false,
            nillable: false,
        }
    }
}

impl Options {
    /// Those that take effect: some leave others without a meaning.
    pub(super) fn effective(&self) -> Self {
        let fragment = self.layout == Layout::Fragment;
        let (body, nothing) = (self.layout == Layout::Body, self.layout == Layout::Nothing);
        let style = match self.style {
            Style::RpcEncoded | Style::RpcLiteral if fragment => Style::DocumentLiteral,
            _ if body || nothing => Style::DocumentLiteral,
            style => style,
        };
        Self {
            style,
            namespace: if body { String::new() } else { self.namespace.clone() },
            attributes: self.attributes && !body && !nothing,
            types: self.types
                && !self.attributes
                && !body
                && !nothing
                && (!fragment || style.is_encoded()),
            any_wrapper: self.any_wrapper && style.is_rpc(),
            positional: self.positional
                && style.is_rpc()
                && self.layout == Layout::Operation
                && !(self.attributes || self.any_wrapper),
            result: self.result
                && style.is_rpc()
                && self.version == Version::Soap12
                && self.layout == Layout::Operation
                && !self.attributes,
            nillable: self.nillable && !body && !nothing,
            ..self.clone()
        }
    }

    /// Is it an answer whose fields are parts of it?
    pub(super) fn is_answer(&self) -> bool {
        self.any_wrapper && self.layout == Layout::Operation && !self.attributes
    }

    /// Does the message stand inside the operation's element?
    pub(super) fn is_plain_rpc(&self) -> bool {
        self.style.is_rpc() && self.layout == Layout::Message
    }

    /// Are groups and lists arrays of the encoding?
    pub(super) fn has_arrays(&self) -> bool {
        self.types && self.style.is_encoded() && !self.is_plain_rpc()
    }

    /// Namespace of elements of which no note says more.
    pub(super) fn element_namespace(&self) -> &str {
        match self.style {
            Style::DocumentLiteral if self.qualified => &self.namespace,
            _ => "",
        }
    }

    pub(super) fn root_namespace(&self) -> &str {
        match self.layout {
            Layout::Body => envelope::namespaces(self.version).0,
            _ if self.is_plain_rpc() => "",
            _ => &self.namespace,
        }
    }

    /// What ends the start tag of an array, behind the count.
    pub(super) fn array_end(&self) -> &'static str {
        match self.version {
            Version::Soap11 => "]\">",
            Version::Soap12 => "\">",
        }
    }

    pub(super) fn prefixes(&self, naming: &Naming<'_>) -> Vec<(Box<str>, Box<str>)> {
        let (_, encoding) = envelope::namespaces(self.version);
        let types = [("xsi", envelope::XSI), ("xsd", envelope::XSD)];
        let own = (!self.namespace.is_empty()).then_some(("ns", &*self.namespace));
        let of_arrays = [("SOAP-ENC", encoding)].into_iter().chain(own);
        let xsi = types.into_iter().take(1).filter(|_| !naming.types.is_empty());
        let of_types = xsi.chain(naming.types.prefixes());
        let types = types.into_iter().filter(|_| self.types);
        let all = types.chain(of_arrays.filter(|_| self.has_arrays()));
        let all = all.chain(naming.namespaces.declared()).chain(of_types);
        all.map(|(prefix, name)| (prefix.into(), name.into())).collect()
    }
}

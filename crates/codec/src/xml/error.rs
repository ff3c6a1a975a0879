//! Errors in a document, and their places.

use std::fmt;

/// A document that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, in bytes. For UTF-8 and US-ASCII the offset counts from the first byte after a byte
    /// order mark; for other encodings it counts in the text transcoded to UTF-8, except for
    /// [`ErrorKind::InvalidEncoding`], which always counts in the bytes as they were given.
    pub offset: usize,
}

impl Error {
    #[cold]
    pub(super) fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "XML: {} at byte {}", self.kind, self.offset)
    }
}

impl std::error::Error for Error {}

impl From<Error> for trunkline_message::Error {
    #[cold]
    fn from(error: Error) -> Self {
        let kind = trunkline_message::ErrorKind::Syntax(format!("XML: {}", error.kind).into());
        Self::new(kind, error.offset)
    }
}

/// The facts a document can be rejected for. Sections are those of XML 1.0, fifth edition, unless
/// "Namespaces" stands before them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The document is longer than `Limits::message_bytes`, given here, or than 4 GiB.
    MessageTooLong(usize),
    /// Elements nest deeper than `Limits::depth`, given here.
    TooDeep(usize),
    /// A tag has more attributes and declarations than `Limits::attributes`, given here.
    TooManyAttributes(usize),
    /// A text or an attribute value is longer than `Limits::value_bytes`, given here.
    ValueTooLong(usize),

    /// The document is in an encoding that is not read; its name (section 4.3.3).
    UnsupportedEncoding(Box<str>),
    /// The declaration names an encoding that the bytes are not in (section 4.3.3).
    EncodingMismatch {
        /// The name in the declaration.
        declared: Box<str>,
        /// The encoding that the first bytes show.
        detected: &'static str,
    },
    /// A byte sequence is not allowed in the encoding given here.
    InvalidEncoding(&'static str),
    /// The declaration asks for a version other than 1.x (section 2.8).
    UnsupportedVersion,
    /// The XML declaration is malformed; what was expected (section 2.8).
    MalformedDeclaration(&'static str),

    /// There is a document type declaration.
    Doctype,
    /// There is a processing instruction, where [`Options`](super::Options) allow none.
    Instruction,
    /// The document ends without a root element (section 2.1).
    NoRoot,
    /// A second element follows the root (section 2.1).
    SecondRoot,
    /// Text, a reference or a CDATA section stands outside the root (section 2.8).
    ContentOutsideRoot,
    /// An end tag stands where no element is open.
    UnmatchedEndTag,
    /// An end tag does not match the innermost open element, named here (section 3).
    MismatchedEndTag(Box<str>),
    /// The document ends inside the element named here.
    UnclosedElement(Box<str>),
    /// The document ends inside a construct; the one named here.
    Unterminated(&'static str),

    /// A name is missing or begins with a wrong character (section 2.3); the name of what.
    ExpectedName(&'static str),
    /// Something else was expected, as described.
    Expected(&'static str),
    /// `<!` begins neither a comment nor a CDATA section.
    UnknownMarkup,
    /// A character that XML does not allow (section 2.2).
    ForbiddenCharacter(u32),
    /// `]]>` in text (section 2.4).
    CDataEndInText,
    /// `--` inside a comment (section 2.5).
    DoubleHyphen,
    /// A processing instruction has the target `xml` in upper or lower case (section 2.6).
    ReservedTarget,
    /// `<` in an attribute value (section 3.1).
    LessThanInAttribute,
    /// An attribute or declaration appears twice in a tag (section 3.1, Namespaces section 6.3).
    DuplicateAttribute,
    /// `&` does not begin a reference (section 4.1).
    MalformedReference,
    /// A reference to an entity other than lt, gt, amp, apos and quot (section 4.6).
    UnknownEntity,
    /// A character reference to a character that XML does not allow (section 4.1).
    ForbiddenReference,

    /// A name is not a qualified name: it has two colons, or one at an end (Namespaces section 4).
    MalformedQName,
    /// The target of a processing instruction has a colon (Namespaces section 7).
    ColonInTarget,
    /// A prefix is not bound (Namespaces section 5).
    UnboundPrefix(Box<str>),
    /// A prefix is bound to the empty string (Namespaces section 5).
    EmptyNamespace,
    /// `xml` or `xmlns` is declared, or `xmlns` used on an element (Namespaces section 3).
    ReservedPrefix,
    /// A declaration names the namespace of `xml` or `xmlns` (Namespaces section 3).
    ReservedNamespace,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ErrorKind::*;
        match self {
            MessageTooLong(limit) => write!(f, "document exceeds message_bytes = {limit}"),
            TooDeep(limit) => write!(f, "elements nest deeper than depth = {limit}"),
            TooManyAttributes(limit) => write!(f, "more attributes than attributes = {limit}"),
            ValueTooLong(limit) => write!(f, "value exceeds value_bytes = {limit}"),
            UnsupportedEncoding(name) => write!(
                f,
                "encoding {name:?} is not supported, expected UTF-8, UTF-16, ISO-8859-1 or US-ASCII"
            ),
            EncodingMismatch { declared, detected } => {
                write!(f, "encoding {declared:?} is declared but the document is in {detected}")
            }
            InvalidEncoding(encoding) => write!(f, "byte sequence is not valid {encoding}"),
            UnsupportedVersion => f.write_str("version is not supported, expected 1.0"),
            MalformedDeclaration(expected) => {
                write!(f, "malformed XML declaration, expected {expected}")
            }
            MismatchedEndTag(expected) => write!(f, "expected end tag </{expected}>"),
            UnclosedElement(name) => write!(f, "document ends, expected end tag </{name}>"),
            Unterminated(what) => write!(f, "document ends inside {what}"),
            ExpectedName(what) => write!(f, "expected {what}"),
            Expected(what) => write!(f, "expected {what}"),
            ForbiddenCharacter(code) => write!(f, "character U+{code:04X} is not allowed"),
            UnboundPrefix(prefix) => write!(f, "prefix {prefix:?} is not bound to a namespace"),
            fixed => f.write_str(fixed.sentence()),
        }
    }
}

impl ErrorKind {
    /// The description of a kind that carries nothing.
    fn sentence(&self) -> &'static str {
        use ErrorKind::*;
        match self {
            Doctype => "document type declarations are rejected",
            Instruction => "processing instructions are rejected, SOAP has none",
            NoRoot => "document ends without a root element",
            SecondRoot => "second element after the root, expected the end of the document",
            ContentOutsideRoot => "content outside the root element",
            UnmatchedEndTag => "end tag outside the root element",
            UnknownMarkup => "unknown markup, expected <!-- or <![CDATA[ after <!",
            CDataEndInText => "]]> in text, expected ]]&gt;",
            DoubleHyphen => "-- in a comment, expected -->",
            ReservedTarget => "processing instruction target xml, allowed only at the very start",
            LessThanInAttribute => "< in an attribute value, expected &lt;",
            DuplicateAttribute => "attribute appears twice in a tag",
            MalformedReference => "malformed reference, expected &name; or &#number; or &amp;",
            UnknownEntity => "unknown entity, expected lt, gt, amp, apos or quot",
            ForbiddenReference => "reference to a character that is not allowed",
            MalformedQName => "malformed qualified name, expected name or prefix:name",
            ColonInTarget => "colon in the target of a processing instruction",
            EmptyNamespace => "prefix bound to the empty string, expected a namespace name",
            ReservedPrefix => "prefixes xml and xmlns are reserved",
            ReservedNamespace => "the namespaces of xml and xmlns are reserved",
            _ => "malformed document",
        }
    }
}

/// At most the first 64 bytes of a name, so that an error never copies a long one.
#[cold]
pub(super) fn excerpt(name: &str) -> Box<str> {
    name[..name.floor_char_boundary(64)].into()
}

//! Structs as elements by themselves: contents of header blocks, details of faults.

use std::sync::Arc;

use trunkline_message::{Layout, Message, Result, Structure, UnknownContent};
use trunkline_soap::{self as soap, Decoder, Encoder, Fragment, Options, Plan, Style, Version};

/// By the encoding rules of a version, or by schema.
pub(super) type Encoding = Option<Version>;

/// How an element with the schema's name in a namespace looks, with no envelope around it.
fn plan(layout: &Arc<Layout>, namespace: &str, encoding: Encoding) -> Result<Arc<Plan>> {
    Plan::new(layout, &options(layout, namespace, encoding))
}

fn options(layout: &Layout, namespace: &str, encoding: Encoding) -> Options {
    let style = match encoding {
        Some(_) => Style::DocumentEncoded,
        None => Style::DocumentLiteral,
    };
    Options {
        version: encoding.unwrap_or_default(),
        style,
        types: encoding.is_some(),
        layout: soap::Layout::Fragment,
        operation: layout.name().to_owned(),
        namespace: namespace.to_owned(),
        zone: true,
        exponents: false,
        ..Options::default()
    }
}

/// A struct as an element that has its schema's name in a namespace.
///
/// # Errors
/// Text that XML cannot carry.
pub fn write<T: Structure + Message>(content: &T, namespace: &str) -> Result<Fragment> {
    write_as(None, content, namespace)
}

pub(super) fn write_as<T: Structure + Message>(
    encoding: Encoding,
    content: &T,
    namespace: &str,
) -> Result<Fragment> {
    let mut encoder = Encoder::new(&plan(T::layout(), namespace, encoding)?);
    let bytes = encoder.encode(content)?;
    Fragment::parse(&String::from_utf8_lossy(bytes))
}

/// The struct that an element describes. One that says that it is encoded (`encodingStyle`) is read so, with
/// the elements inside in the namespace or in none; or, if that fails, with the items of lists side by side, which
/// Axis has in the details of faults where other arrays stand.
///
/// # Errors
/// What is wrong at which byte in which field.
pub fn read<T: Structure + Message>(element: &Fragment) -> Result<T> {
    read_counted(element).0
}

/// As [`read`]; and how many elements the struct does not know, as
/// [`Decoder::unknown`](trunkline_soap::Decoder::unknown) has it, also beside an error.
pub fn read_counted<T: Structure + Message>(element: &Fragment) -> (Result<T>, usize) {
    let encoding = element.is_encoded().then(Version::default);
    let read = read_as(encoding, element, UnknownContent::Count);
    if encoding.is_none() || read.0.is_ok() {
        return read;
    }
    let by_schema = options(T::layout(), &element.name().namespace, None);
    let plan = Plan::new(T::layout(), &Options { qualified: false, ..by_schema });
    let again = plan.map(|plan| read_by(&plan, element, UnknownContent::Count));
    again.ok().filter(|it| it.0.is_ok()).unwrap_or(read)
}

pub(super) fn read_as<T: Structure + Message>(
    encoding: Encoding,
    element: &Fragment,
    unknown: UnknownContent,
) -> (Result<T>, usize) {
    let plan = match plan(T::layout(), &element.name().namespace, encoding) {
        Ok(plan) => plan,
        Err(error) => return (Err(error), 0),
    };
    read_by(&plan, element, unknown)
}

fn read_by<T: Structure + Message>(
    plan: &Arc<Plan>,
    element: &Fragment,
    unknown: UnknownContent,
) -> (Result<T>, usize) {
    let mut decoder = Decoder::new(plan).on_unknown(unknown);
    let mut content = T::empty();
    let read = decoder.decode(element.as_str().as_bytes(), &mut content);
    (read.map(|()| content), decoder.unknown())
}

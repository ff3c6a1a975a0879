//! A message that is nothing.

use trunkline_message::Message;

use crate::options::{Layout, Options, Style, Version};

/// A message that has nothing in the Body: what is asked or answered where a description has no part for it.
///
/// ```
/// use trunkline_message::Structure as _;
/// use trunkline_soap::{Encoder, Nothing, Plan, Version};
///
/// let plan = Plan::new(Nothing::layout(), &Nothing::options(Version::Soap11))?;
/// let text = String::from_utf8_lossy(Encoder::new(&plan).encode(&Nothing {})?).into_owned();
/// assert!(text.ends_with("<SOAP-ENV:Body></SOAP-ENV:Body></SOAP-ENV:Envelope>"));
/// # Ok::<(), trunkline_message::Error>(())
/// ```
#[derive(Message, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nothing {}

impl Nothing {
    /// How it is written.
    pub fn options(version: Version) -> Options {
        let (style, layout) = (Style::DocumentLiteral, Layout::Nothing);
        Options { version, style, layout, operation: String::new(), ..Options::default() }
    }
}

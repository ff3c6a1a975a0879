//! Descriptions of messages that others wrote, as [layouts](trunkline_message::Layout) that every format reads.
//!
//! | module | what it reads |
//! |---|---|
//! | [`fix`] | FIX dictionaries: those of QuickFIX and its kin, FIX Orchestra |
//! | [`idl`] | OMG IDL |
//! | [`xsd`] | XML Schema 1.0, and its drafts |
//! | [`wsdl`] | WSDL 1.1: services, and the messages of their operations |
//! | [`sample`] | samples of XML and JSON, for a first description of them |
//! | [`Description`] | a file of any of these kinds, or a listing |
//!
//! Nothing here does I/O: whoever calls hands over the bytes, or a [`Resolver`] for those of files that others
//! include. What is not understood is rejected, and what is
//! wrong but can be lived with is a warning; both are a [`Problem`], which says where it is and what to do.
//!
//! ```
//! use trunkline_import::{Limits, fix};
//!
//! let dictionary = fix::Dictionary::read(
//!     "own.xml",
//!     br#"<fix major="4" minor="4">
//!         <header><field name="SenderCompID" required="Y"/></header>
//!         <messages><message name="NewOrderSingle" msgtype="D"><field name="Side" required="Y"/></message></messages>
//!         <fields>
//!           <field number="49" name="SenderCompID" type="STRING"/>
//!           <field number="54" name="Side" type="CHAR">
//!             <value enum="1" description="BUY"/><value enum="2" description="SELL"/>
//!           </field>
//!         </fields></fix>"#,
//!     &Limits::default(),
//! )?;
//! let order = dictionary.message("D").expect("it is there");
//! let layout = dictionary.layout(order)?;
//! assert_eq!(layout.name(), "NewOrderSingle");
//! assert_eq!(dictionary.begin_string(), Some("FIX.4.4"));
//! # Ok::<(), trunkline_import::Problem>(())
//! ```

#![forbid(unsafe_code)]

mod description;
pub mod fix;
pub mod idl;

mod limits;
mod markup;
mod names;
mod nearest;
mod problem;
mod resolver;
pub mod sample;
mod source;
pub mod wsdl;
pub mod xsd;

pub use description::{Described, Description, Options};
pub use limits::Limits;
pub use nearest::nearest;
pub use problem::{Place, Problem, ProblemKind};
pub use resolver::Resolver;
pub use source::Source;
pub use xsd::located;

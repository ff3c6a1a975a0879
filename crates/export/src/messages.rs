//! The messages of a description, laid out.

use trunkline_import::{Described, Description, Problem};
use trunkline_message::Layout;

use crate::LeftOut;

/// Those of its messages that have a layout.
#[derive(Debug, Default)]
pub struct Messages {
    /// In the order of the description.
    pub messages: Vec<Message>,
    /// Those that have none.
    pub left_out: Vec<LeftOut>,
}

/// A message of a description.
#[derive(Debug)]
pub struct Message {
    /// What the description calls it.
    pub name: String,
    /// What is said.
    pub layout: Layout,
    /// The namespace and the name of its element, if the description has elements.
    pub element: Option<(String, String)>,
    /// May that be nil?
    pub is_nillable: bool,
}

impl Messages {
    /// Every message, or the one of this name; of WSDL, what operations take and answer.
    ///
    /// # Errors
    /// The message that is asked for has no layout.
    pub fn of(description: &Description, only: Option<&str>) -> Result<Self, Problem> {
        let names = match (only, description) {
            (Some(only), _) => vec![only.to_owned()],
            (None, Description::Services(_)) => {
                let operations = description.messages().into_iter();
                operations.flat_map(|it| [format!("{it}/response"), it]).collect()
            }
            (None, _) => description.messages(),
        };
        let mut all = Self::default();
        for name in names {
            match description.message(&name) {
                Ok(Some(Described { layout, soap })) => {
                    let is_nillable = soap.as_ref().is_some_and(|it| it.nillable);
                    let element = soap.map(|it| (it.namespace, it.operation));
                    all.messages.push(Message { name, layout, element, is_nillable });
                }
                Ok(None) => {}
                Err(problem) if only.is_some() => return Err(problem),
                Err(problem) => {
                    all.left_out.push(LeftOut { what: name, why: problem.to_string() });
                }
            }
        }
        Ok(all)
    }
}

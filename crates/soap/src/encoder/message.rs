//! Whole messages, and what is nil: they, entries and structs.

use trunkline_message::Fields;

use super::form::Form;
use super::{Body, write};
use crate::container::Enclosing;
use crate::envelope::XSI;
use crate::plan::NONE;

impl<F: Form, const ATTRIBUTES: bool> Body<'_, F, ATTRIBUTES> {
    /// Writes the message behind its own start tag, and all behind it.
    #[inline(always)]
    pub(super) fn message<T: Fields>(&mut self, message: &T) {
        self.check(message);
        self.fields(message);
        self.finish_scope();
        if ATTRIBUTES {
            self.close(&self.plan.root_end);
        }
        write(self.output, &self.plan.epilogue);
    }

    /// Writes a message that is nil, whose start tag was written as that of any other, and all behind it.
    #[cold]
    #[inline(never)]
    pub(super) fn nil_message<T: Fields>(&mut self, message: &T) {
        let plan = self.plan;
        let mut behind = plan.epilogue.to_vec();
        if !ATTRIBUTES {
            // The tag has ended, and its end tag would follow.
            self.output.truncate(self.output.len() - 1);
            behind.drain(..plan.root_end.len());
        }
        self.end_as_nil(message);
        self.output.extend(&behind);
    }

    /// Writes an entry or a struct that is nil: its element with the attributes that it has.
    #[cold]
    #[inline(never)]
    pub(super) fn nil<T: Fields>(&mut self, enclosing: Option<&Enclosing>, value: &T) {
        (self.next, self.component) = (0, NONE);
        if ATTRIBUTES {
            self.finish_tag();
        }
        let name = match enclosing {
            Some(element) => element.name.to_string(),
            None => self.scope.slots[0].name(),
        };
        self.output.extend(format!("<{name}").as_bytes());
        self.end_as_nil(value);
    }

    /// Ends the start tag that is open as that of an element which is nil, with the attributes that it has.
    fn end_as_nil<T: Fields>(&mut self, value: &T) {
        let declared = match self.plan.has_xsi {
            true => String::new(),
            false => format!(" xmlns:xsi=\"{XSI}\""),
        };
        self.output.extend(format!("{declared} xsi:nil=\"true\"").as_bytes());
        let (before, events) = (self.output.len(), self.form.events());
        self.tag_is_open = ATTRIBUTES;
        self.fields(value);
        let has_content = match ATTRIBUTES {
            true => !std::mem::take(&mut self.tag_is_open),
            false => (before, events) != (self.output.len(), self.form.events()),
        };
        if has_content {
            return self.fail(usize::MAX, "it is nil, and has more than attributes");
        }
        self.output.extend(b"/>");
    }
}

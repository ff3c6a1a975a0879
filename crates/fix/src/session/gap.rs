//! Messages that are missing, on either side: asked for, kept until their turn, sent again.

use std::collections::BTreeMap;

use crate::application::{Application, Notice};
use crate::message::Message;
use crate::outbox::push;
use crate::session::{PAUSE, Session};
use crate::settings::Role;
use crate::tags;

/// What came before its turn, and what was asked for.
#[derive(Debug, Default)]
pub(super) struct Gap {
    /// Messages by their numbers; none if all but its number is done with.
    kept: BTreeMap<u64, Option<Vec<u8>>>,
    bytes: usize,
    asked: Option<Asked>,
}

/// What was asked for and is not there yet.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// The last message that was missing.
    last: u64,
    /// The last that was asked for so far.
    so_far: u64,
}

impl Gap {
    /// Keeps a message until its turn, if there is room.
    fn keep(&mut self, number: u64, message: Option<&[u8]>, most: usize) {
        let bytes = message.map_or(0, <[u8]>::len) + 64;
        if self.bytes + bytes <= most && !self.kept.contains_key(&number) {
            self.bytes += bytes;
            self.kept.insert(number, message.map(<[u8]>::to_vec));
        }
    }

    /// The message whose turn it is, if it is here; those before are done with.
    fn take(&mut self, expected: u64) -> Option<Option<Vec<u8>>> {
        while let Some(first) = self.kept.first_entry() {
            if *first.key() > expected {
                return None;
            }
            let (number, message) = first.remove_entry();
            self.bytes -= message.as_ref().map_or(0, Vec::len) + 64;
            if number == expected {
                return Some(message);
            }
        }
        None
    }

    /// Forgets all that is kept and was asked for.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Session {
    /// The other side goes on as if it lacked nothing: it would have asked at the Logon. What was on its way when it last did
    /// so has arrived, too; newer messages may have crossed this one.
    pub(super) fn lacks_nothing(&mut self) {
        if self.resending.is_none() {
            self.outbox.has_arrived_before(self.next_at_sign);
            self.next_at_sign = self.outbox.next_sender();
        }
    }

    /// A message came before its turn: those before it are asked for, unless they were already.
    pub(super) fn early(
        &mut self,
        number: u64,
        message: Option<Message<'_>>,
        application: &mut dyn Application,
    ) {
        let most = self.settings().kept_bytes;
        self.gap.keep(number, message.map(|it| it.bytes()), most);
        self.ask_up_to(number, application);
    }

    /// Asks for what is missing before a number.
    fn ask_up_to(&mut self, number: u64, application: &mut dyn Application) {
        let expected = self.outbox.next_target();
        if self.gap.asked.is_some() || number <= expected {
            return;
        }
        let last = number - 1;
        application.noticed(Notice::Gap { from: expected, to: last });
        self.ask(expected, last);
    }

    /// The other side sends what is missing before a number, without being asked.
    pub(super) fn will_come_up_to(&mut self, number: u64) {
        self.gap.asked = Some(Asked { last: number - 1, so_far: number - 1 });
    }

    /// Asks for messages, or for the first of them.
    fn ask(&mut self, from: u64, last: u64) {
        let settings = self.settings();
        let chunk = settings.resend_chunk.map(|it| from.saturating_add(it.max(1) - 1));
        let (so_far, end) = match chunk.filter(|end| *end < last) {
            Some(end) => (end, end),
            None if settings.resend_to_last => (last, last),
            None => (last, settings.identity.version.infinity()),
        };
        self.gap.asked = Some(Asked { last, so_far });
        let mut body = Vec::new();
        push(&mut body, tags::BEGIN_SEQ_NO, from);
        push(&mut body, tags::END_SEQ_NO, end);
        self.outbox.administrative(b"2", &[], &body);
    }

    /// Another message is expected now.
    pub(super) fn expect(&mut self, number: u64) {
        self.outbox.set_next_target(number);
        let Some(asked) = self.gap.asked else { return };
        if number > asked.last {
            self.gap.asked = None;
        } else if number > asked.so_far {
            self.ask(number, asked.last);
        }
    }

    /// A gap was filled as far as a number. Some fill it up to the last message that was asked for, which then does not
    /// come (as in QuickFIX/J's scripts). Who asks again while messages are on their way gets gaps filled that overlap, and
    /// passes over all but the first: so this is done for a filled gap alone.
    pub(super) fn expect_behind_filled(&mut self, number: u64) {
        self.expect(number);
        let Some(asked) = self.gap.asked else { return };
        if number == asked.so_far && asked.so_far < asked.last {
            self.ask(number, asked.last);
        }
    }

    /// Messages whose turn has come.
    pub(super) fn handle_kept(&mut self, application: &mut dyn Application) {
        while !self.is_over() {
            let expected = self.outbox.next_target();
            match self.gap.take(expected) {
                Some(Some(bytes)) => {
                    let mut fields = crate::message::Fields::default();
                    if let Ok(message) = fields.read(&bytes) {
                        self.handle(message, application);
                    }
                    if self.outbox.next_target() == expected {
                        return;
                    }
                }
                Some(None) => self.expect(expected.saturating_add(1)),
                None => break,
            }
        }
        // What was kept for want of a place, or came behind the gap that was asked for, shows as a new gap.
        if let Some(first) = self.gap.kept.keys().next().copied().filter(|_| self.is_logged_on()) {
            self.ask_up_to(first, application);
        }
    }

    /// The other side asks for messages again.
    pub(super) fn send_again(&mut self, from: u64, to: u64, application: &mut dyn Application) {
        let last = self.outbox.next_sender() - 1;
        let infinity = self.settings().identity.version.infinity();
        let to = if to == 0 || to == infinity { last } else { to.min(last) };
        let from = from.max(1);
        if from > to {
            return;
        }
        self.outbox.has_arrived_before(from);
        self.next_at_sign = from;
        application.noticed(Notice::Resend { from, to });
        self.resending = Some((from, to));
        self.send_more_again(application);
    }

    /// What the application sent between an initiator's Logon and the answer was kept. The other side cannot know of it, and
    /// would miss it only when the next message comes.
    pub(super) fn send_since_logon(&mut self, application: &mut dyn Application) {
        let last = self.outbox.next_sender() - 1;
        if self.settings().role == Role::Initiator && self.after_logon <= last {
            self.next_at_sign = self.after_logon;
            self.resending = Some((self.after_logon, last));
            self.send_more_again(application);
        }
    }

    /// Goes on sending again while the connection takes it.
    pub(super) fn send_more_again(&mut self, application: &mut dyn Application) {
        let pause = PAUSE.min(self.settings().output_bytes / 2);
        let (mut bytes, mut fields) = std::mem::take(&mut self.again);
        while let Some((next, to)) = self.resending.filter(|_| self.waiting() < pause) {
            let mut at = next;
            // What the application does not let through is part of the gap.
            let found = loop {
                let found = self.outbox.kept(at, &mut bytes, &mut fields);
                match found.filter(|(number, _)| *number <= to) {
                    Some((number, message)) if !application.may_send_again(message) => {
                        at = number + 1
                    }
                    Some((number, message)) => {
                        if number > next {
                            self.outbox.fill_gap(next, number);
                        }
                        self.outbox.send_again(number, message);
                        break Some(number);
                    }
                    None => break None,
                }
            };
            self.resending = match found {
                Some(number) if number < to => Some((number + 1, to)),
                Some(_) => None,
                None => {
                    self.outbox.fill_gap(next, to + 1);
                    None
                }
            };
        }
        self.again = (bytes, fields);
    }
}

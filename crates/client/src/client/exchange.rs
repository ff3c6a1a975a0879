//! What a client does with its stream: sending, reading, waiting for answers.

use std::hint;
use std::io::{self, ErrorKind};
use std::time::Duration;

use trunkline_native::RouterFrame;
use trunkline_reactor::{Address, Deadline, Idle, Stream};

use super::{Client, GATHERED};
use crate::conversation::Look;
use crate::error::{Error, Result};
use crate::event::Refusal;
use crate::options::Options;

/// Reads of one who spins between two looks at the clock, which takes as long as a read.
const LOOKS_BEFORE_CLOCK: u32 = 16;

/// Bytes that are sent between two reads where answers come: those to more would not fit into one.
const ASKED: usize = 16 << 10;

impl Client {
    #[inline]
    pub(super) fn flush_beyond(&mut self, bytes: usize) -> Result<()> {
        if self.conversation.output().len() > bytes { self.flush() } else { Ok(()) }
    }

    /// Writes what has gathered. While there is no room it reads: a router takes no more from who does not read its
    /// answers. What comes is put aside, so that this is not for who waits for an answer.
    pub(super) fn write(&mut self, timeout: Duration) -> Result<()> {
        // Counts from the last that was written.
        let mut deadline = None;
        while !self.conversation.output().is_empty() {
            match self.stream.write(self.conversation.output()) {
                Ok(bytes) => {
                    self.conversation.sent(bytes);
                    deadline = None;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let has_room = self.put_aside()?;
                    let deadline = *deadline.get_or_insert_with(|| Deadline::after(Some(timeout)));
                    self.wait_to_write(has_room, deadline)?;
                }
                Err(error) => return Err(self.why_ended(error)),
            }
        }
        Ok(())
    }

    /// Writes what has gathered, or as much as there is room for until something was read; false in the second case.
    pub(super) fn write_or_read(&mut self) -> Result<bool> {
        let mut deadline = None;
        while !self.conversation.output().is_empty() {
            match self.stream.write(self.conversation.output()) {
                Ok(bytes) => {
                    self.conversation.sent(bytes);
                    deadline = None;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.read()? {
                        return Ok(false);
                    }
                    let timeout = Some(self.options.timeout);
                    let deadline = *deadline.get_or_insert_with(|| Deadline::after(timeout));
                    self.wait_to_write(true, deadline)?;
                }
                // What the router has said before comes first.
                Err(_) if matches!(self.read(), Ok(true)) => return Ok(false),
                Err(error) => return Err(self.why_ended(error)),
            }
        }
        Ok(true)
    }

    /// Reads once what is there, and puts it aside; false if there is no room for it.
    fn put_aside(&mut self) -> Result<bool> {
        let has_room = self.look()?;
        if has_room && self.read()? { self.look() } else { Ok(has_room) }
    }

    /// Puts aside what has been read; false if there is no room for it.
    fn look(&mut self) -> Result<bool> {
        match self.conversation.look_for(|_| Look::<()>::Other) {
            Ok(_) => Ok(true),
            Err(Error::Aside { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits for room, or for bytes to read too.
    fn wait_to_write(&mut self, or_read: bool, deadline: Deadline) -> Result<()> {
        loop {
            let ready = self.stream.wait(or_read, true, deadline.left()).map_err(Error::Lost)?;
            if ready.writable || ready.readable && !deadline.is_over() {
                return Ok(());
            }
            if deadline.is_over() {
                return Err(Error::timed_out("room in the connection"));
            }
        }
    }

    /// Takes in what the router has said, without waiting: it may want a sign of life. What does not
    /// fit beside what was put aside stays where it is until it is received.
    pub(super) fn look_in(&mut self) -> Result<()> {
        self.put_aside()?;
        self.write(self.options.timeout)
    }

    /// One read; false if nothing was there.
    fn read(&mut self) -> Result<bool> {
        let most = self.conversation.read_at_most();
        let room = self.conversation.room();
        let most = most.min(room.len());
        match self.stream.read(&mut room[..most]) {
            Ok(0) => Err(self.ended()),
            Ok(bytes) => {
                self.conversation.filled(bytes);
                self.note_read();
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(Error::Lost(error)),
        }
    }

    /// Waits for something to read; false if the deadline is over before.
    pub(super) fn read_before(&mut self, deadline: Deadline) -> Result<bool> {
        // To read is to look: who spins makes a call less than to wait first.
        let spins = self.options.idle == Idle::Spin;
        let looks = if spins { LOOKS_BEFORE_CLOCK } else { 1 };
        loop {
            for _ in 0..looks {
                if self.read()? {
                    return Ok(true);
                }
                if deadline == Deadline::Now {
                    return Ok(false);
                }
                if spins {
                    hint::spin_loop();
                }
            }
            if deadline.is_over() {
                return Ok(false);
            }
            if !spins {
                self.stream.wait(true, false, deadline.left()).map_err(Error::Lost)?;
            }
        }
    }

    fn ended(&self) -> Error {
        match self.conversation.closed() {
            Some((code, reason)) => Error::Closed { code, reason: reason.to_owned() },
            None => Error::Ended,
        }
    }

    /// Why nothing can be written any more: perhaps the router has said it.
    fn why_ended(&mut self, error: io::Error) -> Error {
        loop {
            match self.read() {
                Ok(true) => match self.conversation.look_for(|_| Look::<()>::Other) {
                    Ok(_) => {}
                    Err(Error::Closed { code, reason }) => return Error::Closed { code, reason },
                    Err(_) => return Error::Lost(error),
                },
                Err(closed @ Error::Closed { .. }) => return closed,
                _ => return Error::Lost(error),
            }
        }
    }

    /// Sends what has gathered and waits for an answer.
    pub(super) fn wait_for<T>(
        &mut self,
        waiting_for: &'static str,
        timeout: Duration,
        look: impl FnMut(&RouterFrame<'_>) -> Look<T>,
    ) -> Result<T> {
        let answer = self.find_answer(waiting_for, timeout, look)?;
        self.write_little()?;
        Ok(answer)
    }

    /// As [`Client::wait_for`]; what the answer has set free is not sent.
    pub(super) fn find_answer<T>(
        &mut self,
        waiting_for: &'static str,
        timeout: Duration,
        mut look: impl FnMut(&RouterFrame<'_>) -> Look<T>,
    ) -> Result<T> {
        // Counts from when all is sent.
        let mut deadline = None;
        loop {
            let answer = self.conversation.look_for(&mut look)?;
            if let Some(answer) = answer {
                return Ok(answer);
            }
            if !self.conversation.output().is_empty() {
                self.write_part()?;
                continue;
            }
            let deadline = *deadline.get_or_insert_with(|| Deadline::after(Some(timeout)));
            if !self.read_before(deadline)? {
                return Err(Error::timed_out(waiting_for));
            }
        }
    }

    /// Sends answers to pings. What a producer may send again at once may be much more, and goes out while its
    /// answers are waited for.
    pub(super) fn write_little(&mut self) -> Result<()> {
        let is_little = self.conversation.output().len() <= GATHERED;
        if is_little { self.write(self.options.timeout) } else { Ok(()) }
    }

    /// Writes some of what has gathered, and reads what is there: a router takes no more from who asks
    /// much and reads no answers, which may be several times as long as what was asked.
    pub(super) fn write_part(&mut self) -> Result<()> {
        let output = self.conversation.output();
        match self.stream.write(&output[..output.len().min(ASKED)]) {
            Ok(bytes) => {
                self.conversation.sent(bytes);
                if !self.conversation.output().is_empty() {
                    self.read()?;
                }
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if self.read()? {
                    Ok(())
                } else {
                    self.wait_to_write(true, Deadline::after(Some(self.options.timeout)))
                }
            }
            Err(error) => Err(self.why_ended(error)),
        }
    }

    /// Waits until the router has worked through everything that was sent. `look` may answer with a
    /// refusal, the first of which is the error.
    pub(super) fn barrier(
        &mut self,
        mut look: impl FnMut(&RouterFrame<'_>) -> Look<Refusal>,
    ) -> Result<()> {
        self.last_ping += 1;
        let token = self.last_ping;
        self.conversation.ping(token);
        let mut refusal = None;
        self.wait_for("answer of the router", self.options.timeout, |frame| match frame {
            RouterFrame::Pong(answered) if *answered == token => Look::Answer(()),
            // One that was given up waiting for.
            RouterFrame::Pong(_) => Look::Part,
            frame => match look(frame) {
                Look::Answer(found) => {
                    refusal.get_or_insert(found);
                    Look::Part
                }
                Look::Part => Look::Part,
                Look::Other => Look::Other,
            },
        })?;
        refusal.map_or(Ok(()), |refusal| Err(Error::Refused(refusal)))
    }
}

pub(super) fn open(address: &Address, options: &Options) -> Result<Stream> {
    let mut stream = Stream::connect(address, options.timeout).map_err(Error::Connect)?;
    stream.set_idle(options.idle);
    if let Some(bytes) = options.send_buffer {
        stream.set_send_buffer(bytes).map_err(Error::Connect)?;
    }
    if let Some(bytes) = options.receive_buffer {
        stream.set_receive_buffer(bytes).map_err(Error::Connect)?;
    }
    Ok(stream)
}

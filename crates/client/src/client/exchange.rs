//! How a client uses its stream: sending, reading, waiting for answers.

use std::hint;
use std::io::{self, ErrorKind};
use std::time::Duration;

use trunkline_native::RouterFrame;
use trunkline_reactor::{Address, Deadline, Idle, Stream};

use super::{Client, GATHERED};
use crate::conversation::FrameClass;
use crate::error::{Error, Result};
use crate::event::Rejection;
use crate::options::Options;

/// Reads of a spinning client between two checks of the clock, which costs as much as a read.
const LOOKS_BEFORE_CLOCK: u32 = 16;

/// Bytes that are sent between two reads while answers come: the answers to more would not fit into one
/// read.
const WRITE_BETWEEN_READS: usize = 16 << 10;

impl Client {
    #[inline]
    pub(super) fn flush_beyond(&mut self, bytes: usize) -> Result<()> {
        if self.conversation.output().len() > bytes { self.flush() } else { Ok(()) }
    }

    /// Writes the output. While there is no room, it reads, because the router takes nothing more from a
    /// client that does not read its answers. Incoming frames are set aside, so a call that waits for an
    /// answer must not use this.
    pub(super) fn write(&mut self, timeout: Duration) -> Result<()> {
        // Counts from the last write.
        let mut deadline = None;
        while self.has_output() {
            match self.write_once(usize::MAX) {
                Ok(()) => deadline = None,
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

    /// Whether the system does not have everything yet.
    fn has_output(&self) -> bool {
        !self.conversation.output().is_empty() || self.stream.is_holding()
    }

    /// Writes at most so many bytes of the output, or what the stream holds of it.
    fn write_once(&mut self, most: usize) -> io::Result<()> {
        let output = self.conversation.output();
        if output.is_empty() {
            return match self.stream.flush()? {
                true => Ok(()),
                false => Err(ErrorKind::WouldBlock.into()),
            };
        }
        let bytes = self.stream.write(&output[..output.len().min(most)])?;
        self.conversation.sent(bytes);
        Ok(())
    }

    /// Writes the output, or as much as there is room for until something was read; false in the second
    /// case.
    pub(super) fn write_or_read(&mut self) -> Result<bool> {
        let mut deadline = None;
        while self.has_output() {
            match self.write_once(usize::MAX) {
                Ok(()) => deadline = None,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.read()? {
                        return Ok(false);
                    }
                    let timeout = Some(self.options.timeout);
                    let deadline = *deadline.get_or_insert_with(|| Deadline::after(timeout));
                    self.wait_to_write(true, deadline)?;
                }
                // An earlier message of the router takes precedence.
                Err(_) if matches!(self.read(), Ok(true)) => return Ok(false),
                Err(error) => return Err(self.why_ended(error)),
            }
        }
        Ok(true)
    }

    /// Reads once, and sets the frames aside; false if there is no room for them.
    fn put_aside(&mut self) -> Result<bool> {
        let has_room = self.look()?;
        if has_room && self.read()? { self.look() } else { Ok(has_room) }
    }

    /// Sets aside what was read; false if there is no room for it.
    fn look(&mut self) -> Result<bool> {
        match self.conversation.look_for(|_| FrameClass::<()>::Other) {
            Ok(_) => Ok(true),
            Err(Error::Aside { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits for room, or also for bytes to read.
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

    /// Processes what the router has sent, without waiting: it may ask for a sign of life. What does not
    /// fit beside the frames set aside stays in the stream until it is received.
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
        // A read is a check: a spinning client saves the call that would wait first.
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

    /// Why nothing can be written any more; the router may have given the reason.
    fn why_ended(&mut self, error: io::Error) -> Error {
        loop {
            match self.read() {
                Ok(true) => match self.conversation.look_for(|_| FrameClass::<()>::Other) {
                    Ok(_) => {}
                    Err(Error::Closed { code, reason }) => return Error::Closed { code, reason },
                    Err(_) => return Error::Lost(error),
                },
                Err(closed @ Error::Closed { .. }) => return closed,
                _ => return Error::Lost(error),
            }
        }
    }

    /// Sends the output and waits for an answer.
    pub(super) fn wait_for<T>(
        &mut self,
        waiting_for: &'static str,
        timeout: Duration,
        look: impl FnMut(&RouterFrame<'_>) -> FrameClass<T>,
    ) -> Result<T> {
        let answer = self.find_answer(waiting_for, timeout, look)?;
        self.write_little()?;
        Ok(answer)
    }

    /// As [`Client::wait_for`], but does not send what the answer has released.
    pub(super) fn find_answer<T>(
        &mut self,
        waiting_for: &'static str,
        timeout: Duration,
        mut look: impl FnMut(&RouterFrame<'_>) -> FrameClass<T>,
    ) -> Result<T> {
        // Counts from when everything is sent.
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

    /// Sends answers to pings. What a producer may resend at once can be much more; it goes out during the
    /// wait for its answers.
    pub(super) fn write_little(&mut self) -> Result<()> {
        let is_little = self.conversation.output().len() <= GATHERED;
        if is_little { self.write(self.options.timeout) } else { Ok(()) }
    }

    /// Writes a part of the output, and reads what is available: the router takes nothing more from a
    /// client that asks much and reads no answers, and answers may be several times as long as requests.
    pub(super) fn write_part(&mut self) -> Result<()> {
        match self.write_once(WRITE_BETWEEN_READS) {
            Ok(()) => {
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

    /// Waits until the router has processed everything that was sent. `look` may answer with a rejection, the
    /// first of which is the error.
    pub(super) fn barrier(
        &mut self,
        mut look: impl FnMut(&RouterFrame<'_>) -> FrameClass<Rejection>,
    ) -> Result<()> {
        self.last_ping += 1;
        let token = self.last_ping;
        self.conversation.ping(token);
        let mut rejection = None;
        self.wait_for("answer of the router", self.options.timeout, |frame| match frame {
            RouterFrame::Pong(answered) if *answered == token => FrameClass::Answer(()),
            // The PONG of an earlier barrier that timed out.
            RouterFrame::Pong(_) => FrameClass::Part,
            frame => match look(frame) {
                FrameClass::Answer(found) => {
                    rejection.get_or_insert(found);
                    FrameClass::Part
                }
                FrameClass::Part => FrameClass::Part,
                FrameClass::Other => FrameClass::Other,
            },
        })?;
        rejection.map_or(Ok(()), |rejection| Err(Error::Rejected(rejection)))
    }
}

pub(super) fn open(address: &Address, options: &Options) -> Result<Stream> {
    let mut stream = connect(address, options).map_err(Error::Connect)?;
    stream.set_idle(options.idle);
    if let Some(bytes) = options.send_buffer {
        stream.set_send_buffer(bytes).map_err(Error::Connect)?;
    }
    if let Some(bytes) = options.receive_buffer {
        stream.set_receive_buffer(bytes).map_err(Error::Connect)?;
    }
    Ok(stream)
}

#[cfg(feature = "tls")]
fn connect(address: &Address, options: &Options) -> io::Result<Stream> {
    match (address, &options.tls) {
        (Address::Tls(host), Some(tls)) => Stream::connect_tls(host, tls, options.timeout),
        _ => Stream::connect(address, options.timeout),
    }
}

#[cfg(not(feature = "tls"))]
fn connect(address: &Address, options: &Options) -> io::Result<Stream> {
    Stream::connect(address, options.timeout)
}

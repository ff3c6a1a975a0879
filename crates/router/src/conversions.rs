//! Conversions: renditions in other payload formats, which are not made here but by somebody who reads payloads, and
//! takes his time. Each message is converted once for all clients that want a format.
//!
//! ```text
//!   delayed: wanted ---> [format: first come, first served] --+-- next_conversion ---> made elsewhere
//!                        [format: likewise                ] --+   (formats take turns)        |
//!                                                                                             v
//!   delayed: delivered <--- in the slab, beside the message, until that goes <------------ converted
//! ```
//!
//! A conversion is a user of its message until it is made. What nobody wants any more when its turn comes is not made.
//! Memory that is short takes what was made as it takes other renditions; it is made again for whom still waits.

use std::collections::HashMap;

use crate::egress::{Content, Egress, Place, Turn};
use crate::message::{Message, Renderer, Rendition, RenditionFormat};
use crate::pool::NONE;
use crate::reasons::LONGEST_REASON;
use crate::router::Router;
use crate::slab::Handle;
use crate::topics::TopicId;

/// A conversion that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConversionId(u32);

/// A message to convert.
pub struct Conversion<'a> {
    /// What [`Router::converted`] is to be told.
    pub id: ConversionId,
    /// The format that it is wanted in.
    pub format: RenditionFormat,
    /// The message.
    pub message: Message<'a>,
}

/// One that is wanted or under way.
#[derive(Default)]
struct Pending {
    message: Handle,
    topic: u32,
    format: Option<RenditionFormat>,
    /// Clients whose next delivery needs it. Some may have gone.
    waiters: Vec<u32>,
}

/// Those that are wanted or under way.
#[derive(Default)]
pub(crate) struct Conversions {
    of: HashMap<(Handle, RenditionFormat), u32>,
    all: Vec<Pending>,
    free: Vec<u32>,
}

impl Conversions {
    /// The next delivery of a client needs a conversion.
    pub(crate) fn wake(&mut self, conversion: u32, client: u32) {
        self.all[conversion as usize].waiters.push(client);
    }

    fn add(&mut self, message: Handle, topic: u32, format: RenditionFormat) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(Pending::default());
            u32::try_from(self.all.len() - 1).expect("fewer than messages")
        });
        let it = &mut self.all[number as usize];
        (it.message, it.topic, it.format) = (message, topic, Some(format));
        self.of.insert((message, format), number);
        number
    }

    /// Ends one, and hands out who waited for it.
    fn end(&mut self, number: u32) -> Option<(Handle, RenditionFormat, Vec<u32>)> {
        let it = self.all.get_mut(number as usize)?;
        let format = it.format.take()?;
        let message = std::mem::take(&mut it.message);
        let waiters = std::mem::take(&mut it.waiters);
        self.of.remove(&(message, format));
        self.free.push(number);
        Some((message, format, waiters))
    }

    /// Bytes of memory, about.
    pub(crate) fn bytes(&self) -> usize {
        self.all.capacity() * (size_of::<Pending>() + 2 * size_of::<(Handle, u32)>())
    }
}

impl<R: Renderer> Egress<R> {
    /// The newest message in the slab, for one user more.
    pub(crate) fn keep_newest(&mut self, topic: u32, content: &Content<'_>) -> Handle {
        match self.shared(topic, content, Place::Nowhere) {
            Some(message) => message,
            None => self.share_newest(content, Place::Nowhere),
        }
    }

    /// Has a message converted, if that is not asked for already.
    pub(crate) fn want(&mut self, message: Handle, topic: u32, format: RenditionFormat) -> u32 {
        if let Some(number) = self.conversions.of.get(&(message, format)) {
            return *number;
        }
        self.slab.share(message);
        let number = self.conversions.add(message, topic, format);
        self.renditions.want(format, number);
        number
    }

    /// The next conversion to make whose message somebody still waits for.
    fn next_conversion(&mut self) -> Option<u32> {
        loop {
            let number = self.renditions.next_wanted()?;
            let message = self.conversions.all[number as usize].message;
            if self.slab.is_shared(message) {
                return Some(number);
            }
            self.end_conversion(number, None);
        }
    }

    /// Bytes of the message of a conversion.
    fn bytes_of(&self, number: u32) -> usize {
        let pending = self.conversions.all.get(number as usize);
        let pending = pending.filter(|it| it.format.is_some());
        pending.map_or(0, |it| self.slab.length(it.message))
    }

    /// What came of a conversion, or nothing if it was not made. Hands out who waited for it.
    fn end_conversion(&mut self, number: u32, made: Option<Result<&[u8], &str>>) -> Vec<u32> {
        let Some((message, format, waiters)) = self.conversions.end(number) else {
            return Vec::new();
        };
        self.renditions.end_pending(format, made.map(|it| it.is_ok()));
        if let Some(made) = made
            && self.slab.is_shared(message)
        {
            let (bytes, is_failed) = match made {
                Ok(bytes) => (bytes, false),
                Err(reason) => (reason.as_bytes(), true),
            };
            let rendition = Rendition { bytes, cuts: [0; 2], is_failed };
            self.slab.keep_rendition(message, format, &rendition);
        }
        self.slab.release(message);
        waiters
    }
}

impl<R: Renderer> Router<R> {
    /// The next message to convert for clients that wait for it. What comes of it is for [`Self::converted`]; how many
    /// are under way at a time is up to the caller.
    pub fn next_conversion(&mut self) -> Option<Conversion<'_>> {
        let number = self.egress.next_conversion()?;
        let egress = &self.egress;
        let pending = &egress.conversions.all[number as usize];
        let kept = egress.slab.get(pending.message);
        Some(Conversion {
            id: ConversionId(number),
            format: pending.format?,
            message: Message {
                topic: TopicId(pending.topic),
                sequence: kept.sequence,
                request: None,
                format: kept.format,
                payload: kept.payload,
                names: &self.names,
            },
        })
    }

    /// A message has been converted, or cannot be: then clients get a gap with the reason. Returns the bytes of its
    /// payload.
    pub fn converted(&mut self, now: u64, id: ConversionId, made: Result<&[u8], &str>) -> usize {
        let limit = self.egress.limits.message_bytes;
        let too_long = made.is_ok_and(|it| it.len() > limit).then(|| {
            let bytes = made.map_or(0, <[u8]>::len);
            format!("it would have {bytes} bytes, and {limit} are the most (limits.frame_bytes)")
        });
        let made = too_long.as_deref().map_or(made, Err);
        let made = made.map_err(|reason| &reason[..reason.floor_char_boundary(LONGEST_REASON)]);
        let payload = self.egress.bytes_of(id.0);
        let waiters = self.egress.end_conversion(id.0, Some(made));
        self.work += waiters.len();
        let turn = Turn { now, names: &self.names };
        for index in waiters {
            let Some(client) = &mut self.egress.clients[index as usize] else { continue };
            // It may be another client than the one that waited.
            match &mut client.port.delayed {
                Some(delayed) if delayed.awaits == id.0 => delayed.awaits = NONE,
                _ => continue,
            }
            self.egress.pump(&turn, index);
            self.egress.wake_walks(index);
        }
        if !self.egress.closing.is_empty() {
            self.finish_closing();
        }
        payload
    }
}

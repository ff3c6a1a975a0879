//! Attachments of calls that are sent as they are read, and read as they come.

use std::io::{self, Read};

use super::{CallError, Client};
use crate::soap::AttachmentReader;

impl Client {
    /// Attaches to the next request what is read while that is sent: a file, say, of any length. Gives the octets that the member has to have
    /// which refers to it. It goes in a package of the kind of [`set_attachments`](Self::set_attachments), else in one of MTOM; over
    /// HTTP/1.1, in chunks, on a new connection. The time-out for an answer holds for each MiB. A request that fails has read of it as much as it did.
    ///
    /// ```no_run
    /// use std::fs::File;
    /// use trunkline_message::Message;
    /// use trunkline_session::soap::Client;
    ///
    /// #[derive(Message, Default)]
    /// struct Recording { name: String, sound: Vec<u8> }
    ///
    /// #[derive(Message, Default)]
    /// struct Stored { bytes: u64 }
    ///
    /// let mut client = Client::new("http://localhost:8080/archive", "urn:example:archive")?;
    /// let sound = client.attach("audio/wav", File::open("long.wav")?)?;
    /// let stored: Stored = client.call("store", &Recording { name: "long".to_owned(), sound })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CallError::HttpHeader`]: there is no HTTP. SOAP/TCP has no packages.
    pub fn attach(
        &mut self,
        media_type: &str,
        octets: impl Read + Send + 'static,
    ) -> Result<Vec<u8>, CallError> {
        match self.exchange.posting() {
            Some(posting) => Ok(posting.outgoing().add(media_type, Box::new(octets))),
            None => Err(CallError::HttpHeader("SOAP/TCP carries no attachments".to_owned())),
        }
    }

    /// From here on, attachments of answers are not read with them, but by [`attachments`](Self::attachments). In the place of
    /// the octets of such an attachment its member has the URI that refers to it. Each call has a new connection.
    pub fn set_streams(&mut self, streams: bool) {
        if let Some(posting) = self.exchange.posting() {
            posting.set_streams(streams);
        }
    }

    /// The attachments of the last answer, as they come, if they are [not read with it](Self::set_streams). What is not read of them is lost
    /// with the next call.
    pub fn attachments(&mut self) -> AttachmentReader<'_> {
        match self.exchange.posting() {
            Some(posting) => posting.attachments(),
            None => AttachmentReader::new(None, io::empty()),
        }
    }
}

//! Requests as bytes, made before any clock runs.

use trunkline_net::{Framer as _, LengthPrefixed};

/// How messages are told apart on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// A message ends after its document element.
    Xml,
    /// Each message comes after its length.
    LengthPrefixed,
}

/// What is said about a message in HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post<'a> {
    /// The path, such as `/doc-literal`.
    pub path: &'a str,
    /// The host and port that are called.
    pub host: &'a str,
    /// The type of the body.
    pub content_type: &'a str,
    /// SOAPAction of SOAP 1.1, without its quotes; none for other types.
    pub action: Option<&'a str>,
    /// Whether the connection is for more than this request.
    pub is_kept: bool,
    /// The body is sent in chunks of so many bytes, and not with its length.
    pub chunk: Option<usize>,
}

/// The bytes that are sent, and what must come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// All of it.
    pub bytes: Vec<u8>,
    /// How much of it stands before the body.
    pub head: usize,
    /// The body of the right answer.
    pub answer: Vec<u8>,
}

impl Post<'_> {
    /// The request with this body. Its answer is not known yet.
    pub fn request(&self, body: &[u8]) -> Request {
        let Self { path, host, content_type, .. } = self;
        let mut head = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\n");
        head.push_str(&format!("Content-Type: {content_type}\r\n"));
        if let Some(action) = self.action {
            head.push_str(&format!("SOAPAction: \"{action}\"\r\n"));
        }
        if !self.is_kept {
            head.push_str("Connection: close\r\n");
        }
        match self.chunk {
            None => head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len())),
            Some(_) => head.push_str("Transfer-Encoding: chunked\r\n\r\n"),
        }
        let mut bytes = head.into_bytes();
        let head = bytes.len();
        match self.chunk {
            None => bytes.extend_from_slice(body),
            Some(size) => {
                for chunk in body.chunks(size.max(1)) {
                    bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                    bytes.extend_from_slice(chunk);
                    bytes.extend_from_slice(b"\r\n");
                }
                bytes.extend_from_slice(b"0\r\n\r\n");
            }
        }
        Request { bytes, head, answer: Vec::new() }
    }
}

impl Request {
    /// A message that goes over TCP by itself.
    ///
    /// # Errors
    /// It is too long for its frame.
    pub fn framed(protocol: Protocol, message: &[u8]) -> trunkline_message::Result<Self> {
        let prefix = match protocol {
            Protocol::LengthPrefixed => LengthPrefixed::prefix(message.len())?,
            Protocol::Xml | Protocol::Http => None,
        };
        let mut bytes = prefix.map_or_else(Vec::new, |prefix| prefix.to_vec());
        let head = bytes.len();
        bytes.extend_from_slice(message);
        Ok(Self { bytes, head, answer: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_how_long_it_is_or_comes_in_chunks() {
        let post = Post {
            path: "/rpc-literal",
            host: "127.0.0.1:80",
            content_type: "text/xml; charset=utf-8",
            action: Some("urn:x#echo"),
            is_kept: true,
            chunk: None,
        };
        let text = |request: &Request| String::from_utf8(request.bytes.clone()).expect("ASCII");
        let plain = post.request(b"<a/>");
        assert_eq!(
            text(&plain),
            "POST /rpc-literal HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\
             Content-Type: text/xml; charset=utf-8\r\nSOAPAction: \"urn:x#echo\"\r\n\
             Content-Length: 4\r\n\r\n<a/>"
        );
        assert_eq!(&plain.bytes[plain.head..], b"<a/>");
        let chunked = Post { chunk: Some(3), is_kept: false, action: None, ..post };
        let text = text(&chunked.request(b"<a/>"));
        assert!(text.contains("\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"), "{text}");
        assert!(text.ends_with("\r\n\r\n3\r\n<a/\r\n1\r\n>\r\n0\r\n\r\n"), "{text}");
    }

    #[test]
    fn a_message_over_tcp_has_the_frame_of_its_kind() {
        let framed = |protocol| Request::framed(protocol, b"<a/>").expect("short").bytes;
        assert_eq!(framed(Protocol::Xml), b"<a/>");
        assert_eq!(framed(Protocol::LengthPrefixed), b"\x04\0\0\0<a/>");
    }
}

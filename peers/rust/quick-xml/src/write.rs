//! Writing: the typed structure to bytes through the event writer.
#![allow(non_snake_case)]

use std::io;

use peer::market_data::*;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

type Out<'a> = Writer<&'a mut Vec<u8>>;

const ENVELOPE: [(&str, &str); 4] = [
    ("xmlns:SOAP-ENV", "http://schemas.xmlsoap.org/soap/envelope/"),
    ("xmlns:SOAP-ENC", "http://schemas.xmlsoap.org/soap/encoding/"),
    ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ("xmlns:xsd", "http://www.w3.org/2001/XMLSchema"),
];
const ENCODING_STYLE: (&str, &str) =
    ("SOAP-ENV:encodingStyle", "http://schemas.xmlsoap.org/soap/encoding/");

/// Appends a whole envelope.
pub(crate) fn envelope(output: &mut Vec<u8>, message: &FIXMLMessage, rpc: bool) -> io::Result<()> {
    let mut out = Writer::new(output);
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let envelope = BytesStart::new("SOAP-ENV:Envelope").with_attributes(ENVELOPE);
    out.write_event(Event::Start(envelope))?;
    let mut body = BytesStart::new("SOAP-ENV:Body");
    if rpc {
        body.push_attribute(ENCODING_STYLE);
    }
    out.write_event(Event::Start(body))?;
    if rpc {
        start(&mut out, "sendMessage")?;
    }
    message.write("FIXMLMessage", &mut out)?;
    if rpc {
        end(&mut out, "sendMessage")?;
    }
    end(&mut out, "SOAP-ENV:Body")?;
    end(&mut out, "SOAP-ENV:Envelope")
}

fn start(out: &mut Out<'_>, name: &'static str) -> io::Result<()> {
    out.write_event(Event::Start(BytesStart::new(name)))
}

fn end(out: &mut Out<'_>, name: &'static str) -> io::Result<()> {
    out.write_event(Event::End(BytesEnd::new(name)))
}

/// An element whose content needs no escapes.
fn plain(name: &'static str, content: &str, out: &mut Out<'_>) -> io::Result<()> {
    start(out, name)?;
    out.write_event(Event::Text(BytesText::from_escaped(content)))?;
    end(out, name)
}

/// What is written as an element.
pub(crate) trait Write {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()>;
}

impl Write for str {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        start(out, name)?;
        out.write_event(Event::Text(BytesText::new(self)))?;
        end(out, name)
    }
}

impl Write for Text {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        self.as_str().write(name, out)
    }
}

impl Write for bool {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        plain(name, if *self { "true" } else { "false" }, out)
    }
}

impl Write for u32 {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        plain(name, itoa::Buffer::new().format(*self), out)
    }
}

impl Write for i32 {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        plain(name, itoa::Buffer::new().format(*self), out)
    }
}

impl Write for f64 {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        let mut digits = zmij::Buffer::new();
        let text = digits.format_finite(*self);
        plain(name, text.strip_suffix(".0").unwrap_or(text), out)
    }
}

impl Write for Code {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        char::from(self.0).encode_utf8(&mut [0; 4]).write(name, out)
    }
}

impl Write for Bytes {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        plain(name, &base64_simd::STANDARD.encode_to_string(&self.0), out)
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        match self {
            Some(value) => value.write(name, out),
            None => Ok(()),
        }
    }
}

/// A record that can be the entry of a list.
trait Entry: Write {
    const NAME: &'static str;
}

impl<T: Entry> Write for Vec<T> {
    fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        start(out, name)?;
        for entry in self {
            entry.write(T::NAME, out)?;
        }
        end(out, name)
    }
}

macro_rules! record {
    (
        $Record:ident $element:literal $delimiter:literal {
            $($Item:ident: $Type:ty = ($name:literal, $tag:literal, $length_tag:literal);)*
        }
        $($paths:tt)*
    ) => {
        impl Write for $Record {
            fn write(&self, name: &'static str, out: &mut Out<'_>) -> io::Result<()> {
                start(out, name)?;
                $(self.$Item.write($name, out)?;)*
                end(out, name)
            }
        }

        impl Entry for $Record {
            const NAME: &'static str = $element;
        }
    };
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/generated/market_data.rs"));

//! Writing: the typed structure to fields through the encoder.
#![allow(non_snake_case)]

use ironfix_tagvalue::Encoder;
use peer::market_data::*;

/// Puts the whole message; what the encoder rejects it reports when it finishes.
pub(crate) fn message(out: &mut Encoder, message: &FIXMLMessage) {
    out.put_str(35, "X");
    message.write(0, 0, out);
}

/// What is written as fields; components have no tag of their own.
trait Write {
    fn write(&self, tag: u32, length_tag: u32, out: &mut Encoder);
}

impl Write for Text {
    fn write(&self, tag: u32, _: u32, out: &mut Encoder) {
        out.put_str(tag, self);
    }
}

impl Write for bool {
    fn write(&self, tag: u32, _: u32, out: &mut Encoder) {
        out.put_bool(tag, *self);
    }
}

impl Write for u32 {
    fn write(&self, tag: u32, _: u32, out: &mut Encoder) {
        out.put_uint(tag, u64::from(*self));
    }
}

impl Write for i32 {
    fn write(&self, tag: u32, _: u32, out: &mut Encoder) {
        out.put_int(tag, i64::from(*self));
    }
}

impl Write for f64 {
    fn write(&self, tag: u32, _: u32, out: &mut Encoder) {
        let mut digits = zmij::Buffer::new();
        let text = digits.format_finite(*self);
        // FIX has no exponents.
        if text.contains('e') {
            out.put_str(tag, &self.to_string());
        } else {
            out.put_str(tag, text.strip_suffix(".0").unwrap_or(text));
        }
    }
}

impl Write for Code {
    fn write(&self, tag: u32, _: u32, out: &mut Encoder) {
        out.put_raw(tag, &[self.0]);
    }
}

impl Write for Bytes {
    fn write(&self, tag: u32, length_tag: u32, out: &mut Encoder) {
        out.put_data(length_tag, tag, &self.0);
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, tag: u32, length_tag: u32, out: &mut Encoder) {
        if let Some(value) = self {
            value.write(tag, length_tag, out);
        }
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, tag: u32, _: u32, out: &mut Encoder) {
        if self.is_empty() {
            return;
        }
        out.put_uint(tag, self.len() as u64);
        for entry in self {
            entry.write(0, 0, out);
        }
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
            fn write(&self, _: u32, _: u32, out: &mut Encoder) {
                $(self.$Item.write($tag, $length_tag, out);)*
            }
        }
    };
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/generated/market_data.rs"));

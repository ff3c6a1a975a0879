//! The formats, as the laws over all of them have them: one list.

use std::fmt::Debug;
use std::sync::Arc;

use trunkline_codec::{cdr, fast_infoset, fix, json};
use trunkline_message::{Layout, Limits, Message, Record, Result};
use trunkline_random::Random;
use trunkline_soap as soap;

use crate::events::{Events, Recorder};
use crate::fast_infoset::{of_xml, plain, read};
use crate::fuzz::TypedInfoset;
use crate::random::Safe;
use crate::schemas;
use crate::soap_paths::say_the_same;

/// The list. It hands each format to a macro: its module and its name here, what its values keep to, the
/// options that it is tried with, and what holds of it alone.
#[macro_export]
macro_rules! each_format {
    ($make:ident) => {
        $make!(cdr: Cdr, Safe::CDR, cdr_options(), ());
        $make!(json: Json, Safe::NONE, json_options(), ());
        $make!(fix: Fix, Safe::FIX, vec![fix::Options::default()], FixAlone);
        $make!(soap: Soap, Safe::SOAP, soap_options(), SoapAlone);
    };
}

/// An encoder and a decoder of one format, for one plan.
pub trait Format: Sized {
    /// The format's own.
    type Options: Debug;
    /// The format's own.
    type Plan;
    /// What holds of this format alone.
    type Alone: Alone<Self>;
    /// What its values keep to.
    const SAFE: Safe;

    /// All options that it is tried with.
    fn all_options() -> Vec<Self::Options>;

    /// Those of a plan that is made for this.
    ///
    /// # Errors
    /// The plan's.
    fn new(layout: &Arc<Layout>, options: &Self::Options) -> Result<Self>;

    /// A message in this format.
    ///
    /// # Errors
    /// The encoder's.
    fn encode(&mut self, message: &impl Message) -> Result<Vec<u8>>;

    /// Reads a message into place.
    ///
    /// # Errors
    /// The decoder's.
    fn decode(&mut self, bytes: &[u8], into: &mut impl Message) -> Result<()>;

    /// What holds of this format alone has to hold of a record and its bytes.
    fn check(&mut self, record: &Record, bytes: &[u8]);

    /// At most so many of all options, evenly spread; which ones is by the seed.
    fn options(seed: u64, most: usize) -> impl Iterator<Item = Self::Options> {
        let all = Self::all_options();
        let step = all.len().div_ceil(most);
        let first = Random::new(seed).below(step as u64) as usize;
        all.into_iter().skip(first).step_by(step)
    }
}

/// What holds of one format alone; of most there is nothing, and that is `()`.
pub trait Alone<F: Format> {
    /// For this plan.
    fn new(plan: &Arc<F::Plan>) -> Self;

    /// A schema that it has a form for with these options, by the seed.
    fn schema(seed: u64, _: &F::Options) -> Arc<Layout> {
        if F::SAFE.fix { schemas::flat(seed) } else { schemas::any(seed) }
    }

    /// Asserts it of a record and its bytes.
    fn check(&mut self, _record: &Record, _bytes: &[u8]) {}
}

impl<F: Format> Alone<F> for () {
    fn new(_: &Arc<F::Plan>) {}
}

/// Some schemas have more fields in one scope than an element of XML may have attributes by default.
fn limits() -> Limits {
    Limits { attributes: 1000, ..Limits::default() }
}

macro_rules! implement {
    ($format:ident: $name:ident, $safe:expr, $options:expr, $alone:ty) => {
        /// Of the format's list.
        pub struct $name($format::Encoder, $format::Decoder, $alone);

        impl Format for $name {
            type Options = $format::Options;
            type Plan = $format::Plan;
            type Alone = $alone;
            const SAFE: Safe = $safe;

            fn all_options() -> Vec<$format::Options> {
                $options
            }

            fn new(layout: &Arc<Layout>, options: &$format::Options) -> Result<Self> {
                let plan = $format::Plan::new(layout, options)?;
                let decoder = $format::Decoder::with_limits(&plan, limits());
                Ok(Self($format::Encoder::new(&plan), decoder, Alone::<Self>::new(&plan)))
            }

            fn encode(&mut self, message: &impl Message) -> Result<Vec<u8>> {
                self.0.encode(message).map(<[u8]>::to_vec)
            }

            fn decode(&mut self, bytes: &[u8], into: &mut impl Message) -> Result<()> {
                self.1.decode(bytes, into)
            }

            fn check(&mut self, record: &Record, bytes: &[u8]) {
                Alone::<Self>::check(&mut self.2, record, bytes);
            }
        }
    };
}

each_format!(implement);

fn cdr_options() -> Vec<cdr::Options> {
    let orders = [cdr::ByteOrder::Little, cdr::ByteOrder::Big].into_iter();
    let both = |order| [cdr::Optional::Union, cdr::Optional::Bitmap].map(|it| (order, it));
    let options =
        |(byte_order, optional)| cdr::Options { byte_order, optional, ..Default::default() };
    orders.flat_map(both).map(options).collect()
}

fn json_options() -> Vec<json::Options> {
    let both = [false, true];
    both.into_iter()
        .flat_map(|quoted| {
            both.map(|named| json::Options { quoted, named, ..json::Options::default() })
        })
        .collect()
}

/// Its frame ends where the message does.
pub struct FixAlone;

impl Alone<Fix> for FixAlone {
    fn new(_: &Arc<fix::Plan>) -> Self {
        Self
    }

    fn check(&mut self, _: &Record, bytes: &[u8]) {
        assert_eq!(fix::frame(bytes, &Limits::default()), fix::Frame::Message(bytes.len()));
    }
}

/// Every style, version and layout, and what goes with them.
fn soap_options() -> Vec<soap::Options> {
    use soap::{Layout, Options, Style, Version};
    let skeletons =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded]
            .into_iter()
            .flat_map(|style| [Version::Soap11, Version::Soap12].map(|version| (style, version)))
            .flat_map(|it| {
                [Layout::Message, Layout::Operation, Layout::Fragment].map(|layout| (it, layout))
            });
    let options = |((style, version), layout), bits: u32| {
        let [types, compact_tags, flat, attributes, zone, qualified, named] =
            std::array::from_fn(|bit| bits >> bit & 1 != 0);
        let namespace = if named { "urn:x&y" } else { "" }.into();
        let plain = Options { style, version, layout, namespace, qualified, ..Options::default() };
        Options { types, compact_tags, flat, attributes, zone, ..plain }
    };
    skeletons.flat_map(|it| (0..1 << 7).map(move |bits| options(it, bits))).collect()
}

/// Every path through a document gives the same, and leaves nothing out.
pub struct SoapAlone {
    plan: Arc<soap::Plan>,
    fast: soap::Decoder,
    generic: soap::Decoder,
    by_events: soap::Decoder,
    to_events: soap::Encoder,
    /// Of documents that stand by themselves, and of a sequence.
    writers: [fast_infoset::Writer; 2],
    readers: [TypedInfoset<Record>; 2],
    packed: soap::Packed,
    back: Record,
}

impl Alone<Soap> for SoapAlone {
    fn new(plan: &Arc<soap::Plan>) -> Self {
        let decoder = || soap::Decoder::with_limits(plan, limits());
        Self {
            plan: plan.clone(),
            fast: decoder(),
            generic: decoder().generic(),
            by_events: decoder(),
            to_events: soap::Encoder::new(plan),
            writers: [fast_infoset::Writer::stateless, fast_infoset::Writer::retaining]
                .map(|new| new(fast_infoset::WriterOptions::default())),
            readers: [false, true].map(|retains| {
                TypedInfoset::new(plan, &limits(), retains, &Record::new(plan.layout()))
            }),
            packed: soap::Packed::default(),
            back: Record::new(plan.layout()),
        }
    }

    /// Where content is encoded, none of any shape stands.
    fn schema(seed: u64, options: &soap::Options) -> Arc<Layout> {
        if options.style.is_encoded() { schemas::encoded(seed) } else { schemas::any(seed) }
    }

    fn check(&mut self, record: &Record, bytes: &[u8]) {
        let text = bytes.escape_ascii();
        for decoder in [&mut self.fast, &mut self.generic] {
            let read = decoder.decode(bytes, &mut self.back);
            assert!(read.is_ok() && self.back == *record, "{read:?}: {text}\n{record:?}");
            assert_eq!(decoder.unknown(), 0, "{text}");
        }
        let written = Events::of_xml(bytes, &limits()).expect("what was written");
        let mut recorder = Recorder::default();
        self.to_events.encode_to("", record, &mut recorder).expect("it was written as text");
        let events = recorder.finish();
        assert_eq!(events.lines(), written.lines(), "{text}");
        for events in [written, events] {
            let read = self.by_events.decode_from(&mut events.reader(), &mut self.back);
            let is_same = read.is_ok() && say_the_same(&self.plan, record, &self.back);
            assert!(is_same, "{read:?}: {text}");
            assert_eq!(self.by_events.unknown(), 0, "{text}");
        }
        self.check_fast_infoset(record, bytes);
        self.check_packed(record, bytes);
    }
}

impl SoapAlone {
    /// What is attached to a message comes back into it from beside the envelope, and the envelope with base64 in its place is
    /// the one that is written without a package.
    fn check_packed(&mut self, record: &Record, bytes: &[u8]) {
        use soap::Attachments::{Dime, Mtom, Swa, SwaRef};
        let attachments = [Mtom, Swa, SwaRef, Dime][bytes.len() % 4];
        let packing = soap::Packing { attachments, from: 1 + bytes.len() / 4 % 3, action: "" };
        let packed = &mut self.packed;
        self.to_events.pack("", record, &packing, packed).expect("it was written by itself");
        if !soap::is_package(&packed.media_type) {
            return assert_eq!(packed.bytes, bytes);
        }
        let unpacked = soap::unpack(&packed.media_type, &packed.bytes, &limits());
        let unpacked = unpacked.expect("what was packed");
        assert_eq!(unpacked.attachments(), attachments);
        // It needs no declaration.
        let whole = unpacked.whole();
        let is_same = bytes.ends_with(&whole) && bytes.len() - whole.len() < 60;
        assert!(is_same, "{} {}", whole.escape_ascii(), bytes.escape_ascii());
        for decoder in [&mut self.fast, &mut self.generic] {
            let read = decoder.decode_package(&unpacked, &mut self.back);
            assert!(read.is_ok() && self.back == *record, "{read:?}: {}", bytes.escape_ascii());
            assert_eq!(decoder.unknown(), 0, "{}", bytes.escape_ascii());
        }
    }

    /// A message as Fast Infoset says what its XML says, and reads as that.
    fn check_fast_infoset(&mut self, record: &Record, bytes: &[u8]) {
        for (writer, reader) in self.writers.iter_mut().zip(&mut self.readers) {
            writer.begin();
            self.to_events.encode_to("", record, writer).expect("it was written as text");
            let document = writer.finish().expect("it was written as text");
            let read = reader.read(document);
            let is_same = read.as_ref().is_ok_and(|it| say_the_same(&self.plan, record, it));
            assert!(is_same, "{read:?}: {}", bytes.escape_ascii());
            assert_eq!(reader.unknown(), 0, "{}", bytes.escape_ascii());
        }
        let facts = plain(&of_xml(bytes).expect("what was written"));
        let mut parser = fast_infoset::Parser::stateless(fast_infoset::Options::soap(), &limits());
        let said = read(&mut parser, self.writers[0].document());
        assert_eq!(said.expect("what was written"), facts, "{}", bytes.escape_ascii());
    }
}

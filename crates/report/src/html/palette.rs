//! Colours and markers: one colour for a format, one marker for a subject, the same on the whole
//! page.
//!
//! The colours are those that Okabe and Ito chose to be told apart with any kind of colour vision,
//! and Tol's muted ones for parts of a cost. A plot holds the colours for paper; the style sheet of
//! the page exchanges them on a dark screen.

use std::fmt;

use trunkline_experiment::format::{Encoding, Format};

/// A colour on white and its stand-in on a dark ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour {
    light: u32,
    dark: u32,
}

const fn colour(light: u32, dark: u32) -> Colour {
    Colour { light, dark }
}

impl fmt::Display for Colour {
    /// As plots need it: the one on white.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{:06X}", self.light)
    }
}

pub(super) const INK: Colour = colour(0x1B1F24, 0xE8EAED);
pub(super) const SOFT: Colour = colour(0x59616B, 0xA2A9B3);
pub(super) const FAINT: Colour = colour(0xE3E5E8, 0x353A41);
pub(super) const GREY: Colour = colour(0x8A9099, 0x969CA6);
pub(super) const SILVER: Colour = colour(0xC4C8CE, 0x5A616B);
pub(super) const VERMILLION: Colour = colour(0xD55E00, 0xFF8A3D);
pub(super) const BLUE: Colour = colour(0x0072B2, 0x4FAEEA);
pub(super) const GREEN: Colour = colour(0x009E73, 0x2FC99B);
pub(super) const ORANGE: Colour = colour(0xE69F00, 0xF2B632);
pub(super) const SKY: Colour = colour(0x56B4E9, 0x9AD6F7);
pub(super) const PURPLE: Colour = colour(0xCC79A7, 0xE29CC3);
pub(super) const YELLOW: Colour = colour(0xB9AB00, 0xF0E442);
pub(super) const TEAL: Colour = colour(0x44AA99, 0x5CC4B3);
pub(super) const WINE: Colour = colour(0x882255, 0xC4578F);
pub(super) const SAND: Colour = colour(0xC9B458, 0xDDCC77);
pub(super) const INDIGO: Colour = colour(0x332288, 0x8377D1);
pub(super) const OLIVE: Colour = colour(0x999933, 0xB8B84D);
pub(super) const ROSE: Colour = colour(0xCC6677, 0xE08896);

const ALL: [Colour; 18] = [
    INK, SOFT, FAINT, GREY, SILVER, VERMILLION, BLUE, GREEN, ORANGE, SKY, PURPLE, YELLOW, TEAL,
    WINE, SAND, INDIGO, OLIVE, ROSE,
];

/// Rules for a style sheet that put the colours for a dark ground in the place of the others.
pub(super) fn dark_rules() -> String {
    let rule = |colour: &Colour| {
        let Colour { light, dark } = colour;
        let rule = |name| format!("svg [{name}=\"#{light:06X}\"]{{{name}:#{dark:06X}}}\n");
        rule("fill") + &rule("stroke")
    };
    ALL.iter().map(rule).collect()
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Ring,
    Triangle,
    TriangleDown,
    Square,
    Frame,
    Diamond,
    Plus,
    Cross,
}

/// Subjects that have a marker of their own; the rest share the last.
const MARKERS: [(&str, Marker); 13] = [
    ("trunkline", Marker::Circle),
    ("trunkline-record", Marker::Ring),
    ("gsoap-best", Marker::Triangle),
    ("gsoap-debian", Marker::TriangleDown),
    ("quick-xml", Marker::Plus),
    ("pugixml", Marker::Cross),
    ("quickfix", Marker::Square),
    ("ironfix", Marker::Frame),
    ("omniorb", Marker::Diamond),
    // Never in a plot with those of FIX, CDR and parsers.
    ("metro", Marker::Square),
    ("cxf", Marker::Diamond),
    ("axis", Marker::Frame),
    ("asmx", Marker::Plus),
];

/// Subjects that have a colour of their own, in the order of legends: where a plot has one format. Those
/// that guarantee are in plots of their own.
const SUBJECTS: [(&str, Colour); 33] = [
    ("trunkline", TEAL),
    ("bare", SILVER),
    ("gsoap-best", WINE),
    ("gsoap-debian", SAND),
    ("metro", INDIGO),
    ("cxf", BLUE),
    ("axis", ORANGE),
    ("asmx", PURPLE),
    ("trunkline-2-threads", INK),
    ("trunkline-unix", GREEN),
    ("trunkline-tls", OLIVE),
    ("trunkline-shm", BLUE),
    ("nats", WINE),
    ("nats-latest", VERMILLION),
    ("nats-latest-tls", ROSE),
    ("redis", INDIGO),
    ("mosquitto", SAND),
    ("mosquitto-nodelay", YELLOW),
    ("zeromq", PURPLE),
    ("iceoryx2", ORANGE),
    ("aeron", SKY),
    ("bare-forwarder", GREY),
    ("bare-forwarder-unix", SOFT),
    ("bare-ring", SILVER),
    ("direct", INK),
    ("trunkline-store-and-forward", GREEN),
    ("trunkline-cut-through", BLUE),
    ("jetstream-always", WINE),
    ("redis-always", INDIGO),
    ("disk", GREY),
    ("trunkline-memory", SKY),
    ("jetstream-default", VERMILLION),
    ("redis-everysec", PURPLE),
];

/// The colour of a subject and where it stands in legends, if it has one.
pub(super) fn colour_of(subject: &str) -> Option<(usize, Colour)> {
    let order = SUBJECTS.iter().position(|(name, _)| *name == subject)?;
    Some((order, SUBJECTS[order].1))
}

/// The marker of a subject, and where it stands in legends.
pub(super) fn marked(subject: &str) -> (usize, Marker) {
    let order = MARKERS.iter().position(|(name, _)| *name == subject);
    order.map_or((MARKERS.len(), Marker::Cross), |order| (order, MARKERS[order].1))
}

/// The three formats of the paper and what is like them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    Soap,
    Fix,
    Cdr,
    Other,
}

impl Family {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Soap => "SOAP",
            Self::Fix => "FIX",
            Self::Cdr => "CDR",
            Self::Other => "Other formats",
        }
    }
}

/// How a format is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Where it stands in legends.
    pub(super) order: usize,
    pub(super) name: String,
    pub(super) family: Family,
    pub(super) colour: Colour,
    /// Whether the paper measured it.
    pub(super) is_published: bool,
}

/// The colours of formats, and whether the paper measured them. The families never stand in one plot.
const LOOKS: [(Format, Colour, bool); 15] = [
    (Format::SoapRpc, VERMILLION, true),
    (Format::SoapDocument, ORANGE, false),
    (Format::SoapCompact, PURPLE, false),
    (Format::SoapAttributes, YELLOW, false),
    (Format::SoapFlat, GREY, false),
    (Format::SoapFlatAttributes, INK, false),
    (Format::Fix, BLUE, true),
    (Format::CdrUnion, GREEN, true),
    (Format::CdrBitmap, SKY, false),
    (Format::NgDocumentLiteralWrapped, YELLOW, false),
    (Format::NgDocumentLiteral, ORANGE, true),
    (Format::NgDocumentEncoded, PURPLE, true),
    (Format::NgRpcLiteral, SKY, false),
    (Format::NgRpcEncoded, VERMILLION, true),
    (Format::NgCdr, GREEN, false),
];

/// How the format of a profile (see [`Row::profile`](trunkline_bench::row::Row::profile)) is shown.
pub(super) fn look(profile: &str) -> Look {
    let format = Format::of_profile(profile);
    let known = LOOKS.iter().enumerate().find(|(_, (known, ..))| Some(*known) == format);
    match known {
        Some((order, &(format, colour, is_published))) => {
            let family = match format.encoding() {
                Encoding::Soap(..) => Family::Soap,
                Encoding::Fix => Family::Fix,
                Encoding::Cdr(_) => Family::Cdr,
            };
            Look { order, name: format.title().to_owned(), family, colour, is_published }
        }
        None => Look {
            order: LOOKS.len(),
            name: profile.to_owned(),
            family: Family::Other,
            colour: SILVER,
            is_published: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_experiment::definition::Definition;
    use trunkline_experiment::format;

    #[test]
    fn every_format_of_the_lab_has_a_colour_of_its_own() {
        let kohlhoff = Definition::named("kohlhoff-2004").expect("embedded");
        let ng = Definition::named("ng-2004").expect("embedded");
        // The families never stand in one plot.
        for family in [format::Family::MarketData, format::Family::CustomerServices] {
            let formats: Vec<Format> = Format::of_family(family).collect();
            let looks: Vec<Look> = formats.iter().map(|format| look(&format.profile())).collect();
            for (index, (format, look)) in formats.iter().zip(&looks).enumerate() {
                assert_eq!(look.name, format.title());
                let is_published = kohlhoff.published("size", "size", *format).is_some()
                    || ng.figures("size", "size", *format, "simple").next().is_some();
                assert_eq!(look.is_published, is_published, "{}", format.name());
                assert!(looks[..index].iter().all(|other| other.colour != look.colour));
            }
        }
        assert_eq!(look("x").family, Family::Other);
    }

    #[test]
    fn no_two_colours_are_exchanged_for_one() {
        for (index, colour) in ALL.iter().enumerate() {
            let others = &ALL[..index];
            assert!(
                others.iter().all(|other| other.light != colour.light && other.dark != colour.dark)
            );
        }
        assert!(dark_rules().contains("svg [stroke=\"#0072B2\"]{stroke:#4FAEEA}"));
    }
}

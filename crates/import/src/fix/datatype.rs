//! The data types of FIX, in the words of every version and maker.

use trunkline_message::{IntegerKind, Kind};

/// What a field of FIX holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datatype {
    /// One value.
    Value(Kind),
    /// Values with blanks between.
    Values,
    /// The length of the data that follow.
    Length,
    /// How many entries follow.
    NumberInGroup,
    /// Bytes, of which the field before has the length.
    Data,
}

/// The words in lower case, with what they are.
const DATATYPES: &[(&str, Datatype)] = &[
    ("int", Datatype::Value(Kind::Integer(IntegerKind::I64))),
    ("integer", Datatype::Value(Kind::Integer(IntegerKind::I64))),
    ("seqnum", Datatype::Value(Kind::Integer(IntegerKind::U64))),
    ("tagnum", Datatype::Value(Kind::Integer(IntegerKind::U32))),
    ("dayofmonth", Datatype::Value(Kind::Integer(IntegerKind::U8))),
    ("length", Datatype::Length),
    ("numingroup", Datatype::NumberInGroup),
    ("float", Datatype::Value(Kind::Decimal)),
    ("price", Datatype::Value(Kind::Decimal)),
    ("priceoffset", Datatype::Value(Kind::Decimal)),
    ("amt", Datatype::Value(Kind::Decimal)),
    ("qty", Datatype::Value(Kind::Decimal)),
    ("quantity", Datatype::Value(Kind::Decimal)),
    ("percentage", Datatype::Value(Kind::Decimal)),
    ("boolean", Datatype::Value(Kind::Boolean)),
    ("char", Datatype::Value(Kind::Code)),
    ("string", Datatype::Value(Kind::Text)),
    ("currency", Datatype::Value(Kind::Text)),
    ("exchange", Datatype::Value(Kind::Text)),
    ("country", Datatype::Value(Kind::Text)),
    ("language", Datatype::Value(Kind::Text)),
    ("monthyear", Datatype::Value(Kind::Text)),
    ("tenor", Datatype::Value(Kind::Text)),
    ("xid", Datatype::Value(Kind::Text)),
    ("xidref", Datatype::Value(Kind::Text)),
    // What is told in a zone, or on a market's clock, would lose that as a time of ours, which is UTC.
    ("localmkttime", Datatype::Value(Kind::Text)),
    ("tztimeonly", Datatype::Value(Kind::Text)),
    ("tztimestamp", Datatype::Value(Kind::Text)),
    ("multiplevaluestring", Datatype::Values),
    ("multiplestringvalue", Datatype::Values),
    ("multiplecharvalue", Datatype::Values),
    ("utctimestamp", Datatype::Value(Kind::Timestamp)),
    ("utctimeonly", Datatype::Value(Kind::Time)),
    ("utcdateonly", Datatype::Value(Kind::Date)),
    ("utcdate", Datatype::Value(Kind::Date)),
    ("localmktdate", Datatype::Value(Kind::Date)),
    ("date", Datatype::Value(Kind::Date)),
    ("data", Datatype::Data),
    ("xmldata", Datatype::Data),
];

impl Datatype {
    /// What a dictionary calls so, in a version of FIX by its BeginString.
    pub fn named(word: &str, begin_string: Option<&str>) -> Option<Self> {
        let word = word.trim_ascii().to_ascii_lowercase();
        // Before FIX 4.2 a date and time were called so; elsewhere it may be a time alone.
        if word == "time" && matches!(begin_string, Some("FIX.4.0" | "FIX.4.1")) {
            return Some(Self::Value(Kind::Timestamp));
        }
        DATATYPES.iter().find(|it| it.0 == word).map(|it| it.1)
    }

    /// May its values be listed? Those of numbers and times may not: they say more than which one.
    pub(super) fn is_of_codes(self) -> bool {
        let of_codes = [Kind::Code, Kind::Text, Kind::Integer(IntegerKind::I64)];
        match self {
            Self::Value(kind) => of_codes.contains(&kind),
            Self::Values => true,
            Self::Length | Self::NumberInGroup | Self::Data => false,
        }
    }
}

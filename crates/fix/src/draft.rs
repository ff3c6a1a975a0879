//! A message of an application before it has a number.

use memchr::memchr;
use trunkline_codec::fix::SOH;
use trunkline_wire::Integer as _;

use crate::dictionaries::Dictionaries;
use crate::message::{Fields, is_administrative};
use crate::outbox::{Outbox, SendError, is_own, push_bytes};
use crate::reject::{Reason, Refused};
use crate::rules::Validation;
use crate::tags;
use crate::version::Version;

/// A message that is put together field by field, as they stand in a log or are typed.
///
/// What the session writes itself is passed over: numbers and times of the header, names of the two sides, BodyLength,
/// CheckSum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    message_type: String,
    header: Vec<(u32, Vec<u8>)>,
    body: Vec<u8>,
    /// The field that was added last, and how many bytes of data it says, if it does.
    last: (u32, Option<u64>),
}

/// Why a value is none.
const DELIMITER: &str = "the value has the delimiter SOH (0x01) inside";

/// ApplVerID, by which a message says of which version it is.
const APPL_VER_ID: u32 = 1128;

impl Draft {
    /// A message of this MsgType (35), without fields.
    pub fn new(message_type: &str) -> Self {
        Self { message_type: message_type.to_owned(), ..Self::default() }
    }

    /// Is it a message of the session layer? The session alone sends these.
    pub fn is_administrative(&self) -> bool {
        is_administrative(self.message_type.as_bytes())
    }

    /// Reads fields, each with its delimiter, as a message has them; header and trailer may be missing, but MsgType (35).
    ///
    /// # Errors
    /// Why they are no message.
    pub fn read(mut bytes: &[u8]) -> Result<Self, &'static str> {
        const NO_FIELDS: &str = "it is not fields, each a number, `=`, a value and SOH";
        let mut draft = Self::default();
        let mut before: Field<'_> = (0, &[]);
        while !bytes.is_empty() {
            let (field, rest) = next(bytes, before).ok_or(NO_FIELDS)?;
            if field.1.is_empty() {
                return Err("a field has no value");
            }
            draft.push(field.0, field.1)?;
            (before, bytes) = (field, rest);
        }
        match draft.message_type.is_empty() {
            true => Err("it has no MsgType (35)"),
            false => Ok(draft),
        }
    }

    /// MsgType (35).
    pub fn message_type(&self) -> &str {
        &self.message_type
    }

    /// Adds a field: in the header if it is one of it, else behind the last field of the body. MsgType changes what the
    /// message is.
    ///
    /// # Errors
    /// The delimiter is inside of the value, which would end there: data alone may hold it, behind a field that says how many
    /// bytes they have.
    pub fn push(&mut self, tag: u32, value: &[u8]) -> Result<(), &'static str> {
        let of_data = tags::length_of_data(tag)
            .is_some_and(|length| self.last == (length, u64::try_from(value.len()).ok()));
        if !of_data && value.contains(&SOH) {
            return Err(DELIMITER);
        }
        self.last = (tag, u64::parse(value).ok());
        match tag {
            tags::MSG_TYPE => self.message_type = String::from_utf8_lossy(value).into_owned(),
            _ if is_own(tag) || tags::is_of_trailer(tag) => {}
            _ if tags::is_of_header(tag) => {
                let at = self.header.partition_point(|it| it.0 <= tag);
                self.header.insert(at, (tag, value.to_vec()));
            }
            _ => push_bytes(&mut self.body, tag, value),
        }
        Ok(())
    }

    /// Puts a field before the others of the body, in place of those of its number.
    pub fn put_first(&mut self, tag: u32, value: &[u8]) {
        let body = std::mem::take(&mut self.body);
        push_bytes(&mut self.body, tag, value);
        let (mut rest, mut before) = (&*body, (0, &b""[..]));
        while let Some((field, behind)) = next(rest, before) {
            if field.0 != tag {
                push_bytes(&mut self.body, field.0, field.1);
            }
            (before, rest) = (field, behind);
        }
    }

    /// The fields of the body, each with its delimiter.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The fields of the header and of the body that have this number.
    pub fn values(&self, tag: u32) -> Vec<&[u8]> {
        let header = self.header.iter().filter(|it| it.0 == tag).map(|it| &*it.1);
        let (mut rest, mut before) = (&*self.body, (0, &b""[..]));
        let body = std::iter::from_fn(|| {
            let (field, behind) = next(rest, before)?;
            (before, rest) = (field, behind);
            Some(field)
        });
        header.chain(body.filter(|it| it.0 == tag).map(|it| it.1)).collect()
    }

    /// Holds it to the dictionaries of a session: the form of values, the codes that they are among, the lengths of data, the
    /// counts of groups, each field once. Not whether all is there that has to be, and nothing else is. `application` is the
    /// ApplVerID (1128) of a message that does not say its own. A message that is in no dictionary is not held to one.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(
        &self,
        dictionaries: &Dictionaries,
        version: Version,
        application: Option<&str>,
    ) -> Result<(), Refused> {
        const VALUES: Validation = Validation {
            fields_have_values: true,
            fields_in_order: false,
            fields_are_known: false,
            user_fields_are_known: false,
            groups_in_order: false,
            required_fields: false,
        };
        let own = self.header.iter().find(|it| it.0 == APPL_VER_ID).map(|it| &*it.1);
        let id = own.or(application.map(str::as_bytes)).filter(|_| dictionaries.has_versions());
        let Some(rules) = dictionaries.application(id) else { return Ok(()) };
        let mut bytes = Vec::with_capacity(self.body.len() + 64);
        let head: [(u32, &[u8]); 3] = [
            (tags::BEGIN_STRING, version.begin_string().as_bytes()),
            (tags::BODY_LENGTH, b"0"),
            (tags::MSG_TYPE, self.message_type.as_bytes()),
        ];
        head.iter().for_each(|it| push_bytes(&mut bytes, it.0, it.1));
        self.header.iter().for_each(|it| push_bytes(&mut bytes, it.0, &it.1));
        bytes.extend_from_slice(&self.body);
        push_bytes(&mut bytes, tags::CHECK_SUM, b"000");
        let mut fields = Fields::default();
        // What are no fields is refused when it is sent.
        let Ok(message) = fields.read(&bytes) else { return Ok(()) };
        match rules.check(dictionaries.transport(), message, VALUES) {
            Err(refused) if refused.reason == Reason::InvalidMsgType => Ok(()),
            checked => checked,
        }
    }

    /// Sends it, and returns its MsgSeqNum.
    ///
    /// # Errors
    /// As [`Outbox::send`].
    pub fn send(&self, outbox: &mut Outbox) -> Result<u64, SendError> {
        let header: Vec<(u32, &[u8])> = self.header.iter().map(|it| (it.0, &*it.1)).collect();
        outbox.send_with(&self.message_type, &header, &self.body)
    }
}

/// The number of a field, and what stands in it.
type Field<'a> = (u32, &'a [u8]);

/// The first field of these bytes, and what is behind it. Data may hold the delimiter: their length stands in the field before.
fn next<'a>(bytes: &'a [u8], before: Field<'_>) -> Option<(Field<'a>, &'a [u8])> {
    let equals = memchr(b'=', bytes)?;
    let tag = u32::parse(&bytes[..equals]).ok().filter(|it| *it > 0)?;
    let rest = &bytes[equals + 1..];
    let length = Some(before.1).filter(|_| tags::length_of_data(tag) == Some(before.0));
    let length = length.and_then(|it| u32::parse(it).ok()).map(|it| it as usize);
    let length = length.filter(|it| rest.get(*it) == Some(&SOH));
    let end = length.or_else(|| memchr(SOH, rest))?;
    Some(((tag, &rest[..end]), &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_session_writes_is_passed_over_and_the_header_is_in_order() {
        let mut draft = Draft::default();
        for (tag, value) in [
            (8, "FIX.4.4"),
            (9, "70"),
            (35, "D"),
            (34, "7"),
            (49, "A"),
            (56, "B"),
            (52, "20261126-09:30:00"),
            (129, "desk"),
            (115, "fund"),
            (11, "x"),
            (55, "INTC"),
            (10, "123"),
        ] {
            draft.push(tag, value.as_bytes()).expect("a value");
        }
        let header: Vec<(u32, Vec<u8>)> = vec![(115, b"fund".to_vec()), (129, b"desk".to_vec())];
        assert_eq!((draft.message_type(), &draft.header), ("D", &header));
        assert_eq!(draft.body(), b"11=x\x0155=INTC\x01");
    }

    #[test]
    fn a_value_ends_where_it_ends() {
        let mut draft = Draft::new("8");
        assert_eq!(draft.push(58, b"x\x01150=F"), Err(DELIMITER));
        assert_eq!(draft.push(355, b"x\x01150=F"), Err(DELIMITER), "nothing says its length");
        draft.push(354, b"6").expect("a length");
        assert_eq!(draft.push(355, b"x\x01150=F"), Err(DELIMITER), "another length");
        draft.push(354, b"7").expect("a length");
        draft.push(355, b"x\x01150=F").expect("data");
        assert_eq!(draft.body(), b"354=6\x01354=7\x01355=x\x01150=F\x01");
        assert_eq!(draft.values(355), [b"x\x01150=F"]);
        assert_eq!(draft.values(354).len(), 2);
    }

    #[test]
    fn a_message_is_read_with_and_without_what_the_session_writes() {
        let whole =
            b"8=FIX.4.4\x019=70\x0135=8\x0134=7\x0149=A\x0195=3\x0196=a\x01b\x0137=o\x0110=123\x01";
        let draft = Draft::read(whole).expect("fields");
        assert_eq!(
            (draft.message_type(), draft.body()),
            ("8", &b"95=3\x0196=a\x01b\x0137=o\x01"[..])
        );
        let mut draft = draft;
        draft.put_first(37, b"p");
        assert_eq!(draft.body(), b"37=p\x0195=3\x0196=a\x01b\x01");
        let draft = Draft::read(b"35=8\x0137=o\x01").expect("fields");
        assert_eq!((draft.message_type(), draft.body()), ("8", &b"37=o\x01"[..]));
        for (bytes, why) in [
            (&b"35=8\x0137=o"[..], "it is not fields, each a number, `=`, a value and SOH"),
            (b"35=8\x01x=o\x01", "it is not fields, each a number, `=`, a value and SOH"),
            (b"35=8\x0137=\x01", "a field has no value"),
            (b"37=o\x01", "it has no MsgType (35)"),
            (b"", "it has no MsgType (35)"),
        ] {
            assert_eq!(Draft::read(bytes), Err(why));
        }
    }
}

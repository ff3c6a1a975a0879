//! The fields that a session reads and writes, by their numbers.

pub use trunkline_codec::fix::length_of_data;
pub(crate) use trunkline_codec::fix::{data_of_length, is_of_data};

/// Numbers of fields.
pub(crate) type Tag = u32;

pub(crate) const BEGIN_SEQ_NO: Tag = 7;
pub(crate) const BEGIN_STRING: Tag = 8;
pub(crate) const BODY_LENGTH: Tag = 9;
pub(crate) const CHECK_SUM: Tag = 10;
pub(crate) const END_SEQ_NO: Tag = 16;
pub(crate) const MSG_SEQ_NUM: Tag = 34;
pub(crate) const MSG_TYPE: Tag = 35;
pub(crate) const NEW_SEQ_NO: Tag = 36;
pub(crate) const POSS_DUP_FLAG: Tag = 43;
pub(crate) const REF_SEQ_NUM: Tag = 45;
pub(crate) const SENDER_COMP_ID: Tag = 49;
pub(crate) const SENDER_SUB_ID: Tag = 50;
pub(crate) const SENDING_TIME: Tag = 52;
pub(crate) const TARGET_COMP_ID: Tag = 56;
pub(crate) const TARGET_SUB_ID: Tag = 57;
pub(crate) const TEXT: Tag = 58;
pub(crate) const ENCRYPT_METHOD: Tag = 98;
pub(crate) const HEART_BT_INT: Tag = 108;
pub(crate) const TEST_REQ_ID: Tag = 112;
pub(crate) const ON_BEHALF_OF_COMP_ID: Tag = 115;
pub(crate) const ON_BEHALF_OF_SUB_ID: Tag = 116;
pub(crate) const ORIG_SENDING_TIME: Tag = 122;
pub(crate) const GAP_FILL_FLAG: Tag = 123;
pub(crate) const DELIVER_TO_COMP_ID: Tag = 128;
pub(crate) const DELIVER_TO_SUB_ID: Tag = 129;
pub(crate) const RESET_SEQ_NUM_FLAG: Tag = 141;
pub(crate) const SENDER_LOCATION_ID: Tag = 142;
pub(crate) const TARGET_LOCATION_ID: Tag = 143;
pub(crate) const ON_BEHALF_OF_LOCATION_ID: Tag = 144;
pub(crate) const DELIVER_TO_LOCATION_ID: Tag = 145;
pub(crate) const LAST_MSG_SEQ_NUM_PROCESSED: Tag = 369;
pub(crate) const REF_TAG_ID: Tag = 371;
pub(crate) const REF_MSG_TYPE: Tag = 372;
pub(crate) const SESSION_REJECT_REASON: Tag = 373;
pub(crate) const BUSINESS_REJECT_REASON: Tag = 380;
pub(crate) const NEXT_EXPECTED_MSG_SEQ_NUM: Tag = 789;
pub(crate) const DEFAULT_APPL_VER_ID: Tag = 1137;

/// The fields of the standard header (FIXT 1.1, "StandardHeader"), and ApplExtID, one bit each.
const HEADER: [u64; 19] = bits(&[
    8, 9, 34, 35, 43, 49, 50, 52, 56, 57, 90, 91, 97, 115, 116, 122, 128, 129, 142, 143, 144, 145,
    212, 213, 347, 369, 370, 627, 628, 629, 630, 1128, 1129, 1156,
]);

const fn bits<const WORDS: usize>(tags: &[Tag]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let mut at = 0;
    while at < tags.len() {
        words[tags[at] as usize / 64] |= 1 << (tags[at] % 64);
        at += 1;
    }
    words
}

/// Does the field stand in the header of a message?
pub fn is_of_header(tag: Tag) -> bool {
    HEADER.get(tag as usize / 64).is_some_and(|word| word >> (tag % 64) & 1 != 0)
}

/// Does the field stand behind the body of a message?
pub(crate) fn is_of_trailer(tag: Tag) -> bool {
    matches!(tag, CHECK_SUM | 89 | 93)
}

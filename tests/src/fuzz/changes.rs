//! Changes to valid messages, taken from the bytes of a fuzzer.

/// Hands out a fuzzer's bytes as choices; zeros when they run out.
#[derive(Clone, Copy)]
pub(super) struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A position below the bound; 0 if there is none.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let wide = usize::from(self.byte()) << 8 | usize::from(self.byte());
        wide.checked_rem(bound).unwrap_or(0)
    }

    /// So many of the bytes that are left.
    pub(super) fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// Changes octets of a binary message in place: single bits, whole octets, insertions, cuts.
pub(super) fn change_octets(bytes: &mut Vec<u8>, choices: &mut Choices<'_>) {
    while !choices.is_empty() {
        let (what, at) = (choices.byte(), choices.below(bytes.len()));
        match what % 8 {
            _ if bytes.is_empty() => return,
            0 => bytes[at] ^= 1 << (what >> 5),
            1 => bytes[at] = choices.byte(),
            2 => bytes[at] = 0,
            3 => bytes[at] = bytes[at].wrapping_add(1),
            4 => bytes.insert(at, choices.byte()),
            5 => drop(bytes.remove(at)),
            6 => bytes.truncate(at),
            _ => {
                let from = choices.below(bytes.len());
                let copy: Vec<u8> = bytes[from..].iter().take(8).copied().collect();
                bytes.splice(at..at, copy);
            }
        }
    }
}

const VALUES: &[&[u8]] = &[
    b"0",
    b"1",
    b"2",
    b"-1",
    b"",
    b"00",
    b"007",
    b"-0",
    b"Y",
    b".5",
    b"5.",
    b"-",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"9223372036854775808",
    b"99999999999999999999999",
    b"0.000000000000000001",
    b"0.0000000000000000001",
    b"1000000000000000000000000000000000000",
    b"20240229",
    b"20230229",
    b"00000101",
    b"23:59:60",
    b"24:00:00",
    b"12:00:00.1",
    b"20240229-23:59:60.999999999",
    b"a=b",
    b"\xc3\xa4",
    b"\xc3",
    b"0123456789abcde",
    b"0123456789abcdef",
    b"a text that is longer than thirty bytes, on the heap",
];

/// Changes the fields of a FIX message's body, which are `tag=value` and SOH each.
pub(super) fn change_fields(body: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut fields: Vec<Vec<u8>> = body.split_inclusive(|byte| *byte == 1).map(Vec::from).collect();
    while !choices.is_empty() && !fields.is_empty() {
        let (what, at) = (choices.byte(), choices.below(fields.len()));
        match what % 8 {
            0 => drop(fields.remove(at)),
            1 => fields.insert(at, fields[at].clone()),
            2 => {
                let other = choices.below(fields.len());
                fields.swap(at, other);
            }
            3 => {
                let value = VALUES[choices.below(VALUES.len())];
                set_value(&mut fields[at], value);
            }
            4 => {
                let count = choices.byte() % 20;
                let value = choices.take(count.into());
                set_value(&mut fields[at], value);
            }
            5 => {
                let tag = fields[choices.below(fields.len())].clone();
                let tag = tag.split(|byte| *byte == b'=').next().unwrap_or(&[]);
                let value = fields[at].iter().skip_while(|byte| **byte != b'=');
                fields[at] = tag.iter().chain(value).copied().collect();
            }
            6 => {
                let number = choices.below(10_000);
                fields.insert(at, format!("{number}=v\x01").into_bytes());
            }
            _ if fields[at].is_empty() => {}
            _ => {
                let i = choices.below(fields[at].len());
                fields[at][i] = choices.byte();
            }
        }
    }
    fields.concat()
}

fn set_value(field: &mut Vec<u8>, value: &[u8]) {
    let tag = field.iter().position(|byte| *byte == b'=').map_or(0, |at| at + 1);
    field.truncate(tag);
    field.extend(value);
    field.push(1);
}

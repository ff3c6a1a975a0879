//! Finding bytes, 16 at a time, with the baseline vector instructions of the machine: SSE2 or
//! NEON, chosen when the program is compiled, and plain code elsewhere.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[cfg_attr(test, allow(unreachable_pub, reason = "the tests compile it beside the one in use"))]
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::{Block, Mask};
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use scalar::{Block, Mask};
#[cfg(target_arch = "x86_64")]
pub use x86_64::{Block, Mask};

/// Bytes in a [`Block`].
pub const BLOCK: usize = 16;

/// Position of the first `byte` in `haystack` at or after `from`.
#[inline]
pub fn find_byte(haystack: &[u8], from: usize, byte: u8) -> Option<usize> {
    let rest = haystack.get(from..)?;
    let Some(block) = rest.first_chunk() else {
        return rest.iter().position(|&other| other == byte).map(|at| from + at);
    };
    match Block::load(block).eq(byte).first() {
        Some(at) => Some(from + at),
        None => find_far(haystack, from + BLOCK, byte),
    }
}

/// Position of the first SOH (0x01), the end of a FIX field, at or after `from`.
#[inline]
pub fn find_soh(bytes: &[u8], from: usize) -> Option<usize> {
    find_byte(bytes, from, 1)
}

#[inline(never)]
fn find_far(haystack: &[u8], from: usize, byte: u8) -> Option<usize> {
    memchr::memchr(byte, &haystack[from..]).map(|at| from + at)
}

/// Position of the first `<`, `>`, `&` or control character (below 0x20) at or after `from`: where
/// plain XML text may end; the length of `bytes` if there is none.
#[inline]
pub fn find_markup(bytes: &[u8], from: usize) -> usize {
    find(bytes, from, markup)
}

/// Position of the first `"`, `<`, `&` or control character (below 0x20) at or after `from`: where
/// the plain value of an XML attribute in double quotes may end; the length of `bytes` if there is
/// none.
#[inline]
pub fn find_quote(bytes: &[u8], from: usize) -> usize {
    find(bytes, from, quote)
}

#[inline(always)]
fn find(bytes: &[u8], from: usize, test: impl Fn(Block) -> Mask) -> usize {
    let Some(window) = bytes.get(from..).and_then(<[u8]>::first_chunk::<32>) else {
        return find_near_end(bytes, from, test);
    };
    let [first, second] = [0, 1].map(|half| Block::load(&window.as_chunks().0[half]));
    if let Some(at) = test(first).first() {
        return from + at;
    }
    match test(second).first() {
        Some(at) => from + BLOCK + at,
        None => find_beyond(bytes, from + 2 * BLOCK, test),
    }
}

/// Which bytes may end plain XML text: `<`, `>`, `&` and control characters.
#[inline(always)]
pub fn markup(block: Block) -> Mask {
    // `<` and `>` differ in one bit, and no other byte is either with that bit set.
    block.with_bits(0x02).eq(b'>').or(block.eq(b'&')).or(block.less_than(0x20))
}

/// Which bytes may end the plain value of an XML attribute: `"`, `<`, `&` and control characters.
#[inline(always)]
fn quote(block: Block) -> Mask {
    // `"` and `&` differ in one bit, and no other byte is either with that bit set.
    block.with_bits(0x04).eq(b'&').or(block.eq(b'<')).or(block.less_than(0x20))
}

#[inline(never)]
fn find_beyond(bytes: &[u8], mut from: usize, test: impl Fn(Block) -> Mask) -> usize {
    while let Some(block) = bytes.get(from..).and_then(<[u8]>::first_chunk) {
        if let Some(at) = test(Block::load(block)).first() {
            return from + at;
        }
        from += BLOCK;
    }
    find_near_end(bytes, from, test)
}

/// As [`find`] for the last bytes, fewer than two blocks.
#[inline(never)]
fn find_near_end(bytes: &[u8], from: usize, test: impl Fn(Block) -> Mask) -> usize {
    if let Some(block) = bytes.get(from..).and_then(<[u8]>::first_chunk)
        && let Some(at) = test(Block::load(block)).first()
    {
        return from + at;
    }
    if let Some(block) = bytes.last_chunk() {
        let start = bytes.len() - BLOCK;
        let skip = from.saturating_sub(start).min(BLOCK);
        return test(Block::load(block)).first_from(skip).map_or(bytes.len(), |at| start + at);
    }
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter()
        .position(|byte| test(Block::load(&[*byte; BLOCK])).any())
        .map_or(bytes.len(), |at| from + at)
}

/// Whether a byte of `bytes` is [`escapable`].
#[inline]
pub fn needs_escape(bytes: &[u8]) -> bool {
    any_byte(bytes, escapable)
}

/// Whether a byte of `bytes` is [`escapable_in_quotes`].
#[inline]
pub fn needs_escape_in_quotes(bytes: &[u8]) -> bool {
    any_byte(bytes, escapable_in_quotes)
}

#[inline]
fn any_byte(bytes: &[u8], test: impl Fn(Block) -> Mask) -> bool {
    if bytes.len() > BLOCK {
        return any_byte_of_many(bytes, test);
    }
    let [first, last] = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => [u64::from_le_bytes(*first), u64::from_le_bytes(*last)],
        // Blanks stand for the bytes that are missing.
        _ => {
            let blanks = u64::from_le_bytes([b' '; 8]);
            [crate::digits::word(bytes) | blanks >> (8 * bytes.len()), blanks]
        }
    };
    test(Block::from_words(first, last)).any()
}

#[inline(never)]
fn any_byte_of_many(bytes: &[u8], test: impl Fn(Block) -> Mask) -> bool {
    let (blocks, _) = bytes.as_chunks();
    let last = bytes.last_chunk();
    blocks.iter().chain(last).any(|block| test(Block::load(block)).any())
}

/// Which bytes XML text cannot contain as they are, or may not: `<`, `>`, `&`, control characters
/// and the first byte of U+FFFE and U+FFFF, which it shares with allowed ones.
#[inline(always)]
pub fn escapable(block: Block) -> Mask {
    markup(block).or(block.eq(0xEF))
}

/// As [`escapable`], between the double quotes of an XML attribute.
#[inline(always)]
pub fn escapable_in_quotes(block: Block) -> Mask {
    quote(block).or(block.eq(0xEF))
}

/// Length of the element name at position 1 of a window that begins with `<`: up to the first
/// `>`, blank or control character, and 32 if there is none.
#[inline]
pub fn name_length(window: &[u8; 34]) -> usize {
    length_before(window, b'>')
}

/// Length of the attribute name at position 1 of a window that begins with a blank: up to the
/// first `=`, blank or control character, and 32 if there is none.
#[inline]
pub fn attribute_name_length(window: &[u8; 34]) -> usize {
    length_before(window, b'=')
}

#[inline(always)]
fn length_before(window: &[u8; 34], stop: u8) -> usize {
    let end = |block: Block| block.eq(stop).or(block.less_than(b' ' + 1)).first();
    let halves = window[1..33].as_chunks().0;
    match end(Block::load(&halves[0])) {
        Some(at) => at,
        None => BLOCK + end(Block::load(&halves[1])).unwrap_or(BLOCK),
    }
}

/// How many zeros stand at `from`, up to `most`.
#[inline]
pub fn zeros(bytes: &[u8], from: usize, most: usize) -> usize {
    let mut count = 0;
    while let Some(block) = bytes.get(from + count..).and_then(<[u8]>::first_chunk) {
        let run = Block::load(block).eq(0).run();
        count += run;
        if run < BLOCK || count >= most {
            return count.min(most);
        }
    }
    let rest = bytes.get(from + count..).unwrap_or_default();
    (count + rest.iter().take_while(|byte| **byte == 0).count()).min(most)
}

/// Do exactly `count` zeros, fewer than 16, stand at `from`? False also where too few bytes follow
/// to say so at once.
#[inline(always)]
pub fn are_zeros(bytes: &[u8], from: usize, count: usize) -> bool {
    let block = bytes.get(from..).and_then(<[u8]>::first_chunk);
    count < BLOCK && block.is_some_and(|block| Block::load(block).eq(0).is_run(count))
}

/// Do two pieces of memory, both of whole blocks, agree in their first `length` bytes?
#[inline(always)]
pub fn agree(left: &[u8], right: &[u8], length: usize) -> bool {
    let blocks = left.as_chunks().0.iter().zip(right.as_chunks().0);
    let mut wanted = length;
    for (left, right) in blocks {
        if Block::load(left).same(Block::load(right)).run() < wanted.min(BLOCK) {
            return false;
        }
        if wanted <= BLOCK {
            break;
        }
        wanted -= BLOCK;
    }
    true
}

/// Do two pieces of memory agree in every byte whose bit is set in `wanted`?
#[inline(always)]
pub fn agree_where(left: &[u8; 64], right: &[u8; 64], wanted: u64) -> bool {
    let same = |at: usize| {
        let [left, right] = [left, right].map(|bytes| Block::load(&bytes.as_chunks().0[at]));
        left.same(right).bits()
    };
    if !(same(0) | same(1) << 16) & wanted as u32 != 0 {
        return false;
    }
    let beyond = (wanted >> 32) as u32;
    beyond == 0 || !(same(2) | same(3) << 16) & beyond == 0
}

#[cfg(test)]
mod tests;

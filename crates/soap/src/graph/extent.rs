//! What `arrayType`, `arraySize`, `offset` and `position` say, to read and to write.

use trunkline_message::ErrorKind;

use super::model::Array;

type Parsed<T> = Result<T, ErrorKind>;

/// Dimensions that an array may have.
const MOST_DIMENSIONS: usize = 16;

/// `xsd:string[,][2]`: the type's qualified name, the ranks of the items, the sizes.
pub(super) struct ArrayType<'a> {
    pub(super) qualified: &'a str,
    pub(super) ranks: Vec<usize>,
    pub(super) sizes: Vec<Option<u64>>,
}

/// Reads the value of `SOAP-ENC:arrayType` (SOAP 1.1 section 5.4.2).
pub(super) fn array_type(value: &str) -> Parsed<ArrayType<'_>> {
    let wrong = || expected("a type and sizes such as xsd:int[2,3]", value);
    let (qualified, brackets) = value.split_at(value.find('[').ok_or_else(wrong)?);
    let inside = brackets.strip_prefix('[').and_then(|it| it.trim_end().strip_suffix(']'));
    let mut groups: Vec<&str> = inside.ok_or_else(wrong)?.split("][").collect();
    let sizes = groups.pop().unwrap_or_default();
    if groups.len() > MOST_DIMENSIONS {
        return Err(limit());
    }
    let rank = |group: &&str| match group.bytes().all(|it| it == b',') {
        true if group.len() < MOST_DIMENSIONS => Ok(group.len() + 1),
        true => Err(limit()),
        false => Err(wrong()),
    };
    let ranks = groups.iter().map(rank).collect::<Parsed<_>>()?;
    let size = |text: &str| match text.trim() {
        "" | "*" => Ok(None),
        number => digits(number).map(Some).ok_or_else(wrong),
    };
    let sizes = sizes.split(',').map(size).collect::<Parsed<Vec<_>>>()?;
    Ok(ArrayType { qualified: qualified.trim(), ranks, sizes: checked(sizes, value)? })
}

/// Reads the value of `enc:arraySize` (SOAP 1.2 part 2 section 3.1.6).
pub(super) fn array_size(value: &str) -> Parsed<Vec<Option<u64>>> {
    let mut sizes = Vec::new();
    for (index, text) in value.split_ascii_whitespace().enumerate() {
        sizes.push(match text {
            "*" if index == 0 => None,
            _ => Some(digits(text).ok_or_else(|| expected("sizes such as 2 3 or *", value))?),
        });
    }
    match sizes.is_empty() {
        true => Err(expected("sizes such as 2 3 or *", value)),
        false => checked(sizes, value),
    }
}

/// Sizes that can be counted: only the first may be unknown.
fn checked(sizes: Vec<Option<u64>>, value: &str) -> Parsed<Vec<Option<u64>>> {
    if sizes.len() > MOST_DIMENSIONS {
        return Err(limit());
    }
    if sizes[1..].contains(&None) {
        return Err(expected("the sizes of all dimensions but the first", value));
    }
    let size = sizes.iter().flatten().try_fold(1_u64, |size, it| size.checked_mul(*it));
    match size {
        Some(_) => Ok(sizes),
        None => Err(expected("a size below 2^64", value)),
    }
}

/// Reads `[1,2]`, the value of `SOAP-ENC:offset` or `SOAP-ENC:position`.
pub(super) fn coordinates(value: &str) -> Parsed<Vec<u64>> {
    let wrong = || expected("a position such as [1,2]", value);
    let inside = value.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let numbers = inside.ok_or_else(wrong)?.split(',');
    let numbers: Vec<u64> =
        numbers.map(|it| digits(it.trim()).ok_or_else(wrong)).collect::<Parsed<_>>()?;
    if numbers.len() > MOST_DIMENSIONS {
        return Err(limit());
    }
    Ok(numbers)
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse().ok())?
}

fn limit() -> ErrorKind {
    ErrorKind::Limit { name: "dimensions of an array", limit: MOST_DIMENSIONS }
}

fn expected(what: &str, found: &str) -> ErrorKind {
    let found = &found[..found.floor_char_boundary(64)];
    ErrorKind::Expected(format!("{what}, not {found:?}").into())
}

impl Array {
    /// `[,][2,3]`, what follows the type's name in `SOAP-ENC:arrayType`.
    pub(super) fn brackets(&self) -> String {
        let mut text = String::new();
        for rank in &self.item_ranks {
            text.push('[');
            text.extend((1..*rank).map(|_| ','));
            text.push(']');
        }
        let sizes = self.dimensions.iter();
        let sizes = sizes.map(|size| size.map_or(String::new(), |size| size.to_string()));
        text + "[" + &sizes.collect::<Vec<_>>().join(",") + "]"
    }

    /// `2 3`, the value of `enc:arraySize`.
    pub(super) fn size_list(&self) -> String {
        let sizes = self.dimensions.iter();
        let sizes = sizes.map(|size| size.map_or("*".into(), |size| size.to_string()));
        let list = sizes.collect::<Vec<_>>().join(" ");
        if list.is_empty() { "*".into() } else { list }
    }

    /// `[1,2]`, the value of `SOAP-ENC:position`.
    pub(super) fn place(&self, position: u64) -> String {
        let numbers = self.coordinates(position);
        let numbers = numbers.iter().map(u64::to_string).collect::<Vec<_>>();
        format!("[{}]", numbers.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(value: &str) -> String {
        let ArrayType { qualified, ranks, sizes } = array_type(value).expect("an array type");
        let mut array = Array::new(None, Vec::new());
        (array.item_ranks, array.dimensions) = (ranks, sizes);
        format!("{qualified}{}", array.brackets())
    }

    #[test]
    fn array_types_are_read_as_they_are_written() {
        let good = ["xsd:int[3]", "xsd:string[2,3]", "xsd:string[][3]", "string[,][2]", "a:b[]"];
        for value in good.into_iter().chain(["a:b[,,][][,][0,18446744073709551615]"]) {
            assert_eq!(round_trip(value), value);
        }
        assert_eq!(round_trip(" xsd:int[ 2 , 3 ] "), "xsd:int[2,3]");
    }

    #[test]
    fn what_is_no_array_type_is_rejected() {
        for value in ["xsd:int", "xsd:int]3[", "xsd:int[3", "xsd:int[-3]", "xsd:int[3][]x", "[,]"] {
            assert!(array_type(value).is_err(), "{value}");
        }
        for value in ["xsd:int[2,]", "xsd:int[4294967296,4294967297]", "i[3][+1]", "i[x][1]"] {
            assert!(array_type(value).is_err(), "{value}");
        }
    }

    #[test]
    fn array_sizes_are_lists() {
        assert_eq!(array_size(" * 3 ").unwrap(), [None, Some(3)]);
        assert_eq!(array_size("2 3").unwrap(), [Some(2), Some(3)]);
        for value in ["", "3 *", "2,3", "-1"] {
            assert!(array_size(value).is_err(), "{value}");
        }
    }

    #[test]
    fn positions_count_row_by_row() {
        let mut array = Array::new(None, Vec::new());
        array.dimensions = vec![Some(2), Some(3), Some(4)];
        assert_eq!(array.position(&[1, 2, 3]), Some(23));
        assert_eq!(array.position(&[1, 3, 0]), None);
        assert_eq!(array.place(23), "[1,2,3]");
        assert_eq!(array.place(4), "[0,1,0]");
    }
}

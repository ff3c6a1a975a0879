//! The defaults of members: what they are where they are absent.

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
};

use crate::{
    Any, Decoder, Entries, Error, ErrorKind, FieldValue, Fields, Result, Structure, Value,
};

/// The default of the member of a struct at a position.
///
/// # Panics
/// If it has none. The derive asks only for those that have.
pub fn default_of<S: Structure, V: FieldValue>(position: usize) -> V {
    let mut value = V::empty();
    put_default::<S, V>(position, &mut value);
    value
}

/// Makes the member at a position what its default is; memory is kept.
///
/// # Panics
/// As [`default_of`].
pub fn put_default<S: Structure, V: FieldValue>(position: usize, into: &mut V) {
    let field = &S::layout().scopes()[0].fields[position];
    let default = field.default.as_deref().expect("the member has a default");
    into.decode(0, &mut Said(default)).expect("a default is of its member's type");
}

/// Is it one of these? For the derive, whose defaults of enumerations are checked at compile time.
pub const fn is_one_of(name: &str, names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if is_same(name.as_bytes(), names[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// A decoder that stands at this value.
struct Said<'a>(&'a Value);

fn other_kind<T>() -> Result<T> {
    Err(Error::new(ErrorKind::Schema, 0))
}

macro_rules! values {
    ($($method:ident: $type:ty = $variant:ident;)*) => {$(
        fn $method(&mut self) -> Result<$type> {
            match self.0 {
                Value::$variant(value) => Ok(value.clone()),
                _ => other_kind(),
            }
        }
    )*};
}

impl Decoder for Said<'_> {
    values! {
        boolean: bool = Boolean;
        decimal: Decimal = Decimal;
        big_integer: BigInteger = BigInteger;
        big_decimal: BigDecimal = BigDecimal;
        code: Code = Code;
        date: Date = Date;
        time: Time = Time;
        timestamp: Timestamp = Timestamp;
        duration: Duration = Duration;
    }

    fn integer<I: Integer>(&mut self) -> Result<I> {
        let number = match self.0 {
            Value::Integer(number) => I::from_i64(*number),
            Value::Unsigned(number) => I::from_u64(*number),
            _ => None,
        };
        number.map_or_else(other_kind, Ok)
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        match self.0 {
            Value::Single(value) => Ok(F::of_bits(value.to_bits().into())),
            Value::Float(value) => Ok(F::of_bits(value.to_bits())),
            _ => other_kind(),
        }
    }

    fn text(&mut self, into: &mut Text) -> Result<()> {
        let Value::Text(text) = self.0 else { return other_kind() };
        into.clone_from(text);
        Ok(())
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        let Value::Text(text) = self.0 else { return other_kind() };
        into.clear();
        into.push_str(text);
        Ok(())
    }

    fn enumeration(&mut self) -> Result<usize> {
        match self.0 {
            Value::Enumeration(value) => Ok(*value as usize),
            _ => other_kind(),
        }
    }

    fn bytes(&mut self, _: &mut Vec<u8>) -> Result<()> {
        other_kind()
    }

    fn any(&mut self, _: &mut Any) -> Result<()> {
        other_kind()
    }

    fn integers<I: Integer>(&mut self, _: &mut Vec<I>) -> Result<()> {
        other_kind()
    }

    fn floats<F: Float>(&mut self, _: &mut Vec<F>) -> Result<()> {
        other_kind()
    }

    fn group<G: Entries>(&mut self, _: &mut G) -> Result<()> {
        other_kind()
    }

    fn structure<F: Fields>(&mut self, _: &mut F) -> Result<()> {
        other_kind()
    }
}

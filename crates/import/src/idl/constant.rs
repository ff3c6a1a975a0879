//! Constant expressions (CORBA 3.4 part 1, 7.4.1.4.3).

use super::declaration::{Body, Constant, DeclarationId, Type};
use super::lexer::Token;
use super::parser::Parser;
use super::scope::Meaning;
use crate::problem::{Place, Problem};

/// What an expression is made of before its type is known.
#[derive(Clone, Debug)]
enum Value {
    Constant(Constant),
    /// A whole number that stands there as such: no `float` is one.
    Wide(Constant),
}

/// The signs between two operands, those that bind least first.
const LEVELS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

impl Parser<'_> {
    /// An expression that is a value of this type.
    pub(super) fn constant(&mut self, of: &Type) -> Result<Constant, Problem> {
        let place = self.place()?;
        let value = self.level(0)?;
        self.fitted(value, of, &place)
    }

    /// An expression that is a size: a whole number, 1 at least.
    pub(super) fn size(&mut self) -> Result<u32, Problem> {
        let place = self.place()?;
        match self.constant(&Type::UnsignedLong)? {
            Constant::Integer(size) if size > 0 => Ok(size as u32),
            _ => Err(Problem::new(&place, "the size is not at least 1", "write a larger one")),
        }
    }

    fn level(&mut self, level: usize) -> Result<Value, Problem> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        loop {
            let place = self.place()?;
            let Some(sign) = signs.iter().find(|it| self.is_sign(it)) else { return Ok(left) };
            self.take()?;
            let right = self.level(level + 1)?;
            left = combine(sign, &left, &right).ok_or_else(|| {
                let what = format!("{sign} of these two has no value");
                Problem::new(&place, what, "write two whole numbers or two floats, in bounds")
            })?;
        }
    }

    fn unary(&mut self) -> Result<Value, Problem> {
        let place = self.place()?;
        let sign = ["-", "+", "~"].into_iter().find(|it| self.is_sign(it));
        let Some(sign) = sign else { return self.primary() };
        self.take()?;
        self.deeper(&place)?;
        let value = self.unary()?;
        self.shallower();
        let found = match (sign, value) {
            ("+", value) => Some(value),
            ("-", Value::Constant(Constant::Integer(it))) => {
                it.checked_neg().map(|it| Value::Constant(Constant::Integer(it)))
            }
            ("-", Value::Constant(Constant::Float(it))) => {
                Some(Value::Constant(Constant::Float(-it)))
            }
            ("-", Value::Constant(Constant::Fixed(it))) => {
                Some(Value::Constant(Constant::Fixed(format!("-{it}"))))
            }
            ("~", Value::Constant(Constant::Integer(it))) => {
                Some(Value::Constant(Constant::Integer(!it)))
            }
            _ => None,
        };
        found.ok_or_else(|| {
            Problem::new(&place, format!("{sign} of what is no number"), "take it out")
        })
    }

    fn primary(&mut self) -> Result<Value, Problem> {
        let place = self.place()?;
        if self.is_sign("(") {
            self.take()?;
            self.deeper(&place)?;
            let value = self.level(0)?;
            self.shallower();
            self.expect(")")?;
            return Ok(value);
        }
        let constant = match self.peek_token()? {
            Some(Token::Integer(number)) => {
                let number = i128::try_from(*number).map_err(|_| {
                    Problem::new(&place, "the number is too large", "write a smaller one")
                })?;
                Constant::Integer(number)
            }
            Some(Token::Float(digits)) => {
                let number = digits.parse().unwrap_or(f64::INFINITY);
                Constant::Float(number)
            }
            Some(Token::Fixed(digits)) => Constant::Fixed(digits.clone()),
            Some(Token::Character { value, is_wide: false }) => Constant::Character(*value),
            Some(Token::Character { value, is_wide: true }) => {
                let value = Value::Wide(Constant::Character(*value));
                self.take()?;
                return Ok(value);
            }
            Some(Token::Text { is_wide, .. }) => {
                let is_wide = *is_wide;
                return self.text(is_wide);
            }
            Some(Token::Word(word)) if word == "TRUE" => Constant::Boolean(true),
            Some(Token::Word(word)) if word == "FALSE" => Constant::Boolean(false),
            _ => return self.named_constant(&place),
        };
        self.take()?;
        Ok(Value::Constant(constant))
    }

    /// Strings that follow one another are one.
    fn text(&mut self, is_wide: bool) -> Result<Value, Problem> {
        let mut all = String::new();
        while let Some(Token::Text { value, .. }) = self.peek_token()? {
            all.push_str(value);
            self.take()?;
        }
        let constant = Constant::Text(all);
        Ok(if is_wide { Value::Wide(constant) } else { Value::Constant(constant) })
    }

    fn named_constant(&mut self, place: &Place) -> Result<Value, Problem> {
        let (name, meaning) = self.scoped_name()?;
        match meaning {
            Meaning::Constant(id) => match &self.declarations[id.0].body {
                Body::Const(Type::WideChar | Type::WideText(_), value) => {
                    Ok(Value::Wide(value.clone()))
                }
                Body::Const(_, value) => Ok(Value::Constant(value.clone())),
                _ => Err(Problem::new(place, format!("{name} is no constant"), "name one")),
            },
            Meaning::Enumerator(of, index) => Ok(Value::Constant(Constant::Enumerator(of, index))),
            _ => Err(Problem::new(place, format!("{name} is no constant"), "name one")),
        }
    }

    /// The value, if it is one of this type.
    fn fitted(&self, value: Value, of: &Type, place: &Place) -> Result<Constant, Problem> {
        let of = self.resolved(of);
        let shown = of.shown(&self.declarations);
        let reject = |what: String| {
            Err(Problem::new(place, what, format!("write a value of the type {shown}")))
        };
        let (is_wide, constant) = match value {
            Value::Constant(constant) => (false, constant),
            Value::Wide(constant) => (true, constant),
        };
        let bounds = bounds(&of);
        match (&of, constant) {
            (_, Constant::Integer(it)) if bounds.is_some() => match bounds {
                Some((least, most)) if least <= it && it <= most => Ok(Constant::Integer(it)),
                _ => reject(format!("{it} is out of the bounds of {shown}")),
            },
            (Type::Boolean, it @ Constant::Boolean(_))
            | (Type::Fixed(_), it @ Constant::Fixed(_)) => Ok(it),
            (Type::Float, Constant::Float(it)) if it.abs() > f64::from(f32::MAX) => {
                reject(format!("{it} is out of the bounds of float"))
            }
            (Type::Double, Constant::Float(it)) if it.is_infinite() => {
                reject("the number is out of the bounds of double".into())
            }
            (Type::Float | Type::Double | Type::LongDouble, it @ Constant::Float(_)) => Ok(it),
            (Type::Char, it @ Constant::Character(_)) | (Type::Text(_), it @ Constant::Text(_))
                if !is_wide =>
            {
                self.within(it, &of, place)
            }
            (Type::WideChar, it @ Constant::Character(_))
            | (Type::WideText(_), it @ Constant::Text(_))
                if is_wide =>
            {
                self.within(it, &of, place)
            }
            (Type::Named(id), Constant::Enumerator(of, index)) if *id == of => {
                Ok(Constant::Enumerator(of, index))
            }
            (Type::Float | Type::Double | Type::LongDouble, Constant::Integer(it)) => {
                let what = format!("{it} is a whole number, and no value of {shown}");
                Err(Problem::new(place, what, "write it with a point, as 1.0"))
            }
            (Type::WideChar | Type::WideText(_), it) => {
                let what = format!("{it} is no value of {shown}");
                Err(Problem::new(place, what, "write L before it, as L'a'"))
            }
            (_, it) => reject(format!("{it} is no value of {shown}")),
        }
    }

    fn within(&self, constant: Constant, of: &Type, place: &Place) -> Result<Constant, Problem> {
        let length = |text: &str| text.chars().count();
        match (&constant, of) {
            (Constant::Text(text), Type::Text(Some(most)) | Type::WideText(Some(most)))
                if length(text) > *most as usize =>
            {
                let what = format!("the text is longer than {most}");
                Err(Problem::new(place, what, "write a shorter one"))
            }
            _ => Ok(constant),
        }
    }

    /// The type itself, where a typedef names it.
    pub(super) fn resolved(&self, of: &Type) -> Type {
        let mut of = of.clone();
        while let Type::Named(DeclarationId(index)) = of
            && let Body::Typedef(typed) = &self.declarations[index].body
            && typed.dimensions.is_empty()
        {
            of = typed.of.clone();
        }
        of
    }
}

/// The least and the most of a whole type.
fn bounds(of: &Type) -> Option<(i128, i128)> {
    Some(match of {
        Type::Octet => (0, u8::MAX.into()),
        Type::Short => (i16::MIN.into(), i16::MAX.into()),
        Type::UnsignedShort => (0, u16::MAX.into()),
        Type::Long => (i32::MIN.into(), i32::MAX.into()),
        Type::UnsignedLong => (0, u32::MAX.into()),
        Type::LongLong => (i64::MIN.into(), i64::MAX.into()),
        Type::UnsignedLongLong => (0, u64::MAX.into()),
        _ => return None,
    })
}

fn combine(sign: &str, left: &Value, right: &Value) -> Option<Value> {
    let (Value::Constant(left), Value::Constant(right)) = (left, right) else { return None };
    let constant = match (left, right) {
        (Constant::Integer(left), Constant::Integer(right)) => {
            let (left, right) = (*left, *right);
            let shift = u32::try_from(right).ok().filter(|it| *it < 64);
            Constant::Integer(match sign {
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "<<" => left.checked_mul(1 << shift?)?,
                ">>" => left >> shift?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            })
        }
        (Constant::Float(left), Constant::Float(right)) => Constant::Float(match sign {
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "/" => left / right,
            _ => return None,
        }),
        _ => return None,
    };
    Some(Value::Constant(constant))
}

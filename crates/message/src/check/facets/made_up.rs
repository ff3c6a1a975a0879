//! Values that facets allow.

use trunkline_wire::{BigDecimal, Code};

use super::Facets;
use crate::{Kind, Value};

/// Characters and octets of what is made up, at most: nobody wants to see more.
const MOST: usize = 4096;

impl Facets {
    /// The value that is given if it may be, or another one of its kind that is found to be allowed; none if none is.
    pub(in crate::check) fn made_up(&self, kind: Kind, plain: Value) -> Option<Value> {
        let is_allowed = |it: &Value| self.of_value(it).is_none();
        if is_allowed(&plain) {
            return Some(plain);
        }
        let made = match kind {
            Kind::Text => self.text().map(|it| Value::from(&*it)),
            Kind::Code => {
                self.text().and_then(|it| Code::parse(it.as_bytes()).ok()).map(Value::Code)
            }
            Kind::Bytes if self.values.is_some() => return self.listed().find(is_allowed),
            Kind::Bytes => {
                let length = self.length.least.or(self.length.most).filter(|it| *it <= MOST)?;
                Some(Value::Bytes(vec![b'x'; length]))
            }
            kind => return self.listed().chain(self.between(kind)).find(is_allowed),
        };
        made.filter(is_allowed)
    }

    /// The values that there are, if those are said.
    fn listed(&self) -> impl Iterator<Item = Value> {
        self.values.iter().flat_map(|it| it.values.iter().cloned())
    }

    fn text(&self) -> Option<String> {
        let (least, most) = (self.length.least.unwrap_or(0), self.length.most);
        match &self.pattern {
            Some(pattern) => pattern.example(least, most.unwrap_or(usize::MAX)),
            None => {
                let length = most.unwrap_or(usize::MAX).min(least.clamp(4, MOST));
                Some("text".chars().cycle().take(length).collect())
            }
        }
    }

    /// What may be between the bounds.
    fn between(&self, kind: Kind) -> impl Iterator<Item = Value> {
        let bounds: Vec<&str> = self.bounds.iter().map(|it| &*it.text).collect();
        let mut texts: Vec<String> = bounds.iter().map(|it| (*it).to_owned()).collect();
        let numbers: Vec<BigDecimal> = bounds.iter().filter_map(|it| it.parse().ok()).collect();
        for number in &numbers {
            texts.extend(
                ["1", "-1", "0.5", "-0.5", "0.01", "-0.01"]
                    .iter()
                    .filter_map(|step| sum(number.as_str(), step)),
            );
        }
        if let [one, other] = &*numbers {
            texts.extend(half_way(one.as_str(), other.as_str()));
        }
        texts.extend(COMMON.map(str::to_owned));
        texts.into_iter().filter_map(move |it| Value::parse(kind, &it))
    }
}

/// Values that somebody may mean who says no bounds, or bounds that are not among them.
const COMMON: [&str; 18] = [
    "0",
    "1",
    "-1",
    "0.5",
    "-0.5",
    "2004-02-29",
    "2024-02-29",
    "1999-12-31",
    "2099-12-31",
    "12:30:00",
    "00:00:01",
    "23:59:59",
    "2004-02-29T12:30:00Z",
    "2024-02-29T12:30:00Z",
    "1999-12-31T12:30:00Z",
    "2099-12-31T12:30:00Z",
    "PT1S",
    "P1Y",
];

/// The sum of two numbers that are not too long to be added as they are.
fn sum(number: &str, other: &str) -> Option<String> {
    let (one, one_scale) = scaled(number)?;
    let (other, other_scale) = scaled(other)?;
    let scale = one_scale.max(other_scale);
    let raised = |it: i128, by: u32| it.checked_mul(10_i128.checked_pow(by)?);
    let sum = raised(one, scale - one_scale)?.checked_add(raised(other, scale - other_scale)?)?;
    Some(written(sum, scale))
}

fn half_way(one: &str, other: &str) -> Option<String> {
    let (sum, scale) = scaled(&sum(one, other)?)?;
    Some(written(sum.checked_mul(5)?, scale + 1))
}

/// The digits as a whole number, and how many of them are behind the point.
fn scaled(number: &str) -> Option<(i128, u32)> {
    let (units, fraction) = number.split_once('.').unwrap_or((number, ""));
    Some((format!("{units}{fraction}").parse().ok()?, u32::try_from(fraction.len()).ok()?))
}

fn written(number: i128, scale: u32) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = scale as usize + 1);
    let (units, fraction) = digits.split_at(digits.len() - scale as usize);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{units}"),
        fraction => format!("{sign}{units}.{fraction}"),
    }
}

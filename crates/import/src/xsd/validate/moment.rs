//! Dates, times, their parts, and durations, with the order that XML Schema gives them (part 2, sections 3.2.6 to 3.2.14).

use std::cmp::Ordering;

/// A kind of moment, by its form: `Y` a year, `M` a month, `D` a day, `T` a time, `t` the letter before
/// one, others as they stand.
pub(super) type Form = &'static str;

/// A point on the line of time, or one that recurs.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// Seconds from 1970 on, of UTC if there is a zone.
    seconds: i128,
    /// The digits behind the point, without zeros at the end.
    fraction: String,
    has_zone: bool,
}

/// A zone is 14 hours away at most.
const FARTHEST: i128 = 14 * 3600;
/// Digits of a year or of a part of a duration.
const MOST_DIGITS: usize = 18;

impl Moment {
    /// Reads one of this form.
    pub(super) fn parse(form: Form, text: &str) -> Option<Self> {
        let mut rest = Rest(text);
        // A year of many centuries, in which there is a 29 February.
        let (mut year, mut month, mut day) = (1972, 1, 1);
        let (mut seconds, mut fraction) = (0, String::new());
        for part in form.chars() {
            match part {
                'Y' => year = rest.year()?,
                'M' => month = rest.two(1, 12)?,
                'D' => day = rest.two(1, 31)?,
                'T' => (seconds, fraction) = rest.time()?,
                't' => rest.sign('T')?,
                sign => rest.sign(sign)?,
            }
        }
        if day > days_of(year, month) {
            return None;
        }
        let zone = rest.zone()?;
        let seconds = days_before(year, month, day) * 86_400 + seconds - zone.unwrap_or(0) * 60;
        Some(Self { seconds, fraction, has_zone: zone.is_some() })
    }

    /// Their order; none if it depends on a zone that one of them does not have.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        let compare = |by: i128| {
            let seconds = self.seconds.cmp(&(other.seconds + by));
            seconds.then_with(|| self.fraction.cmp(&other.fraction))
        };
        if self.has_zone == other.has_zone {
            return Some(compare(0));
        }
        let (early, late) = (compare(-FARTHEST), compare(FARTHEST));
        (early == late).then_some(early)
    }

    /// A text that is the same for the same moments.
    pub(super) fn key(&self) -> String {
        let zone = if self.has_zone { "Z" } else { "" };
        format!("{}.{}{zone}", self.seconds, self.fraction)
    }
}

/// What of a text is still to be read.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn sign(&mut self, sign: char) -> Option<()> {
        self.0 = self.0.strip_prefix(sign)?;
        Some(())
    }

    fn digits(&mut self) -> &str {
        let end = self.0.find(|it: char| !it.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        digits
    }

    fn two(&mut self, least: i128, most: i128) -> Option<i128> {
        let digits = self.0.get(..2).filter(|it| it.bytes().all(|it| it.is_ascii_digit()))?;
        let number = digits.parse().ok()?;
        self.0 = &self.0[2..];
        (least..=most).contains(&number).then_some(number)
    }

    fn year(&mut self) -> Option<i128> {
        let is_before = self.sign('-').is_some();
        let digits = self.digits();
        let is_right = (4..=MOST_DIGITS).contains(&digits.len())
            && (digits.len() == 4 || !digits.starts_with('0'));
        let year: i128 = digits.parse().ok().filter(|it| is_right && *it > 0)?;
        Some(if is_before { -year } else { year })
    }

    /// Seconds from midnight on, and the digits behind the point.
    fn time(&mut self) -> Option<(i128, String)> {
        let hour = self.two(0, 24)?;
        self.sign(':')?;
        let minute = self.two(0, 59)?;
        self.sign(':')?;
        let second = self.two(0, 59)?;
        let fraction = match self.sign('.') {
            Some(()) => self.digits().to_owned(),
            None => "0".to_owned(),
        };
        let seconds = hour * 3600 + minute * 60 + second;
        let fraction = (!fraction.is_empty()).then(|| fraction.trim_end_matches('0').to_owned())?;
        let is_right = hour < 24 || (seconds == 86_400 && fraction.is_empty());
        is_right.then_some((seconds, fraction))
    }

    /// Minutes before UTC, at the end of a text.
    fn zone(&mut self) -> Option<Option<i128>> {
        let is_before = match self.0 {
            "" => return Some(None),
            "Z" => return Some(Some(0)),
            text => text.starts_with('-'),
        };
        self.0 = self.0.strip_prefix(['+', '-'])?;
        let hours = self.two(0, 14)?;
        self.sign(':')?;
        let minutes = hours * 60 + self.two(0, 59)?;
        let is_right = self.0.is_empty() && minutes <= 14 * 60;
        is_right.then_some(Some(if is_before { -minutes } else { minutes }))
    }
}

/// As there is no year 0, the year before 1 is -1.
fn counted(year: i128) -> i128 {
    if year < 0 { year + 1 } else { year }
}

fn days_of(year: i128, month: i128) -> i128 {
    let year = counted(year);
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the first of January 1970 on.
fn days_before(year: i128, month: i128, day: i128) -> i128 {
    // Years begin in March, so that a leap day is the last of its year.
    let year = counted(year) - i128::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A length of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    months: i128,
    seconds: i128,
    /// The digits behind the point, without zeros at the end.
    fraction: String,
    is_negative: bool,
}

impl Span {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (days, times) = match text.strip_prefix('P')?.split_once('T') {
            Some((_, "")) => return None,
            Some((days, times)) => (days, times),
            None => (text.strip_prefix('P')?, ""),
        };
        if days.is_empty() && times.is_empty() {
            return None;
        }
        let ([years, months, of_days], none) = parts(days, ['Y', 'M', 'D'])?;
        let ([hours, minutes, seconds], fraction) = parts(times, ['H', 'M', 'S'])?;
        let is_whole = none.is_none();
        let fraction = fraction.unwrap_or_default().trim_end_matches('0').to_owned();
        let seconds = ((of_days * 24 + hours) * 60 + minutes) * 60 + seconds;
        is_whole.then_some(Self { months: years * 12 + months, seconds, fraction, is_negative })
    }

    /// Their order; none if it depends on which months they have.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        // From these dates on, months are as long as they can be.
        let orders = [(1696, 9), (1697, 2), (1903, 3), (1903, 7)].map(|from| {
            let (one, another) = (self.until(from), other.until(from));
            let fractions = || match (self.is_negative, other.is_negative) {
                (false, false) => self.fraction.cmp(&other.fraction),
                (true, true) => other.fraction.cmp(&self.fraction),
                _ if self.fraction.is_empty() && other.fraction.is_empty() => Ordering::Equal,
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            };
            one.cmp(&another).then_with(fractions)
        });
        orders.iter().all(|it| *it == orders[0]).then_some(orders[0])
    }

    /// The second that is so long behind the first of a month.
    fn until(&self, (year, month): (i128, i128)) -> i128 {
        let sign = if self.is_negative { -1 } else { 1 };
        let months = year * 12 + month - 1 + sign * self.months;
        let year = months.div_euclid(12);
        // There is no year 0.
        let year = if year <= 0 { year - 1 } else { year };
        days_before(year, months.rem_euclid(12) + 1, 1) * 86_400 + sign * self.seconds
    }

    /// A text that is the same for the same lengths.
    pub(super) fn key(&self) -> String {
        let is_zero = self.months == 0 && self.seconds == 0 && self.fraction.is_empty();
        let sign = if self.is_negative && !is_zero { "-" } else { "" };
        format!("{sign}{}:{}.{}", self.months, self.seconds, self.fraction)
    }
}

/// Numbers with these signs behind them, in this order, each of which may be missing; of the last, the digits behind the
/// point too.
fn parts(text: &str, signs: [char; 3]) -> Option<([i128; 3], Option<&str>)> {
    let (mut found, mut fraction, mut rest) = ([0; 3], None, text);
    for (index, sign) in signs.into_iter().enumerate() {
        let Some(at) = rest.find(sign) else { continue };
        let (mut digits, behind) = (&rest[..at], &rest[at + 1..]);
        if let Some((whole, decimals)) = digits.split_once('.').filter(|_| sign == 'S') {
            let is_right = !decimals.is_empty() && decimals.bytes().all(|it| it.is_ascii_digit());
            (digits, fraction) = (whole, Some(decimals).filter(|_| is_right));
            fraction?;
        }
        let is_right = !digits.is_empty()
            && digits.len() <= MOST_DIGITS
            && digits.bytes().all(|it| it.is_ascii_digit());
        found[index] = digits.parse().ok().filter(|_| is_right)?;
        rest = behind;
    }
    rest.is_empty().then_some((found, fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(form: Form, text: &str) -> Moment {
        Moment::parse(form, text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn moments_are_read_and_ordered() {
        let form = "Y-M-D";
        assert_eq!(moment(form, "1970-01-02").seconds, 86_400);
        let point = |text: &str| moment("Y-M-DtT", text);
        assert_eq!(point("2004-02-29T24:00:00Z").key(), point("2004-03-01T01:00:00.0+01:00").key());
        assert_eq!(point("-0001-12-31T24:00:00").key(), point("0001-01-01T00:00:00").key());
        let before = moment(form, "2004-02-28").order(&moment(form, "2004-02-29"));
        assert_eq!(before, Some(Ordering::Less));
        // The zone of one of them is not known.
        assert_eq!(moment(form, "2004-02-28").order(&moment(form, "2004-02-28Z")), None);
        assert_eq!(moment(form, "2004-02-26").order(&moment(form, "2004-02-28Z")), before);
        for wrong in [
            "2003-02-29",
            "0000-01-01",
            "02004-01-01",
            "2004-1-01",
            "2004-01-01+15:00",
            "2004-01-01 ",
        ] {
            assert!(Moment::parse(form, wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn durations_are_read_and_ordered() {
        let span = |text: &str| Span::parse(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(span("P1M").order(&span("P30D")), None);
        assert_eq!(span("P1M").order(&span("P32D")), Some(Ordering::Less));
        assert_eq!(span("-P1D").order(&span("PT0.5S")), Some(Ordering::Less));
        assert_eq!(span("PT36H").key(), span("P1DT12H").key());
        for wrong in ["P", "PT", "P1S", "P1DT", "1D", "P-1D", "PT1.S", "P1M1Y", "P1.5D"] {
            assert!(Span::parse(wrong).is_none(), "{wrong}");
        }
    }
}

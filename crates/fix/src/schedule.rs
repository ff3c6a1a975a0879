//! When a session may be up: hours of days or weeks in a zone, and what of them is now.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// The hours of a session, by the clock of a place. Numbers begin with 1 in each of its periods.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    zone: TimeZone,
    periods: Vec<Period>,
}

/// One of the periods that come again each week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Period {
    on: Weekday,
    start: Time,
    /// Days later it ends.
    days: i64,
    end: Time,
}

/// What is now, as a schedule has it; times are nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hours {
    /// A period that began, and when it ends.
    Open {
        /// When it began.
        since: i64,
        /// When it ends.
        until: i64,
    },
    /// Between two periods.
    Closed {
        /// When the next begins; none in the years that have dates.
        until: Option<i64>,
    },
}

/// Why there is no such schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError(String);

impl fmt::Display for ScheduleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ScheduleError {}

/// Days around one on which a period may begin that has it inside, or is the next.
const AROUND: std::ops::RangeInclusive<i64> = -8..=8;

impl Schedule {
    /// A period on each of these days, such as `mon-fri`, `mon,wed,fri` or `daily`, from a time such as `09:00` or
    /// `09:00:30` to another one. If that is not later, it is on the next day. The zone is one of IANA's, such as
    /// `America/New_York`, or `UTC`.
    ///
    /// # Errors
    /// There is no such zone, day or time.
    pub fn daily(days: &str, start: &str, end: &str, zone: &str) -> Result<Self, ScheduleError> {
        let (start, end) = (time(start)?, time(end)?);
        let later = i64::from(end <= start);
        let periods = weekdays(days)?.into_iter().map(|on| Period { on, start, days: later, end });
        Ok(Self { zone: zone_of(zone)?, periods: periods.collect() })
    }

    /// One period a week, such as from `sun 17:00` to `fri 17:00`; from a time to the same one it is the whole week.
    ///
    /// # Errors
    /// As [`daily`](Self::daily).
    pub fn weekly(start: &str, end: &str, zone: &str) -> Result<Self, ScheduleError> {
        let at = |text: &str| {
            let (day, at) = text.trim().split_once(' ').ok_or_else(|| {
                ScheduleError(format!("`{text}` is no day and time, such as `sun 17:00`"))
            })?;
            Ok((weekday(day)?, time(at)?))
        };
        let ((on, start), (end_day, end)) = (at(start)?, at(end)?);
        let days = i64::from(on.until(end_day));
        let days = if days == 0 && end <= start { 7 } else { days };
        Ok(Self { zone: zone_of(zone)?, periods: vec![Period { on, start, days, end }] })
    }

    /// What is at a time, in nanoseconds since 1970.
    pub fn at(&self, utc: i64) -> Hours {
        let never = Hours::Closed { until: None };
        let Ok(now) = Timestamp::from_nanosecond(utc.into()) else { return never };
        let today = self.zone.to_datetime(now).date();
        let mut next: Option<i64> = None;
        for offset in AROUND {
            let Ok(date) = today.checked_add(Span::new().days(offset)) else { continue };
            for period in self.periods.iter().filter(|it| it.on == date.weekday()) {
                let Some((since, until)) = self.bounds(period, date) else { continue };
                if (since..until).contains(&utc) {
                    return Hours::Open { since, until };
                }
                if since > utc {
                    next = Some(next.map_or(since, |it| it.min(since)));
                }
            }
        }
        Hours::Closed { until: next }
    }

    /// When a period that begins on a date begins and ends. A time that a clock passes over is as much later; of one that
    /// it shows twice it is the first.
    fn bounds(&self, period: &Period, date: Date) -> Option<(i64, i64)> {
        let instant = |date: Date, time: Time| {
            let timestamp = self.zone.to_timestamp(date.to_datetime(time)).ok()?;
            i64::try_from(timestamp.as_nanosecond()).ok()
        };
        let last = date.checked_add(Span::new().days(period.days)).ok()?;
        Some((instant(date, period.start)?, instant(last, period.end)?))
    }
}

/// As one text: `mon-fri 08:00-17:30 America/New_York` is [daily](Schedule::daily), `sun 17:00-fri 17:00 UTC` is
/// [weekly](Schedule::weekly). Without days it is every day, without a zone UTC.
impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let joined = text.replace(" - ", "-");
        let words: Vec<&str> = joined.split_whitespace().collect();
        let (when, zone) = match &*words {
            [when @ .., zone] if !when.is_empty() && !zone.contains(':') => (when, *zone),
            when => (when, "UTC"),
        };
        let wrong = || {
            ScheduleError(format!(
                "`{text}` are no hours, such as `mon-fri 08:00-17:30 America/New_York` or `sun 17:00-fri 17:00`"
            ))
        };
        match *when {
            [hours] | [_, hours] if hours.contains(':') => {
                let days = if when.len() == 2 { when[0] } else { "daily" };
                let (start, end) = hours.split_once('-').ok_or_else(wrong)?;
                Self::daily(days, start, end, zone)
            }
            [day, middle, end] => {
                let (start, last) = middle.split_once('-').ok_or_else(wrong)?;
                Self::weekly(&format!("{day} {start}"), &format!("{last} {end}"), zone)
            }
            _ => Err(wrong()),
        }
    }
}

fn zone_of(name: &str) -> Result<TimeZone, ScheduleError> {
    TimeZone::get(name).map_err(|_| {
        ScheduleError(format!("`{name}` is no zone; one is named as America/New_York or UTC"))
    })
}

fn time(text: &str) -> Result<Time, ScheduleError> {
    let wrong = || ScheduleError(format!("`{text}` is no time, such as 09:00 or 09:00:30"));
    let text = text.trim();
    let parts: Vec<i8> = text
        .split(':')
        .map(|it| it.parse().ok().filter(|_| it.len() == 2))
        .collect::<Option<_>>()
        .ok_or_else(wrong)?;
    let (hour, minute, second) = match *parts {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return Err(wrong()),
    };
    Time::new(hour, minute, second, 0).map_err(|_| wrong())
}

const NAMES: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

fn weekday(text: &str) -> Result<Weekday, ScheduleError> {
    let short = text.trim().to_ascii_lowercase();
    let day = NAMES.iter().find(|it| it.0 == short).map(|it| it.1);
    day.ok_or_else(|| ScheduleError(format!("`{text}` is no day; they are mon to sun")))
}

fn weekdays(text: &str) -> Result<Vec<Weekday>, ScheduleError> {
    if text.trim().eq_ignore_ascii_case("daily") {
        return Ok(NAMES.map(|it| it.1).to_vec());
    }
    let mut days = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (weekday(first)?, weekday(last)?);
        days.extend((0..=first.until(last)).map(|it| first.wrapping_add(it)));
    }
    Ok(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> i64 {
        let time: Timestamp = text.parse().expect("a time");
        i64::try_from(time.as_nanosecond()).expect("of these years")
    }

    fn open(since: &str, until: &str) -> Hours {
        Hours::Open { since: utc(since), until: utc(until) }
    }

    fn closed(until: &str) -> Hours {
        Hours::Closed { until: Some(utc(until)) }
    }

    #[test]
    fn hours_of_weekdays_are_by_the_clock_of_the_place() {
        let new_york =
            Schedule::daily("mon-fri", "09:30", "16:00", "America/New_York").expect("one");
        // A Friday in summer, whose Monday is in winter, is an hour earlier in UTC.
        assert_eq!(
            new_york.at(utc("2026-10-30T13:30:00Z")),
            open("2026-10-30T13:30:00Z", "2026-10-30T20:00:00Z")
        );
        assert_eq!(new_york.at(utc("2026-10-30T20:00:00Z")), closed("2026-11-02T14:30:00Z"));
        assert_eq!(new_york.at(utc("2026-11-02T14:29:59Z")), closed("2026-11-02T14:30:00Z"));
        assert_eq!(
            new_york.at(utc("2026-11-02T20:59:59Z")),
            open("2026-11-02T14:30:00Z", "2026-11-02T21:00:00Z")
        );
        // And back, in March.
        assert_eq!(new_york.at(utc("2026-03-06T21:00:00Z")), closed("2026-03-09T13:30:00Z"));
    }

    #[test]
    fn a_night_over_a_change_of_clocks_is_longer_or_shorter() {
        let night = Schedule::daily("daily", "22:00", "06:00", "Europe/Berlin").expect("one");
        assert_eq!(
            night.at(utc("2026-10-25T01:00:00Z")),
            open("2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z")
        );
        assert_eq!(
            night.at(utc("2026-03-29T00:30:00Z")),
            open("2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z")
        );
        // 02:30 is not there on that night, and there twice on the other.
        let early = Schedule::daily("sun", "02:30", "04:00", "Europe/Berlin").expect("one");
        assert_eq!(early.at(utc("2026-03-28T12:00:00Z")), closed("2026-03-29T01:30:00Z"));
        assert_eq!(early.at(utc("2026-10-24T12:00:00Z")), closed("2026-10-25T00:30:00Z"));
    }

    #[test]
    fn weeks_and_days_without_a_pause_have_bounds_too() {
        let week = Schedule::weekly("sun 17:00", "fri 17:00", "America/New_York").expect("one");
        assert_eq!(
            week.at(utc("2026-11-04T00:00:00Z")),
            open("2026-11-01T22:00:00Z", "2026-11-06T22:00:00Z")
        );
        assert_eq!(week.at(utc("2026-11-07T00:00:00Z")), closed("2026-11-08T22:00:00Z"));
        let whole = Schedule::weekly("sat 00:00", "sat 00:00", "UTC").expect("one");
        assert_eq!(
            whole.at(utc("2026-11-06T23:59:59Z")),
            open("2026-10-31T00:00:00Z", "2026-11-07T00:00:00Z")
        );
        let day = Schedule::daily("daily", "17:00", "17:00", "UTC").expect("one");
        assert_eq!(
            day.at(utc("2026-11-06T17:00:00Z")),
            open("2026-11-06T17:00:00Z", "2026-11-07T17:00:00Z")
        );
        let within = Schedule::weekly("mon 08:00:30", "mon 09:00", "UTC").expect("one");
        assert_eq!(
            within.at(utc("2026-11-02T08:30:00Z")),
            open("2026-11-02T08:00:30Z", "2026-11-02T09:00:00Z")
        );
    }

    #[test]
    fn a_schedule_is_one_text() {
        let daily = |days: &str, zone: &str| Schedule::daily(days, "08:00", "17:30", zone);
        let weekly = |zone: &str| Schedule::weekly("sun 17:00", "fri 17:00:30", zone);
        for (text, expected) in [
            ("mon-fri 08:00-17:30 America/New_York", daily("mon-fri", "America/New_York")),
            ("mon,wed 08:00 - 17:30", daily("mon,wed", "UTC")),
            ("08:00-17:30", daily("daily", "UTC")),
            ("08:00-17:30 Asia/Tokyo", daily("daily", "Asia/Tokyo")),
            ("sun 17:00-fri 17:00:30 UTC", weekly("UTC")),
            ("sun 17:00 - fri 17:00:30 Europe/Paris", weekly("Europe/Paris")),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        for (text, why) in [
            ("", "`` are no hours, such as"),
            ("mon-fri", "`mon-fri` are no hours"),
            ("mon-fri 08:00", "`mon-fri 08:00` are no hours"),
            ("mon-fri 08:00-25:00", "`25:00` is no time"),
            ("mon-fri 08:00-17:00 Mars", "`Mars` is no zone"),
            ("sun 17:00-fry 17:00", "`fry` is no day"),
            ("a b c d 08:00", "`a b c d 08:00` are no hours"),
        ] {
            let said = text.parse::<Schedule>().map_err(|it| it.to_string());
            assert!(said.clone().is_err_and(|it| it.starts_with(why)), "{text}: {said:?}");
        }
    }

    #[test]
    fn what_is_no_schedule_says_why() {
        let daily = |days: &str, start: &str, zone: &str| {
            Schedule::daily(days, start, "17:00", zone).map(|_| ()).map_err(|it| it.to_string())
        };
        for (said, why) in [
            (daily("mon-fry", "09:00", "UTC"), "`fry` is no day"),
            (daily("mon", "9:00", "UTC"), "`9:00` is no time"),
            (daily("mon", "24:00", "UTC"), "`24:00` is no time"),
            (daily("mon", "09:00", "Mars/Olympus"), "`Mars/Olympus` is no zone"),
            (
                Schedule::weekly("sun", "fri 17:00", "UTC")
                    .map(|_| ())
                    .map_err(|it| it.to_string()),
                "`sun` is no day and time",
            ),
        ] {
            assert!(said.clone().is_err_and(|it| it.starts_with(why)), "{said:?}");
        }
        assert_eq!(weekdays("fri-mon, wed").expect("days").len(), 5);
    }
}

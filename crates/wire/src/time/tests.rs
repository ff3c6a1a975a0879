//! Dates and times: every day, every second, every spelling.

use proptest::prelude::*;

use super::*;
use crate::value::ValueError;

fn text(write: impl Fn(&mut Window) -> usize) -> String {
    let mut out = [b'?'; 40];
    let length = write(&mut out);
    String::from_utf8(out[..length].to_vec()).unwrap()
}

fn fix(text: &str) -> Result<Timestamp, ValueError> {
    Timestamp::parse_fix(text.as_bytes())
}

fn xml(text: &str) -> Result<Timestamp, ValueError> {
    Timestamp::parse_xml(text.as_bytes())
}

fn moment(date: (u16, u8, u8), time: (u8, u8, u8, u32)) -> Timestamp {
    let date = Date::new(date.0, date.1, date.2).unwrap();
    Timestamp::new(date, Time::new(time.0, time.1, time.2, time.3).unwrap())
}

#[test]
fn sizes() {
    assert_eq!((size_of::<Date>(), size_of::<Time>(), size_of::<Timestamp>()), (8, 8, 16));
}

#[test]
fn every_day_has_its_number_and_its_texts() {
    let mut days = FIRST_DAY;
    for year in 0..=9999 {
        for month in 0..=13 {
            for day in [0, 1, 2, 9, 10, 27, 28, 29, 30, 31, 32] {
                let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
                let last = [0, 31, 28 + u8::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0];
                let date = Date::new(year, month, day);
                assert_eq!(date.is_some(), day > 0 && day <= last[usize::from(month)]);
                let Some(date) = date else { continue };
                days += if day == 1 { 1 } else { 0 };
                assert_eq!(Date::from_unix_days(date.unix_days()), Some(date));
                let number = year as u32 * 10_000 + u32::from(month) * 100 + u32::from(day);
                assert_eq!(text(|out| date.write_fix(out)), format!("{number:08}"));
                let expected = format!("{year:04}-{month:02}-{day:02}");
                assert_eq!(text(|out| date.write_xml(out)), expected);
                assert_eq!(Date::parse_xml(expected.as_bytes()), Ok(date));
                assert_eq!(Date::parse_fix(format!("{number:08}").as_bytes()), Ok(date));
            }
        }
    }
    assert_eq!(days, FIRST_DAY + 12 * 10_000);
    for days in FIRST_DAY..LAST_DAY {
        let next = Date::from_unix_days(days + 1).unwrap();
        assert!(Date::from_unix_days(days).unwrap() < next);
        assert_eq!(next.unix_days(), days + 1);
    }
    assert_eq!(Date::from_unix_days(FIRST_DAY - 1), None);
    assert_eq!(Date::from_unix_days(LAST_DAY + 1), None);
    assert_eq!(Date::default().unix_days(), 0);
    assert_eq!(Date::new(2004, 2, 29).unwrap().unix_days(), 12_477);
}

#[test]
fn every_second_has_its_texts() {
    for seconds in 0..=86_400u64 {
        let time = Time::from_nanoseconds_since_midnight(seconds * NANOSECONDS).unwrap();
        let leap = seconds / 86_400;
        let clock = seconds - leap;
        let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60 + leap);
        assert_eq!((time.hour(), time.minute()), (hour as u8, minute as u8));
        assert_eq!((time.second(), time.nanosecond()), (second as u8, 0));
        assert_eq!(time.nanoseconds_since_midnight(), seconds * NANOSECONDS);
        let expected = format!("{hour:02}:{minute:02}:{second:02}");
        assert_eq!(text(|out| time.write_fix(out)), expected);
        assert_eq!(Time::parse_fix(expected.as_bytes()), Ok(time));
        assert_eq!(Time::parse_xml(expected.as_bytes()), Ok(time.without_zone()));
        assert_eq!(Time::parse_xml(format!("{expected}Z").as_bytes()), Ok(time));
        assert_eq!(text(|out| time.write_xml(false, out)), format!("{expected}.000"));
    }
    assert_eq!(Time::from_nanoseconds_since_midnight(86_401 * NANOSECONDS), None);
    assert_eq!(Time::new(12, 0, 60, 0), None);
    assert_eq!(Time::new(0, 0, 0, 1_000_000_000), None);
}

#[test]
fn fix_fractions() {
    let noon = |nanosecond| moment((2004, 12, 1), (12, 34, 56, nanosecond));
    for (nanosecond, expected) in [
        (0, "20041201-12:34:56"),
        (7_000_000, "20041201-12:34:56.007"),
        (999_000_000, "20041201-12:34:56.999"),
        (1_000, "20041201-12:34:56.000001"),
        (123_456_000, "20041201-12:34:56.123456"),
        (123_456_789, "20041201-12:34:56.123456789"),
        (10, "20041201-12:34:56.000000010"),
    ] {
        assert_eq!(fix(expected), Ok(noon(nanosecond)));
        assert_eq!(text(|out| noon(nanosecond).write_fix(out)), expected);
    }
    assert_eq!(fix("20041201-12:34:56.5"), Ok(noon(500_000_000)));
    assert_eq!(fix("20041201-12:34:56.1234567"), Ok(noon(123_456_700)));
    for millisecond in 0..1000 {
        let expected = format!("00:00:00.{millisecond:03}");
        let time = Time::new(0, 0, 0, millisecond * 1_000_000).unwrap();
        assert_eq!(Time::parse_fix(expected.as_bytes()), Ok(time));
        assert_eq!(text(|out| time.write_xml(false, out)), expected);
    }
}

#[test]
fn xml_time_zones() {
    let noon = moment((2004, 12, 31), (12, 0, 0, 500_000_000));
    for same in [
        "2004-12-31T12:00:00.5Z",
        "2004-12-31T12:00:00.500000000000Z",
        "2004-12-31T13:30:00.5+01:30",
        "2005-01-01T02:00:00.5+14:00",
        "2004-12-30T22:00:00.50-14:00",
        "2004-12-31T12:00:00.5-00:00",
    ] {
        assert_eq!(xml(same), Ok(noon), "{same}");
    }
    assert_eq!(text(|out| noon.write_xml(true, out)), "2004-12-31T12:00:00.500Z");
    assert_eq!(text(|out| noon.write_xml(false, out)), "2004-12-31T12:00:00.500");
    assert_eq!(text(|out| noon.time().write_xml(true, out)), "12:00:00.500Z");
    assert_eq!(Time::parse_xml(b"12:00:00.5Z"), Ok(noon.time()));
    // The leap second of 2016 as clocks in New York showed it.
    let leap = moment((2016, 12, 31), (23, 59, 60, 0));
    assert_eq!(xml("2016-12-31T18:59:60-05:00"), Ok(leap));
    assert_eq!(xml("2016-12-31T23:59:60-05:00"), Err(ValueError::OutOfRange));
    assert_eq!(xml("0000-01-01T00:00:00+00:01"), Err(ValueError::OutOfRange));
    // There it is the year before the first.
    assert_eq!(xml("0001-01-01T00:00:00+01:00"), Err(ValueError::OutOfRange));
    assert_eq!(xml("0001-01-01T01:00:00+01:00"), Ok(moment((1, 1, 1), (0, 0, 0, 0))));
    assert_eq!(xml("2004-12-31T12:00:00+14:01"), Err(ValueError::OutOfRange));
    assert_eq!(noon.to_string(), "2004-12-31T12:00:00.500Z");
    // What differs prints otherwise.
    let clock = noon.time();
    assert_eq!(format!("{clock:?}, {:?}", clock.without_zone()), "12:00:00.500Z, 12:00:00.500");
}

/// The zones of XML Schema Part 2, 3.2.8: a time of day that has one is brought to UTC.
#[test]
fn times_of_day_have_zones() {
    let time = |hour, minute| Time::new(hour, minute, 0, 0).unwrap();
    for (text, expected) in [
        ("13:20:00-05:00", time(18, 20)),
        ("13:20:00.0+14:00", time(23, 20)),
        ("23:30:00-01:30", time(1, 0)),
        ("00:15:00+00:30", time(23, 45)),
        ("12:00:00-00:00", time(12, 0)),
    ] {
        assert_eq!(Time::parse_xml(text.as_bytes()), Ok(expected), "{text}");
    }
    let parse = |text: &str| Time::parse_xml(text.as_bytes());
    assert_eq!(parse("12:00:00+14:01"), Err(ValueError::OutOfRange));
    assert_eq!(parse("12:00:00+01:60"), Err(ValueError::OutOfRange));
    assert_eq!(parse("12:00:00+0100"), Err(ValueError::Malformed { at: 8 }));
    assert_eq!(parse("12:00:00.5+1:00"), Err(ValueError::Malformed { at: 10 }));
    assert_eq!(parse("12:00+01:00"), Err(ValueError::Malformed { at: 5 }));
}

/// Those of 3.2.9: a day in another zone is no day of UTC, so it keeps its zone.
#[test]
fn days_keep_their_zones() {
    for (written, zone) in [
        ("2004-12-31", None),
        ("2004-12-31Z", Some(0)),
        ("2004-12-31+10:00", Some(600)),
        ("2004-12-31-14:00", Some(-840)),
        // Clocks of Berlin before 1893.
        ("2004-12-31+00:53", Some(53)),
    ] {
        let date = Date::parse_xml(written.as_bytes()).unwrap();
        assert_eq!(date, Date::new(2004, 12, 31).unwrap().with_zone(zone).unwrap(), "{written}");
        assert_eq!((date.zone(), text(|out| date.write_xml(out))), (zone, written.into()));
        assert_eq!(date.to_string(), written);
        assert_eq!(date.unix_days(), 12_783);
    }
    let parse = |text: &str| Date::parse_xml(text.as_bytes());
    assert_eq!(parse("2004-12-31-00:00"), parse("2004-12-31Z"));
    assert_eq!(parse("2004-12-31+14:01"), Err(ValueError::OutOfRange));
    assert_eq!(parse("2004-02-30+10:00"), Err(ValueError::OutOfRange));
    assert_eq!(parse("2004-12-31+10:0x"), Err(ValueError::Malformed { at: 15 }));
    assert_eq!(parse("2004-12-31 10:00"), Err(ValueError::Malformed { at: 10 }));
    assert_eq!(Date::EPOCH.with_zone(Some(841)), None);
    let there = Date::EPOCH.with_zone(Some(60)).unwrap();
    assert_eq!(Timestamp::new(there, Time::MIDNIGHT), Timestamp::EPOCH);
}

/// What came without a zone goes back without one, so that nobody's clock shifts it.
#[test]
fn times_without_a_zone_stay_without() {
    for written in ["2004-12-31T12:00:00.500", "2004-12-31T12:00:00.123456789"] {
        let local = xml(written).unwrap();
        assert!(!local.is_utc() && local != local.in_utc() && local.in_utc().is_utc());
        assert_eq!(local.in_utc(), xml(&format!("{written}Z")).unwrap());
        assert_eq!(local.in_utc().without_zone(), local);
        assert_eq!(text(|out| local.write_xml(true, out)), written);
        assert_eq!(local.unix_nanoseconds(), local.in_utc().unix_nanoseconds());
        assert_eq!((local.time().hour(), local.time().minute()), (12, 0));
        assert_eq!(local.to_string(), written);
    }
    let local = Time::parse_xml(b"23:59:59").unwrap();
    assert_eq!(text(|out| local.write_xml(true, out)), "23:59:59.000");
    assert_eq!(local.nanoseconds_since_midnight(), 86_399 * NANOSECONDS);
    assert!(local.in_utc() < local && Time::parse_fix(b"23:59:59").unwrap().is_utc());
}

/// XML Schema Part 2, 3.2.7.1: the hour 24 is the end of a day, which is the beginning of the next.
#[test]
fn a_day_ends_at_24() {
    for (text, same) in [
        ("2004-02-28T24:00:00Z", "2004-02-29T00:00:00Z"),
        ("2004-12-31T24:00:00", "2005-01-01T00:00:00"),
        ("2004-12-31T24:00:00.000+01:00", "2004-12-31T23:00:00Z"),
    ] {
        assert_eq!(xml(text), Ok(xml(same).unwrap()), "{text}");
    }
    assert_eq!(Time::parse_xml(b"24:00:00Z"), Ok(Time::MIDNIGHT));
    assert_eq!(Time::parse_xml(b"24:00:00.0"), Ok(Time::MIDNIGHT.without_zone()));
    assert_eq!(Time::parse_xml(b"24:00:00-05:00"), Ok(Time::new(5, 0, 0, 0).unwrap()));
    for none in ["24:00:01", "24:01:00", "24:00:00.001", "25:00:00"] {
        assert_eq!(Time::parse_xml(none.as_bytes()), Err(ValueError::OutOfRange), "{none}");
        assert_eq!(xml(&format!("2004-12-31T{none}")), Err(ValueError::OutOfRange), "{none}");
    }
    assert_eq!(xml("9999-12-31T24:00:00Z"), Err(ValueError::OutOfRange));
}

#[test]
fn digits_behind_the_ninth_decimal_are_zeros_or_rejected() {
    let lost = |at| ValueError::TooPrecise { at };
    for (text, error) in [
        ("12:00:00.123456789000", None),
        ("12:00:00.000000000000000000000", None),
        ("12:00:00.1234567891", Some(lost(18))),
        ("12:00:00.000000000001", Some(lost(20))),
        ("12:00:00.0000000000x", Some(ValueError::Malformed { at: 19 })),
    ] {
        assert_eq!(Time::parse_xml(text.as_bytes()).err(), error, "{text}");
        assert_eq!(Time::parse_fix(text.as_bytes()).err(), error, "{text}");
    }
    assert_eq!(xml("2004-12-31T12:00:00.0000000009+01:00"), Err(lost(29)));
    assert_eq!(fix("20041231-12:00:00.123456789012"), Err(lost(28)));
    assert_eq!(fix("20041231-12:00:00.123456789000"), fix("20041231-12:00:00.123456789"));
}

#[test]
fn usual_moments_are_read_as_others_are() {
    for text in ["2004-02-29T23:59:60.999Z", "1900-12-31T00:00:00.000Z", "0000-01-01T09:30:07.450Z"]
    {
        for at in 0..23 {
            for byte in 0..=127 {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = byte;
                let usual = Timestamp::parse_xml(&bytes);
                // The same moment by the way of longer texts.
                bytes.insert(23, b'0');
                let plain = Timestamp::parse_xml(&bytes);
                assert_eq!(usual.ok(), plain.ok(), "{:?}", String::from_utf8_lossy(&bytes));
            }
        }
    }
}

#[test]
fn errors_name_the_place() {
    use ValueError::{Empty, Malformed, OutOfRange};
    for (text, error) in [
        ("", Empty),
        ("20041201", Malformed { at: 8 }),
        ("20041201 12:34:56", Malformed { at: 8 }),
        ("20041201-12:34", Malformed { at: 14 }),
        ("20041201-12:34:5x", Malformed { at: 16 }),
        ("20041201-12:34:56.", Malformed { at: 18 }),
        ("20041201-12:34:56,5", Malformed { at: 17 }),
        ("20041201-12:34:56Z", Malformed { at: 17 }),
        ("20041232-12:34:56", OutOfRange),
        ("20041201-24:00:00", OutOfRange),
    ] {
        assert_eq!(fix(text), Err(error), "{text}");
    }
    for (text, error) in [
        ("", Empty),
        ("Z", Malformed { at: 0 }),
        ("2004-12-01", Malformed { at: 10 }),
        ("2004-12-01Z", Malformed { at: 10 }),
        ("2004-12-01t12:34:56", Malformed { at: 10 }),
        ("2004-12-01T12:34:56.Z", Malformed { at: 20 }),
        ("2004-12-01T12:34:56z", Malformed { at: 19 }),
        ("2004-12-01T12:34:56.5+1:00", Malformed { at: 21 }),
        ("2004-12-01T12:34:56.5+0100", Malformed { at: 21 }),
        ("2004-12-01T12:34:56+01-00", Malformed { at: 22 }),
        ("2004-13-01T12:34:56", OutOfRange),
        ("2004-12-01T12:60:56+01:00", OutOfRange),
    ] {
        assert_eq!(xml(text), Err(error), "{text}");
    }
    assert_eq!(Date::parse_fix(b"200412011"), Err(Malformed { at: 8 }));
    assert_eq!(Date::parse_fix(b"20040230"), Err(OutOfRange));
    assert_eq!(Date::parse_xml(b"2004-02-30"), Err(OutOfRange));
    assert_eq!(Date::parse_xml(b"2004-02-03ZZ"), Err(Malformed { at: 10 }));
    assert_eq!(Date::parse_xml(b"12004-02-03"), Err(Malformed { at: 4 }));
    assert_eq!(Time::parse_fix(b"12:34"), Err(Malformed { at: 5 }));
    assert_eq!(Time::parse_xml(b"12:34:56 01:00"), Err(Malformed { at: 8 }));
}

#[test]
fn unix_time() {
    let trade = moment((2004, 6, 24), (9, 30, 0, 1));
    assert_eq!(trade.unix_nanoseconds(), 1_088_069_400_000_000_001);
    assert_eq!(Timestamp::from_unix_nanoseconds(0), Some(Timestamp::EPOCH));
    assert_eq!(Timestamp::default(), Timestamp::EPOCH);
    let before = moment((1969, 12, 31), (23, 59, 59, 999_999_999));
    assert_eq!(Timestamp::from_unix_nanoseconds(-1), Some(before));
    let leap = moment((2016, 12, 31), (23, 59, 60, 5));
    let next = Timestamp::from_unix_nanoseconds(leap.unix_nanoseconds());
    assert_eq!(next, Some(moment((2017, 1, 1), (0, 0, 0, 5))));
    assert!(next > Some(leap));
    for far in [moment((0, 1, 1), (0, 0, 0, 0)), moment((9999, 12, 31), (23, 59, 59, 1))] {
        assert_eq!(Timestamp::from_unix_nanoseconds(far.unix_nanoseconds()), Some(far));
    }
    assert_eq!(Timestamp::from_unix_nanoseconds(i128::MAX), None);
    assert_eq!(Timestamp::from_unix_nanoseconds(i128::MIN), None);
}

proptest! {
    #![proptest_config(crate::testing::config())]

    #[test]
    fn what_is_written_reads_back(nanoseconds: i64, unit in 0u32..4) {
        let coarse = nanoseconds - nanoseconds % 1000i64.pow(unit);
        let timestamp = Timestamp::from_unix_nanoseconds(coarse.into()).unwrap();
        prop_assert_eq!(timestamp.unix_nanoseconds(), i128::from(coarse));
        prop_assert_eq!(fix(&text(|out| timestamp.write_fix(out))), Ok(timestamp));
        for timestamp in [timestamp, timestamp.without_zone()] {
            prop_assert_eq!(xml(&text(|out| timestamp.write_xml(true, out))), Ok(timestamp));
            let bare = xml(&text(|out| timestamp.write_xml(false, out)));
            prop_assert_eq!(bare, Ok(timestamp.without_zone()));
            let time = timestamp.time();
            let written = text(|out| time.write_xml(true, out));
            prop_assert_eq!(Time::parse_xml(written.as_bytes()), Ok(time));
        }
    }

    #[test]
    fn order_is_that_of_time(a in 0..86_401 * NANOSECONDS, b in 0..86_401 * NANOSECONDS) {
        let time = |nanoseconds| Time::from_nanoseconds_since_midnight(nanoseconds).unwrap();
        prop_assert_eq!(time(a).cmp(&time(b)), a.cmp(&b));
        prop_assert_eq!(time(a).nanoseconds_since_midnight(), a);
    }

    #[test]
    fn one_wrong_byte_is_found(nanoseconds: i64, at in 0usize..30, byte: u8) {
        let timestamp = Timestamp::from_unix_nanoseconds(nanoseconds.into()).unwrap();
        for form in [text(|out| timestamp.write_fix(out)), text(|out| timestamp.write_xml(true, out))] {
            let mut bytes = form.into_bytes();
            let at = at % bytes.len();
            let right = bytes[at].is_ascii_digit();
            bytes[at] = byte;
            for answer in [Timestamp::parse_fix(&bytes), Timestamp::parse_xml(&bytes)] {
                if let Ok(read) = answer && read != timestamp {
                    prop_assert!(right && (byte.is_ascii_digit() || b"+-Z".contains(&byte)));
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let _ = (Timestamp::parse_fix(&bytes), Timestamp::parse_xml(&bytes));
        let _ = (Time::parse_fix(&bytes), Time::parse_xml(&bytes));
        let _ = (Date::parse_fix(&bytes), Date::parse_xml(&bytes));
    }

    #[test]
    fn nearly_right_texts_are_answered(text in "[0-9]{4}-?[0-9]{2}-?[0-9]{2}[-T][0-9:.]{6,12}[-+Z:0-9]{0,6}") {
        let _ = (fix(&text), xml(&text));
    }
}

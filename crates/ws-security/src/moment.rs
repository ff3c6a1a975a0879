//! Moments of tokens and time stamps: `xsd:dateTime` in UTC (WSS section 10).

use std::time::Duration;

use trunkline_wire::Timestamp;

/// In nanoseconds since 1970; none if it is no moment in UTC.
pub(crate) fn parse(text: &str) -> Option<i128> {
    let moment = Timestamp::parse_xml(text.as_bytes()).ok()?;
    moment.is_utc().then(|| moment.unix_nanoseconds())
}

/// To the millisecond.
pub(crate) fn written(nanoseconds: i128) -> String {
    let moment = Timestamp::from_unix_nanoseconds(nanoseconds / 1_000_000 * 1_000_000);
    let mut window = [0; 40];
    let moment = moment.unwrap_or_default();
    let length = moment.write_xml(true, &mut window);
    String::from_utf8_lossy(&window[..length]).into_owned()
}

pub(crate) fn nanoseconds(duration: Duration) -> i128 {
    i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX / 4)
}

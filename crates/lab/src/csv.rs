//! Reads a trading day from comma-separated values.

use std::io::BufRead;
use std::path::Path;

use crate::trading_day::{Trade, TradingDay};
use trunkline_bench::clock::Date;
pub use trunkline_demo::csv::CsvError;
use trunkline_demo::csv::{Fault, Lines, open, shortened, values};

/// What [`TradingDay::from_csv`] reads at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvLimits {
    /// Bytes of the file, after decompression.
    pub file_bytes: u64,
    /// Bytes of one line.
    pub line_bytes: usize,
    /// Trades of one day.
    pub trades: usize,
}

impl Default for CsvLimits {
    fn default() -> Self {
        Self { file_bytes: 512 << 20, line_bytes: 4096, trades: 5_000_000 }
    }
}

const HEADER: &str = "ms_since_midnight,symbol,price_x10000,size,venue,condition";
const REQUIRED: [&str; 4] = ["ms_since_midnight", "symbol", "price_x10000", "size"];
const OPTIONAL: [&str; 4] = ["venue", "buyer", "seller", "trade_id"];
const MILLIS_OF_DAY: u32 = 86_400_000;

impl TradingDay {
    /// Reads trades from a file with the header line
    /// `ms_since_midnight,symbol,price_x10000,size,venue,condition`, plain or compressed by gzip
    /// (told by content, not by name).
    ///
    /// Columns may come in any order; the first four are required, others than these are passed
    /// over, except `buyer`, `seller` and `trade_id`, which are used where they are there. Where they
    /// are not, they are made up from the line number and the venue, the same on every machine. The
    /// day is read from the name of the file (`2013-10-07` or `20131007`), else it is 1970-01-01.
    /// Trades are put in order of time.
    ///
    /// # Errors
    /// Names the file, the line and the column, and what was expected. See [`CsvLimits`] for what is
    /// too large.
    pub fn from_csv(path: impl AsRef<Path>) -> Result<Self, CsvError> {
        Self::from_csv_with(path, &CsvLimits::default())
    }

    /// As [`TradingDay::from_csv`], with limits other than the default ones.
    ///
    /// # Errors
    /// As [`TradingDay::from_csv`].
    pub fn from_csv_with(path: impl AsRef<Path>, limits: &CsvLimits) -> Result<Self, CsvError> {
        let path = path.as_ref();
        let input = open(path).map_err(|cause| Fault::from(cause).within(path, None, None))?;
        let mut lines = Lines::new(input, limits.line_bytes as u64, limits.file_bytes, 0);
        let trades = read(&mut lines, limits);
        let mut trades = trades.map_err(|fault| fault.within(path, None, Some(lines.number())))?;
        // The file as a whole is at fault.
        if trades.is_empty() {
            return Err(Fault::Wrong("holds no trades".to_owned()).within(path, None, None));
        }
        trades.sort_by_key(|trade| trade.millis_since_midnight);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let date = date_in(&name).unwrap_or(Date { year: 1970, month: 1, day: 1 });
        Ok(Self { name, date, trades })
    }
}

fn read(lines: &mut Lines<impl BufRead>, limits: &CsvLimits) -> Result<Vec<Trade>, Fault> {
    let Some((_, header)) = lines.read()? else { return Ok(Vec::new()) };
    let columns = Columns::from_header(header)?;
    let mut trades = Vec::new();
    while let Some((number, line)) = lines.read()? {
        if trades.len() == limits.trades {
            return Err(Fault::limit("trades", limits.trades as u64));
        }
        trades.push(columns.trade(line, number)?);
    }
    Ok(trades)
}

/// Where in a line each column stands.
struct Columns {
    count: usize,
    required: [usize; REQUIRED.len()],
    optional: [Option<usize>; OPTIONAL.len()],
}

impl Columns {
    fn from_header(line: &[u8]) -> Result<Self, Fault> {
        let names: Vec<String> =
            values(line).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let position = |name: &str| names.iter().position(|found| found == name);
        for (index, name) in names.iter().enumerate() {
            if position(name) != Some(index) {
                let name = shortened(name.as_bytes());
                return Err(Fault::Wrong(format!("the header has two columns {name:?}")));
            }
        }
        let mut required = [0; REQUIRED.len()];
        for (place, name) in required.iter_mut().zip(REQUIRED) {
            *place = position(name).ok_or_else(|| {
                Fault::Wrong(format!("the header has no column {name}; expected {HEADER}"))
            })?;
        }
        Ok(Self { count: names.len(), required, optional: OPTIONAL.map(position) })
    }

    fn trade(&self, line: &[u8], number: u64) -> Result<Trade, Fault> {
        let found = values(line).count();
        if found != self.count {
            let columns = self.count;
            let what = format!("{found} values where the header has {columns} columns");
            return Err(Fault::Wrong(what));
        }
        let value = |index: usize| values(line).nth(index).unwrap_or_default();
        let [millis, symbol, price, size] = self.required.map(value);
        let [venue, buyer, seller, trade_id] = self.optional.map(|index| index.map(value));
        let millis_since_midnight =
            whole(millis, REQUIRED[0], u64::from(MILLIS_OF_DAY) - 1)? as u32;
        let symbol = code(symbol, REQUIRED[1])?;
        let (price_mantissa, price_exponent) = price_of(whole(price, REQUIRED[2], PRICE_LIMIT)?);
        let size = whole(size, REQUIRED[3], u64::from(u32::MAX))? as u32;
        let broker = |given: Option<&[u8]>, column, side| match given {
            Some(value) => whole(value, column, 9_999).map(|number| number as u16),
            None => Ok(made_up_broker(number, venue.unwrap_or_default(), side)),
        };
        Ok(Trade {
            millis_since_midnight,
            symbol,
            price_mantissa,
            price_exponent,
            size,
            buyer: broker(buyer, OPTIONAL[1], 0)?,
            seller: broker(seller, OPTIONAL[2], 1)?,
            trade_id: match trade_id {
                Some(value) => code(value, OPTIONAL[3])?,
                // The header is line 1.
                None => format!("T{:06}", number - 1),
            },
        })
    }
}

/// Prices up to 100 thousand million, in 10,000ths.
const PRICE_LIMIT: u64 = 1_000_000_000_000_000;

fn whole(value: &[u8], column: &'static str, most: u64) -> Result<u64, Fault> {
    let fault = |fault| Fault::value(column, value, fault);
    if value.is_empty() {
        return Err(fault("is not a whole number: nothing is there"));
    }
    if !value.iter().all(u8::is_ascii_digit) {
        return Err(fault("is not a whole number"));
    }
    let number = value.iter().try_fold(0_u64, |sum, &digit| {
        sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')).filter(|&sum| sum <= most)
    });
    number.ok_or_else(|| {
        fault(match most {
            9_999 => "is more than the four digits of a broker's number",
            PRICE_LIMIT => "is more than the largest price, 1000000000000000",
            most if most > u64::from(MILLIS_OF_DAY) => "is more than 4294967295",
            _ => "is not within the day: it has 86400000 milliseconds",
        })
    })
}

fn code(value: &[u8], column: &'static str) -> Result<String, Fault> {
    let good = (1..=32).contains(&value.len()) && value.iter().all(u8::is_ascii_graphic);
    if good {
        Ok(String::from_utf8_lossy(value).into_owned())
    } else {
        let fault = "is not a code of 1 to 32 printable ASCII characters";
        Err(Fault::value(column, value, fault))
    }
}

/// 10,000ths as mantissa and exponent without zeros at the end: 139400 is 13.94.
fn price_of(ten_thousandths: u64) -> (i64, i8) {
    let (mut mantissa, mut exponent) = (ten_thousandths as i64, -4);
    while exponent < 0 && mantissa % 10 == 0 {
        mantissa /= 10;
        exponent += 1;
    }
    (mantissa, exponent)
}

/// FNV-1a (Fowler, Noll and Vo) over what identifies the trade, brought into 1000 to 9999.
fn made_up_broker(line: u64, venue: &[u8], side: u8) -> u16 {
    let hash = line
        .to_le_bytes()
        .iter()
        .chain(venue)
        .chain([&side])
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    // The upper half: FNV mixes its low bits less.
    1_000 + ((hash >> 32) % 9_000) as u16
}

/// The first date in a file's name, with or without hyphens.
fn date_in(name: &str) -> Option<Date> {
    let bytes = name.as_bytes();
    (0..bytes.len()).find_map(|start| {
        let number = |from: usize, length: usize| {
            let digits = bytes.get(start + from..start + from + length)?;
            let all_digits = digits.iter().all(u8::is_ascii_digit);
            all_digits.then(|| digits.iter().fold(0, |sum, d| sum * 10 + u16::from(d - b'0')))
        };
        let hyphen = |at: usize| bytes.get(start + at) == Some(&b'-');
        let (month, day) = match hyphen(4) && hyphen(7) {
            true => (number(5, 2)?, number(8, 2)?),
            false => (number(4, 2)?, number(6, 2)?),
        };
        Date::new(number(0, 4)?, month as u8, day as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_of_a_price_go() {
        assert_eq!(price_of(139_400), (1394, -2));
        assert_eq!(price_of(63_505), (63_505, -4));
        assert_eq!(price_of(1_000_000), (100, 0));
        assert_eq!(price_of(0), (0, 0));
    }

    #[test]
    fn a_date_is_found_in_a_name() {
        let date = Date { year: 2013, month: 10, day: 7 };
        assert_eq!(date_in("day-2013-10-07.csv.gz"), Some(date));
        assert_eq!(date_in("spy_20131007_trade.csv"), Some(date));
        assert_eq!(date_in("trades.csv"), None);
        assert_eq!(date_in("99999999.csv"), None);
    }

    #[test]
    fn made_up_brokers_have_four_digits_and_differ_by_side() {
        for line in 2..2_000 {
            let (buyer, seller) = (made_up_broker(line, b"P", 0), made_up_broker(line, b"P", 1));
            assert!((1_000..10_000).contains(&buyer) && (1_000..10_000).contains(&seller));
            assert_ne!(buyer, seller, "line {line}");
        }
    }
}

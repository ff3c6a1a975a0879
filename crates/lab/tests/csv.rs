//! What a user sees when a trading day is read from a file.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use trunkline_bench::folder::PrivateFolder;
use trunkline_lab::csv::CsvLimits;
use trunkline_lab::trading_day::TradingDay;

const HEADER: &str = "ms_since_midnight,symbol,price_x10000,size,venue,condition\n";

struct Files(PrivateFolder);

impl Files {
    fn new() -> Self {
        Self(PrivateFolder::new().expect("a folder for the test"))
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).expect("a file for the test");
        path
    }

    /// The error that reading such a file gives, without the path of the folder.
    fn error(&self, bytes: impl AsRef<[u8]>) -> String {
        let path = self.put("day.csv", bytes);
        let error = TradingDay::from_csv(path).expect_err("this file is faulty").to_string();
        error.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn a_day_is_read_and_put_in_order_of_time() {
    let files = Files::new();
    let text =
        format!("{HEADER}14400688,AIG,491800,300,P,2000\n14400614,BAC,139450,500,P,20002020\n");
    let day = TradingDay::from_csv(files.put("day-2013-10-07.csv", text)).expect("a good file");
    assert_eq!(
        (day.name.as_str(), day.date.to_string().as_str()),
        ("day-2013-10-07.csv", "2013-10-07")
    );
    let [bac, aig] = day.trades.as_slice() else { panic!("two trades, not {day:?}") };
    assert_eq!(
        (bac.millis_since_midnight, bac.symbol.as_str(), bac.size),
        (14_400_614, "BAC", 500)
    );
    assert_eq!((bac.price_mantissa, bac.price_exponent), (13_945, -3));
    assert_eq!((aig.price_mantissa, aig.price_exponent), (4918, -2));
    assert_eq!((aig.trade_id.as_str(), bac.trade_id.as_str()), ("T000001", "T000002"));
}

#[test]
fn gzip_is_told_by_content() {
    let files = Files::new();
    let text = format!("{HEADER}1,BAC,139400,500,P,0\n");
    let plain = TradingDay::from_csv(files.put("plain.csv", &text)).expect("a good file");
    // Two members, as concatenated files have.
    let packed = [gzip(HEADER.as_bytes()), gzip(b"1,BAC,139400,500,P,0\n")].concat();
    let packed = TradingDay::from_csv(files.put("packed.csv", packed)).expect("a good file");
    assert_eq!(plain.trades, packed.trades);
}

#[test]
fn windows_line_ends_blank_lines_quotes_and_other_columns_are_fine() {
    let files = Files::new();
    let text = "\u{feff}size,symbol,note,price_x10000,ms_since_midnight,buyer,seller,trade_id\r\n\r\n\
                5,\"BAC\",x,10000,7,1234,4321,X1\r\n";
    let day = TradingDay::from_csv(files.put("day.csv", text)).expect("a good file");
    let trade = &day.trades[0];
    assert_eq!((trade.symbol.as_str(), trade.size, trade.millis_since_midnight), ("BAC", 5, 7));
    assert_eq!((trade.buyer, trade.seller, trade.trade_id.as_str()), (1234, 4321, "X1"));
}

#[test]
fn errors_name_file_line_and_column() {
    let files = Files::new();
    for (lines, expected) in [
        (
            "1,BAC,139400,500,P,0\n\n1,BAC,12a,500,P,0\n",
            "day.csv line 4: price_x10000: \"12a\" is not a whole number",
        ),
        ("1,BAC,139400\n", "day.csv line 2: 3 values where the header has 6 columns"),
        (
            "1,BAC,,500,P,0",
            "day.csv line 2: price_x10000: \"\" is not a whole number: nothing is there",
        ),
        (
            "1,,1,500,P,0",
            "day.csv line 2: symbol: \"\" is not a code of 1 to 32 printable ASCII characters",
        ),
        (
            "1,B\u{1}C,1,500,P,0",
            "day.csv line 2: symbol: \"B\\u{1}C\" is not a code of 1 to 32 printable ASCII characters",
        ),
        (
            "86400000,BAC,1,1,P,0",
            "day.csv line 2: ms_since_midnight: \"86400000\" is not within the day: it has 86400000 milliseconds",
        ),
        ("1,BAC,1,4294967296,P,0", "day.csv line 2: size: \"4294967296\" is more than 4294967295"),
        ("1,BAC,-5,1,P,0", "day.csv line 2: price_x10000: \"-5\" is not a whole number"),
        (
            "1,BAC,99999999999999999999999,1,P,0",
            "day.csv line 2: price_x10000: \"99999999999999999999999\" is more than the largest price, 1000000000000000",
        ),
        ("", "day.csv: holds no trades"),
    ] {
        assert_eq!(files.error(format!("{HEADER}{lines}")), expected);
    }
    assert_eq!(files.error(""), "day.csv: holds no trades");
    assert_eq!(
        files.error("ms_since_midnight,symbol,size\n"),
        "day.csv line 1: the header has no column price_x10000; \
         expected ms_since_midnight,symbol,price_x10000,size,venue,condition"
    );
    assert_eq!(files.error("size,size\n"), "day.csv line 1: the header has two columns \"size\"");
}

#[test]
fn a_missing_or_damaged_file_is_named() {
    let files = Files::new();
    let missing = files.0.path().join("missing.csv");
    let error = TradingDay::from_csv(&missing).expect_err("no such file").to_string();
    assert!(error.starts_with(&format!("{}: cannot be read: ", missing.display())), "{error}");

    let rows: String = (0..5_000).map(|n| format!("{n},BAC,{n},500,P,0\n")).collect();
    let packed = gzip(format!("{HEADER}{rows}").as_bytes());
    let error = files.error(&packed[..packed.len() / 2]);
    assert!(error.starts_with("day.csv line ") && error.contains("cannot be read"), "{error}");
}

#[test]
fn what_is_too_large_is_rejected() {
    let files = Files::new();
    let row = "1,BAC,1,1,P,0\n";
    let path = files.put("day.csv", format!("{HEADER}{}", row.repeat(4)));
    let limited = |limits: CsvLimits| {
        TradingDay::from_csv_with(&path, &limits).expect_err("too large").to_string()
    };
    let defaults = CsvLimits::default;
    assert!(limited(CsvLimits { trades: 3, ..defaults() }).ends_with("line 5: more than 3 trades"));
    assert!(
        limited(CsvLimits { file_bytes: 80, ..defaults() }).ends_with("line 3: more than 80 bytes")
    );
    assert!(
        limited(CsvLimits { line_bytes: 20, ..defaults() })
            .ends_with("line 1: more than 20 bytes in one line")
    );
}

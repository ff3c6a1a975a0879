//! Ticks from files: comma-separated values, as they are, compressed by gzip, or in ZIP archives.
//!
//! A line is `milliseconds since midnight, bid, ask`, as `QuantConnect` publishes the ticks of a day and a
//! pair; the pair is the first word of six letters in the name of the file, which names two currencies. A
//! file with the header `ms_since_midnight,pair,bid,ask` may have many pairs. Real ticks have moments in which
//! the bid is above the ask: they are kept, for whoever prices by them to pass over.

use std::collections::BTreeMap;
use std::io::{BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use trunkline_wire::Decimal;

use super::market::{CROSSES, LEGS};
use super::{Stream, Tick, Ticks, zip};
use crate::csv::{CsvError, Fault, Lines, open, values};

const HEADER: [&str; 4] = ["ms_since_midnight", "pair", "bid", "ask"];
const MILLISECONDS_OF_DAY: u64 = 86_400_000;

/// What is read at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickLimits {
    /// Bytes of all files, decompressed.
    pub bytes: u64,
    /// Ticks of all files.
    pub ticks: usize,
    /// Streams of all files.
    pub streams: usize,
}

impl Default for TickLimits {
    fn default() -> Self {
        Self { bytes: 512 << 20, ticks: 10_000_000, streams: 1000 }
    }
}

impl Ticks {
    /// Reads files, and all files of folders, in order of their names. Ticks of all streams are put in
    /// order of time; a stream keeps the order of its file where times are the same.
    ///
    /// # Errors
    /// Names the file and the line, and what was expected. See [`TickLimits`] for what is too much.
    pub fn from_files(paths: &[impl AsRef<Path>], limits: &TickLimits) -> Result<Self, CsvError> {
        let mut reader = Reader { limits, bytes: 0, streams: Vec::new(), ticks: Vec::new() };
        for path in paths {
            let path = path.as_ref();
            for file in
                files_of(path).map_err(|cause| Fault::from(cause).within(path, None, None))?
            {
                reader.file(&file)?;
            }
        }
        let Reader { streams, mut ticks, .. } = reader;
        ticks.sort_by_key(|tick| tick.milliseconds);
        Ok(Self { streams, ticks })
    }
}

/// The file itself, or the files of a folder.
fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

struct Reader<'a> {
    limits: &'a TickLimits,
    bytes: u64,
    streams: Vec<Stream>,
    ticks: Vec<Tick>,
}

impl Reader<'_> {
    fn file(&mut self, path: &Path) -> Result<(), CsvError> {
        let whole = |fault: Fault| fault.within(path, None, None);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut input = open(path).map_err(|cause| whole(cause.into()))?;
        let is_archive = input.fill_buf().is_ok_and(|bytes| bytes.starts_with(zip::MAGIC));
        if !is_archive {
            let read = self.lines(&name, &name, input);
            return read.map_err(|(line, fault)| fault.within(path, None, line));
        }
        let left = self.limits.bytes - self.bytes;
        let mut archive = Vec::new();
        let read = input.take(left.saturating_add(1)).read_to_end(&mut archive);
        if read.map_err(|cause| whole(cause.into()))? as u64 > left {
            return Err(whole(Fault::limit("bytes", self.limits.bytes)));
        }
        let entries = zip::entries(&archive, left).map_err(|why| whole(Fault::Wrong(why)))?;
        if entries.is_empty() {
            return Err(whole(empty()));
        }
        for entry in entries {
            // The archive's name says more than the file's in it, which is the same for all suppliers.
            let named = if pair_in(&entry.name).is_some() { &entry.name } else { &name };
            self.lines(named, &name, &entry.content[..])
                .map_err(|(line, fault)| fault.within(path, Some(&entry.name), line))?;
        }
        Ok(())
    }

    /// Reads the lines of one file; the error has the number of the line, from 1.
    fn lines(
        &mut self,
        name: &str,
        source: &str,
        input: impl BufRead,
    ) -> Result<(), (Option<u64>, Fault)> {
        let before = self.ticks.len();
        let mut lines = Lines::new(input, LINE_BYTES, self.limits.bytes, self.bytes);
        let read = self.ticks_of(&mut lines, name, source);
        read.map_err(|(is_of_line, fault)| (is_of_line.then(|| lines.number()), fault))?;
        self.bytes = lines.bytes();
        if self.ticks.len() == before { Err((None, empty())) } else { Ok(()) }
    }

    /// The same; of an error, whether it is the line's that was read last.
    fn ticks_of(
        &mut self,
        lines: &mut Lines<impl BufRead>,
        name: &str,
        source: &str,
    ) -> Result<(), (bool, Fault)> {
        let of_line = |fault| (true, fault);
        let (mut pair, mut is_first, mut of_pair) = (None, true, BTreeMap::new());
        while let Some((_, line)) = lines.read().map_err(of_line)? {
            if std::mem::take(&mut is_first) {
                if values(line).eq(HEADER_BYTES) {
                    continue;
                }
                let no_pair = || Fault::Wrong("the name has no pair in it, such as eurusd".into());
                pair = Some(pair_in(name).ok_or_else(|| (false, no_pair()))?);
            }
            let tick = self.line(line, pair.as_deref(), source, &mut of_pair);
            self.ticks.push(tick.map_err(of_line)?);
            if self.ticks.len() > self.limits.ticks {
                return Err(of_line(Fault::limit("ticks", self.limits.ticks as u64)));
            }
        }
        Ok(())
    }

    fn line(
        &mut self,
        line: &[u8],
        pair: Option<&str>,
        source: &str,
        of_pair: &mut BTreeMap<String, u16>,
    ) -> Result<Tick, Fault> {
        let values: Vec<&[u8]> = values(line).collect();
        let (time, named, bid, ask) = match (pair, &values[..]) {
            (Some(pair), [time, bid, ask]) => (time, pair.to_owned(), bid, ask),
            (None, [time, named, bid, ask]) => {
                let word = String::from_utf8_lossy(named).into_owned();
                let known = word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
                let fault = || Fault::value(HEADER[1], named, "is not a pair of six letters");
                (time, known.then(|| word.to_ascii_uppercase()).ok_or_else(fault)?, bid, ask)
            }
            _ => {
                let expected = if pair.is_some() { 3 } else { 4 };
                let what = format!("{} values, expected {expected}", values.len());
                return Err(Fault::Wrong(what));
            }
        };
        Ok(Tick {
            milliseconds: milliseconds(time)?,
            stream: self.stream(named, source, of_pair)?,
            bid: price(HEADER[2], bid)?,
            ask: price(HEADER[3], ask)?,
        })
    }

    /// The stream of this pair in this file.
    fn stream(
        &mut self,
        pair: String,
        source: &str,
        of_pair: &mut BTreeMap<String, u16>,
    ) -> Result<u16, Fault> {
        if let Some(stream) = of_pair.get(&pair) {
            return Ok(*stream);
        }
        if self.streams.len() >= self.limits.streams.min(usize::from(u16::MAX)) {
            return Err(Fault::limit("streams", self.limits.streams as u64));
        }
        let number = self.streams.len() as u16;
        self.streams.push(Stream { pair: pair.clone(), source: source.to_owned(), is_real: true });
        of_pair.insert(pair, number);
        Ok(number)
    }
}

const HEADER_BYTES: [&[u8]; 4] = [b"ms_since_midnight", b"pair", b"bid", b"ask"];

/// Bytes of a line at most.
const LINE_BYTES: u64 = 4096;

fn empty() -> Fault {
    Fault::Wrong("holds no ticks".to_owned())
}

fn milliseconds(text: &[u8]) -> Result<u32, Fault> {
    let number = str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
    match number.filter(|number| *number < MILLISECONDS_OF_DAY) {
        Some(number) => Ok(number as u32),
        None => {
            let fault = "is not a whole number of milliseconds within a day";
            Err(Fault::value(HEADER[0], text, fault))
        }
    }
}

fn price(column: &'static str, text: &[u8]) -> Result<Decimal, Fault> {
    let price = Decimal::parse(text).ok().filter(|price| *price > Decimal::ZERO);
    price.ok_or_else(|| Fault::value(column, text, "is not a price above zero"))
}

/// The first word of six letters that names two known currencies, in capitals.
fn pair_in(name: &str) -> Option<String> {
    let known = |currency: &str| {
        let pairs = LEGS.iter().map(|leg| leg.pair).chain(CROSSES.iter().map(|cross| cross.0));
        pairs.into_iter().any(|pair| pair.starts_with(currency) || pair.ends_with(currency))
    };
    name.split(|c: char| !c.is_ascii_alphabetic())
        .map(str::to_ascii_uppercase)
        .find(|word| word.len() == 6 && known(&word[..3]) && known(&word[3..]))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use trunkline_bench::folder::PrivateFolder;

    fn files(contents: &[(&str, &[u8])]) -> (PrivateFolder, Vec<PathBuf>) {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let paths = contents.iter().map(|(name, content)| {
            let path = folder.path().join(name);
            fs::write(&path, content).expect("a file");
            path
        });
        let paths = paths.collect();
        (folder, paths)
    }

    fn error(name: &str, content: &[u8]) -> String {
        let (folder, paths) = files(&[(name, content)]);
        let error = Ticks::from_files(&paths, &TickLimits::default()).expect_err("an error");
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn streams_of_several_files_are_merged_by_time() {
        let zipped = zip::archive_of(&[(
            "20140508_eurusd_tick_quote.csv",
            b"17007,1.39147,1.39148\n17264,1.39147,1.39149\n",
            true,
        )]);
        let mut gzipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzipped.write_all(b"17007,0.86478,0.86503\r\n\r\n17100,0.86478,0.86501").expect("memory");
        let gzipped = gzipped.finish().expect("memory");
        let many = b"ms_since_midnight,pair,bid,ask\n1,usdjpy,101.620,101.623\n2,EURUSD,1.4,1.4\n";
        let (folder, _) =
            files(&[("1_fxcm_tick.zip", &zipped), ("2_nzdusd.csv.gz", &gzipped), ("3.csv", many)]);
        let ticks = Ticks::from_files(&[folder.path()], &TickLimits::default()).expect("ticks");
        let streams: Vec<_> =
            ticks.streams.iter().map(|it| (&*it.pair, &*it.source, it.is_real)).collect();
        let expected = [
            ("EURUSD", "1_fxcm_tick.zip", true),
            ("NZDUSD", "2_nzdusd.csv.gz", true),
            ("USDJPY", "3.csv", true),
            ("EURUSD", "3.csv", true),
        ];
        assert_eq!(streams, expected);
        let times: Vec<_> =
            ticks.ticks.iter().map(|tick| (tick.milliseconds, tick.stream)).collect();
        assert_eq!(times, [(1, 2), (2, 3), (17_007, 0), (17_007, 1), (17_100, 1), (17_264, 0)]);
        assert_eq!((ticks.ticks[2].bid.mantissa(), ticks.ticks[2].bid.exponent()), (139_147, -5));
        assert_eq!((ticks.ticks[0].ask.mantissa(), ticks.ticks[0].ask.exponent()), (101_623, -3));
    }

    #[test]
    fn errors_name_the_file_the_line_and_what_was_expected() {
        assert_eq!(
            error("eurusd.csv", b"1,1.2,1.3\n\n2,x,1.3\n"),
            "eurusd.csv line 3: bid: \"x\" is not a price above zero"
        );
        assert_eq!(error("eurusd.csv", b"1,1.2\n"), "eurusd.csv line 1: 2 values, expected 3");
        assert_eq!(
            error("eurusd.csv", b"86400000,1.2,1.3"),
            "eurusd.csv line 1: ms_since_midnight: \"86400000\" is not a whole number of \
             milliseconds within a day"
        );
        assert_eq!(
            error("ticks.csv", b"1,1.2,1.3"),
            "ticks.csv: the name has no pair in it, such as eurusd"
        );
        assert_eq!(error("eurusd.csv", b"\n"), "eurusd.csv: holds no ticks");
        let zipped = zip::archive_of(&[("eurusd.csv", b"1,1.2,0", false)]);
        assert_eq!(
            error("day.zip", &zipped),
            "day.zip (eurusd.csv) line 1: ask: \"0\" is not a price above zero"
        );
        let cut = error("day.zip", &zipped[..40]);
        assert!(cut.starts_with("day.zip: ") && cut.len() > 20, "{cut}");
        let missing = Ticks::from_files(&["/nowhere/eurusd.csv"], &TickLimits::default());
        let missing = missing.expect_err("it is not there").to_string();
        assert!(missing.starts_with("/nowhere/eurusd.csv: cannot be read: No such"), "{missing}");
    }

    #[test]
    fn a_crossed_price_is_a_tick_like_any_other() {
        let (_folder, paths) = files(&[("eurusd.csv", b"1,1.39148,1.39147\n")]);
        let ticks = Ticks::from_files(&paths, &TickLimits::default()).expect("a tick");
        assert!(ticks.ticks[0].bid > ticks.ticks[0].ask);
    }

    #[test]
    fn what_is_too_much_is_rejected() {
        let (_folder, paths) = files(&[("eurusd.csv", b"1,1.2,1.3\n2,1.2,1.3\n")]);
        let rejected =
            |limits| Ticks::from_files(&paths, &limits).expect_err("a limit").to_string();
        let usual = TickLimits::default;
        assert!(
            rejected(TickLimits { ticks: 1, ..usual() }).ends_with("line 2: more than 1 ticks")
        );
        assert!(rejected(TickLimits { bytes: 10, ..usual() }).ends_with("more than 10 bytes"));
        let rejected = rejected(TickLimits { streams: 0, ..usual() });
        assert!(rejected.ends_with("line 1: more than 0 streams"), "{rejected}");
    }
}

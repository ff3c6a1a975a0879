//! Content codings: bytes and the processor's time by message, calls by link, and the bandwidth at which compressing is worth it.

use super::sheet::{Line, count, words};
use super::{Rows, Section, each_once, scaled, value};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::number;
use trunkline_experiment::definition::codings::{
    EVEN, OVER_CALL, OVER_CODEC, OVER_NONE, REST, SIZES, STAGES,
};
use trunkline_experiment::definition::toolkit_calls::DIRECT;
use trunkline_experiment::definition::{Coding, Codings};
use trunkline_experiment::link::Link;
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::Call;

/// A column: its title, whose calls they are, and the coding.
type Column = (&'static str, &'static str, Coding);

const GSOAP: &str = "gsoap-debian";

const XML: Column = ("XML", TRUNKLINE, Coding::None);

/// All columns; those that a table has no figures for are left out.
const COLUMNS: [Column; 10] = [
    XML,
    ("gzip", TRUNKLINE, Coding::Gzip),
    ("gzip -6", TRUNKLINE, Coding::GzipDefault),
    ("deflate", TRUNKLINE, Coding::Deflate),
    ("zstd", TRUNKLINE, Coding::Zstd),
    ("x-xml", TRUNKLINE, Coding::Xml),
    ("FI", TRUNKLINE, Coding::FastInfoset),
    ("FI gzip", TRUNKLINE, Coding::FastInfosetGzip),
    ("gSOAP", GSOAP, Coding::None),
    ("gSOAP gzip", GSOAP, Coding::Gzip),
];

const WHO: &str = "gzip, deflate: at the fastest level, as trunkline sends; gzip -6: at zlib's default, in memory only; x-xml: \
                   x-trunkline-xml, which keeps values apart from structure; FI: Fast Infoset, another format";

const OF_CALLS: &str =
    "the first line of a call: without a link; gSOAP: Debian's, with zlib at its default level, 6";

/// What a line of a table is about: a call, and over which link.
type About<'a> = (Call, Option<&'a str>);

/// All tables.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    let cases = rows.cases(|case| Codings::parts(case).is_some());
    let all = each_once(cases.into_iter().filter_map(Codings::parts), usize::MAX);
    let about = all.iter().map(|(_, call, link)| (*call, *link));
    let mut about: Vec<About<'_>> = each_once(about, usize::MAX);
    about.sort_by_key(|(call, link)| (*call, link.map(bit)));
    let (calls, sent): (Vec<_>, Vec<_>) = about.into_iter().partition(|(_, link)| link.is_none());
    let sections = [
        sizes(rows, &calls),
        processor(rows, &calls, true),
        processor(rows, &calls, false),
        over_codec(rows, &calls),
        over_call(rows, &sent),
        latencies(rows, &sent),
        over_none(rows, &sent),
        even(rows, &calls),
    ];
    sections.into_iter().flatten().collect()
}

/// How long a bit takes on a link, in thousandths of a nanosecond; nothing without one.
fn bit(link: &str) -> u64 {
    let rate = link.parse::<Link>().ok().and_then(|link| link.rate);
    rate.map_or(0, |rate| 1_000_000_000_000 / rate.get())
}

fn case(coding: Coding, (call, link): About<'_>) -> String {
    match link {
        Some(link) => Codings::case_over(coding, call, link),
        None => Codings::case(coding, call),
    }
}

fn find<'a>(rows: Rows<'a>, about: About<'_>, column: &Column, metric: &str) -> Option<&'a Row> {
    let (_, subject, coding) = column;
    rows.find(&Line::new(&case(*coding, about), subject), metric)
}

/// A line for each of these, links below their call, and a cell for each column for which any line has some.
fn table(
    [topic, title]: [&'static str; 2],
    lines: &[About<'_>],
    columns: &[&str],
    cell: impl Fn(About<'_>, usize) -> String,
) -> Option<Section> {
    let cells: Vec<Vec<String>> = lines
        .iter()
        .map(|about| (0..columns.len()).map(|column| cell(*about, column)).collect())
        .collect();
    let is_known = |cell: &String| cell != "-";
    let shown = |column: &usize| cells.iter().any(|line| is_known(&line[*column]));
    let shown: Vec<usize> = (0..columns.len()).filter(shown).collect();
    let titles = shown.iter().map(|column| count(columns[*column]));
    let mut section = Section::new(topic, title, [words("")].into_iter().chain(titles));
    let mut last = None;
    for ((call, link), cells) in lines.iter().zip(&cells) {
        if !cells.iter().any(is_known) {
            continue;
        }
        let name = match link.filter(|link| *link != DIRECT) {
            None => call.to_string(),
            Some(link) if last == Some(*call) => format!("  {link}"),
            Some(link) => format!("{call}, {link}"),
        };
        last = Some(*call);
        let shown = shown.iter().map(|column| cells[*column].clone());
        section.table.row([name].into_iter().chain(shown));
    }
    Some(section)
}

fn titles(columns: &[Column]) -> Vec<&'static str> {
    columns.iter().map(|(title, ..)| *title).collect()
}

fn sizes(rows: Rows<'_>, calls: &[About<'_>]) -> Option<Section> {
    let about = ["codings-size", "Bytes of a call's messages by content coding, in % of XML"];
    let mut columns = vec!["XML bytes"];
    columns.extend(titles(&COLUMNS[1..]));
    let section = table(about, calls, &columns, |about, column| match column {
        0 => value(find(rows, about, &XML, SIZES[0])),
        _ => value(find(rows, about, &COLUMNS[column], SIZES[1])),
    });
    section?.noted([format!("request and answer, without heads of HTTP; {WHO}")])
}

/// What compressing takes beside writing XML, or decompressing beside reading it.
fn processor(rows: Rows<'_>, calls: &[About<'_>], is_sender: bool) -> Option<Section> {
    let (about, codec, stage, told) = match is_sender {
        true => (
            ["codings-compress", "Processor's time to compress the messages of a call, us"],
            STAGES[0],
            STAGES[1],
            ["XML write", "FI write"],
        ),
        false => (
            ["codings-decompress", "Processor's time to decompress the messages of a call, us"],
            STAGES[3],
            STAGES[2],
            ["XML read", "FI read"],
        ),
    };
    let mut columns = titles(&COLUMNS);
    (columns[0], columns[6]) = (told[0], told[1]);
    let section = table(about, calls, &columns, |about, column| {
        let metric = if [0, 6].contains(&column) { codec } else { stage };
        scaled(find(rows, about, &COLUMNS[column], metric), 1e3)
    });
    let beside = if is_sender { "write: encoding" } else { "read: decoding" };
    section?
        .noted([format!("request and answer, in memory; {beside} them without a coding; {WHO}")])
}

fn over_codec(rows: Rows<'_>, calls: &[About<'_>]) -> Option<Section> {
    let title = "Compressing and decompressing over writing and reading XML";
    let section =
        table(["codings-over-codec", title], calls, &titles(&COLUMNS), |about, column| {
            value(find(rows, about, &COLUMNS[column], OVER_CODEC))
        });
    section?.noted(["above 1, compression costs more than XML, both ends together"])
}

/// The paper's claim.
fn over_call(rows: Rows<'_>, sent: &[About<'_>]) -> Option<Section> {
    let title = "Compressing and decompressing over XML and transport together";
    let mut columns = vec!["XML us", "rest us"];
    columns.extend(titles(&COLUMNS[1..]));
    let section =
        table(["codings-over-call", title], sent, &columns, |about, column| match column {
            0 => {
                let stages = [STAGES[0], STAGES[3]];
                let of = |stage| find(rows, (about.0, None), &XML, stage)?.value;
                let sum: Option<f64> = stages.into_iter().map(of).sum();
                sum.map_or("-".to_owned(), |sum| number(sum / 1e3))
            }
            1 => scaled(find(rows, about, &XML, REST), 1e3),
            _ => sure(find(rows, about, &COLUMNS[column - 1], OVER_CALL)),
        });
    let how = "XML: writing and reading request and answer; rest: what a call without a coding takes beyond that, transport and \
               HTTP; above 1, compression costs more than both; gSOAP gzip: what the processors of both ends take more of a call, over a \
               call without";
    section?.noted([how, WHO, OF_CALLS])
}

fn latencies(rows: Rows<'_>, sent: &[About<'_>]) -> Option<Section> {
    let title = "A call by content coding and link, us";
    // It is gzip with another head.
    let columns = COLUMNS.into_iter().filter(|(.., coding)| *coding != Coding::Deflate);
    let columns: Vec<Column> = columns.collect();
    let section = table(["codings-calls", title], sent, &titles(&columns), |about, column| {
        scaled(find(rows, about, &columns[column], "latency"), 1e3)
    });
    section?.noted([
        "medians; requests and answers are compressed; deflate is as gzip",
        WHO,
        OF_CALLS,
    ])
}

fn over_none(rows: Rows<'_>, sent: &[About<'_>]) -> Option<Section> {
    let title = "A call with a content coding, over one without";
    let section = table(["codings-over-none", title], sent, &titles(&COLUMNS), |about, column| {
        sure(find(rows, about, &COLUMNS[column], OVER_NONE))
    });
    section?.noted(["below 1, the coding saves time; gSOAP's over gSOAP's without", WHO, OF_CALLS])
}

/// A value, or a question mark where the turns tell none.
fn sure(row: Option<&Row>) -> String {
    match row {
        Some(row) if row.value.is_none() && row.verdict == Verdict::Inconclusive => "?".to_owned(),
        row => value(row),
    }
}

/// Computed, and below it measured.
fn even(rows: Rows<'_>, calls: &[About<'_>]) -> Option<Section> {
    let title = "The bandwidth below which a call with a content coding is the faster one, Mbit/s";
    let columns = &COLUMNS[1..];
    let is_known = |column: &Column, about: About<'_>| {
        EVEN.iter().any(|metric| find(rows, about, column, metric).is_some())
    };
    let columns: Vec<&Column> = columns
        .iter()
        .filter(|column| calls.iter().any(|about| is_known(column, *about)))
        .collect();
    let titles = columns.iter().map(|(title, ..)| count(title));
    let names = [words(""), words("")].into_iter();
    let mut section = Section::new("codings-even", title, names.chain(titles));
    for &about in calls {
        let computed: Vec<String> = columns.iter().map(|it| computed(rows, about, it)).collect();
        if computed.iter().all(|cell| cell == "-") {
            continue;
        }
        let words = [about.0.to_string(), "computed".to_owned()];
        section.table.row(words.into_iter().chain(computed));
        let measured = columns.iter().map(|it| measured(rows, about, it));
        let words = [String::new(), "measured".to_owned()];
        section.table.row(words.into_iter().chain(measured));
    }
    section.noted([
        "computed: the bits that a call saves on the link, over the time that it adds to the processors; measured: where the time \
         of calls crosses, between two links; always: faster without a link, too; never: over no link; ? by itself or behind: noise may explain it",
        WHO,
        "gSOAP: Debian's, with zlib at its default level, 6; computed from the time of both ends' processors",
    ])
}

fn computed(rows: Rows<'_>, about: About<'_>, column: &Column) -> String {
    let find = |metric| find(rows, about, column, metric);
    let (Some(saved), Some(_)) = (find(EVEN[0]), find(EVEN[1])) else { return "-".to_owned() };
    match find(EVEN[2]) {
        Some(row) => scaled(Some(row), 1e6),
        None if saved.value.is_some_and(|value| value > 0.0) => "always".to_owned(),
        None => "never".to_owned(),
    }
}

fn measured(rows: Rows<'_>, (call, _): About<'_>, column: &Column) -> String {
    if let Some(row) = find(rows, (call, None), column, EVEN[3]) {
        return scaled(Some(row), 1e6);
    }
    let (_, subject, coding) = column;
    let is_it = |row: &&Row| {
        let parts = Codings::parts(&row.case);
        row.metric == OVER_NONE
            && row.subject == *subject
            && parts.is_some_and(|(its, of, _)| (its, of) == (*coding, call))
    };
    let over: Vec<&Row> = rows.all.iter().filter(is_it).filter(|it| it.value.is_some()).collect();
    let are_certain = over.iter().all(|row| row.verdict == Verdict::Ok);
    let is_faster = |row: &&&Row| row.value.is_some_and(|over| over < 1.0);
    match over.iter().filter(is_faster).count() {
        _ if over.is_empty() => "-",
        0 if are_certain => "never",
        faster if faster == over.len() && are_certain => "always",
        // Faster without a link than over one, which is noise.
        _ => "?",
    }
    .to_owned()
}

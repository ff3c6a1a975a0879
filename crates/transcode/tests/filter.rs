//! Filters: what is one, what of it is about the messages of a description, and which messages pass.

use std::cmp::Ordering;
use std::sync::Arc;

use trunkline_import::{Description, Limits, Options};
use trunkline_random::Random;
use trunkline_transcode::{Filter, Format, Messages};

const IDL: &str = r#"
enum Side { BUY, SELL };
struct Level { double size; string maker; };
struct Book { sequence<Level> levels; sequence<string> tags; sequence<long> numbers; };
struct Quote {
  string Source; double Bid; float Ask; long Size; unsigned long long Big; boolean Firm; Side Side_;
  Book Depth; octet Raw;
};
"#;

fn described(path: &str, text: &str) -> Messages {
    let mut resolver = |_: &str| Ok(Some(text.as_bytes().to_vec()));
    let read = Description::read(path, &Options::default(), &mut resolver, &Limits::default());
    Messages::new(read.expect("a description"), Default::default(), Default::default())
}

fn check(messages: &Messages, filter: &str) -> Result<(), String> {
    let parsed = Filter::parse(filter).map_err(|error| error.within(filter))?;
    messages.check(&parsed, None).map_err(|error| error.within(filter))
}

/// Whether a message passes each of some filters, which are about it.
fn passes(messages: &mut Messages, json: &str, filters: &[&str]) -> Vec<bool> {
    for filter in filters {
        check(messages, filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
    }
    let parsed: Vec<_> =
        filters.iter().map(|it| Arc::new(Filter::parse(it).expect("a filter"))).collect();
    messages.passes((Format::Json, json.as_bytes()), None, &parsed).expect(json)
}

#[test]
fn what_is_no_filter_is_said_with_its_place_and_a_remedy() {
    for (text, expected) in [
        ("", "column 1: it is empty; a filter is such as Bid > 1.08 and Source = 'X'"),
        (
            "Bid",
            "column 4: Bid is followed by =, !=, <, <=, >, >= or in; whether it is there is: exists Bid",
        ),
        ("Bid = ", "column 7: a value is expected: a number, 'text', true or false"),
        ("Bid == 1", "column 6: there are =, !=, <, <=, > and >=, and a value behind them"),
        ("Bid <> 1", "column 6: there are =, !=, <, <=, > and >=, and a value behind them"),
        ("Bid ! 1", "column 5: '!' means nothing; not equal is !="),
        ("Bid > 1 && Ask > 1", "column 9: '&' means nothing; write and"),
        ("Bid > 1 || Ask > 1", "column 9: '|' means nothing; write or"),
        ("Bid > 1 Ask > 1", "column 9: and, or, or the end is expected"),
        ("Bid = X", "column 7: a value is a number, true, false, or a text in quotes: 'X'"),
        ("Bid = \"X\"", "column 7: a value is a number, true, false, or a text in quotes: 'X'"),
        ("Bid = 'X", "column 7: the ' that closes this text is missing"),
        ("Bid = \u{2018}X\u{2019}", "column 7: '\u{2018}' means nothing; quotes are straight: '"),
        ("\"Bid = 1", "column 1: the \" that closes this text is missing"),
        ("1.08 < Bid", "column 1: a comparison begins with the name of a field"),
        ("'X' = Source", "column 1: a comparison begins with the name of a field"),
        ("and Bid = 1", "column 1: the name of a field is expected"),
        ("(Bid = 1", "column 1: the ) that closes it is missing"),
        ("Bid = 1)", "column 8: and, or, or the end is expected"),
        ("Bid in 1", "column 8: in is followed by values in parentheses: in ('a', 'b')"),
        ("Bid in ()", "column 9: a value is expected: a number, 'text', true or false"),
        ("Bid in (1", "column 10: , or ) is expected"),
        ("Bid not in (1)", "column 5: write: not Bid in (...)"),
        ("Depth. = 1", "column 8: the name of a field is expected"),
        ("é = 1 and x = ", "column 15: a value is expected: a number, 'text', true or false"),
    ] {
        let error = Filter::parse(text).expect_err(text);
        assert_eq!(error.within(text), expected, "{text}");
    }
    let number = Filter::parse("Bid = 1e5").expect_err("an exponent");
    assert!(number.why.contains("1e5 is no number such as -1.08"), "{number}");
}

#[test]
fn filters_are_bounded() {
    let deep = |depth: usize| format!("{}a = 1{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Filter::parse(&deep(Filter::DEPTH)).is_ok());
    let error = Filter::parse(&deep(Filter::DEPTH + 1)).expect_err("deep");
    assert_eq!(error.offset, Filter::DEPTH);
    assert!(
        Filter::parse(&deep(1_000_000)).is_err()
            && Filter::parse(&"not ".repeat(1_000_000)).is_err()
    );
    let many = |count: usize| vec!["a = 1"; count].join(" or ");
    assert!(Filter::parse(&many(Filter::MOST_TERMS)).is_ok());
    assert!(Filter::parse(&many(Filter::MOST_TERMS + 1)).is_err());
    let values = |count: usize| format!("a in ({})", vec!["1"; count].join(","));
    assert!(Filter::parse(&values(Filter::MOST_TERMS)).is_ok());
    assert!(Filter::parse(&values(Filter::MOST_TERMS + 1)).is_err());
}

#[test]
fn texts_that_say_the_same_are_the_same() {
    for (one, other) in [
        ("Bid>1.080 AND Source='X'", "Bid > 1.08 and (Source = 'X')"),
        ("((a = 1)) or b=2 and not c in (1,'it''s')", "a = 1 or (b = 2 and not c in (1, 'it''s'))"),
        ("exists \"a\".\"b c\"", "exists a.\"b c\""),
        ("\"and\".x != TRUE", "\"and\".x != true"),
    ] {
        let [one, other] = [one, other].map(|it| Filter::parse(it).expect(it));
        assert_eq!(one, other);
        assert_eq!(one.to_string(), other.to_string());
        assert_eq!(Filter::parse(&one.to_string()), Ok(one));
    }
}

#[test]
fn what_no_message_has_is_refused() {
    let messages = described("quote.idl", IDL);
    for (filter, words) in [
        ("Bidd > 1", &["column 1", "Bidd is no field", "did you mean Bid?"][..]),
        ("Source = 'X' and Depth.level.size > 1", &["column 18", "no field", "did you mean"]),
        ("Source = 1", &["Source holds text: write '1'"]),
        ("Source = true", &["Source holds text"]),
        ("Bid = 'X'", &["Bid holds f64: write a number, without quotes"]),
        ("Firm = 1", &["Firm holds boolean: write true or false"]),
        ("Firm < true", &["no order"]),
        ("Side_ = 'HOLD'", &["'HOLD' is no value of Side_; there are BUY, SELL"]),
        ("Side_ < 'BUY'", &["no order"]),
        ("Depth = 1", &["Depth is a struct; name a field of it, or say: exists Depth"]),
        ("Depth.levels = 1", &["Depth.levels is no value"]),
        ("nothing_like_it = 1", &["is no field of the messages of the topic's schema"]),
    ] {
        let error = check(&messages, filter).expect_err(filter);
        assert!(words.iter().all(|it| error.contains(it)), "{filter}: {error}");
    }
}

#[test]
fn fields_are_compared_by_what_they_hold() {
    let mut messages = described("quote.idl", IDL);
    let json = r#"{"Quote": {"Source": "X", "Bid": 1.08, "Ask": 1.1, "Size": -5, "Big": 18446744073709551615,
        "Firm": true, "Side_": "SELL", "Raw": 7,
        "Depth": {"levels": [{"size": 1.5, "maker": "A"}, {"size": 2.5, "maker": "B"}], "tags": ["x", "y"],
                  "numbers": [1, 5]}}}"#;
    let cases = [
        ("Source = 'X'", true),
        ("Source != 'X'", false),
        ("Source > 'W' and Source < 'Y'", true),
        ("source_ = 'X'", false),
        ("Bid = 1.08", true),
        ("Bid > 1.08", false),
        ("Bid >= 1.08000", true),
        ("Ask = 1.1", true),
        ("Ask > 1.1", false),
        ("Size < -4.5", true),
        ("Size = -5.0", true),
        ("Size > -5.00000000000000000000000000000001", true),
        ("Big = 18446744073709551615", true),
        ("Big < 18446744073709551615.5", true),
        ("Big > 99999999999999999999999999", false),
        ("Firm = true", true),
        ("Firm != true", false),
        ("Firm in (false)", false),
        ("Side_ = 'SELL'", true),
        ("Side_ != 'SELL'", false),
        ("Side_ in ('BUY', 'SELL')", true),
        ("exists Source", true),
        ("exists Depth", true),
        ("not exists Depth.levels", false),
        ("Depth.levels.size > 2", true),
        ("Depth.levels.maker = 'C'", false),
        ("levels.maker in ('C', 'B')", true),
        // Some item is smaller, and some item is not.
        ("levels.size < 2 and levels.size > 2", true),
        ("Depth.tags = 'y'", true),
        ("Depth.tags in ('z')", false),
        ("Depth.numbers > 4", true),
        ("Depth.numbers > 5", false),
        ("not (Source = 'X' and Bid > 1.08) and (Bid < 1 or Firm = true)", true),
    ];
    let known: Vec<_> = cases.iter().filter(|it| it.0 != "source_ = 'X'").collect();
    let filters: Vec<&str> = known.iter().map(|it| it.0).collect();
    let got = passes(&mut messages, json, &filters);
    for ((filter, expected), got) in known.into_iter().zip(got) {
        assert_eq!(got, *expected, "{filter}");
    }
}

const FIX: &str = r#"<fix type="FIX" major="4" minor="4">
 <header><field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/><field name="MsgType" required="Y"/></header>
 <messages>
  <message name="Quote" msgtype="S" msgcat="app"><field name="QuoteID" required="Y"/><field name="Side" required="N"/>
   <field name="BidPx" required="N"/><field name="Time" required="N"/><component name="Instrument" required="N"/>
   <group name="NoLegs" required="N"><field name="LegID" required="Y"/><field name="LegPx" required="N"/></group></message>
  <message name="News" msgtype="B" msgcat="app"><field name="Headline" required="Y"/></message>
 </messages>
 <trailer><field name="CheckSum" required="Y"/></trailer>
 <components><component name="Instrument"><field name="Symbol" required="N"/></component></components>
 <fields>
  <field number="8" name="BeginString" type="STRING"/><field number="9" name="BodyLength" type="LENGTH"/>
  <field number="35" name="MsgType" type="STRING"/><field number="10" name="CheckSum" type="STRING"/>
  <field number="117" name="QuoteID" type="STRING"/><field number="132" name="BidPx" type="PRICE"/>
  <field number="54" name="Side" type="CHAR"><value enum="1" description="BUY"/><value enum="2" description="SELL"/></field>
  <field number="60" name="Time" type="UTCTIMESTAMP"/><field number="55" name="Symbol" type="STRING"/>
  <field number="555" name="NoLegs" type="NUMINGROUP"/><field number="600" name="LegID" type="STRING"/>
  <field number="566" name="LegPx" type="PRICE"/><field number="148" name="Headline" type="STRING"/>
 </fields>
</fix>"#;

fn fix(of: &str, body: &str) -> Vec<u8> {
    let body = format!("35={of}|{body}|").replace('|', "\u{1}");
    let mut message = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
    let sum = message.bytes().fold(0_u8, u8::wrapping_add);
    message.push_str(&format!("10={sum:03}\u{1}"));
    message.into_bytes()
}

#[test]
fn messages_of_several_types_have_what_they_have() {
    let mut messages = described("quotes.xml", FIX);
    let quote =
        fix("S", "117=q1|54=2|132=1.0850|60=20261126-10:00:00|55=EURUSD|555=2|600=a|566=1.5|600=b");
    let news = fix("B", "148=rates rise");
    let filters = [
        ("BidPx = 1.085", true, false),
        ("BidPx > 1.0849999999999999999999999", true, false),
        ("not BidPx = 1.085", false, true),
        // Absent is neither equal nor unequal.
        ("BidPx != 7", true, false),
        ("Headline != 'x'", false, true),
        ("exists Headline or BidPx < 1", false, true),
        ("Side = 'SELL'", true, false),
        ("Side = '2'", true, false),
        ("Side = 2", true, false),
        ("Symbol = 'EURUSD'", true, false),
        ("Instrument.Symbol = 'EURUSD'", true, false),
        ("exists Instrument", true, false),
        ("Time > '2026-11-26T09:59:59.5Z'", true, false),
        ("Time < '2026-11-26T09:59:59.5Z'", false, false),
        ("NoLegs.LegPx >= 1.5", true, false),
        ("NoLegs.LegID = 'b'", true, false),
        ("NoLegs.LegPx > 1.5", false, false),
        ("MsgType = 'B'", false, true),
    ];
    // Some layouts have no field for the type of the message.
    let filters: Vec<_> = filters.into_iter().filter(|it| check(&messages, it.0).is_ok()).collect();
    assert!(filters.len() >= 17, "{}", filters.len());
    let parsed: Vec<_> =
        filters.iter().map(|it| Arc::new(Filter::parse(it.0).expect("a filter"))).collect();
    let of_quote = messages.passes((Format::Fix, &quote), None, &parsed).expect("a quote");
    let of_news = messages.passes((Format::Fix, &news), None, &parsed).expect("news");
    for ((filter, of_quote, of_news), expected) in filters
        .iter()
        .zip(of_quote.iter().zip(&of_news))
        .map(|(it, got)| ((it.0, got.0, got.1), (it.1, it.2)))
    {
        assert_eq!((*of_quote, *of_news), expected, "{filter}");
    }
    let error = messages.passes((Format::Fix, &fix("S", "117=q|132=dear")), None, &parsed);
    assert!(error.expect_err("it is dear").to_string().contains("BidPx"));
}

#[test]
fn a_name_alone_is_that_of_the_outermost_field() {
    let mut messages = described("quotes.xml", FIX);
    let body = "117=q1|54=2|132=1.0850|60=20261126-10:00:00|55=EURUSD|555=2|600=a|566=1.5|600=b";
    let filters = ["LegPx >= 1.5", "LegID = 'b'", "LegPx > 1.5", "exists LegPx"];
    let parsed = filters.map(|it| Arc::new(Filter::parse(it).expect("a filter")));
    filters.iter().for_each(|it| check(&messages, it).expect(it));
    let got = messages.passes((Format::Fix, &fix("S", body)), None, &parsed);
    assert_eq!(got.expect("a quote"), [true, true, false, true]);

    let idl = "struct InnerOne { string name; }; struct OuterOne { sequence<InnerOne> inner; };
        struct LateOne { string name; double px; };
        struct M { sequence<OuterOne> outer; sequence<LateOne> late; LateOne one; };
        struct N { sequence<OuterOne> outer; sequence<LateOne> late; };";
    let mut messages = described("nested.idl", idl);
    let lists = r#""outer": [{"inner": [{"name": "deep"}]}], "late": [{"name": "a", "px": 1}, {"name": "b", "px": 2}]"#;
    let filters = ["name = 'one'", "name = 'b'", "name = 'deep'", "outer.inner.name = 'deep'"];
    let one = format!(r#"{{"M": {{{lists}, "one": {{"name": "one", "px": 3}}}}}}"#);
    assert_eq!(passes(&mut messages, &one, &filters), [true, false, false, true]);
    let none = format!(r#"{{"N": {{{lists}}}}}"#);
    assert_eq!(passes(&mut messages, &none, &filters), [false, true, false, true]);
    let error = check(&messages, "lte.px > 1").expect_err("no such list");
    assert!(error.contains("lte.px is no field") && error.contains("did you mean"), "{error}");
}

#[test]
fn a_filter_that_nobody_has_is_not_kept() {
    let mut messages = described("quotes.xml", FIX);
    let quote = fix("S", "117=q1|132=1.5");
    let kept = Arc::new(Filter::parse("BidPx > 1").expect("a filter"));
    for number in 0..10_000 {
        let other = Arc::new(Filter::parse(&format!("BidPx > {number}")).expect("a filter"));
        let weak = Arc::downgrade(&other);
        let all = [other, Arc::clone(&kept)];
        let got = messages.passes((Format::Fix, &quote), None, &all).expect("a quote");
        assert_eq!(got, [number < 2, true]);
        drop(all);
        assert!(number < 200 || weak.strong_count() <= 1);
    }
    assert!(Arc::strong_count(&kept) <= 2);
}

/// A message of a few fields, and what a plain reading says of it.
struct Sample {
    text: Option<&'static str>,
    /// Hundredths.
    price: Option<i64>,
    sizes: Vec<i64>,
}

const LISTING: &str = "message Sample X\nfield text 1 text optional\nfield price 2 decimal optional\nfield sizes 0 i64[] optional\nend\n";

impl Sample {
    fn new(random: &mut Random) -> Self {
        let text = random.pick(&[None, Some("a"), Some("b"), Some("it's")]);
        let price = (random.below(4) > 0).then(|| random.between(0, 8) as i64 * 25 - 100);
        let count = random.below(4);
        let sizes = (0..count).map(|_| random.between(0, 6) as i64 - 3).collect();
        Self { text, price, sizes }
    }

    fn json(&self) -> String {
        let mut members = Vec::new();
        members.extend(self.text.map(|it| format!("\"text\": {it:?}")));
        members.extend(self.price.map(|it| format!("\"price\": {}", decimal(it))));
        if !self.sizes.is_empty() {
            members.push(format!("\"sizes\": {:?}", self.sizes));
        }
        format!("{{{}}}", members.join(", "))
    }
}

fn decimal(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
}

/// A random filter, and whether a sample passes it, by a plain reading.
type Twin = Box<dyn Fn(&Sample) -> bool>;

fn compared(random: &mut Random) -> (&'static str, fn(Ordering) -> bool) {
    random.pick(&[
        ("=", Ordering::is_eq as fn(Ordering) -> bool),
        ("!=", Ordering::is_ne),
        ("<", Ordering::is_lt),
        ("<=", Ordering::is_le),
        (">", Ordering::is_gt),
        (">=", Ordering::is_ge),
    ])
}

fn random_test(random: &mut Random) -> (String, Twin) {
    let (comparison, fits) = compared(random);
    match random.below(6) {
        0 => {
            let value = random.pick(&["a", "b", "it's", ""]);
            let text = format!("text {comparison} '{}'", value.replace('\'', "''"));
            (text, Box::new(move |it| it.text.is_some_and(|it| fits(it.cmp(value)))))
        }
        1 => {
            let value = random.between(0, 8) as i64 * 25 - 100;
            let zeros = random.pick(&["", "0", "000"]);
            let text = format!("price{comparison}{}{zeros}", decimal(value));
            (text, Box::new(move |it| it.price.is_some_and(|it| fits(it.cmp(&value)))))
        }
        2 => {
            let value = random.between(0, 6) as i64 - 3;
            let text = format!("sizes {comparison} {value}");
            (text, Box::new(move |it| it.sizes.iter().any(|it| fits(it.cmp(&value)))))
        }
        3 => ("EXISTS price".to_owned(), Box::new(|it| it.price.is_some())),
        4 => ("exists sizes".to_owned(), Box::new(|it| !it.sizes.is_empty())),
        _ => (
            "text In ('a', 'it''s')".to_owned(),
            Box::new(|it| it.text.is_some_and(|it| it == "a" || it == "it's")),
        ),
    }
}

fn random_filter(random: &mut Random, depth: usize) -> (String, Twin) {
    if depth == 0 || random.below(4) == 0 {
        return random_test(random);
    }
    let (one, is_one) = random_filter(random, depth - 1);
    if random.below(4) == 0 {
        return (format!("not ({one})"), Box::new(move |it| !is_one(it)));
    }
    let (other, is_other) = random_filter(random, depth - 1);
    match random.below(2) {
        0 => (format!("({one}) and ({other})"), Box::new(move |it| is_one(it) && is_other(it))),
        _ => (format!("(({one}) OR {other})"), {
            // What stands there without parentheses binds closer.
            Box::new(move |it| is_one(it) || is_other(it))
        }),
    }
}

#[test]
fn what_passes_is_what_a_plain_reading_says() {
    let mut messages = described("sample.txt", LISTING);
    let mut passed = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let filters: Vec<_> = (0..20).map(|_| random_filter(&mut random, 4)).collect();
        let parsed: Vec<_> = filters
            .iter()
            .map(|it| {
                Arc::new(Filter::parse(&it.0).unwrap_or_else(|error| panic!("{}: {error}", it.0)))
            })
            .collect();
        for (filter, (text, _)) in parsed.iter().zip(&filters) {
            assert_eq!(messages.check(filter, None), Ok(()), "{text}");
            assert_eq!(Filter::parse(&filter.to_string()).as_ref(), Ok(&**filter), "{text}");
        }
        for _ in 0..20 {
            let sample = Sample::new(&mut random);
            let json = sample.json();
            let read = (Format::Json, json.as_bytes());
            let got = messages.passes(read, Some("Sample"), &parsed).expect(&json);
            for (got, (text, twin)) in got.into_iter().zip(&filters) {
                assert_eq!(got, twin(&sample), "{text} of {json}");
                passed += usize::from(got);
            }
        }
    }
    assert!((30_000..90_000).contains(&passed), "{passed} of 120000");
}

#[test]
fn any_text_is_read_or_refused() {
    let words = [
        "Bid", ".", "(", ")", "and", "or", "not", "in", "exists", "=", "!=", "<", ">=", "1.5", "-",
        "'a'", "'", "\"", ",", "true", "\u{e9}", " ", "\0", "&",
    ];
    let mut read = 0;
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let count = random.between(1, 12);
        let text: String = (0..count).map(|_| format!("{} ", random.pick(&words))).collect();
        match Filter::parse(&text) {
            Ok(filter) => {
                assert_eq!(Filter::parse(&filter.to_string()), Ok(filter), "{text}");
                read += 1;
            }
            Err(error) => assert!(text.is_char_boundary(error.offset), "{text}: {error}"),
        }
    }
    assert!(read > 10, "{read}");
}

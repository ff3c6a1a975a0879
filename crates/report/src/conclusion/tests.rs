//! Each kind of verdict, with made-up rows on both sides of the bound.

use super::*;
use trunkline_bench::row::MachineRow;

const QUIET: Option<f64> = Some(0.01);

fn kohlhoff() -> Definition {
    Definition::named("kohlhoff-2004").expect("embedded")
}

/// An experiment with what each test needs to conclude from.
fn definition(conclusions: &str) -> Definition {
    let text = format!(
        "name = \"made-up\"\nsource = \"a test\"\nentries = [1, 10]\n\
         [[part]]\nname = \"all\"\nwhat = \"all\"\n\
         [[part.measure]]\nkind = \"size\"\nformats = [\"soap-rpc\", \"soap-compact\", \"fix\"]\n\
         [[part.measure]]\nkind = \"codec\"\nformats = [\"soap-rpc\", \"soap-compact\", \"fix\"]\n\
         {conclusions}"
    );
    Definition::parse("made-up.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// A conclusion about encoding in SOAP over FIX.
fn encode(expected: &str) -> Definition {
    definition(&format!(
        "[[conclusion]]\nname = \"c\"\nwords = \"w\"\nsection = \"1\"\nexpected = {expected}\n\
         terms = [{{ over = \"encode:cpu-time:soap-rpc\", under = \"encode:cpu-time:fix\" }}]\n"
    ))
}

fn timed(format: Format, case: &str, entries: u32, value: f64) -> Row {
    Row {
        entries: Some(entries),
        value: Some(value),
        low: Some(value),
        high: Some(value),
        runs: 15,
        ..Row::new("made-up", case, TRUNKLINE, &format.profile(), "cpu-time", "ns")
    }
}

/// Costs of SOAP, where those of FIX are 100, by the entries of the messages.
fn costs(by_entries: &[(u32, f64)]) -> Vec<Row> {
    let of = |&(entries, cost): &(u32, f64)| {
        [
            timed(Format::SoapRpc, "encode", entries, cost * 100.0),
            timed(Format::Fix, "encode", entries, 100.0),
        ]
    };
    by_entries.iter().flat_map(of).collect()
}

fn rows(definition: &Definition, rows: &[Row], noise_floor: Option<f64>) -> Vec<Row> {
    judgements(definition, rows, noise_floor).into_iter().map(|it| it.row).collect()
}

/// The only judgement.
fn only(definition: &Definition, rows: &[Row], noise_floor: Option<f64>) -> (Row, String) {
    let mut all = judgements(definition, rows, noise_floor);
    let Judgement { row, decided_by } = all.pop().expect("a judgement");
    assert!(all.is_empty(), "one judgement");
    (row, decided_by)
}

fn verdict(definition: &Definition, rows: &[Row], noise_floor: Option<f64>) -> Verdict {
    only(definition, rows, noise_floor).0.verdict
}

#[test]
fn factors_on_both_sides_do_not_make_up_for_one_another() {
    let alike = encode("{ from = 0.9, to = 1.1 }");
    // Their middle is 1.
    let (row, told) = only(&alike, &costs(&[(1, 4.2), (10, 1.0 / 4.2)]), QUIET);
    assert_eq!(row.verdict, Verdict::NoLonger);
    assert_eq!((row.value, row.high), (Some(4.2), Some(4.2)));
    assert!(row.low < Some(0.24));
    let expected = "of 2 factors encode:cpu-time:soap-rpc over encode:cpu-time:fix, 1 entry: 4.2";
    assert!(told.starts_with(expected), "{told}");
    // One alone decides, whatever the other is, and is named.
    let (row, told) = only(&alike, &costs(&[(1, 1.0), (10, 1.5)]), QUIET);
    assert_eq!((row.verdict, row.value), (Verdict::NoLonger, Some(1.5)));
    assert!(told.contains(", 10 entries: 1.5"), "{told}");
    let (row, _) = only(&alike, &costs(&[(1, 1.02), (10, 0.95)]), QUIET);
    assert_eq!((row.verdict, row.low, row.high), (Verdict::Holds, Some(0.95), Some(1.02)));
    assert_eq!(row.value, Some(0.95), "the one that is nearest to the bound");
    assert_eq!(verdict(&alike, &costs(&[(1, 1.0), (10, 1.1)]), QUIET), Verdict::Inconclusive);
}

#[test]
fn bounds_leave_a_conclusion_open_only_where_they_reach_its_own() {
    let definition = encode("{ from = 4.9, to = 8.2 }");
    for (factor, spread, expected) in [
        (1.5, 1.5, Verdict::NoLonger),
        (1.5, 4.0, Verdict::Inconclusive),
        (6.0, 1.1, Verdict::Holds),
        (6.0, 1.5, Verdict::Inconclusive),
        (20.0, 1.5, Verdict::NoLonger),
    ] {
        let mut rows = costs(&[(10, factor)]);
        rows[0].low = Some(factor * 100.0 / spread);
        rows[0].high = Some(factor * 100.0 * spread);
        assert_eq!(verdict(&definition, &rows, QUIET), expected, "{factor} {spread}");
    }
}

#[test]
fn what_is_as_near_to_a_bound_as_noise_is_open() {
    let at_least = encode("{ from = 1.0 }");
    let at_most = encode("{ to = 1.0 }");
    let not_alike = encode("{ from = 0.9, to = 1.1, outside = true }");
    for (definition, factor, noise, expected) in [
        (&at_least, 1.06, 0.05, Verdict::Holds),
        (&at_least, 1.04, 0.05, Verdict::Inconclusive),
        (&at_least, 0.96, 0.05, Verdict::Inconclusive),
        (&at_least, 0.94, 0.05, Verdict::NoLonger),
        (&at_least, 0.94, 0.08, Verdict::Inconclusive),
        (&at_most, 0.94, 0.05, Verdict::Holds),
        (&at_most, 0.96, 0.05, Verdict::Inconclusive),
        (&at_most, 1.06, 0.05, Verdict::NoLonger),
        (&not_alike, 1.2, 0.05, Verdict::Holds),
        (&not_alike, 1.12, 0.05, Verdict::Inconclusive),
        (&not_alike, 1.0, 0.05, Verdict::NoLonger),
        (&not_alike, 1.08, 0.05, Verdict::Inconclusive),
    ] {
        let (row, told) = only(definition, &costs(&[(10, factor)]), Some(noise));
        assert_eq!(row.verdict, expected, "{factor} at {noise}: {told}");
    }
}

#[test]
fn a_machine_that_is_too_noisy_decides_about_sizes_only() {
    let definition = definition(
        "[[conclusion]]\nname = \"t\"\nwords = \"w\"\nsection = \"1\"\nexpected = { from = 2.0 }\n\
         terms = [{ over = \"encode:cpu-time:soap-rpc\", under = \"encode:cpu-time:fix\" }]\n\
         [[conclusion]]\nname = \"s\"\nwords = \"w\"\nsection = \"1\"\nexpected = { from = 2.0 }\n\
         terms = [{ over = \"size:size:soap-rpc\", under = \"size:size:fix\" }]\n",
    );
    let size = |format, value| Row {
        metric: "size".into(),
        low: Some(value / 2.0),
        high: Some(value * 2.0),
        runs: 1,
        ..timed(format, "size", 10, value)
    };
    let mut all = costs(&[(10, 30.0)]);
    all.extend([size(Format::SoapRpc, 400.0), size(Format::Fix, 100.0)]);
    for (noise, times) in [
        (Some(NOISE_LIMIT), Verdict::Holds),
        (Some(1.16), Verdict::Inconclusive),
        (None, Verdict::Inconclusive),
    ] {
        let found = rows(&definition, &all, noise);
        let verdicts: Vec<Verdict> = found.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [times, Verdict::Holds], "{noise:?}");
    }
    let told = &judgements(&definition, &all, Some(1.16))[0].decided_by;
    assert!(told.ends_with("the machine's noise is 116 %, more than 25: no verdict"), "{told}");
    let told = &judgements(&definition, &all, None)[0].decided_by;
    assert!(told.ends_with("; noise was not measured: no verdict"), "{told}");
}

#[test]
fn noise_in_what_is_saved_is_in_points() {
    let definition = definition(
        "[[conclusion]]\nname = \"c\"\nwords = \"w\"\nsection = \"1\"\n\
         expected = { from = -10, to = 10 }\nterms = [{ over = \"encode:reduction:soap-compact\" }]\n",
    );
    let saved = |percent| Row {
        metric: "reduction".into(),
        ..timed(Format::SoapCompact, "encode", 10, percent)
    };
    for (percent, expected) in
        [(0.0, Verdict::Holds), (8.0, Verdict::Inconclusive), (16.0, Verdict::NoLonger)]
    {
        assert_eq!(verdict(&definition, &[saved(percent)], Some(0.05)), expected, "{percent}");
    }
}

#[test]
fn fewer_runs_than_bounds_take_give_no_verdict() {
    let definition = encode("{ from = 2.0 }");
    for (runs, expected) in
        [(1, Verdict::Inconclusive), (5, Verdict::Inconclusive), (6, Verdict::Holds)]
    {
        let mut rows = costs(&[(10, 30.0)]);
        rows[1].runs = runs;
        let (row, told) = only(&definition, &rows, QUIET);
        assert_eq!((row.verdict, row.runs), (expected, runs), "{told}");
        assert_eq!(told.contains(&format!("n = {runs}: no verdict")), runs < 6, "{told}");
    }
}

#[test]
fn the_papers_own_figures_confirm_its_conclusions_and_equal_costs_refute_them() {
    let definition = kohlhoff();
    for (is_theirs, verdict) in [(true, Verdict::Holds), (false, Verdict::NoLonger)] {
        let mut all = Vec::new();
        for format in [Format::SoapRpc, Format::Fix, Format::CdrUnion] {
            for (case, metric) in [("size", "size"), ("encode", "cpu-time"), ("decode", "cpu-time")]
            {
                let line = definition.published(case, metric, format).expect("tables 1, 3 and 4");
                all.extend((1..=10).map(|entries| {
                    let value = if is_theirs { line.at(entries) } else { 1_000.0 };
                    Row { metric: metric.into(), ..timed(format, case, entries, value) }
                }));
            }
        }
        let found = rows(&definition, &all, Some(0.001));
        let found: Vec<(&str, Verdict)> =
            found.iter().map(|row| (row.metric.as_str(), row.verdict)).collect();
        // Equal costs are comparable; those at a bound are as near to it as noise, but for sizes. Up to so much
        // is equal, too.
        let open = if is_theirs { Verdict::Holds } else { Verdict::Inconclusive };
        let expected = [
            ("size SOAP/CDR", verdict),
            ("size SOAP/FIX", verdict),
            ("size FIX/CDR", Verdict::Holds),
            ("codec SOAP/CDR", verdict),
            ("codec SOAP/FIX", Verdict::Holds),
            ("decode FIX/CDR", open),
            ("encode FIX/CDR", open),
            ("codec FIX/CDR", Verdict::Holds),
        ];
        assert_eq!(found, expected);
    }
}

#[test]
fn what_is_half_measured_is_not_judged() {
    let all = [timed(Format::SoapRpc, "encode", 1, 5.0), timed(Format::Fix, "encode", 1, 1.0)];
    let found = rows(&kohlhoff(), &all, QUIET);
    let judged = found.iter().find(|row| row.metric == "codec SOAP/FIX").expect("a row");
    assert_eq!((judged.verdict, judged.value), (Verdict::Absent, None));
    assert!(found.iter().all(|row| row.metric != "decode FIX/CDR"), "{found:#?}");
}

#[test]
fn a_length_that_one_side_did_not_finish_leaves_no_verdict() {
    let definition = encode("{ from = 2.0 }");
    let mut all = costs(&[(1, 30.0), (10, 30.0)]);
    assert_eq!(verdict(&definition, &all, QUIET), Verdict::Holds);
    let last = all.pop().expect("FIX at ten entries");
    let (row, told) = only(&definition, &all, QUIET);
    assert_eq!((row.verdict, row.value), (Verdict::Absent, None));
    assert!(told.ends_with(": one side at 10 was not measured"), "{told}");
    // The same where a row says what became of it.
    let failed = Row { value: None, low: None, high: None, entries: None, ..last };
    let all: Vec<Row> = costs(&[(1, 30.0)])
        .into_iter()
        .chain([Row { verdict: Verdict::WrongAnswer, ..failed }])
        .collect();
    let (row, told) = only(&definition, &all, QUIET);
    assert_eq!(row.verdict, Verdict::Absent);
    assert!(told.contains("encode:cpu-time:fix in part (wrong-answer)"), "{told}");
}

#[test]
fn what_may_be_nothing_divides_into_anything() {
    let definition = definition(
        "[[conclusion]]\nname = \"c\"\nwords = \"w\"\nsection = \"1\"\nexpected = { from = -3.0, to = 3.0 }\n\
         terms = [{ over = \"encode:cpu-time:soap-rpc\", under = \"encode:reduction:soap-compact\" }]\n",
    );
    for (low, high, expected) in [
        (0.9, 1.1, Verdict::Holds),
        (-1.0, 1.0, Verdict::Inconclusive),
        (0.0, 1.0, Verdict::Inconclusive),
    ] {
        let saved = Row {
            metric: "reduction".into(),
            low: Some(low),
            high: Some(high),
            ..timed(Format::SoapCompact, "encode", 10, 1.0)
        };
        let all = [timed(Format::SoapRpc, "encode", 10, 2.0), saved];
        assert_eq!(verdict(&definition, &all, Some(0.0)), expected, "{low} to {high}");
    }
}

#[test]
fn a_ratio_of_ratios_compares_two_roles_whichever_is_ahead() {
    let rate = |case: &str, format: Format, value| Row {
        metric: "messages-per-second".into(),
        profile: format.profile_over("tcp-blocking"),
        ..timed(format, case, 10, value)
    };
    for (fix, expected) in
        [(300.0, Verdict::Holds), (200.0, Verdict::Inconclusive), (150.0, Verdict::Holds)]
    {
        let all = [
            rate("throughput-slow-receiver@direct", Format::Fix, fix),
            rate("throughput-slow-receiver@direct", Format::CdrUnion, 200.0),
            rate("throughput-slow-sender@direct", Format::Fix, 110.0),
            rate("throughput-slow-sender@direct", Format::CdrUnion, 110.0),
        ];
        let (row, _) = only(&kohlhoff(), &all, QUIET);
        assert_eq!((row.metric.as_str(), row.value), ("roles matter", Some(fix / 200.0)));
        assert_eq!(row.verdict, expected);
    }
}

#[test]
fn aims_are_judged_apart_from_what_a_paper_concludes() {
    let catena = Definition::named("catena-2012").expect("embedded");
    let over_bare = |case: &str, value| Row {
        value: Some(value),
        low: Some(value),
        high: Some(value),
        runs: 6,
        ..Row::new("catena-2012", case, TRUNKLINE, "", "over-bare", "x")
    };
    for (second, expected) in [(1.05, Verdict::Holds), (1.6, Verdict::NoLonger)] {
        let all = [over_bare("rates-10000", 1.0), over_bare("rates-50000", second)];
        let (row, _) = only(&catena, &all, QUIET);
        assert_eq!((row.case.as_str(), row.metric.as_str()), (AIM, "near the bare forwarder"));
        assert_eq!(row.verdict, expected);
    }
    // What a paper concludes has a section of it, and an aim has none.
    let aim = "[[aim]]\nname = \"a\"\nwords = \"w\"\nexpected = { to = 1.0 }\n\
               terms = [{ over = \"size:size:fix\" }]\n";
    assert_eq!(definition(aim).aims.len(), 1);
}

#[test]
fn an_older_record_is_judged_by_what_is_expected_today() {
    let machine = MachineRow::of_this_machine("kohlhoff-2004", Default::default(), QUIET);
    let old = Row {
        metric: "decode FIX/CDR".into(),
        verdict: Verdict::Holds,
        ..timed(Format::Fix, CONCLUSION, 10, 0.9)
    };
    let all = vec![
        timed(Format::Fix, "decode", 10, 200.0),
        timed(Format::CdrUnion, "decode", 10, 100.0),
        old,
    ];
    let RunRecord { rows, .. } = judged(RunRecord { machine, rows: all });
    let judgements: Vec<&Row> = rows.iter().filter(|row| is_judgement(row)).collect();
    let of_decoding = judgements.iter().filter(|row| row.metric == "decode FIX/CDR");
    let verdicts: Vec<Verdict> = of_decoding.map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::NoLonger]);
    let machine = MachineRow::of_this_machine("my-own", Default::default(), QUIET);
    let record = RunRecord { machine, rows };
    assert_eq!(judged(record.clone()), record, "what is not known here stays as it is");
}

#[test]
fn an_expectation_of_nothing_is_rejected() {
    let rejected = |expected: &str| {
        let text = format!(
            "name = \"made-up\"\nsource = \"a test\"\nentries = [1]\n\
             [[part]]\nname = \"all\"\nwhat = \"all\"\n\
             [[part.measure]]\nkind = \"size\"\nformats = [\"fix\"]\n\
             [[conclusion]]\nname = \"c\"\nwords = \"w\"\nsection = \"1\"\nexpected = {expected}\n\
             terms = [{{ over = \"size:size:fix\" }}]\n"
        );
        Definition::parse("made-up.toml", &text).err().map(|error| error.to_string())
    };
    let told = rejected("{}").expect("nothing is expected");
    assert!(told.contains("conclusion \"c\" expects nothing"), "{told}");
    assert!(rejected("{ outside = true }").is_some(), "everything is unexpected");
    assert_eq!(rejected("{ to = 1.0 }"), None);
}

#[test]
fn what_both_sides_of_a_turn_suffer_leaves_nothing_open() {
    let turns = [100.0, 300.0, 110.0, 200.0, 100.0, 150.0, 120.0];
    let of = |format, factor: f64, turns: &[f64]| {
        let turns: Vec<f64> = turns.iter().map(|it| it * factor).collect();
        timed(format, "encode", 10, 0.0).bounded(&turns)
    };
    let at_most = encode("{ to = 1.25 }");
    let fix = of(Format::Fix, 1.0, &turns);
    let beside = [of(Format::SoapRpc, 1.1, &turns), fix.clone()];
    let (row, told) = only(&at_most, &beside, QUIET);
    assert_eq!(row.verdict, Verdict::Holds, "{told}");
    assert!(told.ends_with(": 1.1 [1.09 to 1.11]"), "{told}");
    // An older record has no repetitions, and of two that have not as many nobody knows which ran side by side.
    let older = beside.clone().map(|row| Row { repetitions: Vec::new(), ..row });
    assert_eq!(verdict(&at_most, &older, QUIET), Verdict::Inconclusive);
    let apart = [of(Format::SoapRpc, 1.1, &turns[1..]), fix];
    assert_eq!(verdict(&at_most, &apart, QUIET), Verdict::Inconclusive);
    // What is added in each turn is a difference of pairs.
    let mut added = encode("{ from = 9.0, to = 11.0 }");
    let term = &mut added.conclusions[0].terms[0];
    term.less = term.under.take();
    assert_eq!(verdict(&added, &beside, QUIET), Verdict::Inconclusive, "it is 10 to 30");
    let more: Vec<f64> = turns.iter().map(|it| it + 10.0).collect();
    let more = [of(Format::SoapRpc, 1.0, &more), of(Format::Fix, 1.0, &turns)];
    assert_eq!(verdict(&added, &more, Some(0.001)), Verdict::Holds);
}

#[test]
fn what_is_shown_beside_a_conclusion_is_not_judged() {
    let mut definition = encode("{ to = 2.0 }");
    let conclusion = &mut definition.conclusions[0];
    conclusion.beside = conclusion.terms.clone();
    conclusion.terms[0].entries = Some(1);
    conclusion.beside[0].entries = Some(10);
    let (row, told) = only(&definition, &costs(&[(1, 1.5), (10, 9.0)]), QUIET);
    assert_eq!((row.verdict, row.high), (Verdict::Holds, Some(1.5)));
    let shown = "; not judged: encode:cpu-time:soap-rpc over encode:cpu-time:fix, 10 entries: 9 [";
    assert!(told.contains(shown), "{told}");
    // What was not measured leaves the conclusion as it is.
    let (row, told) = only(&definition, &costs(&[(1, 1.5)]), QUIET);
    assert!(row.verdict == Verdict::Holds && !told.contains("not judged"), "{told}");
}

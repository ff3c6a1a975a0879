//! Every conclusion of a paper against the paper's own figures: what is expected is what it found itself.
//!
//! Of each quantity that a conclusion compares, the figure is looked up in the paper's tables, or in its text where
//! that has it in numbers. Plots without numbers are no figures.

use super::*;

/// Conclusions of which the paper has no figures at all, and why.
const WITHOUT_FIGURES: [(&str, &str); 22] = [
    ("codec bound, 100 Mbit/s", "no figures of 100 Mbit/s, in section 5.2 only words"),
    ("network share, 10 Mbit/s", "figure 9 is a plot without numbers"),
    ("network bound, 10 Mbit/s", "observed, section 5.3; figure 12 is a plot without numbers"),
    ("CPU bound, 100 Mbit/s", "observed, section 5.3; figure 13 is a plot without numbers"),
    ("FIX throughput highest", "figures 12 and 13 are plots without numbers"),
    ("SOAP falls behind", "figures 12 and 13 are plots without numbers"),
    ("roles matter", "said in section 5.3, without a figure"),
    ("compact tags: round trip", "figure 15 is a plot without numbers"),
    ("compact tags: decoding", "figure 16 is a plot without numbers"),
    ("compact tags: encoding", "said in section 5.4, without a figure"),
    ("decoding over encoding", "section 4.4 has shares of a call with 5,000 records only"),
    ("rpc/encoded costs more", "section 4.4 has factors for 5,000 records only"),
    ("alike in size, each toolkit", "its products have no names"),
    ("rpc/encoded is slower, each toolkit", "the same"),
    ("products differ, each toolkit", "the same"),
    ("style before product, each toolkit", "the same"),
    ("deserialising costs more, ASMX", "the same"),
    ("flat to 250,000", "the table has the highest rate only; figure 2 is a plot without numbers"),
    ("topics cost little", "topics grew with consumers only, up to 16,000"),
    ("fast unmoved by slow", "the fast consumer was not measured alone"),
    ("slow falls behind", "figure 4 is a plot without numbers"),
    ("slow levels out", "figure 4 is a plot without numbers"),
];

/// Conclusions of which the paper has figures for some terms, and which it has not.
const IN_PART: [(&str, &str); 8] = [
    ("latency SOAP/CDR", "no figures of 100 Mbit/s"),
    ("latency SOAP/FIX", "no figures of 100 Mbit/s"),
    ("cut-through as reliable", "the table has 50,000 orders a second only"),
    ("rpc/encoded is slower", "of medium and complex messages in rpc/encoded there is figure 5"),
    ("rpc/encoded is slower, 100 Mbit/s", "the same"),
    (
        "document/encoded is slower",
        "of medium and complex messages in document/encoded there is figure 5",
    ),
    ("style before product", "of medium and complex messages in rpc/encoded there is figure 5"),
    (
        "one product leads",
        "of product B's throughput with longer messages there are figures 7 and 8",
    ),
];

/// The paper's figures for a quantity, by entries where messages have them.
fn figures(definition: &Definition, quantity: &Quantity) -> Vec<(Option<u32>, f64)> {
    match definition.messages.family {
        Family::MarketData => of_market_data(definition, quantity),
        Family::CustomerServices => of_services(definition, quantity),
        Family::Rates => of_a_middleware(definition, quantity),
        // What it publishes are conclusions.
        Family::Operations | Family::Sessions => Vec::new(),
    }
}

/// Tables 1 to 4, and sections 5.4 and 6.
fn of_market_data(definition: &Definition, quantity: &Quantity) -> Vec<(Option<u32>, f64)> {
    let Quantity { case, metric, .. } = quantity;
    let Some(format) = quantity.format else { return Vec::new() };
    let line = |case: &str, metric: &str| definition.published(case, metric, format);
    // Seven messages of ten entries a second, as in section 6.
    let of_seven = |case: &str, metric: &str| line(case, metric).map(|line| 7.0 * line.at(10));
    let share = of_seven("encode", "cpu-time").map(|nanoseconds| nanoseconds / 1e9);
    let whole = |value: Option<f64>| value.map(|value| (Some(10), value)).into_iter().collect();
    let fitted = |value: Option<f64>| value.map(|value| (None, value)).into_iter().collect();
    match (case.as_str(), metric.as_str()) {
        ("capacity-70", "bits-per-second") => whole(of_seven("size", "size").map(|it| it * 8.0)),
        ("capacity-70", "cpu-share") => whole(share),
        ("capacity-70", "clients") => whole(share.map(|share| (1.0 / share).floor())),
        ("throughput@10mbit", "messages-per-second") if format == Format::SoapRpc => {
            vec![(Some(1), 15.0 * 70.0)]
        }
        ("size", "reduction") => vec![(Some(1), 30.0), (Some(10), 40.0)],
        (_, "round-trip-fixed") => fitted(line(case, "round-trip").map(|line| line.fixed)),
        (_, "round-trip-per-entry") => fitted(line(case, "round-trip").map(|line| line.per_entry)),
        _ => {
            let lengths = |line: trunkline_experiment::definition::Line| {
                (1..=10).map(move |entries| (Some(entries), line.at(entries)))
            };
            line(case, metric).into_iter().flat_map(lengths).collect()
        }
    }
}

/// Table 2 and section 4. Product A stands for ours and B for the peer, the others where A has no figure.
fn of_services(definition: &Definition, quantity: &Quantity) -> Vec<(Option<u32>, f64)> {
    let Quantity { case, metric, subject, .. } = quantity;
    let Some(format) = quantity.format else { return Vec::new() };
    // Their LAN, and ours without a link beside it.
    let case = case.split_once('@').map_or(&**case, |(case, _)| case);
    let Some((case, message)) = case.rsplit_once('-') else { return Vec::new() };
    // Its products have no names, so that none of its figures is that of one of these.
    if subject.as_deref().is_some_and(|it| ["asmx", "axis", "cxf"].contains(&it)) {
        return Vec::new();
    }
    let is_peer = subject.as_deref().is_some_and(|subject| subject != TRUNKLINE);
    let of = |metric: &str| {
        let mut all = definition.figures(case, metric, format, message);
        all.find(|figure| (figure.subject == "product-b") == is_peer).map(|figure| figure.value)
    };
    let is_encoded = format == Format::NgRpcEncoded;
    let of_ours = |part: &str| {
        let mut all = definition.figures(case, part, Format::NgDocumentLiteral, message);
        all.next().map(|figure| figure.value)
    };
    let value = match (case, message, metric.as_str()) {
        // Section 4.3.3; section 4.3.2: binary has 505, about 3 times as many as the best of SOAP, which has about 5
        // times as many as the poorest.
        ("peak", "complex", _) if is_encoded => Some(15.0),
        ("peak", "medium", _) if is_encoded => Some(505.0 / 3.0 / 5.0),
        ("peak", "medium", _) if format == Format::NgDocumentLiteral && !is_peer => {
            Some(505.0 / 3.0)
        }
        // Table 1.
        ("styles", _, "styles") => {
            let figures = Format::ALL
                .into_iter()
                .filter_map(|format| definition.figures(case, "supported", format, message).next());
            Some(figures.map(|figure| figure.value).sum())
        }
        // Section 4.4: longer by 100 and 200 %. Shares of different wholes are not compared.
        ("stages", _, "serialise") if is_encoded => of_ours("serialise-share").map(|it| it * 2.0),
        ("stages", _, "deserialise") if is_encoded => {
            of_ours("deserialise-share").map(|it| it * 3.0)
        }
        ("stages", _, "codec-share") => {
            of("deserialise-share").zip(of("serialise-share")).map(|(one, other)| one + other)
        }
        ("stages", _, part) => of(&format!("{part}-share")),
        (_, _, metric) => of(metric),
    };
    value.map(|value| (None, value)).into_iter().collect()
}

/// The overall results.
fn of_a_middleware(definition: &Definition, quantity: &Quantity) -> Vec<(Option<u32>, f64)> {
    let Quantity { case, metric, subject, .. } = quantity;
    let case = match (case.as_str(), subject.as_deref()) {
        ("guaranteed-orders-50000", Some("trunkline-cut-through")) => "guaranteed-cut-through",
        ("guaranteed-orders-50000", Some(TRUNKLINE)) => "rates-250000",
        // One fast consumer, whatever the cap of the other.
        ("repeated-fast-500" | "repeated-fast-1000", _) => "flexibility-fast-500",
        ("repeated-eliding-500", _) => "flexibility-eliding-500",
        ("repeated-eliding-1000", _) => "flexibility-eliding-1000",
        (case, _) => case,
    };
    // It has no medians: its means stand for them, and what few messages exceed for what one in ten does.
    let metric = match metric.as_str() {
        "latency-p50" => "latency-mean",
        "latency-p90" => "latency-p99.9",
        metric => metric,
    };
    let of_case = definition.reported.iter().filter(|it| it.case == case);
    let mut figures = of_case.flat_map(|it| it.figures());
    let found = figures.find(|(known, _)| *known == metric);
    found.map(|(_, value)| (None, value)).into_iter().collect()
}

/// Rows with the paper's figures, as though we had measured them.
fn rows_of(definition: &Definition) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for quantity in
        definition.conclusions.iter().flat_map(|it| &it.terms).flat_map(Term::quantities)
    {
        let format = quantity.format;
        let profile = format.map_or(String::new(), |format| profile_of_quantity(quantity, format));
        let subject = quantity.subject.as_deref().unwrap_or(TRUNKLINE);
        for (entries, value) in figures(definition, quantity) {
            let blank =
                Row::new(&definition.name, &quantity.case, subject, &profile, &quantity.metric, "");
            let (low, high) = (Some(value), Some(value));
            let row = Row { entries, value: Some(value), low, high, runs: 15, ..blank };
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    rows
}

#[test]
fn the_papers_own_figures_confirm_what_they_conclude() {
    let (mut confirmed, mut without, mut in_part) = (0, Vec::new(), Vec::new());
    for name in ["kohlhoff-2004", "ng-2004", "catena-2012"] {
        let definition = Definition::named(name).expect("embedded");
        let rows = rows_of(&definition);
        let subject = |it: &Quantity| it.subject.clone().or(Some(TRUNKLINE.to_owned()));
        for conclusion in &definition.conclusions {
            let is_measured = |term: &&Term| {
                factors_of(term, &rows, &subject, 0.0).is_ok_and(|factors| !factors.is_empty())
            };
            let terms: Vec<Term> = conclusion.terms.iter().filter(is_measured).cloned().collect();
            match terms.len() {
                0 => without.push(conclusion.name.clone()),
                some if some < conclusion.terms.len() => in_part.push(conclusion.name.clone()),
                _ => {}
            }
            if terms.is_empty() {
                continue;
            }
            let conclusions = vec![Conclusion { terms, ..conclusion.clone() }];
            let definition = Definition { conclusions, aims: Vec::new(), ..definition.clone() };
            let all = judgements(&definition, &rows, Some(0.0));
            let ours = all.iter().find(|it| it.row.subject == TRUNKLINE).expect("it has figures");
            let Judgement { row, decided_by } = ours;
            assert_eq!(row.verdict, Verdict::Holds, "{name}, {}: {decided_by}", conclusion.name);
            confirmed += 1;
        }
    }
    without.sort_unstable();
    in_part.sort_unstable();
    let named = |known: &[(&str, &str)]| {
        let mut names: Vec<String> = known.iter().map(|(name, _)| (*name).to_owned()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(without, named(&WITHOUT_FIGURES));
    assert_eq!(in_part, named(&IN_PART));
    assert!(confirmed >= 46, "{confirmed}");
}

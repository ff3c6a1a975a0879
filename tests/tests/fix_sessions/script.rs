//! The language of the scripts: lines that connect, send, expect and disconnect.

use super::engine::Engine;

const SOH: char = '\u{1}';

/// How what comes is compared with what is expected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Field by field.
    InOrder,
    /// The same fields in any order, and Text by how it begins.
    AsSets,
}

/// Fields that are times or sums: any will do.
const ANY: [&str; 6] = ["10", "42", "52", "60", "122", "9"];

/// Runs a script; says what went wrong, and in which line.
pub(crate) fn run(script: &str, engine: &mut Engine, comparison: Comparison) -> Result<(), String> {
    for (number, line) in script.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        step(line, engine, comparison)
            .map_err(|why| format!("line {}: {}", number + 1, why.replace(SOH, "|")))?;
    }
    Ok(())
}

fn step(line: &str, engine: &mut Engine, comparison: Comparison) -> Result<(), String> {
    let (direction, rest) = line.split_at(1);
    let (connection, rest) = match rest.split_once(',') {
        Some((number, rest)) if number.parse::<u32>().is_ok() => {
            (number.parse().expect("a number"), rest)
        }
        _ => (1_u32, rest),
    };
    match (direction, rest) {
        ("i", "CONNECT") => engine.connect(connection),
        ("i", "DISCONNECT") => engine.disconnect(connection),
        ("i", set) if set.starts_with("SET_SESSION") => engine.set_session(set),
        ("e", "DISCONNECT") => engine.is_closed(connection)?,
        ("I", message) => engine.send(connection, &whole(message, engine.utc_seconds())),
        ("E", message) => {
            let came = engine.next(connection)?;
            compare(message, &came, comparison)?;
        }
        _ => return Err(format!("a line that is not understood: {line}")),
    }
    Ok(())
}

/// With times, BodyLength and CheckSum, as far as the script has none.
fn whole(message: &str, now: i64) -> Vec<u8> {
    let mut text = String::new();
    let mut rest = message;
    while let Some(at) = rest.find("<TIME") {
        text.push_str(&rest[..at]);
        let end = at + rest[at..].find('>').expect("a time that ends");
        let shift = rest[at + 5..end].parse().unwrap_or(0);
        text.push_str(&super::engine::stamp(now + shift));
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    let fields: Vec<&str> = text.split(SOH).filter(|it| !it.is_empty()).collect();
    let mut out = fields[0].to_owned();
    out.push(SOH);
    let has = |tag: &str| fields.iter().any(|it| it.starts_with(tag));
    let rest: Vec<&str> = fields[1..].iter().copied().filter(|it| !it.starts_with("10=")).collect();
    let body: String = rest.iter().map(|it| format!("{it}{SOH}")).collect();
    if !has("9=") {
        out.push_str(&format!("9={}{SOH}", body.chars().count()));
    }
    out.push_str(&body);
    let bytes = |text: &str| text.chars().map(|it| it as u8).collect::<Vec<u8>>();
    let mut out = bytes(&out);
    let stated = fields.iter().find(|it| it.starts_with("10="));
    let sum = out.iter().fold(0_u8, |sum, it| sum.wrapping_add(*it));
    let trailer = stated.map_or_else(|| format!("10={sum:03}"), |it| (*it).to_owned());
    out.extend(bytes(&trailer));
    out.push(1);
    out
}

fn fields(message: &str) -> Vec<(&str, &str)> {
    let fields = message.split(SOH).filter(|it| !it.is_empty());
    let mut fields: Vec<_> = fields.filter_map(|it| it.split_once('=')).collect();
    // Not all lines of scripts have them.
    fields.retain(|it| it.0 != "9" && it.0 != "10");
    fields
}

fn compare(expected: &str, came: &str, comparison: Comparison) -> Result<(), String> {
    let (mut wanted, mut got) = (fields(expected), fields(came));
    if comparison == Comparison::AsSets {
        wanted.sort_unstable();
        got.sort_unstable();
        // Their scripts leave out times as they like, and their application leaves them out of its echo.
        wanted.retain(|it| !ANY.contains(&it.0));
        got.retain(|it| !ANY.contains(&it.0));
    }
    let is_same = |(wanted, got): (&(&str, &str), &(&str, &str))| {
        let is_prefix = comparison == Comparison::AsSets && wanted.0 == "58";
        wanted.0 == got.0
            && (ANY.contains(&wanted.0)
                || wanted.1 == got.1
                || (is_prefix && got.1.starts_with(wanted.1)))
    };
    match wanted.len() == got.len() && wanted.iter().zip(&got).all(is_same) {
        true => Ok(()),
        false => Err(format!("expected {expected}, and {came} came")),
    }
}

//! `trunkline convert` from every format into every other.

use std::fs;
use std::path::Path;

use super::{folder, run};

const LISTING: &str = "message Order D
field Id 11 text required
field Side 54 Side required
field Quantity 38 decimal required
field Price 44 decimal optional
field IsOpen 77 boolean optional
field SentAt 60 timestamp optional
field Text 58 text optional
field Tags 18 text[] implied
group Legs 555 Leg optional
field LegId 600 text required
field Ratio 623 decimal optional
end
end
enumeration Side
value BUY 1
value SELL 2
end
";

/// Lists, what is absent, an enumeration, decimals, characters of markup and of other languages.
const ORDER: &str = r#"{"Order":{"Id":"A<&>\"'é€𝄞\\","Side":"SELL","Quantity":100,"Price":-6.25,"IsOpen":true,"SentAt":"2026-01-05T09:30:01.456Z","Tags":["x","ü<y>"],"Legs":[{"LegId":"a&b","Ratio":0.5},{"LegId":"c"}]}}"#;

const FORMATS: [&str; 8] =
    ["fix", "cdr-le", "cdr-be", "xml", "soap-1.1", "soap-1.2", "fast-infoset", "json"];

fn convert(folder: &Path, from: &str, to: &str, message: &str) -> (Option<i32>, String, String) {
    let how = ["--schema", "order.listing", "--begin-string", "FIX.4.4"];
    let arguments = [&["convert", "--from", from, "--to", to][..], &how].concat();
    run(folder, &arguments, message.as_bytes())
}

#[test]
fn every_format_becomes_every_other() {
    let folder = folder("matrix");
    fs::write(folder.join("order.listing"), LISTING).expect("a file");
    let in_format = |to: &str| {
        let (status, out, err) = convert(&folder, "json", to, &format!("{ORDER}\n"));
        assert_eq!((status, &*err), (Some(0), ""), "json to {to}: {out}");
        out
    };
    let all = FORMATS.map(|format| (format, in_format(format)));
    assert_eq!(all[7].1, format!("{ORDER}\n"));
    // The bytes of some, as their specifications have them.
    assert!(all[0].1.contains("\u{1}54=2\u{1}38=100\u{1}44=-6.25\u{1}77=Y\u{1}"), "{}", all[0].1);
    assert!(all[0].1.contains("\u{1}18=x ü<y>\u{1}555=2\u{1}600=a&b\u{1}"), "{}", all[0].1);
    assert!(all[1].1.starts_with("11000000413c263e2227c3a9e282acf09d849e5c00"), "{}", all[1].1);
    assert!(all[3].1.starts_with("<Order><Id>A&lt;&amp;&gt;\"'é€𝄞\\</Id>"), "{}", all[3].1);
    for (from, message) in &all {
        for (to, expected) in &all {
            let (status, out, err) = convert(&folder, from, to, message);
            assert_eq!((status, &*err), (Some(0), ""), "{from} to {to}: {out}");
            assert_eq!(&out, expected, "{from} to {to}");
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_named() {
    let folder = folder("matrix-limits");
    fs::write(folder.join("order.listing"), LISTING).expect("a file");
    let of_xml = &FORMATS[3..7];
    let of_cdr = &FORMATS[1..3];
    let all = |some: &[&'static str]| some.to_vec();
    let cases = [
        ("Price", "1234567890.12345678", all(of_cdr), "a double does not hold so many digits"),
        ("Tags", r#"["a b"]"#, vec!["fix"], "a blank parts the items of a list in FIX"),
        ("Text", r#""""#, vec!["fix"], "FIX has no empty values"),
        ("Text", r#""a\u0001b""#, vec!["fix"], "the delimiter SOH"),
        ("Text", r#""a\u0002b""#, all(of_xml), "a character that XML 1.0 does not allow"),
        ("Text", r#""a\u0000b""#, all(of_cdr), "a NUL inside, which ends a CDR string"),
        (
            "SentAt",
            r#""2026-01-05T09:30:01.456""#,
            vec!["fix", "cdr-le", "cdr-be"],
            "this one has no time zone",
        ),
    ];
    for (field, value, formats, why) in cases {
        let order = format!("\"Id\":\"A\",\"Side\":\"BUY\",\"Quantity\":1,\"{field}\":{value}");
        let order = format!("{{\"Order\":{{{order}}}}}\n");
        for to in formats {
            let (status, out, err) = convert(&folder, "json", to, &order);
            assert_eq!((status, &*out), (Some(1), ""), "{order} to {to}: {err}");
            let place = format!("-:1 (byte 0): as {to}: {field}");
            assert!(err.starts_with(&place) && err.contains(why), "{order} to {to}: {err}");
            assert_eq!(err.lines().count(), 1, "{err}");
        }
        // It is read, and JSON holds all of it.
        let (status, out, err) = convert(&folder, "json", "json", &order);
        assert_eq!((status, &*err, out), (Some(0), "", order));
    }
}

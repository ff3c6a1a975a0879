//! The fuzz bodies over documents made of telling pieces, whole and damaged, and over wide messages,
//! from fixed seeds.

use trunkline_message::{Holds, Limits, ScopeId};
use trunkline_random::Random;
use trunkline_tests::{fuzz, schemas};

const PIECES: &[&str] = &[
    "<a>",
    "</a>",
    "<p:b xmlns:p='u'>",
    "</p:b>",
    "<c/>",
    "<a x='1' y=\"2\"/>",
    "<a xmlns=''>",
    "<p:c p:x='1'/>",
    "<a xmlns:p='u&amp;v' xmlns='w'>",
    "<é:ü xmlns:é='ö'>",
    "</é:ü>",
    " ",
    "\r\n",
    "\n  ",
    "text",
    "long text without any markup in it, past the vector width",
    "&lt;",
    "&#65;",
    "&#xD;",
    "&amp;",
    "]]",
    ">",
    "]]>",
    "<![CDATA[",
    "<![CDATA[ <&\r\n]]>",
    "<!--",
    "<!-- c -->",
    "-->",
    "<?t d?>",
    "<?t",
    "?>",
    "<?xml version='1.0'?>",
    "<",
    "</",
    "/>",
    "='",
    "'",
    "\"",
    "é",
    "\u{10000}",
    "\u{1}",
    "<x long='a value past the vector width of the scan, with a tab\t'/>",
    "<x xml:lang='en' a='&quot;&#10;'/>",
    "<!DOCTYPE a>",
    "xmlns:q='u' ",
    ":",
    "\u{FEFF}",
];

/// Pieces in any order: mostly not a document.
fn jumble(random: &mut Random) -> String {
    (0..1 + random.index(12)).map(|_| PIECES[random.index(PIECES.len())]).collect()
}

/// An element with balanced content.
fn element(random: &mut Random, depth: usize, out: &mut String) {
    let shapes = [
        ("<a>", "</a>"),
        ("<p:b xmlns:p='u'\n>", "</p:b >"),
        ("<a x='1' y=\"&lt;\tz\r\n\" xmlns='w'>", "</a>"),
        ("<é:ü xmlns:é='ö&amp;'>", "</é:ü>"),
        ("<q:a xmlns:q='u' xmlns:r='v' q:x='1' r:x='2' x='3'>", "</q:a>"),
    ];
    let (start, end) = shapes[random.index(shapes.len())];
    out.push_str(start);
    for _ in 0..random.index(5) {
        let text = ["t", "  \n", "a]]b", "&#65;\r", "<![CDATA[]]>", "<!-- -->", "<?t d?>", "<c/>"];
        match random.index(3) {
            0 if depth > 0 => element(random, depth - 1, out),
            _ => out.push_str(text[random.index(text.len())]),
        }
    }
    out.push_str(end);
}

#[test]
fn jumbles_of_pieces_keep_the_promises() {
    let mut random = Random::new(1);
    for _ in 0..24_000 {
        fuzz::markup(jumble(&mut random).as_bytes());
    }
}

#[test]
fn documents_whole_and_damaged_keep_the_promises() {
    let mut random = Random::new(2);
    for _ in 0..10_000 {
        let mut document = String::new();
        element(&mut random, 4, &mut document);
        fuzz::markup(document.as_bytes());
        let utf16: Vec<u8> = std::iter::once(0xfeff)
            .chain(document.encode_utf16())
            .flat_map(u16::to_be_bytes)
            .collect();
        fuzz::markup(&utf16);
        let mut damaged = document.into_bytes();
        for _ in 0..1 + random.index(3) {
            let at = random.index(damaged.len());
            damaged[at] = match random.index(2) {
                0 => b"<>&/='\":]-?! \r\0"[random.index(15)],
                _ => random.byte(),
            };
        }
        fuzz::markup(&damaged);
        damaged.truncate(random.index(damaged.len()));
        fuzz::markup(&damaged);
    }
}

/// Of some schemas, a tag has more attributes than limits allow by default.
#[test]
fn messages_of_many_attributes_keep_the_promises() {
    let width = |seed: &u64| {
        let schema = schemas::any(*seed);
        let fields = &schema.scope(ScopeId(0)).fields;
        fields.iter().filter(|it| !matches!(it.holds, Holds::Group(_))).count()
    };
    let widest = (0..3000).max_by_key(width).expect("a schema");
    assert!(width(&widest) > Limits::default().attributes, "{}", width(&widest));
    let [.., high, low] = widest.to_be_bytes();
    for message in 0..32 {
        let flat_attributes = 3;
        let reach = fuzz::xml(&[high, low, message, 0, 0, flat_attributes]);
        assert_eq!(reach, fuzz::Reach::Message);
    }
}

//! The coding for XML: any document comes back, and hostile parcels are rejected with a reason.

use proptest::prelude::*;
use trunkline_compression::{Compression, Error};

const XML: Compression = Compression::Xml;

fn back(body: &[u8]) -> Vec<u8> {
    XML.decompress(&XML.compress(body), body.len(), usize::MAX).expect("it comes back")
}

/// Whether it was taken apart.
fn is_parcel(body: &[u8]) -> bool {
    XML.compress(body)[0] == 2
}

#[test]
fn values_of_one_element_lie_together_and_take_less() {
    // Each line has a number that grows, a word of few, and one number of many digits.
    let line = |it: u64| {
        let word = ["BID", "OFFER", "TRADE"][(it % 3) as usize];
        let price = it.wrapping_mul(6_364_136_223_846_793_005) >> 34;
        format!(
            "<entry id=\"{it}\"><kind>{word}</kind><price>{price}</price><size>100</size></entry>"
        )
    };
    let lines: String = (0..2000).map(line).collect();
    let body = format!("<?xml version=\"1.0\"?><book>{lines}</book>").into_bytes();
    assert!(is_parcel(&body));
    assert_eq!(back(&body), body);
    let [ours, zstd] = [XML, Compression::Zstd].map(|it| it.compress(&body).len());
    assert!(ours < zstd, "{ours} bytes, and {zstd} by zstd alone");
}

#[test]
fn documents_as_they_are_written_come_back() {
    for body in [
        "<a/>",
        "<a b='1' c = \"2\"\n\t d=\">\" ><e/ ></a >",
        "<a><b></a></b></c>",
        "<!DOCTYPE a [<!ENTITY b \"<c>\">]><a>&b;</a>",
        "<a><!-- <b> --><![CDATA[ </a> ]]><?p <b> ?></a>",
        "<a",
        "<",
        "</",
        "</a",
        "<a b",
        "<a b=",
        "<a b='",
        "<a b='c",
        "<a b='c'",
        "<a b='c'/",
        "<!--",
        "<![CDATA[",
        "<?",
        "<a><a><a>",
        "text",
        "< a>",
        "<=>",
        "<a =''>",
        "<a/b>",
        "\r\n",
        "<soap:Envelope xmlns:soap=\"urn:a\"><soap:Body/></soap:Envelope>",
        "<\u{e9}l\u{e9}ment>\u{1f600}</\u{e9}l\u{e9}ment>",
    ] {
        assert_eq!(back(body.as_bytes()), body.as_bytes(), "{body}");
        let longer = format!("<a>{}</a>", body.repeat(30));
        assert_eq!(back(longer.as_bytes()), longer.as_bytes(), "{longer}");
    }
    // XML does not have these.
    for other in [&b"<a>\0</a>"[..], b"<a>\x01</a>", b"\xff\xfe<\0a\0/\0>\0"] {
        assert!(!is_parcel(other));
        assert_eq!(back(other), other);
    }
}

#[test]
fn documents_beyond_all_bounds_come_back() {
    let deep = "<a>".repeat(5000) + &"</a>".repeat(5000);
    let names: String = (0..20_000).map(|it| format!("<n{it}>t</n{it}>")).collect();
    let paths: String = (0..300).map(|it| format!("<n{it} a='v'>t{it}</n{it}>")).collect();
    for body in [deep, names, paths] {
        assert_eq!(back(body.as_bytes()), body.as_bytes());
    }
}

#[test]
fn documents_of_nothing_but_broken_tags_are_read_in_one_go() {
    // Looking for the end of each of them in all that follows would take hours.
    const LONG: usize = 4 << 20;
    for broken in
        ["<", "<a b", "<a b=", "<a b='", "<a b='c' d=\"", "</", "</a", "<a/", "<a b='c' <"]
    {
        let body = broken.repeat(LONG / broken.len());
        assert!(back(body.as_bytes()) == body.as_bytes(), "{broken}");
    }
}

#[test]
fn tags_that_are_not_as_xml_has_them_come_back() {
    for tag in
        ["<a b='<'>", "<a b=\"c<d\" e='f'>", "<a <b c='d'>", "<a b='c'<d e='f'>", "</a <b>", "</a<"]
    {
        let body = format!("<a>{}</a>", format!("{tag}<b c='d'/></a>").repeat(200));
        assert_eq!(back(body.as_bytes()), body.as_bytes(), "{tag}");
        assert!(is_parcel(body.as_bytes()), "{tag}");
    }
}

#[test]
fn start_tags_beyond_all_bounds_are_left_as_they_are() {
    let of_values = |count| {
        let values: String = (0..count).map(|it| format!(" a{it}='v'")).collect();
        format!("<a{values}/>").repeat(9)
    };
    let of_bytes = |count: usize| format!("<{}>", "a".repeat(count - 2)).repeat(9);
    for (body, is_taken_apart) in [
        (of_values(256), true),
        (of_values(257), false),
        (of_bytes(64 << 10), true),
        (of_bytes((64 << 10) + 1), false),
    ] {
        assert!(back(body.as_bytes()) == body.as_bytes());
        assert_eq!(is_parcel(body.as_bytes()), is_taken_apart, "{} bytes", body.len());
    }
    // And nobody else may send them.
    for text in
        [format!("<a{}/>\0", " b='\x01'".repeat(257)), format!("<{}>\0", "a".repeat(64 << 10))]
    {
        let parts =
            [number(7), number(1), number(text.len() as u32), number(1), number(0)].concat();
        let parcel = [&parts, text.as_bytes(), &[4]].concat();
        let told = XML.decompress(&self::body(&parcel), 1 << 20, usize::MAX);
        let told = told.expect_err("it is too long").to_string();
        assert!(told.contains("too long"), "{told}");
    }
}

/// Some XML, indented or not, with and without values.
fn tree() -> impl Strategy<Value = String> {
    let name = "[a-c](:[d-e])?";
    let value = "[ -;=?-~é]{0,12}";
    let leaf = (name, value, any::<bool>()).prop_map(|(name, value, is_empty)| match is_empty {
        true => format!("<{name} v=\"{}\"/>", value.replace('"', "")),
        false => format!("<{name}>{value}</{name}>"),
    });
    leaf.prop_recursive(5, 200, 8, move |inner| {
        (name, prop::collection::vec(inner, 0..8), "(\n  |<!-- c -->|<!\\[CDATA\\[x\\]\\]>)?")
            .prop_map(|(name, children, between)| {
                format!("<{name}>{}</{name}>", children.join(&between))
            })
    })
}

/// Pieces of XML in any order.
fn shreds() -> impl Strategy<Value = String> {
    let shred = prop::sample::select(vec![
        "<a>",
        "</a>",
        "<a",
        ">",
        "<b x='1'>",
        "<b x='1' y=\"2\"/>",
        "</b>",
        "</b >",
        "text",
        "<",
        "'",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?p",
        "?>",
        "=",
        "/",
        " ",
        "\n",
        "</",
        "<!D [",
        "é",
    ]);
    prop::collection::vec(shred, 0..80).prop_map(|it| it.concat())
}

/// A parcel of this document, and the body with the parcel in it.
fn parcel(document: &str) -> Vec<u8> {
    let body = XML.compress(document.as_bytes());
    assert_eq!(body[0], 2);
    Compression::Zstd.decompress(&body[1..], 1 << 20, usize::MAX).expect("a frame")
}

fn body(parcel: &[u8]) -> Vec<u8> {
    [&[2][..], &Compression::Zstd.compress(parcel)].concat()
}

/// As a parcel has it.
fn number(mut it: u32) -> Vec<u8> {
    let mut digits = Vec::new();
    while it >= 128 {
        digits.push(it as u8 | 128);
        it >>= 7;
    }
    digits.push(it as u8);
    digits
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn trees_come_back(tree in tree()) {
        prop_assert_eq!(back(tree.as_bytes()), tree.as_bytes());
        // Over and over they are taken apart.
        let many = tree.repeat(2 + 4000 / tree.len());
        prop_assert!(is_parcel(many.as_bytes()));
        prop_assert_eq!(back(many.as_bytes()), many.as_bytes());
    }

    #[test]
    fn shreds_come_back(shreds in shreds()) {
        prop_assert_eq!(back(shreds.as_bytes()), shreds.as_bytes());
    }

    #[test]
    fn damaged_parcels_are_rejected_or_stay_within_limits(
        tree in tree(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let many = tree.repeat(2 + 2000 / tree.len());
        let mut parcel = parcel(&many);
        for (at, with) in damage {
            let at = at.index(parcel.len());
            parcel[at] = with;
        }
        match XML.decompress(&body(&parcel), many.len(), usize::MAX) {
            Ok(document) => prop_assert!(document.len() <= many.len()),
            Err(Error::TooLong) => {}
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn hostile_parcels_are_rejected_with_a_reason() {
    // Length, containers; lengths of templates, structure and container 0; the parts.
    let told = |parcel: &[u8]| match XML.decompress(&body(parcel), 1 << 20, usize::MAX) {
        Err(error) => error.to_string(),
        Ok(document) => panic!("{:?}", String::from_utf8_lossy(&document)),
    };
    let right = [&[7u8, 1, 4, 2, 0][..], b"<a>\0", &[4, 0]].concat();
    assert_eq!(XML.decompress(&body(&right), 7, usize::MAX).expect("it is right"), b"<a></a>");
    assert_eq!(XML.decompress(&body(&right), 6, usize::MAX), Err(Error::TooLong));
    for (parcel, reason) in [
        (vec![], "cut"),
        (vec![7], "cut"),
        (vec![7, 0, 0, 0], "containers"),
        (vec![7, 129, 2, 0, 0], "257 containers"),
        (vec![255, 255, 255, 255, 255, 1], "cut"),
        ([&right[..], b"more"].concat(), "behind"),
        (right[..right.len() - 1].to_vec(), "shorter"),
        ([&[7u8, 1, 4, 1, 0][..], b"<a>\0", &[0]].concat(), "has not begun"),
        ([&[7u8, 1, 4, 1, 0][..], b"<a>\0", &[5]].concat(), "template 1 comes before"),
        ([&[7u8, 1, 4, 2, 0][..], b" a>\0", &[4, 0]].concat(), "no start tag"),
        ([&[7u8, 1, 3, 2, 0][..], b"<a>", &[4, 0]].concat(), "no start tag"),
        ([&[9u8, 1, 4, 2, 0][..], b"<a>\0", &[4, 0]].concat(), "has 7 bytes"),
        ([&[6u8, 1, 4, 2, 0][..], b"<a>\0", &[4, 0]].concat(), "longer than 6"),
        ([&[7u8, 1, 8, 2, 0][..], b"<a>\0<b>\0", &[4, 0]].concat(), "nothing uses"),
        ([&[7u8, 1, 4, 2, 2][..], b"<a>\0", &[4, 0], b"x\0"].concat(), "nothing uses"),
        ([&[7u8, 1, 4, 2, 0][..], b"<a>\0", &[4, 2]].concat(), "container 1 has no more"),
        ([&[7u8, 1, 4, 2, 0][..], b"<a>\0", &[4, 3]].concat(), "container 0 has no more"),
        ([&[7u8, 1, 4, 2, 0][..], b"<a>\0", &[4, 128]].concat(), "the structure is cut"),
    ] {
        let told = told(&parcel);
        assert!(told.contains(reason), "{parcel:?}: {told}, not {reason}");
    }
    for (body, reason) in [(&b""[..], "empty"), (b"\x03", "begins with 3")] {
        let told = XML.decompress(body, 1 << 20, 200).expect_err("it is nothing").to_string();
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn a_parcel_that_becomes_very_long_stops_where_it_may_not_go_on() {
    // A tag of 60 KiB, a million times.
    let tag = format!("<a {}/>\0", "b".repeat(60_000));
    let times = 1 << 20;
    let said = [number(u32::MAX), number(16 << 20)];
    for (said, limit) in said.into_iter().zip([usize::MAX, 32 << 20]) {
        let parts = [said, vec![1], number(tag.len() as u32), number(times), vec![0]].concat();
        let parcel = [parts, tag.clone().into_bytes(), vec![4; times as usize]].concat();
        let rejected = XML.decompress(&body(&parcel), limit.min(32 << 20), usize::MAX);
        assert!(matches!(rejected, Err(Error::TooLong | Error::Broken(_))), "it is bounded");
    }
}

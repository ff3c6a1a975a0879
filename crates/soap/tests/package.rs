//! Octets that travel beside their envelope.

use trunkline_codec::attachment::{
    Head, Kind, Limits as PackageLimits, MediaType, PARTS, Package, Part, dime, multipart,
};
use trunkline_message::{Limits, Message, Record, Structure, UnknownContent};
use trunkline_random::Random;
use trunkline_soap::{
    Attachments, Decoder, Encoder, Options, Packed, Packing, Plan, Style, Unpacked, Version,
    is_package, new_id, refers_to, unpack, unpack_envelope,
};

const KINDS: [Attachments; 4] =
    [Attachments::Mtom, Attachments::Swa, Attachments::SwaRef, Attachments::Dime];

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Picture {
    title: String,
    #[xml(attribute)]
    digest: Vec<u8>,
    pixels: Vec<u8>,
    thumbnail: Option<Vec<u8>>,
    layers: Vec<Layer>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Layer {
    mask: Vec<u8>,
    name: String,
}

/// The same for what is read, where anything may be missing.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Picture")]
struct Sketch {
    title: Option<String>,
    pixels: Option<Vec<u8>>,
    thumbnail: Option<Vec<u8>>,
}

fn picture() -> Picture {
    Picture {
        title: "<a & b>".into(),
        digest: vec![1; 40],
        pixels: (0..=255).collect(),
        thumbnail: Some(b"\r\n--".to_vec()),
        layers: [vec![0; 50], Vec::new(), vec![255; 3]]
            .map(|mask| Layer { mask, name: "cid:not-one".into() })
            .to_vec(),
    }
}

fn plan(style: Style, version: Version) -> std::sync::Arc<Plan> {
    let (namespace, operation) = ("urn:pictures".into(), "put".into());
    let options = Options { style, version, namespace, operation, ..Options::default() };
    Plan::new(Picture::layout(), &options).expect("a plan")
}

fn packed(plan: &std::sync::Arc<Plan>, attachments: Attachments, from: usize) -> Packed {
    let mut packed = Packed::default();
    let packing = Packing { attachments, from, action: "urn:put" };
    Encoder::new(plan).pack("", &picture(), &packing, &mut packed).expect("a package");
    packed
}

fn parts(packed: &Packed) -> Package {
    let media_type = MediaType::parse(&packed.media_type).expect("a media type");
    let limits = PackageLimits::default();
    match media_type.parameter("boundary") {
        None => Package::read(&mut dime::Parser::new(&limits), &packed.bytes, 1 << 20),
        Some(boundary) => {
            let mut parser = multipart::Parser::new(boundary, &limits).expect("a boundary");
            Package::read(&mut parser, &packed.bytes, 1 << 20)
        }
    }
    .expect("a package")
}

#[test]
fn octets_are_themselves_in_every_kind_of_package_and_come_back() {
    for style in [Style::DocumentLiteral, Style::RpcEncoded] {
        for version in [Version::Soap11, Version::Soap12] {
            let plan = plan(style, version);
            for kind in KINDS {
                let packed = packed(&plan, kind, 4);
                let package = parts(&packed);
                let data: Vec<&[u8]> = package.parts[1..].iter().map(|it| &*it.data).collect();
                let all: Vec<u8> = (0..=255).collect();
                // What is encoded has no attributes.
                let elements = usize::from(style == Style::DocumentLiteral);
                let expected = [&[1; 40][..], &all, b"\r\n--", &[0; 50], b"", &[255; 3]];
                // What is of the type of a reference is never in the envelope.
                let most = if kind == Attachments::SwaRef { 6 } else { 4 };
                assert_eq!(data, expected[elements..most], "{kind:?} {style:?}");
                let unpacked = unpack(&packed.media_type, &packed.bytes, &Limits::default());
                let unpacked = unpacked.expect("a package");
                assert_eq!(unpacked.attachments(), kind);
                let mut back = Picture::default();
                Decoder::new(&plan).decode_package(&unpacked, &mut back).expect("a message");
                assert_eq!(back, picture(), "{kind:?}");
                back = Picture::default();
                Decoder::new(&plan).decode(&unpacked.whole(), &mut back).expect("a message");
                assert_eq!(back, picture(), "{kind:?}");
            }
        }
    }
}

/// What stands for octets that are yet to come is the URI of their part.
#[test]
fn an_envelope_is_read_before_the_parts_that_follow_it() {
    for style in [Style::DocumentLiteral, Style::RpcEncoded] {
        for version in [Version::Soap11, Version::Soap12] {
            let plan = plan(style, version);
            for kind in KINDS {
                let packed = packed(&plan, kind, 4);
                let package = parts(&packed);
                let (first, limits) = (&package.parts[0], Limits::default());
                let envelope = unpack_envelope(&packed.media_type, first, &limits);
                let envelope = envelope.expect("an envelope").expect("it is the first part");
                assert_eq!(envelope.attachments(), kind);
                let mut read = Picture::default();
                Decoder::new(&plan).decode_package(&envelope, &mut read).expect("a message");
                let mut count = 0;
                let mut fill = |octets: &mut Vec<u8>| {
                    let Ok(uri) = std::str::from_utf8(octets) else { return };
                    let mut others = package.parts[1..].iter();
                    if let Some(part) = others.find(|it| refers_to(uri, &it.head.id)) {
                        *octets = part.data.clone();
                        count += 1;
                    }
                };
                fill(&mut read.pixels);
                fill(&mut read.digest);
                read.thumbnail.iter_mut().for_each(&mut fill);
                read.layers.iter_mut().for_each(|it| fill(&mut it.mask));
                assert_eq!(read, picture(), "{kind:?} {style:?}");
                assert_eq!(count, package.parts.len() - 1, "{kind:?} {style:?}");
                // The name of a layer looks like a reference, and stays what it is.
                let is_text = kind == Attachments::SwaRef;
                assert_eq!(envelope.expected().len(), if is_text { 0 } else { count });
            }
        }
    }
}

#[test]
fn parts_follow_an_envelope_piece_by_piece() {
    let plan = plan(Style::DocumentLiteral, Version::Soap11);
    for kind in KINDS {
        for pieces in [&[&b""[..]][..], &[b"1", b"", b"\r\n--"], &[b"12345", b"1234"]] {
            let heads = [new_id(), new_id()].map(|id| Head { id, ..Head::default() });
            let [pixels, mask] = [0, 1].map(|it| format!("cid:{}", heads[it].id).into_bytes());
            let layers = vec![Layer { mask, name: "one".into() }];
            let picture = Picture { pixels, layers, ..picture() };
            let mut packed = Packed::default();
            let packing = Packing { attachments: kind, from: 4, action: "" };
            let mut encoder = Encoder::new(&plan);
            let following = encoder.pack_before("", &picture, &packing, &heads, &mut packed);
            let mut following = following.expect("a package");
            let mut bytes = std::mem::take(&mut packed.bytes);
            for _ in &heads {
                for (at, piece) in pieces.iter().enumerate() {
                    let is_last = at == pieces.len() - 1;
                    following.write(piece, is_last, &mut bytes).expect("octets");
                }
            }
            assert!(following.is_empty());
            following.write(b"more", true, &mut bytes).expect_err("there is no part any more");
            let unpacked = unpack(&packed.media_type, &bytes, &Limits::default());
            let mut back = Picture::default();
            let unpacked = unpacked.expect("a package");
            Decoder::new(&plan).decode_package(&unpacked, &mut back).expect("a message");
            let (pixels, mask) = (pieces.concat(), pieces.concat());
            let layers = vec![Layer { mask, name: "one".into() }];
            assert_eq!(back, Picture { pixels, layers, ..picture }, "{kind:?}");
        }
    }
    let head = Head { id: "one".into(), ..Head::default() };
    let packing = Packing { attachments: Attachments::Mtom, from: 4, action: "" };
    let pack = |heads: &[Head]| {
        let packed = &mut Packed::default();
        Encoder::new(&plan).pack_before("", &picture(), &packing, heads, packed).map(drop)
    };
    pack(&[]).expect("a package");
    pack(std::slice::from_ref(&head)).expect_err("no member refers to it");
    pack(&vec![head.clone(); PARTS]).expect_err("more parts than a package has");
    let line = Kind::Media("a/b\r\nX: y".into());
    pack(&[Head { kind: line, ..head }]).expect_err("the end of a line");
}

#[test]
fn media_types_are_those_of_the_specifications() {
    let of = |version, kind, from| {
        let packed = packed(&plan(Style::DocumentLiteral, version), kind, from);
        MediaType::parse(&packed.media_type).expect("a media type")
    };
    let has = |it: &MediaType, name: &str| it.parameter(name).unwrap_or_default().to_owned();
    let mtom = of(Version::Soap12, Attachments::Mtom, usize::MAX);
    assert_eq!(mtom.essence, "multipart/related", "also if nothing is attached");
    assert_eq!(has(&mtom, "type"), "application/xop+xml");
    assert_eq!(has(&mtom, "start-info"), "application/soap+xml");
    assert_eq!(has(&mtom, "action"), "urn:put");
    let mtom = of(Version::Soap11, Attachments::Mtom, 1);
    assert_eq!((has(&mtom, "start-info"), has(&mtom, "action")), ("text/xml".into(), "".into()));
    let swa = of(Version::Soap11, Attachments::Swa, 1);
    assert_eq!((&*swa.essence, has(&swa, "type")), ("multipart/related", "text/xml".into()));
    let alone = of(Version::Soap11, Attachments::Swa, usize::MAX);
    assert_eq!((&*alone.essence, has(&alone, "charset")), ("text/xml", "utf-8".into()));
    let dime = of(Version::Soap12, Attachments::Dime, 1);
    assert_eq!((&*dime.essence, has(&dime, "action")), ("application/dime", "urn:put".into()));
    let packed = packed(&plan(Style::DocumentLiteral, Version::Soap12), Attachments::Mtom, 1);
    let root = &parts(&packed).parts[0].head.kind;
    let Kind::Media(root) = root else { panic!("{root:?}") };
    assert_eq!(root, "application/xop+xml; charset=\"utf-8\"; type=\"application/soap+xml\"");
}

#[test]
fn what_has_no_room_in_a_package_stays_in_the_envelope() {
    let plan = plan(Style::DocumentLiteral, Version::Soap11);
    let layer = |number: usize| Layer { mask: number.to_be_bytes().to_vec(), name: String::new() };
    for layers in [PARTS - 3, PARTS - 2, PARTS + 200] {
        let layers = (0..layers).map(layer).collect();
        let message = Picture { pixels: vec![1; 9], layers, ..Picture::default() };
        for attachments in KINDS {
            let (mut packed, mut back) = (Packed::default(), Picture::default());
            let packing = Packing { attachments, from: 8, action: "" };
            Encoder::new(&plan).pack("", &message, &packing, &mut packed).expect("a package");
            // The envelope, the pixels, and a part for each layer.
            assert_eq!(parts(&packed).parts.len(), PARTS.min(2 + message.layers.len()));
            let unpacked = unpack(&packed.media_type, &packed.bytes, &Limits::default());
            let unpacked = unpacked.expect("a package");
            Decoder::new(&plan).decode_package(&unpacked, &mut back).expect("a message");
            assert!(back == message, "{attachments:?}");
        }
    }
}

#[test]
fn no_boundary_and_no_id_comes_twice() {
    let plan = plan(Style::DocumentLiteral, Version::Soap11);
    let types: std::collections::HashSet<String> =
        (0..100).map(|_| packed(&plan, Attachments::Mtom, 1).media_type).collect();
    assert_eq!(types.len(), 100);
}

fn part(id: &str, data: &[u8]) -> Part {
    Part { head: Head { id: id.to_owned(), ..Head::default() }, data: data.to_vec() }
}

/// Of SOAP with Attachments.
fn unpacked(body: &str, header: &str, attached: Vec<Part>) -> trunkline_message::Result<Unpacked> {
    unpacked_of("text/xml", body, header, attached)
}

fn unpacked_of(
    root: &str,
    body: &str,
    header: &str,
    attached: Vec<Part>,
) -> trunkline_message::Result<Unpacked> {
    let envelope = format!(
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'>{header}<s:Body>\
         <Picture xmlns='urn:pictures'>{body}</Picture></s:Body></s:Envelope>"
    );
    let mut parts = vec![part("root", envelope.as_bytes())];
    parts.extend(attached);
    let mut writer = multipart::Writer::new("b").expect("a boundary");
    let bytes = Package { parts }.write_multipart(&mut writer).expect("a package");
    let media_type = format!("multipart/related; boundary=b; type=\"{root}\"");
    unpack(&media_type, &bytes, &Limits { message_bytes: 10_000, ..Limits::default() })
}

fn whole(unpacked: &Unpacked) -> String {
    String::from_utf8(unpacked.whole().into_owned()).expect("UTF-8")
}

fn include(id: &str) -> String {
    format!("<i:Include xmlns:i='http://www.w3.org/2004/08/xop/include' href='cid:{id}'/>")
}

fn sketch() -> std::sync::Arc<Plan> {
    let options = Options { namespace: "urn:pictures".into(), ..Options::default() };
    Plan::new(Sketch::layout(), &Options { style: Style::DocumentLiteral, ..options })
        .expect("a plan")
}

/// By the parts beside the envelope, and by base64 in it, which have to be the same.
fn read(unpacked: &Unpacked) -> trunkline_message::Result<Sketch> {
    let plan = sketch();
    let (mut sketch, mut plain) = (Sketch::default(), Sketch::default());
    let read = Decoder::new(&plan).decode_package(unpacked, &mut sketch);
    let by_text = Decoder::new(&plan).decode(&unpacked.whole(), &mut plain);
    assert_eq!((&read, &sketch), (&by_text, &plain));
    read.map(|()| sketch)
}

#[test]
fn what_is_referred_to_stands_wherever_it_is_referred_to() {
    let octets = || vec![part("a", b"octets"), part("b", b"others")];
    let (a, b) = (include("a"), include("b"));
    let all = format!("<pixels> {a}\n</pixels><thumbnail>{b}</thumbnail>");
    let sketch = read(&unpacked(&all, "", octets()).expect("a package")).expect("a sketch");
    assert_eq!(
        (sketch.pixels, sketch.thumbnail),
        (Some(b"octets".to_vec()), Some(b"others".to_vec()))
    );
    // As a text, twice, in what is not known, in a header block: there it is base64.
    for (body, header) in [
        (format!("<title>{a}</title><pixels>{b}</pixels>"), String::new()),
        (
            format!("<pixels>{b}</pixels><thumbnail>{b}</thumbnail><title>{a}</title>"),
            String::new(),
        ),
        (format!("<pixels>{b}</pixels><other>{a}</other>"), String::new()),
        (format!("<pixels>{b}</pixels>"), format!("<s:Header><h>{a}</h></s:Header>")),
    ] {
        let unpacked = unpacked(&body, &header, octets()).expect("a package");
        let sketch = read(&unpacked).expect("a sketch");
        assert_eq!(sketch.pixels.as_deref(), Some(&b"others"[..]), "{body}");
        if body.contains("<title>") {
            assert_eq!(sketch.title.as_deref(), Some("b2N0ZXRz"), "{body}");
        }
    }
    // A mark that the sender wrote is none.
    let forged = unpacked(
        &format!("<pixels>!</pixels><thumbnail>{a}</thumbnail><title>{b}</title>"),
        "",
        octets(),
    );
    assert!(read(&forged.expect("a package")).is_err());
}

#[test]
fn a_text_that_is_the_uri_of_a_part_refers_to_it_unless_something_else_does() {
    let octets = || vec![part("a", b"octets")];
    let body = "<pixels>cid:a</pixels>";
    let unpacked_text = unpacked(body, "", octets()).expect("a package");
    assert_eq!(unpacked_text.attachments(), Attachments::SwaRef);
    assert_eq!(read(&unpacked_text).expect("a sketch").pixels.as_deref(), Some(&b"octets"[..]));
    let body = format!("<title>cid:a</title><pixels>{}</pixels>", include("a"));
    let both = unpacked(&body, "", octets()).expect("a package");
    let sketch = read(&both).expect("a sketch");
    assert_eq!((sketch.title, sketch.pixels), (Some("cid:a".into()), Some(b"octets".to_vec())));
    let lost = unpacked("<title>cid:b</title>", "", octets());
    assert!(lost.expect_err("it is lost").to_string().contains("nothing in the envelope refers"));
}

#[test]
fn an_empty_element_refers_in_either_syntax_and_keeps_its_other_attributes() {
    let start = "<pixels xmlns:x='urn:x'";
    for (element, expected) in [
        ("<pixels href='cid:a'/>", "<pixels>b2N0ZXRz</pixels>".to_owned()),
        ("<pixels href=\"cid:a\"></pixels>", "<pixels>b2N0ZXRz</pixels>".into()),
        (
            &*format!("{start} x:b='href=\"/>'\n href = \"cid:a\" x:c='/'\n>\n </pixels >"),
            format!("{start} x:b='href=\"/>' x:c='/'\n>b2N0ZXRz</pixels>"),
        ),
        (&*format!("{start} href='cid:a' />"), format!("{start} >b2N0ZXRz</pixels>")),
    ] {
        let unpacked = unpacked(element, "", vec![part("a", b"octets")]).expect("a package");
        assert_eq!(read(&unpacked).expect("a sketch").pixels.as_deref(), Some(&b"octets"[..]));
        assert!(whole(&unpacked).contains(&expected), "{element}: {}", whole(&unpacked));
    }
    let text = unpacked("<pixels href='cid:a'>AAAA</pixels>", "", vec![part("a", b"octets")]);
    assert!(text.expect_err("it has content").to_string().contains("nothing in the envelope"));
}

#[test]
fn in_mtom_no_href_refers_but_that_of_an_include() {
    let octets = || vec![part("a", b"octets")];
    let xop = |body: &str| unpacked_of("application/xop+xml", body, "", octets());
    let links = "<other href='cid:a'/><other href='cid:lost'></other>";
    let body = format!("<pixels>{}</pixels>{links}", include("a"));
    let unpacked_xop = xop(&body).expect("a package");
    assert_eq!(read(&unpacked_xop).expect("a sketch").pixels.as_deref(), Some(&b"octets"[..]));
    assert!(whole(&unpacked_xop).contains(links), "{}", whole(&unpacked_xop));
    let lost = xop(links).expect_err("it is lost").to_string();
    assert!(lost.contains("nothing in the envelope refers"), "{lost}");
    // In the other kinds it refers to a part if that is there.
    let body = "<pixels href='cid:a'/><other href='cid:lost'/>";
    let unpacked_swa = unpacked(body, "", octets()).expect("a package");
    assert!(whole(&unpacked_swa).contains("<other href='cid:lost'/>"), "{}", whole(&unpacked_swa));
    // Nothing refers to the envelope itself.
    let itself = unpacked(&format!("<pixels>{}</pixels>", include("root")), "", Vec::new());
    assert!(itself.expect_err("it is endless").to_string().contains("no part of the package"));
    let text = unpacked("<title>cid:root</title>", "", Vec::new()).expect("a package");
    assert_eq!(read(&text).expect("a sketch").title.as_deref(), Some("cid:root"));
}

#[test]
fn ids_and_what_refers_to_them_are_the_same_with_and_without_escapes() {
    for (id, uri) in [("a@b", "a%40b"), ("a%40b", "a%40b"), ("a%40b", "a@b"), ("%61@b", "a%40b")] {
        for body in [
            format!("<pixels>{}</pixels>", include(uri)),
            format!("<pixels href='cid:{uri}'/>"),
            format!("<pixels>cid:{uri}</pixels>"),
        ] {
            let unpacked = unpacked(&body, "", vec![part(id, b"octets")]).expect("a package");
            let sketch = read(&unpacked).expect("a sketch");
            assert_eq!(sketch.pixels.as_deref(), Some(&b"octets"[..]), "{id}: {body}");
        }
    }
    let parts = vec![part("a@b", b"one"), part("a%40b", b"two")];
    let body = "<pixels href='cid:a%40b'/><thumbnail href='cid:a@b'/>";
    let sketch = read(&unpacked(body, "", parts).expect("a package")).expect("a sketch");
    assert_eq!(sketch.pixels.as_deref(), Some(&b"two"[..]), "what is literally the same is first");
    assert_eq!(sketch.thumbnail.as_deref(), Some(&b"one"[..]));
}

#[test]
fn what_is_not_too_long_beside_the_envelope_is_not_too_long_inside() {
    let limits = Limits { message_bytes: 10_000, value_bytes: 8_000, ..Limits::default() };
    let (a, b) = (include("a"), include("b"));
    let plan = sketch();
    let mut decoder = Decoder::with_limits(&plan, limits.clone());
    for (length, is_read) in [(8_000, true), (8_004, false), (8_000, true)] {
        let octets = vec![part("a", &vec![7; length]), part("b", b"octets")];
        // The title has octets in base64, so that the envelope is read with all of them.
        let body = format!("<pixels>{a}</pixels><title>{b}</title>");
        let mut sketch = Sketch::default();
        let unpacked = unpacked(&body, "", octets).expect("a package");
        assert!(unpacked.whole().len() > limits.message_bytes);
        let read = decoder.decode_package(&unpacked, &mut sketch);
        assert_eq!(read.is_ok(), is_read, "{read:?}");
        match read {
            Ok(()) => assert_eq!(sketch.pixels, Some(vec![7; length])),
            Err(error) => assert!(error.to_string().contains("value_bytes"), "{error}"),
        }
    }
    // What is wrong for another reason is told as that.
    let body = format!("<pixels>{a}</pixels><title/><title/>");
    let twice = unpacked(&body, "", vec![part("a", &[7; 8_000])]).expect("a package");
    let error = decoder.decode_package(&twice, &mut Sketch::default()).expect_err("it is wrong");
    assert!(error.to_string().contains("title"), "{error}");
}

#[test]
fn each_reference_takes_room_however_short_it_is() {
    let referring = |element: &str, count: usize| {
        let body = format!("<pixels>{}</pixels>{}", include("a"), element.repeat(count));
        unpacked(&body, "", vec![part("a", b"")])
    };
    for element in ["<e href='cid:a'/>", "<e>cid:a</e>"] {
        referring(element, 50).expect("a package");
        let error = referring(element, 100).expect_err("they are many").to_string();
        assert!(error.contains("message_bytes"), "{error}");
    }
}

#[test]
fn what_the_schema_does_not_know_is_kept_beside_what_is_attached() {
    let plan = sketch();
    let body = format!("<new><b>1</b></new><pixels>{}</pixels><more/>", include("a"));
    let unpacked_one = unpacked(&body, "", vec![part("a", &[7; 100])]).expect("a package");
    let mut record = Record::new(Sketch::layout());
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Keep);
    decoder.decode_package(&unpacked_one, &mut record).expect("a sketch");
    for attachments in KINDS {
        let (mut encoder, mut packed) = (Encoder::new(&plan), Packed::default());
        let packing = Packing { attachments, from: 10, action: "" };
        encoder.pack("", &record, &packing, &mut packed).expect("a package");
        let unpacked = unpack(&packed.media_type, &packed.bytes, &Limits::default());
        let whole = String::from_utf8(unpacked.expect("a package").whole().into_owned());
        let whole = whole.expect("UTF-8");
        let plain = String::from_utf8(encoder.encode(&record).expect("a message").to_vec());
        assert!(plain.expect("UTF-8").ends_with(&whole), "{attachments:?}: {whole}");
        assert!(whole.contains("<b>1</b>"), "{whole}");
    }
}

#[test]
fn messages_at_random_are_the_same_by_parts_and_by_base64() {
    let plans = [Style::DocumentLiteral, Style::RpcEncoded, Style::RpcLiteral]
        .map(|style| [Version::Soap11, Version::Soap12].map(|version| plan(style, version)));
    for (seed, plan) in (0..).zip(plans.iter().flatten().cycle().take(600)) {
        let mut random = Random::new(seed);
        let mut octets = |most: u64| -> Vec<u8> {
            (0..random.below(most)).map(|_| b"\r\n-!=\0\xff<"[random.below(8) as usize]).collect()
        };
        let (digest, pixels, thumbnail) = (octets(9), octets(300), Some(octets(30)));
        let layers = (0..3).map(|_| Layer { mask: octets(9), name: "cid:1".into() }).collect();
        let message = Picture { title: "!".into(), digest, pixels, thumbnail, layers };
        let (attachments, from) = (KINDS[random.below(4) as usize], random.below(20) as usize);
        let (mut encoder, mut packed) = (Encoder::new(plan), Packed::default());
        let packing = Packing { attachments, from, action: "" };
        encoder.pack("", &message, &packing, &mut packed).expect("a package");
        let plain = encoder.encode(&message).expect("a message").to_vec();
        if !is_package(&packed.media_type) {
            assert_eq!(packed.bytes, plain, "{seed}");
            continue;
        }
        let unpacked = unpack(&packed.media_type, &packed.bytes, &Limits::default());
        let unpacked = unpacked.expect("a package");
        assert!(plain.ends_with(&unpacked.whole()), "{seed}: {}", plain.escape_ascii());
        for mut decoder in [Decoder::new(plan), Decoder::new(plan).generic()] {
            for _ in 0..2 {
                let mut back = Picture::default();
                decoder.decode_package(&unpacked, &mut back).expect("a message");
                assert_eq!(back, message, "{seed}");
            }
        }
    }
}

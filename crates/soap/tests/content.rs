//! What stands among the elements of a struct: elements of substitution groups, and text.

mod paths;

use paths::{Paths, options, rejection};
use trunkline_message::{Limits, Message, Structure};
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style};
use trunkline_wire::{Date, Decimal, Text};

const IPO: &str = "http://www.example.com/IPO";

fn unqualified(operation: &str) -> Options {
    Options { namespace: IPO.into(), operation: operation.into(), qualified: false, ..options() }
}

/// The item of XML Schema's primer, section 4.6.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
struct Item {
    #[xml(attribute)]
    part_num: Text,
    product_name: Text,
    quantity: i32,
    #[field(name = "USPrice")]
    price: Decimal,
    #[xml(list = "arms")]
    comments: Vec<Comment>,
    ship_date: Option<Date>,
}

/// The substitution group with the head `comment`: global elements, which are qualified.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(form = "qualified")]
enum Comment {
    #[field(name = "comment")]
    Any(Text),
    #[field(name = "shipComment")]
    Ship(Text),
    #[field(name = "customerComment")]
    Customer(Text),
}

fn necklace() -> Item {
    Item {
        part_num: "833-AA".into(),
        product_name: "Lapis necklace".into(),
        quantity: 1,
        price: "99.95".parse().expect("a price"),
        comments: vec![
            Comment::Ship("Use gold wrap if possible".into()),
            Comment::Customer("Want this for the holidays!".into()),
        ],
        ship_date: Some(Date::parse_xml(b"1999-12-05").expect("a date")),
    }
}

const NECKLACE: &str = "<ipo:item xmlns:ipo=\"http://www.example.com/IPO\" partNum=\"833-AA\">\n\
    <productName>Lapis necklace</productName>\n\
    <quantity>1</quantity>\n\
    <USPrice>99.95</USPrice>\n\
    <ipo:shipComment>Use gold wrap if possible</ipo:shipComment>\n\
    <ipo:customerComment>Want this for the holidays!</ipo:customerComment>\n\
    <shipDate>1999-12-05</shipDate>\n\
    </ipo:item>";

#[test]
fn elements_of_a_group_stand_in_place_of_its_head() {
    let mut paths = Paths::new(&unqualified("item"));
    paths.reads(NECKLACE, &necklace());
    let written = NECKLACE.replace(">\n<", "><").replace("ipo:", "ns:").replace(":ipo=", ":ns=");
    paths.trip(&necklace(), &written);
    paths.trip(&necklace(), &written);
    let none = Item { comments: vec![], ..necklace() };
    let (before, rest) = written.split_once("<ns:shipComment>").expect("it is there");
    let (_, after) = rest.split_once("</ns:customerComment>").expect("it ends");
    paths.trip(&none, &format!("{before}{after}"));
    // They may stand apart, and the head itself too.
    let apart = written.replacen("<quantity>", "<ns:comment>c</ns:comment><quantity>", 1);
    let mut more = necklace();
    more.comments.insert(0, Comment::Any("c".into()));
    paths.reads(&apart, &more);
    for (right, wrong, why) in [
        ("ns:shipComment", "shipComment", "<shipComment> of \"http://www.example.com/IPO\""),
        (
            "<ns:shipComment>",
            "<ns:shipComment xmlns:x='http://www.w3.org/2001/XMLSchema-instance' x:nil='true'>",
            "an entry, not nil",
        ),
        ("Use gold wrap", "<b/>", "comments[0]/shipComment at byte"),
    ] {
        paths.rejects(&written.replace(right, wrong), why);
    }
}

/// A group whose elements come from three namespaces.
#[derive(Message, Clone, Debug, PartialEq)]
enum Shape {
    Circle(f64),
    #[xml(namespace = "urn:b", form = "qualified")]
    Square(Square),
    #[xml(name = "circle-of", namespace = "urn:c", form = "qualified")]
    Round(Square),
    #[xml(name = "circle", namespace = "urn:c", form = "qualified")]
    Other(Text),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Square {
    side: i32,
    inner: Vec<Shape>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Everywhere {
    one: Shape,
    more: Structs,
    last: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Structs {
    maybe: Option<Shape>,
    boxed: Boxed,
    wrapped: Vec<Shape>,
    #[xml(unwrapped)]
    unwrapped: Vec<Shape>,
    nested: Vec<Vec<Shape>>,
    pair: [Shape; 2],
    arms: Arms,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Boxed {
    shape: Option<Box<Shape>>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Arms {
    first: Option<i32>,
    #[field(required)]
    #[xml(list = "arms")]
    shapes: Vec<Shape>,
    last: Option<i32>,
}

fn shapes() -> Vec<Shape> {
    let square = Square { side: 2, inner: vec![Shape::Other("o".into()), Shape::Circle(1.0)] };
    vec![
        Shape::Square(square.clone()),
        Shape::Circle(0.5),
        Shape::Round(Square { side: 3, inner: vec![] }),
        Shape::Square(square),
        Shape::Other("<".into()),
    ]
}

fn everywhere(one: usize, shapes: &[Shape]) -> Everywhere {
    let all = self::shapes();
    Everywhere {
        one: all[one].clone(),
        more: Structs {
            maybe: shapes.first().cloned(),
            boxed: Boxed { shape: shapes.last().cloned().map(Box::new) },
            wrapped: shapes.to_vec(),
            unwrapped: shapes.to_vec(),
            nested: shapes.chunks(2).map(<[Shape]>::to_vec).collect(),
            pair: [all[one].clone(), all[one].clone()],
            arms: Arms { first: Some(1), shapes: shapes.to_vec(), last: Some(2) },
        },
        last: 9,
    }
}

#[test]
fn groups_of_several_namespaces_stand_in_every_form_of_list() {
    for options in [options(), Options { qualified: false, ..options() }] {
        let mut paths = Paths::new(&options);
        for one in [0, 1, 2, 4, 0] {
            for shapes in [&shapes()[..], &[], &shapes()[1..], &shapes()[..3]] {
                let message = everywhere(one, shapes);
                let body = paths.body(&message);
                paths.trip(&message, &body);
            }
        }
    }
    let mut paths = Paths::new(&options());
    let body = paths.body(&everywhere(0, &shapes()[1..]));
    let arms = "<ns:arms><ns:first>1</ns:first><ns:Circle>0.5</ns:Circle><n2:circle-of><ns:side>3</ns:side>\
                </n2:circle-of><n1:Square><ns:side>2</ns:side><ns:inner><n2:circle>o</n2:circle>\
                <ns:Circle>1</ns:Circle></ns:inner></n1:Square><n2:circle>&lt;</n2:circle><ns:last>2</ns:last>\
                </ns:arms>";
    let plain = |it: &str| it.replace("ns:", "");
    assert!(plain(&body).contains(&plain(arms)), "{body}");
    // Other prefixes, and unknown elements.
    let spelt = body
        .replace("n1:", "p:")
        .replace(":n1=", ":p=")
        .replace("n2:", "n1:")
        .replace(":n2=", ":n1=");
    paths.reads(&spelt, &everywhere(0, &shapes()[1..]));
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Twins {
    #[xml(list = "arms")]
    twins: Vec<Twin>,
    wrapped: Vec<Twin>,
    last: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Twin {
    One(i32),
    #[xml(name = "One", namespace = "urn:c")]
    Other(Text),
}

#[test]
fn arms_of_one_name_are_known_by_their_namespaces() {
    let mut paths = Paths::new(&options());
    let all = || vec![Twin::Other("o".into()), Twin::One(1), Twin::Other("p".into())];
    let written = "<n1:One>o</n1:One><One>1</One><n1:One>p</n1:One>";
    let body = format!(
        "<send xmlns=\"urn:a\" xmlns:n1=\"urn:c\">{written}<wrapped>{written}</wrapped><last>0</last></send>"
    );
    paths.trip(&Twins { twins: all(), wrapped: all(), last: 0 }, &body);
    paths.trip(&Twins::default(), "<send xmlns=\"urn:a\" xmlns:n1=\"urn:c\"><last>0</last></send>");
    let local = body.replace("<n1:One>o</n1:One>", "<One xmlns='urn:c'>o</One>");
    paths.reads(&local, &Twins { twins: all(), wrapped: all(), last: 0 });
    paths.rejects(
        &body.replace("n1:One", "n2:One").replace(":n1=", ":n2='urn:d' xmlns:n1="),
        "<One> of \"urn:a\"",
    );
}

#[test]
fn by_the_encoding_rules_and_in_flat_forms_arms_stand_in_the_lists_element() {
    for bits in 0..32_u32 {
        let bit = |at: u32| bits >> at & 1 == 1;
        for style in
            [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded]
        {
            let options = Options {
                style,
                types: bit(0),
                attributes: bit(1),
                flat: bit(2),
                compact_tags: bit(3),
                qualified: bit(4),
                ..options()
            };
            let mut paths = Paths::new(&options);
            for shapes in [&shapes()[..], &[]] {
                let message = everywhere(1, shapes);
                let body = paths.body(&message);
                paths.trip(&message, &body);
            }
        }
    }
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Beside {
    #[xml(name = "shipComment", form = "qualified")]
    other: i32,
    #[xml(list = "arms")]
    comments: Vec<Comment>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct NoArms {
    #[xml(list = "arms")]
    numbers: Vec<i32>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Fixed {
    #[xml(list = "arms")]
    comments: [Comment; 2],
}

#[test]
fn arms_that_cannot_stand_there_are_rejected_with_their_place() {
    let rejected = |said: String, path: &str, why: &str| {
        assert!(said.starts_with(path) && said.contains(why), "{said}");
    };
    rejected(rejection::<Beside>(&options()), "comments ", "two elements shipComment");
    rejected(rejection::<NoArms>(&options()), "numbers ", "no list of choices");
    rejected(rejection::<Fixed>(&options()), "comments ", "no list of choices");
}

/// The letter of XML Schema's primer, section 2.5.2.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
struct Letter {
    #[xml(list = "mixed")]
    letter_body: Vec<Body>,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Body {
    #[xml(text)]
    Text(Text),
    Salutation(Salutation),
    Quantity(i32),
    ProductName(Text),
    ShipDate(Date),
    Break,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Salutation {
    #[xml(attribute)]
    lang: Option<Text>,
    #[xml(list = "mixed")]
    body: Vec<Part>,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Part {
    Name(Text),
    #[xml(text)]
    Text(Text),
    Deep(Box<Salutation>),
}

fn letter() -> Letter {
    let salutation = Salutation {
        lang: None,
        body: vec![
            Part::Text("Dear Mr.".into()),
            Part::Name("Robert Smith".into()),
            Part::Text(".".into()),
        ],
    };
    Letter {
        letter_body: vec![
            Body::Text("\n".into()),
            Body::Salutation(salutation),
            Body::Text("\nYour order of ".into()),
            Body::Quantity(1),
            Body::Text(" ".into()),
            Body::ProductName("Baby Monitor".into()),
            Body::Text(" shipped from our warehouse on\n".into()),
            Body::ShipDate(Date::parse_xml(b"1999-05-21").expect("a date")),
            Body::Text(". ....\n".into()),
        ],
    }
}

const LETTER: &str = "<letterBody>\n\
    <salutation>Dear Mr.<name>Robert Smith</name>.</salutation>\n\
    Your order of <quantity>1</quantity> <productName>Baby Monitor</productName> shipped from our \
    warehouse on\n<shipDate>1999-05-21</shipDate>. ....\n</letterBody>";

fn letters() -> Options {
    Options { namespace: String::new(), operation: "letterBody".into(), ..options() }
}

#[test]
fn text_stands_between_elements() {
    let mut paths = Paths::new(&letters());
    paths.trip(&letter(), LETTER);
    let spelt = LETTER
        .replace("Your order", "<!-- of --> <![CDATA[Y]]>our<!-- --> &#111;rder")
        .replace("\n<!-- of --> ", "&#10;<!-- -->")
        .replace("> <productName>", ">&#32;<productName>");
    paths.reads(&spelt, &letter());
    let deep = |body| Body::Salutation(Salutation { lang: Some("de".into()), body });
    for (body, written) in [
        (vec![], ""),
        (vec![Body::Text("<&>\r ]]>".into())], "&lt;&amp;&gt;&#13; ]]&gt;"),
        (vec![Body::Break, Body::Break], "<break/><break/>"),
        (
            vec![Body::Text(" ".into()), deep(vec![]), Body::Text("x".into())],
            " <salutation lang=\"de\"/>x",
        ),
        (
            vec![deep(vec![Part::Deep(Box::new(Salutation {
                lang: None,
                body: vec![Part::Text("a".into()), Part::Deep(Box::default())],
            }))])],
            "<salutation lang=\"de\"><deep>a<deep/></deep></salutation>",
        ),
    ] {
        let (open, close) =
            if body.is_empty() { ("<letterBody/>", "") } else { ("<letterBody>", "</letterBody>") };
        paths.trip(&Letter { letter_body: body }, &format!("{open}{written}{close}"));
    }
    for (document, why) in [
        ("<letterBody>a<quantity>b</quantity></letterBody>", "letterBody[1]/quantity "),
        ("<letterBody>a<b/>c</letterBody>", "letterBody at byte"),
        (
            "<letterBody><salutation><name><b/></name></salutation></letterBody>",
            "letterBody[0]/salutation/body[0]/name ",
        ),
    ] {
        paths.rejects(document, why);
    }
}

#[test]
fn unknown_elements_leave_the_text_around_them() {
    let plan = Plan::new(Letter::layout(), &letters()).expect("a plan");
    let soap = "xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'";
    let document = format!(
        "<S:Envelope {soap}><S:Body><letterBody>a<x:b xmlns:x='urn:x'>c<d/></x:b>e<break/></letterBody>\
         </S:Body></S:Envelope>"
    );
    for mut decoder in [Decoder::new(&plan), Decoder::new(&plan).generic()] {
        let mut read = Letter::default();
        for _ in 0..3 {
            decoder.decode(document.as_bytes(), &mut read).expect("it can be read");
            assert_eq!(read.letter_body, [Body::Text("ae".into()), Body::Break]);
            assert_eq!(decoder.unknown(), 1);
        }
    }
}

#[test]
fn texts_that_would_read_as_one_are_not_written() {
    let plan = Plan::new(Letter::layout(), &letters()).expect("a plan");
    let text = |it: &str| Body::Text(it.into());
    for (body, why) in [
        (vec![Body::Break, text("")], "letterBody[1]/text "),
        (vec![text("a"), text("b")], "letterBody[1]/text "),
    ] {
        let error =
            Encoder::new(&plan).encode(&Letter { letter_body: body }).expect_err("it is ambiguous");
        assert!(error.to_string().contains(why), "{error}");
    }
}

/// Mixed content in each kind of element, beside others.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Page {
    #[xml(attribute)]
    number: i32,
    title: Salutation,
    #[field(implied)]
    foot: Salutation,
    parts: Vec<Salutation>,
    #[xml(unwrapped)]
    more: Vec<Salutation>,
    maybe: Option<Salutation>,
    needed: Needed,
    last: i32,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Needed {
    #[field(required)]
    #[xml(list = "mixed")]
    body: Vec<Part>,
}

fn page() -> Page {
    let part = |lang: Option<&str>, body| Salutation { lang: lang.map(Into::into), body };
    let all = || vec![Part::Text("a ".into()), Part::Name("b".into()), Part::Text(" c".into())];
    Page {
        number: 1,
        title: part(Some("en"), all()),
        foot: part(None, all()),
        parts: vec![part(None, vec![]), part(Some("x"), all()), part(None, all()[1..].to_vec())],
        more: vec![part(Some("y"), vec![]), part(None, all())],
        maybe: Some(part(None, vec![])),
        needed: Needed { body: all() },
        last: 2,
    }
}

#[test]
fn mixed_content_stands_in_every_kind_of_element() {
    for bits in 0..32_u32 {
        let bit = |at: u32| bits >> at & 1 == 1;
        for style in
            [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded]
        {
            let options = Options {
                style,
                types: bit(0),
                attributes: bit(1),
                flat: bit(2),
                compact_tags: bit(3),
                qualified: bit(4),
                ..options()
            };
            let mut paths = Paths::new(&options);
            for message in [page(), Page::default(), page()] {
                let body = paths.body(&message);
                paths.trip(&message, &body);
            }
        }
    }
    let body = Paths::<Page>::new(&options()).body(&page());
    let all = "a <name>b</name> c";
    let expected = format!(
        "<send xmlns=\"urn:a\" number=\"1\"><title lang=\"en\">{all}</title><foot>{all}</foot><parts>\
         <Salutation/><Salutation lang=\"x\">{all}</Salutation><Salutation><name>b</name> c</Salutation>\
         </parts><more lang=\"y\"/><more>{all}</more><maybe/><needed>{all}</needed><last>2</last></send>"
    );
    assert_eq!(body, expected);
}

#[derive(Message, Clone, Debug, PartialEq)]
struct TextElsewhere {
    parts: Vec<Part>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct BesideMixed {
    #[xml(list = "mixed")]
    parts: Vec<Part>,
    other: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct WithoutText {
    #[xml(list = "mixed")]
    comments: Vec<Comment>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct OptionalMixed {
    #[xml(list = "mixed")]
    parts: Option<Vec<Part>>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct MixedNumbers {
    #[xml(list = "mixed")]
    numbers: Vec<i32>,
}

#[test]
fn mixed_content_that_cannot_be_is_rejected_with_its_place() {
    let rejected = |said: String, path: &str, why: &str| {
        assert!(said.starts_with(path) && said.contains(why), "{said}");
    };
    rejected(rejection::<TextElsewhere>(&options()), "parts ", "no xml(list = \"mixed\")");
    rejected(rejection::<BesideMixed>(&options()), "parts ", "beside elements");
    rejected(
        rejection::<WithoutText>(&options()),
        "comments ",
        "without one arm that is xml(text)",
    );
    rejected(rejection::<OptionalMixed>(&options()), "parts ", "optional list");
    rejected(rejection::<MixedNumbers>(&options()), "numbers ", "no list in a struct");
}

#[test]
fn mixed_content_nests_and_grows_as_the_limits_allow() {
    let plan = Plan::new(Letter::layout(), &letters()).expect("a plan");
    let soap = "xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'";
    let document = |inside: &str| {
        format!(
            "<S:Envelope {soap}><S:Body><letterBody>{inside}</letterBody></S:Body></S:Envelope>"
        )
    };
    let limits = Limits { entries: 10, value_bytes: 60, ..Limits::default() };
    let deep = |most: usize| {
        let (open, close) = ("<deep>".repeat(most), "</deep>".repeat(most));
        document(&format!("<salutation>{open}a{close}</salutation>"))
    };
    for (document, name) in [
        (document(&"a<break/>".repeat(6)), "entries"),
        (document(&format!("{}<!-- -->{}", "a".repeat(40), "b".repeat(40))), "value_bytes"),
        (deep(100_000), "depth"),
    ] {
        let limits = if name == "depth" { Limits::default() } else { limits.clone() };
        let mut read = Letter::default();
        for mut decoder in [
            Decoder::with_limits(&plan, limits.clone()),
            Decoder::with_limits(&plan, limits.clone()).generic(),
        ] {
            let error = decoder.decode(document.as_bytes(), &mut read).expect_err(name).to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}

/// Texts of which blanks do not all stay, and values that empty elements stand for.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
struct Noted {
    #[xml(attribute, white_space = "collapse")]
    unit: Option<Text>,
    #[xml(white_space = "collapse")]
    token: Text,
    #[xml(white_space = "replace")]
    line: Option<String>,
    #[xml(unwrapped, white_space = "collapse")]
    codes: Vec<Text>,
    #[xml(empty = "9")]
    nine: Option<i32>,
    #[xml(empty = "none", white_space = "collapse")]
    word: Option<Text>,
    plain: Text,
}

#[test]
fn blanks_and_empty_elements_are_read_alike_on_every_path() {
    let mut paths = Paths::<Noted>::new(&Options { qualified: false, ..options() });
    let mut noted = Noted {
        unit: Some("k g".into()),
        token: "a b".into(),
        line: Some(" a  b ".into()),
        codes: vec!["x".into(), "y z".into()],
        nine: Some(9),
        word: Some("none".into()),
        plain: " a\n b ".into(),
    };
    paths.reads(
        "<a:send xmlns:a='urn:a' unit=' k  g '><token>\n a \t b </token><line>\ta\n b </line><codes> x</codes>\
         <codes>y&#32;\n z</codes><nine/><word></word><plain> a\n b </plain></a:send>",
        &noted,
    );
    paths.trip(
        &noted,
        "<ns:send xmlns:ns=\"urn:a\" unit=\"k g\"><token>a b</token><line> a  b </line><codes>x</codes>\
         <codes>y z</codes><nine>9</nine><word>none</word><plain> a\n b </plain></ns:send>",
    );
    // What is written is written as it is, and read by the rules.
    noted.token = " a  b ".into();
    let written = paths.body(&noted);
    assert!(written.contains("<token> a  b </token>"), "{written}");
    // An element that is not there stands for nothing.
    let none = Noted {
        unit: None,
        line: None,
        nine: None,
        word: None,
        token: "a".into(),
        codes: vec![],
        ..noted
    };
    paths.reads("<a:send xmlns:a='urn:a'><token>a</token><plain> a\n b </plain></a:send>", &none);
    paths
        .rejects("<a:send xmlns:a='urn:a'><token/><nine> </nine><plain/></a:send>", "nine at byte");
    let empty = Noted { word: Some(Text::default()), ..none };
    let error = Encoder::new(&paths.plan).encode(&empty).expect_err("it would be read as another");
    assert!(
        error.to_string().contains("an element that is empty stands for the default"),
        "{error}"
    );
}

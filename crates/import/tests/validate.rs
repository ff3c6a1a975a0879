//! Documents that are held against their schemas.

use std::collections::HashMap;

use trunkline_import::Limits;
use trunkline_import::xsd::{Schemas, Validation};

const INSTANCE: &str = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";

fn schemas(inside: &str) -> Schemas {
    let text = format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:a' xmlns='urn:a' \
         elementFormDefault='qualified'>{inside}</xs:schema>"
    );
    let files = HashMap::from([("a.xsd", text)]);
    let mut resolver = |path: &str| Ok(files.get(path).map(|it| it.clone().into_bytes()));
    Schemas::read("a.xsd", &mut resolver, &Limits::default()).unwrap_or_else(|it| panic!("{it}"))
}

fn validation(schemas: &Schemas, document: &str) -> Validation {
    schemas.validate(document.as_bytes(), &Limits::default())
}

/// What is wrong with an element `r` of this content and these attributes.
fn wrong(schemas: &Schemas, attributes: &str, content: &str) -> Vec<String> {
    let document = format!("<r xmlns='urn:a' {INSTANCE}{attributes}>{content}</r>");
    let all = validation(schemas, &document).violations;
    all.iter().map(|it| format!("{}: {} ({})", it.path, it.what, it.rule)).collect()
}

#[track_caller]
fn assert_wrong(found: &[String], parts: &[&str]) {
    assert_eq!(found.len(), parts.len(), "{found:#?}");
    for (found, part) in found.iter().zip(parts) {
        assert!(found.contains(part), "{found} has no {part}");
    }
}

/// An element `r` with this content.
fn of_content(content: &str) -> Schemas {
    schemas(&format!(
        "<xs:element name='r'><xs:complexType>{content}</xs:complexType></xs:element>"
    ))
}

#[test]
fn what_is_wrong_has_its_place() {
    let order = schemas(
        "<xs:element name='r'><xs:complexType><xs:sequence>
           <xs:element name='line' maxOccurs='unbounded'><xs:complexType>
             <xs:sequence><xs:element name='price' type='xs:decimal'/></xs:sequence>
             <xs:attribute name='count' type='xs:int' use='required'/>
           </xs:complexType></xs:element>
         </xs:sequence></xs:complexType></xs:element>",
    );
    let document = "<?xml version='1.0'?>\n<r xmlns='urn:a'>\n  <line count='1'><price>7</price></line>\n  \
                    <line count='x'><price>7,5</price></line>\n  <line/>\n</r>";
    let all: Vec<String> =
        validation(&order, document).violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        all,
        [
            "4:3: /r/line[2]/@count: \"x\" is no integer (cvc-datatype-valid)",
            "4:19: /r/line[2]/price: \"7,5\" is no decimal (cvc-datatype-valid)",
            "5:3: /r/line[3]: the attribute count is missing (cvc-complex-type)",
            "5:3: /r/line[3]: it ends where {urn:a}price is expected (cvc-complex-type)",
        ]
    );
    let cut = validation(&order, "<r xmlns='urn:a'>\n<line>");
    let last = cut.violations.last().expect("it is cut").to_string();
    assert!(last.starts_with("2:7: ") && last.ends_with("(well-formed)"), "{last}");
    let other = validation(&order, "<q xmlns='urn:a'/>").violations;
    assert_eq!(other[0].to_string(), "1:1: /q: no element {urn:a}q is declared (cvc-elt)");
}

/// An element of each name.
fn letters(names: &str) -> String {
    names.chars().map(|it| format!("<{it}/>")).collect()
}

#[test]
fn elements_stand_where_the_model_has_them() {
    let model = |inside: &str| of_content(&format!("<xs:sequence>{inside}</xs:sequence>"));
    let e = |name: &str, occurs: &str| format!("<xs:element name='{name}' {occurs}/>");
    let any = "minOccurs='0' maxOccurs='unbounded'";
    let cases: [(String, &[&str], &[&str]); 10] = [
        (
            e("a", "") + &e("b", "minOccurs='0'") + &e("c", ""),
            &["ac", "abc"],
            &["", "a", "ab", "abbc", "ca"],
        ),
        (e("a", "minOccurs='2' maxOccurs='3'"), &["aa", "aaa"], &["a", "aaaa"]),
        (
            format!("<xs:choice {any}>{}{}</xs:choice>", e("a", ""), e("b", "")),
            &["", "abba"],
            &["c", "abc"],
        ),
        (
            format!("<xs:sequence {any}>{}{}</xs:sequence>", e("a", ""), e("b", "maxOccurs='2'")),
            &["", "ab", "abbab"],
            &["a", "aab", "abbb"],
        ),
        // The same element, as the last of one time and the first of the next: either is right.
        (
            format!(
                "<xs:sequence minOccurs='2' maxOccurs='2'>{}</xs:sequence>",
                e("a", "minOccurs='2' maxOccurs='3'")
            ),
            &["aaaa", "aaaaa", "aaaaaa"],
            &["aaa", "aaaaaaa"],
        ),
        // What may be empty need not be there as often as is said.
        (
            format!(
                "<xs:sequence minOccurs='3' maxOccurs='3'>{}{}</xs:sequence>",
                e("a", "minOccurs='0'"),
                e("b", "minOccurs='0'")
            ),
            &["", "ab", "bab", "ababab", "bbb"],
            &["bbbb", "abababa"],
        ),
        (
            format!(
                "<xs:choice><xs:sequence>{}{}</xs:sequence>{}</xs:choice>",
                e("a", ""),
                e("b", ""),
                e("c", "")
            ),
            &["ab", "c"],
            &["a", "abc", "bc"],
        ),
        ("<xs:choice/>".to_owned(), &[], &["", "a"]),
        ("<xs:choice minOccurs='0'/>".to_owned(), &[""], &["a"]),
        (e("a", "minOccurs='0' maxOccurs='0'"), &[""], &["a"]),
    ];
    for (inside, right, not_right) in cases {
        let model = model(&inside);
        for text in right {
            assert_eq!(wrong(&model, "", &letters(text)), [""; 0], "{inside} {text}");
        }
        for text in not_right {
            assert!(!wrong(&model, "", &letters(text)).is_empty(), "{inside} {text}");
        }
    }
}

#[test]
fn what_is_in_an_all_stands_in_any_order() {
    let e = |name: &str, occurs: &str| format!("<xs:element name='{name}' {occurs}/>");
    let all = of_content(&format!("<xs:all>{}{}</xs:all>", e("a", ""), e("b", "minOccurs='0'")));
    for text in ["a", "ab", "ba"] {
        assert_eq!(wrong(&all, "", &letters(text)), [""; 0], "{text}");
    }
    for text in ["", "b", "aba"] {
        assert!(!wrong(&all, "", &letters(text)).is_empty(), "{text}");
    }
    // Nothing may stand beside it, on either side of a derivation.
    let nothing = "<xs:sequence><xs:element name='x' minOccurs='0' maxOccurs='0'/><xs:sequence/></xs:sequence>";
    let both = format!("<xs:all>{}{}</xs:all>", e("a", ""), e("b", "minOccurs='0'"));
    for (base, more) in [(nothing, &*both), (&*both, nothing), (&*both, "")] {
        let extended = schemas(&format!(
            "<xs:complexType name='B'>{base}</xs:complexType><xs:element name='r'><xs:complexType><xs:complexContent>
             <xs:extension base='B'>{more}</xs:extension></xs:complexContent></xs:complexType></xs:element>"
        ));
        assert_eq!(wrong(&extended, "", &letters("ba")), [""; 0], "{base} {more}");
        assert_wrong(&wrong(&extended, "", &letters("b")), &["{urn:a}a is missing"]);
    }
    let found = wrong(&all, "", "<c/><b/>");
    assert_wrong(&found, &["{urn:a}c stands where one of {urn:a}a, {urn:a}b is expected"]);
}

/// Models and types with which matching may take long, or without end.
#[test]
fn hostile_schemas_cost_no_more_than_their_size() {
    let huge = of_content(
        "<xs:sequence minOccurs='1000000000' maxOccurs='4000000000'><xs:sequence minOccurs='0' maxOccurs='4000000000'>
           <xs:element name='a' maxOccurs='4000000000'/></xs:sequence><xs:element name='b' minOccurs='2'
           maxOccurs='4000000000'/></xs:sequence>",
    );
    let found = wrong(&huge, "", &"<a/><b/><b/>".repeat(2000));
    assert_wrong(&found, &["it ends where"]);
    // Each group holds the next one twice.
    let groups: String = (0..40)
        .map(|it| {
            let next = it + 1;
            format!("<xs:group name='g{it}'><xs:sequence><xs:group ref='g{next}'/><xs:group ref='g{next}'/></xs:sequence></xs:group>")
        })
        .collect();
    let last = "<xs:group name='g40'><xs:sequence><xs:element name='a'/></xs:sequence></xs:group>";
    let groups = schemas(&format!(
        "{groups}{last}<xs:element name='r'><xs:complexType><xs:group ref='g0'/></xs:complexType></xs:element>"
    ));
    assert_wrong(&wrong(&groups, "", "<a/>"), &["content of more than 65534 parts"]);
    // A union of unions, each of which has the next one twice.
    let unions: String = (0..40)
        .map(|it| {
            format!(
                "<xs:simpleType name='u{it}'><xs:union memberTypes='u{0} u{0}'/></xs:simpleType>",
                it + 1
            )
        })
        .collect();
    let unions = format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>{unions}
         <xs:simpleType name='u40'><xs:restriction base='xs:int'/></xs:simpleType><xs:element name='r' type='u0'/></xs:schema>"
    );
    let mut resolver = |_: &str| Ok(Some(unions.clone().into_bytes()));
    match Schemas::read("u.xsd", &mut resolver, &Limits::default()) {
        Ok(read) => {
            assert!(!read.validate(b"<r>x</r>", &Limits::default()).is_valid());
            // A type that is of none of them is compared with each of them once.
            let document = format!(
                "<r {INSTANCE} xmlns:xs='http://www.w3.org/2001/XMLSchema' xsi:type='xs:date'>x</r>"
            );
            let found = read.validate(document.as_bytes(), &Limits::default()).violations;
            assert!(found[0].what.contains("is not derived from the type"), "{found:#?}");
        }
        Err(problem) => assert!(problem.to_string().starts_with("u.xsd:"), "{problem}"),
    }
    // Elements that are open at once, and what is told, are limited.
    let deep = schemas(
        "<xs:element name='r'><xs:complexType><xs:sequence><xs:element ref='r' minOccurs='0' maxOccurs='unbounded'/>
         </xs:sequence></xs:complexType></xs:element>",
    );
    let found = validation(&deep, &"<r xmlns='urn:a'>".repeat(10_000)).violations;
    assert_eq!(found.last().map(|it| it.rule), Some("limit"));
    let document = format!("<r xmlns='urn:a'>{}</r>", "<r x='1'/>".repeat(1000));
    let found = validation(&deep, &document);
    assert!(found.is_cut && found.violations.len() == Limits::default().violations);
}

#[test]
fn values_keep_to_their_types() {
    let of = |definition: &str| schemas(&format!("<xs:element name='r' type='T'/>{definition}"));
    let restricted = |base: &str, facets: &str| {
        of(&format!(
            "<xs:simpleType name='T'><xs:restriction base='xs:{base}'>{facets}</xs:restriction></xs:simpleType>"
        ))
    };
    for (base, facets, right, not_right, rule) in [
        ("string", "<xs:length value='2'/>", "éß", "abc", "cvc-length-valid"),
        ("string", "<xs:minLength value='2'/>", "abc", "a", "cvc-minLength-valid"),
        ("hexBinary", "<xs:maxLength value='1'/>", "0F", "0F00", "cvc-maxLength-valid"),
        ("decimal", "<xs:minInclusive value='0.5'/>", " 0.50 ", "0.49", "cvc-minInclusive-valid"),
        (
            "date",
            "<xs:maxExclusive value='2004-06-01'/>",
            "2004-05-31",
            "2004-06-01",
            "cvc-maxExclusive-valid",
        ),
        ("duration", "<xs:minExclusive value='P1M'/>", "P32D", "P30D", "cvc-minExclusive-valid"),
        ("double", "<xs:maxInclusive value='1e3'/>", "1E3", "INF", "cvc-maxInclusive-valid"),
        ("decimal", "<xs:totalDigits value='3'/>", "01.20", "1.234", "cvc-totalDigits-valid"),
        ("decimal", "<xs:fractionDigits value='1'/>", "1.50", "1.55", "cvc-fractionDigits-valid"),
        (
            "string",
            "<xs:pattern value='[A-Z]+'/><xs:pattern value='\\d'/>",
            "7",
            "77",
            "cvc-pattern-valid",
        ),
        (
            "int",
            "<xs:enumeration value='1'/><xs:enumeration value='2'/>",
            "+02",
            "3",
            "cvc-enumeration-valid",
        ),
        ("string", "<xs:enumeration value=' a'/>", " a", "a", "cvc-enumeration-valid"),
        ("token", "<xs:enumeration value='a b'/>", "a\n  b", "ab", "cvc-enumeration-valid"),
        ("unsignedByte", "", "255", "256", "cvc-maxInclusive-valid"),
        ("integer", "", "123456789012345678901234567890", "1.0", "cvc-datatype-valid"),
        ("boolean", "", "1", "yes", "cvc-datatype-valid"),
        ("dateTime", "", "12004-01-01T24:00:00Z", "2004-01-01", "cvc-datatype-valid"),
        ("QName", "", "xsi:a", "q:a", "cvc-datatype-valid"),
    ] {
        let schemas = restricted(base, facets);
        assert_eq!(wrong(&schemas, "", right), [""; 0], "{base} {facets}");
        assert_wrong(&wrong(&schemas, "", not_right), &[rule]);
    }
    let list = of("<xs:simpleType name='T'><xs:restriction><xs:simpleType><xs:list itemType='xs:int'/></xs:simpleType>
        <xs:maxLength value='2'/></xs:restriction></xs:simpleType>");
    assert_eq!(wrong(&list, "", " 1\n2 "), [""; 0]);
    assert_wrong(&wrong(&list, "", "1 2 3"), &["3 items, more than 2"]);
    assert_wrong(&wrong(&list, "", "1 x"), &["\"x\" is no integer"]);
    let union =
        of("<xs:simpleType name='T'><xs:union memberTypes='xs:int xs:date'/></xs:simpleType>");
    assert_eq!(wrong(&union, "", "2004-02-29"), [""; 0]);
    assert_wrong(&wrong(&union, "", "2003-02-29"), &["none of the types of a union"]);
    // The blanks are those of the innermost type.
    let unions = of("<xs:simpleType name='S'><xs:union memberTypes='xs:int xs:date'/></xs:simpleType>
        <xs:simpleType name='T'><xs:restriction><xs:simpleType><xs:union memberTypes='S'/></xs:simpleType>
        <xs:pattern value='\\d+'/></xs:restriction></xs:simpleType>");
    assert_eq!(wrong(&unions, "", " 12\n"), [""; 0]);
    assert_wrong(&wrong(&unions, "", " 2004-02-29 "), &["cvc-pattern-valid"]);
    // Each step of a derivation counts.
    let steps = of("<xs:simpleType name='T'><xs:restriction base='S'><xs:pattern value='.*b'/></xs:restriction></xs:simpleType>
        <xs:simpleType name='S'><xs:restriction base='xs:string'><xs:pattern value='a.*'/></xs:restriction></xs:simpleType>");
    assert_eq!(wrong(&steps, "", "ab"), [""; 0]);
    assert!(!wrong(&steps, "", "xb").is_empty() && !wrong(&steps, "", "ax").is_empty());
}

#[test]
fn attributes_are_those_of_the_type() {
    let schemas = schemas(
        "<xs:attribute name='all' type='xs:int'/>
         <xs:complexType name='B'><xs:attribute name='a' type='xs:int'/><xs:attribute name='b' type='xs:int'/>
           <xs:attribute name='c' type='xs:decimal'/><xs:anyAttribute processContents='lax'/></xs:complexType>
         <xs:element name='r'><xs:complexType><xs:complexContent><xs:restriction base='B'>
           <xs:attribute name='a' use='prohibited'/><xs:attribute name='c' fixed='1' type='xs:decimal'/>
           <xs:anyAttribute namespace='urn:a urn:b' processContents='lax'/>
         </xs:restriction></xs:complexContent></xs:complexType></xs:element>",
    );
    let other = " xmlns:a='urn:a' xmlns:b='urn:b' xmlns:c='urn:c'";
    assert_eq!(wrong(&schemas, &format!("{other} b='1' c='1.0' a:all='1' b:x='y'"), ""), [""; 0]);
    for (attribute, part) in [
        ("a='1'", "/r/@a: no attribute a is declared there"),
        ("b='x'", "/r/@b: \"x\" is no integer"),
        ("c='2'", "/r/@c: \"2\" is not \"1\", which is fixed"),
        ("a:all='x'", "/r/@all: \"x\" is no integer"),
        ("c:x='y'", "no attribute {urn:c}x is declared there"),
    ] {
        assert_wrong(&wrong(&schemas, &format!("{other} {attribute}"), ""), &[part]);
    }
}

#[test]
fn types_and_elements_stand_for_others_where_they_may() {
    let schemas = schemas(
        "<xs:complexType name='B'><xs:sequence><xs:element name='x' type='xs:int'/></xs:sequence></xs:complexType>
         <xs:complexType name='D'><xs:complexContent><xs:extension base='B'><xs:attribute name='more'/></xs:extension>
           </xs:complexContent></xs:complexType>
         <xs:complexType name='A' abstract='true'><xs:complexContent><xs:extension base='B'/></xs:complexContent></xs:complexType>
         <xs:complexType name='O'/>
         <xs:element name='head' abstract='true' type='B'/><xs:element name='member' substitutionGroup='head'/>
         <xs:element name='blocked' type='B' block='extension'/><xs:element name='nil' type='xs:int' nillable='true'/>
         <xs:element name='fixed' type='xs:decimal' fixed='1.5'/>
         <xs:element name='r'><xs:complexType><xs:choice maxOccurs='unbounded'><xs:element ref='head'/>
           <xs:element ref='blocked'/><xs:element ref='nil'/><xs:element ref='fixed'/></xs:choice></xs:complexType></xs:element>",
    );
    for right in [
        "<member><x>1</x></member>",
        "<member xsi:type='D' more='1'><x>1</x></member>",
        "<nil xsi:nil='true'/>",
        "<nil>1</nil>",
        "<fixed/><fixed>1.50</fixed>",
    ] {
        assert_eq!(wrong(&schemas, "", right), [""; 0], "{right}");
    }
    for (not_right, part) in [
        ("<head><x>1</x></head>", "is abstract: another has to stand for it"),
        ("<member xsi:type='A'><x>1</x></member>", "its type is abstract"),
        ("<member xsi:type='O'><x>1</x></member>", "is not derived from the type of the element"),
        ("<member xsi:type='N'><x>1</x></member>", "which is no type that is known"),
        ("<blocked xsi:type='D'><x>1</x></blocked>", "or is blocked"),
        ("<nil xsi:nil='true'>1</nil>", "text stands in an element that is nil"),
        ("<fixed xsi:nil='false'/>", "xsi:nil of an element that is not nillable"),
        ("<fixed>2</fixed>", "which is fixed"),
    ] {
        assert_wrong(&wrong(&schemas, "", not_right), &[part]);
    }
}

#[test]
fn arrays_of_the_encoding_stand_for_anything() {
    let schemas =
        schemas("<xs:element name='r' type='xs:anyType'/><xs:element name='i' type='xs:int'/>");
    let array = " xmlns:e='http://schemas.xmlsoap.org/soap/encoding/' xsi:type='e:Array' e:arrayType='x[1]'";
    assert_eq!(wrong(&schemas, array, "<item>1</item>"), [""; 0]);
    let found = wrong(&schemas, "", &format!("<i{array}>1</i>"));
    assert_wrong(
        &found,
        &[
            "is not derived from the type of the element",
            "no attribute {http://schemas.xmlsoap.org",
        ],
    );
}

#[test]
fn names_that_are_fixed_are_those_of_the_schema() {
    let schemas = schemas(
        "<xs:element name='r'><xs:complexType><xs:sequence>
           <xs:element name='e' type='xs:QName' fixed='p:x' xmlns:p='urn:p'/></xs:sequence>
           <xs:attribute name='a' type='xs:QName' fixed='p:x' xmlns:p='urn:p'/></xs:complexType></xs:element>",
    );
    let document = |prefix: &str, namespace: &str| {
        let attributes = format!(" xmlns:{prefix}='{namespace}' a='{prefix}:x'");
        wrong(&schemas, &attributes, &format!("<e>{prefix}:x</e>"))
    };
    assert_eq!(document("other", "urn:p"), [""; 0]);
    // One that is not there has the value of the schema, whatever the prefix is here.
    assert_eq!(wrong(&schemas, " xmlns:p='urn:q'", "<e/>"), [""; 0]);
    assert_wrong(&document("p", "urn:q"), &["/r/@a: \"p:x\" is not", "/r/e: \"p:x\" is not"]);
}

#[test]
fn blanks_stand_between_elements_however_they_are_written() {
    let schemas =
        of_content("<xs:sequence><xs:element name='a' maxOccurs='unbounded'/></xs:sequence>");
    let blanks = "<a/>\n&#32;&#x9;<![CDATA[ \r\n]]><![CDATA[]]><a/>";
    assert_eq!(wrong(&schemas, "", blanks), [""; 0]);
    for text in ["&#32;x", "<![CDATA[ x]]>", "&#160;"] {
        let found = wrong(&schemas, "", &format!("<a/>{text}<a/>"));
        assert_wrong(&found, &["text stands where there are elements alone"]);
    }
}

/// Of a namespace that was not found nothing is known, so that nothing of it is wrong.
#[test]
fn what_a_schema_that_is_not_there_may_say_is_taken() {
    let text = "<xs:import namespace='urn:f'/>
        <xs:complexType name='B'><xs:sequence><xs:element ref='f:head'/><xs:element name='x' type='xs:int'/></xs:sequence>
          <xs:attribute name='own' type='xs:int'/><xs:attributeGroup ref='f:group'/></xs:complexType>
        <xs:complexType name='D'><xs:complexContent><xs:extension base='B'>
          <xs:anyAttribute namespace='urn:b' processContents='strict'/></xs:extension></xs:complexContent></xs:complexType>
        <xs:element name='member' type='xs:int' substitutionGroup='f:head'/>
        <xs:element name='other' type='xs:int' substitutionGroup='member'/>
        <xs:element name='r' type='B'/><xs:element name='d' type='D'/>";
    let text = format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:a' xmlns='urn:a' xmlns:f='urn:f' \
         elementFormDefault='qualified'>{text}</xs:schema>"
    );
    let mut resolver = |path: &str| Ok((path == "a.xsd").then(|| text.clone().into_bytes()));
    let schemas = Schemas::read("a.xsd", &mut resolver, &Limits::default()).expect("a schema");
    let foreign = " xmlns:f='urn:f' f:one='1' two='x'";
    for head in ["<f:head/>", "<member>1</member>", "<other>1</other>"] {
        assert_eq!(wrong(&schemas, foreign, &format!("{head}<x>1</x>")), [""; 0], "{head}");
        let extended = format!("<d xmlns='urn:a'{foreign}>{head}<x>1</x></d>");
        assert_eq!(validation(&schemas, &extended).violations, [], "{head}");
    }
    // What is known of it is checked.
    let found = wrong(&schemas, &format!("{foreign} own='x'"), "<member>x</member><x>1</x>");
    assert_wrong(&found, &["/r/@own: \"x\" is no integer", "/r/member: \"x\" is no integer"]);
    assert_wrong(&wrong(&schemas, foreign, "<x>1</x>"), &["{urn:a}x stands where"]);
}

#[test]
fn content_of_any_shape_is_looked_into_as_it_says() {
    let of = |process: &str| {
        schemas(&format!(
            "<xs:element name='r'><xs:complexType><xs:sequence>
               <xs:any namespace='##targetNamespace urn:b' processContents='{process}' maxOccurs='2'/></xs:sequence>
             </xs:complexType></xs:element><xs:element name='known' type='xs:int'/>"
        ))
    };
    let unknown = "<b:x xmlns:b='urn:b'><known>x</known></b:x>";
    assert_wrong(&wrong(&of("strict"), "", "<known>x</known>"), &["/r/known: \"x\" is no integer"]);
    assert_wrong(
        &wrong(&of("strict"), "", "<b:x xmlns:b='urn:b'/>"),
        &["is declared, and one has to be"],
    );
    assert_wrong(&wrong(&of("lax"), "", unknown), &["/r/x/known: \"x\" is no integer"]);
    assert_eq!(wrong(&of("skip"), "", unknown), [""; 0]);
    assert_wrong(
        &wrong(&of("skip"), "", "<c:x xmlns:c='urn:c'/>"),
        &["stands where any element of"],
    );
}

#[test]
fn keys_are_unique_and_refer_to_one_another() {
    let schemas = schemas(
        "<xs:element name='r'><xs:complexType><xs:choice maxOccurs='unbounded'>
           <xs:element name='part'><xs:complexType><xs:attribute name='number' type='xs:decimal'/>
             <xs:attribute name='id' type='xs:ID'/></xs:complexType></xs:element>
           <xs:element name='use'><xs:complexType><xs:sequence><xs:element name='of' type='xs:decimal' minOccurs='0'/></xs:sequence>
             <xs:attribute name='see' type='xs:IDREF'/></xs:complexType></xs:element>
         </xs:choice></xs:complexType>
         <xs:key name='K' xmlns:a='urn:a'><xs:selector xpath='a:part'/><xs:field xpath='@number'/></xs:key>
         <xs:keyref name='F' refer='K' xmlns:a='urn:a'><xs:selector xpath='.//a:use'/><xs:field xpath='a:of'/></xs:keyref>
         </xs:element>",
    );
    let part = "<part number='1' id='x'/>";
    for right in ["<use><of>1.0</of></use>", "<use/>", "<part number='2'/>", "<use see='x'/>"] {
        assert_eq!(wrong(&schemas, "", &format!("{right}{part}")), [""; 0], "{right}");
    }
    for (not_right, said) in [
        ("<part number='1.0'/>", "the values of {urn:a}K stand twice"),
        ("<part/>", "a field of {urn:a}K is not there"),
        ("<use><of>2</of></use>", "/r/use: the values of {urn:a}F are those of no key"),
        ("<part number='3' id='x'/>", "the ID \"x\" stands twice"),
        ("<use see='y'/>", "\"y\" refers to no ID"),
    ] {
        assert_wrong(&wrong(&schemas, "", &format!("{part}{not_right}")), &[said]);
    }
}

#[test]
fn what_stands_in_an_envelope_is_held_against_the_schemas() {
    let schemas = schemas("<xs:element name='known' type='xs:int'/>");
    let envelope = |body: &str| {
        format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns='urn:a'><e:Header><known>x</known>\
             <other/></e:Header><e:Body>{body}</e:Body></e:Envelope>"
        )
    };
    let found = validation(&schemas, &envelope("<known>y</known>"));
    let paths: Vec<&str> = found.violations.iter().map(|it| &*it.path).collect();
    assert_eq!(paths, ["/Envelope/Header/known", "/Envelope/Body/known"]);
    let found = validation(&schemas, &envelope("<call><known>y</known></call>"));
    assert_eq!(
        found.undeclared.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["{urn:a}call"]
    );
    assert_eq!(found.violations.len(), 1);
}

#[test]
fn entries_of_an_envelope_say_for_whom_they_are() {
    let schemas = schemas("<xs:element name='known' type='xs:int'/>");
    for namespace in
        ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"]
    {
        let envelope = |attributes: &str| {
            format!(
                "<e:Envelope xmlns:e='{namespace}' xmlns='urn:a'><e:Header><known {attributes}>1</known></e:Header>\
                 <e:Body><known e:encodingStyle='urn:none'>1</known></e:Body></e:Envelope>"
            )
        };
        for right in [
            "e:mustUnderstand='1' e:actor='http://schemas.xmlsoap.org/soap/actor/next'",
            "e:mustUnderstand='true' e:role='urn:r' e:relay='false' e:encodingStyle='urn:none'",
        ] {
            assert_eq!(validation(&schemas, &envelope(right)).violations, [], "{right}");
        }
        let found = validation(&schemas, &envelope("mustUnderstand='1'")).violations;
        assert_eq!(found[0].what, "no attribute mustUnderstand is declared there");
        // Elsewhere the schema says which attributes there are.
        let alone = format!("<known xmlns='urn:a' xmlns:e='{namespace}' e:role='urn:r'>1</known>");
        assert_eq!(validation(&schemas, &alone).violations.len(), 1);
    }
}

/// Part 1, section 3.4.4: where the content is empty there are no characters; where elements may stand, blanks may.
#[test]
fn nothing_stands_where_content_is_empty() {
    let blanks = [" ", "\n", "&#32;", "<![CDATA[ ]]>"];
    for content in ["", "<xs:sequence/>", "<xs:attribute name='b'/>", "<xs:choice minOccurs='0'/>"]
    {
        let empty = of_content(content);
        for nothing in ["", "<!-- x -->", "<?x y?>"] {
            assert_eq!(wrong(&empty, "", nothing), [""; 0], "{content}");
        }
        for blank in blanks {
            let found = wrong(&empty, "", blank);
            assert_wrong(
                &found,
                &["/r: blanks stand where there is to be nothing (cvc-complex-type)"],
            );
        }
        assert_wrong(&wrong(&empty, "", "x"), &["text stands where there are elements alone"]);
    }
    for content in [
        "<xs:sequence><xs:element name='a' minOccurs='0'/></xs:sequence>",
        "<xs:sequence><xs:sequence/></xs:sequence>",
    ] {
        let optional = of_content(content);
        for blank in blanks {
            assert_eq!(wrong(&optional, "", blank), [""; 0], "{content}");
        }
    }
    let mixed = schemas("<xs:element name='r'><xs:complexType mixed='true'/></xs:element>");
    assert_eq!(wrong(&mixed, "", " x "), [""; 0]);
}

/// Those of every element are four (part 1, section 3.4.4); drafts have `null` in place of `nil`.
#[test]
fn attributes_of_instances_are_those_that_there_are() {
    let r = schemas("<xs:element name='r' type='xs:string' nillable='true'/>");
    let all = " xsi:type='xs:string' xsi:nil='false' xsi:schemaLocation='urn:a a.xsd' \
               xsi:noNamespaceSchemaLocation='b.xsd' xmlns:xs='http://www.w3.org/2001/XMLSchema'";
    assert_eq!(wrong(&r, all, ""), [""; 0]);
    let old = " xmlns:old='http://www.w3.org/1999/XMLSchema-instance' old:null='0'";
    assert_eq!(wrong(&r, old, ""), [""; 0]);
    let complex = of_content("");
    for name in ["kind", "null", "Type"] {
        let found = wrong(&complex, &format!(" xsi:{name}='0'"), "");
        let why =
            format!("/r/@{name}: no attribute {{http://www.w3.org/2001/XMLSchema-instance}}{name}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&why), "{found:?}");
    }
}

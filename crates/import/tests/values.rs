//! The values that a simple type of XML Schema leaves, as messages have them.

use trunkline_import::Limits;
use trunkline_import::xsd::{Name, Schemas};

/// The listing of an element with one inside, which is of a type with these facets.
fn listing(base: &str, facets: &str) -> String {
    let text = format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:a'>
         <xs:element name='r'><xs:complexType><xs:sequence><xs:element name='it'><xs:simpleType>
         <xs:restriction base='xs:{base}'>{facets}</xs:restriction></xs:simpleType></xs:element></xs:sequence>
         </xs:complexType></xs:element></xs:schema>"
    );
    let mut resolver = |path: &str| Ok((path == "a.xsd").then(|| text.clone().into_bytes()));
    let schemas = Schemas::read("a.xsd", &mut resolver, &Limits::default());
    let schemas = schemas.unwrap_or_else(|it| panic!("{it}"));
    let element = schemas.element(&Name::new("urn:a", "r")).expect("it is declared");
    schemas.layout(element).unwrap_or_else(|it| panic!("{it}")).listing()
}

/// However a value is written, it is one of those that there are, once.
#[test]
fn enumerations_keep_every_value() {
    let cases: [(&str, &[&str], &str, &str); 6] = [
        ("int", &["+1", " 2 ", "01", "-0", "3"], "i32", "1 2 0 3"),
        ("integer", &["-0", "+99999999999999999999"], "integer", "0 99999999999999999999"),
        ("decimal", &["+1.50", ".5", "100."], "decimal", "1.5 0.5 100"),
        // More digits than a decimal of 18 has.
        ("decimal", &["1", "123456789012345678.25"], "bigdecimal", "1 123456789012345678.25"),
        ("double", &["+1.5", "NaN", "-INF"], "f64", "1.5 NaN -INF"),
        ("base64Binary", &["A A E =", "AAE=", "eHg="], "bytes", "AAE= eHg="),
    ];
    for (base, values, kind, noted) in cases {
        let values: Vec<String> =
            values.iter().map(|it| format!("<xs:enumeration value='{it}'/>")).collect();
        let listing = listing(base, &values.concat());
        let field = format!("field\tit\t0\t{kind}\trequired\nnote\tfacet\tvalues\t{noted}\n");
        assert!(listing.contains(&field), "{base}: no {field} in {listing}");
    }
}

/// A sign changes nothing.
#[test]
fn a_bound_may_have_a_sign() {
    let listing = listing("int", "<xs:minInclusive value='+5'/>");
    assert!(listing.contains("note\tfacet\tmin_inclusive\t5\n"), "{listing}");
}

/// Messages have booleans, and not their texts.
#[test]
fn a_pattern_that_has_one_boolean_alone_is_kept() {
    for (pattern, noted) in [
        ("true|1", Some("true")),
        ("f.*", Some("false")),
        ("1", Some("1")),
        ("0|1", None),
        ("maybe", None),
    ] {
        let listing = listing("boolean", &format!("<xs:pattern value='{pattern}'/>"));
        let found = listing.lines().find_map(|it| it.strip_prefix("note\tfacet\tvalues\t"));
        assert_eq!(found, noted, "{pattern}: {listing}");
    }
}

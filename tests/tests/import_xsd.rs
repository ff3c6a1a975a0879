//! XML Schema of others.

use std::fs;

use serde_json::Value;
use trunkline_import::Limits;
use trunkline_import::xsd::Schemas;
use trunkline_tests::conformance;
use trunkline_tests::import_corpus::exceptions::Exceptions;
use trunkline_tests::import_corpus::xsd;

/// What is rejected although others take it.
const REFUSED: &[(&str, &str)] = &[
    // It imports a schema that is not there; others go on without.
    ("gsoap-netrm", "there is no document http://"),
];

/// What is taken although others reject it: nothing of it is read wrong.
const TAKEN: &[(&str, &str)] = &[
    // It is complete without what it imports for the attributes of XML.
    ("w3c-XSD_1.1-XMLSchema", ""),
];

/// In what others find something else.
const DIFFERENCES: &[(&str, &str)] = &[
    // xmlschema has the schema of WSDL itself, which the case does not.
    ("w3c-WSDL-wsdl-soap", "elements:"),
    ("w3c-WSDL-wsdl-soap", "types:"),
];

/// Elements that have no plan.
const WITHOUT_PLAN: &[(&str, &str)] = &[
    // An array by itself.
    ("castor-schema-Soap", "is an array"),
    // Abstract elements are in no document.
    ("cs-parser-polymorphism-recursive-test", "is abstract; ask for one of its substitution group"),
    ("ebxml-query", "is abstract; ask for one of its substitution group"),
    ("fpml-4-2-message", "is abstract; ask for one of its substitution group"),
    ("fpml-5-10-confirmation", "is abstract; ask for one of its substitution group"),
    ("w3c-XSD_1.1-XMLSchema", "is abstract; ask for one of its substitution group"),
    ("xsts-Particles-particlesDc005", "is abstract; ask for one of its substitution group"),
    // No document is so: it would have no end.
    ("cs-processing-inheritance-test-000", "holds itself without end"),
    ("cs-processing-inheritance-test-001", "holds itself without end"),
];

/// Valid documents that do not come back.
const LOST: &[(&str, &str)] = &[
    // An array by itself.
    ("castor-schema-Soap", "is an array"),
    // A decimal of more than 18 digits.
    ("cs-tree-binary-cdr-test", "out of range"),
    // Defaults that are dates of the same day are not the same text.
    ("cs-tree-default-general-test", "came back"),
    // Attributes of any name whose values look like names, or at the root, are not kept.
    ("cs-tree-wildcard-test", "came back"),
    // An element that is empty stands for its fixed value, which is written.
    ("xsts-ElemDecl-valueconstraint00101m1", "came back"),
    // What stands in an `all` comes back in the order of the schema.
    ("xsts-MGroupDef-modelgroup00101m1", "came back"),
    ("xsts-Particles-particlesEa004", "came back"),
    // The schema declares no element.
    ("xsts-SType-st_name00401m", "no element"),
    ("xsts-SType-st_targetns00101m", "no element"),
];

/// Documents that are not valid, and are read by their layouts. `Schemas::validate` finds what is wrong with each of them, but for
/// those of `NOT_VALIDATED`.
const ACCEPTED: &[(&str, &str)] = &[
    // A list of all that stands there: what is missing in it is not told.
    ("cs-parser-name-clash-inheritance-test", "generated-invalid-1.xml"),
    ("cs-tree-name-clash-inheritance-test", "generated-invalid-1.xml"),
    ("cs-tree-wildcard-test", "generated-invalid-1.xml"),
    ("cs-tree-wildcard-test", "generated-invalid-2.xml"),
    // What repeats as a whole is a list of what stands in it, of which the order is not checked.
    ("cs-parser-validation-choice-test", "instance-01-test-000.xml"),
    ("cs-parser-validation-choice-test", "instance-02-test-001.xml"),
    ("cs-parser-validation-choice-test", "instance-03-test-002.xml"),
    ("cs-parser-validation-choice-test", "instance-04-test-003.xml"),
    ("cs-parser-validation-choice-test", "generated-invalid-1.xml"),
    ("cs-parser-validation-sequence-test", "instance-01-test-000.xml"),
    ("cs-parser-validation-sequence-test", "instance-02-test-001.xml"),
    ("cs-parser-validation-sequence-test", "instance-03-test-002.xml"),
    ("cs-parser-validation-sequence-test", "instance-04-test-003.xml"),
    // The root is another element of the schema.
    ("w3c-DSIG-xmldsig-core-schema", "generated-invalid-2.xml"),
    ("w3c-WSDL-wsdl-soap", "generated-invalid-2.xml"),
    // The content of an element of any type is not looked into.
    ("xsts-AttrUse-au_required00101m1", "instance-02-AU_required00101m1_n.xml"),
    // Of a simple type, what `xsi:type` says is not looked at.
    ("xsts-Element-elemT046", "instance-01-elemT046.xml"),
    // Keys and uniqueness are not checked.
    ("xsts-IdConstrDefs-fields00201m3", "instance-01-fields00201m3_n.xml"),
    ("xsts-IdentityConstraint-idG005", "instance-01-idG005.xml"),
    ("xsts-IdentityConstraint-idL032", "instance-01-idL032.xml"),
    ("xsts-IdentityConstraint-idL047", "instance-01-idL047.xml"),
    ("xsts-suntest-idc004.nogen", "instance-01-idc004.nogen.n00.xml"),
    ("xsts-suntest-idc004.nogen", "instance-02-idc004.nogen.n01.xml"),
    ("xsts-suntest-idc004.nogen", "instance-03-idc004.nogen.n02.xml"),
    ("xsts-suntest-idc004.nogen", "instance-04-idc004.nogen.n03.xml"),
    ("xsts-suntest-idc006.nogen", "instance-01-idc006.nogen.n00.xml"),
    ("xsts-suntest-idc006.nogen", "instance-02-idc006.nogen.n01.xml"),
    ("xsts-suntest-identitytestsuitetest001", "instance-02-test.2.n.xml"),
    // Elements of a group that may be absent may each be absent.
    ("xsts-MGroup-particles00204m1", "instance-02-particles00204m1_n.xml"),
    ("xsts-ModelGroups-mgZ001", "instance-01-mgZ001.xml"),
    // How often a group repeats is not checked.
    ("xsts-Particles-particlesEb030", "instance-01-particlesEb030.xml"),
    // What stands for elements of any name is not looked into.
    ("xsts-Wildcard-pscontents00101m2", "instance-01-psContents00101m2_n.xml"),
    ("xsts-Wildcards-wildZ001", "instance-01-wildZ001.xml"),
];

/// Documents of which `Schemas::validate` does not say what the suite says.
const NOT_VALIDATED: &[(&str, &str)] = &[
    // An array of the encoding says by itself what it holds.
    ("castor-schema-Soap", "generated-invalid-1.xml"),
    // What its types extend is of a namespace of which no schema is there.
    ("w3c-WSDL-wsdl-soap", "generated-invalid-1.xml"),
    ("w3c-WSDL-wsdl-soap", "generated-invalid-2.xml"),
    ("w3c-WSDL-wsdl-soap", "generated-invalid-3.xml"),
    // The document names a second schema.
    ("xsts-SType-st_targetns00101m", "instance-03-ST_targetNS00101m2_p.xml"),
];

/// Messages that are made up of which a value is not as its type says.
const MADE_UP: &[(&str, &str)] = &[
    // A default whose prefix the document does not declare.
    ("cs-tree-default-general-test", "is no QName"),
    // Patterns of times and numbers, which no layout holds.
    ("fpml-4-2-message", "hourMinuteTime: \"12:30:00.000\" is not as the pattern"),
    ("fpml-5-10-confirmation", "hourMinuteTime: \"12:30:00.000\" is not as the pattern"),
    ("fpml-5-10-confirmation", "pointValue: \"1.5\" is not as the pattern"),
];

#[test]
fn schemas_of_others_are_imported() {
    let Some(suite) = conformance::directory("wsdl") else { return };
    let rows = xsd::rows(&suite);
    assert!(rows.len() > 350, "{}", rows.len());
    let [mut refused, mut taken, mut differences, mut plans, mut valid, mut invalid, mut validated] =
        [REFUSED, TAKEN, DIFFERENCES, WITHOUT_PLAN, LOST, ACCEPTED, NOT_VALIDATED]
            .map(Exceptions::new);
    let mut made_up = Exceptions::new(MADE_UP);
    for row in &rows {
        let of = (&*row.case, &*row.expected);
        Exceptions::outcome([&mut refused, &mut taken], of, row.rejected.as_deref());
        row.differences.iter().for_each(|it| differences.note(&row.case, it));
        row.without_plan.iter().for_each(|it| plans.note(&row.case, it));
        row.valid.1.iter().for_each(|it| valid.note(&row.case, it));
        row.invalid.1.iter().for_each(|it| invalid.note(&row.case, it));
        row.validated.1.iter().for_each(|it| validated.note(&row.case, it));
        row.made_up.1.iter().for_each(|it| made_up.note(&row.case, it));
    }
    Exceptions::assert_none_else([
        refused,
        taken,
        differences,
        plans,
        valid,
        invalid,
        validated,
        made_up,
    ]);
    let made_up: usize = rows.iter().map(|it| it.made_up.0).sum();
    assert!(made_up > 1300, "{made_up}");
    let counted = rows.iter().map(|it| (it.plans, it.valid.0, it.invalid.0));
    let all = counted.fold((0, 0, 0), |all, it| (all.0 + it.0, all.1 + it.1, all.2 + it.2));
    assert!(all.0 > 1300 && all.1 > 350 && all.2 > 300, "{all:?}");
}

/// The schema with the most types of all in the suite, whose files declare as many as are imported.
#[test]
fn the_largest_schema_is_imported_whole() {
    let Some(suite) = conformance::directory("wsdl") else { return };
    let facts = fs::read_to_string(suite.join("schemas.facts.jsonl")).expect("the facts");
    let facts = facts.lines().map(|it| serde_json::from_str(it).expect("JSON"));
    let facts: Vec<Value> = facts.filter(|it: &Value| it["expect"] == "accept").collect();
    let declared = |of: &Value, what: &str| of["facts"]["counts"][what].as_u64().unwrap_or(0);
    let types = |of: &Value| declared(of, "top_complexType") + declared(of, "top_simpleType");
    let largest = facts.iter().max_by_key(|it| types(it)).expect("a schema");
    let text = |key: &str| largest[key].as_str().expect("a text");
    assert_eq!(text("case"), "fpml-5-10-confirmation");
    let folder = suite.join("schemas").join(text("case"));
    let mut files = xsd::resolver(&folder, &suite);
    let schemas = Schemas::read(text("main"), &mut files, &Limits::default());
    let schemas = schemas.expect("it is imported");
    let own = largest["xmlschema"]["target_namespace"].as_str().expect("a namespace");
    let elements = schemas.elements().filter(|it| &*it.0.namespace == own).count();
    let named = schemas.types().filter(|it| &*it.0.namespace == own).count();
    assert_eq!(elements as u64, declared(largest, "top_element"));
    assert_eq!(named as u64, types(largest));
    assert!(named > 1_500, "{named} types");
}

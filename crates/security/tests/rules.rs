//! Who, what, allowed, by which rule.

use trunkline_security::{Effect, Identity, Operation, OperationSet, Role, Rule, Rules};

fn rule(
    name: &str,
    who: &[&str],
    effect: Effect,
    operations: &[Operation],
    topics: &[&str],
) -> Rule {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Rule {
        name: name.to_owned(),
        who: owned(who),
        effect,
        operations: OperationSet::of(operations),
        topics: owned(topics),
    }
}

use Effect::{Allow, Deny};
use Operation::{Administer, Consume, Delete, Publish, Request, Store, Subscribe};

fn rules() -> Rules {
    let all = rule("operators", &["role:operators"], Allow, &Operation::ALL, &[]);
    let rules = vec![
        rule("prices", &["*"], Allow, &[Subscribe], &["fx/>"]),
        rule("feeds", &["user:feed-*"], Allow, &[Publish], &["fx/*/spot", "fx/*/fwd"]),
        rule(
            "no rouble",
            &["user:feed-*", "anonymous"],
            Deny,
            &[Publish, Subscribe],
            &["fx/RUB/>"],
        ),
        rule("desks", &["certificate:*,O=Bank"], Allow, &[Store, Consume, Request], &["orders/>"]),
        rule("cleaner", &["uid:0"], Allow, &[Delete, Administer], &["orders/>"]),
        all,
    ];
    let operators =
        Role { name: "operators".into(), who: vec!["user:root".into(), "uid:1000".into()] };
    Rules::new(rules, &[operators]).expect("rules")
}

#[test]
fn who_may_do_what_by_which_rule() {
    let rules = rules();
    let feed = Identity::user("feed-7");
    let anna = Identity::user("anna");
    let desk = Identity::certificate("CN=desk-7,O=Bank");
    let none = "no access rule allows it";
    for (who, operation, pattern, expected) in [
        (&Identity::Anonymous, Subscribe, "fx/EURUSD", Ok("prices")),
        (&Identity::Anonymous, Subscribe, "fx/*", Ok("prices")),
        (&Identity::Anonymous, Subscribe, "fx/*/spot", Err("\"no rouble\" denies it")),
        (&Identity::Anonymous, Subscribe, "fx/E*", Ok("prices")),
        (&Identity::Anonymous, Subscribe, "fx/RUB/spot", Err("\"no rouble\" denies it")),
        (&Identity::Anonymous, Subscribe, ">", Err("\"no rouble\" denies it")),
        (&Identity::Anonymous, Subscribe, "$SYS/>", Err(none)),
        (&Identity::Anonymous, Publish, "fx/EURUSD/spot", Err(none)),
        (&anna, Subscribe, "fx/>", Ok("prices")),
        (&anna, Subscribe, "fx/RUB/spot", Ok("prices")),
        (&anna, Subscribe, ">", Err("all of it; \"prices\" allows \"fx/>\"")),
        (&anna, Subscribe, "*/EURUSD", Err("all of it; \"prices\" allows \"fx/>\"")),
        (&anna, Consume, "fx/>", Err(none)),
        (&feed, Publish, "fx/EURUSD/spot", Ok("feeds")),
        (&feed, Publish, "fx/EURUSD/fwd", Ok("feeds")),
        (&feed, Publish, "fx/RUB/spot", Err("\"no rouble\" denies it")),
        (&feed, Publish, "fx/EURUSD", Err(none)),
        (&feed, Store, "fx/EURUSD/spot", Err(none)),
        (&desk, Store, "orders/new", Ok("desks")),
        (&desk, Consume, "orders/>", Ok("desks")),
        (&desk, Delete, "orders/>", Err(none)),
        (&Identity::certificate("CN=desk-7,O=Other"), Store, "orders/new", Err(none)),
        (&Identity::Uid(0), Delete, "orders/new", Ok("cleaner")),
        (&Identity::Uid(0), Delete, ">", Err("all of it; \"cleaner\" allows \"orders/>\"")),
        (&Identity::Uid(1000), Publish, "$SYS/x", Ok("operators")),
        (&Identity::Uid(1000), Subscribe, ">", Ok("operators")),
        (&Identity::user("root"), Store, "orders/new", Ok("operators")),
        (&Identity::user("1000"), Store, "orders/new", Err(none)),
    ] {
        let permissions = rules.permissions(who);
        let decided = permissions.decide(operation, pattern);
        let case = format!("{who} {operation} {pattern}");
        match (&decided, expected) {
            (Ok(rule), Ok(expected)) => assert_eq!(*rule, Some(expected), "{case}"),
            (Err(forbidden), Err(part)) => {
                let text = forbidden.to_string();
                assert!(text.contains(part) && text.contains(&who.to_string()), "{case}: {text}");
                assert!(text.contains(&format!("{pattern:?}")), "{case}: {text}");
            }
            _ => panic!("{case}: {decided:?}"),
        }
        assert_eq!(permissions.of(pattern).has(operation), decided.is_ok(), "{case}");
    }
}

#[test]
fn what_has_no_topic_is_allowed_by_rules_for_all_topics() {
    let rules = rules();
    assert_eq!(rules.permissions(&Identity::Uid(1000)).administer(), Ok(Some("operators")));
    for who in [Identity::Uid(0), Identity::Anonymous] {
        let error = rules.permissions(&who).administer().unwrap_err().to_string();
        assert!(error.contains("may not administer the router: no access rule"), "{error}");
    }
    let mut with_denial = vec![rule("all", &["*"], Allow, &Operation::ALL, &[])];
    with_denial.push(rule("not anna", &["user:anna"], Deny, &[Administer], &[]));
    let rules = Rules::new(with_denial, &[]).unwrap();
    assert!(rules.permissions(&Identity::user("ann")).administer().is_ok());
    let error = rules.permissions(&Identity::user("anna")).administer().unwrap_err();
    assert_eq!(error.rule.as_deref(), Some("not anna"));
}

#[test]
fn without_rules_everything_is_allowed_and_with_one_nothing_else() {
    let none = Rules::default();
    assert!(none.is_empty());
    let open = none.permissions(&Identity::Anonymous);
    assert_eq!(open.decide(Publish, "$SYS/x"), Ok(None));
    assert_eq!((open.administer(), open.of(">")), (Ok(None), OperationSet::ALL));
    let one = vec![rule("one", &["user:a"], Allow, &[Publish], &["a"])];
    let rules = Rules::new(one, &[]).unwrap();
    let one = rules.permissions(&Identity::user("b"));
    assert_eq!(one.of("a"), OperationSet::NONE);
    let text = one.somewhere(Publish).unwrap_err().to_string();
    assert_eq!(text, "user:b may not publish to any topic: no access rule allows it");
    let one = rules.permissions(&Identity::user("a"));
    assert!(one.somewhere(Publish).is_ok() && one.somewhere(Store).is_err());
    assert!(open.somewhere(Store).is_ok());
}

#[test]
fn parts_in_two_rules_do_not_make_a_whole() {
    let rules = vec![
        rule("a", &["*"], Allow, &[Subscribe], &["a/*", "a/*/>"]),
        rule("b", &["*"], Allow, &[Subscribe], &["a"]),
    ];
    let one = Rules::new(rules, &[]).unwrap().permissions(&Identity::Anonymous);
    assert!(one.decide(Subscribe, "a/>").is_err());
    assert!(one.decide(Subscribe, "a/*").is_ok() && one.decide(Subscribe, "a/b/>").is_ok());
}

#[test]
fn what_is_wrong_with_a_rule_is_said() {
    let role = Role { name: "desks".into(), who: vec!["user:a".into()] };
    for (wrong, part) in [
        (rule("r", &["*"], Allow, &[], &[]), "allows and denies nothing"),
        (rule("r", &[], Allow, &[Publish], &[]), "for nobody"),
        (rule("r", &["anna"], Allow, &[Publish], &[]), "\"anna\" names nobody"),
        (rule("r", &["role:desk"], Allow, &[Publish], &[]), "no role \"desk\""),
        (rule("r", &["*"], Allow, &[Publish], &["a//b"]), "\"a//b\" is no pattern: at byte 2"),
    ] {
        let error = Rules::new(vec![wrong], std::slice::from_ref(&role)).unwrap_err().to_string();
        assert!(error.starts_with("the access rule \"r\": ") && error.contains(part), "{error}");
    }
    let wrong = Role { name: "desks".into(), who: vec!["role:desks".into()] };
    let error = Rules::new(Vec::new(), &[wrong]).unwrap_err().to_string();
    assert!(error.starts_with("the role \"desks\": "), "{error}");
}

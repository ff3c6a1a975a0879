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
        names: Vec::new(),
    }
}

use Effect::{Allow, Deny};
use Operation::{Administer, Consume, Delete, Observe, Publish, Request, Store, Subscribe};

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

#[test]
fn who_may_administer_may_observe() {
    let own =
        |name: &str, who: &str, effect, operation| rule(name, &[who], effect, &[operation], &[]);
    let rules = Rules::new(
        vec![
            own("operators", "user:root", Allow, Administer),
            own("monitors", "user:watch*", Allow, Observe),
            own("not this one", "user:watcher-7", Deny, Observe),
            own("nor this", "user:root-2", Deny, Observe),
            own("but", "user:root-2", Allow, Administer),
        ],
        &[],
    );
    let rules = rules.expect("rules");
    for (user, observes, administers) in [
        ("root", true, true),
        ("watcher", true, false),
        ("watcher-7", false, false),
        ("root-2", false, true),
        ("anna", false, false),
    ] {
        let permissions = rules.permissions(&Identity::user(user));
        assert_eq!(permissions.observe().is_ok(), observes, "{user}");
        assert_eq!(permissions.administer().is_ok(), administers, "{user}");
    }
    let error = rules.permissions(&Identity::user("watcher-7")).observe().unwrap_err();
    assert_eq!(error.rule.as_deref(), Some("not this one"));
}

#[test]
fn names_are_owned_by_identity() {
    let named = |name: &str, who: &str, effect, operations: &[Operation], names: &[&str]| Rule {
        names: names.iter().map(|it| (*it).to_owned()).collect(),
        ..rule(name, &[who], effect, operations, &["orders/>"])
    };
    let own = ["{name}", "{name}-*"];
    let rules = Rules::new(
        vec![
            named("own", "*", Allow, &[Store, Consume], &own),
            named("clearing", "user:clerk", Allow, &[Consume, Delete], &["clearing-*", ""]),
            named("not that", "user:clerk", Deny, &[Consume, Store], &["clearing-2", "clerk-2"]),
        ],
        &[],
    );
    let rules = rules.expect("rules");
    let (anna, clerk) = (Identity::user("anna"), Identity::user("clerk"));
    let desk = Identity::certificate("CN=desk-7,O=Bank");
    let none = "no access rule allows";
    let by_rule = "\"not that\" denies it";
    for (who, operation, name, expected) in [
        (&anna, Store, "anna", ""),
        (&anna, Store, "anna-2", ""),
        (&anna, Store, "annabel", none),
        (&anna, Store, "desk-7", none),
        (&anna, Consume, "anna-risk", ""),
        (&anna, Consume, "clearing-1", "\"own\" allows names like \"{name}\""),
        (&anna, Consume, "", none),
        (&desk, Store, "desk-7", ""),
        (&desk, Store, "desk-8", none),
        (&Identity::Anonymous, Store, "{name}", none),
        (&clerk, Consume, "clearing-1", ""),
        (&clerk, Consume, "clearing-2", by_rule),
        (&clerk, Consume, "", ""),
        (&clerk, Delete, "clearing-2", ""),
        (&clerk, Delete, "clerk", none),
        (&clerk, Store, "clerk-2", by_rule),
        (&clerk, Store, "clerk-3", ""),
    ] {
        let permissions = rules.permissions(who);
        let decided = match operation {
            Store => permissions.claim(Store, name),
            operation => permissions.decide_as(operation, "orders/new", name).map(|_| ()),
        };
        let case = format!("{who} {operation} {name:?}: {decided:?}");
        match decided {
            Ok(()) => assert_eq!(expected, "", "{case}"),
            Err(forbidden) => {
                let text = forbidden.to_string();
                assert!(!expected.is_empty() && text.contains(expected), "{case}: {text}");
                assert!(text.contains(&format!("under the name {name:?}")) || name.is_empty());
            }
        }
    }
    // Topics are compared by themselves once a producer has its name.
    assert!(rules.permissions(&clerk).decide(Store, "orders/new").is_ok());
    assert!(rules.permissions(&clerk).decide(Store, "fx/new").is_err());
    for operations in [&[Publish][..], &[Store, Subscribe], &Operation::ALL] {
        let wrong = named("wrong", "*", Allow, operations, &own);
        let error = Rules::new(vec![wrong], &[]).expect_err("no names").to_string();
        assert!(error.contains("for store, consume and delete"), "{error}");
    }
}

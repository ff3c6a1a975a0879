//! Which documents are whole, however many begin in a text.

use trunkline_random::Random;

use super::*;

/// What becomes of each document that begins in a text, followed at once.
fn fates(text: &str) -> Vec<(usize, Fate)> {
    let mut documents = Documents::default();
    let begins = begins(text).into_iter();
    begins.map(|at| (at, documents.fate(at as u64, &text.as_bytes()[at..]))).collect()
}

fn begins(text: &str) -> Vec<usize> {
    let next = |from| document_begins(text.as_bytes(), from..text.len(), true);
    std::iter::successors(next(0), |it| next(it + 1)).collect()
}

/// The documents that are whole.
fn whole(text: &str) -> Vec<&str> {
    let ends = fates(text).into_iter().filter_map(|(at, fate)| match fate {
        Fate::Whole(length) => Some(&text[at..at + length]),
        Fate::Open | Fate::Cut => None,
    });
    ends.collect()
}

#[test]
fn documents_end_where_their_elements_do() {
    let inner = "<e:Envelope a='>' b=\"'\"><b/><b>1</b ></e:Envelope >";
    for text in [
        inner,
        "<Envelope/>",
        "<?xml version='1.0'?>\n<!-- <x> --><?p <y> ?><order><order/></order>",
        "<Envelope><![CDATA[<Envelope><a b=\"]]><!-- </Envelope> --></Envelope>",
        "<Envelope><![CDATA[<Envelope><![CDATA[1]]]]><![CDATA[></Envelope>]]></Envelope>",
        "<Envelope>&lt;Envelope> 8=FIX\n 1 > 0 </Envelope>",
    ] {
        assert_eq!(whole(text)[0], text);
        // The same in one that is cut.
        for around in ["<Envelope><a>", "<Envelope><!-- ", "<Envelope a='", "<Envelope><![CDATA["] {
            if around.ends_with("CDATA[") && text.contains("]]]]>") {
                // That may as well be what the first quotes.
                continue;
            }
            let cut = format!("{around}\n{text}\n");
            assert!(whole(&cut).contains(&text), "{cut}");
            assert!(!whole(&cut).contains(&cut.trim_end()), "{cut}");
        }
    }
    assert_eq!(whole(&format!("<Envelope>{inner}</Envelope>")).len(), 2);
}

#[test]
fn what_can_stand_in_no_document_cuts_it() {
    for text in [
        "<Envelope><a></b></a></Envelope>",
        "<Envelope><a></Envelope>",
        "<Envelope a='<'></Envelope>",
        "<Envelope a <b></Envelope>",
        "<Envelope> 1 < 2 </Envelope>",
        "<Envelope><!-- <!-- --></Envelope>",
        "<Envelope><?a <?b ?></Envelope>",
        "<Envelope><![CDATA[ 1 \n<Envelope><![CDATA[ 2 ]]></Envelope>",
        "<Envelope><?xml version='1.0'?></Envelope>",
        "<Envelope><!DOCTYPE a></Envelope>",
        "<?xml version='1.0'?> text <a></a>",
        "<?xml version='1.0'?><![CDATA[]]><a></a>",
    ] {
        assert_eq!(fates(text)[0], (0, Fate::Cut), "{text}");
    }
    for text in ["<Envelope>", "<Envelope a='", "<Envelope><![CDATA[ ]]", "<?xml version='1.0'?> "]
    {
        assert_eq!(fates(text)[0], (0, Fate::Open), "{text}");
    }
    // Text behind a declaration is seen when it comes, and not only at the next tag.
    assert_eq!(fates("<?xml version='1.0'?> text")[0], (0, Fate::Cut));
}

/// What a comment, an instruction or CDATA quotes says nothing about the document around it.
#[test]
fn a_document_may_quote_what_is_cut() {
    for text in [
        "<Envelope><log><![CDATA[\n<Envelope><!-- trunc\n<Envelope><!-- ok --></Envelope>\n]]></log></Envelope>",
        "<Envelope>\n<!-- <Envelope><?a <Envelope><?b ?> -->\n</Envelope>",
        "<Envelope>\n<!-- <Envelope><![CDATA[ 1 \n<Envelope><![CDATA[ 2 ]]></Envelope> -->\n</Envelope>",
        "<Envelope><?log\n<Envelope><!-- 1 \n<Envelope><!-- 2 --> ?></Envelope>",
        "<?xml version='1.0'?><log><![CDATA[<Envelope><!-- <a> <Envelope><!-- <?p <b> <?p ]]></log>",
    ] {
        assert_eq!(whole(text)[0], text);
        // The same behind others that are cut.
        let cut = format!("<Envelope><!-- \n<Envelope><![CDATA[\n<Envelope>\n{text}");
        assert!(whole(&cut).contains(&text), "{cut}");
    }
}

#[test]
fn however_many_are_cut_a_document_behind_them_is_whole() {
    let document = "<Envelope>\n<!-- <Envelope> --><a/>\n</Envelope>";
    for cut in ["<Envelope>trunc\n", "<Envelope><a>\n<b>", "<Envelope><![CDATA[\n"] {
        for count in [MOST_OPEN / 2, MOST_OPEN - 1, MOST_OPEN, MOST_OPEN + 1] {
            let text = cut.repeat(count) + document;
            assert_eq!(whole(&text), [document], "{count} of {cut:?}");
        }
    }
    // One that is deeper than is read is none.
    let deep = ["<Envelope>", &"<a>".repeat(MOST_OPEN), &"</a>".repeat(MOST_OPEN), "</Envelope>"];
    assert_eq!(whole(&(deep.concat() + document)), [document]);
}

/// Following all at once says the same as following each by itself, where none is hidden in another.
#[test]
fn all_at_once_are_as_each_by_itself() {
    let parts = [
        "<Envelope>",
        "</Envelope>",
        "<a:Envelope x='>'>",
        "</a:Envelope>",
        "<Envelope/>",
        "<b>",
        "</b>",
        "<?xml version='1.0'?>",
        "<order>",
        "</order>",
        "text",
        "<",
        " < ",
        "\n",
        "<!-- -->",
        "<![CDATA[<]]>",
        "'",
    ];
    let mut count = 0;
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let text: String =
            (0..random.between(1, 14)).map(|_| parts[random.index(parts.len())]).collect();
        let alone = |at: &usize| Documents::default().fate(*at as u64, &text.as_bytes()[*at..]);
        let is_whole = |fate: Fate| if matches!(fate, Fate::Whole(_)) { Some(fate) } else { None };
        let expected: Vec<_> = begins(&text).iter().map(|it| (*it, is_whole(alone(it)))).collect();
        let all: Vec<_> = fates(&text).into_iter().map(|it| (it.0, is_whole(it.1))).collect();
        assert_eq!(all, expected, "seed {seed}: {text}");
        count += all.iter().filter(|it| it.1.is_some()).count();
    }
    assert!(count > 10_000, "{count}");
}

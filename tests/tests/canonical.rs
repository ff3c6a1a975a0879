//! Canonical XML as libxml2 has it: of random documents, both make the same octets of the same element.

use std::fs;
use std::path::Path;
use std::process::Command;

use trunkline_message::Limits;
use trunkline_random::Random;
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit::run;
use trunkline_ws_security::canonical::exclusive;

const DOCUMENTS: u64 = 600;
const PREFIXES: [&str; 4] = ["", "a", "b", "c"];
/// Without `&`, which libxml2 does not write as an attribute has it.
const NAMESPACES: [&str; 4] = ["urn:1", "urn:2", "urn:4?a=b", "urn:3"];
/// Without `#default`, which lxml does not hand on.
const LISTS: [&str; 6] = ["", "a", "b c", "c", "a b c", "nowhere"];
const TEXTS: [&str; 14] = [
    "x",
    " ",
    "\n\t",
    "a &amp; b",
    "&lt;&gt;&quot;&apos;",
    "]]&gt;",
    "&#13;&#xA;&#9;",
    "<![CDATA[<&>\"]]>",
    "<![CDATA[]]>",
    "<!-- a comment -->",
    "\r\n",
    "\u{fc}\u{1f600}",
    "&#x1F600;",
    "",
];
const VALUES: [&str; 7] =
    ["", "v", "a &amp; b", "&lt;'&gt;", "&#9;&#10;&#13;", " two\n lines\t", "\u{fc}"];

/// What is in scope: namespaces by prefix.
type Scope = [usize; PREFIXES.len()];
/// No namespace.
const NONE: usize = usize::MAX;

/// An element, and others inside; one of all elements of the document has the attribute `mark`.
fn element(random: &mut Random, scope: Scope, depth: usize, out: &mut String, count: &mut usize) {
    let mut scope = scope;
    let mut attributes = Vec::new();
    for (prefix, namespace) in PREFIXES.iter().zip(&mut scope) {
        // A prefix is declared where it is not yet, before it is used.
        if random.chance(if depth == 0 { 80 } else { 25 }) {
            let undeclared = prefix.is_empty() && random.chance(40);
            *namespace = if undeclared { NONE } else { random.index(NAMESPACES.len()) };
            let name = if undeclared { "" } else { NAMESPACES[*namespace] };
            let prefix = if prefix.is_empty() { String::new() } else { format!(":{prefix}") };
            attributes.push(format!("xmlns{prefix}=\"{name}\""));
        }
    }
    let usable: Vec<usize> = (1..PREFIXES.len()).filter(|it| scope[*it] != NONE).collect();
    let named = |random: &mut Random, local: &str| match usable.is_empty() || random.chance(40) {
        true => (local.to_owned(), NONE),
        false => {
            let prefix = usable[random.index(usable.len())];
            (format!("{}:{local}", PREFIXES[prefix]), scope[prefix])
        }
    };
    let (name, _) = named(random, "e");
    let mut taken = Vec::new();
    for local in ["z", "y", "x", "z"] {
        let (name, namespace) = named(random, local);
        // Two prefixes may have one namespace, and then are one name.
        if random.chance(50) && !taken.contains(&(local, namespace)) {
            taken.push((local, namespace));
            attributes.push(format!(
                "{name}='{}'",
                random.pick(VALUES.as_slice()).replace('\'', "&#39;")
            ));
        }
    }
    if random.chance(15) {
        attributes.push("xml:lang=\"en\"".to_owned());
    }
    attributes.push(format!("mark=\"{count}\""));
    *count += 1;
    random.shuffle(&mut attributes);
    let space = if random.chance(20) { "\n  " } else { " " };
    out.push_str(&format!("<{name}"));
    attributes.iter().for_each(|it| out.push_str(&format!("{space}{it}")));
    if random.chance(20) {
        return out.push_str("/>");
    }
    out.push('>');
    for _ in 0..random.index(5) {
        match depth < 5 && random.chance(60) {
            true => element(random, scope, depth + 1, out, count),
            false => out.push_str(random.pick(TEXTS.as_slice())),
        }
    }
    out.push_str(&format!("</{name}>"));
}

/// For each file, the octets of the element that is marked so.
const PROGRAM: &str = "
import sys
from lxml import etree
for line in open(sys.argv[1], encoding='ascii'):
    path, mark, *prefixes = line.split()
    element = etree.parse(path).getroot().xpath('//*[@mark=' + mark + ']')[0]
    with open(path + '.canonical', 'wb') as out:
        out.write(etree.tostring(element, method='c14n', exclusive=True, with_comments=False,
                                 inclusive_ns_prefixes=prefixes or None, with_tail=False))
";

#[test]
fn the_octets_are_those_of_libxml2() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let python = root.join("peers/build/zeep/bin/python3");
    if !python.is_file() {
        return skip("lxml is missing: make -C peers zeep");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("canonical");
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let mut jobs = String::new();
    let mut made = Vec::new();
    for seed in 0..DOCUMENTS {
        let mut random = Random::new(seed);
        let (mut document, mut count) = (String::new(), 0);
        element(&mut random, [NONE; PREFIXES.len()], 0, &mut document, &mut count);
        let (mark, list) = (random.index(count), random.pick(&LISTS));
        let path = folder.join(format!("{seed}.xml"));
        fs::write(&path, &document).expect("a file");
        jobs.push_str(&format!("{} {mark} {list}\n", path.display()));
        made.push((document, mark, list, path));
    }
    let list = folder.join("list");
    fs::write(&list, jobs).expect("a file");
    run(Command::new(python).args(["-c", PROGRAM]).arg(list));
    for (document, mark, list, path) in made {
        let at = document.find(&format!("mark=\"{mark}\"")).expect("it is there");
        let at = document[..at].rfind('<').expect("a start tag");
        let prefixes: Vec<&str> = list.split(' ').filter(|it| !it.is_empty()).collect();
        let ours = exclusive(&document, at, &prefixes, &Limits::default()).expect("canonical XML");
        let mut theirs = path.into_os_string();
        theirs.push(".canonical");
        let theirs = fs::read_to_string(&theirs).expect("theirs");
        assert_eq!(ours, theirs, "{prefixes:?} at {at} of {document}");
    }
}

//! Documents that are damaged at random: what is read at all is written and read again.

use trunkline_message::{ErrorKind, Limits};
use trunkline_random::Random;
use trunkline_soap::Version;
use trunkline_soap::graph;
use trunkline_tests::seam;

use crate::{ENCODING11, encoded, encoded12, encoders};

fn documents() -> Vec<String> {
    let array = "<a E:arrayType='xsd:int[2,2]' E:offset='[0,1]' id='n'><i E:position='[1,0]'>1</i>\
                 <i href='#x'/></a>";
    vec![
        encoded(&format!("<o:call>{array}<b href='#n'/></o:call><m id='x' E:root='0'>7</m>")),
        encoded("<o:n id='1'><next href='#2'/></o:n><m id='2' o:a='o:b'><up href='#1'/>o:x</m>"),
        encoded("<o:c><a xsi:nil='1' xsi:type='o:T'/><b id='1'><c href='#1'/></b><a/></o:c>"),
        encoded12(
            "<a E:itemType='xsd:string' E:arraySize='* 2' E:id='n'><i E:id='x'>1</i><i E:ref='x'/>\
                   </a><b E:ref='#n'/><c E:nodeType='struct'/>",
        ),
        encoded("<o:c><a xmlns='urn:d' S:encodingStyle=''><b id='1' href='#1'>o:q</b></a></o:c>")
            .replace("<S:Body", "<S:Header><o:h S:actor='x'><z/></o:h></S:Header><S:Body"),
        literal_with_encoded_block("<o:c><a href='#1'/></o:c>"),
        literal_with_encoded_block(""),
    ]
}

/// Values are shared in a header block, and the Body has another style.
fn literal_with_encoded_block(body: &str) -> String {
    let style = format!("S:encodingStyle='{ENCODING11}'");
    let block = format!(
        "<S:Header><o:h {style}><a id='1'><b id='x'>v</b></a><a href='#1'/><c href='#x'/></o:h>\
         </S:Header><S:Body>"
    );
    encoded(body).replace(&format!("<S:Body {style}>"), &block)
}

/// Pieces that mean something to somebody.
const PIECES: [&str; 24] = [
    "id='1'",
    "id='x'",
    "href='#1'",
    "href='#x'",
    "E:id='n'",
    "E:ref='n'",
    "<m id='y'>",
    "</m>",
    "<i>",
    "</i>",
    "<a>",
    "</a>",
    "xsi:nil='1'",
    "E:arrayType='o:T[]'",
    "E:arrayType='xsd:int[3]'",
    "E:position='[2]'",
    "E:root='1'",
    "S:encodingStyle=''",
    "<![CDATA[x]]>",
    "<!---->",
    "o:x",
    " ",
    "E:arraySize='2'",
    "xmlns:o='urn:p'",
];

fn damage(document: &str, random: &mut Random) -> String {
    // The envelope's declarations stay, else little would be left to read.
    let style = format!("{ENCODING11}'>");
    let start = document.find("Body").expect("a Body");
    match document.rfind(&style).filter(|it| *it < start) {
        Some(_) => damage_by(document, &style, &PIECES, random),
        None => damage_by(document, "Body", &PIECES, random),
    }
}

/// Changes a document behind the place where this stands, by pieces put in and taken out.
pub(crate) fn damage_by(
    document: &str,
    behind: &str,
    pieces: &[&str],
    random: &mut Random,
) -> String {
    let mut text = document.to_owned();
    let start = text.find(behind).map_or(0, |it| it + behind.len());
    for _ in 0..1 + random.below(2) {
        let at = |random: &mut Random, text: &str| {
            text.floor_char_boundary(start + random.below((text.len() - start) as u64) as usize)
        };
        let from = at(random, &text);
        match random.below(4) {
            0 => text.insert_str(from, pieces[random.below(pieces.len() as u64) as usize]),
            1 => {
                let end =
                    text.floor_char_boundary((from + random.below(12) as usize).min(text.len()));
                text.replace_range(from..end, "");
            }
            2 => {
                let tag = text[from..].find('>').map_or(text.len(), |it| from + it);
                let piece = pieces[random.below(pieces.len() as u64) as usize];
                text.insert_str(tag, &format!(" {piece}"));
            }
            _ => {
                let end =
                    text.floor_char_boundary((from + random.below(60) as usize).min(text.len()));
                let piece = text[from..end].to_owned();
                let to = at(random, &text);
                text.insert_str(to, &piece);
            }
        }
    }
    text
}

#[test]
fn what_can_be_read_can_be_written_and_read_again() {
    let documents = documents();
    let mut random = Random::new(11);
    let limits = Limits::default();
    let mut read = 0;
    for round in 0..56_000 {
        let document = damage(&documents[round % documents.len()], &mut random);
        let Ok(message) = seam::decode(document.as_bytes(), &limits) else { continue };
        read += 1;
        for encoder in encoders() {
            let after = match seam::encode(&encoder, &message) {
                Ok(after) => String::from_utf8(after).expect("UTF-8"),
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}: {document}");
                    continue;
                }
            };
            let again = graph::decode(after.as_bytes(), &limits)
                .unwrap_or_else(|error| panic!("{error}:\n{document}\nbecame\n{after}"));
            // Names of the encoding change with the version, and gaps become nil.
            if encoder.version == message.version && message.version == Version::Soap11 {
                assert!(message.is_same(&again), "\n{document}\nbecame\n{after}");
            }
        }
    }
    assert!(read > 3000, "only {read} were read");
}

//! Messages with text between elements (mixed content), for which a graph has no place: there each of the texts becomes an
//! element of a name that nobody else has.

use std::ops::Range;

use trunkline_codec::infoset::{Event, Reader as _, Tag as _};
use trunkline_codec::xml;
use trunkline_message::{Limits, Result};
use trunkline_soap::graph::{self, Message, Name};

/// The namespace of these elements, whose name is that as well.
const TEXT: &str = "urn:trunkline:text";

/// Is it the name of a text?
pub(super) fn is_text(name: &Name) -> bool {
    name.is(TEXT, "text")
}

/// What is in an envelope with text beside elements; none if it has none, or is wrong in other ways.
pub(super) fn decode(envelope: &str) -> Option<Message> {
    let texts = texts(envelope).ok()?;
    if texts.is_empty() {
        return None;
    }
    let mut marked = String::with_capacity(envelope.len() + 64 * texts.len());
    let mut done = 0;
    for text in texts {
        marked += &envelope[done..text.start];
        marked += &format!("<text xmlns=\"{TEXT}\">{}</text>", &envelope[text.clone()]);
        done = text.end;
    }
    marked += &envelope[done..];
    graph::decode(marked.as_bytes(), &Limits::default()).ok()
}

/// An element that is read: what stands between the tags in it.
#[derive(Default)]
struct Open {
    texts: Vec<Range<usize>>,
    /// Does one of them mean something?
    has_text: bool,
    has_elements: bool,
}

/// Where there is text in elements that hold elements too, in the order of the document.
fn texts(envelope: &str) -> Result<Vec<Range<usize>>> {
    let mut reader = xml::Reader::soap(envelope, &Limits::default())?;
    let (mut open, mut found): (Vec<Open>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    // Behind the last tag, and whether text was read since.
    let (mut behind, mut is_any) = (0, false);
    loop {
        let event = reader.next()?;
        let began = reader.began();
        if let Event::Text(text) = event {
            is_any = true;
            if let Some(around) = open.last_mut() {
                around.has_text |= !reader.is_white(text);
            }
            continue;
        }
        if let Some(around) = open.last_mut().filter(|_| is_any && began > behind) {
            around.texts.push(behind..began);
        }
        is_any = false;
        match event {
            Event::Start(_) => {
                open.last_mut().into_iter().for_each(|it| it.has_elements = true);
                open.push(Open::default());
            }
            Event::End => {
                if let Some(it) = open.pop().filter(|it| it.has_text && it.has_elements) {
                    found.extend(it.texts);
                }
            }
            _ => {
                found.sort_by_key(|it| it.start);
                return Ok(found);
            }
        }
        behind = reader.position();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(inside: &str) -> String {
        format!(
            "<E:Envelope xmlns:E='http://schemas.xmlsoap.org/soap/envelope/'>\n<E:Body>\n{inside}</E:Body></E:Envelope>"
        )
    }

    #[test]
    fn text_beside_elements_is_found_in_every_depth() {
        let inside =
            "<a> <n>x <![CDATA[<]]><!-- c -->&amp;<b/> <i>two <u>x</u></i></n><c> w </c></a>";
        let document = envelope(inside);
        let found = texts(&document).expect("it is read");
        let found: Vec<&str> = found.into_iter().map(|it| &document[it]).collect();
        assert_eq!(found, ["x <![CDATA[<]]><!-- c -->&amp;", " ", "two "]);
        let message = decode(&document).expect("it is read");
        let (_, a) = message.root().expect("a root");
        assert_eq!(message.graph.text_at(a, &["n", "text"]).ok(), Some("x <&"));
    }

    #[test]
    fn what_a_graph_reads_is_left_to_it() {
        assert!(decode(&envelope("<a> <b>x</b> </a>")).is_none());
        assert!(decode(&envelope("<a>x<b></a>")).is_none());
    }
}

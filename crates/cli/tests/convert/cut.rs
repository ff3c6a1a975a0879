//! What stands behind documents that are cut short.

use super::{convert, order};

/// Each envelope of a log that is cut is told, and the message behind it converted, however many there are.
#[test]
fn envelopes_that_are_cut_hide_no_message_behind_them() {
    let order = order("").replace('\u{1}', "|");
    let one = convert("fix", "json", &[], order.as_bytes()).1;
    for cut in ["<Envelope>", "<s:Envelope xmlns:s='", "<s:Envelope><![CDATA["] {
        let log = format!("10:00 IN {cut}trunc\n10:01 IN {order}\n").repeat(20_000);
        let (status, out, err) = convert("fix", "json", &[], log.as_bytes());
        assert_eq!((status, out.lines().count()), (Some(1), 20_000), "{err:.400}");
        assert!(out.starts_with(&one), "{out:.400}");
        assert_eq!(err.lines().count(), 20_000, "{err:.400}");
        let told = "-:39999 (byte ";
        assert!(err.contains("-:1 (byte 9): ") && err.contains(told), "{err:.400}");
    }
}

/// A file of documents, too: behind one that is cut, the next is read, and other lines are counted.
#[test]
fn a_document_that_is_cut_hides_no_envelope_behind_it() {
    let whole = order("");
    let (status, soap, err) = convert("fix", "soap-1.1", &[], whole.as_bytes());
    assert_eq!(status, Some(0), "{err}");
    let soap = soap.trim_end();
    let cut = &soap[..soap.len() / 2];
    let input = format!("{cut}\n  <more>\n{soap}\n");
    let (status, out, err) = convert("soap-1.1", "fix", &["--framed"], input.as_bytes());
    assert_eq!((status, out), (Some(1), whole), "{err}");
    assert!(err.contains("-:1 (byte 0): ") && err.contains("1 line without a message"), "{err}");
}

//! Any bytes as envelopes with headers and faults, and as edits of such.

use trunkline_message::Limits;
use trunkline_soap::{self as soap, Fault, Fragment, HeaderBlock, Opened, QName, Roles, Version};

use crate::seam;

use super::edits::{Choices, Document};

/// The roles that a node may play here.
const ROLES: [Roles<'static>; 3] =
    [Roles::ultimate(&[]), Roles::intermediary(&[]), Roles::intermediary(&["urn:role"])];

/// Documents with all that stands around a message.
pub const DOCUMENTS: [&str; 5] = [
    "<?xml version='1.0' encoding='UTF-8'?><S:Envelope \
     xmlns:S='http://schemas.xmlsoap.org/soap/envelope/' xmlns:t='urn:t' xmlns='urn:x'><S:Header>\
     <t:a S:mustUnderstand='1' S:actor='http://schemas.xmlsoap.org/soap/actor/next'>t:value</t:a>\
     <b S:actor='urn:role'><c/></b></S:Header>\
     <S:Body S:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'><t:call><d>1</d></t:call>\
     </S:Body><t:trailer/></S:Envelope>",
    "<?xml version='1.0'?>\n<env:Envelope xmlns:env='http://www.w3.org/2003/05/soap-envelope'>\n\
     <env:Header><a xmlns='urn:t' env:mustUnderstand='true' env:relay='1' \
     env:role='http://www.w3.org/2003/05/soap-envelope/role/next' q='env:x'>&#60;</a></env:Header>\
     <env:Body><b xmlns='urn:t' env:encodingStyle='urn:style'>1</b></env:Body></env:Envelope>",
    "<Envelope xmlns='http://www.w3.org/2003/05/soap-envelope'><Header/><Body/></Envelope>",
    "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/' xmlns:n='urn:n'><s:Body>\
     <s:Fault><faultcode>n:Code</faultcode><faultstring xml:lang='de'>a &lt; b</faultstring>\
     <faultactor>urn:a</faultactor><detail>text<n:e t='n:v'/><e/></detail></s:Fault></s:Body>\
     </s:Envelope>",
    "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope' xmlns:n='urn:n'><e:Header>\
     <e:NotUnderstood qname='n:To'/><e:Upgrade><e:SupportedEnvelope qname='e:Envelope'/></e:Upgrade>\
     </e:Header><e:Body><e:Fault><e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>n:Gold\
     </e:Value></e:Subcode></e:Code><e:Reason><e:Text xml:lang='de'>a</e:Text><e:Text \
     xml:lang='en'>b</e:Text></e:Reason><e:Node>urn:n</e:Node><e:Role>urn:r</e:Role><e:Detail>\
     <n:d/></e:Detail></e:Fault></e:Body></e:Envelope>",
];

/// Opens, forwards and decodes a document: the bytes themselves or, by the lowest bit of the first,
/// a good document with changes.
///
/// # Panics
/// If what was read does not stand by itself, or is another after it was written and read again.
pub fn envelope(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    if first & 1 == 0 {
        return check(data);
    }
    let mut choices = Choices::new(data);
    let mut document = Document::new(DOCUMENTS[usize::from(first >> 1) % DOCUMENTS.len()]);
    for _ in 0..choices.below(6) {
        document.edit(&mut choices);
    }
    check(&document.bytes(&mut choices));
}

fn check(bytes: &[u8]) {
    let limits = Limits { message_bytes: 1 << 20, ..Limits::default() };
    let fault = seam::fault(bytes, &limits);
    let Ok(opened) = seam::open(bytes, &limits) else {
        assert!(fault.is_err(), "a fault that cannot be opened");
        return;
    };
    if let Some(place) = opened.place {
        assert_eq!((bytes[place.start], bytes[place.tag_end - 1]), (b'<', b'>'));
        assert!(place.start < place.name_end && place.name_end < place.tag_end);
    }
    blocks(&opened, &limits);
    forwarded(bytes, &opened, &limits);
    if let Ok(fault) = fault {
        assert!(opened.is_fault);
        faults(&fault, &limits);
    }
}

/// What must not change of a block. How its content is declared may.
type Said = (QName, bool, bool, [bool; 3]);

fn said(block: &HeaderBlock) -> Said {
    let played = ROLES.map(|roles| roles.play(block));
    (block.name.clone(), block.must_understand, block.relay, played)
}

/// Blocks stand by themselves, and mean the same in an envelope of ours.
fn blocks(opened: &Opened, limits: &Limits) {
    let mut header = String::new();
    for block in &opened.header {
        // Processing instructions are let be in what others sent, and not in what we send.
        if !block.content.as_str().contains("<?") {
            assert_eq!(Fragment::parse(block.content.as_str()).as_ref(), Ok(&block.content));
        }
        assert_eq!(block.content.name(), &block.name);
        header.push_str(&block.encode(opened.version));
    }
    let namespace = match opened.version {
        Version::Soap11 => "http://schemas.xmlsoap.org/soap/envelope/",
        Version::Soap12 => "http://www.w3.org/2003/05/soap-envelope",
    };
    let document = format!(
        "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\"><SOAP-ENV:Header>{header}\
         </SOAP-ENV:Header><SOAP-ENV:Body/></SOAP-ENV:Envelope>"
    );
    let again = soap::open(document.as_bytes(), limits).expect("an envelope of ours").header;
    assert_eq!(again.len(), opened.header.len());
    for (block, again) in opened.header.iter().zip(&again) {
        assert_eq!(said(again), said(block));
    }
}

/// An intermediary's message has the blocks it should have, and all else as it was.
fn forwarded(bytes: &[u8], opened: &Opened, limits: &Limits) {
    let inserted =
        HeaderBlock::new(Fragment::text(&QName::new("", "via"), "us").expect("a name")).mandatory();
    for roles in ROLES {
        let processed = |name: &QName| name.local == "a";
        let forward =
            soap::forward(bytes, limits, &roles, &processed, std::slice::from_ref(&inserted));
        let Ok(forward) = forward else { return };
        let again = soap::open(&forward, limits).expect("what was forwarded");
        let kept =
            opened.header.iter().filter(|it| soap::is_forwarded(it, &roles, processed(&it.name)));
        let expected: Vec<Said> = kept.chain([&inserted]).map(said).collect();
        assert_eq!(again.header.iter().map(said).collect::<Vec<_>>(), expected);
        assert_eq!(again.body, opened.body);
        assert_eq!(again.encoding_style, opened.encoding_style);
    }
}

/// SOAP 1.2 says all that there is to say; SOAP 1.1 says the same every time.
fn faults(fault: &Fault, limits: &Limits) {
    let through = |fault: &Fault, version| Fault::decode(&fault.encode(version), limits);
    assert_eq!(through(fault, Version::Soap12).as_ref(), Ok(fault));
    let first = through(fault, Version::Soap11).expect("a fault of ours");
    assert_eq!(through(&first, Version::Soap11).as_ref(), Ok(&first));
}

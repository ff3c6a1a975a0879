//! Security headers that somebody has made or changed to be taken for what they are not.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use trunkline_message::Limits;
use trunkline_soap::{Roles, open};
use trunkline_wire::{Timestamp, base64};
use trunkline_ws_security::{Authorities, Caller, Guard, Received, Seal, SigningKey};

const NOON: &[u8] = b"2026-03-01T12:00:00Z";
const ENVELOPE: &str = "<E:Envelope xmlns:E=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:u=\"urn:unused\">\
    <E:Body><pay xmlns=\"urn:bank\" to=\"ann\" sum=\"10\"><note>for &amp; from</note><empty/></pay></E:Body></E:Envelope>";

struct Bank {
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl Bank {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "authority");
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(params, key).expect("it signs itself");
        Self { authority }
    }

    fn key(&self, until: Option<i32>) -> Arc<SigningKey> {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, "ann");
        if let Some(year) = until {
            params.not_after = rcgen::date_time_ymd(year, 1, 1);
        }
        let certificate = params.signed_by(&key, &self.authority).expect("it is signed").pem();
        let key = SigningKey::from_pem(key.serialize_pem().as_bytes(), certificate.as_bytes());
        Arc::new(key.expect("a key"))
    }

    fn guard(&self) -> Guard {
        let pem = self.authority.pem();
        Guard::new().signed(Authorities::from_pem(pem.as_bytes()).expect("an authority"))
    }

    fn signed(&self) -> String {
        sealed(&Seal::new().sign(self.key(None)))
    }

    /// Who sent this, by a guard that has seen nothing before.
    fn verdict(&self, document: &str) -> Result<Caller, String> {
        verdict(&self.guard(), document, 0)
    }
}

fn moment(seconds: i64) -> Timestamp {
    let noon = Timestamp::parse_xml(NOON).expect("a moment").unix_nanoseconds();
    Timestamp::from_unix_nanoseconds(noon + i128::from(seconds) * 1_000_000_000).expect("a moment")
}

fn sealed(seal: &Seal) -> String {
    let bytes = seal.apply(ENVELOPE.as_bytes(), moment(0)).expect("an envelope");
    String::from_utf8(bytes).expect("UTF-8")
}

/// Code and reason of the fault, if it is one.
fn verdict(guard: &Guard, document: &str, seconds: i64) -> Result<Caller, String> {
    let limits = Limits::default();
    let opened = open(document.as_bytes(), &limits).map_err(|it| format!("unread: {it}"))?;
    let (header, roles) = (&*opened.header, &Roles::ultimate(&[]));
    let received = Received { header, roles, document: Some(document.as_bytes()), limits: &limits };
    guard.check(&received, moment(seconds)).map_err(|fault| {
        let code = fault.subcodes.last().map_or("none", |it| &it.local);
        format!("{code}: {}", fault.reason)
    })
}

#[track_caller]
fn rejected(bank: &Bank, document: &str, expected: &str) {
    match bank.verdict(document) {
        Err(why) => assert!(why.starts_with(expected), "{why}, not {expected}\n{document}"),
        Ok(caller) => panic!("{caller:?} is taken, not {expected}\n{document}"),
    }
}

/// With a part of it replaced, which is there.
#[track_caller]
fn replaced(document: &str, from: &str, to: &str) -> String {
    assert!(document.contains(from), "{from} is not in {document}");
    document.replacen(from, to, 1)
}

/// From the start of this to the end of that.
#[track_caller]
fn part<'d>(document: &'d str, from: &str, to: &str) -> &'d str {
    let start = document.find(from).expect("it begins");
    let end = document[start..].find(to).expect("it ends") + to.len();
    &document[start..start + end]
}

#[test]
fn what_canonical_xml_does_not_tell_apart_may_change() {
    let bank = Bank::new();
    let signed = bank.signed();
    for (from, to) in [
        ("<empty/>", "<empty></empty>"),
        ("<empty/>", "<empty\n/>"),
        ("to=\"ann\" sum=\"10\"", "sum='10'\n to = 'ann'"),
        ("for &amp; from", "f&#x6f;r <![CDATA[&]]> from"),
        ("for &amp; from", "for &amp; fr<!-- not -->om"),
        (" xmlns:u=\"urn:unused\"", ""),
        ("<E:Body", "\n<E:Body"),
    ] {
        let document = replaced(&signed, from, to);
        let caller = bank.verdict(&document).unwrap_or_else(|it| panic!("{it}: {to}"));
        assert_eq!(caller.subject.as_deref(), Some("CN=ann"));
    }
}

#[test]
fn what_is_signed_cannot_be_changed() {
    let bank = Bank::new();
    let signed = bank.signed();
    for (from, to) in [
        ("sum=\"10\"", "sum=\"1000\""),
        ("<note>", " <note>"),
        ("for &amp; from", "for  &amp; from"),
        ("<empty/>", ""),
        ("<empty/>", "<empty xmlns=\"\"/>"),
        ("<empty/>", "<e:empty xmlns:e=\"urn:bank\"/>"),
        ("<empty/>", "<empty xml:lang=\"en\"/>"),
        ("urn:bank", "urn:tank"),
        ("12:05:00", "23:05:00"),
        ("<wsu:Created>", "<wsu:Created> "),
    ] {
        rejected(&bank, &replaced(&signed, from, to), "FailedCheck: the digest of");
    }
    let value = part(&signed, "<ds:SignatureValue>", "</ds:SignatureValue>").to_owned();
    let other = part(&bank.signed(), "<ds:SignatureValue>", "</ds:SignatureValue>").to_owned();
    rejected(&bank, &signed.replace(&value, &other), "FailedCheck: the signature");
    let short = "<ds:SignatureValue>AAAA</ds:SignatureValue>";
    rejected(&bank, &signed.replace(&value, short), "FailedCheck: the signature");
    let zero = format!("<ds:SignatureValue>{}==</ds:SignatureValue>", "A".repeat(86));
    rejected(&bank, &signed.replace(&value, &zero), "FailedCheck: the signature");
    let reference = part(&signed, "<ds:Reference ", "</ds:Reference>").to_owned();
    rejected(&bank, &signed.replace(&reference, ""), "FailedCheck: the signature");
    let timestamp = part(&signed, "<wsu:Timestamp", "</wsu:Timestamp>").to_owned();
    rejected(&bank, &signed.replace(&timestamp, ""), "InvalidSecurity: a Timestamp is needed");
}

/// McIntosh & Austel 2005: what is signed is moved to where nobody processes it.
#[test]
fn a_signed_copy_elsewhere_proves_nothing() {
    let bank = Bank::new();
    let signed = bank.signed();
    let body = part(&signed, "<E:Body", "</E:Body>").to_owned();
    let id = body.split("Id=\"").nth(1).and_then(|it| it.split('"').next()).expect("it has one");
    let id = format!("Id=\"{id}\"");
    let evil = "<pay xmlns=\"urn:bank\" to=\"eve\" sum=\"1000\"/>";
    let with = |body: &str, block: &str| {
        let document = signed.replace(part(&signed, "<E:Body", "</E:Body>"), body);
        replaced(&document, "</env:Header>", &format!("{block}</env:Header>"))
    };
    let plain = format!("<E:Body>{evil}</E:Body>");
    let wrapper = format!("<w:Wrapper xmlns:w=\"urn:w\">{body}</w:Wrapper>");
    rejected(&bank, &with(&plain, &wrapper), "FailedCheck");
    // As a header block of its own it may be signed, but is not the Body.
    rejected(&bank, &with(&plain, &body), "FailedCheck: the Body is not signed");
    // Inside of the new Body.
    rejected(&bank, &with(&format!("<E:Body>{evil}{body}</E:Body>"), ""), "FailedCheck");
    // With the same identifier, in any spelling that somebody may read.
    let wsu = "xmlns:z=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\"";
    for attribute in [
        format!("{wsu} z:{id}"),
        id.clone(),
        format!("xml:{}", id.replace("Id", "id")),
        id.replace("Id", "ID"),
    ] {
        let same = format!("<E:Body {attribute}>{evil}</E:Body>");
        rejected(&bank, &with(&same, &wrapper), "InvalidSecurity: several elements have");
    }
    // The time stamp, moved out of the header whose it is.
    let timestamp = part(&signed, "<wsu:Timestamp", "</wsu:Timestamp>").to_owned();
    let fresh = "<wsu:Timestamp><wsu:Created>2026-03-01T12:00:00Z</wsu:Created></wsu:Timestamp>";
    let document = signed.replace(&timestamp, fresh);
    let declared = timestamp.replacen(
        "<wsu:Timestamp",
        &format!("<wsu:Timestamp {}", wsu.replace(":z=", ":wsu=")),
        1,
    );
    let document = replaced(&document, "</env:Header>", &format!("{declared}</env:Header>"));
    rejected(&bank, &document, "FailedCheck: the Timestamp is not signed");
}

#[test]
fn only_the_listed_algorithms_are_taken() {
    let bank = Bank::new();
    let signed = bank.signed();
    let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
    let method =
        "<ds:SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256\"";
    for other in [
        "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1",
        "none",
        "",
    ] {
        let other = format!("<ds:SignatureMethod Algorithm=\"{other}\"");
        rejected(&bank, &replaced(&signed, method, &other), "UnsupportedAlgorithm");
    }
    // Of the other kind of key, it is none of this one.
    let other = method.replace("ecdsa-sha256", "rsa-sha256");
    rejected(&bank, &replaced(&signed, method, &other), "FailedCheck: the signature");
    for other in [
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
        "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
        "http://www.w3.org/TR/1999/REC-xslt-19991116",
        "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
    ] {
        let canonicalization = format!("<ds:CanonicalizationMethod Algorithm=\"{exclusive}\"");
        let changed = canonicalization.replace(exclusive, other);
        rejected(&bank, &replaced(&signed, &canonicalization, &changed), "UnsupportedAlgorithm");
    }
    // What is inside of SignedInfo is looked at only after its signature; nobody who may sign can ask for these either,
    // which the reading of a reference sees to.
    let sha1 = "<ds:DigestMethod Algorithm=\"http://www.w3.org/2000/09/xmldsig#sha1\"";
    let sha256 = "<ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"";
    rejected(&bank, &replaced(&signed, sha256, sha1), "FailedCheck: the signature");
}

#[test]
fn a_header_has_what_it_has_to_have_and_no_more() {
    let bank = Bank::new();
    let signed = bank.signed();
    let end = "</wsse:Security>";
    let signature = part(&signed, "<ds:Signature ", "</ds:Signature>").to_owned();
    let token =
        part(&signed, "<wsse:BinarySecurityToken", "</wsse:BinarySecurityToken>").to_owned();
    let timestamp = part(&signed, "<wsu:Timestamp", "</wsu:Timestamp>").to_owned();
    let more = |what: &str| replaced(&signed, end, &format!("{what}{end}"));
    rejected(&bank, &more(&signature), "InvalidSecurity: the Security header has Signature twice");
    rejected(&bank, &more(&timestamp), "InvalidSecurity: the Security header has Timestamp twice");
    rejected(&bank, &signed.replace(&signature, ""), "InvalidSecurity: a Security header has one");
    rejected(&bank, &signed.replace(&token, ""), "SecurityTokenUnavailable");
    let of_another =
        part(&bank.signed(), "<wsse:BinarySecurityToken", "</wsse:BinarySecurityToken>").to_owned();
    let of_another = {
        let value = part(&of_another, ">", "<").to_owned();
        token.replace(part(&token, ">", "<"), &value)
    };
    rejected(&bank, &signed.replace(&token, &of_another), "FailedCheck: the signature");
    let foreign = Bank::new().signed();
    rejected(&bank, &foreign, "FailedAuthentication: the certificate is not trusted");
    let old = sealed(&Seal::new().sign(bank.key(Some(2020))));
    rejected(&bank, &old, "FailedAuthentication: the certificate is not trusted");
    let information = part(&signed, "<ds:KeyInfo>", "</ds:KeyInfo>").to_owned();
    let named = "<ds:KeyInfo><ds:KeyName>ann</ds:KeyName></ds:KeyInfo>";
    rejected(&bank, &signed.replace(&information, named), "UnsupportedSecurityToken");
    let encrypted = "<x:EncryptedKey xmlns:x=\"http://www.w3.org/2001/04/xmlenc#\"/>";
    rejected(&bank, &more(encrypted), "UnsupportedAlgorithm: what is encrypted is not read here");
    rejected(&bank, &more("<s:Assertion xmlns:s=\"urn:s\"/>"), "UnsupportedSecurityToken");
    let user = "<wsse:UsernameToken><wsse:Username>eve</wsse:Username></wsse:UsernameToken>";
    rejected(&bank, &more(user), "FailedCheck: the UsernameToken is not signed");
    let security = part(&signed, "<wsse:Security", end).to_owned();
    let twice = signed.replace(&security, &security.repeat(2));
    rejected(&bank, &twice, "InvalidSecurity: there are several Security headers");
    rejected(&bank, ENVELOPE, "InvalidSecurity: a Security header is needed");
    // What is for others is theirs.
    let theirs = security.replacen("<wsse:Security ", "<wsse:Security env:actor=\"urn:proxy\" ", 1);
    rejected(&bank, &signed.replace(&security, &theirs), "InvalidSecurity: a Security header");
    assert!(bank.verdict(&signed.replace(&security, &format!("{theirs}{security}"))).is_err());
    let unsigned = Guard::new();
    let why = verdict(&unsigned, &signed, 0).expect_err("nobody looks at it");
    assert_eq!(why, "UnsupportedSecurityToken: signatures are not verified here");
}

/// A token of somebody else, or a good one that was seen elsewhere, is not put beside a signature.
#[test]
fn a_user_beside_a_signature_is_signed_too() {
    let bank = Bank::new();
    let guard = || bank.guard().users(|user, password| (user, password) == ("bob", "secret"));
    let both = sealed(&Seal::new().user("bob", "secret").sign(bank.key(None)));
    let caller = verdict(&guard(), &both, 0).expect("both are good");
    assert_eq!((caller.user.as_deref(), caller.subject.as_deref()), (Some("bob"), Some("CN=ann")));
    let other = sealed(&Seal::new().user("bob", "secret"));
    let token = part(&other, "<wsse:UsernameToken", "</wsse:UsernameToken>");
    let added = bank.signed().replace("</wsse:Security>", &format!("{token}</wsse:Security>"));
    let why = verdict(&guard(), &added, 0).expect_err("the token is not signed");
    assert_eq!(why, "FailedCheck: the UsernameToken is not signed");
    let swapped = both.replace(part(&both, "<wsse:UsernameToken", "</wsse:UsernameToken>"), token);
    assert!(
        verdict(&guard(), &swapped, 0)
            .expect_err("another token")
            .starts_with("InvalidSecurity: no element")
    );
}

#[test]
fn long_lists_are_cut_short() {
    let bank = Bank::new();
    let signed = bank.signed();
    let transform = part(&signed, "<ds:Transform ", "</ds:Transform>").to_owned();
    let reference = part(&signed, "<ds:Reference ", "</ds:Reference>").to_owned();
    rejected(&bank, &replaced(&signed, &transform, &transform.repeat(1000)), "none: ");
    rejected(
        &bank,
        &replaced(&signed, &reference, &reference.repeat(17)),
        "InvalidSecurity: a SignedInfo has 1 to 16",
    );
    let deep = format!("{}{}", "<a>".repeat(100), "</a>".repeat(100));
    rejected(&bank, &replaced(&signed, &transform, &deep), "none: ");
    let algorithm =
        "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\">";
    let inclusive = |list: &str| {
        format!(
            "{algorithm}<i:InclusiveNamespaces xmlns:i=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"{list}\"/>"
        )
    };
    let many = replaced(&signed, algorithm, &inclusive(&"p ".repeat(33)));
    rejected(&bank, &many, "InvalidSecurity: a PrefixList has at most 32");
    let bomb = format!(
        "<!DOCTYPE a [<!ENTITY b \"c\">]>{}",
        signed.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    );
    rejected(&bank, &bomb, "unread: ");
}

#[test]
fn a_message_holds_for_a_while_and_once() {
    let bank = Bank::new();
    let signed = bank.signed();
    let guard = bank.guard();
    let expect = |seconds, expected: &str| {
        let why = verdict(&guard, &signed, seconds).expect_err(expected);
        assert!(why.starts_with(expected), "{seconds}: {why}");
    };
    expect(361, "MessageExpired: ");
    expect(-61, "InvalidSecurity: the Timestamp was made in the future");
    assert!(verdict(&guard, &signed, 360).is_ok());
    expect(360, "InvalidSecurity: the signature was used before");
    let patient = bank.guard().patience(Duration::from_secs(3600), Duration::from_secs(3600));
    assert!(verdict(&patient, &signed, -3600).is_ok());
    let full = bank.guard().remember(0);
    let why = verdict(&full, &signed, 0).expect_err("nothing can be remembered");
    assert!(why.starts_with("none: so many messages came"), "{why}");
}

#[test]
fn tokens_of_users_are_looked_at_whole() {
    let guard = || {
        Guard::new()
            .users(|user, password| (user, password) == ("ann", "secret"))
            .passwords(|user| (user == "ann").then(|| "secret".to_owned()))
    };
    let token = sealed(&Seal::new().user_digest("ann", "secret"));
    let text = sealed(&Seal::new().user("ann", "secret"));
    assert!(verdict(&guard(), &token, 0).is_ok() && verdict(&guard(), &text, 0).is_ok());
    let nonce = part(&token, "<wsse:Nonce", "</wsse:Nonce>").to_owned();
    let created = part(&token, "<wsu:Created>", "</wsu:Created>").to_owned();
    let name = "<wsse:Username>ann</wsse:Username>";
    for (document, expected) in [
        (token.replace(&nonce, ""), "InvalidSecurity: a PasswordDigest needs"),
        (token.replace(&created, ""), "InvalidSecurity: a Nonce needs Created"),
        (
            token.replace(&created, &created.repeat(2)),
            "InvalidSecurity: the UsernameToken has Created twice",
        ),
        (token.replace(&nonce, "<wsse:Nonce>AAAA</wsse:Nonce>"), "InvalidSecurity: the Nonce"),
        (token.replace("12:00:00", "12:00:01"), "FailedAuthentication: "),
        (
            token.replace("12:00:00.000Z", "12:00:00.000"),
            "InvalidSecurity: Created of the UsernameToken is no moment",
        ),
        (token.replace("2026-03-01", "2026-02-01"), "MessageExpired: "),
        (
            token.replace("2026-03-01", "2027-02-01"),
            "InvalidSecurity: the UsernameToken was made in the future",
        ),
        (token.replace("#PasswordDigest", "#PasswordOther"), "UnsupportedSecurityToken: "),
        (token.replace("#PasswordDigest", "#PasswordText"), "FailedAuthentication: "),
        (text.replace(">secret<", ">secre<"), "FailedAuthentication: "),
        (text.replace(">secret<", ">secret <"), "FailedAuthentication: "),
        (text.replace(name, ""), "InvalidSecurity: the UsernameToken has no Username"),
        (
            text.replace(name, &name.repeat(2)),
            "InvalidSecurity: the UsernameToken has Username twice",
        ),
        (text.replace(name, &format!("{name}<wsse:Other/>")), "UnsupportedSecurityToken: Other"),
        (text.replace(">ann<", ">ann<a/><"), "InvalidSecurity: the UsernameToken has no Username"),
    ] {
        let why = verdict(&guard(), &document, 0).expect_err(expected);
        assert!(why.starts_with(expected), "{why}, not {expected}: {document}");
    }
    // A comment cuts no name short.
    let why = verdict(&guard(), &text.replace(">ann<", ">ann<!-- -->x<"), 0).expect_err("annx");
    assert!(why.starts_with("FailedAuthentication"), "{why}");
    assert!(verdict(&guard(), &text.replace(">ann<", ">a<!-- -->nn<"), 0).is_ok());
    let digest_only = Guard::new().passwords(|_| Some("secret".to_owned()));
    let why = verdict(&digest_only, &text, 0).expect_err("no digest");
    assert!(why.starts_with("UnsupportedSecurityToken: a PasswordDigest is needed"), "{why}");
}

/// Of a signature on a curve the second number may be negated: it is another value, and the same message.
#[test]
fn a_message_is_known_in_whatever_form_its_signature_is() {
    const ORDER: [u8; 32] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63,
        0x25, 0x51,
    ];
    let bank = Bank::new();
    let signed = bank.signed();
    let text = part(&signed, "<ds:SignatureValue>", "</ds:SignatureValue>");
    let text = text.trim_start_matches("<ds:SignatureValue>");
    let text = text.trim_end_matches("</ds:SignatureValue>");
    let mut octets = Vec::new();
    base64::decode_into(text.as_bytes(), 64, &mut octets).expect("base64");
    let mut borrow = 0;
    for index in (0..32).rev() {
        let difference = i16::from(ORDER[index]) - i16::from(octets[32 + index]) - borrow;
        borrow = i16::from(difference < 0);
        octets[32 + index] = difference.rem_euclid(256) as u8;
    }
    let mut negated = Vec::new();
    base64::encode_into(&octets, &mut negated);
    let negated = signed.replace(text, &String::from_utf8_lossy(&negated));
    assert_ne!(negated, signed);
    let guard = bank.guard();
    assert!(verdict(&guard, &negated, 0).is_ok(), "it is a good signature");
    let why = verdict(&guard, &signed, 0).expect_err("it was used");
    assert_eq!(why, "InvalidSecurity: the signature was used before");
}

/// A digest does not say for which user it is.
#[test]
fn a_token_is_not_replayed_for_another_user() {
    let guard = Guard::new().passwords(|_| Some("secret".to_owned()));
    let token = sealed(&Seal::new().user_digest("ann", "secret"));
    assert!(verdict(&guard, &token, 0).is_ok());
    for other in ["Ann", "ann ", "bob"] {
        let why = verdict(&guard, &token.replace(">ann<", &format!(">{other}<")), 0);
        let why = why.expect_err("the same password is no reason");
        assert_eq!(why, "InvalidSecurity: the UsernameToken was used before");
    }
    let guard = Guard::new().users(|_, _| true);
    let text = sealed(&Seal::new().user("ann", "secret"));
    let created = part(&text, "<wsu:Created>", "</wsu:Created>").to_owned();
    let why = verdict(&guard, &text.replace(&created, ""), 0).expect_err("nobody knows until when");
    assert!(why.starts_with("InvalidSecurity: a Nonce needs Created"), "{why}");
    let inside = created.replace("2026", "<x/>2026");
    let why = verdict(&guard, &text.replace(&created, &inside), 0).expect_err("no text");
    assert!(why.starts_with("InvalidSecurity: Created of the UsernameToken is no text"), "{why}");
}

/// Who has a certificate that is trusted for itself does not issue others.
#[test]
fn only_authorities_issue_certificates() {
    let named = |name: &str| {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, name);
        params
    };
    let seal = |key: &str, certificate: &str| {
        let key = SigningKey::from_pem(key.as_bytes(), certificate.as_bytes()).expect("a key");
        sealed(&Seal::new().sign(Arc::new(key)))
    };
    let key = KeyPair::generate().expect("a key");
    let pem = key.serialize_pem();
    let ann = CertifiedIssuer::self_signed(named("ann"), key).expect("it signs itself");
    let guard =
        || Guard::new().signed(Authorities::from_pem(ann.pem().as_bytes()).expect("a certificate"));
    let caller = verdict(&guard(), &seal(&pem, &ann.pem()), 0).expect("it is trusted itself");
    assert_eq!(caller.subject.as_deref(), Some("CN=ann"));
    let key = KeyPair::generate().expect("a key");
    let boss = named("boss").signed_by(&key, &ann).expect("it is signed").pem();
    let why = verdict(&guard(), &seal(&key.serialize_pem(), &boss), 0).expect_err("by ann alone");
    assert!(why.starts_with("FailedAuthentication: the certificate is not trusted"), "{why}");
    let others = guard().signers(|subject| subject == "CN=bob");
    let why = verdict(&others, &seal(&pem, &ann.pem()), 0).expect_err("another subject");
    assert_eq!(why, "FailedAuthentication: \"CN=ann\" may not sign here");
}

/// Long names around many elements are not copied for each of them.
#[test]
fn what_is_repeated_by_reading_is_bounded() {
    let bank = Bank::new();
    let signed = bank.signed();
    let long = "n".repeat(1_000_000);
    let attributes: String = (0..200).map(|it| format!(" p:a{it}=''")).collect();
    let many = format!("<p:e{attributes}/>").repeat(400);
    let block = format!("<p:o xmlns:p='urn:{long}'>{many}</p:o></wsse:Security>");
    let why = bank.verdict(&replaced(&signed, "</wsse:Security>", &block)).expect_err("a token");
    assert!(why.len() < 300, "{} characters", why.len());
    // What nobody has signed yet is not made longer by canonical XML.
    let many = "<p:e/>".repeat(400);
    let method = "<ds:DigestMethod ";
    let of_signatures = "InvalidSecurity: a SignedInfo has elements that are none of signatures";
    let inside = format!("<o xmlns:p='urn:{long}'>{many}</o>{method}");
    rejected(&bank, &replaced(&signed, method, &inside), of_signatures);
    let inside = format!("<ds:Transforms xmlns:p='urn:{long}' p:a=''/>{method}");
    rejected(&bank, &replaced(&signed, method, &inside), of_signatures);
    let identifier = format!("\"#{}\"", "i".repeat(100_000));
    let reference = part(&signed, "URI=\"#X509-", "\" ").to_owned();
    let renamed = replaced(&signed, &reference, &format!("URI={identifier} "));
    let why = bank.verdict(&renamed).expect_err("no such token");
    assert!(why.starts_with("SecurityTokenUnavailable") && why.len() < 300, "{}", why.len());
}

//! Security headers, with WSS4J under CXF at the other end: users with text and digest, signatures with both kinds of keys.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use trunkline_message::Message;
use trunkline_session::soap::ws_security::{Authorities, Guard, Seal, SigningKey};
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Context, Fault, Running, Server,
    Service as OurService,
};
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit::{is_here, run};
use trunkline_wire::Timestamp;

use super::{Service, folder, java, libraries, source};

const NAMESPACE: &str = "urn:secured";
/// As the Java program has it.
const PASSWORD: &str = "l\u{f6}we & <1>";
/// All that canonical XML has to write in its own way, and what is near it.
const TEXT: &str = "a & <b> ]]> \"q\" 'r' \u{fc} \u{1f600}  two";

#[derive(Message, Clone, Debug, PartialEq)]
struct Echo {
    text: String,
}

/// Writes an authority, and for each kind of key one with its certificate; answers the kinds.
fn write_keys(folder: &Path) -> Vec<&'static str> {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "authority");
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("it signs itself");
    fs::write(folder.join("authority.pem"), authority.pem()).expect("a file");
    let mut keys = vec![("p256", KeyPair::generate().expect("a key"))];
    if is_here("openssl") {
        let make = ["genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
        let pem = run(Command::new("openssl").args(make));
        keys.push(("rsa", KeyPair::from_pem(&pem).expect("a key")));
    } else {
        skip("openssl is missing, which makes keys of RSA: apt install openssl");
    }
    for (name, key) in &keys {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, *name);
        let certificate = params.signed_by(key, &authority).expect("it is signed");
        fs::write(folder.join(format!("{name}.pem")), certificate.pem()).expect("a file");
        fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).expect("a file");
    }
    keys.into_iter().map(|it| it.0).collect()
}

fn seal(how: &str, folder: &Path) -> Seal {
    let read = |name: String| fs::read(folder.join(name)).expect("a file");
    match how {
        "text" => Seal::new().user("ann", PASSWORD).timestamp(None),
        "digest" => Seal::new().user_digest("ann", PASSWORD).timestamp(None),
        _ => {
            let (key, certificate) = (read(format!("{how}.key")), read(format!("{how}.pem")));
            let key = SigningKey::from_pem(&key, &certificate).expect("a key");
            Seal::new().sign(Arc::new(key))
        }
    }
}

fn guard(how: &str, folder: &Path, password: &'static str) -> Guard {
    let guard = Guard::new().timestamp();
    match how {
        "text" => guard.users(move |user, shown| user == "ann" && shown == password),
        "digest" => guard.passwords(move |user| (user == "ann").then(|| password.to_owned())),
        _ => {
            let authority = fs::read(folder.join("authority.pem")).expect("a file");
            guard.signed(Authorities::from_pem(&authority).expect("an authority"))
        }
    }
}

/// What is signed is answered so.
fn is_signature(how: &str) -> bool {
    !matches!(how, "text" | "digest")
}

fn serve(how: &str, folder: &Path, password: &'static str) -> Running {
    let echo = |echo: Echo, context: &mut Context| {
        let caller = context.identity().unwrap_or("nobody");
        Ok::<_, Fault>(Echo { text: format!("{caller}: {}", echo.text) })
    };
    let mut service = OurService::new("Secured", NAMESPACE)
        .operation("echo", echo)
        .ws_security(guard(how, folder, password));
    if is_signature(how) {
        service = service.ws_security_of_answers(seal(how, folder));
    }
    Server::new().service(service).start("127.0.0.1:0").expect("our service starts")
}

fn client(url: &str, is_new: bool) -> Client {
    let binding = Binding::document_literal();
    let binding = if is_new { binding.soap12() } else { binding };
    Client::with(url, NAMESPACE, binding, ClientConfig::default()).expect("a client")
}

fn said(client: &mut Client, text: &str) -> Result<String, CallError> {
    client.call::<_, Echo>("echo", &Echo { text: text.to_owned() }).map(|it| it.text)
}

#[test]
fn wss4j() {
    let Some(libraries) = libraries("wss4j") else { return };
    let folder = folder("wss4j");
    let kinds = write_keys(&folder);
    let program = java(&libraries, &folder);
    let compile = ["-proc:none", "-encoding", "UTF-8", "-d", "."];
    run(program("javac").args(compile).arg(source("Secured.java")));
    for (how, is_new) in [("digest", false), ("text", true), ("p256", true), ("rsa", false)] {
        if is_signature(how) && !kinds.contains(&how) {
            continue;
        }
        let named = if is_new { format!("{how}12") } else { how.to_owned() };
        let java = |arguments: &[&str]| {
            let mut java = program("java");
            java.args([
                "-Dfile.encoding=UTF-8",
                "-Dstdout.encoding=UTF-8",
                "-Dsun.jnu.encoding=UTF-8",
                "Secured",
            ]);
            java.env("LC_ALL", "C.UTF-8").args(arguments);
            java
        };
        let at = folder.to_string_lossy().into_owned();
        // Theirs calls ours.
        let server = serve(how, &folder, PASSWORD);
        let url = format!("http://{}/", server.address());
        let printed = run(&mut java(&["call", &named, &url, &at, TEXT]));
        let caller = if is_signature(how) { format!("CN={how}") } else { "ann".to_owned() };
        assert_eq!(printed, format!("{caller}: {TEXT}\n").repeat(2), "{named}");
        // Ours calls theirs.
        let theirs = Service::start(java(&["serve", &named, &at]), "");
        let mut client = client(&theirs.url, is_new);
        let error = said(&mut client, TEXT).expect_err("no Security header");
        assert!(matches!(&error, CallError::Fault(_)), "{named}: {error}");
        client.set_ws_security(seal(how, &folder));
        if is_signature(how) {
            client.expect_ws_security(guard(how, &folder, PASSWORD));
        }
        for _ in 0..2 {
            let answer = said(&mut client, TEXT).unwrap_or_else(|it| panic!("{named}: {it}"));
            assert_eq!(answer, format!("CXF: {TEXT}"), "{named}");
        }
        if how == "digest" {
            reject_like_them(&theirs.url, &folder, |url| java(&["call", &named, url, &at, TEXT]));
        }
    }
}

/// The same mistakes get the same fault codes.
fn reject_like_them(theirs: &str, folder: &Path, call: impl Fn(&str) -> Command) {
    let code = |error: CallError| match error {
        CallError::Fault(fault) => {
            let code = fault.subcodes.last().expect("a code of WS-Security");
            code.local.clone()
        }
        other => panic!("{other}"),
    };
    let ours = serve("digest", folder, PASSWORD);
    for url in [theirs.to_owned(), format!("http://{}/", ours.address())] {
        let mut client = client(&url, false);
        client.set_ws_security(Seal::new().user_digest("ann", "wrong").timestamp(None));
        let wrong = said(&mut client, TEXT).expect_err("the wrong password");
        // WSS4J tells nobody why, unless it is asked to.
        assert!(["FailedAuthentication", "SecurityError"].contains(&&*code(wrong)), "{url}");
        // A message that comes again.
        client.set_ws_security(None);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        let now = Timestamp::from_unix_nanoseconds(since.as_nanos() as i128).expect("a moment");
        let envelope = "<E:Envelope xmlns:E='http://schemas.xmlsoap.org/soap/envelope/'><E:Body>\
            <echo xmlns='urn:secured'><text>again</text></echo></E:Body></E:Envelope>";
        let sealed = seal("digest", folder).apply(envelope.as_bytes(), now).expect("a header");
        let sealed = String::from_utf8(sealed).expect("UTF-8");
        client.call_envelope("urn:secured#echo", &sealed).expect("the first time");
        let again = client.call_envelope("urn:secured#echo", &sealed).expect_err("it is replayed");
        assert!(["InvalidSecurity", "SecurityError"].contains(&&*code(again)), "{url}");
    }
    let other = serve("digest", folder, "another");
    let printed = run(&mut call(&format!("http://{}/", other.address())));
    let line = "FailedAuthentication: the user or the password is wrong\n";
    assert_eq!(printed, line.repeat(2));
}

//! Clients that are not ours: the programs `openssl` and `python3`.

#[path = "../../../../tests/src/skip.rs"]
#[allow(unreachable_pub)]
mod skip;

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use trunkline_client::{Subscribe, format};
use trunkline_native as native;

use crate::authority::{Authority, Folder};
use crate::{connect, place, receive, start};

fn is_here(program: &str) -> bool {
    let is_here = Command::new(program).arg("--version").output().is_ok();
    if !is_here {
        skip::skip(&format!("{program} is missing: peers/install"));
    }
    is_here
}

fn piped(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Gives a program its input, and its output and status once it has ended.
fn run(command: &mut Command, input: &[u8]) -> (Vec<u8>, bool) {
    let mut child = piped(command);
    // It may end before it has read all.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    let mut all = output.stdout;
    all.extend_from_slice(&output.stderr);
    (all, output.status.success())
}

#[test]
fn openssl_publishes_and_others_receive_it() {
    if !is_here("openssl") {
        return;
    }
    let authority = Authority::new();
    let (folder, router) = start("openssl", &authority, false);
    let ca = folder.file("ca.pem", &authority.pem());
    let mut reader = connect(&router, "reader", authority.client(None)).expect("a client");
    reader.subscribe("t", &Subscribe::every()).expect("it is taken");
    let mut frames = Vec::new();
    let hello = native::Hello { version: native::VERSION, name: "openssl", ..Default::default() };
    native::encode_hello(&mut frames, &hello);
    native::encode_topic(&mut frames, 0, "t");
    native::encode_publish(&mut frames, 0, format::TEXT, b"from openssl");
    let mut client = piped(
        Command::new("openssl")
            .args(["s_client", "-quiet", "-verify_return_error", "-tls1_3", "-CAfile"])
            .arg(&ca)
            .args(["-connect", &place(&router, "native")]),
    );
    let mut input = client.stdin.take().expect("a pipe");
    // One byte at a time, each a record of its own.
    for byte in frames {
        input.write_all(&[byte]).and_then(|()| input.flush()).expect("it reads");
    }
    assert_eq!(receive(&mut reader, 1), [b"from openssl"]);
    let mut output = client.stdout.take().expect("a pipe");
    let (mut answer, mut byte) = (Vec::new(), [0]);
    while native::decode_router(&answer, u32::MAX).expect("a frame").is_none() {
        output.read_exact(&mut byte).expect("WELCOME");
        answer.push(byte[0]);
    }
    drop(input);
    client.kill().and_then(|()| client.wait()).expect("it runs");
    let (frame, _) = native::decode_router(&answer, u32::MAX).expect("a frame").expect("all of it");
    assert!(matches!(frame, native::RouterFrame::Welcome(_)), "{frame:?}");
}

#[test]
fn tls_1_2_is_refused_with_an_alert() {
    if !is_here("openssl") {
        return;
    }
    let authority = Authority::new();
    let (_folder, router) = start("old", &authority, false);
    for protocol in ["native", "websocket", "http"] {
        let place = place(&router, protocol);
        let arguments = ["s_client", "-tls1_2", "-connect", &place];
        let (output, is_good) = run(Command::new("openssl").args(arguments), b"");
        let output = String::from_utf8_lossy(&output).into_owned();
        assert!(!is_good && output.contains("protocol version"), "{protocol}: {output}");
    }
}

/// Connects with TLS and the names and bytes that it is given, and prints what comes.
const PYTHON: &str = r#"
import base64, os, socket, ssl, sys
ca, place, path = sys.argv[1:4]
host, port = place.rsplit(":", 1)
context = ssl.create_default_context(cafile=ca)
if len(sys.argv) > 4:
    context.load_cert_chain(sys.argv[4], sys.argv[5])
context.set_alpn_protocols(["h2", "http/1.1"])
stream = context.wrap_socket(socket.create_connection((host, int(port))), server_hostname="localhost")
print(stream.version(), stream.selected_alpn_protocol())
lines = ["GET %s HTTP/1.1" % path, "Host: localhost", "Connection: close"]
if path == "/":
    key = base64.b64encode(os.urandom(16)).decode()
    lines = lines[:2] + ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                         "Sec-WebSocket-Key: " + key]
stream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
def frame(text):
    data, mask = text.encode(), os.urandom(4)
    stream.sendall(bytes([0x81, 0x80 | len(data)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))
if path == "/":
    frame('{"subscribe": 1, "pattern": "t"}')
    frame('{"publish": "t", "payload": "over wss"}')
got = b""
while path != "/" or b"over wss" not in got:
    part = stream.recv(65536)
    if not part:
        break
    got += part
print(got.decode(errors="replace"))
"#;

fn python(folder: &Folder, authority: &Authority, arguments: &[&str]) -> (String, bool) {
    let ca = folder.file("ca.pem", &authority.pem());
    let mut command = Command::new("python3");
    command.arg("-c").arg(PYTHON).arg(ca).args(arguments);
    let (output, is_good) = run(&mut command, b"");
    (String::from_utf8_lossy(&output).into_owned(), is_good)
}

#[test]
fn a_page_of_python_speaks_websocket_and_http_over_tls() {
    if !is_here("python3") {
        return;
    }
    let authority = Authority::new();
    let (folder, router) = start("python", &authority, true);
    let own = authority.issue("page");
    let (chain, key) = (folder.file("own.pem", &own.chain), folder.file("own.key", &own.key));
    let own = [chain.to_str().expect("text"), key.to_str().expect("text")];
    let websocket = place(&router, "websocket");
    let (output, is_good) = python(&folder, &authority, &[&websocket, "/", own[0], own[1]]);
    assert!(is_good && output.starts_with("TLSv1.3 http/1.1\n"), "{output}");
    assert!(output.contains("101 Switching") && output.contains("over wss"), "{output}");
    let http = place(&router, "http");
    let (output, is_good) = python(&folder, &authority, &[&http, "/health", own[0], own[1]]);
    assert!(is_good && output.ends_with("alive\n\n"), "{output}");
    // Without a certificate nothing is told.
    for (place, path) in [(&websocket, "/"), (&http, "/health")] {
        let (output, is_good) = python(&folder, &authority, &[place, path]);
        assert!(!is_good && output.contains("certificate required"), "{output}");
    }
}

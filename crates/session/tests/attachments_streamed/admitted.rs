//! Who is admitted with one request is not admitted with the next.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use trunkline_http::{Order, Workers};
use trunkline_session::soap::{Config, Fault, Server};

use super::hostile::{MTOM, asked_in_chunks, beginning, chunk, connect, head};
use super::{Stored, Wanted, service};

const LOGIN: &str = "Host: x\r\nAuthorization: Basic YWxpY2U6c2VjcmV0";

/// The next answer, empty if the connection has ended.
fn next_answer(stream: &mut TcpStream) -> String {
    let (mut reader, mut answer, mut length) = (BufReader::new(stream), String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(said) = line.to_lowercase().strip_prefix("content-length: ") {
            length = said.trim().parse().expect("a number");
        }
        answer += &line;
    }
    let mut body = vec![0; length];
    _ = reader.read_exact(&mut body);
    answer + &String::from_utf8_lossy(&body)
}

#[test]
fn who_was_admitted_with_a_package_that_is_refused_is_nobody_afterwards() {
    let ((has, had), (tell, go)) = (channel(), channel::<()>());
    let (has, go) = (Mutex::new(has), Mutex::new(go));
    let service = service().operation("hold", move |_: Wanted| {
        has.lock().expect("no panic").send(()).expect("the test listens");
        _ = go.lock().expect("no panic").recv();
        Ok::<_, Fault>(Stored::default())
    });
    let workers = Workers::Pool { threads: 1, queue: 0, order: Order::FirstIn };
    let server = Server::new()
        .service(service)
        .config(Config { workers, ..Config::default() })
        .basic("archive", |user, password| (user, password) == ("alice", "secret"))
        .start("127.0.0.1:0")
        .expect("a server");
    let refused = asked_in_chunks(&server, MTOM, beginning("echo").as_bytes(), 1000);
    assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
    // The only worker is busy, and nobody may wait for it.
    let body = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
                <hold xmlns='urn:archive'><bytes>1</bytes></hold></s:Body></s:Envelope>";
    let mut held = connect(&server);
    let length = body.len();
    let plain = format!(
        "POST /archive HTTP/1.1\r\n{LOGIN}\r\nContent-Type: text/xml\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    held.write_all(plain.as_bytes()).expect("taken");
    had.recv_timeout(Duration::from_secs(60)).expect("it is called");
    let mut stream = connect(&server);
    let package = beginning("echo") + "12345\r\n--b--\r\n";
    let of_alice = head(MTOM).replace("Host: x", LOGIN);
    let request = [of_alice.as_bytes(), &chunk(package.as_bytes()), b"0\r\n\r\n"].concat();
    stream.write_all(&request).expect("taken");
    let refused = next_answer(&mut stream);
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("queue: "), "{refused}");
    tell.send(()).expect("it waits");
    assert!(next_answer(&mut held).starts_with("HTTP/1.1 200 "));
    // Nobody asks now, on the connection on which alice did.
    let next = loop {
        _ = stream.write_all(b"GET /archive HTTP/1.1\r\nHost: x\r\n\r\n");
        let next = next_answer(&mut stream);
        if !next.starts_with("HTTP/1.1 503 ") {
            break next;
        }
        thread::sleep(Duration::from_millis(5));
    };
    assert!(next.is_empty() || next.starts_with("HTTP/1.1 401 "), "{next}");
}

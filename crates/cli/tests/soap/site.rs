//! An HTTP server of given documents, which answers every envelope with a given one.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What it was asked.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) got: Vec<String>,
    pub(crate) posted: Vec<String>,
}

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Asked>>,
}

impl Site {
    /// Documents by path and query; `HOST` in them is the site's own address.
    pub(crate) fn start(documents: &[(&str, &str)], answer: &str) -> Self {
        let kind = if answer.contains("2003/05") { "application/soap+xml" } else { "text/xml" };
        let head = format!("200 OK\r\nContent-Type: {kind}; charset=utf-8");
        Self::answering(documents, &head, answer.as_bytes())
    }

    /// The same with an answer in any octets, behind this status and these headers.
    pub(crate) fn answering(documents: &[(&str, &str)], head: &str, answer: &[u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address");
        let own = |text: &str| text.replace("HOST", &address.to_string());
        let documents: HashMap<String, String> =
            documents.iter().map(|(path, text)| (path.to_string(), own(text))).collect();
        let asked = Arc::new(Mutex::new(Asked::default()));
        let (noted, head, answer) = (asked.clone(), head.to_owned(), answer.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let answer = (&*head, &*answer);
                serve(stream.expect("a connection"), &documents, answer, &noted);
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it was asked since it was looked at last.
    pub(crate) fn asked(&self) -> Asked {
        std::mem::take(&mut self.asked.lock().expect("no panic"))
    }
}

/// One request; then the connection is closed.
fn serve(
    stream: TcpStream,
    documents: &HashMap<String, String>,
    (head, answer): (&str, &[u8]),
    asked: &Mutex<Asked>,
) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut noted = asked.lock().ok()?;
    let (head, text) = match first.starts_with("POST ") {
        true => {
            noted.posted.push(String::from_utf8(body).ok()?);
            (head, answer)
        }
        false => {
            let found = documents.get(&path);
            noted.got.push(path);
            let status = if found.is_some() { DOCUMENT } else { "404 Not Found" };
            (status, found.map_or(&[][..], |it| it.as_bytes()))
        }
    };
    let head =
        format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", text.len());
    reader.get_mut().write_all(&[head.as_bytes(), text].concat()).ok()
}

const DOCUMENT: &str = "200 OK\r\nContent-Type: text/xml; charset=utf-8";

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
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address");
        let own = |text: &str| text.replace("HOST", &address.to_string());
        let documents: HashMap<String, String> =
            documents.iter().map(|(path, text)| (path.to_string(), own(text))).collect();
        let asked = Arc::new(Mutex::new(Asked::default()));
        let (noted, answer) = (asked.clone(), answer.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.expect("a connection"), &documents, &answer, &noted);
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
    answer: &str,
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
    let (status, text) = match first.starts_with("POST ") {
        true => {
            noted.posted.push(String::from_utf8(body).ok()?);
            ("200 OK", answer)
        }
        false => {
            let found = documents.get(&path);
            noted.got.push(path);
            (if found.is_some() { "200 OK" } else { "404 Not Found" }, found.map_or("", |it| it))
        }
    };
    let kind = if answer.contains("2003/05") && first.starts_with("POST ") {
        "application/soap+xml"
    } else {
        "text/xml"
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        text.len()
    );
    reader.get_mut().write_all(format!("{head}{text}").as_bytes()).ok()
}

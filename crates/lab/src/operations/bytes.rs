//! Bytes by themselves: what the sockets and the system take of a call, whatever is in it.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

use super::callers::{Asked, Port, Prepared};

/// A message begins with how long it is and how long the answer must be, each as u32, little-endian.
const HEAD: usize = 8;

/// Bytes of a message at most.
const LONGEST: u32 = 64 << 20;

/// Serves one connection.
pub(super) fn serve(mut stream: TcpStream, calls: &AtomicU64) -> io::Result<()> {
    let (mut room, mut answer) = (vec![0; 64 << 10], Vec::new());
    let mut come = 0;
    loop {
        while come < HEAD {
            match stream.read(&mut room[come..])? {
                0 => return Ok(()),
                count => come += count,
            }
        }
        let [length, wanted] = lengths(&room);
        if !(HEAD..=LONGEST as usize).contains(&length) || wanted > LONGEST as usize {
            return Err(io::ErrorKind::InvalidData.into());
        }
        room.resize(room.len().max(length), 0);
        while come < length {
            match stream.read(&mut room[come..])? {
                0 => return Ok(()),
                count => come += count,
            }
        }
        answer.resize(wanted, b'.');
        stream.write_all(&answer)?;
        calls.fetch_add(1, Ordering::Relaxed);
        room.copy_within(length..come, 0);
        come -= length;
    }
}

fn lengths(message: &[u8]) -> [usize; 2] {
    [0, 4].map(|at| {
        message[at..at + 4].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    })
}

/// A client for one thread.
pub(super) struct BytesPort(TcpStream);

impl BytesPort {
    pub(super) fn connect(port: u16) -> Result<Self, String> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
        let stream = stream.and_then(|stream| stream.set_nodelay(true).map(|()| stream));
        stream.map(Self).map_err(|error| error.to_string())
    }
}

struct Message {
    bytes: Vec<u8>,
    room: Vec<u8>,
}

impl Port for BytesPort {
    fn prepare(&self, asked: &Asked) -> Result<Box<dyn Prepared<Self>>, String> {
        let &Asked::Bytes { sent, received } = asked else {
            return Err("the bare echo has no operations".into());
        };
        let mut bytes = vec![b'.'; (sent as usize).max(HEAD)];
        let length = bytes.len() as u32;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..HEAD].copy_from_slice(&received.to_le_bytes());
        Ok(Box::new(Message { bytes, room: vec![0; (received as usize).max(1)] }))
    }
}

impl Prepared<BytesPort> for Message {
    fn call(&mut self, BytesPort(stream): &mut BytesPort) -> Result<(), String> {
        let told = |error: io::Error| error.to_string();
        stream.write_all(&self.bytes).map_err(told)?;
        stream.read_exact(&mut self.room).map_err(told)?;
        match self.room.iter().all(|byte| *byte == b'.') {
            true => Ok(()),
            false => Err("other bytes came back".into()),
        }
    }
}

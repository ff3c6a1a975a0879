//! The handshake: the router sends the memory over the Unix socket, at once.
//!
//! ```text
//!   "TRNKSHM" 1 | bytes of the ring to the router u64 | bytes of the ring to the client u64
//!   with the file of the memory (SCM_RIGHTS); numbers are little-endian
//!
//!   the memory:  0     words of the ring to the router
//!                512   words of the ring to the client
//!                4096  bytes of the ring to the router, then those of the ring to the client
//! ```

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::map::Mapping;
use super::ring::{Ring, WORDS};
use crate::stream::look;

const MAGIC: [u8; 8] = *b"TRNKSHM\x01";
const GREETING: usize = 24;

/// The offset of the first ring's bytes.
const DATA: usize = 4096;

const SMALLEST: usize = 4096;
const LARGEST: usize = 1 << 30;

/// The rings to the router and to the client.
type Rings = [Ring; 2];

/// Creates the memory of two rings and sends it.
pub(super) fn offer(socket: &OwnedFd, ring: usize) -> io::Result<Rings> {
    let (file, mapping) = Mapping::create(DATA + 2 * ring)?;
    let mut greeting = [0; GREETING];
    greeting[..8].copy_from_slice(&MAGIC);
    greeting[8..16].copy_from_slice(&(ring as u64).to_le_bytes());
    greeting[16..].copy_from_slice(&(ring as u64).to_le_bytes());
    let files = [file.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&files));
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    if sendmsg(socket, &[IoSlice::new(&greeting)], &mut control, flags)? != GREETING {
        return Err(io::ErrorKind::WriteZero.into());
    }
    Ok(rings(mapping, ring, ring))
}

/// Receives the memory from a router.
pub(super) fn take(socket: &OwnedFd, timeout: Duration) -> io::Result<Rings> {
    if !look(socket.as_fd(), true, false, Some(timeout))?.readable {
        let text = "no shared memory was offered; perhaps it is the address of another transport";
        return Err(io::Error::new(io::ErrorKind::TimedOut, text));
    }
    let mut greeting = [0; GREETING];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received =
        recvmsg(socket, &mut [IoSliceMut::new(&mut greeting)], &mut control, flags)?.bytes;
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    let (Some(file), GREETING, true) = (file, received, greeting[..8] == MAGIC) else {
        return Err(invalid("what was sent is no offer of shared memory"));
    };
    let to_router = size(&greeting[8..16])?;
    let to_client = size(&greeting[16..])?;
    let mapping = Mapping::open(file, DATA + to_router + to_client)?;
    Ok(rings(mapping, to_router, to_client))
}

fn size(bytes: &[u8]) -> io::Result<usize> {
    let size = bytes.try_into().map(u64::from_le_bytes).ok();
    size.and_then(|size| usize::try_from(size).ok())
        .filter(|size| size.is_power_of_two() && (SMALLEST..=LARGEST).contains(size))
        .ok_or_else(|| invalid("a ring's size is a power of two from 4 KiB to 1 GiB"))
}

fn rings(mapping: Mapping, to_router: usize, to_client: usize) -> Rings {
    let mapping = Arc::new(mapping);
    [
        Ring::new(&mapping, 0, DATA, to_router),
        Ring::new(&mapping, WORDS, DATA + to_router, to_client),
    ]
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

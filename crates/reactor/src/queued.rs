//! The bytes written to a socket that the system still holds.

use std::os::fd::BorrowedFd;

/// Bytes that were written to a socket and that the system of the other side has not confirmed (TCP), or
/// what they take in memory (Unix sockets). `None` where the system does not say.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
pub(crate) fn queued(socket: BorrowedFd<'_>) -> Option<usize> {
    use rustix::ioctl::{Getter, Opcode, ioctl};

    /// SIOCOUTQ, which is TIOCOUTQ (asm-generic/ioctls.h).
    const OUTPUT_QUEUE: Opcode = 0x5411;

    // SAFETY: on Linux this operation of a socket writes one `int` to where its argument points
    // (tcp(7), unix(7)), and `Getter` gives it the place of one.
    let bytes = unsafe { ioctl(socket, Getter::<OUTPUT_QUEUE, std::ffi::c_int>::new()) };
    usize::try_from(bytes.ok()?).ok()
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)))]
pub(crate) fn queued(_: BorrowedFd<'_>) -> Option<usize> {
    None
}

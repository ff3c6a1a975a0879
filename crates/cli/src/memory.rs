//! What the system's allocator does with memory that is freed.
#![allow(unsafe_code)]

/// Lets the system have each block of 64 KiB and more back when it is freed: queues, buffers and the pages of the
/// router's tables. By itself glibc raises that bound to the largest block that was ever freed, up to 32 MiB, and
/// what lies between smaller blocks then stays with the process. Other libraries are left as they are.
pub(crate) fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const BYTES: libc::c_int = 64 << 10;
        // SAFETY: takes two numbers, and sets what later allocations go by. A value that is rejected changes nothing.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, BYTES) };
    }
}

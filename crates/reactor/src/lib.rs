//! Streams over TCP, Unix sockets and shared memory, and their readiness

//! Bytes: numbers, decimals, times, text, scanning, checksums, and the output buffer

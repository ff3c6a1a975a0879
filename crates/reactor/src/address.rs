//! Addresses of a router: `tcp://127.0.0.1:7400`, `tls://router:7400`, `unix:///path`, `shm:///path`.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

/// An address of a router, with its transport.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// Host and port, such as `127.0.0.1:7400` or `[::1]:7400`; port 0 is any free one.
    Tcp(String),
    /// The same, with TLS over it.
    Tls(String),
    /// The path of a Unix socket.
    Unix(PathBuf),
    /// The path of the Unix socket that hands out shared memory.
    SharedMemory(PathBuf),
}

/// The error of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    text: String,
    reason: &'static str,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no address: {}", self.text, self.reason)
    }
}

impl Error for AddressError {}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let reject = |reason| Err(AddressError { text: text.to_owned(), reason });
        let Some((scheme, rest)) = text.split_once("://") else {
            return reject("it begins with tcp://, tls://, unix:// or shm://");
        };
        match scheme {
            "tcp" | "tls" => match rest.rsplit_once(':') {
                None | Some(("", _)) => reject("tcp:// or tls:// is followed by host:port"),
                Some((_, port)) if port.parse::<u16>().is_err() => {
                    reject("a port is a number from 0 to 65535")
                }
                Some(_) if scheme == "tls" => Ok(Self::Tls(rest.to_owned())),
                Some(_) => Ok(Self::Tcp(rest.to_owned())),
            },
            "unix" | "shm" if !rest.starts_with('/') => {
                reject("the path after unix:// or shm:// is absolute, as in unix:///run/a.sock")
            }
            "unix" => Ok(Self::Unix(rest.into())),
            "shm" => Ok(Self::SharedMemory(rest.into())),
            _ => reject("the transports are tcp, tls, unix and shm"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host) => write!(f, "tcp://{host}"),
            Self::Tls(host) => write!(f, "tls://{host}"),
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::SharedMemory(path) => write!(f, "shm://{}", path.display()),
        }
    }
}

impl Address {
    /// An error that names the address.
    pub(crate) fn explain(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{self}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_they_are_read() {
        for text in [
            "tcp://127.0.0.1:7400",
            "tcp://[::1]:0",
            "tls://host:1",
            "unix:///run/a.sock",
            "shm:///b c",
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_rejection_says_what_is_wrong() {
        for (text, part) in [
            ("127.0.0.1:7400", "begins with tcp://"),
            ("tcp://host", "host:port"),
            ("tcp://:7400", "host:port"),
            ("tls://host", "host:port"),
            ("tcp://host:70000", "a number from 0 to 65535"),
            ("unix://a.sock", "absolute"),
            ("udp://host:1", "tcp, tls, unix and shm"),
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(text) && error.contains(part), "{error}");
        }
    }
}

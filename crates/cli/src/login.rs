//! How the user of a verb shows who they are, without a secret among the arguments: those everybody can see.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use rustix::io::retry_on_intr;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use trunkline_client::Login;

use crate::arguments::LoginArguments;
use crate::fault::Fault;

impl LoginArguments {
    /// What shows who the user is, if the user or the environment says so.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or there is no password for the user.
    pub(crate) fn login(&self) -> Result<Option<Login>, Fault> {
        let variable = |name: &str| env::var_os(name).filter(|it| !it.is_empty());
        let file = |given: &Option<PathBuf>, name: &str| {
            given.clone().or_else(|| variable(name).map(PathBuf::from))
        };
        // What the command line says is not mixed with the environment.
        let says_user = self.user.is_some() || self.password_file.is_some();
        if !says_user && let Some(path) = file(&self.token_file, "TRUNKLINE_TOKEN_FILE") {
            return Ok(Some(Login::Token(first_line(&path)?)));
        }
        let user = self.user.clone().or_else(|| env::var("TRUNKLINE_USER").ok());
        let Some(user) = user.filter(|user| !user.is_empty()) else {
            return match &self.password_file {
                Some(_) => Err(Fault::new("--password-file needs --user".to_owned())),
                None => Ok(None),
            };
        };
        let path = file(&self.password_file, "TRUNKLINE_PASSWORD_FILE");
        let password = password_of(&user, path.as_deref())?;
        Ok(Some(Login::Password { user, password }))
    }
}

/// The user's password, from the first line of a file or else from the terminal.
pub(crate) fn password_of(user: &str, file: Option<&Path>) -> Result<String, Fault> {
    match file {
        Some(path) => first_line(path),
        None if io::stdin().is_terminal() => ask_password(&format!("password of {user}: "), false),
        None => Err(Fault::new(format!("--user {user} needs --password-file"))),
    }
}

fn first_line(path: &Path) -> Result<String, Fault> {
    let text = fs::read_to_string(path)
        .map_err(|cause| Fault::new(format!("{}: {cause}", path.display())))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// A password, from the terminal without showing it, twice if it is new; else the first line of standard input.
pub(crate) fn ask_password(question: &str, is_new: bool) -> Result<String, Fault> {
    if !io::stdin().is_terminal() {
        return read_line();
    }
    let password = ask(question)?;
    if is_new && ask("again: ")? != password {
        return Err(Fault::new("the two passwords differ".to_owned()));
    }
    Ok(password)
}

fn ask(question: &str) -> Result<String, Fault> {
    let failed = |cause| Fault::new(format!("the terminal: {cause}"));
    let before = retry_on_intr(|| tcgetattr(io::stdin())).map_err(failed)?;
    let mut modes = before.clone();
    modes.local_modes -= LocalModes::ECHO;
    let _back = Back(before);
    retry_on_intr(|| tcsetattr(io::stdin(), OptionalActions::Flush, &modes)).map_err(failed)?;
    let _ = write!(io::stderr().lock(), "{question}");
    let line = read_line();
    let _ = writeln!(io::stderr().lock());
    line
}

/// Gives the terminal back as it was.
struct Back(Termios);

impl Drop for Back {
    fn drop(&mut self) {
        // The terminal may be gone: nothing more can be done then.
        let _ = retry_on_intr(|| tcsetattr(io::stdin(), OptionalActions::Flush, &self.0));
    }
}

fn read_line() -> Result<String, Fault> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.map_err(|cause| Fault::new(format!("standard input: {cause}")))?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// Bytes as two digits each.
pub(crate) fn write_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

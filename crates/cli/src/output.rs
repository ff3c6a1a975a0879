//! Standard output and standard error.

use std::io::{self, IsTerminal as _, Write as _};

use trunkline_bench::table::Table;

use crate::fault::Fault;

/// Prints `text` as it is. A reader that has seen enough is no fault.
pub(crate) fn print(text: &str) -> Result<(), Fault> {
    print_while_read(text).map(|_| ())
}

/// As [`print()`], for those that would print without end: false once nobody reads.
pub(crate) fn print_while_read(text: &str) -> Result<bool, Fault> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(cause) => Err(Fault::new(format!("standard output: {cause}"))),
    }
}

/// A text from a file without what could steer a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Says on standard error how a command goes. If that cannot be written, it goes on.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", plain(text));
}

/// Says on standard error what went wrong. If that cannot be written, the status still tells it.
pub(crate) fn complain(fault: &Fault) {
    let _ = writeln!(io::stderr().lock(), "trunkline: {fault}");
}

/// Prints a table, with bold titles on a terminal that wants them.
pub(crate) fn print_table(table: Table) -> Result<(), Fault> {
    print(&table.bold(wants_bold()).to_string())
}

/// True on a terminal whose user has not asked for plain text (see no-color.org).
pub(crate) fn wants_bold() -> bool {
    let wants_colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wants_colour && io::stdout().is_terminal()
}

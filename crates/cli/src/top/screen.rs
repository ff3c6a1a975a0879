//! The terminal while `top` has it: the alternate screen, keys as they are pressed, nothing echoed.
//!
//! Ctrl-C and Ctrl-Z stay signals, so that a terminal is left in one way, whoever sends them.

use std::io::{Write as _, stdout};
use std::sync::OnceLock;
use std::{panic, process};

use rustix::io::retry_on_intr;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};

use crate::fault::Fault;
use crate::output::print;

/// The alternate screen, no cursor, and lines that are too long are not broken.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/// Status of a program that has panicked.
const PANICKED: i32 = 101;

/// The terminal as it was before.
static BEFORE: OnceLock<Termios> = OnceLock::new();

/// Of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Size {
    /// As it is now. One that does not tell has the size that terminals had first.
    pub(super) fn of_terminal() -> Self {
        let size = retry_on_intr(|| tcgetwinsize(stdout())).ok();
        let size = size.filter(|it| it.ws_row > 0 && it.ws_col > 0);
        let (rows, columns) = size.map_or((24, 80), |it| (it.ws_row, it.ws_col));
        Self { rows: rows.into(), columns: columns.into() }
    }
}

/// The terminal, until it is dropped.
pub(super) struct Screen(());

impl Screen {
    /// Takes the terminal. A panic, in whichever thread, gives it back and ends the program.
    pub(super) fn enter() -> Result<Self, Fault> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            leave();
            before(panic);
            process::exit(PANICKED);
        }));
        let screen = Self(());
        screen.resume()?;
        Ok(screen)
    }

    /// Takes the terminal again, after a shell had it.
    pub(super) fn resume(&self) -> Result<(), Fault> {
        let failed = |cause| Fault::new(format!("the terminal: {cause}"));
        let before = match BEFORE.get() {
            Some(before) => before,
            None => {
                let now = retry_on_intr(|| tcgetattr(stdout())).map_err(failed)?;
                BEFORE.get_or_init(|| now)
            }
        };
        let mut modes = before.clone();
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        retry_on_intr(|| tcsetattr(stdout(), OptionalActions::Now, &modes)).map_err(failed)?;
        print(ENTER)
    }

    /// Gives the terminal back, for a time.
    pub(super) fn suspend(&self) {
        leave();
    }

    /// Draws lines from the top, and one at the bottom, in one piece, so that nothing flickers.
    pub(super) fn draw(&self, text: &str, bottom: &str, size: Size) -> Result<(), Fault> {
        print(&frame(text, bottom, size))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// What a terminal needs to show lines in place of what it shows.
fn frame(text: &str, bottom: &str, size: Size) -> String {
    let mut out = String::from("\x1b[H");
    let mut lines = text.lines();
    for _ in 1..size.rows {
        out += lines.next().unwrap_or_default();
        out += "\x1b[K\r\n";
    }
    let bottom: String = bottom.chars().take(size.columns).collect();
    out + &format!("\x1b[7m{bottom:<width$}\x1b[0m", width = size.columns)
}

/// The terminal may be gone: nothing more can be done then.
fn leave() {
    let mut out = stdout().lock();
    let _ = out.write_all(LEAVE.as_bytes()).and_then(|()| out.flush());
    if let Some(before) = BEFORE.get() {
        // What was typed meanwhile is not for the shell.
        let _ = retry_on_intr(|| tcsetattr(stdout(), OptionalActions::Flush, before));
    }
}

#[cfg(test)]
mod tests;

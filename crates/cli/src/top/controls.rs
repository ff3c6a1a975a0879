//! What the user has set by keys: the order, the filter, the pause.

use clap::ValueEnum as _;
use clap::builder::PossibleValue;

use super::key::Key;
use crate::arguments::{Sort, TopArguments};

/// The keys, for those who ask.
pub(super) const HELP: &str = "\
keys

  q, Ctrl-C     quit
  < >           sort clients by the column to the left or right; arrow keys do the same
  r             reverse the order
  /             filter: show only what contains a text, in upper or lower case
  Enter         end typing the filter
  Esc           show everything again
  space, p      pause, and go on
  ?, h          this help

columns

  in/s, out/s   messages a second that a client publishes and gets
  elided/s      messages a second replaced by newer ones, as the client asked
  lost          messages lost since the client came, because its queue was full
  queued        messages that wait in the router for the client; bytes are theirs
  oldest        how long the first of them has waited

Any key goes back.
";

/// What is shown, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Controls {
    pub(super) sort: Sort,
    pub(super) is_reversed: bool,
    pub(super) filter: String,
    /// The keys are the filter's.
    pub(super) is_typing: bool,
    pub(super) is_paused: bool,
    pub(super) shows_help: bool,
}

impl Controls {
    pub(super) fn new(arguments: &TopArguments) -> Self {
        Self {
            sort: arguments.sort,
            is_reversed: false,
            filter: arguments.filter.clone(),
            is_typing: false,
            is_paused: false,
            shows_help: false,
        }
    }

    /// Obeys a key; true if it is the one that ends.
    pub(super) fn press(&mut self, key: Key) -> bool {
        if self.is_typing {
            self.edit(key);
            return false;
        }
        if std::mem::take(&mut self.shows_help) && key != Key::Character('q') {
            return false;
        }
        match key {
            Key::Character('q') => return true,
            Key::Character('?' | 'h') => self.shows_help = true,
            Key::Character(' ' | 'p') => self.is_paused = !self.is_paused,
            Key::Character('r') => self.is_reversed = !self.is_reversed,
            Key::Character('/') => self.is_typing = true,
            Key::Character('>') | Key::Right => self.move_sort(1),
            Key::Character('<') | Key::Left => self.move_sort(-1),
            Key::Escape => self.filter.clear(),
            _ => {}
        }
        false
    }

    fn edit(&mut self, key: Key) {
        match key {
            Key::Character(c) => self.filter.push(c),
            Key::Backspace => _ = self.filter.pop(),
            Key::Enter => self.is_typing = false,
            Key::Escape => {
                self.filter.clear();
                self.is_typing = false;
            }
            Key::Left | Key::Right => {}
        }
    }

    fn move_sort(&mut self, by: isize) {
        let all = Sort::value_variants();
        let now = all.iter().position(|it| *it == self.sort).unwrap_or_default();
        self.sort = all[now.saturating_add_signed(by).min(all.len() - 1)];
    }

    /// Whether one of the texts contains the filter.
    pub(super) fn shows(&self, texts: &[&str]) -> bool {
        let filter = self.filter.to_lowercase();
        filter.is_empty() || texts.iter().any(|it| it.to_lowercase().contains(&filter))
    }

    /// One line: the keys, and what they have set. What matters most comes first, for a narrow terminal.
    pub(super) fn line(&self) -> String {
        if self.is_typing {
            return format!(" filter: {}_   Enter keeps it, Esc shows everything", self.filter);
        }
        let pause = if self.is_paused { "PAUSED (space)" } else { "space pause" };
        let sort = self.sort.to_possible_value();
        let sort = sort.as_ref().map_or("", PossibleValue::get_name);
        let filter =
            if self.filter.is_empty() { String::new() } else { format!(": {}", self.filter) };
        format!(" q quit  ? help  {pause}  / filter{filter}  < > sort: {sort}  r reverse")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(keys: &str) -> Controls {
        let mut controls = Controls {
            sort: Sort::Queue,
            is_reversed: false,
            filter: String::new(),
            is_typing: false,
            is_paused: false,
            shows_help: false,
        };
        for key in super::super::key::keys(keys.as_bytes()) {
            assert!(!controls.press(key), "{keys:?}");
        }
        controls
    }

    #[test]
    fn a_filter_is_typed_and_kept() {
        let controls = pressed("/fxq\x7f\r");
        assert_eq!((&*controls.filter, controls.is_typing), ("fx", false));
        assert!(controls.shows(&["reader", "FX/EURUSD"]) && !controls.shows(&["orders"]));
        assert!(pressed("/fx\x1b").filter.is_empty());
        assert!(pressed("/fx\r\x1b").filter.is_empty());
    }

    #[test]
    fn the_sort_moves_and_stops_at_the_ends() {
        assert_eq!(pressed(">").sort, Sort::Bytes);
        assert_eq!(pressed("\x1b[D").sort, Sort::Lost);
        assert_eq!(pressed(&"<".repeat(20)).sort, Sort::Client);
        assert_eq!(pressed(&">".repeat(20)).sort, Sort::Oldest);
    }

    #[test]
    fn only_q_ends_and_not_within_a_filter() {
        assert!(pressed("").press(Key::Character('q')));
        assert!(pressed("?").press(Key::Character('q')));
        assert!(!pressed("/").press(Key::Character('q')));
        assert!(pressed("?").shows_help && !pressed("? ").shows_help && !pressed("? ").is_paused);
    }

    #[test]
    fn the_line_fits_80_columns() {
        let mut controls = pressed(" ");
        assert!(controls.line().contains("PAUSED"));
        for sort in Sort::value_variants() {
            controls = Controls { sort: *sort, ..controls };
            assert!(controls.line().chars().count() <= 80, "{}", controls.line());
        }
    }
}

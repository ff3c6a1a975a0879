//! The help: verbs in groups, and an example with each.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use super::Arguments;

/// The verbs, by what one wants of them.
const GROUPS: &[(&str, &[&str])] = &[
    ("The router", &["serve", "top", "admin", "config", "credentials", "journal", "simulate"]),
    ("Its clients", &["pub", "sub", "request", "reply", "durable"]),
    ("Services and messages", &["soap", "fix", "decode", "convert", "schema"]),
    ("Measuring and planning", &["lab", "plan", "link"]),
    ("The command line", &["completions", "man", "help"]),
];

/// What to type, by verb.
const EXAMPLES: &[(&str, &str)] = &[
    ("serve", "trunkline serve --listen tcp://127.0.0.1:7400 --journal /var/lib/trunkline"),
    ("config check", "trunkline config check trunkline.toml"),
    ("config show", "trunkline config show > trunkline.toml"),
    ("credentials password", "trunkline credentials password anna >> credentials"),
    ("credentials token", "trunkline credentials token feed-7 >> credentials"),
    ("top", "trunkline top --sort rate\ntrunkline top --filter EUR --interval 200ms"),
    ("admin clients", "trunkline admin clients --name 'slow*' --user anna"),
    ("admin subscriptions", "trunkline admin subscriptions 'fx/>'"),
    ("admin topics", "trunkline admin topics 'fx/*' --json"),
    ("admin durables", "trunkline admin durables 'orders/>'"),
    ("admin producers", "trunkline admin producers --name 'desk-*'"),
    (
        "admin disconnect",
        "trunkline admin disconnect --client 4294967299 --reason 'asked to by the desk'\n\
         trunkline admin disconnect --name 'test-*' --all",
    ),
    (
        "admin drain",
        "trunkline admin drain --reason 'back at 7 pm' --timeout 60s\n\
         trunkline admin drain --stop",
    ),
    ("admin undrain", "trunkline admin undrain"),
    ("admin rotate", "trunkline admin rotate --json"),
    ("admin pause", "trunkline admin pause clearing"),
    ("admin resume", "trunkline admin resume clearing"),
    ("admin purge", "trunkline admin purge clearing"),
    (
        "admin seek",
        "trunkline admin seek clearing --from time:2026-07-01T09:30:00Z\n\
         trunkline admin seek clearing --from new",
    ),
    ("admin delete-durable", "trunkline admin delete-durable clearing"),
    ("admin delete-producer", "trunkline admin delete-producer desk-7"),
    (
        "pub",
        "trunkline pub fx/EURUSD 1.0842\n\
         trunkline pub orders/new --file order.fix --format fix --guaranteed\n\
         trunkline pub --topics < prices.tsv",
    ),
    (
        "sub",
        "trunkline sub 'fx/>' --conflate\n\
         trunkline sub 'orders/*' --durable clearing --from all --json",
    ),
    ("request", "trunkline request quotes/EURUSD '{\"size\": 1000000}' --format json"),
    ("reply", "trunkline reply 'quotes/*' --command 'echo 1.0842'"),
    ("durable list", "trunkline durable list --json"),
    ("durable delete", "trunkline durable delete clearing"),
    ("journal inspect", "trunkline journal inspect /var/lib/trunkline"),
    ("journal verify", "trunkline journal verify /var/lib/trunkline"),
    (
        "journal export",
        "trunkline journal export /var/lib/trunkline --topic 'orders/>' --from last:100",
    ),
    ("journal measure", "trunkline journal measure /var/lib/trunkline"),
    ("simulate", "trunkline simulate --runs 1000\ntrunkline simulate --power-cut --seed 7"),
    ("lab run", "trunkline lab run kohlhoff-2004 --quick --report report"),
    ("lab show", "trunkline lab show records/run.jsonl --table throughput"),
    ("lab compare", "trunkline lab compare records/before.jsonl records/after.jsonl"),
    ("lab peers", "trunkline lab peers"),
    ("lab list", "trunkline lab list"),
    ("lab message", "trunkline lab message quickfix.log --schema FIX44.xml"),
    ("plan", "trunkline plan --rate 70 --clients 100 --bandwidth 256k"),
    (
        "decode",
        "trunkline decode --schema FIX44.xml quickfix.log\n\
         trunkline decode envelope.finf\n\
         trunkline decode --schema orders.idl --type Trading::Order --format cdr-be order.bin",
    ),
    (
        "convert",
        "trunkline convert --from fix --to json --schema FIX44.xml quickfix.log\n\
         trunkline convert --from json --to fix --schema FIX44.xml --framed orders.json",
    ),
    (
        "schema",
        "trunkline schema market-data\n\
         trunkline schema quotes.wsdl --rust > quotes.rs\n\
         trunkline schema FIX44.xml NewOrderSingle --listing",
    ),
    (
        "soap describe",
        "trunkline soap describe http://127.0.0.1:8080/calculator add\n\
         trunkline soap describe quotes.wsdl --json",
    ),
    (
        "soap call",
        "trunkline soap call http://127.0.0.1:8080/calculator add a=40 b=2\n\
         trunkline soap call http://127.0.0.1:8080/calculator add --body request.json --dry-run",
    ),
    (
        "soap serve",
        "trunkline soap serve quotes.wsdl --answers answers\n\
         trunkline soap serve quotes.wsdl --answers answers.toml --listen 127.0.0.1:0",
    ),
    (
        "fix connect",
        "trunkline fix connect 127.0.0.1:5001 --sender FUND --target BANK --dictionary FIX44.xml\n\
         trunkline fix connect 127.0.0.1:5001 --sender FUND --target BANK --send orders.txt --json",
    ),
    (
        "fix accept",
        "trunkline fix accept --sender BANK --target FUND --dictionary FIX44.xml --answers answers.toml",
    ),
    ("link", "trunkline link --to 127.0.0.1:7400 --rate 10M --delay 20ms"),
    (
        "completions",
        "trunkline completions bash > ~/.local/share/bash-completion/completions/trunkline",
    ),
    ("man", "trunkline man | man -l -"),
];

/// The command line with an example for each verb, as it stands in manual pages.
pub(crate) fn manual() -> Command {
    let mut command = Arguments::command();
    for (verb, example) in EXAMPLES {
        command = with_example(command, &verb.split(' ').collect::<Vec<_>>(), example);
    }
    without_help_verbs(command)
}

/// Its pages say what `help` would.
fn without_help_verbs(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help_verbs)
}

/// The command line, with its help.
pub(crate) fn command() -> Command {
    let mut command = manual().disable_help_subcommand(false);
    // Its verb of help is there once it is built.
    command.build();
    let verbs = verbs(&command);
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{verbs}Options:\n{{options}}"
    ))
}

fn with_example(command: Command, verb: &[&str], example: &'static str) -> Command {
    match verb.split_first() {
        None => {
            let lines = example.lines().map(|line| format!("\n  {line}")).collect::<String>();
            let title = if example.contains('\n') { "Examples:" } else { "Example:" };
            command.after_help(format!("{title}{lines}"))
        }
        Some((first, rest)) => {
            command.mut_subcommand(first, |command| with_example(command, rest, example))
        }
    }
}

/// The verbs of all groups with what each is for.
fn verbs(command: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<12} {about}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verbs that a user sees, `lab run` and the like among them.
    fn visible(command: &Command, path: &str, found: &mut Vec<String>) {
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let path = format!("{path} {}", verb.get_name());
            match verb.has_subcommands() {
                true => visible(verb, &path, found),
                false => found.push(path.trim().to_owned()),
            }
        }
    }

    #[test]
    fn every_verb_has_an_example_that_can_be_typed() {
        let mut verbs = Vec::new();
        visible(&Arguments::command(), "", &mut verbs);
        let names: Vec<&str> = EXAMPLES.iter().map(|(verb, _)| *verb).collect();
        assert_eq!(
            verbs.iter().filter(|verb| !names.contains(&verb.as_str())).count(),
            0,
            "{verbs:?}"
        );
        for (verb, example) in EXAMPLES {
            for line in example.lines() {
                let words = [" | ", " > ", " >> ", " < "]
                    .iter()
                    .fold(line, |line, end| line.split(end).next().unwrap_or(line));
                let words: Vec<String> = shell_words(words);
                assert!(words.join(" ").starts_with(&format!("trunkline {verb}")), "{line}");
                let parsed = command().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }

    /// As a shell splits them, with single quotes.
    fn shell_words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for c in line.trim().chars() {
            match c {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                c => words.last_mut().expect("a word").push(c),
            }
        }
        words
    }

    #[test]
    fn every_verb_is_in_a_group() {
        let command = command();
        let mut there: Vec<&str> = command
            .get_subcommands()
            .filter(|verb| !verb.is_hide_set())
            .map(|verb| verb.get_name())
            .collect();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        there.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(there, grouped);
    }
}

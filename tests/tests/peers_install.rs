//! What `peers/install` gets, and where from.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use trunkline_bench::folder::PrivateFolder;
use trunkline_bench_bus::broker::BROKERS;

fn peers() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../peers")
}

fn run(script: &str, arguments: &[&str]) -> Output {
    Command::new(peers().join(script)).args(arguments).output().expect("a script that can be run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn every_broker_and_library_that_the_lab_compares_with_is_installed() {
    let listed = run("install", &["--packages"]);
    assert!(listed.status.success(), "{}", text(&listed.stderr));
    let listed = text(&listed.stdout);
    let packages: Vec<&str> = listed.lines().collect();
    for broker in BROKERS {
        if let Some(package) = broker.how_to_get.strip_prefix("Debian's package ") {
            assert!(
                packages.contains(&package),
                "{}: {package} is not among {listed}",
                broker.name
            );
        }
    }
    // ZeroMQ is in the program of adaptors only if its library can be found when that is built.
    for package in ["libzmq3-dev", "pkg-config"] {
        assert!(packages.contains(&package), "{package} is not among {listed}");
    }
}

#[test]
fn source_packages_come_from_where_the_machine_has_its_packages() {
    let folder = PrivateFolder::new().expect("a folder");
    let (from, to) = (folder.path().join("apt"), folder.path().join("index"));
    fs::create_dir_all(from.join("sources.list.d")).expect("a folder");
    fs::create_dir(&to).expect("a folder");
    let lists = [
        (
            "sources.list",
            "# deb http://commented.example/debian bookworm main\n\
             deb [signed-by=/usr/share/keyrings/house.gpg] https://packages.example/debian bookworm main\n\
             deb-src [signed-by=/usr/share/keyrings/house.gpg] https://packages.example/debian bookworm main\n\
             deb cdrom:[Debian]/ bookworm main\n",
            "deb-src [signed-by=/usr/share/keyrings/house.gpg] https://packages.example/debian bookworm main\n\
             deb-src cdrom:[Debian]/ bookworm main\n",
        ),
        (
            "sources.list.d/house.sources",
            "Types: deb\nURIs: http://10.0.0.7/debian\nSuites: bookworm bookworm-updates\n\
             Components: main\nSigned-By: /usr/share/keyrings/house.gpg\n\n\
             Types: deb deb-src\nEnabled: no\nURIs: http://10.0.0.7/other\nSuites: bookworm\n\
             Components: main\n",
            "Types: deb-src\nURIs: http://10.0.0.7/debian\nSuites: bookworm bookworm-updates\n\
             Components: main\nSigned-By: /usr/share/keyrings/house.gpg\n\n\
             Types: deb-src\nEnabled: no\nURIs: http://10.0.0.7/other\nSuites: bookworm\n\
             Components: main\n",
        ),
    ];
    for (name, list, _) in lists {
        fs::write(from.join(name), list).expect("a list");
    }
    fs::write(from.join("sources.list.d/old.list.disabled"), "deb http://x.example/ y z\n")
        .expect("a file that apt does not read");
    let folders = [&from, &to].map(|path| path.to_str().expect("a name in ASCII"));
    let made = run("source-lists", &folders);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for (name, _, expected) in lists {
        assert_eq!(fs::read_to_string(to.join(name)).expect("a list"), expected, "{name}");
    }
    assert!(!to.join("sources.list.d/old.list.disabled").exists());
}

#[test]
fn a_machine_without_repositories_is_told_so() {
    let folder = PrivateFolder::new().expect("a folder");
    let path = folder.path().to_str().expect("a name in ASCII");
    let made = run("source-lists", &["/nonexistent", path]);
    assert!(!made.status.success());
    assert!(text(&made.stderr).contains("/nonexistent has no sources.list"));
}

#[test]
fn no_mirror_is_named() {
    for script in ["install", "source-lists"] {
        let script = fs::read_to_string(peers().join(script)).expect("a script");
        let named = script.lines().find(|line| line.contains("://") || line.contains("debian.org"));
        assert_eq!(named, None);
    }
}

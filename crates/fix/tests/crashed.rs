//! A store whose process was killed.

use std::fs;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use trunkline_fix::{JournalStore, Store as _};

/// Who opens it and sends nothing does not wait for something to be on the disk.
#[test]
fn a_store_that_was_not_closed_is_opened_and_closed_again() {
    let folder = std::env::temp_dir().join(format!("trunkline-crashed-{}", std::process::id()));
    // What an earlier run has left.
    let _ = fs::remove_dir_all(&folder);
    let (first, copy) = (folder.join("first"), folder.join("copy"));
    fs::create_dir_all(&first).expect("a folder");
    fs::create_dir_all(&copy).expect("a folder");
    let mut store = JournalStore::open(&first, 1 << 20).expect("a store");
    store.save(Some(b"8=FIX.4.4\x01")).expect("it is kept");
    store.wait().expect("it is on the disk");
    // What a process leaves that is killed here.
    for entry in fs::read_dir(&first).expect("a folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, copy.join(path.file_name().expect("a name"))).expect("a copy");
    }
    drop(store);
    let (done, is_done) = channel();
    let closing = copy.clone();
    thread::spawn(move || {
        let mut store = JournalStore::open(&closing, 1 << 20).expect("a store");
        assert_eq!(store.next_sender(), 2);
        store.wait().expect("nothing is to be written");
        drop(store);
        done.send(()).expect("somebody waits");
    });
    is_done.recv_timeout(Duration::from_secs(60)).expect("it is closed");
    fs::remove_dir_all(&folder).expect("it is ours");
}

/// What was reserved is given back where nothing more is sent, and is not where nobody could say so.
#[test]
fn numbers_that_were_reserved_are_a_gap_behind_a_crash_alone() {
    let folder = std::env::temp_dir().join(format!("trunkline-noted-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let (first, copy) = (folder.join("first"), folder.join("copy"));
    fs::create_dir_all(&first).expect("a folder");
    fs::create_dir_all(&copy).expect("a folder");
    let mut store = JournalStore::open(&first, 1 << 20).expect("a store");
    (0..10).for_each(|_| store.note().expect("it is noted"));
    store.wait().expect("what is reserved is on the disk");
    for entry in fs::read_dir(&first).expect("a folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, copy.join(path.file_name().expect("a name"))).expect("a copy");
    }
    store.save(Some(b"8=FIX.4.4\x01")).expect("it is kept");
    drop(store);
    let mut store = JournalStore::open(&first, 1 << 20).expect("a store");
    assert_eq!(store.next_sender(), 12);
    assert_eq!(store.load(1, &mut Vec::new()).expect("it is read"), Some(11));
    let killed = JournalStore::open(&copy, 1 << 20).expect("a store");
    assert!(killed.next_sender() > 11, "{}", killed.next_sender());
    drop((store, killed));
    fs::remove_dir_all(&folder).expect("it is ours");
}

//! The fuzz body over edited and damaged SOAP documents, from fixed seeds, and over kept findings.

use std::fs;
use std::path::PathBuf;

use trunkline_random::Random;
use trunkline_tests::fuzz;

fn golden(folder: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../golden").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|it| it.is_file()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a kept file")).collect()
}

#[test]
fn kept_findings_keep_the_promises() {
    let kept = golden("fuzz/soap");
    assert!(!kept.is_empty());
    for data in kept {
        fuzz::soap(&data);
    }
}

#[test]
fn edited_documents_keep_the_promises() {
    let mut random = Random::new(3);
    for _ in 0..15_000 {
        let length = 8 + usize::from(random.byte()) / 2;
        let mut data: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        data[0] |= 1;
        fuzz::soap(&data);
    }
}

#[test]
fn damaged_documents_keep_the_promises() {
    let mut random = Random::new(4);
    for document in golden("soap") {
        for plan in 0..32 {
            let first = plan << 1;
            fuzz::soap(&[&[first], document.as_slice()].concat());
            for _ in 0..20 {
                let mut damaged = document.clone();
                for _ in 0..1 + random.byte() % 3 {
                    let at = (usize::from(random.byte()) << 8 | usize::from(random.byte()))
                        % damaged.len();
                    damaged[at] = match random.byte() % 2 {
                        0 => b"<>&/='\":]-?! \r\0"[usize::from(random.byte() % 15)],
                        _ => random.byte(),
                    };
                }
                fuzz::soap(&[&[first], damaged.as_slice()].concat());
            }
        }
    }
}

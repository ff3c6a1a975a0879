//! Which files a WSDL on the disk may have read, and how much of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::said;
use super::site::Site;

const ANSWER: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <r><text>yes</text></r></e:Body></e:Envelope>";

/// A folder with a description `in/service.wsdl` whose type comes from the schema at LOCATION.
struct Description {
    folder: PathBuf,
    site: Site,
}

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:service"
    xmlns:x="urn:types" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:service">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:service">
    <import namespace="urn:types" schemaLocation="LOCATION"/></schema></types>
  <message name="In"><part name="p" element="x:ask"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document"/>
    <operation name="ask"><input><soap:body use="literal"/></input></operation></binding>
</definitions>"#;
const TYPES: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:types">
  <element name="ask"><complexType><sequence><element name="a" type="int"/></sequence></complexType></element>
</schema>"#;

impl Description {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("in/side")).expect("a folder");
        fs::create_dir_all(folder.join("out")).expect("a folder");
        for path in ["in/types.xsd", "in/side/gr\u{f6}\u{df}e 1.xsd", "out/types.xsd"] {
            fs::write(folder.join(path), TYPES).expect("a file");
        }
        Self { folder, site: Site::start(&[], ANSWER) }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn ask(&self, location: &str, more: &[&str]) -> (Option<i32>, String, String) {
        let wsdl = self.path("in/service.wsdl");
        fs::write(&wsdl, WSDL.replace("LOCATION", location)).expect("a file");
        self.ask_by(&wsdl, more)
    }

    fn ask_by(&self, wsdl: &Path, more: &[&str]) -> (Option<i32>, String, String) {
        let (url, wsdl) = (self.site.url("/"), wsdl.display().to_string());
        said(&[&[&*url, "ask", "a=1", "--wsdl", &*wsdl], more].concat())
    }

    #[track_caller]
    fn is_rejected(&self, location: &str, more: &[&str], words: &str) {
        let (status, out, err) = self.ask(location, more);
        assert_eq!((status, &*out), (Some(2), ""), "{location}: {err}");
        let words = format!("the element {{urn:types}}ask is not defined; {words}");
        assert!(err.contains(&words), "{location}: no {words:?} in {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }

    #[track_caller]
    fn is_read(&self, location: &str, more: &[&str]) {
        let (status, out, err) = self.ask(location, more);
        assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{location}: {err}");
    }
}

impl Drop for Description {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_description_reads_files_of_its_own_folder_only() {
    let it = Description::new("folders");
    let own = it.path("in/types.xsd").display().to_string();
    for location in ["types.xsd", "side/../types.xsd", "side/gr\u{f6}\u{df}e%201.xsd", &own] {
        it.is_read(location, &[]);
    }
    let elsewhere = it.path("out/types.xsd").display().to_string();
    std::os::unix::fs::symlink("../out", it.path("in/link")).expect("a link");
    for location in ["../out/types.xsd", &elsewhere, "link/types.xsd"] {
        let (folder, _) = (it.path("in").canonicalize().expect("a folder"), ());
        let why = format!("it is outside of the folder {} (--other-folders)", folder.display());
        let (_, _, err) = it.ask(location, &[]);
        assert!(err.contains(&format!("is not read: {why}")), "{location}: {err}");
        it.is_read(location, &["--other-folders"]);
    }
    it.is_rejected(
        "none.xsd",
        &[],
        &format!("{}/none.xsd is not read: No such file", it.path("in").display()),
    );
    it.is_rejected("file:///etc/passwd", &["--other-folders"], "/etc/passwd is not read: at ");
}

#[test]
fn what_is_no_regular_file_is_not_read() {
    let it = Description::new("kinds");
    let pipe = it.path("in/pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let up = "../".repeat(it.path("in").components().count());
    let zero = format!("{up}dev/zero");
    for location in ["pipe", "side", &zero] {
        let (status, out, err) = it.ask(location, &["--other-folders"]);
        assert_eq!((status, &*out), (Some(2), ""), "{location}: {err}");
        assert!(err.contains("is not read: it is no regular file"), "{location}: {err}");
    }
}

/// What the user names is read, whatever it is; what it names is looked for beside it.
#[test]
fn the_description_may_come_from_a_pipe() {
    let it = Description::new("pipes");
    let whole = WSDL.replace("x:ask", "t:ask").replace(
        "<import namespace=\"urn:types\" schemaLocation=\"LOCATION\"/>",
        "<element name=\"ask\"><complexType/></element>",
    );
    // The pipe has no second document: who waits for one waits for ever.
    let again = whole.replace("<element", "<include schemaLocation=\"pipe\"/><element");
    let pipe = it.path("in/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for text in [whole, again] {
        let place = pipe.clone();
        let writer = std::thread::spawn(move || fs::write(place, text));
        let (url, wsdl) = (it.site.url("/"), pipe.display().to_string());
        let (status, out, err) = said(&[&url, "ask", "--wsdl", &wsdl]);
        assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{err}");
        writer.join().expect("no panic").expect("it is read");
    }
    fs::write(it.path("in/service.wsdl"), WSDL.replace("LOCATION", "types.xsd")).expect("a file");
    let types = it.path("in/types.xsd").display().to_string();
    let script = format!(
        "sed 's|types.xsd|{types}|' in/service.wsdl | {} soap call {} ask a=1 --other-folders --wsdl -",
        env!("CARGO_BIN_EXE_trunkline"),
        it.site.url("/"),
    );
    let shell = Command::new("sh").args(["-c", &script]).current_dir(&it.folder).output();
    let output = shell.expect("a shell");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"text = yes\n"[..]), "{err}");
    // It ends where all documents do.
    let (status, _, err) = it.ask_by(Path::new("/dev/zero"), &[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("/dev/zero: there are more than 16777216 bytes"), "{err}");
    let (status, _, err) = it.ask_by(&it.path("in"), &[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("/in: Is a directory"), "{err}");
}

/// All documents of a description together have at most 16 MiB, and they are at most 100.
#[test]
fn a_description_has_an_end() {
    let it = Description::new("sizes");
    let long = |bytes: usize| format!("{TYPES}<!--{}-->", " ".repeat(bytes));
    fs::write(it.path("in/long.xsd"), long(16 << 20)).expect("a file");
    let limit = "there are more than 16777216 bytes";
    let place = it.path("in/long.xsd").display().to_string();
    it.is_rejected("long.xsd", &[], &format!("{place} is not read: {limit}"));
    let site = Site::start(
        &[("/?wsdl", &WSDL.replace("LOCATION", "long.xsd")), ("/long.xsd", &long(16 << 20))],
        ANSWER,
    );
    let (status, _, err) = said(&[&site.url("/"), "ask", "a=1"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("/long.xsd is not read: ") && err.contains("body_bytes"), "{err}");

    // Each is short enough, and the two are not.
    let including = TYPES.replace("<element ", "<include schemaLocation='second.xsd'/><element ");
    let including = including.replace("name=\"a\" type=\"int\"", "ref=\"x:second\"");
    let including = including.replace("targetNamespace", "xmlns:x=\"urn:types\" targetNamespace");
    let padding = " ".repeat(9 << 20);
    fs::write(it.path("in/first.xsd"), format!("{including}<!--{padding}-->")).expect("a file");
    fs::write(it.path("in/second.xsd"), long(9 << 20)).expect("a file");
    let (status, _, err) = it.ask("first.xsd", &[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("the element {urn:types}second is not defined; "), "{err}");
    assert!(err.contains("second.xsd is not read: documents of more than 16777216 bytes"), "{err}");

    // Each names the next, for ever.
    for number in 0..120 {
        let next = format!("<include schemaLocation='{}.xsd'/><element ", number + 1);
        let text = TYPES.replace("<element ", &next).replacen("ask", &format!("e{number}"), 1);
        fs::write(it.path(&format!("in/{number}.xsd")), text).expect("a file");
    }
    let (status, _, err) = it.ask("0.xsd", &[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("99.xsd is not read: more than 100 documents"), "{err}");
}

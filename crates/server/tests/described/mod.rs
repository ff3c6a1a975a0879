//! A router with a schema of what is published, for the tests beside this folder.
#![allow(dead_code, reason = "no test uses all of it")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use trunkline_client::{Client, Error, Event, Options};
use trunkline_server::snapshot::{Snapshot, SnapshotRequest};
use trunkline_server::{Config, Running};

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const DICTIONARY: &str = r#"<fix type="FIX" major="4" minor="4">
 <header>
  <field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/>
  <field name="MsgType" required="Y"/><field name="SenderCompID" required="N"/>
 </header>
 <messages>
  <message name="Quote" msgtype="S" msgcat="app">
   <field name="QuoteID" required="Y"/><field name="Symbol" required="N"/><field name="BidPx" required="N"/>
  </message>
 </messages>
 <trailer><field name="CheckSum" required="Y"/></trailer>
 <components/>
 <fields>
  <field number="8" name="BeginString" type="STRING"/><field number="9" name="BodyLength" type="LENGTH"/>
  <field number="35" name="MsgType" type="STRING"/><field number="49" name="SenderCompID" type="STRING"/>
  <field number="10" name="CheckSum" type="STRING"/><field number="117" name="QuoteID" type="STRING"/>
  <field number="55" name="Symbol" type="STRING"/><field number="132" name="BidPx" type="PRICE"/>
 </fields>
</fix>
"#;

/// The same with another name of a field.
pub(crate) fn other_dictionary() -> String {
    DICTIONARY.replace("QuoteID", "QuoteNumber")
}

/// A folder with a dictionary and a configuration, which goes at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("trunkline-formats-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let it = Self(folder);
        it.write("quotes.xml", DICTIONARY);
        it
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a file");
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// `[[topic]]` with what is to be said besides.
    pub(crate) fn topic(&self, pattern: &str, schema: &str, more: &str) -> String {
        let schema = self.path(schema);
        format!("[[topic]]\npattern = {pattern:?}\nschema = {schema:?}\n{more}\n")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn config(text: &str) -> Config {
    let text = format!(
        "listen.native = \"tcp://127.0.0.1:0\"\nlisten.http = \"off\"\nlisten.websocket = \"off\"\n{text}"
    );
    let mut config =
        Config::from_text("test.toml", &text, std::iter::empty()).expect("it is right");
    config.router.threads = crate::raw::config(|_| {}).router.threads;
    config
}

pub(crate) fn connect(router: &Running, name: &str) -> Client {
    let address = router.addresses()[0].address.to_string();
    Client::connect(&address, &Options::named(name)).expect("a client")
}

pub(crate) fn fix(body: &str) -> Vec<u8> {
    let body = format!("35=S\u{1}{body}\u{1}");
    let mut message = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
    let sum = message.bytes().fold(0_u8, u8::wrapping_add);
    message.push_str(&format!("10={sum:03}\u{1}"));
    message.into_bytes()
}

/// What a client got: messages with their format, or the reasons of gaps.
pub(crate) type Got = Vec<Result<(u16, Vec<u8>), String>>;

pub(crate) fn receive(client: &mut Client, count: usize) -> Got {
    let mut got = Got::new();
    while got.len() < count {
        let came = client.receive(Some(PATIENCE), &mut |event| match event {
            Event::Message(it) => got.push(Ok((it.format, it.payload.to_vec()))),
            Event::Gap(it) => got.push(Err(it.reason.to_owned())),
            event => panic!("{event:?}"),
        });
        assert!(came.expect("it is connected") > 0, "nothing came after {}", got.len());
    }
    got
}

pub(crate) fn snapshot(router: &Running) -> Snapshot {
    router.handle().snapshot(SnapshotRequest { clients: 0, topics: 0 }).expect("a snapshot")
}

pub(crate) fn rejection(error: Error) -> (u16, String) {
    match error {
        Error::Rejected(it) => (it.code, it.text),
        error => panic!("{error}"),
    }
}

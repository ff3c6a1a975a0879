//! `trunkline fix connect` and `trunkline fix accept`, as a user types them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use trunkline_bench::folder::PrivateFolder;

const DICTIONARY: &str = r#"<fix type="FIX" major="4" minor="4" servicepack="0">
  <header><field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/><field name="MsgType" required="Y"/>
    <field name="SenderCompID" required="Y"/><field name="TargetCompID" required="Y"/><field name="MsgSeqNum" required="Y"/>
    <field name="PossDupFlag" required="N"/><field name="SendingTime" required="Y"/><field name="OrigSendingTime" required="N"/></header>
  <trailer><field name="CheckSum" required="Y"/></trailer>
  <messages>
    <message name="Logon" msgtype="A" msgcat="admin"><field name="EncryptMethod" required="Y"/><field name="HeartBtInt" required="Y"/>
      <field name="ResetSeqNumFlag" required="N"/><field name="Username" required="N"/><field name="Password" required="N"/>
      <field name="RawDataLength" required="N"/><field name="RawData" required="N"/></message>
    <message name="Logout" msgtype="5" msgcat="admin"><field name="Text" required="N"/></message>
    <message name="Heartbeat" msgtype="0" msgcat="admin"><field name="TestReqID" required="N"/></message>
    <message name="Reject" msgtype="3" msgcat="admin"><field name="RefSeqNum" required="Y"/><field name="Text" required="N"/>
      <field name="RefTagID" required="N"/><field name="RefMsgType" required="N"/><field name="SessionRejectReason" required="N"/></message>
    <message name="NewOrderSingle" msgtype="D" msgcat="app"><field name="ClOrdID" required="Y"/><field name="Symbol" required="Y"/>
      <field name="Side" required="Y"/><field name="OrderQty" required="N"/><field name="Price" required="N"/><field name="TransactTime" required="Y"/>
      <field name="Text" required="N"/><field name="EncodedTextLen" required="N"/><field name="EncodedText" required="N"/>
      <group name="NoPartyIDs" required="N"><field name="PartyID" required="N"/></group></message>
    <message name="ExecutionReport" msgtype="8" msgcat="app"><field name="OrderID" required="Y"/><field name="ClOrdID" required="N"/>
      <field name="OrdStatus" required="Y"/><field name="Side" required="Y"/><field name="Text" required="N"/>
      <field name="EncodedTextLen" required="N"/><field name="EncodedText" required="N"/></message>
    <message name="BusinessMessageReject" msgtype="j" msgcat="app"><field name="RefSeqNum" required="N"/>
      <field name="RefMsgType" required="Y"/><field name="BusinessRejectReason" required="Y"/><field name="Text" required="N"/></message>
  </messages>
  <components/>
  <fields>
    <field number="8" name="BeginString" type="STRING"/><field number="9" name="BodyLength" type="LENGTH"/>
    <field number="10" name="CheckSum" type="STRING"/><field number="11" name="ClOrdID" type="STRING"/>
    <field number="34" name="MsgSeqNum" type="SEQNUM"/><field number="35" name="MsgType" type="STRING"/>
    <field number="37" name="OrderID" type="STRING"/><field number="38" name="OrderQty" type="QTY"/>
    <field number="39" name="OrdStatus" type="CHAR"><value enum="0" description="NEW"/><value enum="8" description="REJECTED"/></field>
    <field number="44" name="Price" type="PRICE"/><field number="354" name="EncodedTextLen" type="LENGTH"/><field number="355" name="EncodedText" type="DATA"/>
    <field number="43" name="PossDupFlag" type="BOOLEAN"/><field number="45" name="RefSeqNum" type="SEQNUM"/>
    <field number="49" name="SenderCompID" type="STRING"/><field number="52" name="SendingTime" type="UTCTIMESTAMP"/>
    <field number="54" name="Side" type="CHAR"><value enum="1" description="BUY"/><value enum="2" description="SELL"/></field>
    <field number="55" name="Symbol" type="STRING"/><field number="56" name="TargetCompID" type="STRING"/>
    <field number="58" name="Text" type="STRING"/><field number="60" name="TransactTime" type="UTCTIMESTAMP"/>
    <field number="95" name="RawDataLength" type="LENGTH"/><field number="96" name="RawData" type="DATA"/>
    <field number="98" name="EncryptMethod" type="INT"/><field number="108" name="HeartBtInt" type="INT"/>
    <field number="112" name="TestReqID" type="STRING"/><field number="122" name="OrigSendingTime" type="UTCTIMESTAMP"/>
    <field number="141" name="ResetSeqNumFlag" type="BOOLEAN"/><field number="371" name="RefTagID" type="INT"/>
    <field number="372" name="RefMsgType" type="STRING"/><field number="373" name="SessionRejectReason" type="INT"/>
    <field number="380" name="BusinessRejectReason" type="INT"/><field number="448" name="PartyID" type="STRING"/>
    <field number="453" name="NoPartyIDs" type="NUMINGROUP"/><field number="553" name="Username" type="STRING"/><field number="554" name="Password" type="STRING"/>
  </fields>
</fix>"#;

const ANSWERS: &str = r#"
[[answer]]
to = "NewOrderSingle"
when = { Symbol = "NONE" }
reject = "no such symbol"

[[answer]]
to = "NewOrderSingle"
when = { Side = "SELL", OrderQty = 100 }
times = 1
send = "ExecutionReport|OrderID=first|ClOrdID={ClOrdID}|OrdStatus=REJECTED|Side={Side}|Text=for {Symbol}"

[[answer]]
to = "D"
send = ["ExecutionReport|OrderID=o-{count}|ClOrdID={11}|OrdStatus=NEW|Side={Side}"]
"#;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.current_dir(folder).arg("fix").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// An acceptor that runs in a folder, until this is dropped.
struct Accepting {
    folder: PrivateFolder,
    child: Child,
    /// What it prints, which somebody has to read.
    out: Option<thread::JoinHandle<String>>,
    address: String,
}

impl Accepting {
    fn start(arguments: &[&str]) -> Self {
        Self::start_in(PrivateFolder::new().expect("a folder"), arguments)
    }

    fn start_in(folder: PrivateFolder, arguments: &[&str]) -> Self {
        fs::write(folder.path().join("fix.xml"), DICTIONARY).expect("a file");
        fs::write(folder.path().join("answers.toml"), ANSWERS).expect("a file");
        let all = ["accept", "--listen", "127.0.0.1:0", "--sender", "BANK"];
        let mut command = command(folder.path(), &[&all, arguments].concat());
        let mut child = command.stderr(Stdio::null()).spawn().expect("the program runs");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        out.read_line(&mut line).expect("text");
        let address = match line.strip_prefix("listening ") {
            Some(address) => address.trim().to_owned(),
            None => {
                let fact: Value = serde_json::from_str(&line).expect("a fact");
                fact["address"].as_str().expect("where").to_owned()
            }
        };
        let rest = thread::spawn(move || {
            let mut rest = String::new();
            out.read_to_string(&mut rest).expect("text");
            rest
        });
        Self { folder, child, out: Some(rest), address }
    }

    /// Lets a client send lines, and gives what it ended with.
    fn client(&self, arguments: &[&str], lines: impl AsRef<[u8]>) -> (Option<i32>, String, String) {
        // Answers come before the Logout is answered.
        let own = ["connect", &*self.address, "--target", "BANK", "--wait", "0ms"];
        said(command(self.folder.path(), &[&own[..], arguments].concat()), lines)
    }

    /// What it has printed, when it is told to end.
    fn stop(mut self) -> (PrivateFolder, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
        let rest = self.out.take().expect("it runs").join().expect("text");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
        let folder = std::mem::replace(&mut self.folder, PrivateFolder::new().expect("a folder"));
        (folder, rest)
    }
}

impl Drop for Accepting {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn said(mut command: Command, lines: impl AsRef<[u8]>) -> (Option<i32>, String, String) {
    let mut child = command.spawn().expect("the program runs");
    // Who cannot log on reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(lines.as_ref());
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

const BY_NAME: [&str; 4] = ["--sender", "FUND", "--dictionary", "fix.xml"];

#[test]
fn orders_by_name_and_number_and_in_json_are_answered_by_rules() {
    let arguments = ["--target", "FUND", "--dictionary", "fix.xml", "--answers", "answers.toml"];
    let accepting = Accepting::start(&arguments);
    let lines = "# a comment\n\
        NewOrderSingle|ClOrdID=a|Symbol=INTC|Side=SELL|OrderQty=100|TransactTime={now}\n\
        35=D|11=b|55=INTC|54=2|38=100.0|60=20261126-09:30:00\n\
        8=FIX.4.4^A9=99^A35=D^A34=77^A49=X^A56=Y^A11=c^A55=NONE^A54=1^A60=20261126-09:30:00^A10=000^A\n\
        {\"MsgType\": \"NewOrderSingle\", \"ClOrdID\": \"d\", \"Symbol\": \"INTC\", \"Side\": \"BUY\", \"TransactTime\": \"{now}\", \"NoPartyIDs\": [{\"PartyID\": \"x\"}, {\"PartyID\": \"y\"}]}\n";
    let (status, out, err) = accepting.client(&BY_NAME, lines);
    assert_eq!(status, Some(0), "{out}{err}");
    let came: Vec<&str> = out.lines().filter(|it| it.starts_with('<')).collect();
    assert_eq!(
        came,
        [
            "< 2 ExecutionReport|OrderID=first|ClOrdID=a|OrdStatus=REJECTED|Side=SELL|Text=for INTC",
            "< 3 ExecutionReport|OrderID=o-2|ClOrdID=b|OrdStatus=NEW|Side=SELL",
            "< 4 BusinessMessageReject|RefSeqNum=4|Text=no such symbol|RefMsgType=D|BusinessRejectReason=0",
            "< 5 ExecutionReport|OrderID=o-3|ClOrdID=d|OrdStatus=NEW|Side=BUY",
        ],
        "{err}"
    );
    assert!(out.contains("> 4 NewOrderSingle|ClOrdID=c|Symbol=NONE|Side=BUY|"), "{out}");
    assert!(err.contains("FIX.4.4:FUND->BANK logged on\n"), "{err}");
    let (_, printed) = accepting.stop();
    assert!(printed.contains("|NoPartyIDs=2|PartyID=x|PartyID=y\n"), "{printed}");
}

#[test]
fn programs_read_json_and_raw_lines() {
    let accepting = Accepting::start(&[
        "--target",
        "FUND",
        "--answers",
        "answers.toml",
        "--dictionary",
        "fix.xml",
    ]);
    let order = "35=D|11=a|55=INTC|54=1|60=20261126-09:30:00\n";
    let (status, out, err) =
        accepting.client(&[&BY_NAME[..], &["--json", "--reset"]].concat(), order);
    assert_eq!(status, Some(0), "{err}");
    let facts: Vec<Value> = out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    let of = |fact: &str| facts.iter().filter(|it| it["fact"] == fact).collect::<Vec<_>>();
    assert_eq!((of("logged_on").len(), of("logged_out").len()), (1, 1));
    let [sent, received] = &*of("message") else { panic!("{out}") };
    assert_eq!((&sent["direction"], &sent["name"]), (&"sent".into(), &"NewOrderSingle".into()));
    assert_eq!(received["fields"][2]["meaning"], "NEW");
    let (status, out, err) =
        accepting.client(&["--sender", "FUND", "--raw", "--all", "--reset"], order);
    assert_eq!(status, Some(0), "{err}");
    let lines: Vec<&str> = out.lines().filter(|it| it.contains("|49=BANK|")).collect();
    assert!(lines[0].starts_with("8=FIX.4.4|9=") && lines[0].contains("|35=A|34=1|"), "{out}");
    assert!(lines[1].contains("|35=8|34=2|") && lines[2].contains("|35=5|34=3|"), "{out}");
}

/// What is sent is printed as what comes is: what the session sends itself with `--all`, rejects always, passwords never.
#[test]
fn what_a_session_sends_itself_is_printed() {
    let rules = ["--target", "FUND", "--dictionary", "fix.xml", "--answers", "answers.toml"];
    let order = "35=D|11=a|55=NONE|54=1|60=20261126-09:30:00\n35=D|11=b|55=INTC|54=9|60=20261126-09:30:00\n";
    let accepting = Accepting::start(&rules);
    let raw = ["--sender", "FUND", "--raw", "--all", "--reset"];
    let secret = ["--logon", "95=6", "--logon", "96=secret", "--logon", "554=secret"];
    let (status, out, _) = accepting.client(&[&raw[..], &secret].concat(), order);
    assert_eq!(status, Some(0), "{out}");
    let (_, printed) = accepting.stop();
    let business = "> 2 BusinessMessageReject|RefSeqNum=2|Text=no such symbol|RefMsgType=D|BusinessRejectReason=0";
    for line in ["> 3 Reject|RefSeqNum=3|", business] {
        assert!(printed.lines().any(|it| it.starts_with(line)), "{line}: {printed}");
    }
    assert!(!printed.contains("Logon|"), "{printed}");
    let sent: Vec<&str> = out.lines().filter(|it| it.contains("|49=FUND|")).collect();
    let types = ["A", "D", "D", "5"].map(|it| format!("|35={it}|"));
    assert_eq!(sent.len(), types.len(), "{out}");
    assert!(sent.iter().zip(&types).all(|(line, of)| line.contains(of)), "{out}");
    assert!(sent[0].contains("|95=6|96=***|554=***|") && !out.contains("secret"), "{out}");

    let accepting = Accepting::start(&[&rules[..], &["--all"]].concat());
    assert_eq!(accepting.client(&[&BY_NAME[..], &["--reset"]].concat(), "").0, Some(0));
    let (_, printed) = accepting.stop();
    for line in ["< 1 Logon|", "> 1 Logon|", "< 2 Logout", "> 2 Logout"] {
        assert!(printed.lines().any(|it| it.starts_with(line)), "{line}: {printed}");
    }
}

#[test]
fn a_line_that_cannot_be_sent_is_named_and_the_others_are_sent() {
    let accepting =
        Accepting::start(&["--target", "FUND", "--target", "OTHER", "--dictionary", "fix.xml"]);
    let lines = "NewOrderSingle|ClOrdId=a\n35=D|11=b|55=INTC|54=1|60=20261126-09:30:00\n35=D|11\n35=A|108=3\nExecutionReport|OrderID={OrderID}\n";
    let (status, _, err) = accepting.client(&BY_NAME, lines);
    assert_eq!(status, Some(1), "{err}");
    for why in [
        "standard input:1: not sent: the dictionary has no field ClOrdId; did you mean ClOrdID?",
        "standard input:3: not sent: `11` is no field",
        "standard input:4: not sent: the MsgType is none of an application",
        "standard input:5: not sent: there is no message that something could be copied from",
        "standard input: 4 lines not sent",
    ] {
        assert!(err.contains(why), "{why}: {err}");
    }
    let (_, printed) = accepting.stop();
    assert_eq!(printed.lines().count(), 1, "{printed}");
    assert!(printed.starts_with("FUND < 2 NewOrderSingle|ClOrdID=b|"), "{printed}");
}

#[test]
fn who_cannot_log_on_is_told_why_and_what_to_do() {
    let accepting = Accepting::start(&["--target", "FUND", "--target", "KEEPS"]);
    let (status, _, err) = accepting.client(&["--sender", "NOBODY"], "");
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("no session of SenderCompID NOBODY and TargetCompID BANK"), "{err}");
    for _ in 0..2 {
        let (status, _, err) = accepting.client(&["--sender", "KEEPS", "--store", "kept"], "");
        assert_eq!(status, Some(0), "{err}");
    }
    let (status, _, err) = accepting.client(&["--sender", "KEEPS"], "");
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("expecting 5 but received 1; say --next 5, or --reset"), "{err}");
    let (status, _, err) = accepting.client(&["--sender", "KEEPS", "--next", "5"], "");
    // It has not what was sent to it before, and says so.
    assert!(status == Some(0) || err.contains("misses"), "{err}");
    let (status, _, err) = accepting.client(&["--sender", "KEEPS", "--reset"], "");
    assert_eq!(status, Some(0), "{err}");
    let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let folder = PrivateFolder::new().expect("a folder");
    let nobody = ["connect", &*free.to_string(), "--sender", "A", "--target", "B"];
    let (status, _, err) = said(command(folder.path(), &nobody), "");
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("refused"), "{err}");
}

#[test]
fn an_acceptor_goes_on_with_the_numbers_of_its_store() {
    let keeps = ["--target", "FUND", "--store", "acceptor"];
    let accepting = Accepting::start(&keeps);
    let own = ["--sender", "FUND", "--store", "initiator"];
    let order = "35=D|11=a|55=INTC|54=1|60=20261126-09:30:00\n";
    let (status, out, err) = accepting.client(&own, order);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.starts_with("> 2 NewOrderSingle|"), "{out}");
    let (folder, _) = accepting.stop();
    let accepting = Accepting::start_in(folder, &keeps);
    let (status, out, err) = accepting.client(&own, order);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.starts_with("> 5 NewOrderSingle|"), "{out}");
}

/// A client whose input stays open.
struct Typing {
    child: Child,
    input: ChildStdin,
    out: BufReader<ChildStdout>,
}

#[test]
fn an_interrupt_logs_out_in_order() {
    let accepting = Accepting::start(&["--target", "FUND"]);
    let arguments =
        ["connect", &*accepting.address, "--sender", "FUND", "--target", "BANK", "--json"];
    let mut child = command(accepting.folder.path(), &arguments).spawn().expect("the program runs");
    let (input, out) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut typing = Typing { child, input, out: BufReader::new(out) };
    let mut line = String::new();
    typing.out.read_line(&mut line).expect("text");
    assert!(line.contains("\"logged_on\""), "{line}");
    writeln!(typing.input, "35=D|11=a|55=INTC|54=1|60=20261126-09:30:00").expect("it reads");
    line.clear();
    typing.out.read_line(&mut line).expect("text");
    assert!(line.contains("\"sent\""), "{line}");
    let id = typing.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    line.clear();
    typing.out.read_line(&mut line).expect("text");
    assert!(line.contains("\"logged_out\"") && line.contains("\"why\":null"), "{line}");
    assert_eq!(typing.child.wait().expect("it ends").code(), Some(0));
    let (_, printed) = accepting.stop();
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

/// Says that an acceptor with these answers ends at once, and why.
fn rejected_at_the_start(text: &str, why: &str) {
    let folder = PrivateFolder::new().expect("a folder");
    fs::write(folder.path().join("fix.xml"), DICTIONARY).expect("a file");
    fs::write(folder.path().join("answers.toml"), text).expect("a file");
    let arguments = [
        "accept",
        "--sender",
        "A",
        "--target",
        "B",
        "--dictionary",
        "fix.xml",
        "--answers",
        "answers.toml",
    ];
    let (status, _, err) = said(command(folder.path(), &arguments), "");
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains(why), "{why}: {err}");
}

#[test]
fn answers_that_cannot_be_given_are_rejected_at_the_start() {
    for (text, why) in [
        (
            "[[answer]]\nto = \"D\"\n",
            "answers.toml: answer 1, to D: it has either `send` or `reject`",
        ),
        ("[[answer]]\nto = \"Order\"\nreject = \"x\"\n", "the dictionary has no message Order"),
        (
            "[[answer]]\nto = \"D\"\nsend = \"ExecutionReport|ClOrdID={ClOrdId}\"\n",
            "send: the dictionary has no field ClOrdId; did you mean ClOrdID?",
        ),
        (
            "[[answer]]\nto = \"D\"\nwhen = { Symbol = [] }\nreject = \"x\"\n",
            "when: Symbol is compared with one value",
        ),
        ("[[answer]]\nto = 1\n", "answers.toml:2: "),
        (
            "[[answer]]\nto = \"D\"\nreject = \"x\"\n[[answer]]\nto = \"D\"\nsend = \"35=8|37={count}|39=NEWW|54={54}\"\n",
            "answers.toml: answer 2, to D: send: OrdStatus (39): Incorrect data format for value; \
             it is \"NEWW\", and it takes 0 (NEW), 8 (REJECTED)",
        ),
        (
            "[[answer]]\nto = \"D\"\nsend = [\"35=8|37=a\", \"35=8|37=a|37=b|39=0\"]\n",
            "send: OrderID (37): ",
        ),
        (
            "[[answer]]\nto = \"D\"\nwhen = { Side = \"BUYY\" }\nreject = \"x\"\n",
            "when: Side (54): ",
        ),
    ] {
        rejected_at_the_start(text, why);
    }
    let folder = PrivateFolder::new().expect("a folder");
    let wrong = "[[answer]]\nto = \"D\"\nsend = \"35=8|37=a|39=NEWW|54=1\"\n";
    fs::write(folder.path().join("own.toml"), wrong).expect("a file");
    let own =
        ["--target", "FUND", "--dictionary", "fix.xml", "--answers", "own.toml", "--unchecked"];
    let accepting = Accepting::start_in(folder, &own);
    let order = "35=D|11=a|55=INTC|54=1|60={now}\n";
    let (_, out, err) = accepting.client(&["--sender", "FUND"], order);
    assert!(out.contains("OrdStatus=NEWW"), "{out}{err}");
}

#[test]
fn answers_that_can_never_be_given_are_rejected_at_the_start() {
    for (text, why) in [
        (
            "[[answer]]\nto = \"D\"\nsend = \"Logout|Text=bye\"\n",
            "answer 1, to D: send: 5 is a message of the session, which alone gets and sends it",
        ),
        ("[[answer]]\nto = \"Logon\"\nreject = \"x\"\n", "to Logon: A is a message of the session"),
        (
            "[[answer]]\nto = \"D\"\nsend = \"Foo|Text=x\"\n",
            "send: the dictionary has no message Foo; --unchecked takes it",
        ),
        ("[[answer]]\nto = \"ZZ\"\nreject = \"x\"\n", "to ZZ: the dictionary has no message ZZ"),
        (
            "[[answer]]\nto = \"*\"\nsend = \"35=8|37={11}|39=0|54=1|Price=1\"\n",
            "answer 1, to *: send: Price (44) is no field of ExecutionReport; --unchecked takes it",
        ),
        (
            "[[answer]]\nto = \"D\"\nwhen = { OrdStatus = \"NEW\" }\nreject = \"x\"\n",
            "when: OrdStatus (39) is no field of NewOrderSingle",
        ),
    ] {
        rejected_at_the_start(text, why);
    }
}

#[test]
fn an_answer_may_be_for_every_message_and_say_what_partners_agreed_upon() {
    let accepting = accepting(
        "[[answer]]\nto = \"D\"\nwhen = { Symbol = \"NONE\", PartyID = \"x\" }\nsend = \"35=U1|5001=own\"\n\
         [[answer]]\nto = \"*\"\nsend = [\"35=8|37=every|39=0|54=1\"]\n",
    );
    let (_, out, err) = accepting.client(&BY_NAME, "35=D|11=a|55=INTC|54=1|60={now}\n");
    assert!(out.contains("OrderID=every|"), "{out}{err}");
}

#[test]
fn an_answer_may_be_json_as_convert_writes_it() {
    let accepting = accepting(
        r#"
[[answer]]
to = "D"
when = { Symbol = "BACK" }
send = '{"NewOrderSingle": {"StandardHeader": {"MsgSeqNum": 7}, "ClOrdID": "back-{ClOrdID}", "Symbol": "X", "Side": "SELL", "TransactTime": "2026-01-05T09:30:01.456Z", "NoPartyIDs": [{"PartyID": "x"}, {"PartyID": "{Symbol}"}]}}'
[[answer]]
to = "D"
send = ['{"ExecutionReport":{"OrderID":"o-{count}","ClOrdID":"{ClOrdID}","OrdStatus":"REJECTED","Side":"{Side}"}}']
"#,
    );
    let order = |symbol: &str| format!("35=D|11=a|55={symbol}|54=1|60={{now}}\n");
    let (_, out, err) = accepting.client(&BY_NAME, order("INTC") + &order("BACK"));
    for line in [
        "ExecutionReport|OrderID=o-1|ClOrdID=a|OrdStatus=REJECTED|Side=BUY",
        "NewOrderSingle|ClOrdID=back-a|Symbol=X|Side=SELL|TransactTime=20260105-09:30:01.456|NoPartyIDs=2|PartyID=x|PartyID=BACK",
    ] {
        assert!(out.contains(line), "{line}: {out}{err}");
    }
}

#[test]
fn many_send_at_once_and_each_gets_its_own_answers() {
    let mut arguments = vec!["--dictionary", "fix.xml", "--answers", "answers.toml"];
    let names: Vec<String> = (0..4).map(|it| format!("FUND{it}")).collect();
    names.iter().for_each(|it| arguments.extend(["--target", it]));
    let accepting = Accepting::start(&arguments);
    let lines: String =
        (0..500).map(|it| format!("35=D|11=o{it}|55=INTC|54=1|60={{now}}\n")).collect();
    thread::scope(|scope| {
        for name in &names {
            let (accepting, lines) = (&accepting, &lines);
            scope.spawn(move || {
                let arguments = ["--sender", name, "--dictionary", "fix.xml"];
                let (status, out, err) = accepting.client(&arguments, lines);
                assert_eq!(status, Some(0), "{err}");
                let ids = out.lines().filter(|it| it.starts_with('<'));
                let ids: Vec<&str> = ids
                    .filter_map(|it| it.split('|').find_map(|it| it.strip_prefix("ClOrdID=")))
                    .collect();
                let expected: Vec<String> = (0..500).map(|it| format!("o{it}")).collect();
                assert_eq!(ids, expected, "{name}");
            });
        }
    });
}

/// The session of an acceptor with the dictionary and these answers, in a folder of its own.
fn accepting(answers: &str) -> Accepting {
    let folder = PrivateFolder::new().expect("a folder");
    fs::write(folder.path().join("own.toml"), answers).expect("a file");
    let own = ["--target", "FUND", "--dictionary", "fix.xml", "--answers", "own.toml"];
    Accepting::start_in(folder, &own)
}

/// What came to an acceptor, each message with SOH as `|`, from its ClOrdID on.
fn orders(lines: impl AsRef<[u8]>, more: &[&str]) -> (Option<i32>, Vec<String>, String) {
    let accepting = Accepting::start(&["--target", "FUND", "--raw"]);
    let (status, _, err) = accepting.client(&[&BY_NAME[..], more].concat(), lines);
    let (_, printed) = accepting.stop();
    let body =
        |line: &str| Some(format!("11={}", line.split_once("|11=")?.1.rsplit_once("10=")?.0));
    (status, printed.lines().filter_map(body).collect(), err)
}

#[test]
fn numbers_of_json_keep_all_of_their_digits() {
    let order = |numbers: &str| {
        format!(
            "{{\"MsgType\": \"D\", \"ClOrdID\": \"a\", \"Symbol\": \"INTC\", \"Side\": 1, \"TransactTime\": \"{{now}}\", {numbers}}}\n"
        )
    };
    let lines = order("\"Price\": 1234567890.123456789, \"OrderQty\": 9007199254740993")
        + &order("\"Price\": 182.350, \"OrderQty\": 18446744073709551617")
        + &order("\"Price\": 1.5E-7, \"Text\": null");
    let (status, came, err) = orders(lines, &[]);
    assert_eq!(status, Some(0), "{err}");
    let numbers: Vec<&str> = came.iter().filter_map(|it| Some(it.split_once("|44=")?.1)).collect();
    assert_eq!(
        numbers,
        [
            "1234567890.123456789|38=9007199254740993|",
            "182.350|38=18446744073709551617|",
            "0.00000015|"
        ]
    );
}

#[test]
fn no_value_becomes_a_field_of_its_own() {
    let order = |rest: &str| {
        format!(
            "{{\"MsgType\": \"D\", \"Symbol\": \"INTC\", \"Side\": 1, \"TransactTime\": \"{{now}}\", {rest}}}\n"
        )
    };
    let lines = order(r#""ClOrdID": "b-1\u000154=2""#)
        + &order(r#""ClOrdID": "a", "ClOrdID": "b""#)
        + &order(r#""ClOrdID": "a", "EncodedTextLen": 5, "EncodedText": "a\u0001b=c""#);
    let (status, came, err) = orders(&lines, &[]);
    assert_eq!(status, Some(1), "{err}");
    for why in [
        "standard input:1: not sent: ClOrdID: the value has the delimiter SOH (0x01) inside",
        "standard input:2: not sent: ClOrdID stands twice",
    ] {
        assert!(err.contains(why), "{err}");
    }
    let [data] = &*came else { panic!("{came:?}") };
    assert!(data.starts_with("11=a|354=5|355=a|b=c|"), "{data}");
}

#[test]
fn what_is_copied_into_an_answer_adds_no_fields() {
    let accepting = accepting(
        r#"
[[answer]]
to = "D"
when = { Symbol = "DATA" }
send = "35=8|37=o|39=0|54=1|354={354}|355={355}"
[[answer]]
to = "D"
send = ["35=8|37=first|39=0|54=1", "35=8|37=o|39=0|54=1|58={EncodedText}"]
"#,
    );
    let order = |symbol: &str| {
        format!(
            "{{\"35\": \"D\", \"11\": \"a\", \"55\": \"{symbol}\", \"54\": 1, \"60\": \"{{now}}\", \"354\": 7, \"355\": \"x\\u0001150=F\"}}\n"
        )
    };
    let own = ["--sender", "FUND", "--raw"];
    let (status, out, err) = accepting.client(&own, order("INTC") + &order("DATA"));
    assert_eq!(status, Some(0), "{err}");
    let came: Vec<&str> = out.lines().filter(|it| it.contains("|49=BANK|")).collect();
    let [refused, answered] = &*came else { panic!("{out}") };
    assert!(refused.contains("|35=j|"), "{refused}");
    assert!(
        refused.contains("|58=58: the value has the delimiter SOH (0x01) inside|"),
        "{refused}"
    );
    assert!(answered.contains("|354=7|355=x|150=F|"), "{answered}");
}

#[test]
fn bytes_that_are_no_utf_8_are_sent_and_shown_as_they_are() {
    let accepting = Accepting::start(&["--target", "FUND", "--json"]);
    let line = b"35=D|11=u|55=INTC|54=1|60={now}|58=caf\xe9\n";
    let (status, out, err) = accepting.client(&["--sender", "FUND", "--json"], line);
    assert_eq!(status, Some(0), "{err}");
    let (_, printed) = accepting.stop();
    for all in [out, printed] {
        let mut facts = all.lines().map(|it| serde_json::from_str::<Value>(it).expect("JSON"));
        let message = facts.find(|it| it["message_type"] == "D").expect("it was sent");
        let fields = message["fields"].as_array().expect("fields");
        let of = |tag: u32| fields.iter().find(|it| it["tag"] == tag).expect("a field");
        assert_eq!((&of(58)["value"], &of(58)["value_hex"]), (&Value::Null, &"636166e9".into()));
        assert_eq!((&of(11)["value"], &of(11)["value_hex"]), (&"u".into(), &Value::Null));
    }
}

#[test]
fn data_are_as_long_as_the_field_before_them_says() {
    let accepting = accepting("");
    let order = |rest: &str| format!("35=D|11=a|55=INTC|54=1|60={{now}}|{rest}\n");
    let wrong = ["354=70|355=abc", "354=1|355=abc", "355=a", "354=3"].map(order).concat();
    let right = order("354=3|355=a|b");
    let (status, out, err) = accepting.client(&BY_NAME, wrong.clone() + &right);
    assert_eq!(status, Some(1), "{out}{err}");
    assert_eq!(out.lines().filter(|it| it.starts_with('>')).count(), 1, "{out}");
    let format = "EncodedTextLen (354): Incorrect data format for value: 355 has 3 bytes";
    for (line, why) in [
        format,
        format,
        "EncodedTextLen (354): Required tag missing",
        "EncodedText (355): Required tag missing",
    ]
    .into_iter()
    .enumerate()
    {
        let why = format!("standard input:{}: not sent: {why}", line + 1);
        assert!(err.contains(&why), "{why}: {err}");
    }
    let own = [&BY_NAME[..], &["--unchecked", "--reset"]].concat();
    let (status, out, err) = accepting.client(&own, wrong + &right);
    assert_eq!(status, Some(0), "{err}");
    let rejects = out.lines().filter(|it| it.starts_with("< ") && it.contains(" Reject|"));
    let rejects: Vec<_> = rejects.map(|it| it.split_once("Text=").expect("a text").1).collect();
    let format = "Incorrect data format for value: 355 has 3 bytes|RefTagID=354|RefMsgType=D|SessionRejectReason=6";
    let missing =
        |tag| format!("Required tag missing|RefTagID={tag}|RefMsgType=D|SessionRejectReason=1");
    assert_eq!(rejects, [format, format, &missing(354), &missing(355)], "{out}");
}

#[test]
fn lines_of_logs_are_sent_as_they_stand() {
    let log = |id: &str, delimiter: &str| {
        let fields = format!(
            "8=FIX.4.4|9=95|35=D|49=X|56=Y|34=9|52=20260105-09:30:01|11={id}|55=INTC|54=1|60=20260105-09:30:01|58=a {{x}}|10=218|"
        );
        fields.replace('|', delimiter)
    };
    let lines = [
        format!("\u{feff}{}", log("mark", "|")),
        format!("20260105-09:30:01.456 : {}", log("soh", "\u{1}")),
        format!("<20260105-09:30:01, FIX.4.4:X->Y, outgoing> ({})", log("caret", "^A")),
        format!("sent {} and {}\r", log("one", "|"), log("two", "|")),
        "35=D|11=typed|55=INTC|54=1|60={now}|58=a {{x}}".to_owned(),
        log("cut", "|").replace("|10=218|", ""),
        "35=D|11=place|55=INTC|54=1|60={now}|58=a {x}".to_owned(),
    ];
    let (status, came, err) = orders(lines.join("\n"), &[]);
    assert_eq!(status, Some(1), "{err}");
    let ids = ["mark", "soh", "caret", "one", "two", "typed"].map(|it| format!("11={it}|"));
    assert_eq!(came.len(), ids.len(), "{came:?}{err}");
    for (order, id) in came.iter().zip(ids) {
        assert!(order.starts_with(&id) && order.ends_with("|58=a {x}|"), "{order}");
    }
    for why in [
        "standard input:6: not sent: at byte ",
        "the message ends where CheckSum (10=) should be, so that it may be cut",
        "standard input:7: not sent: the dictionary has no field x",
        "; {{x}} is the text {x}\n",
        "standard input: 2 lines not sent",
    ] {
        assert!(err.contains(why), "{why}: {err}");
    }
}

#[test]
fn what_convert_writes_is_sent() {
    let order = "{\"NewOrderSingle\": {\"ClOrdID\": \"a\", \"Symbol\": \"INTC\", \"Side\": \"BUY\", \"Price\": 1.50, \
        \"TransactTime\": \"2026-01-05T09:30:01.456Z\", \"Text\": null, \"NoPartyIDs\": [{\"PartyID\": \"x\"}], \"EncodedText\": \"YQFi\"}}";
    let header = "\"StandardHeader\": {\"SenderCompID\": \"X\", \"TargetCompID\": \"Y\", \"MsgSeqNum\": 9, \"SendingTime\": \"2026-01-05T09:30:01.000Z\"}, \"ClOrdID\"";
    let whole = order.replace("\"ClOrdID\"", header);
    let wrong = order.replace("BUY", "BUYY");
    let (status, came, err) = orders([order, &whole, &wrong].join("\n"), &[]);
    assert_eq!(status, Some(1), "{err}");
    let expected = "11=a|55=INTC|54=1|44=1.50|60=20260105-09:30:01.456|354=3|355=a|b|453=1|448=x|";
    assert_eq!(came, [expected, expected], "{err}");
    assert!(err.contains("standard input:3: not sent: Side at byte "), "{err}");
    let why = "expected a value of Side; it is \"BUYY\", and it takes BUY, SELL";
    assert!(err.contains(why), "{err}");
}

#[test]
fn values_that_the_dictionary_does_not_have_are_not_sent_unless_they_are_asked_for() {
    let lines = "NewOrderSingle|ClOrdID=a|Symbol=INTC|Side=BUYY|TransactTime={now}\n\
        NewOrderSingle|ClOrdID=b|Symbol=INTC|Side=BUY|OrderQty=abc|TransactTime={now}\n\
        NewOrderSingle | ClOrdID = c | Symbol=INTC\n";
    let (status, came, err) = orders(lines, &[]);
    assert_eq!(status, Some(1), "{err}");
    assert_eq!(came, ["11=c|55=INTC|"], "what lacks something may be sent");
    for why in [
        "1: not sent: Side (54): Incorrect data format for value; it is \"BUYY\", and it takes 1 (BUY), 2 (SELL)",
        "2: not sent: OrderQty (38): Incorrect data format for value; it is \"abc\", and its type is QTY",
    ] {
        assert!(err.contains(why), "{why}: {err}");
    }
    let (status, came, err) = orders(lines, &["--unchecked"]);
    assert_eq!((status, came.len()), (Some(0), 3), "{err}");
    assert!(came[0].contains("|54=BUYY|"), "{came:?}");
}

#[test]
fn a_heartbeat_of_centuries_is_refused() {
    let accepting = Accepting::start(&["--target", "FUND"]);
    let now = Command::new("date").args(["-u", "+%Y%m%d-%H:%M:%S"]).output().expect("date runs");
    let now = String::from_utf8(now.stdout).expect("text");
    let body = format!("35=A|49=FUND|56=BANK|34=1|52={}|98=0|108=99999999999999|", now.trim());
    let message = format!("8=FIX.4.4|9={}|{body}", body.len()).replace('|', "\u{1}");
    let sum = message.bytes().fold(0_u8, u8::wrapping_add);
    let mut stream = TcpStream::connect(&accepting.address).expect("it listens");
    write!(stream, "{message}10={sum:03}\u{1}").expect("it reads");
    let mut answer = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
    stream.read_to_string(&mut answer).expect("it closes the connection");
    assert!(
        answer.contains("\u{1}35=5\u{1}") && answer.contains("HeartBtInt must be at most"),
        "{answer}"
    );
}

//! `trunkline fix connect` and `trunkline fix accept`, as a user types them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread;

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
      <field name="Side" required="Y"/><field name="OrderQty" required="N"/><field name="TransactTime" required="Y"/>
      <group name="NoPartyIDs" required="N"><field name="PartyID" required="N"/></group></message>
    <message name="ExecutionReport" msgtype="8" msgcat="app"><field name="OrderID" required="Y"/><field name="ClOrdID" required="N"/>
      <field name="OrdStatus" required="Y"/><field name="Side" required="Y"/><field name="Text" required="N"/></message>
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
        let address = line.strip_prefix("listening ").expect("where").trim().to_owned();
        let rest = thread::spawn(move || {
            let mut rest = String::new();
            out.read_to_string(&mut rest).expect("text");
            rest
        });
        Self { folder, child, out: Some(rest), address }
    }

    /// Lets a client send lines, and gives what it ended with.
    fn client(&self, arguments: &[&str], lines: &str) -> (Option<i32>, String, String) {
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

fn said(mut command: Command, lines: &str) -> (Option<i32>, String, String) {
    let mut child = command.spawn().expect("the program runs");
    // Who cannot log on reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(lines.as_bytes());
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
    ] {
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

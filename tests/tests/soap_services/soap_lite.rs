//! SOAP::Lite of Perl at the other end (Debian's package `libsoap-lite-perl`): it calls what takes
//! no parameters with an element that is nil, answers so what has no result, and gives results a
//! new name each time.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use trunkline_message::Message;
use trunkline_session::soap::{Binding, Client, ClientConfig, Fault, Server, Service};

const NAMESPACE: &str = "urn:calc";

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Nothing {}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Sum {
    sum: i64,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Split {
    quotient: i64,
    remainder: Option<i64>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Primes {
    primes: Vec<i32>,
}

const CLIENT: &str = r#"
use SOAP::Lite;
my $service = SOAP::Lite->proxy($ARGV[0])->uri('urn:calc')->on_fault(sub {
    my ($soap, $answer) = @_;
    die ref $answer ? $answer->faultstring : $soap->transport->status;
});
my $pong = $service->call('ping')->result;
print defined $pong ? "pong $pong" : 'nothing', "\n";
my @numbers = (SOAP::Data->name(a => 40), SOAP::Data->name(b => 2));
print $service->call('add', @numbers)->result, "\n";
my $split = $service->call('split', @numbers);
print $split->result, ' ', $split->paramsout, "\n";
"#;

const SERVER: &str = r#"
use SOAP::Transport::HTTP;
package Calc;
sub ping { return }
sub add { my ($class, $a, $b) = @_; return $a + $b }
sub split { my ($class, $a, $b) = @_; return (int($a / $b), SOAP::Data->name(remainder => $a % $b)) }
sub primes { return [2, 3, 5] }
package main;
$| = 1;
my $server = SOAP::Transport::HTTP::Daemon->new(LocalAddr => '127.0.0.1', LocalPort => 0);
$server->dispatch_with({ 'urn:calc' => 'Calc' });
print $server->url, "\n";
$server->handle;
"#;

/// Perl with a program; none, with a note, if SOAP::Lite is not there.
fn perl(program: &str) -> Option<Command> {
    let probe = ["-MSOAP::Lite", "-MSOAP::Transport::HTTP", "-MHTTP::Daemon", "-e", "1"];
    let found = Command::new("perl").args(probe).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        trunkline_tests::skip::skip(
            "SOAP::Lite of Perl is not there: apt install libsoap-lite-perl libhttp-daemon-perl",
        );
        return None;
    }
    let mut perl = Command::new("perl");
    perl.args(["-e", program]);
    Some(perl)
}

#[test]
fn it_calls_our_service() {
    let Some(mut perl) = perl(CLIENT) else { return };
    let service = Service::new("Calculator", NAMESPACE)
        .operation("ping", |_: Nothing| Ok::<_, Fault>(Nothing {}))
        .operation("add", |Add { a, b }| Ok::<_, Fault>(Sum { sum: a + b }))
        .operation("split", |Add { a, b }| {
            Ok::<_, Fault>(Split { quotient: a / b, remainder: Some(a % b) })
        })
        .at("/", Binding::rpc_encoded());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let called = perl.arg(format!("http://{}/", server.address())).output().expect("perl runs");
    let told = String::from_utf8_lossy(&called.stdout);
    let errors = String::from_utf8_lossy(&called.stderr);
    assert_eq!(told, "nothing\n42\n20 0\n", "{errors}");
}

/// Parameters that are given no names get new ones each time.
#[test]
fn it_calls_our_service_by_position() {
    let client = r#"
        use SOAP::Lite;
        print SOAP::Lite->proxy($ARGV[0])->uri('urn:calc')->call('add', 40, 2)->result, "\n";
    "#;
    let Some(mut perl) = perl(client) else { return };
    let service = Service::new("Calculator", NAMESPACE)
        .operation("add", |Add { a, b }| Ok::<_, Fault>(Sum { sum: a + b }))
        .at("/", Binding::rpc_encoded().by_position());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let called = perl.arg(format!("http://{}/", server.address())).output().expect("perl runs");
    assert_eq!(String::from_utf8_lossy(&called.stdout), "42\n", "{called:?}");
}

/// Stops the program when dropped.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn our_client_calls_it() {
    let Some(mut perl) = perl(SERVER) else { return };
    let mut server = Stopped(perl.stdout(Stdio::piped()).spawn().expect("perl runs"));
    let mut url = String::new();
    let output = server.0.stdout.take().expect("its output");
    BufReader::new(output).read_line(&mut url).expect("its address");
    let binding = Binding::rpc_encoded();
    let mut client =
        Client::with(url.trim(), NAMESPACE, binding, ClientConfig::default()).expect("a client");
    let numbers = Add { a: 43, b: 4 };
    // What is learnt from one answer changes nothing in the next.
    for _ in 0..3 {
        assert_eq!(client.call::<_, Nothing>("ping", &Nothing {}).expect("a pong"), Nothing {});
        assert_eq!(client.call::<_, Sum>("add", &numbers).expect("a sum"), Sum { sum: 47 });
        let split: Split = client.call("split", &numbers).expect("two results");
        assert_eq!(split, Split { quotient: 10, remainder: Some(3) });
        let primes: Primes = client.call("primes", &Nothing {}).expect("an array");
        assert_eq!(primes, Primes { primes: vec![2, 3, 5] });
    }
    assert!(client.profile().is_some_and(|it| it.unknown == 0));
}

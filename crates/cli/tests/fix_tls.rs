//! `trunkline fix` over TLS: with itself, and with `openssl s_client`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use trunkline_bench::folder::PrivateFolder;
use trunkline_tests::toolkit::is_here;

/// An authority in `NAME.pem`, and a certificate of it for the loopback in `NAME-own.pem` with its key in `NAME-own.key`.
fn make_certificates(folder: &Path, name: &str) {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("it signs itself");
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("names");
    let own = params.signed_by(&key, &authority).expect("it is signed");
    for (file, text) in
        [("", authority.pem()), ("-own", own.pem()), ("-own.key", key.serialize_pem())]
    {
        let file = if file.ends_with(".key") { file.to_owned() } else { format!("{file}.pem") };
        fs::write(folder.join(format!("{name}{file}")), text).expect("a file");
    }
}

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.current_dir(folder).arg("fix").args(words.split(' '));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// An acceptor that is killed when this is dropped, and the folder of all.
struct Accepting {
    folder: PrivateFolder,
    child: Child,
    address: String,
}

impl Accepting {
    fn start(options: &str) -> Self {
        let folder = PrivateFolder::new().expect("a folder");
        make_certificates(folder.path(), "venue");
        make_certificates(folder.path(), "other");
        let words = "accept --listen 127.0.0.1:0 --sender BANK --target FUND --certificate venue-own.pem --key venue-own.key";
        let mut command = command(folder.path(), &format!("{words}{options}"));
        let mut child = command.stderr(Stdio::null()).spawn().expect("the program runs");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.as_mut().expect("a pipe"));
        out.read_line(&mut line).expect("text");
        let address = line.strip_prefix("listening ").expect("where").trim().to_owned();
        Self { folder, child, address }
    }

    /// Logs on and out; the status, and what was told.
    fn client(&self, address: &str, options: &str) -> (Option<i32>, String) {
        let words =
            format!("connect {address} --sender FUND --target BANK --wait 0ms --reset{options}");
        let mut command = command(self.folder.path(), &words);
        let output = command.stdin(Stdio::null()).output().expect("the program runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    }
}

impl Drop for Accepting {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

#[test]
fn each_side_checks_the_certificate_of_the_other() {
    let accepting = Accepting::start(" --client-ca venue.pem");
    let (plain, secure) = (accepting.address.clone(), format!("tls://{}", accepting.address));
    let own = " --certificate venue-own.pem --key venue-own.key";
    let known = format!(" --ca venue.pem{own}");
    for (address, options) in [(&secure, &*known), (&plain, &*known)] {
        let (status, err) = accepting.client(address, options);
        assert_eq!(status, Some(0), "{err}");
        assert!(err.contains("FIX.4.4:FUND->BANK logged on\n"), "{err}");
    }
    let unknown = " --ca venue.pem --certificate other-own.pem --key other-own.key";
    for (address, options, why) in [
        // The machine trusts others, or nobody.
        (&secure, own, "trust"),
        (&secure, " --ca other.pem", "the authority that issued the certificate is none of those"),
        (&secure, " --ca venue.pem", "the other side wants a certificate of this one"),
        (&secure, unknown, "the other side"),
        (&format!("https://{plain}"), &*known, "it is HOST:PORT or tls://HOST:PORT"),
        (&plain, "", "if it speaks TLS, its address is tls://HOST:PORT"),
    ] {
        let (status, err) = accepting.client(address, options);
        assert_eq!(status, Some(2), "{address}{options}: {err}");
        assert!(err.contains(why), "{address}{options}: {err}");
    }
    let (status, err) = accepting.client(&secure, &known);
    assert_eq!(status, Some(0), "{err}");
}

#[test]
fn openssl_logs_on() {
    if !is_here("openssl") {
        return trunkline_tests::skip::skip("openssl is not there");
    }
    let accepting = Accepting::start("");
    for version in ["-tls1_2", "-tls1_3"] {
        let mut openssl = Command::new("openssl");
        openssl.current_dir(accepting.folder.path());
        openssl.args(["s_client", "-quiet", version, "-connect", &accepting.address]);
        openssl.args(["-CAfile", "venue.pem", "-verify_return_error", "-verify_ip", "127.0.0.1"]);
        openssl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut openssl = openssl.spawn().expect("it runs");
        let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = trunkline_fix::Moment {
            monotonic: 0,
            utc: seconds.expect("after 1970").as_nanos() as i64,
        };
        let now = now.stamp(trunkline_fix::Version::Fix44);
        let body =
            format!("35=A|34=1|49=FUND|56=BANK|52={now}|98=0|108=30|141=Y|").replace('|', "\u{1}");
        let logon = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
        let sum = logon.bytes().fold(0_u8, u8::wrapping_add);
        let mut input = openssl.stdin.take().expect("a pipe");
        input.write_all(format!("{logon}10={sum:03}\u{1}").as_bytes()).expect("it is taken");
        let (mut answer, mut chunk) = (String::new(), [0; 512]);
        while !answer.contains("\u{1}10=") {
            let count = openssl.stdout.as_mut().expect("a pipe").read(&mut chunk).expect("bytes");
            assert!(count > 0, "{version}: {answer}");
            answer += &String::from_utf8_lossy(&chunk[..count]);
        }
        assert!(answer.contains("\u{1}35=A\u{1}34=1\u{1}49=BANK\u{1}"), "{answer}");
        openssl.kill().expect("it runs");
        openssl.wait().expect("it ends");
    }
}

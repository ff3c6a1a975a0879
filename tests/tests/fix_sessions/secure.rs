//! QuickFIX/J over TLS, in both roles: each side shows a certificate, and checks that of the other.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use trunkline_bench::folder::PrivateFolder;
use trunkline_fix::Role;
use trunkline_fix::tcp::{Acceptor, ClientTls, Initiator, ServerTls, TcpConfig};
use trunkline_tests::toolkit::{Toolkit, run};

use super::live::{Cable, QUICKFIXJ, Taken, config, exchange, in_memory};

const EXTENSIONS: &str = "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n";

fn openssl(folder: &Path, arguments: &str) {
    run(Command::new("openssl").current_dir(folder).args(arguments.split(' ')));
}

/// An authority, a certificate of it for each side, and what Java reads of these.
fn make_certificates(folder: &Path) {
    const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    fs::write(folder.join("extensions"), EXTENSIONS).expect("a file");
    openssl(
        folder,
        &format!("req -x509 {KEY} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority"),
    );
    for side in ["ours", "theirs"] {
        openssl(folder, &format!("req {KEY} -keyout {side}.key -out {side}.csr -subj /CN={side}"));
        let sign = "x509 -req -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions";
        openssl(folder, &format!("{sign} -in {side}.csr -out {side}.pem"));
    }
    let export = "pkcs12 -export -inkey theirs.key -in theirs.pem -certfile ca.pem";
    openssl(folder, &format!("{export} -out theirs.p12 -passout pass:secret"));
    let mut keytool = Command::new("keytool");
    let import =
        "-importcert -noprompt -alias ca -file ca.pem -keystore trusted.p12 -storetype PKCS12";
    run(keytool.current_dir(folder).args(import.split(' ')).args(["-storepass", "secret"]));
}

/// What tells QuickFIX/J to speak TLS.
fn settings(folder: &Path, protocol: &str) -> String {
    let folder = folder.display();
    format!(
        "SocketUseSSL=Y NeedClientAuth=Y EnabledProtocols={protocol} KeyStoreType=PKCS12 TrustStoreType=PKCS12 \
         SocketKeyStore={folder}/theirs.p12 SocketKeyStorePassword=secret \
         SocketTrustStore={folder}/trusted.p12 SocketTrustStorePassword=secret"
    )
}

fn secure(folder: &Path) -> TcpConfig {
    let path = |name: &str| folder.join(name);
    let (authority, own, key) = (path("ca.pem"), path("ours.pem"), path("ours.key"));
    let server = ServerTls::from_files(&own, &key, Some(&authority)).expect("certificates");
    let client = ClientTls::from_files(Some(&authority), Some((&own, &key))).expect("certificates");
    TcpConfig { server_tls: Some(server), client_tls: Some(client), ..config() }
}

#[test]
fn quickfixj_connects_and_is_connected_to_over_tls() {
    let certificates = PrivateFolder::new().expect("a folder");
    for (protocol, role) in [
        ("TLSv1.3", Role::Acceptor),
        ("TLSv1.2", Role::Acceptor),
        ("TLSv1.3", Role::Initiator),
        ("TLSv1.2", Role::Initiator),
    ] {
        let other = QUICKFIXJ[1];
        let Some(mut peer) = Toolkit::start(other.program) else { return };
        if !certificates.path().join("ca.pem").exists() {
            make_certificates(certificates.path());
        }
        let (folder, taken) = (PrivateFolder::new().expect("a folder"), Taken::default());
        let (words, config) =
            (settings(certificates.path(), protocol), secure(certificates.path()));
        let session = other.session(role, in_memory(), taken.clone());
        if role == Role::Acceptor {
            let refused = Arc::new(|_, why: &str| println!("refused: {why}"));
            let sessions = [session.clone()];
            let acceptor = Acceptor::start("127.0.0.1:0", sessions, config, refused);
            let acceptor = acceptor.expect("a port");
            let cable = Cable::to(acceptor.address().port());
            other.start_with(&mut peer, "initiator", cable.port, &folder, &words);
            exchange(&mut peer, &session, &taken, &cable);
        } else {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
            let port = free.expect("a port").port();
            other.start_with(&mut peer, "acceptor", port, &folder, &words);
            let cable = Cable::to(port);
            let address = format!("127.0.0.1:{}", cable.port);
            let _initiator = Initiator::start(&address, session.clone(), config).expect("a thread");
            exchange(&mut peer, &session, &taken, &cable);
        }
    }
}

//! A client that is not ours.

use std::process::Command;

use super::server;

#[path = "../../../../tests/src/skip.rs"]
#[allow(unreachable_pub)]
mod skip;

#[test]
fn python_sends_and_receives_what_is_longer_than_a_body_may_be() {
    let Ok(version) = Command::new("python3").arg("--version").output() else {
        return skip::skip("python3 is not here");
    };
    assert!(version.status.success());
    let server = server();
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/attachments_streamed/client.py");
    let called = Command::new("python3")
        .args([client, &server.address().to_string(), "40"])
        .output()
        .expect("python3 can be started");
    let said = String::from_utf8_lossy(&called.stdout);
    assert_eq!(said, "both ways\n", "{}", String::from_utf8_lossy(&called.stderr));
}

//! A user and a password, and headers of HTTP, as a user gives them.

use std::{env, fs};

use trunkline_lab::customer_services::web_service::service;
use trunkline_session::soap::Server;
use trunkline_session::soap::ws_security::Guard;

use super::said;

#[test]
fn a_login_is_told_to_the_host_that_was_typed_and_to_no_other() {
    let server = Server::new()
        .service(service())
        .basic("customers", |user, password| (user, password) == ("ann", "secret"))
        .start("127.0.0.1:0")
        .expect("a server");
    let other = Server::new().service(service()).start("127.0.0.1:0").expect("a server");
    let file = env::temp_dir().join(format!("trunkline-password-{}", std::process::id()));
    fs::write(&file, "secret\nnot this\n").expect("a file");
    let file = file.display().to_string();
    let url = |server: &trunkline_session::soap::Running| {
        format!("http://{}/rpc-literal", server.address())
    };
    let (here, there) = (url(&server), url(&other));
    let values = ["header=X", "customers=", "products="];
    let echo = |more: &[&str]| said(&[&[&*here, "echo"], &values[..], more].concat());

    let (status, _, err) = echo(&[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("HTTP status 401: a user and a password are needed"), "{err}");
    // The WSDL is behind the login too.
    let login = ["--user", "ann", "--password-file", &*file];
    let (status, out, err) = echo(&login);
    assert_eq!((status, out.starts_with("header = RESPONSE\n")), (Some(0), true), "{out}{err}");
    let (status, _, err) = echo(&["--user", "bob", "--password-file", &file]);
    assert!(status == Some(2) && err.contains("the user or the password is wrong"), "{err}");
    let (status, _, err) = echo(&["--user", "ann"]);
    assert!(status == Some(2) && err.contains("--user ann needs --password-file"), "{err}");
    assert!(!err.contains("secret"), "{err}");

    // A WSDL that names another host does not get them there.
    let wsdl = format!("{there}?wsdl");
    let port = ["--wsdl", &*wsdl, "--port", "CustomerServicesRpcLiteral"];
    let (_, _, ports) = said(&[&*here, "echo", "--wsdl", &wsdl, "--port", "none"]);
    let name = ports.split("there is ").nth(1).and_then(|it| it.split([' ', ',']).next());
    let name = name.unwrap_or(port[3]).to_owned();
    let elsewhere = ["--wsdl", &*wsdl, "--port", &*name];
    let (status, out, err) = echo(&[&elsewhere[..], &login].concat());
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("is called, and who calls is told to the host of"), "{err}");
    assert!(!err.contains("POST "), "nothing is sent: {err}");
}

#[test]
fn headers_of_http_are_sent_as_they_were_given() {
    let rule = |arrival: &trunkline_session::soap::Arrival<'_>| match arrival.header("x-key") {
        Some("a: b") => Ok(None),
        _ => Err(trunkline_session::soap::Refusal::forbidden("no key")),
    };
    let server = Server::new().service(service()).before(rule).start("127.0.0.1:0");
    let url = format!("http://{}/rpc-literal", server.as_ref().expect("a server").address());
    let call = [&*url, "echo", "header=X", "customers=", "products="];
    let (status, _, err) = said(&call);
    assert!(status == Some(2) && err.contains("403: no key"), "{err}");
    let (status, out, err) = said(&[&call[..], &["--http-header", "X-Key: a: b"]].concat());
    assert_eq!((status, out.starts_with("header = RESPONSE\n")), (Some(0), true), "{out}{err}");
    for (header, why) in [
        ("X-Key", "it is not NAME: VALUE"),
        ("Content-Type: text/plain", "the client writes it itself"),
    ] {
        let (status, _, err) = said(&[&call[..], &["--http-header", header]].concat());
        assert!(status == Some(2) && err.contains(why), "{err}");
    }
}

#[test]
fn a_security_header_is_put_in_as_it_was_asked_for() {
    let guard = Guard::new()
        .timestamp()
        .users(|user, password| (user, password) == ("ann", "secret"))
        .passwords(|user| (user == "ann").then(|| "secret".to_owned()));
    let server = Server::new().service(service().ws_security(guard)).start("127.0.0.1:0");
    let url = format!("http://{}/rpc-literal", server.as_ref().expect("a server").address());
    let file = env::temp_dir().join(format!("trunkline-wsse-{}", std::process::id()));
    fs::write(&file, "secret\nnot this\n").expect("a file");
    let file = file.display().to_string();
    let call = [&*url, "echo", "header=X", "customers=", "products="];
    let echo = |more: &[&str]| said(&[&call[..], more].concat());

    let (status, out, err) = echo(&[]);
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(format!("{out}{err}").contains("a Security header is needed"), "{out}{err}");
    let user = ["--wsse-user", "ann", "--wsse-password-file", &*file];
    for more in [&["--wsse-timestamp"][..], &["--wsse-timestamp=10s", "--wsse-digest"]] {
        let (status, out, err) = echo(&[&user[..], more].concat());
        assert_eq!((status, out.starts_with("header = RESPONSE\n")), (Some(0), true), "{out}{err}");
        assert!(!err.contains("secret"), "{err}");
    }
    let (status, out, err) = echo(&user);
    assert!(format!("{out}{err}").contains("a Timestamp is needed"), "{status:?} {out}{err}");
    let (status, out, err) = echo(&[&user[..], &["--dry-run"]].concat());
    assert_eq!(status, Some(0), "{err}");
    assert!(
        !out.contains("secret") && err.contains("the Security header is made when"),
        "{out}{err}"
    );
    let variable = ["--wsse-user", "ann", "--wsse-password-env", "TRUNKLINE_NOT_SET"];
    let (status, _, err) = echo(&variable);
    assert!(status == Some(2) && err.contains("there is no such variable"), "{err}");
    let (status, _, err) = echo(&["--wsse-user", "ann"]);
    assert!(status == Some(2) && err.contains("needs --wsse-password-file"), "{err}");
}

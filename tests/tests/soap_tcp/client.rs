//! Our client calls Metro's service.

use trunkline_session::Profile;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, MessageEncoding, SoapVersion,
};

use super::serving::Serving;
use super::{Bytes, Echo, Int, LARGEST, MODES, Nothing, VERSIONS, Words, metro};

fn echo(url: &str, version: SoapVersion, encoding: MessageEncoding) -> Echo {
    let binding = Binding { version, ..Binding::document_literal().unqualified() };
    let mut echo = Echo::with(url, binding, ClientConfig::default()).expect("a URL");
    echo.client().set_encoding(encoding);
    echo
}

fn profile(echo: &mut Echo) -> Profile {
    echo.client().profile().expect("a call")
}

/// Calls of all kinds, with messages from empty to the largest.
fn call_all(echo: &mut Echo) {
    for value in [5, 5, 0, -1, i32::MIN, i32::MAX] {
        assert_eq!(echo.echo_int(&Int { value }).expect("an answer"), Int { value });
    }
    for text in ["", "Hello World", "Hello World", "<&>\"' \u{e9}\u{20ac}"] {
        let words = Words { value: Some(text.into()) };
        assert_eq!(echo.echo_string(&words).expect("an answer"), words);
    }
    for round in 0..3 {
        assert_eq!(echo.echo_void(&Nothing {}).expect("an answer"), Nothing {});
        echo.ping(&Words { value: Some(format!("round {round}").as_str().into()) })
            .expect("it is taken");
        let fault = echo.fail(&Nothing {}).expect_err("a fault");
        let CallError::Fault(fault) = fault else { panic!("{fault:?}") };
        assert_eq!(fault.reason, "as it was asked to");
    }
    for length in [0, 1, 9_000, 70_000, LARGEST] {
        let value: Vec<u8> = (0..length).map(|index| (index * 7 % 251) as u8).collect();
        let bytes = Bytes { value };
        let answer = echo.echo_bytes(&bytes).expect("an answer");
        assert!(answer == bytes, "{length} bytes came back as others");
    }
    for index in 0..100 {
        let words = Words { value: Some(format!("word {}", index % 10).as_str().into()) };
        assert_eq!(echo.echo_string(&words).expect("an answer"), words);
    }
}

#[test]
fn our_client_calls_metros_service() {
    let Some(metro) = metro() else { return };
    for (name, version) in VERSIONS {
        for (mode, encoding, shown) in MODES {
            let serving = Serving::start(&metro, mode, "serve", name);
            let url = format!("vnd.sun.ws.tcp://127.0.0.1:{}/echo", serving.port);
            let mut echo = echo(&url, version, encoding);
            call_all(&mut echo);
            let shown = format!("soap-tcp-1.0/soap-{name}-document-literal-wrapped/{shown}/none/");
            let profile = profile(&mut echo);
            assert!(profile.to_string().starts_with(&shown), "{profile}");
            let is_retained = encoding == MessageEncoding::StatefulFastInfoset;
            assert_eq!(profile.retained.is_some(), is_retained, "{profile}");
            if let Some(retained) = profile.retained {
                // A word pays its entry the second time, and is an index from the third on.
                assert!(retained.values.indexes > 0 && retained.size.entries > 20, "{profile}");
                let answers = echo.client().answered_vocabulary().expect("it is retained");
                assert!(answers.hit_rate() > 30, "{answers}");
            }
        }
    }
}

/// What is asked for and what is had.
#[test]
fn a_metro_service_that_does_not_have_the_encoding_is_called_in_xml() {
    let Some(metro) = metro() else { return };
    let serving = Serving::start(&metro, "xml", "serve", "1.1");
    let url = format!("vnd.sun.ws.tcp://127.0.0.1:{}/echo", serving.port);
    for (_, encoding, _) in MODES {
        let mut echo = echo(&url, SoapVersion::Soap11, encoding);
        assert_eq!(echo.echo_int(&Int { value: 7 }).expect("an answer"), Int { value: 7 });
        assert_eq!(profile(&mut echo).encoding, "xml-utf8");
    }
}

#[test]
fn over_http_metros_service_is_asked_whether_it_reads_fast_infoset_or_sent_it_at_once() {
    let Some(metro) = metro() else { return };
    for (name, version) in VERSIONS {
        let serving = Serving::start(&metro, "FIStateful", "publish", name);
        let url = format!("http://127.0.0.1:{}/echo", serving.port);
        for (encoding, is_optimistic) in [
            (MessageEncoding::Xml, false),
            (MessageEncoding::FastInfoset, false),
            (MessageEncoding::StatefulFastInfoset, true),
        ] {
            let mut echo = echo(&url, version, encoding);
            echo.client().set_optimistic(is_optimistic);
            let one = Int { value: 1 };
            assert_eq!(echo.echo_int(&one).expect("an answer"), one);
            let first = profile(&mut echo);
            let is_xml = encoding == MessageEncoding::Xml;
            let expected = match (is_xml, is_optimistic) {
                (true, _) => ("xml-utf8", None),
                (false, false) => ("xml-utf8", Some("fast-infoset")),
                (false, true) => ("fast-infoset", None),
            };
            assert_eq!((first.encoding, first.answer), expected, "{first}");
            call_all(&mut echo);
            let shown = if is_xml { "xml-utf8/none" } else { "fast-infoset/stateless" };
            let shown = format!("http-1.1/soap-{name}-document-literal-wrapped/{shown}/none/");
            let profile = profile(&mut echo);
            assert!(profile.to_string().starts_with(&shown), "{profile}");
        }
    }
}

#[test]
fn a_service_that_metro_does_not_have_is_told() {
    let Some(metro) = metro() else { return };
    let serving = Serving::start(&metro, "FIStateful", "serve", "1.1");
    let url = format!("vnd.sun.ws.tcp://127.0.0.1:{}/nowhere", serving.port);
    let mut client = Client::new(&url, "urn:trunkline:echo").expect("a URL");
    let error = client.call::<_, Int>("echoInt", &Int { value: 1 }).expect_err("nothing is there");
    assert!(error.to_string().contains("/nowhere"), "{error}");
}

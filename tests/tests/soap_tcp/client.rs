//! Our client calls Metro's service.

use trunkline_import::wsdl::Description;
use trunkline_session::Profile;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, MessageEncoding, SharedConnection, SoapVersion,
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
                // A word is an index from the second time on.
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

/// It leaves out of what it agrees to what it does not know.
#[test]
fn clients_that_share_a_connection_to_metro_take_turns() {
    let Some(metro) = metro() else { return };
    for (mode, encoding, _) in MODES {
        let serving = Serving::start(&metro, mode, "serve", "1.1");
        let url = format!("vnd.sun.ws.tcp://127.0.0.1:{}", serving.port);
        let connection = SharedConnection::new(&url, ClientConfig::default()).expect("a URL");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let binding = Binding::document_literal().unqualified();
                let client = connection.client("/echo", "urn:trunkline:echo", binding);
                let mut echo = Echo::of(client.expect("a path"));
                echo.client().set_encoding(encoding);
                scope.spawn(move || {
                    for round in 0..25 {
                        let words =
                            Words { value: Some(format!("{thread}, {round}").as_str().into()) };
                        assert_eq!(echo.echo_string(&words).expect("an answer"), words);
                        echo.ping(&words).expect("it is taken");
                        let fault = echo.fail(&Nothing {}).expect_err("a fault");
                        assert!(matches!(fault, CallError::Fault(_)), "{fault}");
                    }
                    assert_eq!(echo.client().overlaps(), Some(false));
                    assert_eq!(profile(&mut echo).encoding, encoding.name());
                });
            }
        });
    }
}

#[test]
fn the_policy_of_metros_service_says_how_to_call_it() {
    let Some(metro) = metro() else { return };
    let serving = Serving::start(&metro, "FIStateful", "publish", "1.1");
    let url = format!("http://127.0.0.1:{}/echo", serving.port);
    let mut fetch = |location: &str| Ok(Client::new(location, "").and_then(|mut it| it.get()).ok());
    let limits = trunkline_import::Limits::default();
    let description = Description::read(&format!("{url}?wsdl"), &mut fetch, &limits);
    let description = description.expect("a WSDL");
    let mut offers = description.services()[0].ports[0].offers;
    assert!(offers.soap_tcp && !offers.fast_infoset, "{offers:?}");
    // In a container both would be on one port.
    let over_tcp = Serving::start(&metro, "FIStateful", "serve", "1.1");
    offers.soap_tcp_port = Some(over_tcp.port);
    let encoding = MessageEncoding::StatefulFastInfoset;
    let mut echo = echo(&offers.url(&url), SoapVersion::Soap11, encoding);
    assert_eq!(echo.echo_int(&Int { value: 3 }).expect("an answer"), Int { value: 3 });
    let profile = profile(&mut echo).to_string();
    assert!(
        profile
            .starts_with("soap-tcp-1.0/soap-1.1-document-literal-wrapped/fast-infoset/retained/"),
        "{profile}"
    );
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

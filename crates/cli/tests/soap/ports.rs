//! Where `trunkline soap call` sends a request, and that it says so.

use super::said;
use super::site::Site;

const ANSWER: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <r><text>yes</text></r></e:Body></e:Envelope>";

/// Two services with an operation of the same name, one of them at two ports.
const PORTS: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <message name="In"><part name="a" type="xsd:int"/></message>
  <message name="Other"><part name="b" type="xsd:int"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/></operation></portType>
  <portType name="U"><operation name="ask"><input message="t:Other"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="rpc"/><operation name="ask"><input>
    <soap:body use="literal" namespace="urn:first"/></input></operation></binding>
  <binding name="C" type="t:U"><soap:binding style="rpc"/><operation name="ask"><input>
    <soap:body use="literal" namespace="urn:second"/></input></operation></binding>
  <service name="First"><port name="Live" binding="t:B"><soap:address location="http://LIVE/first"/></port>
    <port name="Test" binding="t:B"><soap:address location="http://TEST/first/test"/></port></service>
  <service name="Second"><port name="Other" binding="t:C"><soap:address location="http://LIVE/second"/></port>
    <port name="Queue" binding="t:C"><soap:address location="jms:jndi:second"/></port></service>
</definitions>"#;

#[test]
fn the_port_is_called_that_is_meant() {
    let [live, test, gateway] = [0, 1, 2].map(|_| Site::start(&[], ANSWER));
    let host = |site: &Site| site.address.to_string();
    let wsdl = PORTS.replace("LIVE", &host(&live)).replace("TEST", &host(&test));
    let about = Site::start(&[("/?wsdl", &wsdl)], ANSWER);
    let from = about.url("/?wsdl");
    let call = |url: &str, arguments: &[&str]| {
        let (status, out, err) = said(&[&[url, "ask", "--wsdl", &*from], arguments].concat());
        let sent = [&live, &test, &gateway, &about].map(|it| it.asked().posted.concat());
        (status, out, err, sent)
    };
    for (url, arguments, place, namespace) in [
        // The URL is a port's.
        (live.url("/first"), &["a=1"][..], 0, "urn:first"),
        (test.url("/first/test"), &["a=1"], 1, "urn:first"),
        (live.url("/second"), &["b=1"], 0, "urn:second"),
        // Or the path is, at a gateway.
        (gateway.url("/second"), &["b=1"], 2, "urn:second"),
        // Or it is said.
        (about.url("/"), &["a=1", "--port", "Test"], 1, "urn:first"),
        (about.url("/"), &["b=1", "--port", "Second/Other"], 0, "urn:second"),
    ] {
        let (status, out, err, sent) = call(&url, arguments);
        assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{url} {arguments:?}: {err}");
        assert!(sent[place].contains(namespace), "{url} {arguments:?}: {sent:?}");
        assert_eq!(sent.iter().filter(|it| !it.is_empty()).count(), 1, "{url}: {sent:?}");
    }
    let elsewhere = about.url("/");
    for (arguments, words) in [
        (&["a=1"][..], "has ask at several ports, say --port: First/Live at http://"),
        (&["a=1", "--port", "None"], "has no port None; there is First/Live at http://"),
    ] {
        let (status, _, err, sent) = call(&elsewhere, arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {err}");
        assert!(err.contains(words), "{arguments:?}: no {words:?} in {err}");
        assert_eq!(sent.concat(), "", "{arguments:?}");
    }
}

/// A service whose ports have the same path at different hosts, as a live one and one for trying.
const SAME_PATH: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <message name="In"><part name="a" type="xsd:int"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="rpc"/><operation name="ask"><input>
    <soap:body use="literal" namespace="urn:t"/></input></operation></binding>
  <service name="Orders"><port name="Live" binding="t:B"><soap:address location="http://LIVE/orders"/></port>
    <port name="Test" binding="t:B"><soap:address location="http://TEST/orders"/></port>
    <port name="Queue" binding="t:B"><soap:address location="jms:jndi:orders"/></port></service>
  OTHER
</definitions>"#;

/// Sites, and a call that says which of them was sent something.
struct Hosts {
    sites: [Site; 4],
    from: String,
}

const LIVE: usize = 0;
const TEST: usize = 1;
const LOCAL: usize = 2;
const ABOUT: usize = 3;

impl Hosts {
    fn start(wsdl: &str) -> Self {
        let [live, test, local] = [LIVE, TEST, LOCAL].map(|_| Site::start(&[], ANSWER));
        let host = |site: &Site| site.address.to_string();
        let wsdl = wsdl.replace("LIVE", &host(&live)).replace("TEST", &host(&test));
        let about = Site::start(&[("/?wsdl", &wsdl)], ANSWER);
        let from = about.url("/?wsdl");
        Self { sites: [live, test, local, about], from }
    }

    fn url(&self, site: usize, path: &str) -> String {
        self.sites[site].url(path)
    }

    /// Status, standard error, and who was sent something.
    fn call(&self, url: &str, more: &[&str]) -> (Option<i32>, String, Vec<usize>) {
        let (status, _, err) = said(&[&[url, "ask", "a=1", "--wsdl", &*self.from], more].concat());
        let sent = self.sites.iter().enumerate();
        let sent = sent.filter(|(_, it)| !it.asked().posted.is_empty()).map(|it| it.0).collect();
        (status, err, sent)
    }

    #[track_caller]
    fn is_called(&self, url: &str, more: &[&str], site: usize, said: &str) {
        let (status, err, sent) = self.call(url, more);
        assert_eq!((status, sent), (Some(0), vec![site]), "{url} {more:?}: {err}");
        assert!(err.starts_with(&format!("POST {said}\n")), "{url} {more:?}: {err}");
    }

    #[track_caller]
    fn is_rejected(&self, url: &str, more: &[&str], words: &str) {
        let (status, err, sent) = self.call(url, more);
        assert_eq!((status, sent), (Some(2), vec![]), "{url} {more:?}: {err}");
        assert!(err.contains(words), "{url} {more:?}: no {words:?} in {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

#[test]
fn the_port_that_was_said_is_called_and_no_other() {
    let hosts = Hosts::start(&SAME_PATH.replace("OTHER", ""));
    let [live, test] = [LIVE, TEST].map(|it| hosts.url(it, "/orders"));
    hosts.is_called(&live, &[], LIVE, &live);
    hosts.is_called(&test, &[], TEST, &test);
    for port in ["Test", "Orders/Test"] {
        let port = ["--port", port];
        hosts.is_called(&test, &port, TEST, &format!("{test} (port Orders/Test)"));
        // Of a URL that is no port's, the description may have been read.
        hosts.is_called(
            &hosts.url(ABOUT, "/orders"),
            &port,
            TEST,
            &format!("{test} (port Orders/Test)"),
        );
        let why = format!("{live} is the port Orders/Live, and --port says Orders/Test at {test}");
        hosts.is_rejected(&live, &port, &why);
        // The same address may be written in several ways.
        hosts.is_rejected(&live.replace("http:", "HTTP:"), &port, "is the port Orders/Live, and");
    }
    hosts.is_rejected(
        &live,
        &["--port", "Queue"],
        "the port Orders/Queue is at \"jms:jndi:orders\", which is no address of HTTP",
    );
}

/// A port of that name in two services is none that one can call.
#[test]
fn a_port_is_one() {
    let other = r#"<service name="Old"><port name="Test" binding="t:B">
        <soap:address location="http://LIVE/old"/></port></service>"#;
    let hosts = Hosts::start(&SAME_PATH.replace("OTHER", other));
    let local = hosts.url(LOCAL, "/");
    hosts.is_rejected(&local, &["--port", "Test"], "say --port: Orders/Test at http://");
    let test = hosts.url(TEST, "/orders");
    hosts.is_called(
        &local,
        &["--port", "Orders/Test"],
        TEST,
        &format!("{test} (port Orders/Test)"),
    );
}

/// Whatever else a description has, what was typed is called.
#[test]
fn the_url_is_called_unless_a_port_is_said() {
    let one = SAME_PATH.replace(
        r#"<port name="Test" binding="t:B"><soap:address location="http://TEST/orders"/></port>"#,
        "",
    );
    let service = r#"<binding name="C" type="t:U"><soap:binding style="rpc"/><operation name="other"><input>
        <soap:body use="literal" namespace="urn:t"/></input></operation></binding>
        <service name="Other"><port name="Other" binding="t:C"><soap:address location="http://TEST/other"/></port></service>"#;
    for (wsdl, other) in [(&*one, ""), (&*one, service), (SAME_PATH, ""), (SAME_PATH, service)] {
        let hosts = Hosts::start(&wsdl.replace("OTHER", other));
        for path in ["/", "/try", "/orders"] {
            let local = hosts.url(LOCAL, path);
            hosts.is_called(&local, &[], LOCAL, &local);
        }
    }
}

/// The address is said before anything is sent; what was not sent did not travel.
#[test]
fn where_a_call_goes_is_said_though_nobody_is_there() {
    let hosts = Hosts::start(&SAME_PATH.replace("OTHER", ""));
    let (status, err, _) = hosts.call("http://127.0.0.1:1/orders", &[]);
    assert_eq!(status, Some(2), "{err}");
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines[0], "POST http://127.0.0.1:1/orders", "{err}");
    assert!(lines[1].starts_with("trunkline: 127.0.0.1:1: "), "{err}");
    assert_eq!(lines.len(), 2, "{err}");
}

/// Who typed where the description is, and not the service, is told where that is.
#[test]
fn a_url_where_nothing_is_called_says_which_ports_there_are() {
    let hosts = Hosts::start(&SAME_PATH.replace("OTHER", ""));
    let nowhere = trunkline_session::soap::Server::new().start("127.0.0.1:0").expect("a server");
    let (status, err, sent) = hosts.call(&format!("http://{}/", nowhere.address()), &[]);
    assert_eq!((status, sent), (Some(2), vec![]), "{err}");
    let live = hosts.url(LIVE, "/orders");
    assert!(err.contains("HTTP status 404"), "{err}");
    assert!(err.contains(&format!("; --port calls one of Orders/Live at {live}, ")), "{err}");
}

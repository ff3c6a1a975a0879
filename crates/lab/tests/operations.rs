//! The services of `metro-2007` and `govindaraju-2004`, as all toolkits know them.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use trunkline_experiment::toolkits::Service;
use trunkline_lab::operations::{Manner, names, service};
use trunkline_session::soap::Server;

/// What our server says of a service.
fn wsdl(which: Service, server: Server) -> String {
    let server = server.service(service(which, Manner::Right));
    let server = server.start("127.0.0.1:0").expect("a port is free");
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    let path = names(which).path;
    let request =
        format!("GET {path}?wsdl HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
    body.to_owned()
}

#[test]
fn the_wsdls_of_all_toolkits_are_those_of_our_services() {
    let operations = wsdl(Service::Operations, Server::new().offer_soap_tcp());
    assert_eq!(operations, include_str!("../../../peers/operations.wsdl"), "operations.wsdl");
    let arrays = wsdl(Service::Arrays, Server::new());
    assert_eq!(arrays, include_str!("../../../peers/arrays.wsdl"), "arrays.wsdl");
}

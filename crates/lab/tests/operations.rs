//! The service of `metro-2007`, as all toolkits know it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use trunkline_lab::operations::{Manner, PATH, service};
use trunkline_session::soap::Server;

#[test]
fn the_wsdl_of_all_toolkits_is_that_of_our_service() {
    let server = Server::new().service(service(Manner::Right)).offer_soap_tcp();
    let server = server.start("127.0.0.1:0").expect("a port is free");
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    let request =
        format!("GET {PATH}?wsdl HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert_eq!(
        body,
        include_str!("../../../peers/operations.wsdl"),
        "peers/operations.wsdl is another"
    );
}

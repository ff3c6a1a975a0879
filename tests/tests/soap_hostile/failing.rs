//! A function that panics.

use trunkline_http::{Order, Workers};
use trunkline_session::soap::{Config, SoapVersion};

use crate::{beside, client, headers, post, serve, short};

fn number(value: i32) -> String {
    format!(
        "<S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\"><S:Body>\
         <f:fail xmlns:f=\"urn:failing\"><value>{value}</value></f:fail></S:Body></S:Envelope>"
    )
}

#[test]
fn a_function_that_panics_harms_its_caller_only() {
    let pool = Workers::Pool { threads: 2, queue: 64, order: Order::FirstIn };
    for workers in [Workers::InPlace, pool] {
        let server = serve(Config { workers, ..short() });
        let headers = headers(SoapVersion::Soap11, "urn:failing#fail");
        beside(&server, || {
            let mut client = client(&server);
            for value in 1..=20 {
                let request = number(value);
                let answer = post(&mut client, "/failing", &headers, request.as_bytes());
                assert_eq!(answer.status.as_u16(), 500);
                let text = String::from_utf8_lossy(&answer.body);
                assert!(text.contains("SOAP-ENV:Server"), "{text}");
                assert!(text.contains("fail failed") && !text.contains("as the test asks"));
                let answer = post(&mut client, "/failing", &headers, number(0).as_bytes());
                assert_eq!(answer.status.as_u16(), 200);
            }
            assert_eq!(client.connections(), 1);
        });
    }
}

//! A service of two functions and a client of it, in one program.
//!
//! `cargo run -p trunkline-session --example calculator` calls itself and ends; with an address,
//! such as `127.0.0.1:8080`, it serves until it is stopped, and its WSDL is at
//! `http://127.0.0.1:8080/calculator?wsdl`. `metro/run` beside this file has Metro call it over SOAP/TCP.

use trunkline_message::Message;
use trunkline_session::soap::{Binding, CallError, Fault, Server, Service};

#[derive(Message, Clone, Debug, Default)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(Message, Clone, Debug, Default)]
struct Answer {
    result: i64,
}

fn add(numbers: Numbers) -> Result<Answer, Fault> {
    let sum = numbers.a.checked_add(numbers.b);
    sum.map(|result| Answer { result }).ok_or_else(|| Fault::sender("the sum is too large"))
}

fn divide(numbers: Numbers) -> Result<Answer, Fault> {
    let quotient = numbers.a.checked_div(numbers.b);
    quotient.map(|result| Answer { result }).ok_or_else(|| Fault::sender("division by zero"))
}

trunkline_session::client! {
    /// A client of the calculator.
    struct Calculator in "urn:example:calculator" {
        /// The sum of two numbers.
        fn add(Numbers) -> Answer;
        /// Their quotient.
        fn divide(Numbers) -> Answer;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1);
    let service = Service::new("Calculator", "urn:example:calculator")
        .documentation("Whole numbers, added and divided")
        .operation("add", add)
        .operation("divide", divide)
        .at("/calculator", Binding::document_literal())
        .at("/calculator/rpc", Binding::rpc_encoded());
    let server = Server::new()
        .service(service)
        .offer_soap_tcp()
        .on_call(|call| println!("{call}"))
        .start(address.as_deref().unwrap_or("127.0.0.1:0"))?;
    if address.is_some() {
        println!("http://{}/calculator?wsdl", server.address());
        server.wait();
        return Ok(());
    }

    let url = format!("http://{}/calculator", server.address());
    let mut calculator = Calculator::new(&url)?;
    let answer = calculator.add(&Numbers { a: 40, b: 2 })?;
    println!("40 + 2 = {}", answer.result);
    match calculator.divide(&Numbers { a: 1, b: 0 }) {
        Err(CallError::Fault(fault)) => println!("1 / 0 is rejected: {fault}"),
        other => println!("1 / 0 = {other:?}"),
    }
    Ok(())
}

//! Header blocks in and out: a call that names its transaction, and an answer that names the desk.
//!
//! `cargo run -p trunkline-session --example headers`

use trunkline_message::Message;
use trunkline_session::soap::{Binding, Context, Fault, Server, Service, header};
use trunkline_wire::Text;

const NAMESPACE: &str = "urn:example:orders";

#[derive(Message, Clone, Debug, Default)]
struct Order {
    symbol: Text,
    quantity: i64,
}

#[derive(Message, Clone, Debug, Default)]
struct Acceptance {
    accepted: bool,
}

#[derive(Message, Clone, Debug, Default)]
struct Transaction {
    id: Text,
}

#[derive(Message, Clone, Debug, Default)]
struct Desk {
    name: Text,
}

fn place(order: Order, context: &mut Context) -> Result<Acceptance, Fault> {
    let transaction: Option<Transaction> = context.header()?;
    let transaction =
        transaction.ok_or_else(|| Fault::sender("the header names no Transaction"))?;
    println!("transaction {} from {:?}: {order:?}", transaction.id, context.caller());
    context.add_header(&Desk { name: "London".into() })?;
    Ok(Acceptance { accepted: order.quantity > 0 })
}

trunkline_session::client! {
    /// A client of the order desk.
    struct Orders in "urn:example:orders" {
        /// Places an order.
        fn place(Order) -> Acceptance;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Service::new("Orders", NAMESPACE)
        .operation("place", place)
        .header::<Transaction>()
        .reply_header::<Desk>()
        .at("/orders", Binding::document_literal());
    let server = Server::new().service(service).start("127.0.0.1:0")?;

    let mut orders = Orders::new(&format!("http://{}/orders", server.address()))?;
    let mut transaction = header::block(&Transaction { id: "T-1".into() }, NAMESPACE)?;
    transaction.must_understand = true;
    orders.client().set_header(vec![transaction]);
    let acceptance = orders.place(&Order { symbol: "CBG".into(), quantity: 100 })?;
    let desk: Option<Desk> = orders.client().reply_header()?;
    println!("{acceptance:?} by {desk:?}");
    Ok(())
}

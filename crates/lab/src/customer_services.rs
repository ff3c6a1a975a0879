//! The messages of Ng, Chen and Greenfield's evaluation (2004, Figure 3): records of customers and
//! products as a shop of that time may have had them, made by a seeded generator.
//!
//! The paper does not print a message. Texts are as long here as it takes for messages in
//! document/literal to come near the sizes of its Table 2.

mod scenario;
pub mod web_service;
mod words;

use trunkline_catalogue::commerce::{Customer, CustomerServices, Product};
use trunkline_wire::{Date, Time, Timestamp};

#[cfg(test)]
pub(crate) use scenario::MESSAGES;
pub(crate) use scenario::{CustomerRecords, batch};
use trunkline_random::Random;
use words::{DOMAINS, FIRST_NAMES, LAST_NAMES, MATERIALS, STREETS, SUBURBS, THINGS, UNITS, pick};

/// The header of a request.
pub const REQUEST: &str = "REQUEST";

/// The header of what the service sends back (section 3.1).
pub const RESPONSE: &str = "RESPONSE";

/// A message of so many records, each other than the last. The same seed and index give the same
/// message.
pub fn message(seed: u64, index: usize, customers: u32, products: u32) -> CustomerServices {
    // One of its own for each message, so that none depends on how many were made before.
    let mut random = Random::new(seed ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    CustomerServices {
        header: REQUEST.into(),
        customers: (0..customers).map(|_| customer(&mut random)).collect(),
        products: (0..products).map(|_| product(&mut random)).collect(),
    }
}

/// `count` messages, from the one with index `from` on.
pub fn messages(
    seed: u64,
    from: usize,
    count: usize,
    (customers, products): (u32, u32),
) -> Vec<CustomerServices> {
    (from..from + count).map(|index| message(seed, index, customers, products)).collect()
}

/// What the service sends back for a message: the same with another header.
pub fn response(request: &CustomerServices) -> CustomerServices {
    CustomerServices { header: RESPONSE.into(), ..request.clone() }
}

fn customer(random: &mut Random) -> Customer {
    let (first, last) = (pick(random, FIRST_NAMES), pick(random, LAST_NAMES));
    let (street, suburb) = (pick(random, STREETS), pick(random, SUBURBS));
    let domain = pick(random, DOMAINS);
    Customer {
        customer_id: format!("C{:07}", random.below(10_000_000)).into(),
        password: password(random).into(),
        first_name: first.into(),
        last_name: last.into(),
        address: format!("{} {street}, {suburb}", random.between(1, 499)).into(),
        phone_num: format!("02 {:04} {:04}", random.between(8000, 9999), random.below(10_000))
            .into(),
        email: format!("{}.{}@{domain}", first.to_lowercase(), last.to_lowercase()).into(),
        account_no: format!("{:03}-{:06}", random.below(1000), random.below(1_000_000)).into(),
        is_valid: random.chance(93),
        last_modified: moment(random, 2003),
    }
}

/// As a person chooses them, with what XML must escape now and then.
fn password(random: &mut Random) -> String {
    let thing = pick(random, THINGS).to_lowercase();
    let mark = if random.chance(4) { "&" } else { "" };
    format!("{thing}{mark}{}", random.between(10, 99))
}

fn product(random: &mut Random) -> Product {
    let (material, thing) = (pick(random, MATERIALS), pick(random, THINGS));
    let last_modified = moment(random, 2003);
    Product {
        category_id: random.between(100, 999) as i64,
        is_available: random.chance(80),
        do_we_buy: random.chance(50),
        do_we_sell: random.chance(90),
        product_id: random.between(1_000_000, 9_999_999) as i64,
        description: format!("{material} {thing}, {} mm", random.between(5, 950)).into(),
        // Whole cents, which a double holds as nearly as any reader gives them back.
        price: random.between(95, 99_995) as f64 / 100.0,
        quantity: random.between(1, 5_000) as i64,
        quantity_unit: pick(random, UNITS).into(),
        price_policy_id: random.between(1, 400) as i64,
        eta: moment(random, 2004),
        last_modified,
    }
}

/// A whole second of the year.
fn moment(random: &mut Random, year: u16) -> Timestamp {
    let date = Date::new(year, random.between(1, 12) as u8, random.between(1, 28) as u8);
    let [hour, minute, second] = [24, 60, 60].map(|limit| random.below(limit) as u8);
    let time = Time::new(hour, minute, second, 0);
    // Every part is within its range.
    Timestamp::new(date.unwrap_or_default(), time.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;
    use trunkline_experiment::format::Format;

    /// Mean bytes of messages in document/literal.
    fn size(customers: u32, products: u32) -> f64 {
        let messages = messages(2004, 0, 100, (customers, products));
        let corpus = format::corpus(Format::NgDocumentLiteral, &messages).expect("SOAP carries it");
        corpus.iter().map(Vec::len).sum::<usize>() as f64 / corpus.len() as f64
    }

    #[test]
    fn sizes_come_near_the_papers_table_2() {
        // Product A in document/literal. A message of one record is mostly what stands around it.
        for ((customers, products), paper, tolerance) in
            [((1, 0), 873.0, 0.4), ((20, 0), 7581.0, 0.05), ((1, 50), 21392.0, 0.05)]
        {
            let ratio = size(customers, products) / paper;
            assert!((ratio - 1.0).abs() < tolerance, "{customers} {products}: {ratio}");
        }
    }

    #[test]
    fn messages_differ_and_the_same_seed_gives_the_same() {
        let some = messages(1, 3, 20, (2, 3));
        assert_eq!(some[2], message(1, 5, 2, 3));
        assert!((1..some.len()).all(|index| !some[..index].contains(&some[index])));
        assert_ne!(message(2, 5, 2, 3), some[2]);
        assert_eq!((some[0].customers.len(), some[0].products.len()), (2, 3));
        let answer = response(&some[0]);
        assert_eq!((answer.header.as_str(), &answer.products), (RESPONSE, &some[0].products));
    }
}

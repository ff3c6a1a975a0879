//! Messages to test with: the paper's own, and any others by seed.

use trunkline_catalogue::commerce::{Customer, CustomerServices, Product};
use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh, MdEntry};
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

use crate::random::{self, Safe};

/// Seed K, Figure 3: the application structure of a trade report with `entries` equal entries.
pub fn figure_3(entries: usize) -> MarketDataIncrementalRefresh {
    let mut message = MarketDataIncrementalRefresh::default();
    message.header.sender.comp_id = "ABC".into();
    message.header.target.comp_id = "XYZ".into();
    message.header.msg_seq_num = Some(1234);
    message.header.sending_time = timestamp(b"20021128-18:09:42");
    for _ in 0..entries {
        let mut entry = MdEntry::default();
        entry.md_update_action = Code::new("0");
        entry.set_md_entry_type(Code::new("2")).set_md_entry_id("T078224");
        entry.instrument.set_symbol("CBG").set_cfi_code("ESXXXX");
        entry.set_md_entry_px(decimal("6.35")).set_md_entry_size(451);
        entry.set_md_entry_date(Date::new(2002, 11, 25).unwrap());
        entry.set_md_entry_time(Time::new(10, 18, 58, 0).unwrap());
        entry.set_seller_days(3).set_md_entry_buyer("2402").set_md_entry_seller("3713");
        message.body.entries.push(entry);
    }
    message
}

/// Market data with any of its fields, in 1 to 12 entries, by the seed.
pub fn market_data(seed: u64, safe: Safe) -> MarketDataIncrementalRefresh {
    let mut message = MarketDataIncrementalRefresh::default();
    random::fill(&mut message, seed, safe, 12);
    message
}

/// Customers and products with any values, by the seed.
pub fn any_customer_services(seed: u64, safe: Safe) -> CustomerServices {
    let mut message = CustomerServices::default();
    random::fill(&mut message, seed, safe, 8);
    message
}

/// A FIX time stamp.
pub fn timestamp(text: &[u8]) -> Timestamp {
    Timestamp::parse_fix(text).expect("a time stamp")
}

/// A decimal.
pub fn decimal(text: &str) -> Decimal {
    text.parse().expect("a decimal")
}

/// Seed N's messages: so many customers and products, with values by their position.
pub fn customer_services(customers: u32, products: u32) -> CustomerServices {
    let when = |n: u32| {
        let date = Date::new(2004, 1 + (n % 12) as u8, 1 + (n % 28) as u8).unwrap();
        Timestamp::new(date, Time::new((n % 24) as u8, (n % 60) as u8, 30, 0).unwrap())
    };
    let text = |what: &str, n: u32| Text::from(format!("{what} {n}"));
    CustomerServices {
        header: "REQUEST".into(),
        customers: (0..customers)
            .map(|n| Customer {
                customer_id: text("CUST", n),
                password: text("secret & <safe>", n),
                first_name: text("Ann", n),
                last_name: text("O'Brien-Müller", n),
                address: text("17 Long Street, North Ryde, New South Wales, Australia", n),
                phone_num: text("+61 2 9850", n),
                email: text("ann@example.org", n),
                account_no: text("ACC", n),
                is_valid: n % 2 == 0,
                last_modified: when(n),
            })
            .collect(),
        products: (0..products)
            .map(|n| Product {
                category_id: i64::from(n) - 3,
                is_available: n % 3 == 0,
                do_we_buy: n % 2 == 0,
                do_we_sell: true,
                product_id: i64::from(n) << 33,
                description: text("A product", n),
                price: f64::from(n) * 1.37,
                quantity: -i64::from(n),
                quantity_unit: "each".into(),
                price_policy_id: i64::MAX,
                eta: when(n + 5),
                last_modified: when(n),
            })
            .collect(),
    }
}

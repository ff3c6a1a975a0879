//! Prints what became of each description of others: `cargo run -p trunkline-tests --example import_table`. Below a line
//! that is not all well stands why, each reason once; at the end stand the sums of each suite and of all.

use trunkline_tests::import_corpus::table;

fn main() {
    print!("{}", table::text());
}

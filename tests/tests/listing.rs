//! The listing from which the peers are generated is the catalogue's.

use std::fs;
use std::path::Path;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Layout, Structure as _};

#[test]
fn the_peers_are_made_for_the_message_of_the_catalogue() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/market-data.schema");
    let listing = fs::read_to_string(path).expect("the peers' listing");
    let ours = MarketDataIncrementalRefresh::layout();
    assert_eq!(Layout::from_listing(&listing).expect("a listing").id(), ours.id());
    assert_eq!(listing, ours.listing());
}

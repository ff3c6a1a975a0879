//! Every shape of the message model in CDR: there and back, octet by octet, and what is rejected.

mod golden;
mod notes;
mod omniorb;
mod rejected;
mod shapes;
mod trip;

use std::sync::Arc;

use trunkline_codec::cdr::{self, ByteOrder, Optional};
use trunkline_message::{Layout, Structure};

const UNION: Optional = Optional::Union;
const BITMAP: Optional = Optional::Bitmap;

fn plan(layout: &Arc<Layout>, byte_order: ByteOrder, optional: Optional) -> Arc<cdr::Plan> {
    let options = cdr::Options { byte_order, optional, ..Default::default() };
    cdr::Plan::new(layout, &options).unwrap()
}

/// Both byte orders, unions and bitmap.
fn plans<M: Structure>() -> impl Iterator<Item = Arc<cdr::Plan>> {
    let orders = [ByteOrder::Little, ByteOrder::Big].into_iter();
    let all = orders.flat_map(|order| [UNION, BITMAP].map(|optional| (order, optional)));
    all.map(|(order, optional)| plan(M::layout(), order, optional))
}

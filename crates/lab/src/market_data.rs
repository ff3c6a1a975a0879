//! The messages of the market-data experiments: a trading day's reports in the application structure
//! of Kohlhoff and Steele's Figure 3.

pub mod messages;
pub mod randomised;
mod scenario;

pub(crate) use scenario::{ENCODE_COLD, MarketData};

//! The messages of the market-data experiments: a trading day's reports in the application structure
//! of Kohlhoff and Steele's Figure 3, in every format.

pub(crate) mod answer;
mod format;
pub mod messages;
pub mod randomised;

pub(crate) use format::Codec;
pub use format::Format;

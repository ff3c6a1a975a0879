//! Published figures, as data.

pub mod kohlhoff;

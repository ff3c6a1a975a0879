//! derive(Message)

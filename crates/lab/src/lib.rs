//! Experiments, measuring, peers, verdicts and records

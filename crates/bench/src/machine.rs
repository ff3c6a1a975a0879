//! What this machine and this binary are, for the first row of a record.

use std::collections::BTreeMap;
use std::fs;

use crate::clock::Date;
use crate::row::{MACHINE, MachineRow};

impl MachineRow {
    /// Describes this machine, this binary and today; `peers` maps names to versions.
    pub fn of_this_machine(
        experiment: &str,
        peers: BTreeMap<String, String>,
        noise_floor: Option<f64>,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        Self {
            experiment: experiment.to_owned(),
            case: MACHINE.to_owned(),
            processor: processor(),
            cores,
            kernel: kernel(),
            compiler: env!("TRUNKLINE_COMPILER").to_owned(),
            peers,
            date: Date::today().to_string(),
            noise_floor,
        }
    }
}

/// As Linux tells it, which not every architecture does; elsewhere the architecture's name.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        matches!(key.trim(), "model name" | "Model" | "Hardware").then(|| value.trim().to_owned())
    });
    named.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn kernel() -> String {
    let uname = rustix::system::uname();
    format!("{} {}", uname.sysname().to_string_lossy(), uname.release().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_row_is_filled_in() {
        let row = MachineRow::of_this_machine("kohlhoff-2004", BTreeMap::new(), Some(0.02));
        assert_eq!(row.case, "machine");
        assert!(
            row.compiler.starts_with("rustc 1.") && row.compiler.contains("opt-level"),
            "{row:?}"
        );
        assert!(row.cores >= 1 && !row.processor.is_empty() && row.kernel.contains(' '), "{row:?}");
    }
}

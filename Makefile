.DEFAULT_GOAL := help
.PHONY: help run build test soak peers packages results tools
# The parts share Cargo's target folder and the two cores of a small machine.
.NOTPARALLEL:

# A shell that was open while rustup ran does not know its folder yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
TARGET := $(or $(CARGO_TARGET_DIR),target)
# Seconds that `make soak` gives each fuzz target.
SOAK ?= 600

help:
	@echo 'make run     build, then rerun Kohlhoff & Steele (2004), with a page in $(TARGET)/report'
	@echo 'make test    every check and test, with one line a suite and the totals at the end'
	@echo 'make build   the trunkline binary, as $(TARGET)/release/trunkline'
	@echo 'make packages a Debian package, a static binary and the image of a container, in $(TARGET)/packages'
	@echo 'make peers   other toolkits to measure against (as root on Debian, fetches what they need)'
	@echo 'make results the tables of docs/results.md and docs/lab.md, from the records'
	@echo 'make soak    faults planted, idle clients, power cuts, kills, random schemas and fuzzing, SOAK=$(SOAK) seconds each (nightly Rust with cargo-fuzz)'

run: build
	@# Status 3 says that a noisy machine left a conclusion open, which the tables say too.
	@echo 'a look at sizes and codecs first, within a minute'
	@'$(TARGET)/release/trunkline' lab run kohlhoff-2004 --only size,codec --quick || [ $$? = 3 ]
	@echo 'measuring all of it for about four minutes, three without peers'
	@'$(TARGET)/release/trunkline' lab run kohlhoff-2004 --report '$(TARGET)/report' || [ $$? = 3 ]

build: tools
	@echo 'building: about five minutes on two cores from cold'
	cargo build --release --locked --bin trunkline

test: tools
	@tests/run

peers: tools
	@tests/install-peers
	@$(MAKE) --no-print-directory -C peers

packages: tools
	@packaging/build
	@packaging/check

# What the documents show as the output of a command, made anew from the records.
results: tools
	UPDATE_RESULTS=1 cargo test --quiet --locked -p trunkline-cli --test results

soak: tools
	@tests/soak-faults
	@tests/soak-tls
	@tests/soak-guaranteed $(SOAK)
	@TRUNKLINE_SCHEMAS=1000 cargo test --locked -p trunkline-tests --test random_schemas
	@tests/soak $(SOAK)

tools:
	@command -v cargo >/dev/null || { \
		echo 'cargo is missing; get it from https://rustup.rs, no root needed, then try again' >&2; \
		exit 1; }
	@command -v cc >/dev/null || { \
		echo 'a C linker, cc, is missing; Debian has it in the package gcc' >&2; exit 1; }

# What people and machines type. `make help` lists it.

CARGO ?= cargo

.PHONY: help bench instructions build conformance demo fuzz simulation test test-api test-cluster test-crash test-ha test-opa test-prometheus lint house fmt clean

help: ## This list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

build: ## The binary, optimised: target/release/windlass.
	$(CARGO) build --release --bin windlass

demo: build ## The story of one service, from webhook to production and back. KEEP=1 leaves everything running.
	$(CARGO) run --release --quiet --bin windlass -- demo $(if $(KEEP),--keep)

bench: build ## What docs/performance.md tells, measured again. ONLY="webhooks fleet" measures those, TIMES=1 once, STORE=postgresql.
	TIMES=$(TIMES) STORE=$(STORE) LOAD_SECONDS=$(LOAD_SECONDS) RUNS=$(RUNS) $(CARGO) run --release --quiet --bin windlass-bench -- $(ONLY)

instructions: ## Counts what rendering executes, with valgrind, and compares with bench/instructions.txt. ACCEPT=1 keeps the new counts.
	$(CARGO) xtask instructions $(if $(ACCEPT),--accept)

conformance: ## Random kustomizations, templates and charts against the reference tools. SEED=… COUNT=… choose the fresh ones.
	.ci/conformance

fuzz: ## Each fuzz target for a minute; TIME=… seconds, ONLY=yaml one of them.
	.ci/fuzz

test: house ## Everything that must hold before a change lands.
	$(CARGO) fmt --all --check
	$(if $(RUSTC_WORKSPACE_WRAPPER),,$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings)
	$(CARGO) xtask test $(if $(CI),--no-default-features)
	$(CARGO) test --workspace --doc --quiet $(if $(CI),--no-default-features)
	@echo "skipped: real clusters (make test-cluster)"
	@echo "skipped: the longer half of several servers (make test-ha)"
	@echo "skipped: the real OPA (make test-opa)"
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny check; else echo "skipped: cargo-deny is not installed"; fi

test-cluster: ## The simulation against a real control plane, built once with Go, and scenarios on it. KEPT, FRESH, SEED, TESTS choose.
	.ci/cluster

test-api: ## Requests made from the API's own description, good and bad ones. EXAMPLES=… of each kind for each route, SEED=….
	.ci/api

test-ha: ## Several servers on PostgreSQL: killed, frozen, replaced; backups; logs in a bucket. OLD=… an earlier binary, TESTS choose.
	.ci/ha

test-prometheus: ## A canary judged by a real Prometheus (apt-get install prometheus), in real time: seven minutes.
	PROMETHEUS=$(or $(PROMETHEUS),prometheus) $(CARGO) test --workspace --test prometheus -- --nocapture

test-opa: ## Decisions and functions against the real OPA, built once with Go. INPUTS, CALLS, SEED choose.
	.ci/opa

test-crash: ## A server that dies at every fortieth commit and message, and real processes that are killed; FULL=1: at all, and 500.
	$(CARGO) run --release --quiet --bin simulation -- --crash $(if $(FULL),1,40)
	KILLS=$(if $(FULL),500,20) $(CARGO) test --workspace --test killed -- --nocapture

simulation: ## Whole installations in virtual time, a different one for each seed: SEEDS=10000, FROM=1, TWICE=1 compares two histories of each; or one with its history: SEED=4711.
	$(CARGO) run --release --quiet --bin simulation -- $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),10000) --from $(or $(FROM),1) $(if $(TWICE),--twice))

lint: ## Formatting, clippy and the floors.
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets
	$(CARGO) xtask house

house: ## No room may enter one it should not.
	$(CARGO) xtask house

fmt: ## Formats everything.
	$(CARGO) fmt --all

clean:
	$(CARGO) clean

# The one front door. Every recipe is a script that also runs by itself.
.DEFAULT_GOAL := help
.PHONY: help setup binaries images build format test proof mutation e2e-all matrix demo sandbox bench clean
SHELL := /bin/bash

# Where `make sandbox` puts its kubeconfig, logs and volumes.
DIR ?= $(or $(TMPDIR),/tmp)/belay-sandbox
# Further arguments for test (Maven), proof, demo, sandbox and bench.
ARGS ?=

help: ## this list
	@sed -n -E 's/^([a-z][a-z0-9-]*):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) $(if $(wildcard testing/bench/pom.xml),,| grep -v '^  make bench') | expand -t 18

demo: ## the upgrade that costs the quorum, and the same one with Belay (real etcd 3.5 -> 3.6 -> 3.7)
	@build/prepare
	@bin/belay-demo $(ARGS)

test: ## formatter, Error Prone and NullAway, unit and integration tests, two end-to-ends; ends with the counts
	@build/test $(ARGS)

proof: ## 20,000 fresh seeds, a million small worlds, every crash plan, 50 restarts of a real API server; ends with the counts
	@build/proof $(ARGS)

mutation: ## core broken in every small way, and how often its tests notice (about a quarter of an hour); ends with the score
	@build/mutation $(ARGS)

e2e-all: ## the other end-to-end tests: a declared system, migrations, failures, killed operators, leaders everywhere, order, bad input, the simulator next to Kubernetes
	@build/e2e-all $(ARGS)

matrix: ## every failure with every fix, groups of one to seven members, every batch: what e2e-all tries in one or two cases
	@build/matrix $(ARGS)

sandbox: ## a real Kubernetes control plane on this machine, until Ctrl-C (DIR=…, ARGS="--nodes 5")
	@build/prepare
	@bin/belay-sandbox up --dir "$(DIR)" $(ARGS)

setup: ## find or install JDK 25, Maven, Go and the few tools needed, and say what was found
	@build/toolchain java maven go tools

binaries: ## Kubernetes, etcd and PD for the sandbox: found, or built from source once
	@testing/sandbox/binaries/get && echo "binaries are in $${BELAY_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/belay}"

images: ## the images that the demo and the tests run
	@testing/sandbox/images/get && echo "images are in $${BELAY_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/belay}/images"

build: ## the jars, if a source changed
	@build/package

format: ## the formatter, on every Java file
	@build/mvn -q spotless:apply

ifneq ($(wildcard testing/bench/pom.xml),)
bench: ## Belay next to the native controller; ARGS="--migrations 1000": the governor next to Flyway
	@build/prepare
	@build/launch bench $(ARGS)
endif

clean: ## remove what was built here (the cache of programs and images stays)
	@rm -rf target {.,testing}/*/target

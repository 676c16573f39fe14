# `make` alone lists the targets. `make test` is all that CI runs.

STATICCHECK   := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK   := golang.org/x/vuln/cmd/govulncheck@v1.9.0

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BRIDGE   := $(CURDIR)/bin/agui-bridge
TOOLS    := $(CURDIR)/.tools/bin
FUZZTIME ?= 3s

# What the differential test generates: this many streams, from this seed.
# Of chunks, so many for each major: reading them costs the AI SDK more.
STREAMS ?= 10000
AISDK_STREAMS ?= 3000
SEED    ?= 1

# Each tool is built once for each version, from source.
tool = $(TOOLS)/$(notdir $(1))

# What `make test` checks, cheap things first.
CHECKS := format tidy vet staticcheck lint go fuzz client build e2e differential

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help

# A prerequisite of every target that needs one: a missing program is one clear line.
need = @command -v $(1) >/dev/null || { echo "error: $(1) is not installed; it is needed for this (see README.md)" >&2; exit 1; }

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: need-go ## build bin/agui-bridge
	go build -trimpath -ldflags '-X main.version=$(VERSION)' -o '$(BRIDGE)' ./cmd/agui-bridge

.PHONY: run
run: build ## build the bridge and start it on 127.0.0.1:8080
	AGUI_BRIDGE_ADDR=127.0.0.1:8080 '$(BRIDGE)'

# Every check runs, also after one has failed, so that one run tells all.
.PHONY: test
test: need-go need-node need-npm ## check everything, as CI does
	@passed=0; failed=; report=; \
	for check in $(CHECKS); do \
	  printf '\n==> %s\n' "$$check"; start=$$SECONDS; \
	  if $(MAKE) "check-$$check"; then verdict=ok; passed=$$((passed + 1)); else verdict=FAILED; failed="$$failed $$check"; fi; \
	  report+=$$(printf '  %-12s %-7s %4d s' "$$check" "$$verdict" "$$((SECONDS - start))")$$'\n'; \
	done; \
	printf '\n%s  %-12s         %4d s\n\n' "$$report" total "$$SECONDS"; \
	set -- $$failed; printf 'checks: %d passed, %d failed\n' "$$passed" "$$#"; \
	[ "$$#" -eq 0 ]

.PHONY: lint
lint: check-format check-vet check-staticcheck check-lint ## run the static checks of the Go code

.PHONY: bench
bench: need-go ## run the Go benchmarks
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: chaos
chaos: need-go ## kill the bridge KILLS times (300) and see that it keeps its promises
	CHAOS_KILLS='$(or $(KILLS),300)' go test -count=1 -timeout 30m -v ./internal/chaos

.PHONY: mutate
mutate: need-go ## change each guard of the state machine, and see that a test fails
	go run ./internal/mutate session step.go submit.go reply.go fold.go send.go expiry.go remember.go state.go

.PHONY: e2e
e2e: check-build check-client check-e2e ## test the built bridge with real clients

.PHONY: differential
differential: check-differential ## read STREAMS generated streams with the published client and with ours

.PHONY: fuzz
fuzz: ## fuzz every target for FUZZTIME each (a minute, if it is not given)
	@$(MAKE) check-fuzz FUZZTIME='$(if $(filter file,$(origin FUZZTIME)),1m,$(FUZZTIME))'

.PHONY: fmt
fmt: need-go ## format the Go code
	gofmt -s -w $(GO_FILES)

.PHONY: tidy-check
tidy-check: check-tidy ## check that go.mod and go.sum say what the code needs

.PHONY: vuln
vuln: need-go $(call tool,$(GOVULNCHECK)) ## look for known vulnerabilities (needs their database, so CI does not)
	'$(call tool,$(GOVULNCHECK))' ./...

.PHONY: clean
clean: ## remove what was built
	rm -rf bin .tools clients/js/dist clients/js/node_modules e2e/node_modules e2e/dist

# The checks, one target each.

# Go files, without those that npm brings.
GO_FILES = $(shell find . -name '*.go' -not -path '*/node_modules/*' -not -path './.tools/*')

.PHONY: check-format
check-format: need-go
	@files=$$(gofmt -s -l $(GO_FILES)); [ -z "$$files" ] || { echo "error: not formatted; run make fmt:"; echo "$$files"; exit 1; }

.PHONY: check-tidy
check-tidy: need-go
	go mod tidy -diff

.PHONY: check-vet
check-vet: need-go
	go vet ./...

.PHONY: check-staticcheck
check-staticcheck: $(call tool,$(STATICCHECK))
	'$(call tool,$(STATICCHECK))' ./...

.PHONY: check-lint
check-lint: $(call tool,$(GOLANGCI_LINT))
	'$(call tool,$(GOLANGCI_LINT))' run --allow-parallel-runners ./...

# The seeds of the fuzz targets are tests and run here, too.
.PHONY: check-go
check-go: need-go
	go test -race ./...

.PHONY: check-fuzz
check-fuzz: need-go
	@.ci/fuzz '$(FUZZTIME)'

.PHONY: check-client
check-client: need-node need-npm
	cd clients/js && npm ci --no-audit --no-fund && npm run lint && npm run format:check && npm run build && npm test

.PHONY: check-build
check-build: build
	@[ "$$('$(BRIDGE)' version)" = '$(VERSION)' ] || { echo "error: the binary does not know its version, $(VERSION)" >&2; exit 1; }

# The tests use the client package as it was just built.
.PHONY: check-e2e
check-e2e: need-node need-npm
	@[ -x '$(BRIDGE)' ] || { echo "error: bin/agui-bridge is missing; make build" >&2; exit 1; }
	cd e2e && npm ci --no-audit --no-fund && npm run lint && npm run typecheck && AGUI_BRIDGE_BIN='$(BRIDGE)' npm test

# Generated streams through the published AG-UI client, through both majors of the AI SDK,
# and through ours: all must read them alike, or the difference is listed with what decides it.
.PHONY: check-differential
check-differential: need-go need-node need-npm
	@[ -d e2e/node_modules ] || (cd e2e && npm ci --no-audit --no-fund)
	cd e2e && npm run differential -- --count '$(STREAMS)' --seed '$(SEED)' --out '$(CURDIR)/.tools/differential'
	AGUI_DIFFERENTIAL='$(CURDIR)/.tools/differential' go test -count=1 -run '^TestDifferential$$' ./protocol/agui
	cd e2e && npm run aisdk-differential -- --count '$(AISDK_STREAMS)' --seed '$(SEED)' --out '$(CURDIR)/.tools/aisdk-differential'
	AISDK_DIFFERENTIAL='$(CURDIR)/.tools/aisdk-differential' go test -count=1 -run '^TestDifferential$$' ./protocol/aisdk

# Programs and tools.

.PHONY: need-go need-node need-npm
need-go need-node need-npm: need-%:
	$(call need,$*)

$(TOOLS)/%: | need-go
	GOBIN='$(TOOLS)/build' go install '$(filter %/$*,$(STATICCHECK) $(GOLANGCI_LINT) $(GOVULNCHECK))' 2> >(grep -v '^go: downloading' >&2)
	@mv '$(TOOLS)/build/$(firstword $(subst @, ,$*))' '$@'

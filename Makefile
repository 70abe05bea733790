# Everything a contributor runs. Needs only Go, Node, make and git: Chromium is found, or installed, by scripts/chromium.
#
#   make build     bin/usher, and bin/agent-browser as a second name for it
#   make test      formatting, vet, generated files, cross-compilation, the page scripts in Node, every test
#   make generate  what is made from sources: the script for pages, the command reference, the error codes
#   make check     test, lint and deadcode: what to run before sending a change
#   make axe       fetch the accessibility engine that is built in, after a change of its version
#   make demo      watch the real binary do real work in a real browser
#   make bench     speed and size beside agent-browser from npm
#   make bench-mcp  the MCP server beside those of agent-browser, Playwright and Chrome DevTools from npm
#   make bench-agent-tool  the tool agent_browser beside pi-agent-browser-native, whose directory is REFERENCE
#   make bench-apps  jobs in applications from npm through the MCP server and through Playwright's: calls, text to read, errors
#   make stealth   detectors of bots from npm on pages in our headless browser, with and without --stealth
#   make snippets  the same scripts under Playwright and Puppeteer in Node, and with usher run; lists every value that differs
#   make diff      the same commands through agent-browser and through us; lists every field that differs
#   make recordings  the corpus of the supervisor: tests over a real browser, recorded again
#   make dist      what people install: archives for six platforms, .deb, npm, Homebrew formula, Containerfile, checksums; into dist
#   make dist-try  installs what is in dist, as far as this machine can, and runs it
#   make conformance  the official MCP suite from npm against the MCP server
#   make locators  chains of locators against the locators of Playwright from npm, on one page; UPDATE=-update records its matches
#   make ci        what CI runs: check, and the fuzz targets of the parsers for 2 s each
#   make react-test  the react commands on pages made with React 16 to 19 from npm
#   make race      every test again under the race detector (needs a C compiler)
#   make fuzz      every fuzz target in turn, for FUZZ each (default 60s), or those of the packages FUZZED
#   make deadcode  what nothing but tests reaches
#   make chaos     attached sessions over a network that breaks, for CHAOS (default 3m); SOAKFLAGS='-seed 7'
#   make soak      many sessions and pages at once while things break, for SOAK (default 10m); SOAKFLAGS='-seed 7'; then the relay, as long; then TABS
#                  (default 10000) come and go

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

export CGO_ENABLED ?= 0

# The tags say which release this is; a tree without tags is named by its commit.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
# Where the program has an entry of its own, before Go's (internal/cli/fastpath).
ENTRY   := $(if $(filter linux/amd64/0 linux/arm64/0,$(subst $() ,/,$(shell CGO_ENABLED=$(CGO_ENABLED) go env GOOS GOARCH CGO_ENABLED))),-E usher_entry)
LDFLAGS := -s -w $(ENTRY) -X github.com/usher-browser/usher/internal/cli/fastpath.Version=$(VERSION)
GOTOOL  := go tool -modfile=tools/go.mod
# How often a test that failed runs again by itself, where no more than five failed. Both results are printed.
RERUNS  ?= 0
SOAK    ?= 10m
CHAOS   ?= 3m
SOAKFLAGS ?=
TABS    ?= 10000
FUZZ    ?= 60s
FUZZED  ?= ./internal/...
# The tests whose recordings are kept: one of each thing that happens to a browser, and none of great length.
RECORDED := TestBeforeUnload|TestPopupCrash|TestDialogInCrossOriginFrame|TestCrashThenReload|TestGuardOfARelated|TestReconnectKeeps|TestDialogOutlives|TestDialogOpenedDuring|TestDialogReleased|TestWatchdogOverOutage|TestBrowserGone|TestUnreportedDialog|TestSideSession|TestBridge$$|TestTabsOfLinks|TestFrameTreeIsTrue|TestDialogsOfEveryKind|TestFramesComeAndGo
BENCH   ?=
REFERENCE ?=
STEALTH ?=
DIFF    ?=
SNIPPETS ?=
UPDATE  ?=

# Finds a Chromium, or installs the system's package, and passes it on. An assignment of its own, so that its failure counts.
BROWSER := USHER_CHROME="$$(scripts/chromium --install)"; export USHER_CHROME

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# The parsers of what others write, and of nothing that starts a browser: a fuzz target each, or a few.
PARSERS := ./internal/api/frame ./internal/cli/fastpath ./internal/verb ./internal/verb/shell ./internal/plain ./internal/script/message
AGENT_JS  := internal/pagescript/agent.js
BRIDGE_JS := internal/supervisor/fold/bridge/bridge.js
STORAGE_JS := internal/pagescript/storage.js
REACT_JS := internal/command/react/react.js
RECORDER_JS := internal/codegen/recorder.js
CLOCK_JS := internal/session/code/clock.js
ENCODER_JS := internal/media/video/encoder.js
FACADE_JS := internal/session/code/facade.js
EXTENSION_FILES := internal/extension/files
EXTENSION_SCRIPTS := worker popup options

.PHONY: build generate axe test test-page react-test recordings race fuzz check ci lint lint-types deadcode demo bench bench-mcp bench-agent-tool bench-apps stealth conformance locators diff snippets soak chaos dist dist-try clean \
	verify-format verify-vet verify-generated verify-platforms

build:
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/usher ./cmd/usher
	ln -sfn usher bin/agent-browser

# The script that runs inside pages. It is one expression: evaluated in an isolated world it yields the object of our
# functions and leaves no name behind, which is what the outer function added by banner and footer is for.
BUNDLE = $(GOTOOL) esbuild ui/page/src/agent.ts --bundle --format=iife --global-name=agent --target=chrome120 \
	--minify --legal-comments=none --log-level=warning --banner:js='(()=>{' --footer:js='return agent})()'

# The script that carries dialogs over the debugger. The supervisor completes it, and names its variables: they stay.
BRIDGE = $(GOTOOL) esbuild ui/page/src/bridge.ts --bundle --format=esm --target=chrome120 \
	--minify-whitespace --legal-comments=none --log-level=warning

# The script that reports what a person does in a page.
RECORDER = $(GOTOOL) esbuild ui/page/src/record.ts --bundle --format=iife --target=chrome120 --minify --legal-comments=none --log-level=warning

# The script that reads and writes the storage of an origin: an expression, as the first.
STORAGE = $(GOTOOL) esbuild ui/page/src/storage.ts --bundle --format=iife --global-name=storage --target=chrome120 \
	--minify --legal-comments=none --log-level=warning --banner:js='(()=>{' --footer:js='return storage})()'

# The script that reads React's data in pages: an expression, as the first.
REACT = $(GOTOOL) esbuild ui/page/src/react/index.ts --bundle --format=iife --global-name=react --target=chrome120 \
	--minify --legal-comments=none --log-level=warning --banner:js='(()=>{' --footer:js='return react})()'

# The clock that code sets for pages: an expression, as the first, which yields a function.
CLOCK = $(GOTOOL) esbuild ui/page/src/clock.ts --bundle --format=iife --global-name=clock --target=chrome120 \
	--minify --legal-comments=none --log-level=warning --banner:js='(()=>{' --footer:js='return clock.clockOf})()'

# The video encoder of recordings: an expression that yields the object of its functions.
ENCODER = $(GOTOOL) esbuild ui/video/encoder.ts --bundle --format=iife --global-name=encoder --target=chrome120 \
	--minify --legal-comments=none --log-level=warning --banner:js='(()=>{' --footer:js='return encoder})()'

# What the code of `usher run` has in scope, for the script engine: an expression that yields the function which makes it.
FACADE = $(GOTOOL) esbuild ui/script/src/main.ts --bundle --format=iife --global-name=facade --target=es2023 \
	--legal-comments=none --log-level=warning --banner:js='(()=>{' --footer:js='return facade.globals})()'

# The scripts of the browser extension. Not minified: users may read what they install.
EXTENSION = $(GOTOOL) esbuild $(EXTENSION_SCRIPTS:%=extension/src/%.ts) --bundle --format=iife --target=chrome125 --legal-comments=none \
	--log-level=warning

generate:
	$(BUNDLE) --outfile=$(AGENT_JS)
	$(BRIDGE) --outfile=$(BRIDGE_JS)
	$(STORAGE) --outfile=$(STORAGE_JS)
	$(REACT) --outfile=$(REACT_JS)
	$(RECORDER) --outfile=$(RECORDER_JS)
	$(CLOCK) --outfile=$(CLOCK_JS)
	$(ENCODER) --outfile=$(ENCODER_JS)
	$(FACADE) --outfile=$(FACADE_JS)
	$(EXTENSION) --outdir=$(EXTENSION_FILES)
	go generate ./...
	go test ./internal/api -run TestErrorsPage -update
	go test ./internal/toolset/screen -update
	go test ./internal -run TestLinterTable -update

# The accessibility engine of `usher a11y`, from npm: one version, by its hash. Only after a change of AXE; the test of internal/axe has
# the hash of the script.
AXE := 4.14.1
AXE_SHA512 := 1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5

axe:
	mkdir -p .cache/axe && npm pack --silent --pack-destination .cache/axe axe-core@$(AXE)
	echo "$(AXE_SHA512)  .cache/axe/axe-core-$(AXE).tgz" | sha512sum --check --quiet
	tar -xzf .cache/axe/axe-core-$(AXE).tgz -C .cache/axe package/axe.min.js package/LICENSE
	gzip -9 -n < .cache/axe/package/axe.min.js > internal/axe/axe.js.gz
	cp .cache/axe/package/LICENSE internal/axe/LICENSE

test: verify-format verify-vet verify-generated verify-platforms test-page build
	$(BROWSER); \
	started=$$SECONDS; \
	$(GOTOOL) gotestsum --format standard-quiet --rerun-fails=$(RERUNS) --rerun-fails-max-failures=5 --packages=./... -- -timeout 30m; \
	echo "make test: every package passed; the tests took $$((SECONDS - started)) s"

# What of the page scripts needs no page: in Node, without a document of any kind. The rest is tested in Chromium.
test-page:
	@rm -rf .cache/page && $(GOTOOL) esbuild ui/page/test/*.test.ts --bundle --format=esm --platform=node --outdir=.cache/page \
		--out-extension:.js=.mjs --log-level=warning
	node --test --test-reporter=spec .cache/page/*.mjs

verify-format:
	@unformatted="$$(gofmt -l cmd internal demo bench soak release)"; \
	if [ -n "$$unformatted" ]; then echo "gofmt would change these files; run gofmt -w on them:"; echo "$$unformatted"; exit 1; fi

verify-vet:
	go vet ./...
	GOOS=windows go vet ./...

verify-generated:
	@fresh="$$(mktemp)"; trap 'rm -rf "$$fresh"' EXIT; \
	$(BUNDLE) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(AGENT_JS) || { echo "$(AGENT_JS) is not what ui/page/src builds to; run make generate and commit the result"; exit 1; }; \
	$(BRIDGE) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(BRIDGE_JS) || { echo "$(BRIDGE_JS) is not what ui/page/src/bridge.ts builds to; run make generate and commit the result"; exit 1; }; \
	$(STORAGE) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(STORAGE_JS) || { echo "$(STORAGE_JS) is not what ui/page/src/storage.ts builds to; run make generate and commit the result"; exit 1; }; \
	$(REACT) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(REACT_JS) || { echo "$(REACT_JS) is not what ui/page/src/react builds to; run make generate and commit the result"; exit 1; }; \
	$(RECORDER) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(RECORDER_JS) || { echo "$(RECORDER_JS) is not what ui/page/src/record.ts builds to; run make generate and commit the result"; exit 1; }; \
	$(CLOCK) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(CLOCK_JS) || { echo "$(CLOCK_JS) is not what ui/page/src/clock.ts builds to; run make generate and commit the result"; exit 1; }; \
	$(ENCODER) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(ENCODER_JS) || { echo "$(ENCODER_JS) is not what ui/video builds to; run make generate and commit the result"; exit 1; }; \
	$(FACADE) --outfile="$$fresh"; \
	cmp -s "$$fresh" $(FACADE_JS) || { echo "$(FACADE_JS) is not what ui/script builds to; run make generate and commit the result"; exit 1; }; \
	rm "$$fresh"; $(EXTENSION) --outdir="$$fresh"; \
	for script in $(EXTENSION_SCRIPTS); do \
		cmp -s "$$fresh/$$script.js" $(EXTENSION_FILES)/$$script.js || { echo "$(EXTENSION_FILES)/$$script.js is not what extension/src builds to; run make generate and commit the result"; exit 1; }; \
	done

verify-platforms:
	@for platform in $(PLATFORMS); do \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 go build ./... || { echo "does not compile for $$platform"; exit 1; }; \
		echo "compiles for $$platform"; \
	done

# The corpus of the fold: recordings of what real browsers sent in tests, and the courses made of them. Look at the difference before you commit it.
recordings:
	$(BROWSER); go test -count=1 ./internal/supervisor -keep -run "$(RECORDED)"; go test -count=1 ./internal/supervisor/recording -run TestCorpus -update

race:
	$(BROWSER); CGO_ENABLED=1 go test -race -timeout 20m ./...

fuzz:
	@for package in $$(go list $(FUZZED)); do \
		names="$$(go test -list '^Fuzz' $$package)"; \
		for target in $$(grep '^Fuzz' <<< "$$names" || true); do \
			echo "$$package $$target"; \
			run="go test -run ^$$target\$$ -fuzz ^$$target\$$ -fuzztime $(FUZZ) -fuzzminimizetime 10x $$package"; \
			$$run || { echo "once more: the end of the time may count as a failure, an input that fails is kept and fails again"; $$run; }; \
		done; \
	done

# What nothing but tests reaches belongs into tests. internal/cdptest is for them;
# Result, ResultTypes, Types and Queries hand the types of docs/results.md to the tests that make and compare it. The entry of the program
# is called by the kernel.
DEAD_BUT_KNOWN := internal/cdptest/|internal/(command/command|program/results|(local|cli|mcp|toolset)/results).go:.* Result(Types)?$$|internal/session/results/results.go:.* Types$$|internal/session/apps/launched.go:.* ResultTypes$$|internal/tool/query.go:.* Queries$$|internal/cli/fastpath/entry_linux.go:|internal/api/frame/fields.go:.* (Head|Status)$$

deadcode:
	@dead="$$($(GOTOOL) deadcode ./...)"; \
	dead="$$(grep -Ev '$(DEAD_BUT_KNOWN)' <<< "$$dead" || true)"; \
	if [ -n "$$dead" ]; then echo "nothing but tests reaches these; delete them, or move them into tests:"; echo "$$dead"; exit 1; fi

# Compiling the linter takes about two minutes the first time, so it is not part of make test.
lint: lint-types
	$(GOTOOL) golangci-lint run ./...

lint-types: .cache/lint/node_modules/.bin/tsc
	$< --noEmit -p ui/page
	$< --noEmit -p ui/video
	$< --noEmit -p ui/script
	$< --noEmit -p extension
	node tools/clobber.mjs

.cache/lint/node_modules/.bin/tsc: tools/package.json
	mkdir -p .cache/lint && cp tools/package.json .cache/lint/
	cd .cache/lint && npm install --ignore-scripts --no-audit --no-fund --no-package-lock
	touch $@

check: test lint deadcode

# What continuous integration runs. With what the build cache keeps, linters take 6 s, deadcode 12 s and the fuzz targets 21 s; the first
# time about two minutes more. make race is for the night. A browser on a machine that others use, too, may miss a time that a test gives
# it: such a test gets a second try alone. What needed one is in the output under "Failed", and is mended.
ci: RERUNS = 1
ci: check
	$(MAKE) fuzz FUZZ=2s FUZZED="$(PARSERS)"

demo: build
	$(BROWSER); go run ./demo

# The suite needs Node 22, which npm carries as a package, here for Linux on amd64.
conformance:
	mkdir -p .cache/conformance && cp internal/mcp/testdata/conformance.json .cache/conformance/package.json
	cd .cache/conformance && npm install --ignore-scripts --no-audit --no-fund --no-package-lock
	USHER_CONFORMANCE="$$PWD/.cache/conformance/node_modules" go test -count=1 -v -run TestConformance ./internal/mcp

# React in every version and build that the react commands read, bundled with one page. Installed once.
REACTS := 16 17 18 19

react-test:
	@for version in $(REACTS); do \
		dir=.cache/react/$$version; mkdir -p "$$dir"; cp internal/command/react/testdata/app.jsx "$$dir"; \
		[ -d "$$dir/node_modules/react-dom" ] || (cd "$$dir" && npm install --prefix . --ignore-scripts --no-audit --no-fund --no-package-lock react@$$version react-dom@$$version); \
		for build in development production profiling; do \
			root=react-dom/client; env=production; \
			case $$build in development) env=development;; profiling) root=react-dom/profiling;; esac; \
			if [ $$version -lt 18 ]; then [ $$build != profiling ] || continue; echo 'export const createRoot = null' > "$$dir/root.js"; \
			else echo "export { createRoot } from '$$root'" > "$$dir/root.js"; fi; \
			$(GOTOOL) esbuild "$$dir/app.jsx" --bundle --alias:root="./$$dir/root.js" --define:process.env.NODE_ENV="\"$$env\"" --log-level=error \
				$$([ $$env = development ] || echo --minify) --outfile=.cache/react/$$version-$$build.js; \
		done; \
	done
	$(BROWSER); USHER_REACT="$$PWD/.cache/react" go test -count=1 -v -run 'TestReact$$' ./internal/command/react

# The first run compiles nfpm, which takes about a minute.
dist:
	go run ./release

dist-try:
	$(BROWSER); go run ./release -try

bench-mcp: build
	$(BROWSER); go run ./bench/mcp $(BENCH)

# The first run installs Node-RED, TiddlyWiki and Cloud Commander, which takes about a minute and a half.
locators:
	mkdir -p .cache/locators && cp internal/element/testdata/playwright.json .cache/locators/package.json
	cd .cache/locators && npm install --ignore-scripts --no-audit --no-fund --no-package-lock
	$(BROWSER); USHER_PLAYWRIGHT="$$PWD/.cache/locators/node_modules/playwright-core" go test -count=1 -v -run TestPlaywrightLocators ./internal/element $(UPDATE)

bench-agent-tool: build
	$(BROWSER); go run ./bench/agenttool -reference "$(REFERENCE)" $(BENCH)

bench-apps: build
	$(BROWSER); go run ./bench/apps $(BENCH)

# Without BENCH also the figure of agreement with Chromium's accessibility tree with every disagreement, and scripts beside Playwright and Puppeteer.
bench: build
	$(BROWSER); go run ./bench $(BENCH)$(if $(BENCH),,; go run ./internal/view/agreement/cmd; go run ./bench -run)

stealth: build
	$(BROWSER); go run ./bench/stealth $(STEALTH)

diff: build
	$(BROWSER); go run ./bench/diff $(DIFF)

snippets: build
	$(BROWSER); go run ./bench/snippets $(SNIPPETS)

soak: build
	$(BROWSER); go run ./soak -for $(SOAK) $(SOAKFLAGS); \
	go run ./soak -relay -for $(SOAK) $(SOAKFLAGS); \
	go run ./soak -tabs $(TABS); \
	USHER_LONG=1 go test -count=1 -timeout 20m -v -run 'TestFramesComeAndGo|TestModelMemoryIsBounded' ./internal/supervisor/...

chaos:
	$(BROWSER); go run ./soak -chaos -for $(CHAOS) $(SOAKFLAGS)

clean:
	rm -rf bin dist .cache

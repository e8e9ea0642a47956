# What one types. `make help` lists it; the work is done by tools/setup and by CMake's presets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup setup-tests chat-model build demo screenshots test unit asan tsan fuzz doors bench quality lint tidy coverage format install wheel deb clean

PREFIX ?= /usr/local
WEFT_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/weft
export WEFT_CACHE
JOBS := $(or $(WEFT_JOBS),$(shell nproc 2> /dev/null || echo 2))
WEFT_SANITIZERS ?= 1
# What runs behind the release tests: the first decide, the others are only reported.
WEFT_CHECKS ?= asan
WEFT_REPORTS ?= doors tsan
# What is only reported does not begin later than so many minutes after the start.
WEFT_MINUTES ?= 45
started := $(shell date +%s)
WEFT_FUZZ_SECONDS ?= 60

# The first word of each line is a target, the rest says what it does.
help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## bring libraries, llama.cpp and models (once; offline afterwards)
	@tools/setup/setup.sh

setup-tests: ## the same, and what only the tests need
	@tools/setup/setup.sh --tests

chat-model: setup ## bring a local chat model, too (1.1 GB; optional, see docs/growth.md)
	@tools/setup/chat_model.sh

build: ## compile the command to build/weft
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target weft

# The demonstration needs only the engine: it is shown while the rest is still to be compiled.
demo: setup ## build and run the demonstration, then build the rest of the command
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target weft_demonstration
	@build/weft-demo
	@echo "That was build/weft-demo; now the command build/weft, with server and page:"
	@$(MAKE) --no-print-directory build

screenshots: setup-tests build ## take the pictures of the page that the README shows, from the demonstration
	@tests/browser/screenshots.py

# The summary of the release tests is repeated at the end: it is the verdict. What needs real servers and browsers may
# meet a machine that is busy with something else: a test that fails is tried once more, and the log says so.
test: setup-tests ## build and run all tests, then sanitizers and fuzzers (WEFT_SANITIZERS=0 leaves those out)
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS)
	@ctest --test-dir build -j $(JOBS) --output-on-failure --repeat until-pass:2 | tee build/tests.log
ifneq ($(WEFT_SANITIZERS),0)
	@failed=""; for part in $(WEFT_CHECKS) $(WEFT_REPORTS); do \
	   if [ $$(( $$(date +%s) - $(started) )) -gt $$(( $(WEFT_MINUTES) * 60 )) ] && ! echo " $(WEFT_CHECKS) " | grep -q " $$part "; then \
	     echo "$$part: left out, $(WEFT_MINUTES) minutes are over (make $$part runs it)"; continue; fi; \
	   echo "$$part: building and running, see build/$$part.log"; \
	   if $(MAKE) --no-print-directory $$part > build/$$part.log 2>&1; then echo "$$part: passed"; continue; fi; \
	   echo "$$part: FAILED"; tail -n 60 build/$$part.log; \
	   case " $(WEFT_CHECKS) " in *" $$part "*) failed="$$failed $$part";; esac; \
	 done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }
endif
	@echo; echo "release build, all tests:"; sed -n '/tests passed/,$$p' build/tests.log

unit: ## build and run only the unit tests
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target weft_unit_tests
	@ctest --test-dir build -L unit -j $(JOBS) --output-on-failure

asan: ## unit tests under address and undefined-behaviour sanitizers
	@cmake --preset asan > /dev/null
	@cmake --build build/asan -j $(JOBS) --target weft_unit_tests
	@ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
	 ctest --test-dir build/asan -L unit -j $(JOBS) --output-on-failure

# Kernels with much address randomisation stop this sanitizer of GCC 12 at the start; setarch switches it off.
tsan: ## unit tests under the thread sanitizer
	@cmake --preset tsan > /dev/null
	@cmake --build build/tsan -j $(JOBS) --target weft_unit_tests
	@fixed=""; if setarch -R true 2> /dev/null; then fixed="setarch -R"; fi; \
	 TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/tests/support/tsan.supp" $$fixed ctest --test-dir build/tsan -L unit -j $(JOBS) --output-on-failure

fuzz: ## run each fuzzer for a minute (clang 19)
	@if ! command -v clang++-19 > /dev/null; then echo "fuzz: left out, clang++-19 is missing (apt-get install clang-19 libclang-rt-19-dev)"; \
	 elif ! ls fuzz/*.cpp > /dev/null 2>&1; then echo "fuzz: no fuzzers yet"; \
	 else cmake --preset fuzz -DWEFT_FUZZ_SECONDS=$(WEFT_FUZZ_SECONDS) > /dev/null \
	   && cmake --build build/fuzz -j $(JOBS) \
	   && ctest --test-dir build/fuzz -j $(JOBS) --output-on-failure; fi

# What strangers send first: requests of HTTP, messages of MCP, streams of server-sent events.
doors: ## run the fuzzers of what strangers send first for two minutes each (clang 19)
	@if ! command -v clang++-19 > /dev/null; then echo "doors: left out, clang++-19 is missing (apt-get install clang-19 libclang-rt-19-dev)"; \
	 else cmake --preset fuzz -DWEFT_FUZZ_SECONDS=120 > /dev/null \
	   && cmake --build build/fuzz -j $(JOBS) --target fuzz_http_request fuzz_mcp_message fuzz_sse \
	   && ctest --test-dir build/fuzz -j $(JOBS) -R '^fuzz\.(http_request|mcp_message|sse)$$' --output-on-failure; fi

bench: build ## measure latencies, throughput and memory
	@build/weft bench

quality: build ## measure segmentation and recall on the development data (WEFT_SHARED=folder)
	@tools/quality

sources = $$(git ls-files -co --exclude-standard '*.h' '*.cpp')

lint: ## check formatting, the order of layers, and that requirements are explained
	@if command -v clang-format-19 > /dev/null; then clang-format-19 --dry-run --Werror $(sources); \
	 else echo "lint: clang-format-19 is missing (apt-get install clang-format-19)"; exit 1; fi
	@python3 tools/check_layers.py
	@python3 tools/check_classes.py
	@python3 tools/check_requirements.py

# What TIDY_FILES names, else what has changed since the commit TIDY_SINCE.
TIDY_SINCE ?= HEAD~1
TIDY_FILES ?= $$(git diff --name-only --diff-filter=d $(TIDY_SINCE) -- 'src/*.cpp' 'apps/*.cpp')

tidy: ## look for defects with clang-tidy, in what has changed since TIDY_SINCE (HEAD~1) or in TIDY_FILES
	@cmake --preset release > /dev/null
	@files="$(TIDY_FILES)"; [ -n "$$files" ] || { echo "tidy: nothing has changed since $(TIDY_SINCE)"; exit 0; }; \
	 printf '%s\n' $$files | xargs -P $(JOBS) -n 4 clang-tidy-19 -p build --quiet --extra-arg=-Wno-unknown-warning-option

coverage: ## run the unit tests and tell which lines they reach, in build/coverage/index.html
	@command -v gcovr > /dev/null || { echo "coverage: gcovr is missing (apt-get install gcovr)"; exit 1; }
	@cmake --preset coverage > /dev/null
	@cmake --build build/coverage -j $(JOBS) --target weft_unit_tests
	@find build/coverage -name '*.gcda' -delete
	@ctest --test-dir build/coverage -L unit -j $(JOBS) --output-on-failure
	@gcovr --root . --object-directory build/coverage --filter 'src/' --exclude '.*_test\.cpp' --gcov-ignore-parse-errors \
	       --print-summary --html-details build/coverage/index.html

format: ## format all sources
	@clang-format-19 -i $(sources)

install: build ## install command, library and headers to PREFIX (default /usr/local)
	@cmake --install build --prefix $(PREFIX)

wheel: build setup-tests ## build the Python package with the library inside, into build/wheel
	@cmake --build build -j $(JOBS) --target weft_shared
	@rm -rf build/python && mkdir -p build/python && cp -r packaging/python/. build/python/ && cp -L build/lib/libweft.so build/python/weft/
	@strip --strip-unneeded build/python/weft/libweft.so
	@$(WEFT_CACHE)/venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel build/python
	@ls build/wheel/*.whl

deb: build ## build a Debian package with the command, the library and a systemd unit, into build/
	@cmake --build build -j $(JOBS) --target weft_shared
	@cd build && cpack -G DEB -B . > package.log || { cat package.log; exit 1; }
	@ls build/*.deb

clean: ## remove what was built here (the cache of set-up stays)
	@rm -rf build

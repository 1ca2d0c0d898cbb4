# The house: dependencies, the demo, checking, lint, install.
# Everything that needs a package asks for it first, and then runs make again, so
# that what pkg-config says is read after it is there.

deps_build := gcc g++ make pkg-config libc6-dev libdw-dev libelf-dev libsqlite3-dev \
	libexpat1-dev libcapstone-dev libiberty-dev uthash-dev zlib1g-dev libdeflate-dev \
	libseccomp-dev
deps_test := libcmocka-dev time clang-14 libclang-rt-14-dev libunwind-dev binutils \
	python3-minimal python3 dwz perl sqlite3 xz-utils groff-base libxml2-utils
# Without these some points of make check are skipped.
deps_points := gdb golang-1.19-go llvm-14 lld openmpi-bin libopenmpi-dev mpich libmpich-dev libcap2-bin python3-pandas python3-matplotlib libpython3-dev python3-sympy python3-django meson \
	musl-tools libc6-dev-i386 lib32gcc-12-dev strace zsh fish valgrind faketime qemu-user python3-greenlet python3-venv
# To make share/html/page.html, and to test it in a browser.
deps_page := nodejs chromium chromium-driver esbuild
deps_soak := linux-perf debootstrap libpython3.11-testsuite dpkg-dev tcl tcl-thread cmake \
	libgmock-dev libbenchmark-dev qemu-system-x86 busybox-static cpio kmod sbcl \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	python3-numpy python3-flask python3-pip python3-sphinx python3-pytest \
	python3-lib2to3 mercurial
deps_zoo = $(sort $(shell sed -n 's/^\# packages: //p' tests/zoo/*))
deps_lint := cppcheck clang-tidy-14 clang-format-14

again = +$(Q)$(MAKE) --no-print-directory
# How many compilers and tests run at the same time, unless make was given a number with -j.
JOBS ?= $(shell nproc)
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
get = $(Q)share/install-packages

.PHONY: help deps deps-build deps-test deps-soak deps-zoo deps-lint
help:
	@sed 's/^ *//' share/make-help.txt

deps-build:
	$(get) $(deps_build)

deps-test:
	$(get) $(deps_build) $(deps_test)
	$(get) --optional $(deps_points)
	$(get) --optional $(deps_page)
	$(get) --optional $(deps_lint)

deps-soak: deps-test
	$(get) $(deps_soak)

deps-lint:
	$(get) $(deps_build) $(deps_test) $(deps_lint)

# Each by itself: one that cannot be had is skipped.
deps-zoo: deps-test
	$(Q)for package in $(deps_zoo); do share/install-packages --optional $$package; done

deps: deps-test

# ---- the page of hpcprof html -------------------------------------------------
# It is checked in: building the rest needs no tool for JavaScript.
.PHONY: page
page:
	$(get) $(filter esbuild,$(deps_page))
	$(call say,PAGE,share/html/page.html)share/html/build

# ---- the demo -----------------------------------------------------------------
.PHONY: demo run-demo demo-faster
demo: deps-build
	$(again) $(jobs) all $(BUILD)/demo/concordance
	$(again) run-demo

$(BUILD)/demo/concordance: share/demo/concordance.cc
	$(call say,CXX,$@)mkdir -p $(@D) && $(CXX) -std=c++17 -O2 -g -Wall -Wextra -pthread -o $@ $<

run-demo: all $(BUILD)/demo/concordance
	$(Q)share/demo/run $(BIN) $(BUILD)/demo

demo-faster: deps-build
	$(again) $(jobs) all
	$(Q)CC= share/demo/faster $(BIN) $(BUILD)/demo

# ---- checking -----------------------------------------------------------------
# The parts are in tests/tests.mk.
.PHONY: check soak bench
check: deps-test
	$(again) $(jobs) build-check
	$(again) check-parts

soak: deps-soak deps-zoo
	$(again) $(jobs) build-soak
	$(again) soak-parts

bench: deps-soak
	$(again) $(jobs) build-soak
	$(again) bench-parts

# ---- lint ---------------------------------------------------------------------
# Only of this CPU: the others' ports need their own headers.
# Not those of MPI and of Python, whose headers only their own compilers or programs find.
lint_c = $(filter-out $(filter-out runtime/cpu/$(CPU)/%,$(wildcard runtime/cpu/*/*.c)) tests/data/mpi/% tests/python/%,\
	$(shell git ls-files '*.c'))
lint_all = $(shell git ls-files '*.c' '*.h' '*.cc')

.PHONY: lint run-lint lint-format lint-tidy lint-cppcheck check-lint
lint: deps-lint
	$(again) $(jobs) run-lint

run-lint: lint-format lint-cppcheck lint-tidy

lint-format:
	$(call say,FORMAT,.)clang-format-14 --dry-run --Werror $(lint_all)

.PHONY: format
format:
	$(Q)clang-format-14 -i $(lint_all)

lint-cppcheck:
	$(call say,CPPCHECK,.)test -z '$(strip $(lint_c))' || cppcheck --quiet --std=c11 --language=c -I. --inline-suppr \
		--enable=warning,portability --error-exitcode=1 -DHPC_VERSION='"x"' -D__x86_64__ \
		--suppressions-list=share/cppcheck.txt $(lint_c)

# Of `make check`: the files that differ from the upstream branch, or from the last commit's parent;
# LINT_MOST of them at most, as clang-tidy takes seconds for each.
LINT_MOST ?= 40
lint_base = $(shell base=$$(git merge-base HEAD '@{upstream}' 2>/dev/null); \
	[ "$$base" != "$$(git rev-parse HEAD)" ] || base=; echo $${base:-HEAD~1})
lint_differ = $(filter $(lint_c),$(shell git diff --name-only --diff-filter=d $(lint_base) -- '*.c' 2>/dev/null))
lint_missing = $(strip $(foreach tool,clang-format-14 clang-tidy-14 cppcheck,$(if $(shell command -v $(tool)),,$(tool))))
check-lint:
	+$(Q)$(if $(lint_missing),echo 'check-lint: skipped: not installed: $(lint_missing)',echo \
		'lint: $(words $(wordlist 1,$(LINT_MOST),$(lint_differ))) of $(words $(lint_differ)) files that differ from $(lint_base)' && \
		$(MAKE) --no-print-directory -k $(jobs) run-lint lint_c='$(wordlist 1,$(LINT_MOST),$(lint_differ))')

# One file a job. Its rules need git, which building does not.
ifneq ($(filter run-lint lint-tidy tidy/%,$(MAKECMDGOALS)),)
.PHONY: $(addprefix tidy/,$(lint_c))
lint-tidy: $(addprefix tidy/,$(lint_c))
$(addprefix tidy/,$(lint_c)): tidy/%:
	$(call say,TIDY,$*)clang-tidy-14 --quiet $* -- $(filter-out -MMD -MP,$(BASE)) 2>/dev/null
endif

# ---- install ------------------------------------------------------------------
root := $(DESTDIR)$(PREFIX)
man_pages := $(wildcard share/man/*.[1-8])
# What hpcprof reads while it runs: style sheets, DTDs, SQL.
share_data := $(wildcard share/hpcprof/*)

# A shell looks for completion by the name of the program, under PREFIX/share. For /usr, Debian's zsh
# has a folder of its own for what is not zsh's.
zsh_folder = zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
completion_files = $(foreach program,hpcrun hpcprof,bash-completion/completions/$(program) \
	fish/vendor_completions.d/$(program).fish) $(zsh_folder)/_hpcrun
completion_source = share/completion/hpcrun.$(firstword $(subst -, ,$(subst /, ,$(1))))

.PHONY: install uninstall
install: all
	$(Q)install -d $(root)/bin $(root)/lib/pkgconfig $(root)/include $(root)/share/hpcprof $(root)/share/gdb
	$(Q)install -m 755 $(BIN)/hpcrun $(BIN)/hpcrun-mark $(BIN)/hpcprof $(root)/bin
	$(Q)install -m 755 $(LIB)/libhpcrun.so $(marks_so) $(plugins) $(attach) $(LIB)/hpcprof_sqlite.so $(root)/lib
	$(Q)install -m 644 $(LIB)/libhpcrun.a $(root)/lib
	$(Q)install -m 644 runtime/hpcrun.h runtime/hpcrun_driver.h runtime/hpcrun.f90 $(root)/include
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' share/hpcrun.pc >$(root)/lib/pkgconfig/hpcrun.pc
	$(Q)install -m 644 share/gdb/hpcrun.py $(root)/share/gdb
	$(Q)install -D -m 644 runtime/hpcrun.py $(root)/share/hpcrun/hpcrun.py
	$(Q)sed 's|^/.*/|$(PREFIX)/lib/|' $(LIB)/libhpcrun.link >$(root)/lib/libhpcrun.link
	$(Q)for page in $(man_pages); do \
		install -D -m 644 $$page $(root)/share/man/man$${page##*.}/$${page##*/} || exit 1; done
	$(Q)$(foreach file,$(completion_files),install -D -m 644 $(call completion_source,$(file)) $(root)/share/$(file) &&) true
	$(Q)for file in $(share_data); do install -m 644 $$file $(root)/share/hpcprof || exit 1; done

uninstall:
	$(Q)rm -f $(addprefix $(root)/bin/,hpcrun hpcrun-mark hpcprof) $(addprefix $(root)/lib/libhpcrun,.so -marks.so .a .link) $(addprefix $(root)/lib/,$(notdir $(plugins) $(attach))) $(root)/lib/hpcprof_sqlite.so
	$(Q)rm -f $(addprefix $(root)/include/hpcrun,.h _driver.h .f90) $(root)/lib/pkgconfig/hpcrun.pc $(root)/share/gdb/hpcrun.py
	$(Q)for page in $(man_pages); do rm -f $(root)/share/man/man$${page##*.}/$${page##*/}; done
	$(Q)rm -f $(addprefix $(root)/share/,$(completion_files))
	$(Q)rm -rf $(root)/share/hpcprof $(root)/share/hpcrun

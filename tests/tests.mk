# Tests: unit (cmocka, TAP), end to end (shell, TAP), soak, bench, fuzz.
#
#     check-unit [only=NAME]    tests/unit/NAME.c; all of them without only
#     check-e2e [only=NAME]     tests/e2e/NAME.t
#     check-runtime             the unit tests of the runtime
#     check-sanitize            the offline unit tests with ASan and UBSan
#     check-fuzz                each fuzz target for FUZZ_CHECK_SECONDS
#
# `make check` runs all but the first; JOBS processes at a time, or one more, where other work does
# no harm.
#
#     fuzz                      each fuzz target for FUZZ_SECONDS
#     soak-NAME                 tests/soak/NAME-*.t (soak-parts: all of tests/soak), with the
#                               figures that they print
#     bench-parts               tests/bench/*.sh
#
# A unit test named runtime_* is linked with the runtime's own objects, any other
# with the offline library. UNIT_LDFLAGS_NAME adds to the link of unit test NAME,
# PROGRAM_FLAGS_NAME to the build of test program NAME; NAME_plugin is built as a
# shared object. A fuzz target in fuzz_cpu is linked with runtime/cpu alone.
# All tests get BUILD, absolute, in the environment.

# No test leaves compiled Python beside its source.
export PYTHONDONTWRITEBYTECODE = 1

only ?= *
unit_names := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
ifeq ($(filter x86_64,$(CPU)),)
unit_names := $(filter-out runtime_insn,$(unit_names))
endif
unit_runtime := $(filter runtime_%,$(unit_names))
unit_offline := $(filter-out runtime_%,$(unit_names))
# Those that measure how much time readers take.
unit_linear := $(filter linear_%,$(unit_names))
unit_dir := $(BUILD)/unit
unit_bin := $(unit_names:%=$(unit_dir)/%)

# tests/lib/builders/mk*.c are commands, the rest of it is linked to the tests.
testlib_c := $(filter-out tests/lib/builders/mk%.c,$(call sources,tests/lib))
testtools := $(patsubst tests/lib/builders/%.c,$(BUILD)/programs/%,$(wildcard tests/lib/builders/mk*.c))
reader_c := $(call sources,formats reader)

# Fail the N-th allocation: see tests/lib/unit/failing_alloc.h.
wrap_alloc := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
UNIT_LDFLAGS_reader_oom := $(wrap_alloc)
UNIT_LDFLAGS_profile_oom := $(wrap_alloc)
UNIT_LDFLAGS_import := $(wrap_alloc)
UNIT_LDFLAGS_merge_oom := $(wrap_alloc)
UNIT_LDFLAGS_symbolize_oom := $(wrap_alloc)
UNIT_LDFLAGS_reader_bad := $(wrap_alloc)
UNIT_LDFLAGS_regions := $(wrap_alloc)
UNIT_LDFLAGS_interpreter := $(wrap_alloc)
UNIT_LDFLAGS_regular_file := $(wrap_alloc)
UNIT_LDFLAGS_runtime_counter := $(foreach f,is_open read open enable period close,-Wl,--wrap=os_perf_$f)
UNIT_LDFLAGS_runtime_insn := -lcapstone
UNIT_LDFLAGS_base := -Wl,--wrap=pthread_create
# And the N-th operation on files.
UNIT_LDFLAGS_db_failures := $(wrap_alloc) -Wl,--wrap=open,--wrap=openat,--wrap=read,--wrap=write,--wrap=fsync,--wrap=rename

$(LIB)/libtest.a: $(testlib_c:%.c=$(BUILD)/obj/%.o)
	$(call say,AR,$@)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

# What the runtime's unit tests need of the offline half, to read what was written.
$(LIB)/libreader.a: $(reader_c:%.c=$(BUILD)/obj/%.o)
	$(call say,AR,$@)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

$(unit_runtime:%=$(unit_dir)/%): $(unit_dir)/%: $(BUILD)/runtime-obj/tests/unit/%.o $(runtime_o) $(LIB)/libtest.a $(LIB)/libreader.a
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -o $@ $^ $(UNIT_LDFLAGS_$*) -lcmocka -ldl -lm -pthread

$(unit_offline:%=$(unit_dir)/%): $(unit_dir)/%: $(BUILD)/obj/tests/unit/%.o $(LIB)/libtest.a $(LIB)/libhpcoffline.a
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(sanflags) -o $@ $(objects_first) $(UNIT_LDFLAGS_$*) $(OFFLINE_LIBS) -lcmocka

# Of the launcher. What its objects need of an archive is found if they come before it.
objects_first = $(filter %.o,$^) $(filter %.a,$^)
$(unit_dir)/hardening: $(BUILD)/obj/runtime/launcher/hardening.o
$(BUILD)/fuzz/unit/hardening: $(BUILD)/fuzz/obj/runtime/launcher/hardening.o
names_o := runtime/launcher/expand.o runtime/launcher/perf_names.o runtime/launcher/perf_system.o \
	runtime/events/request.o formats/base/nearest.o
$(unit_dir)/perf_names: $(names_o:%=$(BUILD)/obj/%)
$(BUILD)/fuzz/unit/perf_names $(BUILD)/fuzz/fuzz_events: $(names_o:%=$(BUILD)/fuzz/obj/%)

$(testtools): $(BUILD)/programs/%: $(BUILD)/obj/tests/lib/builders/%.o $(LIB)/libtest.a $(LIB)/libhpcoffline.a
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(sanflags) -o $@ $^ $(OFFLINE_LIBS)

# ---- programs to measure ------------------------------------------------------
PROGRAM_FLAGS_threads8 := -fopenmp
PROGRAM_FLAGS_recursion := -O1 -fno-optimize-sibling-calls
PROGRAM_FLAGS_blame := -fno-optimize-sibling-calls
PROGRAM_FLAGS_regions := -I.
PROGRAM_FLAGS_labels := -I.
PROGRAM_FLAGS_passes := -I.
PROGRAM_FLAGS_control := -I.
PROGRAM_FLAGS_attached := -I.
PROGRAM_FLAGS_detached := -I.
PROGRAM_FLAGS_otel := -I. -DOTEL_OWN -rdynamic
PROGRAM_FLAGS_upcalls := -I.
program_c := $(patsubst tests/programs/%.c,$(BUILD)/programs/%,$(wildcard tests/programs/*.c))
program_cc := $(patsubst tests/programs/%.cc,$(BUILD)/programs/%,$(wildcard tests/programs/*.cc))
program_flags = -D_GNU_SOURCE -O2 -g -Wall -Wextra -pthread -MMD -MP $(if $(filter %_plugin,$*),-shared -fPIC) \
	$(PROGRAM_FLAGS_$*)

$(program_c): $(BUILD)/programs/%: tests/programs/%.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(program_flags) -o $@ $< -ldl -lm

$(program_cc): $(BUILD)/programs/%: tests/programs/%.cc
	$(call say,CXX,$@)mkdir -p $(@D) && $(CXX) -std=c++17 $(program_flags) -o $@ $< -ldl

.PHONY: programs
programs: $(program_c) $(program_cc) $(testtools)

# ---- the oracle: a test build of the library that walks samples twice --------------
# Laid out as bin and lib, since the launcher takes the library beside it.
oracle_o := $(patsubst %.c,$(BUILD)/runtime-obj/%.o,$(wildcard tests/oracle/*.c))
.PHONY: oracle
oracle: $(BUILD)/oracle/lib/libhpcrun.so $(BUILD)/oracle/bin/hpcrun

$(BUILD)/oracle/lib/libhpcrun.so: $(runtime_o) $(oracle_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(RUNTIME_LDFLAGS) \
		-Wl,--wrap=csprof_unwind_context -Wl,--wrap=csprof_process_before_main -o $@ $^

# A test build whose handler faults, or is late.
faulty_o := $(patsubst %.c,$(BUILD)/runtime-obj/%.o,$(wildcard tests/faulty/*.c))
.PHONY: faulty
faulty: $(BUILD)/faulty/lib/libhpcrun.so $(BUILD)/faulty/bin/hpcrun

$(BUILD)/faulty/lib/libhpcrun.so: $(runtime_o) $(faulty_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(RUNTIME_LDFLAGS) \
		-Wl,--wrap=csprof_unwind_context -Wl,--wrap=csprof_process_before_main \
		-Wl,--wrap=csprof_pace_armed -o $@ $^

# A test build that takes samples at every instruction.
stepping_o := $(patsubst %.c,$(BUILD)/runtime-obj/%.o,$(wildcard tests/stepping/*.c))
.PHONY: stepping
stepping: $(if $(marks_so),$(BUILD)/stepping/lib/libhpcrun.so $(BUILD)/stepping/bin/hpcrun)

$(BUILD)/stepping/lib/libhpcrun.so: $(marks_o) $(stepping_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(RUNTIME_LDFLAGS) \
		$(foreach f,may must_stay resolve drop give_up,-Wl,--wrap=csprof_marks_$f) \
		-Wl,--wrap=csprof_memo_begin -o $@ $^ && cp $@ $(@D)/libhpcrun-marks.so

$(BUILD)/oracle/bin/hpcrun $(BUILD)/faulty/bin/hpcrun $(BUILD)/stepping/bin/hpcrun: $(BIN)/hpcrun
	$(Q)mkdir -p $(@D) && cp $< $@

# ---- running ------------------------------------------------------------------
# Every test has an end, whatever it does: prove counts the timeout as a failure. Those of whole
# tools are kept apart from the machine, too.
UNIT_TIMEOUT ?= 120
LINEAR_TIMEOUT ?= 600
E2E_TIMEOUT ?= 900
SOAK_TIMEOUT ?= 7200
apart := tests/lib/shell/isolated
# $(call prove,command,jobs,tests,options): run them by it, or say that there are none.
prove = $(if $(strip $(3)),BUILD='$(abspath $(BUILD))' CMOCKA_MESSAGE_OUTPUT=TAP TAP_DATA='$(abspath tests/data)' \
	prove --timer --failures $(4) -j$(2) -e '$(1)' $(3),echo '$@: no tests')

# Tests of whole tools that need a CPU of their own: they are run side by side, JOBS at a time, in an
# order in which they end at about the same time, and blame is not beside threads, which needs two.
e2e_paired := threads kernel truth top blame marked conservation several-events two-walks events
# Those that measure no time, and those that hold beside other work. The longest come first.
e2e_beside := page outputs db thread-sanitizer frames realtime xml diff-page page-values living diff control \
	eintr stacks activations programs values regions static zoo following ordinary-user faulting \
	users labels otel attach detach hpcrun-mark python python-frames python-programs confined remembered killed upcalls many-sources values-programs sanitizers replaced \
	html recover stress statistics packed transfers export hpcrun db-query db-hostile epochs db-outside locks \
	hpcprof-text choose db-questions special-files sandbox clean json import unseen mpi manners signal-safety perf-events views \
	places completion sources own-metrics io mpi-driver drivers merge hpcprof-cli arrows cannot house signal-queue churn \
	names page-bundle growth dump
# Many of them wait: one more at a time than JOBS, unless JOBS is 1.
beside_jobs = $(if $(filter 1,$(JOBS)),1,$(shell expr $(JOBS) + 1))
e2e_chosen := $(wildcard tests/e2e/$(only).t)
e2e_rest := $(filter $(e2e_chosen),$(e2e_beside:%=tests/e2e/%.t))
e2e_pairs := $(filter $(e2e_chosen),$(e2e_paired:%=tests/e2e/%.t))
# They come first: the cost of sampling, which is measured once, is then that of a quiet machine.
e2e_alone := $(filter-out $(e2e_rest) $(e2e_pairs),$(e2e_chosen))

.PHONY: build-check build-sanitize build-unit-offline build-soak build-fuzz check-parts check-unit \
	check-runtime check-linear check-e2e check-sanitize check-fuzz fuzz-parts
build-soak: all programs oracle faulty stepping
build-check: build-soak build-sanitize build-fuzz $(unit_runtime:%=$(unit_dir)/%) $(unit_linear:%=$(unit_dir)/%)
build-unit-offline: $(unit_offline:%=$(unit_dir)/%)

check-parts: build-check
	+$(Q)BUILD='$(BUILD)' tests/lib/shell/left-behind before $(BUILD)/before; \
	failed=; for part in lint runtime linear sanitize e2e fuzz; do \
		echo "== check-$$part"; \
		$(MAKE) --no-print-directory check-$$part || failed="$$failed check-$$part"; done; \
	BUILD='$(BUILD)' tests/lib/shell/left-behind after $(BUILD)/before || failed="$$failed left-behind"; \
	if [ -n "$$failed" ]; then echo "FAILED:$$failed"; exit 1; fi; echo 'all checks passed'

check-unit: $(unit_bin) programs
	$(Q)$(call prove,timeout -k 10 $(UNIT_TIMEOUT),$(JOBS),$(filter $(unit_dir)/$(subst *,%,$(only)),$(unit_bin)))

check-runtime: $(unit_runtime:%=$(unit_dir)/%) programs
	$(Q)$(call prove,timeout -k 10 $(UNIT_TIMEOUT),$(JOBS),$(unit_runtime:%=$(unit_dir)/%))

check-linear: $(unit_linear:%=$(unit_dir)/%)
	$(Q)$(call prove,timeout -k 10 $(LINEAR_TIMEOUT),$(JOBS),$(unit_linear:%=$(unit_dir)/%))

# They measure a machine that others may use, too, a virtual one at times. A test that fails is run
# again, alone and after all others, and only if it fails again has the check failed: what is wrong
# with us is wrong twice.
e2e_state := $(BUILD)/e2e.prove
e2e_saved = --statefile=$(e2e_state) --state=save
check-e2e: build-soak
	$(Q)failed=0; rm -f $(e2e_state); \
	$(if $(e2e_chosen),,echo '$@: no tests'; )\
	$(if $(e2e_alone),$(call prove,$(apart) $(E2E_TIMEOUT),1,$(e2e_alone),$(e2e_saved)) || failed=1; )\
	$(if $(e2e_pairs),$(call prove,$(apart) $(E2E_TIMEOUT),$(JOBS),$(e2e_pairs),$(e2e_saved)) || failed=1; )\
	$(if $(e2e_rest),$(call prove,$(apart) $(E2E_TIMEOUT),$(beside_jobs),$(e2e_rest),$(e2e_saved)) || failed=1; )\
	[ $$failed = 0 ] || { [ "$$(grep -c seq: $(e2e_state))" = $(words $(e2e_chosen)) ] && \
		echo 'those that failed, again and alone:' && \
		$(call prove,$(apart) $(E2E_TIMEOUT),1,--state=failed$(comma)save,--statefile=$(e2e_state)); }

# ---- sanitizers and fuzzing -----------------------------------------------------
# The offline half, built once with ASan, UBSan and what the fuzzer counts by, is for the fuzz
# targets and for the unit tests. Without that compiler these run without sanitizers.
FUZZ_CC ?= clang-14
have_fuzz := $(shell command -v $(FUZZ_CC))
no_fuzz = echo '$@: skipped: $(FUZZ_CC) is not installed'
FUZZ_CHECK_SECONDS ?= 1
FUZZ_SECONDS ?= 600
fuzz_names := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
ifeq ($(filter x86_64,$(CPU)),)
fuzz_names := $(filter-out fuzz_insn,$(fuzz_names))
endif
fuzz_dir := $(BUILD)/fuzz
fuzz_cpu := fuzz_cfi fuzz_insn
fuzz_offline := $(filter-out $(fuzz_cpu),$(fuzz_names))
fuzz_flags := -O1 -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
fuzz_counting := -fsanitize=fuzzer-no-link
fuzz_unit := $(unit_offline:%=$(fuzz_dir)/unit/%)
# Compiled faster so, and few of the tests' time is theirs; what computes much runs faster otherwise.
$(fuzz_dir)/obj/tests/%.o: fuzz_flags += -O0
# What makes inputs is not searched.
$(fuzz_dir)/obj/tests/lib/%.o: fuzz_counting :=
$(fuzz_dir)/obj/tests/lib/builders/%.o: fuzz_flags += -O1
$(patsubst %.c,$(fuzz_dir)/obj/%.o,$(filter runtime/% hpcprof/views/% hpcprof/export/% \
	hpcprof/command% hpcprof/complete/% hpcprof/terminal/%,$(offline_c))): fuzz_flags += -O0
$(patsubst %,$(fuzz_dir)/obj/tests/%.o,lib/unit/fake_code unit/merge unit/statistics): fuzz_flags += -O1

$(fuzz_dir)/obj/%.o: %.c
	$(call say,CC,$@)mkdir -p $(@D) && $(FUZZ_CC) $(BASE) -pthread $(fuzz_counting) $(fuzz_flags) \
		$(deps_cflags) $(CFLAGS) -c -o $@ $<

$(fuzz_dir)/libtest.a: $(testlib_c:%.c=$(fuzz_dir)/obj/%.o)
	$(call say,AR,$@)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

$(fuzz_dir)/libhpcoffline.a: $(offline_c:%.c=$(fuzz_dir)/obj/%.o)
	$(call say,AR,$@)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

$(fuzz_dir)/libcpu.a: $(patsubst %.c,$(fuzz_dir)/obj/%.o,$(cpu_c)) $(runtime_s:%.S=$(BUILD)/runtime-obj/%.o)
	$(call say,AR,$@)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

$(fuzz_unit): $(fuzz_dir)/unit/%: $(fuzz_dir)/obj/tests/unit/%.o $(fuzz_dir)/libtest.a $(fuzz_dir)/libhpcoffline.a
	$(call say,LD,$@)mkdir -p $(@D) && $(FUZZ_CC) $(fuzz_flags) -o $@ $(objects_first) $(UNIT_LDFLAGS_$*) $(OFFLINE_LIBS) -lcmocka

# Each is called by tests/fuzz/limits.c.
fuzz_limits := $(fuzz_dir)/obj/tests/fuzz/limits.o
$(fuzz_dir)/obj/tests/fuzz/fuzz_%.o: fuzz_flags += -DLLVMFuzzerTestOneInput=limits_target
$(fuzz_offline:%=$(fuzz_dir)/%): $(fuzz_dir)/%: $(fuzz_dir)/obj/tests/fuzz/%.o $(fuzz_limits) $(fuzz_dir)/libtest.a $(fuzz_dir)/libhpcoffline.a
	$(call say,LD,$@)$(FUZZ_CC) -fsanitize=fuzzer $(fuzz_flags) $(FUZZ_LDFLAGS) -o $@ $^ $(OFFLINE_LIBS)

$(fuzz_cpu:%=$(fuzz_dir)/%): $(fuzz_dir)/%: $(fuzz_dir)/obj/tests/fuzz/%.o $(fuzz_limits) $(fuzz_dir)/libcpu.a
	$(call say,LD,$@)$(FUZZ_CC) -fsanitize=fuzzer $(fuzz_flags) -o $@ $^ -lm

# Seeds of fuzz_NAME stand in tests/fuzz/seeds/fuzz_NAME, if anywhere; those of the reader
# and of stores are all that the builders of datafiles and stores can make and a merged file, those of
# text the same as of the reader, those of XML what hpcprof writes of some of them. tests/fuzz/words has
# what stands in inputs that are text. tests/data/corpus has inputs that earlier runs have found, a line
# each (tests/lib/check/corpus.py).
$(fuzz_dir)/seeds/made: $(BUILD)/programs/mkcsp $(BUILD)/programs/mkstore $(BIN)/hpcprof $(wildcard tests/data/corpus/*)
	$(call say,SEEDS,$@)mkdir -p $(@D)/fuzz_reader $(@D)/fuzz_store $(@D)/fuzz_xml && \
		$< --seeds $(@D)/fuzz_reader && $(BUILD)/programs/mkstore --seeds $(@D)/fuzz_store && \
		$(BIN)/hpcprof merge -q -o $(@D)/fuzz_reader/merged.csp $(@D)/fuzz_reader/seed-00.csp \
			$(@D)/fuzz_reader/seed-11.csp && \
		for n in 00 11 32; do for view in xml 'xml --callpath'; do \
			$(BIN)/hpcprof $$view -q -o "$(@D)/fuzz_xml/$$n-$${view#* --}" \
				$(@D)/fuzz_reader/seed-$$n.csp || exit 1; done; done && \
		rm -rf $(@D)/fuzz_text && cp -r $(@D)/fuzz_reader $(@D)/fuzz_text && \
		for kept in tests/data/corpus/*; do \
			python3 tests/lib/check/corpus.py unpack $$kept $(@D)/$${kept##*/} || exit 1; done && touch $@

# Each target for $(seconds); what it finds is in findings/. -timeout: no input may take a minute,
# which is long because it is wall-clock time. A target with findings ends with a status. Two jobs
# of make at a time print one after the other.
.PHONY: $(fuzz_names:%=run-%)
$(fuzz_names:%=run-%): run-%: $(fuzz_dir)/% $(fuzz_dir)/seeds/made
	$(Q)echo "fuzz: $* for $(seconds) s"; mkdir -p $(fuzz_dir)/corpus/$* $(fuzz_dir)/findings; \
	$(fuzz_dir)/$* -max_total_time=$(seconds) -timeout=60 $(options) -rss_limit_mb=2048 -max_len=16384 \
		-verbosity=0 -print_final_stats=1 -artifact_prefix=$(fuzz_dir)/findings/$*- \
		$(addprefix -dict=,$(wildcard tests/fuzz/words/$*)) \
		$(fuzz_dir)/corpus/$* $$(ls -d $(fuzz_dir)/seeds/$* tests/fuzz/seeds/$* 2>/dev/null)

sanitize_unit := $(if $(have_fuzz),$(fuzz_unit),$(unit_offline:%=$(unit_dir)/%))
build-sanitize: $(sanitize_unit)
check-sanitize: build-sanitize
	$(Q)$(if $(have_fuzz),,echo '$@: without sanitizers: $(FUZZ_CC) is not installed';) \
		$(call prove,timeout -k 10 $(UNIT_TIMEOUT),$(JOBS),$(sanitize_unit))

build-fuzz: $(if $(have_fuzz),$(fuzz_names:%=$(fuzz_dir)/%) $(fuzz_dir)/seeds/made)
run_fuzz = +$(Q)$(if $(have_fuzz),$(MAKE) --no-print-directory -k $(jobs) -Otarget \
	$(fuzz_names:%=run-%) seconds=$(1) options='$(2)',$(no_fuzz))
# The same inputs each time: the check is for what was changed, chance is for `make fuzz`.
check-fuzz:
	$(call run_fuzz,$(FUZZ_CHECK_SECONDS),-seed=1)
fuzz-parts:
	$(call run_fuzz,$(FUZZ_SECONDS))
fuzz: deps-test
	+$(Q)$(MAKE) --no-print-directory fuzz-parts

# ---- soak and bench -----------------------------------------------------------
.PHONY: soak-parts bench-parts
soak-parts: build-soak
	$(Q)$(call prove,$(apart) $(SOAK_TIMEOUT),1,$(wildcard tests/soak/*.t),-v)

soak-sound soak-events: deps-zoo
soak-%: deps-soak
	$(again) $(jobs) build-soak
	$(Q)$(call prove,$(apart) $(SOAK_TIMEOUT),1,$(wildcard tests/soak/$*-*.t tests/soak/$*.t),-v)

# Tables to read: a number is never a failure, a broken script is told.
bench-parts: build-soak
	$(Q)for script in $(wildcard tests/bench/*.sh); do echo "== $$script"; \
		BUILD='$(abspath $(BUILD))' $$script || echo "$$script: status $$?"; done
bench-%: deps-soak
	$(again) $(jobs) build-soak
	$(Q)BUILD='$(abspath $(BUILD))' tests/bench/$*.sh

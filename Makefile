# make          build everything          make check    all tests
# make demo     measure a real program    make help     what else there is
# V=1 shows the commands, DEBUG=1 builds without optimisation, ASAN=1 / UBSAN=1 /
# TSAN=1 build the offline half with a sanitizer, each in a folder of its own.

.SUFFIXES:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
VERSION := 1.0

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
CXX ?= g++
ifeq ($(origin CXX),default)
CXX := g++
endif
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
PKG_CONFIG ?= pkg-config
PREFIX ?= /usr/local
DESTDIR ?=
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(patsubst $(BUILD)/%,%,$(2))';)

SANITIZE := $(strip $(if $(filter 1,$(ASAN)),address) $(if $(filter 1,$(UBSAN)),undefined) $(if $(filter 1,$(TSAN)),thread))
comma := ,
empty :=
space := $(empty) $(empty)
sanflags := $(if $(SANITIZE),-fsanitize=$(subst $(space),$(comma),$(SANITIZE)) -fno-omit-frame-pointer -fno-sanitize-recover=all)
BUILD ?= build$(if $(SANITIZE),/$(subst $(space),-,$(SANITIZE)))$(if $(filter 1,$(DEBUG)),/debug)

# $(call sources,FOLDER...): the C files below these, in one order everywhere.
sources = $(sort $(shell find $(1) -name '*.c'))

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings -Wundef
# With a sanitizer -O1, which is built in half the time and runs no slower.
OPT := $(if $(filter 1,$(DEBUG)),-O0 -g3,$(if $(SANITIZE),-O1 -g,-O2 -g))
BASE := -std=gnu11 -D_GNU_SOURCE -I. -DHPC_VERSION='"$(VERSION)"' -MMD -MP $(OPT) $(WARN)

BIN := $(BUILD)/bin
LIB := $(BUILD)/lib

# ---- the runtime: the preloaded library and the launcher ----------------------
# Compiled apart from the offline half: nothing in it may call out unawares.
safe_formats := formats/encode.c formats/identity/label_list.c formats/identity/otel.c formats/store/store.c formats/store/survey.c
# One of the CPUs in runtime/cpu, by the compiler's target.
CPU := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
cpu_c := $(wildcard runtime/cpu/*.c runtime/cpu/$(CPU)/*.c)
# Only in the library with which return addresses are marked, on CPUs that have what it needs.
marks_only := $(wildcard runtime/cpu/$(CPU)/marks/*.[cS]) runtime/interception/intercept_unwind.c
runtime_c := $(filter-out runtime/cpu/% runtime/launcher/% runtime/mark/% runtime/static/% runtime/plugins/% runtime/attach/% $(marks_only),$(call sources,runtime)) $(cpu_c) $(safe_formats)
runtime_s := $(wildcard runtime/cpu/$(CPU)/*.S)
# No frame of ours has a personality routine: the library needs libc alone.
RUNTIME_CFLAGS := $(BASE) -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-exceptions -fasynchronous-unwind-tables -fno-stack-protector -fno-plt $(CFLAGS)
# Bsymbolic: a wrapper that calls another one calls ours also where other modules do not find it.
# initfirst: our constructor runs before those of the program's libraries.
RUNTIME_LDFLAGS := -Wl,--sort-section=name -Wl,-z,noseparate-code -Wl,-z,initfirst -Wl,-z,now -Wl,-z,relro -Wl,--no-undefined -Wl,-Bsymbolic-functions -Wl,-soname,libhpcrun.so
runtime_o := $(runtime_c:%.c=$(BUILD)/runtime-obj/%.o) $(runtime_s:%.S=$(BUILD)/runtime-obj/%.o)
marks_o := $(filter-out %/no_slots.o,$(runtime_o)) $(patsubst %,$(BUILD)/runtime-obj/%.o,$(basename $(marks_only)))
marks_so := $(if $(wildcard runtime/cpu/$(CPU)/marks),$(LIB)/libhpcrun-marks.so)

# Loads the library into running programs; only for the CPU whose registers it knows.
attach := $(if $(filter x86_64,$(CPU)),$(LIB)/hpcrun-attach)

# Loaded with the program besides, when they are asked for.
plugins := $(LIB)/libhpcrun-unsafe-calls.so $(LIB)/libhpcrun-io.so $(LIB)/libhpcrun-mpi.so

launch_c := $(call sources,runtime/launcher formats) runtime/events/request.c
launch_o := $(launch_c:%.c=$(BUILD)/obj/%.o)
# Of the launcher it has what it needs.
mark_o := $(BUILD)/obj/runtime/mark/mark.o $(patsubst %,$(BUILD)/obj/runtime/launcher/%.o,check control labels quote self unmeasured) \
	$(patsubst %.c,$(BUILD)/obj/%.o,$(call sources,formats))

# ---- the offline half ---------------------------------------------------------
deps_pkgs := libdw libelf sqlite3 expat zlib libdeflate libseccomp
# Capstone is loaded when it is needed.
deps_cflags := $(shell $(PKG_CONFIG) --cflags $(deps_pkgs) capstone 2>/dev/null)
offline_c := $(filter-out db/extension.c hpcprof/main.c,$(call sources,formats reader symbolize hpcprof db))
offline_o := $(offline_c:%.c=$(BUILD)/obj/%.o)
# Position-independent, as the extension of SQLite is made of the same objects.
OFFLINE_CFLAGS := $(BASE) -fPIC -fvisibility=hidden -pthread $(sanflags) $(deps_cflags) $(CFLAGS)
OFFLINE_LIBS := $(shell $(PKG_CONFIG) --libs $(deps_pkgs) 2>/dev/null) -liberty -pthread -lm

.PHONY: all
all: $(BIN)/hpcrun $(BIN)/hpcrun-mark $(BIN)/hpcprof $(LIB)/libhpcrun.so $(marks_so) $(plugins) $(LIB)/libhpcrun.a $(LIB)/hpcprof_sqlite.so $(attach)

$(BUILD)/runtime-obj/%.o: %.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(RUNTIME_CFLAGS) -c -o $@ $<

# The compiler must not make calls of memcpy out of memcpy.
$(BUILD)/runtime-obj/runtime/base/memory.o $(BUILD)/static-obj/runtime/base/memory.o: RUNTIME_CFLAGS += -fno-builtin

$(BUILD)/runtime-obj/%.o: %.S
	$(call say,AS,$@)mkdir -p $(@D) && $(CC) -I. -MMD -MP -g -c -o $@ $<

$(BUILD)/obj/%.o: %.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(OFFLINE_CFLAGS) -c -o $@ $<

# The DTDs are taken in by the assembler, of which no compiler keeps a list.
$(BUILD)/obj/hpcprof/export/xml_dtd.o $(BUILD)/fuzz/obj/hpcprof/export/xml_dtd.o: $(wildcard share/hpcprof/*.dtd)

# And so is the SQL of databases.
$(BUILD)/obj/db/base/sql.o $(BUILD)/extension-obj/db/base/sql.o $(BUILD)/fuzz/obj/db/base/sql.o: $(wildcard share/hpcprof/*.sql)

# And the page of hpcprof html.
$(BUILD)/obj/hpcprof/views/html/template.o $(BUILD)/fuzz/obj/hpcprof/views/html/template.o: share/html/page.html

# What it is linked of is noted: a test looks at all of it.
$(LIB)/libhpcrun.so: $(runtime_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(RUNTIME_LDFLAGS) -o $@ $^ && \
		printf '%s\n' $^ >$(BUILD)/runtime-obj/linked

$(LIB)/libhpcrun-marks.so: $(marks_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(RUNTIME_LDFLAGS) -o $@ $^

plugin_o = $(patsubst %.c,$(BUILD)/plugin-obj/%.o,$(wildcard runtime/plugins/$(1)*.c))
$(LIB)/libhpcrun-unsafe-calls.so: $(call plugin_o,unsafe_calls)
$(LIB)/libhpcrun-io.so: $(call plugin_o,io)
$(LIB)/libhpcrun-mpi.so: $(call plugin_o,mpi)
$(plugins):
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared -Wl,-z,now -Wl,-z,relro -Wl,--no-undefined -o $@ $^

$(BUILD)/plugin-obj/%.o: %.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(BASE) -fPIC -fno-builtin -ftls-model=initial-exec $(CFLAGS) -c -o $@ $<

# The same for static programs, where there is no loader.
loader_c := runtime/sample/own_code.c runtime/sample/unwind_libunwind.c runtime/base/sections.c \
	$(addprefix runtime/interception/,intercept_start.c intercept_attach.c intercept_misc.c replace.c dlopen_path.c) \
	$(addprefix runtime/os/linux/,imports.c next.c)
static_c := $(filter-out $(loader_c),$(runtime_c)) $(call sources,runtime/static)
# What differs by CSPROF_STATIC is compiled again: sources that name it, or a header that does.
static_headers := $(notdir $(shell grep -rl --include='*.h' CSPROF_STATIC runtime formats))
static_differ := $(call sources,runtime/static) $(shell grep -lE \
	'CSPROF_STATIC$(static_headers:%=|include ".*/%")' $(static_c))
static_o := $(patsubst %.c,$(BUILD)/static-obj/%.o,$(filter $(static_differ),$(static_c))) \
	$(patsubst %.c,$(BUILD)/runtime-obj/%.o,$(filter-out $(static_differ),$(static_c))) \
	$(runtime_s:%.S=$(BUILD)/runtime-obj/%.o)

$(BUILD)/static-obj/%.o: %.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(RUNTIME_CFLAGS) -DCSPROF_STATIC -c -o $@ $<

$(LIB)/libhpcrun.a: $(static_o) runtime/static/make-archive
	$(call say,AR,$@)mkdir -p $(@D) && runtime/static/make-archive '$(CC)' '$(OBJCOPY)' $(BUILD)/static-obj \
		$@ $(@:.a=.link) $(static_o)

$(BIN)/hpcrun: $(launch_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(sanflags) -pthread -o $@ $^

$(BIN)/hpcrun-mark: $(mark_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(sanflags) $(if $(SANITIZE),,-static) -pthread -o $@ $^

$(LIB)/libhpcoffline.a: $(offline_o)
	$(call say,AR,$@)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

$(BIN)/hpcprof: $(BUILD)/obj/hpcprof/main.o $(LIB)/libhpcoffline.a
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(sanflags) -o $@ $^ $(OFFLINE_LIBS)

# The extension of SQLite: the offline half as a shared object. db/ is compiled again for it, to
# call SQLite through the table of functions that the host passes.
host_only := $(call sources,db/write hpcprof/views/diff hpcprof/views/html) db/base/csv.c db/query/query.c db/query/rows.c db/query/named_queries.c hpcprof/commands.c \
	hpcprof/command/sandbox.c
extension_c := $(filter-out $(host_only),$(offline_c)) db/extension.c
extension_o := $(patsubst %.c,$(BUILD)/extension-obj/%.o,$(filter db/%,$(extension_c))) \
	$(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out db/%,$(extension_c)))

$(BUILD)/extension-obj/%.o: %.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(OFFLINE_CFLAGS) -DDB_EXTENSION -c -o $@ $<

$(LIB)/hpcprof_sqlite.so: $(extension_o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(sanflags) -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -o $@ $^ \
		$(filter-out -lsqlite3 -lseccomp,$(OFFLINE_LIBS))

attach_c := $(call sources,runtime/attach)
$(LIB)/hpcrun-attach: $(attach_c:%.c=$(BUILD)/obj/%.o)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(sanflags) -o $@ $^ $(shell $(PKG_CONFIG) --libs libdw libelf 2>/dev/null)

.PHONY: clean
clean:
	$(Q)rm -rf build

include tests/tests.mk
include share/house.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

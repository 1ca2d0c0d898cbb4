-- The tables of a profile database. application_id and user_version identify it and its version; a
-- later version may add tables and columns, and changes none. Texts are UTF-8; an invalid byte, and
-- each byte of a control character or of a mark that changes the direction of text, is \xHH, and a
-- backslash before x or another backslash is doubled. Times are nanoseconds; real time counts from
-- 1970. Events and samples are as in the datafile (csprof(5)); every sum is exact.

CREATE TABLE measurement ( -- one run of hpcprof db: all PROFILEs together
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL, -- the PROFILE arguments
	command TEXT, -- of the process that began first
	start_ns INTEGER, -- when it began
	tool TEXT NOT NULL, -- that wrote this
	first_context INTEGER NOT NULL, -- the root of complete call paths; the contexts begin here
	partial_context INTEGER NOT NULL, -- the root of call paths whose outermost frames are missing
	last_context INTEGER NOT NULL, -- and end here
	CHECK (first_context < partial_context AND partial_context <= last_context)
);
CREATE TABLE loss ( -- a problem with a PROFILE
	measurement INTEGER NOT NULL REFERENCES measurement,
	path TEXT NOT NULL,
	message TEXT NOT NULL,
	is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)) -- 0: it was skipped
);
CREATE TABLE process ( -- a program image: there is a datafile of each
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	path TEXT NOT NULL, -- of the datafile
	command TEXT, -- with its arguments
	executable TEXT,
	host TEXT,
	pid INTEGER,
	ppid INTEGER, -- of the parent
	rank INTEGER, -- of a parallel program
	ranks INTEGER, -- number of ranks
	start_ns INTEGER,
	wall_ns INTEGER,
	cpu_ns INTEGER,
	threads INTEGER NOT NULL,
	"end" TEXT, -- how it ended
	tool TEXT, -- what measured it
	unmarked TEXT, -- why its return addresses were not marked, though asked for
	uninterpreted TEXT, -- why the frames of its interpreter were not read
	marks_lost INTEGER NOT NULL, -- threads that gave their marks up
	uncounted INTEGER NOT NULL, -- threads for which an event could not be counted
	tramp_samples INTEGER NOT NULL, -- as in the datafile's header
	has_ended INTEGER NOT NULL CHECK (has_ended IN (0, 1)), -- a thread stands for many that ended
	has_trailer INTEGER NOT NULL CHECK (has_trailer IN (0, 1)),
	outside_ns INTEGER NOT NULL, -- CPU time that measuring took besides cpu_ns; 0: not known
	process_ns INTEGER NOT NULL, -- CPU time of the image's process, also what no thread's clock saw; 0: not known
	waited_ns INTEGER NOT NULL, -- CPU time of the command and all that it waited for, by wait4; 0: another process's
	estimated INTEGER NOT NULL CHECK (estimated IN (0, 1)), -- its numbers of samples are estimates
	flat INTEGER NOT NULL CHECK (flat IN (0, 1)), -- its file has no call paths
	imported INTEGER NOT NULL CHECK (imported IN (0, 1)) -- another profiler wrote its file
);
CREATE TABLE profile ( -- what was recorded separately: a thread, or a file that does not separate threads
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	process INTEGER REFERENCES process, -- NULL: the file has several
	path TEXT NOT NULL, -- of the file
	thread INTEGER, -- in the datafile, from 0; NULL: several
	tid INTEGER,
	name TEXT, -- of the thread
	start_ns INTEGER,
	end_ns INTEGER,
	cpu_ns INTEGER
);
CREATE TABLE thread_group ( -- threads that the same function created, and whose names are alike
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	kind TEXT NOT NULL CHECK (kind IN ('main', 'created', 'ended', 'not known')), -- ended: a row of threads that ended; not known: values not known by thread
	name TEXT NOT NULL, -- with each number as a #
	first_name TEXT NOT NULL, -- of the threads, in alphabetical order
	last_name TEXT NOT NULL,
	creator TEXT, -- the function; NULL: not known
	threads INTEGER NOT NULL -- how many
);
CREATE TABLE metric (
	id INTEGER PRIMARY KEY, -- from 0: 0 and 1 take no space in tables of values
	measurement INTEGER NOT NULL REFERENCES measurement,
	name TEXT NOT NULL,
	unit TEXT NOT NULL, -- of events: ns, bytes, count, or '' if not known
	flags INTEGER NOT NULL, -- as in the datafile
	sampled INTEGER NOT NULL CHECK (sampled IN (0, 1)), -- 0: every event was recorded
	events INTEGER NOT NULL CHECK (events >= 0), -- the total
	samples INTEGER NOT NULL CHECK (samples >= 0), -- the total
	interval INTEGER NOT NULL, -- mean number of events between samples; 0: not known
	position INTEGER NOT NULL, -- in the files
	kernel TEXT, -- whether events in the kernel are included: yes, no, mixed; NULL: not known
	sources TEXT NOT NULL, -- what counted them, separated by ', '
	requested TEXT NOT NULL, -- requested rate or period
	achieved TEXT NOT NULL, -- achieved one
	has_account INTEGER NOT NULL CHECK (has_account IN (0, 1)),
	unaccounted_events INTEGER NOT NULL, -- of files without an account
	unaccounted_samples INTEGER NOT NULL,
	jitter TEXT NOT NULL, -- distribution of intervals around their mean
	cost_ns INTEGER NOT NULL, -- CPU time of measuring; 0: not known
	enabled_ns INTEGER NOT NULL, -- if it shared counters of the CPU by turns: the time for
	running_ns INTEGER NOT NULL -- which it should have counted, and has; else 0
);
CREATE TABLE account ( -- the outcome of all samples
	metric INTEGER NOT NULL REFERENCES metric,
	position INTEGER NOT NULL, -- the first two are in the tree, the others were dropped
	disposition TEXT NOT NULL,
	samples INTEGER NOT NULL CHECK (samples >= 0),
	events INTEGER NOT NULL CHECK (events >= 0),
	PRIMARY KEY (metric, position)
) WITHOUT ROWID;
CREATE TABLE module ( -- a load module
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	name TEXT NOT NULL, -- its path, or [its kind]
	base TEXT NOT NULL, -- the last part of name
	build_id TEXT, -- hexadecimal, or content: and a hash of a file that has none
	assumed INTEGER NOT NULL CHECK (assumed IN (0, 1)), -- its extent was not known: addresses were assumed to be in it
	symbols TEXT NOT NULL, -- source of names: debug information, symbol table, dynamic symbols, none
	stale INTEGER NOT NULL CHECK (stale IN (0, 1)), -- the file found was not the one measured
	note TEXT -- what was missing
);
CREATE TABLE file ( -- a source file
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	name TEXT, -- its path; NULL: code without a known file ...
	module INTEGER REFERENCES module, -- ... of this module
	folder TEXT, -- the path of its folder
	CHECK ((name IS NULL) <> (module IS NULL))
);
CREATE TABLE function (
	id INTEGER PRIMARY KEY,
	module INTEGER NOT NULL REFERENCES module,
	name TEXT NOT NULL, -- demangled
	linkage_name TEXT, -- as in the symbol table; NULL: the same
	file INTEGER REFERENCES file, -- of its declaration
	line INTEGER, -- of its declaration
	address INTEGER, -- the lowest in the module's file; NULL: only seen inlined
	symbol TEXT NOT NULL, -- source of its name, as module.symbols
	inlined INTEGER NOT NULL CHECK (inlined IN (0, 1)), -- seen inlined
	standing INTEGER NOT NULL CHECK (standing IN (0, 1)), -- seen not inlined
	hash INTEGER NOT NULL, -- of name and module.base: the same in other measurements
	namespace TEXT -- the outermost part of a qualified name, a crate, or a package
);
CREATE TABLE line ( -- of a source file
	id INTEGER PRIMARY KEY,
	file INTEGER NOT NULL REFERENCES file,
	number INTEGER, -- NULL: not known
	function INTEGER REFERENCES function -- that has code from it; NULL: several
);
CREATE TABLE context ( -- a calling context: a line of a function, called from another context
	id INTEGER PRIMARY KEY, -- numbered depth first: those beneath context x are x.first + 1 .. x.last
	parent INTEGER GENERATED ALWAYS AS (id - up) VIRTUAL REFERENCES context, -- its caller, or what it was inlined into
	first INTEGER GENERATED ALWAYS AS (id) VIRTUAL,
	last INTEGER GENERATED ALWAYS AS (id + beneath) VIRTUAL, -- the last one beneath, or itself
	depth INTEGER NOT NULL, -- frames from the root, which has 0
	function INTEGER REFERENCES function, -- NULL: a root
	line INTEGER REFERENCES line,
	hash INTEGER NOT NULL, -- of the path of names and lines: the same in other measurements
	-- columns that mostly have their default are last: a row ends before them
	beneath INTEGER NOT NULL DEFAULT 0, -- number of contexts beneath
	up INTEGER DEFAULT 1, -- id - parent; NULL: a root
	inlined INTEGER NOT NULL DEFAULT 0, -- 1: the function was inlined into the parent's
	CHECK (up > 0 AND beneath >= 0 AND depth >= 0 AND inlined IN (0, 1))
);
CREATE TABLE outermost ( -- the contexts of a function that are not beneath others of it, which are in their ranges
	function INTEGER NOT NULL REFERENCES function,
	context INTEGER NOT NULL REFERENCES context,
	PRIMARY KEY (function, context)
) WITHOUT ROWID;
CREATE TABLE exclusive ( -- what was recorded in a context itself, if anything
	metric INTEGER NOT NULL REFERENCES metric,
	context INTEGER NOT NULL REFERENCES context,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL DEFAULT 1,
	PRIMARY KEY (metric, context)
) WITHOUT ROWID;
CREATE TABLE inclusive ( -- what was recorded in a context or beneath it
	metric INTEGER NOT NULL REFERENCES metric,
	context INTEGER NOT NULL REFERENCES context,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL DEFAULT 1,
	PRIMARY KEY (metric, context)
) WITHOUT ROWID;
CREATE TABLE wait ( -- what a context waited for, of those in which a thread was blocked (metric BLOCKED)
	context INTEGER PRIMARY KEY REFERENCES context,
	kind TEXT NOT NULL, -- lock, condition, file, socket, pipe, sleep, child, poll and so on, or other
	function INTEGER REFERENCES function -- that waits: the innermost one outside the C library and libraries for threads; NULL: not known
);
CREATE TABLE hottest ( -- the contexts with the largest exclusive values, up to a thousand per metric
	metric INTEGER NOT NULL REFERENCES metric,
	place INTEGER NOT NULL, -- from 1
	context INTEGER NOT NULL REFERENCES context,
	PRIMARY KEY (metric, place)
) WITHOUT ROWID;
CREATE TABLE deepest ( -- the contexts with the longest call paths, up to a thousand per measurement
	measurement INTEGER NOT NULL REFERENCES measurement,
	place INTEGER NOT NULL, -- from 1
	context INTEGER NOT NULL REFERENCES context,
	PRIMARY KEY (measurement, place)
) WITHOUT ROWID;
CREATE TABLE process_value ( -- the totals of processes
	metric INTEGER NOT NULL REFERENCES metric,
	process INTEGER NOT NULL REFERENCES process,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (metric, process)
) WITHOUT ROWID;
CREATE TABLE thread_group_value ( -- the totals of groups of threads
	metric INTEGER NOT NULL REFERENCES metric,
	thread_group INTEGER NOT NULL REFERENCES thread_group,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (metric, thread_group)
) WITHOUT ROWID;
CREATE TABLE label ( -- what the program said that it was working on (hpcrun.h, hpcrun-mark)
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	key TEXT NOT NULL,
	value TEXT NOT NULL, -- '(other)': there were too many
	number INTEGER -- the value, if the program gave it as a number
);
CREATE TABLE label_set ( -- the labels that a thread had at a time
	id INTEGER NOT NULL,
	label INTEGER NOT NULL REFERENCES label, -- one of them
	PRIMARY KEY (id, label)
) WITHOUT ROWID;
CREATE TABLE label_value ( -- the part of exclusive that was recorded while a thread had exactly these labels
	metric INTEGER NOT NULL REFERENCES metric,
	label_set INTEGER NOT NULL, -- label_set.id
	context INTEGER NOT NULL REFERENCES context,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (metric, label_set, context)
) WITHOUT ROWID;
CREATE TABLE value_window ( -- how values of instructions were recorded (hpcrun --values)
	measurement INTEGER NOT NULL REFERENCES measurement,
	what TEXT NOT NULL, -- windows of single steps, steps, ns of CPU time, dropped values; or samples without a window, by reason
	count INTEGER NOT NULL CHECK (count >= 0),
	PRIMARY KEY (measurement, what)
) WITHOUT ROWID;
CREATE TABLE instruction_value ( -- what an instruction produced of one kind
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	module INTEGER NOT NULL REFERENCES module,
	address INTEGER NOT NULL, -- of the instruction in the module's file
	function INTEGER REFERENCES function, -- NULL: not known
	line INTEGER REFERENCES line,
	kind TEXT NOT NULL, -- a register, taken, target, address, stored, loaded, operand, argument 1, stride of ...
	what INTEGER NOT NULL, -- the kind as in the datafile
	bytes INTEGER NOT NULL, -- size of a value
	seen INTEGER NOT NULL CHECK (seen >= 0), -- how often there was one
	zeros INTEGER NOT NULL, -- how often it was zero
	same INTEGER NOT NULL, -- how often it was the one before
	rest INTEGER NOT NULL -- a value that is not in frequent_value came at most so often
);
CREATE TABLE frequent_value ( -- the most frequent of them
	instruction_value INTEGER NOT NULL REFERENCES instruction_value,
	position INTEGER NOT NULL, -- from 0: what is known to be most frequent comes first
	value INTEGER NOT NULL, -- a number, signed; or an address in the file of ...
	module INTEGER REFERENCES module, -- ... this module, of kinds that are addresses of code
	at_least INTEGER NOT NULL CHECK (at_least >= 0), -- how often it came
	at_most INTEGER NOT NULL CHECK (at_most >= at_least),
	PRIMARY KEY (instruction_value, position)
) WITHOUT ROWID;
CREATE TABLE profile_value ( -- what a profile recorded in a context itself (hpcprof db --per-profile)
	profile INTEGER NOT NULL REFERENCES profile,
	metric INTEGER NOT NULL REFERENCES metric,
	context INTEGER NOT NULL REFERENCES context,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (profile, metric, context)
) WITHOUT ROWID;
CREATE TABLE profile_function ( -- what a profile recorded in a function itself
	metric INTEGER NOT NULL REFERENCES metric,
	function INTEGER NOT NULL REFERENCES function,
	profile INTEGER NOT NULL REFERENCES profile,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (metric, function, profile)
) WITHOUT ROWID;
CREATE TABLE profile_module ( -- what a profile recorded in a load module
	profile INTEGER NOT NULL REFERENCES profile,
	metric INTEGER NOT NULL REFERENCES metric,
	module INTEGER NOT NULL REFERENCES module,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (profile, metric, module)
) WITHOUT ROWID;
CREATE TABLE process_most ( -- the function with the largest exclusive value in a process (--per-profile)
	metric INTEGER NOT NULL REFERENCES metric,
	process INTEGER NOT NULL REFERENCES process,
	function INTEGER NOT NULL REFERENCES function,
	events INTEGER NOT NULL,
	PRIMARY KEY (metric, process)
) WITHOUT ROWID;
CREATE TABLE module_value ( -- values by load module; exclusive: in its own code
	metric INTEGER NOT NULL REFERENCES metric,
	module INTEGER NOT NULL REFERENCES module,
	exclusive_events INTEGER NOT NULL,
	exclusive_samples INTEGER NOT NULL,
	inclusive_events INTEGER NOT NULL, -- on call paths through it, each counted once
	inclusive_samples INTEGER NOT NULL,
	PRIMARY KEY (metric, module)
) WITHOUT ROWID;
CREATE TABLE file_value ( -- the same by file
	metric INTEGER NOT NULL REFERENCES metric,
	file INTEGER NOT NULL REFERENCES file,
	exclusive_events INTEGER NOT NULL,
	exclusive_samples INTEGER NOT NULL,
	inclusive_events INTEGER NOT NULL,
	inclusive_samples INTEGER NOT NULL,
	PRIMARY KEY (metric, file)
) WITHOUT ROWID;
CREATE TABLE function_value ( -- the same by function: recursion counts once
	metric INTEGER NOT NULL REFERENCES metric,
	function INTEGER NOT NULL REFERENCES function,
	exclusive_events INTEGER NOT NULL,
	exclusive_samples INTEGER NOT NULL,
	inclusive_events INTEGER NOT NULL,
	inclusive_samples INTEGER NOT NULL,
	PRIMARY KEY (metric, function)
) WITHOUT ROWID;
CREATE TABLE comparable ( -- function_value by function.hash, to compare measurements
	metric INTEGER NOT NULL REFERENCES metric,
	hash INTEGER NOT NULL,
	function INTEGER NOT NULL REFERENCES function, -- the first with this hash; values are of all
	exclusive_events INTEGER NOT NULL,
	inclusive_events INTEGER NOT NULL,
	PRIMARY KEY (metric, hash)
) WITHOUT ROWID;
CREATE TABLE line_value ( -- the same by line
	metric INTEGER NOT NULL REFERENCES metric,
	line INTEGER NOT NULL REFERENCES line,
	exclusive_events INTEGER NOT NULL,
	exclusive_samples INTEGER NOT NULL,
	inclusive_events INTEGER NOT NULL,
	inclusive_samples INTEGER NOT NULL,
	PRIMARY KEY (metric, line)
) WITHOUT ROWID;
CREATE TABLE inlined_line ( -- values in inlined code only, by line and function
	metric INTEGER NOT NULL REFERENCES metric,
	line INTEGER NOT NULL REFERENCES line,
	function INTEGER NOT NULL REFERENCES function,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (metric, line, function)
) WITHOUT ROWID;
CREATE TABLE call ( -- pairs of functions: a call, or code inlined into the caller
	id INTEGER PRIMARY KEY,
	callee INTEGER NOT NULL REFERENCES function,
	caller INTEGER REFERENCES function -- NULL: the callee is the outermost frame
);
CREATE TABLE call_value ( -- values by call
	metric INTEGER NOT NULL REFERENCES metric,
	call INTEGER NOT NULL REFERENCES call,
	exclusive_events INTEGER NOT NULL, -- in the callee itself when called from the caller
	exclusive_samples INTEGER NOT NULL,
	inclusive_events INTEGER NOT NULL, -- on call paths with this call, each counted once
	inclusive_samples INTEGER NOT NULL,
	PRIMARY KEY (metric, call)
) WITHOUT ROWID;

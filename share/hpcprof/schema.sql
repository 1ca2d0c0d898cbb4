-- The tables of a profile database. application_id and user_version say that it is one and
-- of which version; a later version may add tables and columns, and changes none.
-- Texts are UTF-8; a byte that is none stands as \xHH, and a backslash before x or another
-- backslash is doubled. Times are nanoseconds; real time counts from 1970. Events and
-- samples are as in the datafile (csprof(5)); every sum is exact.

CREATE TABLE measurement ( -- one run of hpcprof db: the PROFILEs it was given, as one
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL, -- the PROFILEs as they were named
	command TEXT, -- of the process that began first
	start_ns INTEGER, -- when it began
	tool TEXT NOT NULL, -- what wrote this
	first_context INTEGER NOT NULL, -- the root of complete call paths; its contexts begin here
	partial_context INTEGER NOT NULL, -- the root of call paths whose outermost frames are missing
	last_context INTEGER NOT NULL, -- and end here
	CHECK (first_context < partial_context AND partial_context <= last_context)
);
CREATE TABLE loss ( -- what was wrong with a PROFILE
	measurement INTEGER NOT NULL REFERENCES measurement,
	path TEXT NOT NULL,
	message TEXT NOT NULL,
	is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)) -- 0: it was left out
);
CREATE TABLE process ( -- a program image: what a datafile was written of
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	path TEXT NOT NULL, -- of the datafile
	command TEXT, -- with its arguments
	executable TEXT,
	host TEXT,
	pid INTEGER,
	ppid INTEGER, -- the parent's
	rank INTEGER, -- in a parallel program
	ranks INTEGER, -- how many there are
	start_ns INTEGER,
	wall_ns INTEGER,
	cpu_ns INTEGER,
	threads INTEGER NOT NULL,
	"end" TEXT, -- how it ended
	tool TEXT, -- what measured it
	tramp_samples INTEGER NOT NULL, -- as in the datafile's header
	has_ended INTEGER NOT NULL CHECK (has_ended IN (0, 1)), -- one thread stands for many that ended
	has_trailer INTEGER NOT NULL CHECK (has_trailer IN (0, 1))
);
CREATE TABLE profile ( -- what was recorded apart: a thread, or a whole file where it does not tell threads apart
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	process INTEGER REFERENCES process, -- NULL: the file is of several
	path TEXT NOT NULL, -- of the file
	thread INTEGER, -- in the datafile, from 0; NULL: of no single one
	tid INTEGER,
	name TEXT, -- of the thread
	start_ns INTEGER,
	end_ns INTEGER,
	cpu_ns INTEGER
);
CREATE TABLE metric (
	id INTEGER PRIMARY KEY, -- from 0: 0 and 1 take no space in tables of values
	measurement INTEGER NOT NULL REFERENCES measurement,
	name TEXT NOT NULL,
	unit TEXT NOT NULL, -- of events: ns, bytes, count, or '' where it is not known
	flags INTEGER NOT NULL, -- as in the datafile
	sampled INTEGER NOT NULL CHECK (sampled IN (0, 1)), -- 0: every event was recorded
	events INTEGER NOT NULL CHECK (events >= 0), -- the total
	samples INTEGER NOT NULL CHECK (samples >= 0), -- the total
	interval INTEGER NOT NULL, -- mean number of events from sample to sample; 0: not known
	position INTEGER NOT NULL, -- in the files
	kernel TEXT, -- whether events in the kernel are among them: yes, no, mixed; NULL: not said
	sources TEXT NOT NULL, -- what counted, separated by ', '
	requested TEXT NOT NULL, -- rate or period that was asked for
	achieved TEXT NOT NULL, -- and got
	has_account INTEGER NOT NULL CHECK (has_account IN (0, 1)),
	unaccounted_events INTEGER NOT NULL, -- of files without an account
	unaccounted_samples INTEGER NOT NULL,
	jitter TEXT NOT NULL, -- how intervals were spread about their mean
	cost_ns INTEGER NOT NULL -- CPU time that measuring took; 0: not said
);
CREATE TABLE account ( -- what became of all samples
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
	name TEXT NOT NULL, -- its path, or [what it is]
	base TEXT NOT NULL, -- the last part of that
	build_id TEXT, -- hexadecimal
	assumed INTEGER NOT NULL CHECK (assumed IN (0, 1)), -- some addresses were given to it for want of knowledge
	symbols TEXT NOT NULL, -- where names come from: debug information, symbol table, dynamic symbols, none
	stale INTEGER NOT NULL CHECK (stale IN (0, 1)), -- the file found was not the one measured
	note TEXT -- what was missing
);
CREATE TABLE file ( -- a source file
	id INTEGER PRIMARY KEY,
	measurement INTEGER NOT NULL REFERENCES measurement,
	name TEXT, -- its path; NULL: code for which no file is known ...
	module INTEGER REFERENCES module, -- ... of this module
	CHECK ((name IS NULL) <> (module IS NULL))
);
CREATE TABLE function (
	id INTEGER PRIMARY KEY,
	module INTEGER NOT NULL REFERENCES module,
	name TEXT NOT NULL, -- demangled
	linkage_name TEXT, -- as in the symbol table; NULL: the same
	file INTEGER REFERENCES file, -- where it is declared
	line INTEGER, -- in that file
	address INTEGER, -- the lowest in the module's file; NULL: only seen inlined
	symbol TEXT NOT NULL, -- where its name comes from, as module.symbols
	inlined INTEGER NOT NULL CHECK (inlined IN (0, 1)), -- seen inlined
	standing INTEGER NOT NULL CHECK (standing IN (0, 1)), -- seen as a function of its own
	hash INTEGER NOT NULL -- of name and module.base: the same in other measurements
);
CREATE TABLE line ( -- of a source file
	id INTEGER PRIMARY KEY,
	file INTEGER NOT NULL REFERENCES file,
	number INTEGER, -- NULL: not known
	function INTEGER REFERENCES function -- with code from it; NULL: several
);
CREATE TABLE context ( -- a calling context: a line of a function, called from another context
	id INTEGER PRIMARY KEY, -- numbered depth first: all beneath context x are x.first + 1 .. x.last
	parent INTEGER GENERATED ALWAYS AS (id - up) VIRTUAL REFERENCES context, -- its caller, or what it was inlined into
	first INTEGER GENERATED ALWAYS AS (id) VIRTUAL,
	last INTEGER GENERATED ALWAYS AS (id + beneath) VIRTUAL, -- the last of them, or itself
	depth INTEGER NOT NULL, -- frames from the root, which has 0
	function INTEGER REFERENCES function, -- NULL: a root
	line INTEGER REFERENCES line,
	hash INTEGER NOT NULL, -- of the path of names and lines: the same in other measurements
	-- what is so often the same that it comes last: a row ends before what has its default
	beneath INTEGER NOT NULL DEFAULT 0, -- how many contexts are beneath
	up INTEGER DEFAULT 1, -- how many before this its parent is; NULL: a root
	inlined INTEGER NOT NULL DEFAULT 0, -- 1: the function was inlined into the parent's
	CHECK (up > 0 AND beneath >= 0 AND depth >= 0 AND inlined IN (0, 1))
);
CREATE TABLE outermost ( -- the contexts of a function that are beneath no other of it; the others are in their ranges
	function INTEGER NOT NULL REFERENCES function,
	context INTEGER NOT NULL REFERENCES context,
	PRIMARY KEY (function, context)
) WITHOUT ROWID;
CREATE TABLE exclusive ( -- what was recorded in a context itself; contexts without are not here
	metric INTEGER NOT NULL REFERENCES metric,
	context INTEGER NOT NULL REFERENCES context,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL DEFAULT 1,
	PRIMARY KEY (metric, context)
) WITHOUT ROWID;
CREATE TABLE inclusive ( -- what was recorded in a context or beneath
	metric INTEGER NOT NULL REFERENCES metric,
	context INTEGER NOT NULL REFERENCES context,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL DEFAULT 1,
	PRIMARY KEY (metric, context)
) WITHOUT ROWID;
CREATE TABLE hottest ( -- the contexts with most of a metric in themselves, a thousand at most
	metric INTEGER NOT NULL REFERENCES metric,
	place INTEGER NOT NULL, -- from 1
	context INTEGER NOT NULL REFERENCES context,
	PRIMARY KEY (metric, place)
) WITHOUT ROWID;
CREATE TABLE deepest ( -- the contexts with the longest call paths, a thousand of a measurement at most
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
CREATE TABLE profile_value ( -- what a profile recorded in a context itself (hpcprof db --per-profile)
	profile INTEGER NOT NULL REFERENCES profile,
	metric INTEGER NOT NULL REFERENCES metric,
	context INTEGER NOT NULL REFERENCES context,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (profile, metric, context)
) WITHOUT ROWID;
CREATE TABLE profile_function ( -- and in a function itself
	metric INTEGER NOT NULL REFERENCES metric,
	function INTEGER NOT NULL REFERENCES function,
	profile INTEGER NOT NULL REFERENCES profile,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (metric, function, profile)
) WITHOUT ROWID;
CREATE TABLE profile_module ( -- and in a load module
	profile INTEGER NOT NULL REFERENCES profile,
	metric INTEGER NOT NULL REFERENCES metric,
	module INTEGER NOT NULL REFERENCES module,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (profile, metric, module)
) WITHOUT ROWID;
CREATE TABLE process_most ( -- the function that has most in itself of what a process recorded (--per-profile)
	metric INTEGER NOT NULL REFERENCES metric,
	process INTEGER NOT NULL REFERENCES process,
	function INTEGER NOT NULL REFERENCES function,
	events INTEGER NOT NULL,
	PRIMARY KEY (metric, process)
) WITHOUT ROWID;
CREATE TABLE module_value ( -- by load module; exclusive: in its own code,
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
CREATE TABLE comparable ( -- function_value by function.hash, for what compares measurements
	metric INTEGER NOT NULL REFERENCES metric,
	hash INTEGER NOT NULL,
	function INTEGER NOT NULL REFERENCES function, -- the first with that hash; values are of all
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
CREATE TABLE inlined_line ( -- and in inlined code alone, by the line and the function there
	metric INTEGER NOT NULL REFERENCES metric,
	line INTEGER NOT NULL REFERENCES line,
	function INTEGER NOT NULL REFERENCES function,
	events INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	PRIMARY KEY (metric, line, function)
) WITHOUT ROWID;
CREATE TABLE call ( -- functions that call each other, or that one was inlined into
	id INTEGER PRIMARY KEY,
	callee INTEGER NOT NULL REFERENCES function,
	caller INTEGER REFERENCES function -- NULL: the callee is the outermost frame
);
CREATE TABLE call_value ( -- values by call
	metric INTEGER NOT NULL REFERENCES metric,
	call INTEGER NOT NULL REFERENCES call,
	exclusive_events INTEGER NOT NULL, -- in the callee itself when called from there
	exclusive_samples INTEGER NOT NULL,
	inclusive_events INTEGER NOT NULL, -- on call paths with that call, each counted once
	inclusive_samples INTEGER NOT NULL,
	PRIMARY KEY (metric, call)
) WITHOUT ROWID;

/* Functions that gcc gives no linkage name: each has a label, which no other code has. */
#define MARK(name) __asm__ volatile(".globl mark_" #name "\nmark_" #name ":\n\tnop")

static volatile int sink;

template <class F> static void apply(F f)
{
	f();
	sink = sink + 1;
}

namespace
{
struct Hidden { // TYPE hidden
	void work()
	{
		MARK(work);
	}
	void operator()()
	{
		MARK(hidden);
	}
};
} // namespace

namespace shown
{
struct Base {
	virtual ~Base()
	{
		sink = 0;
	}
};
struct Derived : Base {
	int n = 1;
	~Derived() override
	{
		sink = n;
	}
};
template <class T> struct Box {
	T t;
	void open()
	{
		t();
	}
};
extern "C" __attribute__((noinline)) void plain()
{
	MARK(plain);
}
} // namespace shown

static void __attribute__((noinline)) drop(shown::Base *b)
{
	delete b;
}

int main()
{
	auto one = [] { MARK(one); }; // TYPE one
	auto two = [] { MARK(two); }; // TYPE two
	apply(one);
	apply(two);
	apply([] { MARK(left); }), apply([] { MARK(right); }); // TYPE left and right
	struct Local {                                         // TYPE local
		void operator()()
		{
			MARK(local);
		}
	};
	apply(Local());
	{
		struct Local { // TYPE inner
			void operator()()
			{
				MARK(inner);
			}
		};
		apply(Local());
		struct Boxed { // TYPE boxed
			void operator()()
			{
				MARK(boxed);
			}
		};
		shown::Box<Boxed>().open();
	}
	apply([&] {                          // TYPE outside
		apply([] { MARK(within); }); // TYPE within
	});
	struct { // TYPE unnamed
		void go()
		{
			MARK(unnamed);
		}
	} nameless;
	nameless.go();
	apply(Hidden());
	Hidden().work();
	drop(new shown::Derived);
	struct Dropped : shown::Base {
		~Dropped() override
		{
			sink = 2;
		}
	};
	drop(new Dropped);
	shown::plain();
	return sink == 0;
}

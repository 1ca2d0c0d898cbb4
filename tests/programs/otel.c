/* Publishes what an OpenTelemetry SDK does for profilers (OTEP 4719 and 4947): attributes of the
 * process, and which request each thread serves. otel [WHAT [LIBRARY...]]: the thread-local
 * variable is the library's that is loaded after the threads have begun, else the program's own. */
#include "tests/programs/spin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- of the process --------------------------------------------------------------------- */

struct header {
	char signature[8];
	uint32_t version, payload_size;
	uint64_t published_at_ns;
	const uint8_t *payload;
};

static struct header *header;
static const char *keys[8];
static int num_keys;
static uint64_t times = 1;

struct buffer {
	size_t n;
	uint8_t at[2048];
};

/* Field `number` of a message: bytes. Lengths are below 2^14. */
static void put(struct buffer *b, int number, const void *bytes, size_t n)
{
	b->at[b->n++] = (uint8_t)(number << 3 | 2);
	if (n >= 0x80)
		b->at[b->n++] = (uint8_t)(n | 0x80);
	b->at[b->n++] = (uint8_t)(n >= 0x80 ? n >> 7 : n);
	memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

static void put_pair(struct buffer *to, int field, const char *key, const struct buffer *value)
{
	struct buffer pair = {0};
	put(&pair, 1, key, strlen(key));
	put(&pair, 2, value->at, value->n);
	put(to, field, pair.at, pair.n);
}

static void put_text(struct buffer *to, int field, const char *key, const char *text)
{
	struct buffer value = {0};
	put(&value, 1, text, strlen(text));
	put_pair(to, field, key, &value);
}

/* early: a Resource is all of it. */
static size_t encode(uint8_t *out, int early, const char *schema)
{
	struct buffer resource = {0}, all = {0}, map = {0}, array = {0};
	struct buffer *more = early ? &resource : &all;
	int field = early ? 1 : 2;
	put_text(&resource, 1, "service.name", "shop");
	put_text(&resource, 1, "service.version", "12");
	put_text(&resource, 1, "telemetry.sdk.language", "c");
	if (!early)
		put(&all, 1, resource.at, resource.n);
	put_text(more, field, "threadlocal.schema_version", schema);
	for (int i = 0; i < num_keys; i++) {
		struct buffer name = {0};
		put(&name, 1, keys[i], strlen(keys[i]));
		put(&array, 1, name.at, name.n);
	}
	put(&map, 5, array.at, array.n);
	put_pair(more, field, "threadlocal.attribute_key_map", &map);
	memcpy(out, more->at, more->n);
	return more->n;
}

static void name_it(void)
{
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, 8192, "OTEL_CTX");
}

static void publish(int early, const char *schema)
{
	static uint8_t payloads[16][2048];
	uint8_t *payload = payloads[times % 16];
	if (!header) {
		int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, 8192) != 0)
			exit(1);
		header = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		close(fd);
		madvise(header, 8192, MADV_DONTFORK);
	}
	header->published_at_ns = 0;
	header->version = 2;
	header->payload_size = (uint32_t)encode(payload, early, schema);
	header->payload = payload;
	__atomic_store_n(&header->published_at_ns, times++, __ATOMIC_RELEASE);
	memcpy(header->signature, "OTEL_CTX", 8);
}

/* ---- of a thread ------------------------------------------------------------------------ */

struct record {
	uint8_t trace[16], span[8], valid, flags;
	uint16_t bytes;
	uint8_t attributes[512];
};

#ifdef OTEL_OWN
__attribute__((visibility("default"))) __thread struct record *volatile otel_thread_ctx_v1;
static void set_own(void *record)
{
	otel_thread_ctx_v1 = record;
}
static void (*set)(void *) = set_own;
#else
static void (*set)(void *);
#endif

static void begin(struct record *r)
{
	memset(r, 0, sizeof *r);
	r->valid = 1;
}

static void add(struct record *r, int key, const char *value)
{
	r->attributes[r->bytes] = (uint8_t)key;
	r->attributes[r->bytes + 1] = (uint8_t)strlen(value);
	memcpy(r->attributes + r->bytes + 2, value, strlen(value));
	r->bytes = (uint16_t)(r->bytes + 2 + strlen(value));
}

/* ---- what it does ----------------------------------------------------------------------- */

static pthread_barrier_t ready;

APART static void serve(struct record *r, const char *route, int user, double ms)
{
	char text[16];
	begin(r);
	add(r, 0, "not yet");
	add(r, 0, route);
	snprintf(text, sizeof text, "%d", user);
	add(r, 1, text);
	add(r, 2, "abcdef");
	memset(r->trace, 0xab, 16);
	r->span[7] = (uint8_t)user;
	set(r);
	spin(ms);
	set(NULL);
}

/* route: /a 40%, /b 40%, none 20%; user: 1 and 2 the same. */
static void *work(void *arg)
{
	struct record r;
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	for (int i = 0; i < 20; i++) {
		serve(&r, "/a", 1, 4);
		serve(&r, "/b", 2, 4);
		spin(2);
	}
	return arg;
}

static void threads(void (*between)(const char *), const char *library)
{
	pthread_t t[2];
	pthread_barrier_init(&ready, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	pthread_barrier_wait(&ready);
	between(library);
	pthread_barrier_wait(&ready);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static void *handle;

static void load(const char *library)
{
	if (!library)
		return;
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	*(void **)&set = handle ? dlsym(handle, "set") : NULL;
	if (!set) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
}

/* A thread's block of a library that is unloaded has a record where another library, whose block it
 * does not have yet, has the variable: both have one number. */
static void *meet_again(void *arg)
{
	struct record r;
	begin(&r);
	add(&r, 0, "/old");
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	set(&r);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	spin(100);
	begin(&r);
	add(&r, 0, "/new");
	set(&r);
	spin(100);
	set(NULL);
	return arg;
}

static void replace(const char *first, const char *second)
{
	pthread_t t;
	pthread_barrier_init(&ready, NULL, 2);
	pthread_create(&t, NULL, meet_again, NULL);
	pthread_barrier_wait(&ready);
	load(first);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	dlclose(handle);
	load(second);
	pthread_barrier_wait(&ready);
	pthread_join(t, NULL);
}

/* Keys that are added, and the program says so, or does not. */
static void later(void)
{
	struct record r;
	begin(&r);
	set(&r);
	add(&r, 3, "x");
	spin(100); /* there is no such key */
	keys[num_keys++] = "third";
	publish(0, "tls_v1");
	spin(100);
	keys[num_keys++] = "fourth";
	publish(0, "tls_v1");
	name_it();
	add(&r, 4, "y");
	spin(100);
}

/* Records that are not valid, or not there. */
static void broken(void)
{
	struct record r;
	void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	begin(&r);
	add(&r, 0, "/ok");
	set(&r);
	spin(100);
	r.valid = 0;
	spin(50);
	r.valid = 2;
	spin(50);
	set(nowhere);
	spin(100);
	r.valid = 1;
	r.attributes[r.bytes] = 1;
	r.attributes[r.bytes + 1] = 200; /* more than there is */
	r.bytes = (uint16_t)(r.bytes + 20);
	set(&r);
	spin(100);
	/* the memory of what the process has published is away, too */
	munmap(header, 8192);
	add(&r, 9, "z");
	spin(100);
}

/* A child has its thread's context, but publishes for itself: with other keys. */
static void forks(void)
{
	struct record r;
	begin(&r);
	add(&r, 0, "/p");
	set(&r);
	pid_t child = fork();
	if (child == 0) {
		spin(100);
		header = NULL;
		keys[0] = "kind";
		publish(1, "tlsdesc_v1_dev");
		name_it();
		spin(100);
		_exit(0);
	}
	spin(100);
	waitpid(child, NULL, 0);
}

/* The loader's error remains the program's. */
static void fail(const char *library)
{
	const char *why = dlopen(library, RTLD_NOW) ? NULL : dlerror();
	if (!why || !strstr(why, "undefined symbol"))
		printf("%s: %s\n", library, why ? why : "no error");
}

/* Libraries come and go while other threads look for the variable in them. */
static void *load_often(void *library)
{
	for (int i = 0; i < 300; i++) {
		void *one = dlopen(library, RTLD_NOW);
		void (*set_there)(void *) = NULL;
		if (one)
			*(void **)&set_there = dlsym(one, "set");
		if (!set_there)
			exit(1);
		set_there(NULL);
		dlclose(one);
	}
	return NULL;
}

static void storm(char **libraries)
{
	pthread_t t[8];
	int n = 0;
	for (; n < 8 && libraries[n]; n++)
		pthread_create(&t[n], NULL, load_often, libraries[n]);
	while (n > 0)
		pthread_join(t[--n], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "threads";
	const char *library = argc > 2 ? argv[2] : NULL;
	keys[num_keys++] = "route";
	keys[num_keys++] = "user";
	keys[num_keys++] = "local_root_span_id";
	if (strcmp(what, "other") == 0)
		publish(0, "golang_v1");
	else
		publish(strcmp(what, "early") == 0, "tls_v1");
	if (strcmp(what, "found") != 0)
		name_it();
	if (strcmp(what, "later") == 0) {
		later();
	} else if (strcmp(what, "broken") == 0) {
		broken();
	} else if (strcmp(what, "fail") == 0) {
		fail(library);
	} else if (strcmp(what, "storm") == 0 && library) {
		storm(argv + 2);
	} else if (strcmp(what, "replace") == 0) {
		replace(library, argc > 3 ? argv[3] : NULL);
	} else if (strcmp(what, "fork") == 0) {
		forks();
	} else {
		threads(load, library);
		if (handle)
			dlclose(handle);
		spin(20);
	}
	puts("done");
	return 0;
}

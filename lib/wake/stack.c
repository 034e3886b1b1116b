#include "wake/stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "wake/earlier_names.h"
#include "wake/part.h"

struct stack { /* frames, innermost first, with ';' between them; NULL: none */
	char *user, *kernel;
};

/* The stack of a thread that went to sleep, or woke another. */
enum { MARK_SLEEP = -1 };
struct mark {
	int64_t ts;
	uint32_t stack; /* its number */
	int32_t woken;	/* tid; MARK_SLEEP */
};

/*
 * The functions that the stacks of a piece tell, in the graph's time. Of a wait: where the thread sleeps. Of a run: the function that most samples
 * of the whole run between two waits were in. If the run has too few samples: where it woke the asker at its end; else the function that most
 * samples of all the thread's runs with too few samples were in. A text is NULL if it is not known.
 */
struct stack_told {
	char *function;	      /* that the stack is named after: "fetch" */
	char *functions;      /* from it outward: "fetch;serve;main" */
	char *kernel;	      /* the kernel's function: of a wait "futex_do_wait", of a run that was in it "ovl_copy_up_file" */
	char *asker_function; /* of a run: the one in which the asker waited */
	uint32_t samples, in_function; /* of a run: all samples, and those in this function; 0: the function is not known by samples */
};

struct stacks { /* of the stream */
	ARRAY(struct stack) by_number;
	uint64_t cuts; /* graphs so far */
};

/* The stack of a thread at a time when it ran. */
struct sample {
	int64_t ts;
	uint32_t stack;
};

/* The samples of some of a thread's runs, in the time of one graph. */
struct busy {
	uint64_t cut;	  /* number of the graph; 0: none yet */
	int64_t from, to;
	uint32_t stack;	  /* the first stack in the function that most samples were in; 0: not known */
	uint32_t samples, in_function;
	char *kernel; /* the kernel's function that these samples were in; NULL: none, or not asked yet */
};

struct marks { /* of a thread */
	ARRAY(struct mark) list;
	ARRAY(struct sample) samples;
	struct busy run, short_runs; /* the last that were asked for */
};

enum {
	NAME_MAX_LENGTH = 64, /* of a function's name; names in C++ may be very long */
	CHAIN = 4,	      /* functions of a label */
	WAKE_UPS = 4096,      /* of one run that are searched */
	SAMPLES = 4096,	      /* likewise; with 199 a second these are 20 s */
	DIFFERENT = 256,      /* functions in which samples are counted */
};

static struct stacks *stacks_of(const struct wake *wake)
{
	return wake->of[PART_STACK];
}

static struct marks *of(const struct thread *thread)
{
	return thread->of[PART_STACK];
}

static void thread_free(struct thread *thread)
{
	free(of(thread)->list.items);
	free(of(thread)->samples.items);
	free(of(thread)->run.kernel);
}

static void forget_meanings(struct wake *wake)
{
	struct stacks *stacks = stacks_of(wake);

	for (size_t i = 0; i < stacks->by_number.count; i++) {
		free(stacks->by_number.items[i].user);
		free(stacks->by_number.items[i].kernel);
	}
	ARRAY_FREE(&stacks->by_number);
}

/* A `stack` record comes before the first event that names the stack. */
static int read_stack(struct wake *wake, const struct fields *fields)
{
	struct stacks *stacks = stacks_of(wake);
	struct stack *stack;
	uint64_t number = 0;

	if (fields_unsigned(fields, "id", &number) < 0)
		return -1;
	if (number == 0 || number > STACKS_MAX)
		return fail("a stack needs an id from 1 to %d", STACKS_MAX);
	while (stacks->by_number.count <= number)
		*ARRAY_ADD(&stacks->by_number) = (struct stack){0};
	stack = &stacks->by_number.items[number];
	free(stack->user);
	free(stack->kernel);
	*stack = (struct stack){fields_copy(fields, "user"), fields_copy(fields, "kernel")};
	return 0;
}

static void mark(struct at *at, int32_t woken)
{
	enum { STACK };
	struct thread *thread = core_thread(at->wake, at->event->tid);

	*ARRAY_ADD(&of(thread)->list) =
	    (struct mark){.ts = at->wake->now, .stack = (uint32_t)at_number(at, STACK), .woken = woken};
}

static void on_sleep(struct at *at)
{
	mark(at, MARK_SLEEP);
}

static void on_wake(struct at *at)
{
	enum { STACK, PID };

	mark(at, (int32_t)at_number(at, PID));
}

static void on_run(struct at *at)
{
	enum { STACK };
	struct thread *thread = core_thread(at->wake, at->event->tid);

	*ARRAY_ADD(&of(thread)->samples) = (struct sample){.ts = at->wake->now, .stack = (uint32_t)at_number(at, STACK)};
}

static void begin_cut(struct wake *wake)
{
	stacks_of(wake)->cuts++;
}

/* A frame: what stands before the next ';'. */
struct frame {
	const char *text;
	size_t length;
};

static bool next_frame(const char **at, struct frame *frame)
{
	if (!*at || !**at)
		return false;
	*frame = (struct frame){*at, strcspn(*at, ";")};
	*at += frame->length + ((*at)[frame->length] == ';');
	return true;
}

/* The length of the function's name in "compress_block (libz.so.1.2.13)"; if the frame has no file, the length of the frame. */
static size_t function_length(const struct frame *frame)
{
	for (size_t i = frame->length; i > 2; i--)
		if (frame->text[i - 1] == '(' && frame->text[i - 2] == ' ')
			return i - 2;
	return frame->length;
}

static bool begins(const struct frame *frame, size_t at, const char *with)
{
	return frame->length - at >= strlen(with) && strncmp(frame->text + at, with, strlen(with)) == 0;
}

/* Tells whether the frame is of a library through which a program waits, or of the language's own library inside the program. */
static bool is_wrapper(const struct frame *frame)
{
	static const char *const objects[] = {"libc.so", "libc-", "libc.musl", "ld-linux", "ld-musl", "libpthread", "librt",
					      "libstdc++", "libgcc_s", "libc++"};
	static const char *const functions[] = {"std::", "__gnu_cxx::", "__gthread_", "<std::", "<core::", "<alloc::"};
	size_t length = function_length(frame), object = length < frame->length ? length + 2 : 0;

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (begins(frame, object, objects[i]))
			return true;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (begins(frame, 0, functions[i]))
			return true;
	return length == 0 || frame->text[0] == '?' || begins(frame, 0, "...");
}

/* Tells whether the frame is of a function through which every sleep or every wake-up in the kernel goes. */
static bool is_scheduler(const struct frame *frame)
{
	static const char *const functions[] = {"__schedule", "schedule", "io_schedule", "preempt_schedule", "try_to_wake_up",
						"default_wake_function", "autoremove_wake_function", "__wake_up", "wake_up_",
						"woken_wake_function", "wait_woken", "__traceiter_"};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (begins(frame, 0, functions[i]))
			return true;
	return frame->length == 0 || frame->text[0] == '?';
}

/*
 * Through these functions the kernel waits for a page, a block, a lock or a completion, whatever that is for. Their caller tells more, as
 * ovl_copy_up_one does, unless it is the system call itself.
 */
static bool is_helper(const struct frame *frame)
{
	static const char *const functions[] = {
		"folio_wait", "__folio_wait", "folio_put_wait", "__folio_lock", "folio_lock", "wait_on_page", "wait_on_bit", "__wait_on_bit",
		"out_of_line_wait_on", "bit_wait", "wait_for_c", "__wait_for_common", "do_wait_for_common", "filemap_get", "filemap_read",
		"filemap_update", "filemap_splice", "filemap_write_and_wait", "filemap_fdatawait", "__filemap_fdatawait", "generic_file_read",
		"generic_perform", "file_write_and_wait", "file_fdatawait", "page_cache_", "force_page_cache", "read_pages", "submit_bio",
		"blk_", "bio_", "iomap_", "__iomap",
		"splice_", "do_splice", "copy_splice", "vfs_splice", "__wait_on_buffer", "__sync_dirty_buffer", "sync_dirty_buffer", "rwsem_",
		"__rwsem", "down_", "__down", "mutex_lock", "__mutex_lock", "percpu_down", "__percpu_down", "rt_mutex", "__rt_mutex"};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (begins(frame, 0, functions[i]))
			return true;
	return is_scheduler(frame);
}

static bool is_call(const struct frame *frame)
{
	static const char *const functions[] = {"__x64_", "__arm64_", "__se_", "__do_sys", "__s390", "__riscv", "do_syscall", "x64_sys",
						"entry_", "el0", "invoke_syscall", "vfs_", "ksys_", "__vfs"};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (begins(frame, 0, functions[i]))
			return true;
	return false;
}

/* Finds the innermost frame that is not passed over; *rest: the frames behind it. */
static bool find_frame(const char *frames, bool (*is_passed)(const struct frame *), struct frame *frame, const char **rest)
{
	*rest = frames;
	while (next_frame(rest, frame))
		if (!is_passed(frame))
			return true;
	return false;
}

static bool find_kernel_frame(const char *frames, struct frame *frame)
{
	const char *rest;

	return (find_frame(frames, is_helper, frame, &rest) && !is_call(frame)) || find_frame(frames, is_scheduler, frame, &rest);
}

static const struct stack *stack_numbered(const struct wake *wake, uint32_t number)
{
	return number < stacks_of(wake)->by_number.count ? &stacks_of(wake)->by_number.items[number] : NULL;
}

static const struct stack *stack_of(const struct wake *wake, const struct mark *mark)
{
	return mark ? stack_numbered(wake, mark->stack) : NULL;
}

/* One more than the index of the last mark at or before this time. */
static size_t marks_until(const struct thread *thread, int64_t ts)
{
	return COUNT_UNTIL(of(thread)->list.items, of(thread)->list.count, ts, ts);
}

/* The mark of a wait: its stack was taken while the thread still ran, and no other mark came in between. */
static const struct mark *mark_of_wait(const struct thread *thread, size_t piece)
{
	int64_t end = thread->pieces.items[piece].start, begin = piece > 0 ? thread->pieces.items[piece - 1].start : end;
	size_t at = marks_until(thread, end);
	const struct mark *found = at > 0 ? &of(thread)->list.items[at - 1] : NULL;

	return found && found->woken == MARK_SLEEP && found->ts >= begin ? found : NULL;
}

/* The mark of the wake-up of the asker that ended this run, or that ended its continuation after a preemption. */
static const struct mark *mark_of_run(const struct wake *wake, const struct thread *thread, size_t piece, int32_t asker)
{
	int32_t woken = asker == INDEX_NONE ? MARK_SLEEP : wake->threads.items[asker]->tid;
	size_t at = marks_until(thread, thread->pieces.items[piece].start - 1), end = at + WAKE_UPS;

	for (; woken != MARK_SLEEP && at < of(thread)->list.count && at < end; at++) {
		if (of(thread)->list.items[at].woken == woken)
			return &of(thread)->list.items[at];
		if (of(thread)->list.items[at].woken == MARK_SLEEP)
			return NULL;
	}
	return NULL;
}

/* Prints the function; if its name is long, without what stands between < and >: the arguments of templates. */
static void print_function(FILE *out, const struct frame *frame)
{
	size_t length = function_length(frame), written = 0;
	int depth = 0;

	for (size_t i = 0; i < length && written < NAME_MAX_LENGTH; i++) {
		char c = frame->text[i];

		depth -= c == '>' && depth > 0;
		if (depth == 0 && ++written)
			fputc(c, out);
		depth += c == '<' && i > 0 && length > NAME_MAX_LENGTH;
	}
	if (written == NAME_MAX_LENGTH)
		fputs("...", out);
}

/* The frame that a stack is named after. If the stack has frames of the program, only these count. */
static bool frame_of_stack(const struct stack *stack, struct frame *frame)
{
	const char *rest;

	return stack && (stack->user ? find_frame(stack->user, is_wrapper, frame, &rest)
				     : find_kernel_frame(stack->kernel, frame));
}

static char *function_of(const struct frame *frame)
{
	char *function = NULL;
	size_t size;
	FILE *out = open_memstream(&function, &size);

	print_function(out, frame);
	fclose(out);
	if (*function)
		return function;
	free(function);
	return NULL;
}

static bool print_chain(FILE *out, const char *frames, bool (*is_passed)(const struct frame *))
{
	struct frame frame;
	const char *rest;
	int count = 0;

	if (!find_frame(frames, is_passed, &frame, &rest))
		return false;
	do {
		fputs(count ? ";" : "", out);
		print_function(out, &frame);
	} while (++count < CHAIN && next_frame(&rest, &frame) && !is_passed(&frame));
	return true;
}

/* The program's functions; if none are known, the kernel's; NULL: none. */
static char *functions_of(const struct stack *stack)
{
	char *functions = NULL;
	bool known;
	size_t size;
	FILE *out;

	if (!stack)
		return NULL;
	out = open_memstream(&functions, &size);
	known = print_chain(out, stack->user, is_wrapper) || print_chain(out, stack->kernel, is_scheduler);
	fclose(out);
	if (known)
		return functions;
	free(functions);
	return NULL;
}

/* The kernel's function tells what a program waits for. */
static char *kernel_of(const struct stack *stack)
{
	struct frame frame;

	if (!stack->user || !find_kernel_frame(stack->kernel, &frame) || !frame.length)
		return NULL;
	return memory_text(frame.text, frame.length);
}

/* The function in which the asker waited for the wake-up. */
static char *asker_function(const struct wake *wake, const struct thread *asker, const struct mark *wake_up)
{
	size_t at = thread_find(asker, wake_up->ts);
	struct frame frame;

	if (at == 0 || asker->pieces.items[at - 1].what != WHAT_WAIT ||
	    !frame_of_stack(stack_of(wake, mark_of_wait(asker, at - 1)), &frame))
		return NULL;
	return function_of(&frame);
}

static struct stack_told tell_of(const struct stack *stack)
{
	struct stack_told told = {0};
	struct frame frame;

	told.function = frame_of_stack(stack, &frame) ? function_of(&frame) : NULL;
	told.functions = functions_of(stack);
	return told;
}

/* --- where runs were, by samples ------------------------------------------------------------------------------------------ */

struct count { /* of samples in a function */
	struct frame function;
	uint32_t stack, samples;
};

struct tally {
	ARRAY(struct count) counts;
	uint32_t samples; /* also those without a known function */
};

static void tally_add(struct tally *tally, const struct wake *wake, const struct sample *sample)
{
	struct frame frame;
	struct count *count;

	tally->samples++;
	if (!frame_of_stack(stack_numbered(wake, sample->stack), &frame))
		return;
	frame.length = function_length(&frame);
	for (size_t i = 0; i < tally->counts.count; i++) {
		count = &tally->counts.items[i];
		if (count->function.length == frame.length && memcmp(count->function.text, frame.text, frame.length) == 0) {
			count->samples++;
			return;
		}
	}
	if (tally->counts.count < DIFFERENT)
		*ARRAY_ADD(&tally->counts) = (struct count){frame, sample->stack, 1};
}

/* In a run: tells whether the function handles an interrupt, not called by the program, or moves data in a file system: its caller tells what for. */
static bool is_passage(const struct frame *frame)
{
	static const char *const functions[] = {
		"asm_", "sysvec_", "__sysvec_", "irqentry_", "exc_", "exit_to_user", "syscall_exit", "el1", "ret_from_",
		"ext4_buffered", "ext4_file", "xfs_file", "btrfs_file", "btrfs_buffered", "btrfs_do_write", "shmem_file", "generic_file",
		"iter_file_splice", "direct_splice"};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (begins(frame, 0, functions[i]))
			return true;
	return is_helper(frame) || is_call(frame);
}

static bool has_frame(const char *frames, const struct frame *wanted)
{
	struct frame frame;

	while (next_frame(&frames, &frame))
		if (frame.length == wanted->length && memcmp(frame.text, wanted->text, frame.length) == 0)
			return true;
	return false;
}

/* If two functions have the most samples, neither is named: each may have one sample. */
static void tally_close(struct tally *tally, struct busy *busy)
{
	const struct count *most = NULL;
	bool alone = false;

	for (size_t i = 0; i < tally->counts.count && tally->samples >= SAMPLES_LEAST; i++) {
		const struct count *count = &tally->counts.items[i];

		if (most && count->samples <= most->samples) {
			alone = alone && count->samples < most->samples;
			continue;
		}
		most = count;
		alone = true;
	}
	if (alone) {
		busy->stack = most->stack;
		busy->samples = tally->samples;
		busy->in_function = most->samples;
	}
	free(tally->counts.items);
}

/* Sets *busy to the run that the piece belongs to, in the graph's time; returns the index of the piece behind it. */
static size_t find_run(const struct cut *cut, const struct thread *thread, size_t piece, struct busy *busy)
{
	size_t first, last;

	thread_run_around(thread, piece, &first, &last);
	*busy = (struct busy){
		.cut = stacks_of(cut->wake)->cuts,
		.from = later(thread->pieces.items[first].start, cut->graph->from),
		.to = sooner(thread_piece_end(cut->wake, thread, last), cut->graph->to),
	};
	return last + 1;
}

static size_t samples_before(const struct thread *thread, int64_t ts)
{
	return COUNT_UNTIL(of(thread)->samples.items, of(thread)->samples.count, ts, ts - 1);
}

/* Adds those samples of the run that were not taken in an interrupt. */
static void tally_run(struct tally *tally, const struct cut *cut, const struct thread *thread, const struct busy *run)
{
	size_t first = samples_before(thread, run->from), end = samples_before(thread, run->to);

	for (size_t i = first; i < end && i < first + SAMPLES; i++) {
		const struct sample *sample = &of(thread)->samples.items[i];
		size_t at = thread_find(thread, sample->ts);

		if (at > 0 && thread->pieces.items[at - 1].what == WHAT_RUN)
			tally_add(tally, cut->wake, sample);
	}
}

/* How many samples of the run were in the run's function of the program, and also in this function of the kernel. */
static uint32_t samples_in(const struct wake *wake, const struct thread *thread, const struct busy *run, const struct frame *kernel)
{
	size_t first = samples_before(thread, run->from), end = samples_before(thread, run->to);
	struct frame function, own;
	uint32_t count = 0;

	if (!frame_of_stack(stack_numbered(wake, run->stack), &function))
		return 0;
	for (size_t i = first; i < end && i < first + SAMPLES; i++) {
		const struct stack *stack = stack_numbered(wake, of(thread)->samples.items[i].stack);

		count += frame_of_stack(stack, &own) && function_length(&own) == function_length(&function) &&
			 memcmp(own.text, function.text, function_length(&own)) == 0 && has_frame(stack->kernel, kernel);
	}
	return count;
}

/*
 * The innermost function of the kernel that nine in ten of the samples were in: what a system call does all the time, whatever it
 * calls for that, as ovl_copy_up_file reads and writes by turns. NULL: they were in no such function, or only in the call itself.
 */
static char *kernel_of_run(const struct wake *wake, const struct thread *thread, const struct busy *run)
{
	const struct stack *stack = stack_numbered(wake, run->stack);
	const char *rest = stack ? stack->kernel : NULL;
	struct frame frame;

	if (!stack || !stack->user)
		return NULL;
	while (find_frame(rest, is_passage, &frame, &rest))
		if (10 * samples_in(wake, thread, run, &frame) >= 9 * run->in_function)
			return memory_text(frame.text, frame.length);
	return NULL;
}

static bool is_at_hand(const struct cut *cut, const struct busy *busy, int64_t ts)
{
	return busy->cut == stacks_of(cut->wake)->cuts && busy->from <= ts && ts < busy->to;
}

/* The samples of the run that a piece belongs to. */
static const struct busy *busy_run(const struct cut *cut, const struct thread *thread, size_t piece)
{
	int64_t ts = later(thread->pieces.items[piece].start, cut->graph->from);
	struct busy *busy = &of(thread)->run;
	struct tally tally = {0};

	if (is_at_hand(cut, busy, ts))
		return busy;
	free(busy->kernel);
	find_run(cut, thread, piece, busy);
	tally_run(&tally, cut, thread, busy);
	tally_close(&tally, busy);
	busy->kernel = busy->stack ? kernel_of_run(cut->wake, thread, busy) : NULL;
	return busy;
}

/* Tells whether nothing is known of the run but that it is a run. */
static bool is_plain(const struct piece *piece)
{
	return piece->what == WHAT_RUN && piece->flags >> LOCK_BITS == 0 && piece->cause == CAUSE_NONE;
}

/* The samples of all the thread's runs with too few samples. */
static const struct busy *busy_short_runs(const struct cut *cut, const struct thread *thread)
{
	struct busy *busy = &of(thread)->short_runs, run;
	size_t i = thread_find(thread, cut->graph->from);
	struct tally tally = {0};

	if (busy->cut == stacks_of(cut->wake)->cuts)
		return busy;
	*busy = (struct busy){.cut = stacks_of(cut->wake)->cuts};
	for (i -= i > 0; i < thread->pieces.count && thread->pieces.items[i].start < cut->graph->to;) {
		if (!is_plain(&thread->pieces.items[i])) {
			i++;
			continue;
		}
		i = find_run(cut, thread, i, &run);
		if (samples_before(thread, run.to) - samples_before(thread, run.from) < SAMPLES_LEAST)
			tally_run(&tally, cut, thread, &run);
	}
	tally_close(&tally, busy);
	return busy;
}

static void tell_busy(struct stack_told *told, const struct wake *wake, const struct busy *busy)
{
	if (!busy->stack)
		return;
	free(told->function);
	free(told->functions);
	*told = tell_of(stack_numbered(wake, busy->stack));
	told->kernel = busy->kernel ? memory_text(busy->kernel, strlen(busy->kernel)) : NULL;
	told->samples = busy->samples;
	told->in_function = busy->in_function;
}

static struct stack_told tell_run(const struct cut *cut, const struct thread *thread, size_t piece, int32_t asker)
{
	const struct wake *wake = cut->wake;
	const struct mark *wake_up = mark_of_run(wake, thread, piece, asker);
	struct stack_told told = tell_of(stack_of(wake, wake_up));
	char *waited_in = told.functions ? asker_function(wake, wake->threads.items[asker], wake_up) : NULL;

	if (of(thread)->samples.count)
		tell_busy(&told, wake, busy_run(cut, thread, piece));
	if (!told.function && of(thread)->samples.count && is_plain(&thread->pieces.items[piece]))
		tell_busy(&told, wake, busy_short_runs(cut, thread));
	told.asker_function = waited_in;
	return told;
}

static struct stack_told tell_wait(const struct cut *cut, const struct thread *thread, size_t piece)
{
	const struct stack *stack = stack_of(cut->wake, mark_of_wait(thread, piece));
	struct stack_told told = tell_of(stack);

	told.kernel = told.functions ? kernel_of(stack) : NULL;
	return told;
}

static void keep(struct telling *telling, char *text)
{
	*ARRAY_ADD(&telling->texts) = text;
}

/* Tells nothing of a thread that has the CPU in a wait: its stack would be that of the wait's begin. */
static void tell(struct cut *cut, struct telling *telling)
{
	const struct thread *asker = telling->asker == INDEX_NONE ? NULL : cut->wake->threads.items[telling->asker];
	uint8_t what = telling->thread->pieces.items[telling->piece].what;
	struct stack_told told = {0};

	if (telling->runs != (what == WHAT_RUN))
		return;
	if (what == WHAT_RUN)
		told = tell_run(cut, telling->thread, telling->piece, telling->asker);
	else if (what == WHAT_WAIT)
		told = tell_wait(cut, telling->thread, telling->piece);
	telling->deed->function = told.function;
	telling->detail->kernel = told.kernel;
	telling->detail->asker_function = told.asker_function;
	keep(telling, told.function);
	keep(telling, told.kernel);
	keep(telling, told.asker_function);
	telling->detail->asker = told.asker_function ? wake_comm(cut->wake, asker) : NULL;
	telling->detail->samples = told.samples;
	telling->detail->in_function = told.in_function;
	telling->stack = told.functions;
}

uint32_t stack_number(const struct wake *wake, const struct thread *thread, size_t wait)
{
	const struct mark *found = mark_of_wait(thread, wait);

	return stack_of(wake, found) ? found->stack : 0;
}

/* Tells whether this is the function in which every program and every thread begins. */
static bool is_begin(const struct frame *frame)
{
	return begins(frame, 0, "_start (");
}

static void print_call(FILE *out, const struct frame *frame)
{
	size_t length = function_length(frame);

	if (length < frame->length)
		fprintf(out, "%.*s:", (int)(frame->length - length - 3), frame->text + length + 2);
	print_function(out, frame);
}

char *stack_calls(const struct wake *wake, uint32_t number)
{
	const struct stack *stack = stack_numbered(wake, number);
	const char *at = stack ? stack->user : NULL;
	char *calls = NULL;
	struct frame frame;
	size_t size;
	FILE *out = open_memstream(&calls, &size);

	while (next_frame(&at, &frame)) {
		if (is_wrapper(&frame) || is_begin(&frame))
			continue;
		fputs(ftell(out) ? ";" : "", out);
		print_call(out, &frame);
	}
	fclose(out);
	if (*calls)
		return calls;
	free(calls);
	return NULL;
}

char *stack_function(const struct wake *wake, uint32_t number)
{
	struct frame frame;

	return frame_of_stack(stack_of(wake, &(struct mark){.stack = number}), &frame) ? function_of(&frame) : NULL;
}

char *stack_functions(const struct wake *wake, uint32_t number)
{
	return functions_of(stack_numbered(wake, number));
}

static void thread_trim(const struct thread *thread, int64_t before)
{
	struct marks *marks = of(thread);
	size_t drop = marks_until(thread, before - 1), samples = COUNT_UNTIL(marks->samples.items, marks->samples.count, ts, before - 1);

	if (drop)
		ARRAY_REMOVE(&marks->list, 0, drop);
	if (samples)
		ARRAY_REMOVE(&marks->samples, 0, samples);
}

static const struct part_event events[] = {
	{"stack:sleep", on_sleep, {"stack"}, .aside = true},
	{"stack:wake", on_wake, {"stack", "pid"}, .aside = true},
	{"stack:run", on_run, {"stack"}, .aside = true},
	{0},
};

static const struct part_record records[] = {{KIND_STACK, read_stack}, {0}};

const struct part stack_part = {
	.events = events,
	.records = records,
	.window = sizeof(struct stacks),
	.thread = sizeof(struct marks),
	.cut = begin_cut,
	.tell = tell,
	.forget_meanings = forget_meanings,
	.free = forget_meanings,
	.thread_trim = thread_trim,
	.thread_free = thread_free,
};

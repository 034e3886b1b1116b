/*
 * words: deeds in plain English, for people: the one place that makes words of a deed. (Who held the CPU or the queue that a thread waited for is no
 * part of that wait's deed; model/story says it.) No program reads the words back. They contain names as recorded: clean_text() makes them fit
 * to print. The caller frees every text that is returned, except const ones.
 */
#ifndef GRAPH_WORDS_H
#define GRAPH_WORDS_H

#include "graph/graph.h"

/* For name=: "reader: read of 7:0 in service", "timer: futex of victim in fetch". */
char *words_name(const struct deed *deed);

/* For label=: one node's deed and detail: "reader/3312 on CPU 1, at 576 of 1804 MHz". */
char *words_label(const struct node *node);

/* What a wait was in or for: "read tcp socket", "kernel mutex", "page fault in read"; NULL: not known. */
char *words_reason(const struct deed *deed);

/* The others that got answers during a wait: "behind 312 others, mostly flood"; NULL: few, or not known. */
char *words_queue(const struct node *wait);

/* A thread: "reader/3312"; "thread 3312" if it has no name; its name alone if tid is 0. */
char *words_thread(const char *name, int32_t tid);

/* The row of the node in a picture: "reader/3312", "loop0", "timer"; words_row_name() leaves out a thread's number: "reader". */
char *words_row(const struct node *node);
char *words_row_name(const struct node *node);

/* The name of the thread that the node is a piece of, even if it works for another. NULL: not known. */
const char *words_own_name(const struct node *node);

/* A node as a sentence: subject, joint, predicate: "grinder/77" " " "running", "cc1" ": " "work on loop0", "" "" "in service at loop0". */
struct sentence {
	char *subject, *predicate, *about; /* about: the name of the thread that is the subject; "": none */
	const char *joint;
	bool of_row; /* the subject is the node's row; else another thread, or none */
};
enum sentence_view {
	VIEW_OWN = 1,  /* the request belongs to the thread that the graph is about, so the sentence does not name it */
	VIEW_OPEN = 2, /* the wait had not ended when the graph's time ended */
};
struct sentence words_sentence(const struct node *node, int view);
void sentence_free(struct sentence *sentence);
char *sentence_words(const struct sentence *sentence);

/* The share of a run's samples in its function: "97 % of 60 samples"; "" if there are no samples. */
char *words_samples(uint64_t samples, uint64_t in_function);

/*
 * Words of counters= and counted= (CPU time, ns): "1,203 page faults, 45,210 yields". From YIELDS yields in a second of CPU time on:
 * "yielding (45,210 yields)". "" if nothing was counted.
 */
enum { YIELDS = 1000 };
char *words_counters(const char *counters, int64_t counted);

/* Further facts of a run, as far as known: ", 576 of 1804 MHz", ", 97 % of 60 samples", ", awaited by worker in fetch"; "": none. */
char *words_circumstance(const struct node *node);

/* A ranked deed. `crowd` describes the threads that did it ("": nothing to say): "reader (318 threads): read of 7:0 in service". */
char *words_blame(const struct deed *deed, const char *crowd);
char *words_act(const struct deed *deed); /* only what was done: "read of 7:0 in service"; NULL for DEED_TEXT */

#endif

/*
 * words: deeds in plain English, for people: the one place that makes words of a deed. (Who held the CPU or the queue of a wait is no part of its
 * deed; model/story says that.) No program reads them back. Texts are as raw as the names in them: clean_text() makes them fit to print. The caller
 * frees all that is returned.
 */
#ifndef GRAPH_WORDS_H
#define GRAPH_WORDS_H

#include "graph/graph.h"

/* For name=: "reader: read of 7:0 in service", "timer: futex of victim in fetch". */
char *words_name(const struct deed *deed);

/* For label=, of one node: "reader/3312 on CPU 1, at 576 of 1804 MHz". */
char *words_label(const struct node *node);

/* The place or object of a wait: "read tcp socket", "kernel mutex", "page fault in read"; NULL: not known. */
char *words_reason(const struct deed *deed);

/* The crowd before a wait: "behind 312 others, mostly flood"; NULL: not known. */
char *words_queue(const struct node *wait);

/* A thread: "reader/3312"; "thread 3312" where it has no name. Without number (0) its name. */
char *words_thread(const char *name, int32_t tid);

/* The owner of the node: "reader/3312", "loop0", "timer", "softirq NET_RX"; and without the number of a thread: "reader". */
char *words_row(const struct node *node);
char *words_row_name(const struct node *node);

/* The thread whose piece the node is: its own name, although it works for another. NULL: the deed does not tell. */
const char *words_own_name(const struct node *node);

/* A node as a sentence: subject, joint, predicate: "grinder/77" " " "running", "cc1" ": " "work on loop0", "" "" "in service at loop0". */
struct sentence {
	char *subject, *predicate, *about; /* about: the name of the thread in it; "": none */
	const char *joint;
	bool of_row; /* the subject is that of the row; else another thread, or none */
};
enum sentence_view {
	VIEW_OWN = 1,  /* the request is of the thread that the graph is about: that needs no name */
	VIEW_OPEN = 2, /* it had not ended at the end of what the graph covers */
};
struct sentence words_sentence(const struct node *node, int view);
void sentence_free(struct sentence *sentence);
char *sentence_words(const struct sentence *sentence);

/* Of a run's function: "97 % of 60 samples"; "" where there are none. */
char *words_samples(uint64_t samples, uint64_t in_function);

/*
 * The counts of counters in words, of the keys counters= and counted=: "1,203 page faults, 45,210 yields"; with YIELDS a second and more,
 * "yielding (45,210 yields)". "" where that is not known.
 */
enum { YIELDS = 1000 };
char *words_counters(const char *counters, int64_t counted);

/* Further facts of a run: ", 576 of 1804 MHz", ", 97 % of 60 samples", ", awaited by worker in fetch"; "" where that is not known. */
char *words_circumstance(const struct node *node);

/* A ranked deed, with what is said of those who did it (""): "reader (318 threads): read of 7:0 in service". */
char *words_blame(const struct deed *deed, const char *crowd);
char *words_act(const struct deed *deed); /* what was done alone: "read of 7:0 in service"; NULL of a deed that is only a text */

#endif

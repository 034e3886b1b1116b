#include "walk/dot.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "graph/graph_record.h"
#include "walk/node_name.h"

static void print_quoted(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
}

static void print_wait(FILE *out, const struct whole *whole, uint32_t number)
{
	const struct segment *segment = segment_at(whole, number);
	char *name = node_name(whole, number), *in = wait_name(whole, segment->identity), duration[NUMBER_ROOM];

	number_human_duration(duration, segment->end - segment->wait_from);
	fprintf(out, "\ts%u [label=\"", number);
	print_quoted(out, name);
	fprintf(out, "\\nwaits %s in ", duration);
	print_quoted(out, in);
	fputs("\"];\n", out);
	free(name);
	free(in);
}

/* A thread as a node. Edges lead from the wait that the waker had come out of; if that is not in the picture, from the waker's thread. */
static void print_thread(FILE *out, const struct whole *whole, uint32_t thread)
{
	char *name = thread_name(whole, thread);

	fprintf(out, "\tt%u [shape=box, label=\"", thread);
	print_quoted(out, name);
	fputs("\"];\n", out);
	free(name);
}

static void print_back(FILE *out, const struct whole *whole, const struct walk_back *back)
{
	for (size_t i = 0; i < back->steps.count; i++) {
		const struct walk_back_step *step = &back->steps.items[i];
		uint32_t source;

		print_wait(out, whole, step->segment);
		if (!step->edge)
			continue;
		source = segment_at(whole, step->edge->from)->thread;
		if (i + 1 < back->steps.count) {
			fprintf(out, "\ts%u -> s%u", back->steps.items[i + 1].segment, step->segment);
		} else {
			print_thread(out, whole, source);
			fprintf(out, "\tt%u -> s%u", source, step->segment);
		}
		fprintf(out, " [label=\"%s%s\"];\n", edge_kind_name(step->edge->kind), step->edge->weak ? ", weak" : "");
	}
}

static void print_votes(FILE *out, const struct whole *whole, const struct vote *vote)
{
	for (size_t i = 0; i < vote->steps.count; i++) {
		const struct vote_step *step = &vote->steps.items[i];

		print_wait(out, whole, step->segment);
		if (step->source == NUMBER_NONE)
			continue;
		if (i + 1 < vote->steps.count) {
			fprintf(out, "\ts%u -> s%u", vote->steps.items[i + 1].segment, step->segment);
		} else {
			print_thread(out, whole, step->source);
			fprintf(out, "\tt%u -> s%u", step->source, step->segment);
		}
		fprintf(out, " [style=dashed, label=\"usually, %zu of %zu\"];\n", step->votes, step->normal);
	}
}

void dot_write(FILE *out, const struct whole *whole, const struct walk_back *back, const struct vote *vote)
{
	fputs("digraph walk {\n\trankdir=LR;\n", out);
	print_back(out, whole, back);
	print_votes(out, whole, vote);
	fputs("}\n", out);
}

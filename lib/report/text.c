/*
 * The report as text. Where all input is there already, the summary comes first, as in a letter; in a live pipe each
 * moment is printed as soon as it is known, and the summary comes last.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/figure.h"
#include "report/group.h"
#include "report/heading.h"
#include "report/output.h"
#include "report/summary.h"
#include "report/words.h"
#include "report/wrap.h"

enum { PARTS_SHOWN = 8, CULPRITS_SHOWN = 8, VERDICTS_SHOWN = 5, GROUPS_SHOWN = 6 };

struct text {
	FILE *body; /* moments: options.out, or a file that follows the summary */
	struct heading heading;
	uint64_t lost_told;
	bool greeted;
};

static void wrap(const struct report *report, FILE *out, const char *lead, const char *text)
{
	wrap_text(out, report->options.width, lead, text);
}

/* "   path    2.288 s  99.8 %  ..."; the title stands in the first row only. */
static void put_row(const struct report *report, FILE *out, const char *title, char *time, double share,
		    const char *words)
{
	char *lead, percent[32] = "";

	if (!isnan(share))
		snprintf(percent, sizeof(percent), "%.1f %%", 100 * share);
	lead = memory_format("%-8s%10s %8s  ", title, time, percent);
	wrap(report, out, lead, words);
	free(time);
	free(lead);
}

static void row(const struct report *report, FILE *out, const char *title, double seconds, double share,
		const char *words)
{
	put_row(report, out, title, isnan(seconds) ? memory_format("%s", "") : words_seconds(seconds), share, words);
}

/* Who waits for whom. */
static void print_chain(const struct report *report, FILE *out, const struct story *story)
{
	if (story->chain)
		wrap(report, out, "   chain   ", story->chain);
}

static void print_path(const struct report *report, FILE *out, const struct story *story)
{
	const char *title = "   path";
	const struct part *part;
	double rest = story_length(story), hidden = 0;
	bool no_slivers = story_hides_slivers(story);
	size_t shown = 0;
	char *words;

	for (part = story->parts; part; part = part->hh.next) {
		rest -= part->time;
		if (shown == PARTS_SHOWN || (shown > 0 && no_slivers && story_share(story, part) < SLIVER)) {
			hidden += part->time;
			continue;
		}
		words = memory_format("%s%s", part->words, part->meanwhile);
		row(report, out, title, part->time, story_share(story, part), words);
		free(words);
		title = "";
		shown++;
	}
	if (hidden > 0) {
		words = words_count(HASH_COUNT(story->parts) - shown, "further piece");
		row(report, out, "", hidden, hidden / story_length(story), words);
		free(words);
	}
	if (shown > 0 && story->kind == GRAPH_WAKE && rest > story_length(story) / 1000)
		row(report, out, "", rest, rest / story_length(story), "not explained: the data have a gap here");
}

static void print_blame(const struct report *report, FILE *out, const char *title, const struct story *story)
{
	const struct culprit *culprit;
	size_t i;

	for (i = 0; i < story_culprits(story, CULPRITS_SHOWN); i++) {
		culprit = &story->culprits.items[i];
		put_row(report, out, i ? "" : title, words_score(culprit), culprit->timeless ? NAN : culprit->share,
			culprit->fuller);
	}
}

/* "python3 is process 2220, python3 /srv/batch/rollup.py, of rollup.service", or "python3/2221 is of process 2220". */
static void print_who(const struct report *report, FILE *out, const char *title, const char *name, const struct identity *identity,
		      int32_t tid)
{
	char *who = identity_words(identity), *lead = memory_format("%-11s", title), *words;

	if (tid)
		words = memory_format("%s/%d is%s %s", name, tid, tid == identity->pid ? "" : " of", who);
	else
		words = memory_format("%s is %s", name, who);
	wrap(report, out, lead, words);
	free(words);
	free(lead);
	free(who);
}

/* Which processes are blamed, each once, and which one was slow. */
static void print_processes(const struct report *report, FILE *out, const struct story *story)
{
	const struct signal *signal = story->signal;
	const char *title = "   who";
	bool told = !signal || !signal->identity.pid;
	size_t i, j;

	for (i = 0; i < story_culprits(story, CULPRITS_SHOWN); i++) {
		const struct culprit *culprit = &story->culprits.items[i];

		for (j = 0; j < i && story->culprits.items[j].identity.pid != culprit->identity.pid; j++) {
		}
		if (j < i || !culprit->identity.pid)
			continue;
		print_who(report, out, title, culprit->who, &culprit->identity, 0);
		told |= signal && signal->identity.pid == culprit->identity.pid;
		title = "";
	}
	if (!told)
		print_who(report, out, title, signal->comm, &signal->identity, signal->tid);
}

static void print_also(const struct report *report, FILE *out, const char *clock, const char *words)
{
	char *lead = memory_format("   also %s%s", clock, *clock ? "  " : "");

	wrap(report, out, lead, words);
	free(lead);
}

static void print_also_signal(const struct report *report, FILE *out, const struct moment *moment, const struct signal *signal, const char *words)
{
	char clock[WORDS_CLOCK_ROOM];

	words_time(moment, signal->start, clock);
	print_also(report, out, clock, words);
}

/* A story without signal, or each where all are wanted. */
static void print_story(const struct report *report, FILE *out, const struct moment *moment, const struct story *story)
{
	struct group group = {.first = story->signal, .story = story, .count = 1, .explained = 1};
	char clock[WORDS_CLOCK_ROOM], *words;

	group.culprit = story->culprits.count ? story->culprits.items[0].fuller : "";
	words = group_words(report->model, moment, &group);
	words_began(moment, story, clock);
	print_also(report, out, clock, words);
	free(words);
}

/* Every signal that is kept; returns how many. */
static uint64_t print_all(const struct report *report, FILE *out, const struct moment *moment)
{
	for (size_t i = moment->stories.count == 0; i < moment->worst.count; i++) {
		char *words = words_signal(report->model, moment->worst.items[i]);

		print_also_signal(report, out, moment, moment->worst.items[i], words);
		free(words);
	}
	return moment->worst.count;
}

/* Further signals, put together; returns how many of the moment's are told with that. */
static uint64_t print_groups(const struct report *report, FILE *out, const struct moment *moment)
{
	struct groups groups;
	uint64_t told = groups_told_first(moment);
	char *words;

	groups_make(&groups, moment);
	for (size_t i = 0; i < groups.count && i < GROUPS_SHOWN; i++) {
		words = group_words(report->model, moment, &groups.items[i]);
		if (groups.items[i].count == 1)
			print_also_signal(report, out, moment, groups.items[i].first, words);
		else
			wrap(report, out, "   also ", words);
		told += groups.items[i].count;
		free(words);
	}
	free(groups.items);
	return told;
}

/* The head has the limits of the first signal. */
static bool has_other_limits(const struct report *report, const struct signal *signal)
{
	const struct track *track = model_track(report->model, signal->chart, signal->key);

	return fabs(track->signal_limit - signal_limit(signal)) > fabs(track->signal_limit) / 50;
}

static void print_subject(const struct report *report, FILE *out, const struct moment *moment)
{
	const struct story *story = moment->stories.count ? moment->stories.items[0] : NULL;
	const struct signal *signal = story ? story->signal : moment->worst.count ? moment->worst.items[0] : NULL;
	char clock[WORDS_CLOCK_ROOM], *subject = words_moment(report->model, moment), *limits = NULL, *words, *lead;

	if (signal && (!report->options.whole || has_other_limits(report, signal)))
		limits = words_limits(signal->unit, signal->center, signal_limit(signal));
	words = memory_format("%s%s%s%s%s", subject, limits ? " (" : "", limits && report->options.whole ? "at the time: " : "",
			      limits ? limits : "", limits ? ")" : "");
	words_began(moment, story, clock);
	lead = memory_format("%" PRIu64 ". %s%s", moment->number, clock, *clock ? "  " : "");
	wrap(report, out, lead, words);
	free(lead);
	free(words);
	free(limits);
	free(subject);
}

static void print_rest(const struct report *report, FILE *out, const struct moment *moment, uint64_t told)
{
	char *rest = words_rest(moment, told), *gap = words_gap(moment);

	if (rest)
		wrap(report, out, "   and  ", rest);
	if (gap)
		wrap(report, out, "   ", gap);
	free(rest);
	free(gap);
}

/* Frees the heading; NULL: there is none. */
static void print_heading(FILE *out, char *heading)
{
	if (heading)
		fprintf(out, "\n%s:\n", heading);
	free(heading);
}

static void print_moment(const struct report *report, FILE *out, const struct moment *moment)
{
	const struct story *calls;

	fputc('\n', out);
	print_subject(report, out, moment);
	if (moment->stories.count > 0) {
		print_chain(report, out, moment->stories.items[0]);
		print_path(report, out, moment->stories.items[0]);
		if (story_is_ranked_alike(moment->stories.items[0]))
			wrap(report, out, "   blame   ", "the same, in this order");
		else
			print_blame(report, out, "   blame", moment->stories.items[0]);
		if ((calls = moment_companion(moment, moment->stories.items[0])))
			print_blame(report, out, "   calls", calls);
		print_processes(report, out, moment->stories.items[0]);
	}
	for (size_t i = 1; i < moment->stories.count; i++)
		if ((!moment->stories.items[i]->signal || report->options.all) &&
		    !moment_is_companion(moment, moment->stories.items[i]))
			print_story(report, out, moment, moment->stories.items[i]);
	print_rest(report, out, moment, (report->options.all ? print_all : print_groups)(report, out, moment));
}

static void print_summary(struct report *report)
{
	FILE *out = report->out;
	struct verdict verdicts[VERDICTS_SHOWN];
	size_t i, n = model_verdicts(report->model, verdicts, VERDICTS_SHOWN);
	struct summary summary;
	char *words;

	summary_make(&summary, report->model);
	for (i = 0; i < summary.lines.count; i++)
		wrap(report, out, "", summary.lines.items[i]);
	summary_free(&summary);
	if (n > 0)
		fputs(report->model->moments < 2 ? "blamed most:\n" : "blamed most, and in how many moments:\n", out);
	for (i = 0; i < n && (i == 0 || !(verdicts[i].share < SLIVER)); i++) {
		words = summary_share_of_moments(report->model, &verdicts[i]);
		row(report, out, words, verdicts[i].score, verdicts[i].share, verdicts[i].name);
		free(words);
		if (verdicts[i].identity)
			print_who(report, out, "", verdicts[i].who, verdicts[i].identity, 0);
	}
}

/* In a live pipe: where and since when, before anything else; and that events were lost, as soon as they are. */
static void greet(struct report *report)
{
	struct text *text = report->state;
	struct model *model = report->model;
	uint64_t lost = stream_lost(report->stream);
	char date[WORDS_CLOCK_ROOM], *words;

	if (report->options.whole)
		return;
	if (!text->greeted && (*model->host || model->moments > 0)) {
		text->greeted = true;
		if (*model->host && model->has_wall && model->first <= model->last) {
			words_date(model->first, date);
			words = memory_format("host %s, from %s UTC; totals at the end or on SIGUSR1", model->host, date);
			wrap(report, text->body, "", words);
			free(words);
		}
	}
	if (lost > text->lost_told) {
		words = words_count(lost, "event");
		fprintf(text->body, "\nINCOMPLETE: %s lost so far\n", words);
		free(words);
		text->lost_told = lost;
	}
}

static int text_begin(struct report *report)
{
	struct text *text = NEW(struct text);

	report->state = text;
	text->body = report->options.whole ? file_temporary(NULL) : report->out;
	return text->body ? 0 : -1;
}

static int text_moment(struct report *report, const struct moment *moment)
{
	struct text *text = report->state;

	greet(report);
	print_heading(text->body, heading_next(&text->heading, report->model, moment));
	print_moment(report, text->body, moment);
	return report->options.whole ? file_settle(text->body) : report_flush(report);
}

static int text_idle(struct report *report)
{
	if (report->options.whole || report->model->first > report->model->last)
		return 0;
	greet(report);
	return report_flush(report);
}

static int text_totals(struct report *report)
{
	fputs(report->model->records > 0 ? "\nso far: " : "\nso far: no data have come\n", report->out);
	if (report->model->records > 0)
		print_summary(report);
	return report_flush(report);
}

static void print_plots(struct report *report)
{
	char *plot, *complaint = NULL;

	plot = figure_plot(report->model, report->options.width, &complaint);
	if (plot)
		fprintf(report->out, "\n%s", plot);
	if (complaint)
		report_complain(report, complaint);
	free(plot);
}

static int text_end(struct report *report, bool failed)
{
	struct text *text = report->state;

	if (!report->options.whole && text->greeted)
		fputc('\n', report->out);
	print_summary(report);
	if (report->options.plot && !failed)
		print_plots(report);
	if (report->options.whole)
		print_heading(report->out, heading_first(&text->heading, report->model));
	if (report->options.whole && report_append(report, text->body) < 0)
		return -1;
	return report_flush(report);
}

static void text_free(struct report *report)
{
	struct text *text = report->state;

	if (!text)
		return;
	if (text->body && text->body != report->out)
		fclose(text->body);
	heading_free(&text->heading);
	free(text);
}

const struct format format_text = {"text", text_begin, text_moment, text_idle, text_totals, text_end, text_free};

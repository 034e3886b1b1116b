/*
 * The report as text: what was slow and who is to blame, the moments, then limits, host and cost. In a live pipe each moment is printed
 * as soon as it is known, and the rest comes last.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "model/display.h"
#include "model/story.h"
#include "report/figure.h"
#include "report/group.h"
#include "report/heading.h"
#include "report/headline.h"
#include "report/incident.h"
#include "report/output.h"
#include "report/processes.h"
#include "report/summary.h"
#include "report/shown_moments.h"

enum { PARTS_SHOWN = 8, CULPRITS_SHOWN = 8, VERDICTS_SHOWN = 5, GROUPS_SHOWN = 6, LOGGED_SHOWN = 6 };

/* The place of a moment in the body, and its window, about which more is known at the end of the stream. */
struct part {
	char *heading; /* before it; NULL: none */
	char *window;
	size_t host;
	double lost; /* see headline_lost() */
	long from, end; /* after the end, and before the next part, comes the line about all moments of the incident */
};

struct text {
	FILE *body; /* moments: options.out, or a file that follows the summary */
	struct heading heading;
	struct incident incident;
	uint64_t lost_told;
	bool greeted, has_legend;
	ARRAY(struct part) parts; /* if all input is there already */
	/* in a live pipe: moments without signals; each request is such a moment */
	uint64_t requests, left; /* how many came, and how many were left out */
	double worst;		 /* what the worst lost */
};

static void wrap(const struct report *report, FILE *out, const char *lead, const char *text)
{
	display_wrap(out, report->options.width, lead, text);
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
	put_row(report, out, title, isnan(seconds) ? memory_format("%s", "") : value_seconds(seconds), share, words);
}

static void print_chain(const struct report *report, FILE *out, const struct story *story)
{
	if (story->chain)
		wrap(report, out, "   chain   ", story->chain);
}

/* --plot: prints the path as a picture; the first picture has a legend. */
static void print_picture(const struct report *report, FILE *out, const struct story *story)
{
	struct text *text = report->state;
	char *picture = report->options.plot ? figure_path_text(story, report->options.width) : NULL;

	if (!picture)
		return;
	fputs(picture, out);
	if (!text->has_legend)
		wrap(report, out, "   ", figure_path_legend);
	text->has_legend = true;
	free(picture);
}

static void print_path(const struct report *report, FILE *out, const struct story *story)
{
	const char *title = "   path";
	const struct story_part *part;
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
		words = value_count(HASH_COUNT(story->parts) - shown, "further piece");
		row(report, out, "", hidden, hidden / story_length(story), words);
		free(words);
	}
	if (shown > 0 && story->kind == GRAPH_WAKE && rest > story_length(story) / 1000)
		row(report, out, "", rest, rest / story_length(story), "not explained: the data have a gap here");
}

static void print_blame(const struct report *report, FILE *out, const char *title, const struct story *story)
{
	const struct culprit *culprit;
	char *words;
	size_t i;

	for (i = 0; i < story_culprits(story, CULPRITS_SHOWN); i++) {
		culprit = &story->culprits.items[i];
		words = memory_format("%s%s", culprit->fuller, culprit->measured);
		put_row(report, out, i ? "" : title, culprit_score(culprit), culprit->timeless ? NAN : culprit->share, words);
		free(words);
	}
}

/* Prints a name's process, unless the name says it all. Returns whether it printed a line. */
static bool print_who(const struct report *report, FILE *out, const char *title, const char *name, const struct identity *identity,
		      int32_t tid)
{
	char *who = identity_sentence(identity, name, tid), *lead = memory_format("%-11s", title);
	bool said = who != NULL;

	if (said)
		wrap(report, out, lead, who);
	free(lead);
	free(who);
	return said;
}

/* Prints which processes wait for each other, which are blamed, and which was slow. */
static void print_processes(const struct report *report, FILE *out, const struct story *story)
{
	const char *title = "   who     ";
	struct processes processes;

	processes_find(&processes, story, story_culprits(story, CULPRITS_SHOWN));
	for (size_t i = 0; i < processes.sentences.count; i++) {
		wrap(report, out, title, processes.sentences.items[i]);
		title = "           ";
	}
	processes_free(&processes);
}

static void print_also(const struct report *report, FILE *out, const char *clock, const char *words)
{
	char *lead = memory_format("   also %s%s", clock, *clock ? "  " : "");

	wrap(report, out, lead, words);
	free(lead);
}

static void print_also_signal(const struct report *report, FILE *out, const struct moment *moment, const struct signal *signal, const char *words)
{
	char clock[TIME_ROOM];

	moment_time(moment, signal->start, clock);
	print_also(report, out, clock, words);
}

/* Prints a further story in a line: one without signal or, with --all, any. */
static void print_story(const struct report *report, FILE *out, const struct moment *moment, const struct story *story)
{
	struct group group = {.first = story->signal, .story = story, .count = 1, .explained = 1};
	char clock[TIME_ROOM], *words;

	group.culprit = story->culprits.count ? story->culprits.items[0].fuller : "";
	words = group_words(report->model->site, moment, &group);
	moment_began_words(moment, story, clock);
	print_also(report, out, clock, words);
	free(words);
}

/* Prints every signal that was kept, and returns their number. */
static uint64_t print_all(const struct report *report, FILE *out, const struct moment *moment)
{
	for (size_t i = moment->stories.count == 0; i < moment->worst.count; i++) {
		char *words = signal_words(report->model->site, moment->worst.items[i]);

		print_also_signal(report, out, moment, moment->worst.items[i], words);
		free(words);
	}
	return moment->worst.count;
}

/* Prints further signals in groups. Returns how many of the moment's signals are printed now. */
static uint64_t print_groups(const struct report *report, FILE *out, const struct moment *moment)
{
	struct groups groups;
	uint64_t told = groups_told_first(moment);
	char *words;

	groups_make(&groups, moment);
	for (size_t i = 0; i < groups.count && i < GROUPS_SHOWN; i++) {
		words = group_words(report->model->site, moment, &groups.items[i]);
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

/* Tells whether the limits of a signal differ from those of its track's first signal, which the report's end has. */
static bool has_other_limits(const struct report *report, const struct signal *signal)
{
	const struct track *track = tracks_find(report->model->tracks, signal);

	return fabs(track->signal_limit - signal_limit(signal)) > fabs(track->signal_limit) / 50;
}

static void print_subject(const struct report *report, FILE *out, const struct moment *moment)
{
	const struct story *story = moment_story(moment);
	const struct signal *signal = moment_signal(moment);
	char clock[TIME_ROOM], *subject = moment_words(report->model->site, moment), *limits = NULL, *words, *lead;

	if (signal && (!report->options.whole || has_other_limits(report, signal)))
		limits = value_limits(signal->unit, signal->center, signal_limit(signal));
	words = memory_format("%s%s%s%s%s", subject, limits ? " (" : "", limits && report->options.whole ? "at the time: " : "",
			      limits ? limits : "", limits ? ")" : "");
	moment_began_words(moment, story, clock);
	lead = memory_format("%" PRIu64 ". %s%s", moment->number, clock, *clock ? "  " : "");
	wrap(report, out, lead, words);
	free(lead);
	free(words);
	free(limits);
	free(subject);
}

static void print_rest(const struct report *report, FILE *out, const struct moment *moment, uint64_t told)
{
	char *rest = moment_rest(moment, told), *gap = moment_gap(moment);

	if (rest)
		wrap(report, out, "   and  ", rest);
	if (gap)
		wrap(report, out, "   ", gap);
	free(rest);
	free(gap);
}

/* `heading` may be NULL: there is none. */
static void print_heading(FILE *out, const char *heading)
{
	if (heading)
		fprintf(out, "\n%s:\n", heading);
}

static void print_signs(const struct report *report, FILE *out, const struct moment *moment)
{
	char *words = moment_signs(moment);

	if (words)
		wrap(report, out, "   before  ", words);
	free(words);
}

static void print_moment(const struct report *report, FILE *out, const struct moment *moment)
{
	const struct story *calls;

	fputc('\n', out);
	print_subject(report, out, moment);
	print_signs(report, out, moment);
	if (moment->stories.count > 0) {
		print_chain(report, out, moment->stories.items[0]);
		print_picture(report, out, moment->stories.items[0]);
		print_path(report, out, moment->stories.items[0]);
		if (story_is_ranked_alike(moment->stories.items[0]))
			wrap(report, out, "   blame   ", "the same, in this order");
		else
			print_blame(report, out, "   blame", moment->stories.items[0]);
		if ((calls = moment_companion(moment, moment->stories.items[0])))
			print_blame(report, out, "   calls", calls);
		print_processes(report, out, moment->stories.items[0]);
		if (moment->stories.items[0]->hint)
			wrap(report, out, "   hint    ", moment->stories.items[0]->hint);
	}
	for (size_t i = 1; i < moment->stories.count; i++)
		if ((!moment->stories.items[i]->signal || report->options.all) &&
		    !moment_is_companion(moment, moment->stories.items[i]))
			print_story(report, out, moment, moment->stories.items[i]);
	print_rest(report, out, moment, (report->options.all ? print_all : print_groups)(report, out, moment));
}

static void print_lines(const struct report *report, struct summary *summary)
{
	for (size_t i = 0; i < summary->lines.count; i++)
		wrap(report, report->out, "", summary->lines.items[i]);
	summary_free(summary);
}

/* Prints the worst moment, with its chain and culprits, and a line for each of the next ones. */
static void print_headline(const struct report *report)
{
	char *first, *next;

	if (report->headlines.count == 0)
		return;
	first = headlines_first(&report->headlines, report->model);
	wrap(report, report->out, "", first);
	if (*report->headlines.items[0].chain)
		wrap(report, report->out, "  ", report->headlines.items[0].chain);
	if (*report->headlines.items[0].blame)
		wrap(report, report->out, "  ", report->headlines.items[0].blame);
	for (size_t i = 1; i < report->headlines.count; i++) {
		next = headlines_next(&report->headlines, report->model->site, i);
		wrap(report, report->out, i == 1 ? "next: " : "      ", next);
		free(next);
	}
	free(first);
}

/* Prints the line about the pipe's own moments, which say nothing about the machine: first if there are no others, else after these. */
static void print_own(const struct report *report)
{
	char *own = headlines_own(&report->headlines, report->model->site);

	if (own)
		wrap(report, report->out, "", own);
	free(own);
}

/* Tells whether a line above has named the process. */
static bool is_known(const struct verdict *verdicts, size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (verdicts[i].identity && verdicts[i].identity->pid == verdicts[which].identity->pid && !strcmp(verdicts[i].who, verdicts[which].who))
			return true;
	return false;
}

/* Prints the culprits over all moments; if there is a single moment, its own lines name its culprits. */
static void print_verdicts(const struct report *report)
{
	struct verdict verdicts[VERDICTS_SHOWN];
	size_t i, n = report->model->counts->moments - report->headlines.owns < 2 ? 0 : verdicts_list(report->model->verdicts, verdicts, VERDICTS_SHOWN);
	char *words, *where, *name;

	if (n > 0)
		fputs("blamed most, and in how many moments:\n", report->out);
	for (i = 0; i < n && (i == 0 || !(verdicts[i].share < SLIVER)); i++) {
		words = summary_share_of_moments(report->model, &verdicts[i]);
		where = verdict_where(report->model->verdicts, &verdicts[i]);
		name = memory_format("%s%s%s", verdicts[i].name, where ? ", " : "", where ? where : "");
		row(report, report->out, words, verdicts[i].score, verdicts[i].share, name);
		free(words);
		free(where);
		free(name);
		if (verdicts[i].identity && !is_known(verdicts, i))
			print_who(report, report->out, "", verdicts[i].who, verdicts[i].identity, 0);
	}
}

static void print_contrast(const struct report *report)
{
	const struct contrast_line *line;

	for (size_t i = 0; (line = contrast_line(report->model->contrast, i)); i++)
		wrap(report, report->out, line->lead ? line->lead : "", line->text);
}

static void print_logged_row(const struct report *report, const struct logged_row *row)
{
	char *times[4] = {value_seconds(row->path[LOGGED_MATCHED]), value_seconds(row->path[LOGGED_OTHERS]), value_seconds(row->blame[LOGGED_MATCHED]),
			  value_seconds(row->blame[LOGGED_OTHERS])};
	char *lead = memory_format("%9s %9s %9s %9s  ", times[0], times[1], times[2], times[3]);

	wrap(report, report->out, lead, row->words);
	free(lead);
	for (size_t i = 0; i < 4; i++)
		free(times[i]);
}

/* Prints the paths and the blame of the requests that a trigger logged: those that matched beside the others. */
static void print_logged(const struct report *report)
{
	const struct logged_trigger *trigger;

	for (size_t i = 0; (trigger = logged_requests_trigger(report->model->logged, i)); i++) {
		char *words = logged_requests_words(trigger);

		wrap(report, report->out, "", words);
		free(words);
		for (size_t row = 0, shown = 0; row < trigger->rows.count; row++) {
			bool first = row == 0 || trigger->rows.items[row].kind != trigger->rows.items[row - 1].kind;

			if (first)
				fprintf(report->out, "%19s %19s  in the mean, %s\n%9s %9s %9s %9s\n", "on the path", "blamed for",
					trigger->rows.items[row].kind == GRAPH_RAG ? "by calls" : "by threads", "matched", "others", "matched", "others");
			shown = first ? 1 : shown + 1;
			if (shown <= LOGGED_SHOWN)
				print_logged_row(report, &trigger->rows.items[row]);
		}
	}
}

/* Prints the logged calls, and the values that tell calls of requests that matched from calls of others. */
static void print_called(const struct report *report)
{
	const struct logged_function *function;

	for (size_t i = 0; (function = logged_calls_function(report->model->called, i)); i++) {
		char *words = logged_calls_words(function);

		wrap(report, report->out, "", words);
		free(words);
		for (size_t n = 0; n < function->values.count && n < LOGGED_SHOWN; n++) {
			words = logged_calls_value_words(&function->values.items[n]);
			wrap(report, report->out, "  ", words);
			free(words);
		}
	}
}

static void print_findings(const struct report *report)
{
	struct summary summary;

	print_headline(report);
	if (report->headlines.count == 0)
		print_own(report);
	print_contrast(report);
	summary_findings(&summary, report->model);
	print_lines(report, &summary);
	print_verdicts(report);
	print_logged(report);
	print_called(report);
}

static void print_data(const struct report *report)
{
	struct summary summary;

	if (report->headlines.count > 0)
		print_own(report);
	summary_data(&summary, report->model);
	print_lines(report, &summary);
}

/* In a live pipe, says first where and since when it runs, and reports lost events: the first ones, then each time their number has doubled. */
static void greet(struct report *report)
{
	struct text *text = report->state;
	struct model *model = report->model;
	uint64_t lost = stream_lost(report->stream);
	char date[TIME_ROOM], *words;

	if (report->options.whole)
		return;
	if (!text->greeted && (*model->site->host || model->counts->moments > 0)) {
		text->greeted = true;
		if (*model->site->host && model->site->has_wall && model->site->seen.first <= model->site->seen.last) {
			time_date(model->site->seen.first, date);
			words = memory_format("host %s, from %s UTC; totals at the end or on SIGUSR1", model->site->host, date);
			wrap(report, text->body, "", words);
			free(words);
		}
	}
	if (lost > 0 && lost / 2 >= text->lost_told) {
		words = value_count(lost, "event");
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

static int print_part(const struct report *report, const struct moment *moment)
{
	struct text *text = report->state;
	struct part *part = &text->parts.items[text->parts.count - 1];

	part->from = ftell(text->body);
	print_moment(report, text->body, moment);
	part->end = ftell(text->body);
	part->lost = headline_lost(moment);
	part->host = report->model->site->number;
	free(part->window);
	part->window = moment->window ? memory_text(moment->window, strlen(moment->window)) : NULL;
	return file_settle(text->body);
}

/* Prints who usually ends the wait: the culprit, and a circle of waits. */
static void print_usual(const struct report *report, const char *lead, const struct usual_window *usual)
{
	char *indent = memory_format("%*s", (int)strlen(lead), "");

	for (const char *line = usual->lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *words = memory_text(line, strcspn(line, "\n"));

		wrap(report, report->out, line == usual->lines ? lead : indent, words);
		free(words);
	}
	free(indent);
}

/* Prints who usually ends the waits, by window: in a live pipe the moments are printed already. */
static void print_usual_behind(const struct report *report)
{
	const struct usual_window *usual;

	for (size_t i = 0; (usual = usual_culprit_window(report->model->usual, i)); i++) {
		bool several = report->model->hosts.count > 0;
		char *lead = memory_format("usual in window %s%s%s: ", usual->id, several ? " of " : "", several ? usual->host : "");

		print_usual(report, lead, usual);
		free(lead);
	}
}

static void copy_body(const struct report *report, long from, long end)
{
	const struct text *text = report->state;
	char buffer[1 << 14];
	size_t length;

	fseek(text->body, from, SEEK_SET);
	while (from < end && (length = fread(buffer, 1, (size_t)sooner(end - from, (long)sizeof(buffer)), text->body)) > 0) {
		fwrite(buffer, 1, length, report->out);
		from += (long)length;
	}
}

/* Prints a part, with what is known at the end of the stream. `end`: where the line about its incident ends. */
static void print_known(const struct report *report, const struct part *part, long end)
{
	const struct usual_window *usual = part->window ? usual_culprit_find(report->model->usual, part->host, part->window) : NULL;

	copy_body(report, part->from, part->end);
	if (usual)
		print_usual(report, "   usual   ", usual);
	copy_body(report, part->end, end);
}

static void print_left(const struct report *report, uint64_t left)
{
	char *count = value_count(left, "moment");

	if (left > 0)
		fprintf(report->out, "\nand %s that lost less time; --all lists them\n", count);
	free(count);
}

/* Prints the moments, each with what is known at the end of the stream. */
static int print_body(const struct report *report)
{
	const struct text *text = report->state;
	struct shown_moments shown = shown_moments_of(text->parts.items, sizeof(struct part), offsetof(struct part, lost), text->parts.count);
	const char *heading = NULL;
	uint64_t left = 0;

	for (size_t i = 0; i < text->parts.count; i++) {
		const struct part *part = &text->parts.items[i];

		heading = part->heading ? part->heading : heading;
		if (!report->options.all && !shown_moments_takes(&shown, part->lost)) {
			left++;
			continue;
		}
		print_heading(report->out, heading);
		heading = NULL;
		print_known(report, part, i + 1 < text->parts.count ? text->parts.items[i + 1].from : LONG_MAX);
	}
	print_left(report, left);
	return ferror(text->body) ? fail_errno("cannot read a temporary file") : 0;
}

/* Prints the line about all moments of an incident; a live pipe has printed each. */
static void print_incident(const struct report *report)
{
	struct text *text = report->state;
	char *words = report->options.whole ? incident_words(&text->incident) : NULL;

	if (words)
		wrap(report, text->body, "   on    ", words);
	free(words);
}

/* Prints a moment in place of the one that stood for the incident so far, which is not as bad. */
static int print_instead(const struct report *report, const struct moment *moment)
{
	const struct text *text = report->state;

	if (fseek(text->body, text->parts.items[text->parts.count - 1].from, SEEK_SET) < 0)
		return fail_errno("cannot write a temporary file");
	if (print_part(report, moment) < 0)
		return -1;
	if (fflush(text->body) != 0 || ftruncate(fileno(text->body), ftell(text->body)) < 0)
		return fail_errno("cannot write a temporary file");
	return 0;
}

/* Prints a further moment of an incident. If all input is there, the worst moment stands for all; in a live pipe each has its line. */
static int print_further(struct report *report, const struct moment *moment, bool is_worst)
{
	const struct text *text = report->state;
	char *gap;

	if (report->options.whole)
		return is_worst ? print_instead(report, moment) : 0;
	gap = moment_gap(moment);
	fputc('\n', text->body);
	print_subject(report, text->body, moment);
	wrap(report, text->body, "   on    ", "as in the moment before");
	if (gap)
		wrap(report, text->body, "   ", gap);
	free(gap);
	return report_flush(report);
}

/*
 * Tells whether a live pipe prints a moment: each that has a signal. Which requests are the worst is not known yet: it prints the first
 * SHOWN_MOMENTS, then those that are worse than all before.
 */
static bool is_told(struct text *text, const struct moment *moment)
{
	double lost = headline_lost(moment);
	bool worse = text->requests == 0 || lost > text->worst;

	if (moment_signal(moment))
		return true;
	if (worse)
		text->worst = lost;
	if (text->requests++ < SHOWN_MOMENTS || worse)
		return true;
	text->left++;
	return false;
}

/* Prints a moment that begins an incident. Takes over `heading`, which may be NULL. */
static int print_first(struct report *report, const struct moment *moment, char *heading)
{
	struct text *text = report->state;

	print_incident(report);
	incident_begin(&text->incident, moment);
	if (report->options.whole) {
		*ARRAY_ADD(&text->parts) = (struct part){.heading = heading};
		return print_part(report, moment);
	}
	if (report->options.all || is_told(text, moment)) {
		print_heading(text->body, heading);
		print_moment(report, text->body, moment);
	}
	free(heading);
	return report_flush(report);
}

static int text_moment(struct report *report, const struct moment *moment)
{
	struct text *text = report->state;
	double worst = text->incident.worst;
	char *heading;

	greet(report);
	if (moment_is_own(moment) && !report->options.all)
		return 0;
	heading = heading_next(&text->heading, report->model->site, moment);
	if (report->options.all || heading || !incident_goes_on(&text->incident, moment))
		return print_first(report, moment, heading);
	incident_add(&text->incident, moment);
	return print_further(report, moment, text->incident.worst > worst);
}

static int text_idle(struct report *report)
{
	if (report->options.whole || report->model->site->seen.first > report->model->site->seen.last)
		return 0;
	greet(report);
	return report_flush(report);
}

static int text_totals(struct report *report)
{
	fputs(report->model->records > 0 ? "\nso far: " : "\nso far: no data have come\n", report->out);
	if (report->model->records > 0) {
		print_findings(report);
		print_data(report);
	}
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

/* If all input was there, the moments stand between the findings and the data about them; in a live pipe they are printed already. */
static int text_end(struct report *report, bool failed)
{
	struct text *text = report->state;
	bool whole = report->options.whole, moments = report->model->counts->moments > 0;
	char *heading;

	print_left(report, text->left);
	if (!whole && text->greeted)
		fputc('\n', report->out);
	if (failed && report->model->records == 0)
		return report_flush(report);
	print_findings(report);
	print_incident(report);
	heading = whole ? heading_first(&text->heading, report->model->site) : NULL;
	print_heading(report->out, heading);
	free(heading);
	if (whole && print_body(report) < 0)
		return -1;
	if (!whole)
		print_usual_behind(report);
	if (whole && moments)
		fputc('\n', report->out);
	print_data(report);
	if (report->options.plot && !failed)
		print_plots(report);
	return report_flush(report);
}

static void text_free(struct report *report)
{
	struct text *text = report->state;

	if (!text)
		return;
	if (text->body && text->body != report->out)
		fclose(text->body);
	for (size_t i = 0; i < text->parts.count; i++) {
		free(text->parts.items[i].heading);
		free(text->parts.items[i].window);
	}
	ARRAY_FREE(&text->parts);
	heading_free(&text->heading);
	incident_free(&text->incident);
	free(text);
}

const struct format format_text = {"text", text_begin, text_moment, text_idle, text_totals, text_end, text_free};

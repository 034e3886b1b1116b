/*
 * The report as one page, with its charts and style inside it: no script, nothing to load. Moments are written to a
 * temporary file as they come, because the summary stands before them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "model/label.h"
#include "model/value.h"
#include "report/figure.h"
#include "report/figure_view.h"
#include "report/group.h"
#include "report/heading.h"
#include "report/incident.h"
#include "report/output.h"
#include "report/processes.h"
#include "report/summary.h"
#include "report/shown_moments.h"

enum { STORIES_SHOWN = 20, PARTS_SHOWN = 40, CONTROLS_MAX = 6, VERDICTS_SHOWN = 12, LOGGED_SHOWN = 12 };

/* A moment in the body: the text before its picture, the picture's data, the text behind it. */
struct section {
	long from, figure, behind, end;
	double lost;	/* see headline_lost() */
	char *heading;	/* above it; NULL: none */
	char *incident; /* below it: a sentence about all moments of the incident; NULL: there is only this one */
	char *window;	/* of the moment; NULL: none */
	size_t host;	/* number of the window's host */
};

struct page {
	FILE *body;
	char *style;
	struct heading heading;
	struct incident incident;
	ARRAY(struct section) sections;
};

static void put(FILE *out, const char *text)
{
	static const char *const entities[256] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

	for (; *text; text++) {
		if (entities[(unsigned char)*text])
			fputs(entities[(unsigned char)*text], out);
		else
			fputc(*text, out);
	}
}

/* An element around a text. */
static void element(FILE *out, const char *open, const char *text, const char *close)
{
	fputs(open, out);
	put(out, text);
	fputs(close, out);
	fputc('\n', out);
}

/* Puts a picture without its own title, which a browser would show as "Gnuplot" under the mouse. Frees the picture. */
static void figure(struct report *report, FILE *out, char *svg, char *complaint, const char *caption)
{
	char *title = svg ? strstr(svg, "<title>") : NULL, *end = title ? strstr(title, "</desc>") : NULL;

	if (complaint)
		report_complain(report, complaint);
	if (!svg)
		return;
	if (end)
		memset(title, ' ', end + strlen("</desc>") - title);
	fputs("<figure>\n", out);
	fputs(svg, out);
	element(out, "<figcaption>", caption, "</figcaption>\n</figure>");
	free(svg);
}

/* Puts a row of a table. `moments` NULL: the table has no such column. Frees the time. */
static void put_cells(FILE *out, char *time, double share, const char *moments, const char *words)
{
	char percent[32] = "";

	if (!isnan(share))
		snprintf(percent, sizeof(percent), "%.1f %%", 100 * share);
	element(out, "<tr><td class=\"number\">", time, "</td>");
	element(out, "<td class=\"number\">", percent, "</td>");
	if (moments)
		element(out, "<td class=\"number\">", moments, "</td>");
	element(out, "<td>", words, "</td></tr>");
	free(time);
}

static void cells(FILE *out, double seconds, double share, const char *moments, const char *words)
{
	put_cells(out, isnan(seconds) ? memory_format("%s", "") : value_seconds(seconds), share, moments, words);
}

/* Puts a row with the process, if it is known. `moments` as above. */
static void put_who(FILE *out, const char *moments, const char *name, const struct identity *identity)
{
	char *words;

	if (!identity || !identity->pid)
		return;
	words = identity_words(identity, name);
	put_cells(out, memory_format("%s", ""), NAN, moments, words);
	free(words);
}

static void put_path(FILE *out, const struct story *story)
{
	const struct story_part *part = story->parts;
	double rest = 0;
	char *words;

	if (!part)
		return;
	fputs("<table><caption>Critical path</caption>\n", out);
	for (size_t i = 0; part && i < PARTS_SHOWN; i++, part = part->hh.next) {
		words = memory_format("%s%s", part->words, part->meanwhile);
		cells(out, part->time, story_share(story, part), NULL, words);
		free(words);
	}
	if (part) {
		words = value_count(HASH_COUNT(story->parts) - PARTS_SHOWN, "further piece");
		for (; part; part = part->hh.next)
			rest += part->time;
		cells(out, rest, rest / story_length(story), NULL, words);
		free(words);
	}
	fputs("</table>\n", out);
}

static void put_culprits(FILE *out, const char *caption, const struct story *story)
{
	const struct culprit *culprit;
	char *words;
	size_t i;

	if (story->culprits.count == 0)
		return;
	element(out, "<table><caption>", caption, "</caption>");
	for (i = 0; i < story->culprits.count; i++) {
		culprit = &story->culprits.items[i];
		words = memory_format("%s%s", culprit->fuller, culprit->measured);
		put_cells(out, culprit_score(culprit), culprit->timeless ? NAN : culprit->share, NULL, words);
		free(words);
		put_who(out, NULL, culprit->who, &culprit->identity);
	}
	fputs("</table>\n", out);
}

static void put_blame(FILE *out, const struct moment *moment, const struct story *story)
{
	const struct story *calls = moment_companion(moment, story);

	put_culprits(out, "Blame", story);
	if (calls)
		put_culprits(out, "Blame among its calls", calls);
}

/* Puts the chain of waits with its processes; the rows of blame name their own. */
static void put_chain(FILE *out, const struct story *story)
{
	struct processes processes;

	if (story->chain)
		element(out, "<p>", story->chain, "</p>");
	processes_find(&processes, story, 0);
	for (size_t i = 0; i < processes.sentences.count; i++)
		element(out, "<p class=\"soft\">", processes.sentences.items[i], "</p>");
	processes_free(&processes);
}

/* Writes the picture's data only: the picture is drawn once it is known which moments the page shows. */
static void put_story(struct section *section, FILE *out, const struct moment *moment, const struct story *story)
{
	char *data = figure_path_data(story);

	put_chain(out, story);
	section->figure = ftell(out);
	fputs(data ? data : "", out);
	section->behind = ftell(out);
	put_path(out, story);
	put_blame(out, moment, story);
	if (story->hint)
		element(out, "<p class=\"soft\">", story->hint, "</p>");
	free(data);
}

static void put_also(struct report *report, FILE *out, const struct moment *moment, const struct story *story)
{
	char clock[TIME_ROOM], *words = story_words(report->model->site, story);

	moment_began_words(moment, story, clock);
	element(out, "<details><summary><time>", clock, "</time>");
	put(out, words);
	fputs("</summary>\n", out);
	put_chain(out, story);
	put_path(out, story);
	put_blame(out, moment, story);
	fputs("</details>\n", out);
	free(words);
}

static void put_heading(struct report *report, FILE *out, const struct moment *moment)
{
	const struct story *story = moment_story(moment);
	const struct signal *signal = moment_signal(moment);
	char clock[TIME_ROOM], *words, *who, *limits = NULL, *signs = moment_signs(moment);

	if (signal)
		limits = value_limits(signal->unit, signal->center, signal_limit(signal));
	words = moment_words(report->model->site, moment);
	moment_began_words(moment, story, clock);
	fprintf(out, "<h3>%" PRIu64 ". ", moment->number);
	element(out, "<time>", clock, "</time>");
	element(out, "", words, "</h3>");
	if (signal && signal->identity.pid && !story) {
		who = identity_sentence(&signal->identity, signal->comm, signal->tid);
		if (who)
			element(out, "<p class=\"soft\">", who, "</p>");
		free(who);
	}
	if (limits)
		element(out, "<p class=\"soft\">", limits, "</p>");
	if (signs)
		element(out, "<p class=\"soft\">", signs, "</p>");
	free(signs);
	free(limits);
	free(words);
}

/* Puts further signals in groups; those with a story are on the page already. Returns how many of the moment's signals the page has now. */
static uint64_t put_groups(struct report *report, FILE *out, const struct moment *moment)
{
	struct groups groups;
	uint64_t told = groups_told_first(moment);
	char *words;

	groups_make(&groups, moment);
	for (size_t i = 0; i < groups.count; i++) {
		told += groups.items[i].count;
		if (groups.items[i].count == groups.items[i].explained && moment->stories.count <= STORIES_SHOWN)
			continue;
		words = group_words(report->model->site, moment, &groups.items[i]);
		element(out, "<p class=\"soft\">also ", words, "</p>");
		free(words);
	}
	free(groups.items);
	return told;
}

/* Puts a heading, if it is not NULL, and frees it. */
static void put_moments(FILE *out, char *heading)
{
	if (heading)
		element(out, "<h2>M", heading + strlen("m"), "</h2>");
	free(heading);
}

/* Ends the last incident: the sentence about all its moments goes below the worst one. */
static void end_incident(struct page *page)
{
	if (page->sections.count > 0)
		page->sections.items[page->sections.count - 1].incident = incident_words(&page->incident);
}

/* Returns the section for the moment. An incident has one section a day, which its worst moment gets; NULL: this moment is not the worst. */
static struct section *section_of(struct page *page, const struct site *site, const struct moment *moment)
{
	char *heading = heading_next(&page->heading, site, moment);
	double worst = page->incident.worst;
	struct section *section;

	if (!heading && incident_goes_on(&page->incident, moment)) {
		incident_add(&page->incident, moment);
		return page->incident.worst > worst ? &page->sections.items[page->sections.count - 1] : NULL;
	}
	end_incident(page);
	incident_begin(&page->incident, moment);
	section = ARRAY_ADD(&page->sections);
	*section = (struct section){.heading = heading};
	return section;
}

static void put_moment(struct report *report, FILE *out, struct section *section, const struct moment *moment)
{
	char *rest, *gap = moment_gap(moment);

	section->from = section->figure = section->behind = ftell(out);
	fputs("<section>\n", out);
	put_heading(report, out, moment);
	if (gap)
		element(out, "<p class=\"gap\">", gap, "</p>");
	section->figure = section->behind = ftell(out);
	if (moment->stories.count > 0)
		put_story(section, out, moment, moment->stories.items[0]);
	for (size_t i = 1; i < moment->stories.count && i < STORIES_SHOWN; i++)
		if (!moment_is_companion(moment, moment->stories.items[i]))
			put_also(report, out, moment, moment->stories.items[i]);
	rest = moment_rest(moment, put_groups(report, out, moment));
	if (rest)
		element(out, "<p class=\"soft\">and ", rest, "</p>");
	section->end = ftell(out);
	free(rest);
	free(gap);
}

static int html_moment(struct report *report, const struct moment *moment)
{
	struct page *page = report->state;
	struct section *section = moment_is_own(moment) ? NULL : section_of(page, report->model->site, moment);

	if (!section)
		return 0;
	section->lost = headline_lost(moment);
	free(section->window);
	section->window = moment->window ? memory_text(moment->window, strlen(moment->window)) : NULL;
	section->host = report->model->site->number;
	put_moment(report, page->body, section, moment);
	return file_settle(page->body);
}

/* Draws the picture of a section. */
static int put_picture(struct report *report, const struct section *section)
{
	struct page *page = report->state;
	size_t length = (size_t)(section->behind - section->figure);
	char *data = memory_new(length + 1, 1), *complaint = NULL, *svg = NULL;
	int status = 0;

	if (length > 0 && (fseek(page->body, section->figure, SEEK_SET) < 0 || fread(data, 1, length, page->body) < length))
		status = fail_errno("cannot read a temporary file");
	else if (length > 0 && !report->complaint)
		svg = figure_path(data, &complaint);
	figure(report, report->out, svg, complaint, "The critical path on a time axis.");
	free(data);
	return status;
}

/* Puts who usually ends the wait, which is known at the end only. */
static void put_usual(const struct report *report, const struct section *section)
{
	const struct usual_window *usual = usual_culprit_find(report->model->usual, section->host, section->window);
	char *lines = usual ? memory_text(usual->lines, strlen(usual->lines)) : NULL, *rest = lines, *line;

	while ((line = strsep(&rest, "\n")))
		element(report->out, "<p>", line, "</p>");
	free(lines);
}

static int put_section(struct report *report, const struct section *section)
{
	struct page *page = report->state;

	if (report_append_part(report, page->body, section->from, section->figure) < 0 || put_picture(report, section) < 0 ||
	    report_append_part(report, page->body, section->behind, section->end) < 0)
		return -1;
	put_usual(report, section);
	if (section->incident)
		element(report->out, "<p>", section->incident, "</p>");
	fputs("</section>\n", report->out);
	return 0;
}

static int put_sections(struct report *report)
{
	struct page *page = report->state;
	struct shown_moments shown = shown_moments_of(page->sections.items, sizeof(struct section), offsetof(struct section, lost), page->sections.count);
	const char *heading = NULL;
	size_t left = 0;
	char *count;

	for (size_t i = 0; i < page->sections.count; i++) {
		const struct section *section = &page->sections.items[i];

		heading = section->heading ? section->heading : heading;
		if (!shown_moments_takes(&shown, section->lost)) {
			left++;
			continue;
		}
		put_moments(report->out, heading ? memory_format("%s", heading) : NULL);
		heading = NULL;
		if (put_section(report, section) < 0)
			return -1;
	}
	if (left > 0) {
		count = value_count(left, "moment");
		element(report->out, "<p>and ", count, " that lost less time, which the report as JSON has, and as text with --all</p>");
		free(count);
	}
	return 0;
}

static void put_head(const struct report *report, FILE *out, const char *style)
{
	char *hosts = label_hosts(report->model->site);
	const char *subject = hosts ? hosts + strcspn(hosts, " ") + 1 : "a stream";

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
	      "form-action 'none'\">\n",
	      out);
	element(out, "<title>Who was slow, and who is to blame: ", subject, "</title>");
	fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
	element(out, "<h1>Who was slow, and who is to blame: ", subject, "</h1>");
	free(hosts);
}

static void put_lines(FILE *out, struct summary *summary)
{
	for (size_t i = 0; i < summary->lines.count; i++) {
		const char *line = summary->lines.items[i];

		element(out, strncmp(line, "INCOMPLETE", 10) ? "<p>" : "<p class=\"gap\">", line, "</p>");
	}
	summary_free(summary);
}

/* Puts the worst moment, with its chain and culprits, and a line for each of the next ones. */
static void put_headline(const struct report *report, FILE *out)
{
	char *first, *next;

	if (report->headlines.count == 0)
		return;
	first = headlines_first(&report->headlines, report->model);
	element(out, "<p class=\"worst\">", first, "</p>");
	if (*report->headlines.items[0].chain)
		element(out, "<p>", report->headlines.items[0].chain, "</p>");
	if (*report->headlines.items[0].blame)
		element(out, "<p>", report->headlines.items[0].blame, "</p>");
	for (size_t i = 1; i < report->headlines.count; i++) {
		next = headlines_next(&report->headlines, report->model->site, i);
		element(out, i == 1 ? "<p class=\"soft\">next: " : "<p class=\"soft\">", next, "</p>");
		free(next);
	}
	free(first);
}

/* Puts the line about the pipe's own moments, which say nothing about the machine. */
static void put_own(const struct report *report, FILE *out)
{
	char *own = headlines_own(&report->headlines, report->model->site);

	if (own)
		element(out, "<p class=\"soft\">", own, "</p>");
	free(own);
}

static void put_verdicts(struct report *report, FILE *out)
{
	struct verdict verdicts[VERDICTS_SHOWN];
	size_t i, n = verdicts_list(report->model->verdicts, verdicts, VERDICTS_SHOWN);
	char *complaint = NULL, *svg = NULL, *words, *where, *name;

	if (n == 0)
		return;
	fputs("<section>\n<h2>Blamed most</h2>\n", out);
	if (!report->complaint)
		svg = figure_blame(verdicts, n, &complaint);
	figure(report, out, svg, complaint,
	       "Time for which each is to blame, over all moments, and the sum of their shares.");
	fputs("<table>\n", out);
	if (report->model->counts->moments > 1)
		fputs("<tr><th>time</th><th>share</th><th>moments</th><th></th></tr>\n", out);
	for (i = 0; i < n; i++) {
		words = summary_share_of_moments(report->model, &verdicts[i]);
		where = verdict_where(report->model->verdicts, &verdicts[i]);
		name = memory_format("%s%s%s", verdicts[i].name, where ? ", " : "", where ? where : "");
		cells(out, verdicts[i].score, verdicts[i].share, report->model->counts->moments > 1 ? words : NULL, name);
		free(where);
		free(name);
		put_who(out, report->model->counts->moments > 1 ? "" : NULL, verdicts[i].who, verdicts[i].identity);
		free(words);
	}
	fputs("</table>\n</section>\n", out);
}

static void put_time(FILE *out, double seconds)
{
	char *words = value_seconds(seconds);

	fprintf(out, "<td class=\"number\">%s</td>", words);
	free(words);
}

static void put_logged_rows(const struct logged_trigger *trigger, enum graph_kind kind, FILE *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < trigger->rows.count && shown < LOGGED_SHOWN; i++) {
		const struct logged_row *row = &trigger->rows.items[i];

		if (row->kind != kind)
			continue;
		if (shown++ == 0)
			fprintf(out, "<table><caption>In the mean of the requests, by %s</caption>\n<tr><th colspan=\"2\">on the path</th><th colspan=\"2\">blamed for</th>"
				"<th></th></tr>\n<tr><th>matched</th><th>others</th><th>matched</th><th>others</th><th></th></tr>\n",
				kind == GRAPH_RAG ? "calls" : "threads");
		fputs("<tr>", out);
		put_time(out, row->path[LOGGED_MATCHED]);
		put_time(out, row->path[LOGGED_OTHERS]);
		put_time(out, row->blame[LOGGED_MATCHED]);
		put_time(out, row->blame[LOGGED_OTHERS]);
		element(out, "<td>", row->words, "</td></tr>");
	}
	if (shown)
		fputs("</table>\n", out);
}

/* Puts logged calls, and the values that tell calls of requests that matched from calls of others. */
static void put_called(struct report *report, FILE *out)
{
	const struct logged_function *function;

	for (size_t i = 0; (function = logged_calls_function(report->model->called, i)); i++) {
		char *words = logged_calls_words(function);

		fputs(i == 0 ? "<section>\n<h2>Logged calls</h2>\n" : "", out);
		element(out, "<p>", words, "</p>");
		free(words);
		for (size_t n = 0; n < function->values.count && n < LOGGED_SHOWN; n++) {
			words = logged_calls_value_words(&function->values.items[n]);
			fputs(n == 0 ? "<ul>\n" : "", out);
			element(out, "<li>", words, "</li>");
			free(words);
		}
		fputs(function->values.count ? "</ul>\n" : "", out);
	}
	if (logged_calls_function(report->model->called, 0))
		fputs("</section>\n", out);
}

/* Puts the requests that triggers logged: those that matched beside the others. */
static void put_logged(struct report *report, FILE *out)
{
	const struct logged_trigger *trigger;

	for (size_t i = 0; (trigger = logged_requests_trigger(report->model->logged, i)); i++) {
		char *words = logged_requests_words(trigger);

		fputs(i == 0 ? "<section>\n<h2>Logged requests</h2>\n" : "", out);
		element(out, "<p>", words, "</p>");
		free(words);
		put_logged_rows(trigger, GRAPH_WAKE, out);
		put_logged_rows(trigger, GRAPH_RAG, out);
	}
	if (logged_requests_trigger(report->model->logged, 0))
		fputs("</section>\n", out);
}

static void put_controls(struct report *report, FILE *out)
{
	const struct track *tracks[CONTROLS_MAX];
	size_t i, n = figure_tracks(report->model, tracks, CONTROLS_MAX);
	char *complaint, *svg, *label, *caption;

	if (n == 0 || report->complaint)
		return;
	fputs("<section>\n<h2>Control charts</h2>\n", out);
	for (i = 0; i < n && !report->complaint; i++) {
		complaint = NULL;
		svg = figure_control(report->model, tracks[i], &complaint);
		label = tracks_label(report->model->tracks, tracks[i]);
		caption = memory_format(
		    "Chart %s: %s. Median and largest of the healthy values by time, and each signal.",
		    label, *tracks[i]->chart->title ? tracks[i]->chart->title : "values");
		figure(report, out, svg, complaint, caption);
		free(caption);
		free(label);
	}
	fputs("</section>\n", out);
}

/* Draws all runs, and the values that tell them apart. */
static void put_runs(struct report *report, FILE *out)
{
	char *complaint = NULL, *svg, *caption, *time;
	double longest;

	svg = report->complaint ? NULL : figure_runs(report->model->contrast, &longest, &complaint);
	time = svg ? value_seconds(longest) : NULL;
	caption = memory_format("Each run, by when it began; higher took longer, and the longest %s. A row is a node.", time ? time : "");
	figure(report, out, svg, complaint, caption);
	complaint = NULL;
	svg = report->complaint ? NULL : figure_values(report->model->contrast, &complaint);
	figure(report, out, svg, complaint, "The values that tell good runs from bad ones, from the least to the greatest.");
	free(caption);
	free(time);
}

/* Puts the rules that set slow runs apart. */
static void put_contrast(struct report *report, FILE *out)
{
	const struct contrast_line *line = contrast_line(report->model->contrast, 0);

	if (!line)
		return;
	fputs("<section>\n<h2>Runs</h2>\n", out);
	for (size_t i = 0; (line = contrast_line(report->model->contrast, i)); i++) {
		fputs(line->lead && *line->lead == ' ' ? "<p class=\"soft\">" : "<p>", out);
		put(out, line->lead && *line->lead != ' ' ? line->lead : "");
		element(out, "", line->text, "</p>");
	}
	put_runs(report, out);
	fputs("</section>\n", out);
}

static void put_view(struct report *report, FILE *out, const struct view *view)
{
	char *complaint = NULL, *svg, *caption, *near, begin[TIME_ROOM];
	int64_t from;
	size_t rows;

	svg = report->complaint ? NULL : figure_view(report->model->views, view, &rows, &from, &complaint);
	if (!svg) {
		figure(report, out, NULL, complaint, "");
		return;
	}
	clock_words(&report->model->site->clock, from, begin);
	near = view->nearest ? value_seconds((double)view->nearest / 1e9) : NULL;
	caption = memory_format("%s%s%s, from %s.%s%s%s", *view->title ? view->title : view->glob, rows < view->rows.count ? ", those with the most changes" : "",
				view->kind == VIEW_RATE ? ", each second" : "", begin, near ? " What changed again within " : "", near ? near : "",
				near ? view->kind == VIEW_LANES ? " is drawn as one." : " is drawn as the largest." : "");
	figure(report, out, svg, complaint, caption);
	free(caption);
	free(near);
}

static void put_alarms(struct report *report, FILE *out)
{
	const struct views *views = report->model->views;
	const struct view_alarm *alarm;
	size_t i;

	for (i = 0; (alarm = views_alarm(views, i)); i++) {
		char clock[TIME_ROOM];

		clock_words(&report->model->site->clock, alarm->ts, clock);
		element(out, "<details><summary><time>", clock, "</time> ");
		put(out, alarm->text);
		element(out, *alarm->who ? ", " : "", alarm->who, alarm->before.count ? "</summary>\n<p class=\"soft\">what changed before:</p>\n<ul>" : "</summary>");
		for (size_t k = 0; k < alarm->before.count; k++)
			element(out, "<li>", alarm->before.items[k], "</li>");
		fputs(alarm->before.count ? "</ul>\n</details>\n" : "</details>\n", out);
	}
	if (views_alarms(views) > i) {
		char *count = value_count(views_alarms(views) - i, "alarm");

		element(out, "<p class=\"soft\">and ", count, " behind these</p>");
		free(count);
	}
}

static void put_flow(struct report *report, FILE *out)
{
	uint64_t requests;
	const struct view_flow *flow = views_flow(report->model->views, &requests);
	char *complaint = NULL, *svg = flow && !report->complaint ? figure_flow(flow, &complaint) : NULL, *took, *count, *caption, begin[TIME_ROOM];

	if (!flow)
		return;
	fprintf(out, "<section>\n<h2>The slowest request</h2>\n");
	clock_words(&report->model->site->clock, flow->from, begin);
	took = value_seconds((double)(flow->to - flow->from) / 1e9);
	count = value_count(requests, "request");
	caption = memory_format("%s%sThe slowest of %s: from %s, %s.", flow->title ? flow->title : "", flow->title ? ". " : "", count, begin, took);
	figure(report, out, svg, complaint, caption);
	fputs("</section>\n", out);
	free(caption);
	free(count);
	free(took);
}

/* Draws what state files ask for. */
static void put_views(struct report *report, FILE *out)
{
	const struct view *view;

	views_over(report->model->views);
	if (views_view(report->model->views, 0) || views_alarm(report->model->views, 0)) {
		fputs("<section>\n<h2>States</h2>\n", out);
		put_alarms(report, out);
		for (size_t i = 0; (view = views_view(report->model->views, i)); i++)
			put_view(report, out, view);
		fputs("</section>\n", out);
	}
	put_flow(report, out);
}

static int put_page(struct report *report)
{
	struct page *page = report->state;
	FILE *out = report->out;
	struct summary summary;
	char *heading;

	put_head(report, out, page->style);
	put_headline(report, out);
	put_own(report, out);
	put_contrast(report, out);
	summary_findings(&summary, report->model);
	put_lines(out, &summary);
	put_verdicts(report, out);
	put_logged(report, out);
	put_called(report, out);
	heading = heading_first(&page->heading, report->model->site);
	put_moments(out, heading || page->heading.began || !report->model->counts->moments ? heading : memory_format("moments"));
	end_incident(page);
	if (put_sections(report) < 0)
		return -1;
	put_views(report, out);
	put_controls(report, out);
	summary_data(&summary, report->model);
	put_lines(out, &summary);
	if (report->complaint)
		element(out, "<p class=\"gap\">", report->complaint, "</p>");
	fputs("<footer>Made by tailblame. Times are UTC where the host's clock is known; "
	      "a moment's time is when its worst wait began.</footer>\n</body>\n</html>\n",
	      out);
	return 0;
}

static int html_begin(struct report *report)
{
	struct page *page = NEW(struct page);
	char *found = file_shipped("charts/report.css");

	report->state = page;
	report->model->views = views_new();
	page->style = found ? file_read(found, NULL) : NULL;
	free(found);
	page->body = page->style ? file_temporary(NULL) : NULL;
	return page->body ? 0 : -1;
}

/* If the input failed, writes no page: half a page is useless. */
static int html_end(struct report *report, bool failed)
{
	return failed ? -1 : put_page(report);
}

static void html_free(struct report *report)
{
	struct page *page = report->state;

	if (!page)
		return;
	if (page->body)
		fclose(page->body);
	for (size_t i = 0; i < page->sections.count; i++) {
		free(page->sections.items[i].heading);
		free(page->sections.items[i].incident);
		free(page->sections.items[i].window);
	}
	free(page->sections.items);
	heading_free(&page->heading);
	incident_free(&page->incident);
	free(page->style);
	free(page);
}

const struct format format_html = {
	.name = "html", .begin = html_begin, .moment = html_moment, .end = html_end, .free = html_free, .file = "report.html"};

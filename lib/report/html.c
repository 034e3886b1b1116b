/*
 * The report as one page, with its charts and style inside it: no script, nothing to load. Moments are written to a
 * temporary file as they are told, for the summary comes first.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "report/figure.h"
#include "report/group.h"
#include "report/heading.h"
#include "report/output.h"
#include "report/summary.h"
#include "report/words.h"

enum { FIGURES_MAX = 100, CONTROLS_MAX = 6, VERDICTS_SHOWN = 12 };

struct page {
	FILE *body;
	char *style;
	struct heading heading;
	uint64_t figures;
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

/* A picture without its own title, which a browser would show as "Gnuplot" under the mouse. Frees the picture. */
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

/* `moments` may be NULL: there is no such column. Frees the time. */
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
	put_cells(out, isnan(seconds) ? memory_format("%s", "") : words_seconds(seconds), share, moments, words);
}

/* Which process that is, where it is known. `moments` as above. */
static void put_who(FILE *out, const char *moments, const struct identity *identity)
{
	char *words;

	if (!identity || !identity->pid)
		return;
	words = identity_words(identity);
	put_cells(out, memory_format("%s", ""), NAN, moments, words);
	free(words);
}

static void put_path(FILE *out, const struct story *story)
{
	const struct part *part;
	char *words;

	if (!story->parts)
		return;
	fputs("<table><caption>Critical path</caption>\n", out);
	for (part = story->parts; part; part = part->hh.next) {
		words = memory_format("%s%s", part->words, part->meanwhile);
		cells(out, part->time, story_share(story, part), NULL, words);
		free(words);
	}
	fputs("</table>\n", out);
}

static void put_culprits(FILE *out, const char *caption, const struct story *story)
{
	const struct culprit *culprit;
	size_t i;

	if (story->culprits.count == 0)
		return;
	element(out, "<table><caption>", caption, "</caption>");
	for (i = 0; i < story->culprits.count; i++) {
		culprit = &story->culprits.items[i];
		put_cells(out, words_score(culprit), culprit->timeless ? NAN : culprit->share, NULL, culprit->fuller);
		put_who(out, NULL, &culprit->identity);
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

static void put_story(struct report *report, FILE *out, const struct moment *moment, const struct story *story)
{
	struct page *page = report->state;
	char *complaint = NULL, *svg = NULL;

	if (page->figures < FIGURES_MAX && !report->complaint)
		svg = figure_path(story, &complaint);
	page->figures += svg != NULL;
	if (story->chain)
		element(out, "<p>", story->chain, "</p>");
	figure(report, out, svg, complaint, "The critical path on a time axis.");
	put_path(out, story);
	put_blame(out, moment, story);
}

static void put_also(struct report *report, FILE *out, const struct moment *moment, const struct story *story)
{
	char clock[WORDS_CLOCK_ROOM], *words = words_story(report->model, story);

	words_began(moment, story, clock);
	element(out, "<details><summary><time>", clock, "</time>");
	put(out, words);
	fputs("</summary>\n", out);
	if (story->chain)
		element(out, "<p>", story->chain, "</p>");
	put_path(out, story);
	put_blame(out, moment, story);
	fputs("</details>\n", out);
	free(words);
}

static void put_heading(struct report *report, FILE *out, const struct moment *moment)
{
	const struct story *story = moment->stories.count ? moment->stories.items[0] : NULL;
	const struct signal *signal = story ? story->signal : moment->worst.count ? moment->worst.items[0] : NULL;
	char clock[WORDS_CLOCK_ROOM], *words, *who, *limits = NULL;

	if (signal)
		limits = words_limits(signal->unit, signal->center, signal_limit(signal));
	words = words_moment(report->model, moment);
	words_began(moment, story, clock);
	fprintf(out, "<h3>%" PRIu64 ". ", moment->number);
	element(out, "<time>", clock, "</time>");
	element(out, "", words, "</h3>");
	if (signal && signal->identity.pid) {
		who = identity_words(&signal->identity);
		element(out, "<p class=\"soft\">", who, "</p>");
		free(who);
	}
	if (limits)
		element(out, "<p class=\"soft\">", limits, "</p>");
	free(limits);
	free(words);
}

/* Further signals, put together; those that have stories are told already. Returns how many are told with that. */
static uint64_t put_groups(struct report *report, FILE *out, const struct moment *moment)
{
	struct groups groups;
	uint64_t told = groups_told_first(moment);
	char *words;

	groups_make(&groups, moment);
	for (size_t i = 0; i < groups.count; i++) {
		told += groups.items[i].count;
		if (groups.items[i].count == groups.items[i].explained)
			continue;
		words = group_words(report->model, moment, &groups.items[i]);
		element(out, "<p class=\"soft\">also ", words, "</p>");
		free(words);
	}
	free(groups.items);
	return told;
}

/* Frees the heading; NULL: there is none. */
static void put_moments(FILE *out, char *heading)
{
	if (heading)
		element(out, "<h2>M", heading + strlen("m"), "</h2>");
	free(heading);
}

static int html_moment(struct report *report, const struct moment *moment)
{
	struct page *page = report->state;
	FILE *out = page->body;
	char *rest, *gap = words_gap(moment);
	size_t i;

	put_moments(out, heading_next(&page->heading, report->model, moment));
	fputs("<section>\n", out);
	put_heading(report, out, moment);
	if (gap)
		element(out, "<p class=\"gap\">", gap, "</p>");
	if (moment->stories.count > 0)
		put_story(report, out, moment, moment->stories.items[0]);
	for (i = 1; i < moment->stories.count; i++)
		if (!moment_is_companion(moment, moment->stories.items[i]))
			put_also(report, out, moment, moment->stories.items[i]);
	rest = words_rest(moment, put_groups(report, out, moment));
	if (rest)
		element(out, "<p class=\"soft\">and ", rest, "</p>");
	fputs("</section>\n", out);
	free(rest);
	free(gap);
	return file_settle(out);
}

static void put_head(const struct report *report, FILE *out, const char *style)
{
	char *hosts = words_hosts(report->model);
	const char *subject = hosts ? hosts + strcspn(hosts, " ") + 1 : "a stream";

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
	      out);
	element(out, "<title>Who was slow, and who is to blame: ", subject, "</title>");
	fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
	element(out, "<h1>Who was slow, and who is to blame: ", subject, "</h1>");
	free(hosts);
}

static void put_summary(const struct report *report, FILE *out)
{
	struct summary summary;
	const char *line;
	size_t i;

	summary_make(&summary, report->model);
	for (i = 0; i < summary.lines.count; i++) {
		line = summary.lines.items[i];
		element(out, strncmp(line, "INCOMPLETE", 10) ? "<p>" : "<p class=\"gap\">", line, "</p>");
	}
	summary_free(&summary);
}

static void put_verdicts(struct report *report, FILE *out)
{
	struct verdict verdicts[VERDICTS_SHOWN];
	size_t i, n = model_verdicts(report->model, verdicts, VERDICTS_SHOWN);
	char *complaint = NULL, *svg = NULL, *words;

	if (n == 0)
		return;
	fputs("<section>\n<h2>Blamed most</h2>\n", out);
	if (!report->complaint)
		svg = figure_blame(verdicts, n, &complaint);
	figure(report, out, svg, complaint,
	       "Time for which each is to blame, over all moments, and the sum of their shares.");
	fputs("<table>\n", out);
	if (report->model->moments > 1)
		fputs("<tr><th>time</th><th>share</th><th>moments</th><th></th></tr>\n", out);
	for (i = 0; i < n; i++) {
		words = summary_share_of_moments(report->model, &verdicts[i]);
		cells(out, verdicts[i].score, verdicts[i].share, report->model->moments > 1 ? words : NULL, verdicts[i].name);
		put_who(out, report->model->moments > 1 ? "" : NULL, verdicts[i].identity);
		free(words);
	}
	fputs("</table>\n</section>\n", out);
}

static void put_controls(struct report *report, FILE *out)
{
	const struct track *tracks[CONTROLS_MAX];
	size_t i, n = figure_tracks(report->model, tracks, CONTROLS_MAX);
	char *complaint, *svg, *key, *caption;

	if (n == 0 || report->complaint)
		return;
	fputs("<section>\n<h2>Control charts</h2>\n", out);
	for (i = 0; i < n && !report->complaint; i++) {
		complaint = NULL;
		svg = figure_control(report->model, tracks[i], &complaint);
		key = model_track_name(report->model, tracks[i]);
		caption = memory_format(
		    "Chart %s%s%s: %s. Median and largest of the healthy values by time, and each signal.",
		    tracks[i]->chart->name, *key ? " of " : "", key,
		    *tracks[i]->chart->title ? tracks[i]->chart->title : "values");
		figure(report, out, svg, complaint, caption);
		free(caption);
		free(key);
	}
	fputs("</section>\n", out);
}

static int put_page(struct report *report)
{
	struct page *page = report->state;
	FILE *out = report->out;
	char *heading;

	put_head(report, out, page->style);
	put_summary(report, out);
	put_verdicts(report, out);
	put_controls(report, out);
	heading = heading_first(&page->heading, report->model);
	put_moments(out, heading || page->heading.began || !report->model->moments ? heading : memory_format("moments"));
	if (report_append(report, page->body) < 0)
		return -1;
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
	page->style = found ? file_read(found, NULL) : NULL;
	free(found);
	page->body = page->style ? file_temporary(NULL) : NULL;
	return page->body ? 0 : -1;
}

/* Half a page is none. */
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
	heading_free(&page->heading);
	free(page->style);
	free(page);
}

const struct format format_html = {
	.name = "html", .begin = html_begin, .moment = html_moment, .end = html_end, .free = html_free, .file = "report.html"};

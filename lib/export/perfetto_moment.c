#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/perfetto.h"

/* The rows of a path: a track for each thread or device that it comes by. */
struct row {
	char *name;
	uint64_t track;
	UT_hash_handle hh;
};

static uint64_t row_track(struct perfetto *perfetto, struct row **rows, uint64_t parent, const char *name)
{
	struct row *row;

	HASH_FIND_STR(*rows, name, row);
	if (!row) {
		row = NEW(struct row);
		row->name = memory_text(name, strlen(name));
		row->track = packet_track(perfetto, parent, *name ? name : "unknown", RANK_IN_TURN);
		HASH_ADD_KEYPTR(hh, *rows, row->name, strlen(row->name), row);
	}
	return row->track;
}

static void free_rows(struct row *rows)
{
	struct row *row, *next;

	HASH_ITER(hh, rows, row, next)
	{
		HASH_DEL(rows, row);
		free(row->name);
		free(row);
	}
}

/* An arrow leads from each piece to the one that it made wait: the next. */
static int export_path(struct perfetto *perfetto, const struct story *story, uint64_t parent)
{
	struct row *rows = NULL;
	int status = 0;

	for (size_t i = 0; i < story->pieces.count && status == 0; i++) {
		const struct piece *piece = &story->pieces.items[i];
		uint64_t track;
		size_t mark;

		if (piece->from < 0 || piece->to < piece->from)
			continue;
		track = row_track(perfetto, &rows, parent, piece->row);
		mark = packet_event(perfetto, track, piece->from, EVENT_BEGIN, piece->part->words);
		packet_note(perfetto, "meanwhile", piece->part->meanwhile ? piece->part->meanwhile : "");
		if (i > 0)
			packet_flow(perfetto, perfetto->flows, true);
		if (i + 1 < story->pieces.count)
			packet_flow(perfetto, ++perfetto->flows, false);
		status = packet_event_end(perfetto, mark) < 0 ? -1 : packet_slice_end(perfetto, track, piece->to);
	}
	free_rows(rows);
	return status;
}

/* "13 %, 137 ms: crowd: read of loop0 in service". */
static char *verdict(const struct culprit *culprit)
{
	char *score = culprit_score(culprit), *share, *words;

	if (isnan(culprit->share) || culprit->timeless) {
		words = memory_format("%s: %s", score, culprit->fuller);
	} else {
		share = value_words(UNIT_SHARE, culprit->share);
		words = memory_format("%s, %s: %s", share, score, culprit->fuller);
		free(share);
	}
	free(score);
	return words;
}

static int export_culprit(struct perfetto *perfetto, const struct story *story, const struct culprit *culprit,
			  uint64_t parent)
{
	char *name = memory_format("blame %u. %s", (unsigned)culprit->rank, culprit->fuller);
	char *words = verdict(culprit);
	uint64_t track = packet_track(perfetto, parent, name, RANK_IN_TURN);
	size_t mark = packet_event(perfetto, track, story->from, EVENT_BEGIN, words);
	int status;

	packet_note_number(perfetto, "score, seconds", culprit->score);
	packet_note_number(perfetto, "share", culprit->share);
	packet_note_number(perfetto, "instances", (double)culprit->instances);
	packet_note(perfetto, "on the path", culprit->on_path ? "yes" : "no");
	packet_note(perfetto, "algorithm", culprit->algorithm);
	status = packet_event_end(perfetto, mark) < 0 ? -1 : packet_slice_end(perfetto, track, story->to);
	free(name);
	free(words);
	return status;
}

/* A track for the whole of it; below that its path and the culprits. */
static int export_story(struct perfetto *perfetto, const struct story *story)
{
	char *words = story_words(perfetto->model->site, story);
	char *name = memory_format("%u. %s", ++perfetto->stories, words);
	uint64_t track = packet_track(perfetto, packet_root(perfetto), name, RANK_IN_TURN);
	bool timed = story->from >= 0 && story->to >= story->from;
	int status = 0;

	if (timed) {
		status = packet_event_end(perfetto,
					  packet_event(perfetto, track, story->from, EVENT_BEGIN, words));
		if (status == 0)
			status = packet_slice_end(perfetto, track, story->to);
	}
	if (status == 0)
		status = export_path(perfetto, story, track);
	for (size_t i = 0; timed && status == 0 && i < story->culprits.count; i++)
		status = export_culprit(perfetto, story, &story->culprits.items[i], track);
	free(name);
	free(words);
	return status;
}

/* On the root itself, where it is seen before anything is unfolded; one that lies across another has its own. */
static int export_window(struct perfetto *perfetto, const struct moment *moment)
{
	char *words = moment_words(perfetto->model->site, moment), *gap = moment_gap(moment);
	uint64_t track = packet_root(perfetto);
	size_t mark;
	int status;

	if (moment->from < perfetto->told_until)
		track = packet_track(perfetto, 0, ROOT_NAME, RANK_IN_TURN);
	else
		perfetto->told_until = moment->to;
	mark = packet_event(perfetto, track, moment->from, EVENT_BEGIN, words);
	packet_note(perfetto, "window", moment->window ? moment->window : "");
	packet_note_number(perfetto, "signals", (double)moment->signals);
	packet_note(perfetto, "complete", gap ? gap : "yes");
	status = packet_event_end(perfetto, mark) < 0 ? -1 : packet_slice_end(perfetto, track, moment->to);
	free(words);
	free(gap);
	return status;
}

int moment_export(struct perfetto *perfetto, const struct moment *moment)
{
	if (moment->to >= moment->from && packet_has_place(perfetto, moment->from) && export_window(perfetto, moment) < 0)
		return -1;
	for (size_t i = 0; i < moment->stories.count; i++)
		if (export_story(perfetto, moment->stories.items[i]) < 0)
			return -1;
	return 0;
}

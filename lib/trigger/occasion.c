#include "trigger/occasion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "chart/series.h"

static void set_number(struct value *value, double number)
{
	*value = (struct value){.kind = VALUE_NUMBER, .number = number};
}

static void set_text(struct value *value, enum value_kind kind, const char *text)
{
	*value = (struct value){.kind = kind, .text = text};
}

/* The name of a process: that of its leader. */
static const char *program_of(const struct occasion *occasion, int32_t tid)
{
	int32_t leader = events_tgid(occasion->events, tid);

	return leader > 0 ? events_called(occasion->events, leader, occasion->ts) : "?";
}

static void thread_value(const struct occasion *occasion, enum trigger_field field, int64_t tid, struct value *value)
{
	const char *name;

	if (tid < 0 || tid > INT32_MAX)
		return;
	if (field == FIELD_TID) {
		set_number(value, (double)tid);
		return;
	}
	name = field == FIELD_COMM ? events_comm(occasion->events, (int32_t)tid) : program_of(occasion, (int32_t)tid);
	if (strcmp(name, "?") != 0)
		set_text(value, VALUE_TEXT, name);
}

static void request_value(const struct occasion *occasion, enum trigger_field field, const char *shown, char room[VALUE_ROOM],
			  struct value *value)
{
	const struct sample *request = occasion->request;

	switch (field) {
	case FIELD_LATENCY:
		set_number(value, request->value);
		return;
	case FIELD_RET_VALUE:
		if (request->has_result)
			set_number(value, request->result);
		return;
	case FIELD_START:
		set_number(value, (double)request->start / 1e9);
		return;
	case FIELD_CHART:
		set_text(value, VALUE_TEXT, request->series->chart);
		return;
	case FIELD_KEY:
		if (request->series->key)
			set_text(value, VALUE_TEXT, request->series->key);
		return;
	case FIELD_SHOWN:
		if (sample_field(request, shown, room, VALUE_ROOM) >= 0)
			set_text(value, VALUE_OPEN, room);
		return;
	default:
		thread_value(occasion, field, request->tid, value);
	}
}

/* The keys of fields in the record of a signal or an exception. */
static const char *const record_keys[] = {
	[FIELD_NAME] = "name", [FIELD_WHAT] = "what", [FIELD_FUNCTION] = "function", [FIELD_VALUE] = "value", [FIELD_CENTER] = "center",
	[FIELD_UCL] = "ucl",   [FIELD_CHART] = "chart", [FIELD_KEY] = "key",
};

static void record_value(const struct occasion *occasion, enum trigger_field field, char room[VALUE_ROOM], struct value *value)
{
	int64_t tid = -1;
	double number;

	if (field == FIELD_TID || field == FIELD_COMM || field == FIELD_PROGRAM) {
		if (fields_integer(occasion->record, "tid", &tid) > 0)
			thread_value(occasion, field, tid, value);
	} else if (field == FIELD_VALUE || field == FIELD_CENTER || field == FIELD_UCL) {
		if (fields_double(occasion->record, record_keys[field], &number) > 0)
			set_number(value, number);
	} else if (fields_text(occasion->record, record_keys[field], room, VALUE_ROOM) > 0) {
		set_text(value, VALUE_TEXT, room);
	}
}

void occasion_value(const struct occasion *occasion, enum trigger_field field, const char *shown, char room[VALUE_ROOM], struct value *value)
{
	*value = (struct value){.kind = VALUE_UNKNOWN};
	if (occasion->request)
		request_value(occasion, field, shown, room, value);
	else if (occasion->record)
		record_value(occasion, field, room, value);
}

double occasion_number(const struct occasion *occasion, enum trigger_field field, const char *shown)
{
	char room[VALUE_ROOM];
	struct value value;
	double number;

	occasion_value(occasion, field, shown, room, &value);
	if (value.kind == VALUE_NUMBER)
		return value.number;
	return value.kind == VALUE_OPEN && number_double(value.text, strlen(value.text), &number) == 0 ? number : NAN;
}

static void join(const char *chart, const char *key, char room[VALUE_ROOM])
{
	snprintf(room, VALUE_ROOM, "%s\n%s", chart, key);
}

void occasion_key(struct occasion *occasion, char room[VALUE_ROOM])
{
	char chart[VALUE_ROOM / 2], key[VALUE_ROOM / 2 - 2];

	*room = *chart = *key = '\0';
	if (occasion->request) {
		join(occasion->request->series->chart, occasion->request->series->key ? occasion->request->series->key : "", room);
	} else if (occasion->record && occasion->on == ON_EXCEPTION) {
		fields_text(occasion->record, "name", room, VALUE_ROOM);
	} else if (occasion->record) {
		fields_text(occasion->record, "chart", chart, sizeof(chart));
		fields_text(occasion->record, "key", key, sizeof(key));
		join(chart, key, room);
	}
	occasion->key = room;
}

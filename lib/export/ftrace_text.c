#include "export/ftrace_text.h"

#include <string.h>

#include "base/number.h"

/*
 * From the print formats in the kernel's include/trace/events/. {field} is a field as it stands in the stream,
 * {field:X} through one of the spellings below.
 */
static const struct {
	const char *event, *template;
} templates[] = {
	{"sched_switch", "prev_comm={prev_comm} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={prev_state:s} ==> "
		     "next_comm={next_comm} next_pid={next_pid} next_prio={next_prio}"},
	{"sched_wakeup", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:3}"},
	{"sched_wakeup_new", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:3}"},
	{"sched_waking", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:3}"},
	{"irq_handler_entry", "irq={irq} name={name}"},
	{"irq_handler_exit", "irq={irq} ret={ret:h}"},
	{"softirq_entry", "vec={vec} [action={vec:v}]"},
	{"softirq_exit", "vec={vec} [action={vec:v}]"},
	{"softirq_raise", "vec={vec} [action={vec:v}]"},
};

static const char *const softirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
				       "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

void ftrace_clean(const char *field, char *text, size_t length)
{
	const char *tail = strlen(field) >= 4 ? field + strlen(field) - 4 : "";
	bool comm = !strcmp(tail, "comm");

	for (char *c = text; c < text + length; c++)
		if (*c == '[' || *c == '(')
			*c = '{';
		else if (*c == ']' || *c == ')')
			*c = '}';
		else if ((unsigned char)*c < ' ' || *c == 0x7f || (comm && *c == '='))
			*c = '_';
}

bool ftrace_is_flags(const struct field *field)
{
	return field->key_length == strlen(FTRACE_FLAGS) && !memcmp(field->key, FTRACE_FLAGS, field->key_length);
}

static void append(struct line *line, const char *text)
{
	line_append(line, text, strlen(text));
}

/* prev_state: bits below TASK_REPORT_MAX by their letters, the bit itself is a preempted thread. */
static void append_state(struct line *line, int64_t state)
{
	static const char letters[] = "SDTtXZPI";
	enum { PREEMPTED = 1 << 8 };
	bool first = true;

	for (int bit = 0; letters[bit]; bit++)
		if (state & 1 << bit) {
			line_append(line, first ? letters + bit : (char[]){'|', letters[bit]}, first ? 1 : 2);
			first = false;
		}
	append(line, first ? "R" : "");
	append(line, state & PREEMPTED ? "+" : "");
}

static void append_as(struct line *line, char how, const char *text, int64_t number)
{
	char digits[NUMBER_ROOM];
	size_t length;

	switch (how) {
	case 's':
		append_state(line, number);
		break;
	case '3':
		length = number_spell_integer(digits, number);
		if (length < 3)
			line_append(line, "00", 3 - length);
		line_append(line, digits, length);
		break;
	case 'h':
		append(line, number ? "handled" : "unhandled");
		break;
	case 'v':
		append(line, number >= 0 && number < (int64_t)(sizeof(softirqs) / sizeof(*softirqs)) ? softirqs[number]
												     : text);
		break;
	default:
		append(line, text);
	}
}

static const struct field *own_fields(const struct fields *fields)
{
	const struct field *name = fields_find(fields, "name");

	return name ? name + 1 : fields->item;
}

static void append_field(struct line *line, const struct fields *fields, const char *key, size_t length, char how,
			 bool exact)
{
	char text[256] = "";
	int64_t number = 0;

	for (const struct field *field = own_fields(fields); field < fields->item + fields->count; field++) {
		if (field->key_length != length || memcmp(field->key, key, length) != 0)
			continue;
		field_text(field, text, sizeof(text));
		if (how && number_integer(text, strlen(text), &number) < 0)
			how = 0; /* a letter already, or not what it should be: as it stands */
		break;
	}
	if (!exact)
		ftrace_clean(length > 3 && !memcmp(key + length - 4, "comm", 4) ? "comm" : "", text, strlen(text));
	append_as(line, how, text, number);
}

static void fill(struct line *line, const struct fields *fields, const char *template, bool exact)
{
	while (*template) {
		size_t plain = strcspn(template, "{"), name;

		for (size_t i = 0; i < plain; i++)
			if (exact || !strchr("[]", template[i]))
				line_append(line, template + i, 1);
		template += plain;
		if (!*template)
			return;
		name = strcspn(++template, ":}");
		append_field(line, fields, template, name, template[name] == ':' ? template[name + 1] : 0, exact);
		template += name + strcspn(template + name, "}") + 1;
	}
}

void ftrace_spell(const struct fields *fields, const char *name, bool exact, struct line *line)
{
	bool first = true;

	for (size_t i = 0; i < sizeof(templates) / sizeof(*templates); i++)
		if (!strcmp(templates[i].event, name)) {
			fill(line, fields, templates[i].template, exact);
			return;
		}
	for (const struct field *field = own_fields(fields); field < fields->item + fields->count; field++) {
		if (ftrace_is_flags(field))
			continue;
		line_append(line, " ", first ? 0 : 1);
		line_append(line, field->key, field->key_length);
		line_append(line, "=", 1);
		append_field(line, fields, field->key, field->key_length, 0, exact);
		first = false;
	}
}

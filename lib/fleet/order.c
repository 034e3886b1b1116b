#include "fleet/order.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "stream/fields.h"
#include "stream/line.h"

enum { JOB_MOST = 64, ID_MOST = 20, NODES_MOST = 4096, NODE_MOST = 253, URL_MOST = 256, LINE_MOST = 64 << 10, RUNS_MOST = 1000000, WORDS_MOST = 64 };

static bool is_of(const char *text, size_t most, const char *more)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] >= 0x80 || (!isalnum((unsigned char)text[i]) && !strchr(more, text[i])))
			return false;
	return length > 0 && length <= most;
}

bool order_job_is_name(const char *job)
{
	return is_of(job, JOB_MOST, "_-.") && *job != '.' && *job != '-';
}

bool order_node_is_name(const char *node)
{
	return is_of(node, NODE_MOST, "_-.:@+");
}

bool order_url_is_name(const char *url)
{
	return is_of(url, URL_MOST, "_-.:/[]");
}

bool order_is_for(const char *nodes, const char *node)
{
	char *copy = memory_text(nodes, strlen(nodes)), *rest = NULL;
	bool found = false;

	for (char *glob = strtok_r(copy, ",", &rest); glob && !found; glob = strtok_r(NULL, ",", &rest))
		found = fnmatch(glob, node, 0) == 0;
	free(copy);
	return found;
}

static void free_order(struct order *order)
{
	free(order->id);
	free(order->job);
	free(order->nodes);
	free(order->text);
	free(order->url);
}

void orders_free(struct orders *orders)
{
	for (size_t i = 0; i < orders->all.count; i++)
		free_order(&orders->all.items[i]);
	ARRAY_FREE(&orders->all);
}

bool orders_remove(struct orders *orders, const char *job)
{
	for (size_t i = 0; i < orders->all.count; i++)
		if (!strcmp(orders->all.items[i].job, job)) {
			free_order(&orders->all.items[i]);
			orders->all.items[i] = orders->all.items[--orders->all.count];
			return true;
		}
	return false;
}

static char *copy(const char *text)
{
	return memory_text(text, strlen(text));
}

void orders_add(struct orders *orders, const struct order *order)
{
	struct order own = *order;

	own.id = copy(order->id);
	own.job = copy(order->job);
	own.nodes = copy(order->nodes);
	own.text = copy(order->text);
	own.url = order->url ? copy(order->url) : NULL;
	orders_remove(orders, order->job);
	*ARRAY_ADD(&orders->all) = own;
}

int order_check(const struct order *order)
{
	if (!order->id || !is_of(order->id, ID_MOST, "") || strspn(order->id, "0123456789") != strlen(order->id))
		return fail("an order needs an id of digits");
	if (!order->job || !order_job_is_name(order->job))
		return fail("an order needs the name of a job, of letters, digits, '_', '-' and '.'");
	if (!order->text || strlen(order->text) > ORDER_TEXT_MOST)
		return fail("the order '%s' has no job file, or one of more than %d bytes", order->job, ORDER_TEXT_MOST);
	if (order->url && !order_url_is_name(order->url))
		return fail("the order '%s' has a server whose name is not of letters, digits and _-.:/[]", order->job);
	if (order->until <= 0 || order->runs == 0 || order->runs > RUNS_MOST)
		return fail("the order '%s' needs an end, and 1 to %d runs", order->job, RUNS_MOST);
	return strlen(order->nodes) <= NODES_MOST ? 0 : fail("the order '%s' has too long a pattern of nodes", order->job);
}

static int read_order(struct orders *orders, const struct fields *fields)
{
	struct order order = {.id = fields_copy(fields, "id"), .job = fields_copy(fields, "job"), .nodes = fields_copy(fields, "nodes"),
			      .text = fields_copy(fields, "text"), .url = fields_copy(fields, "url"), .light = fields_is(fields, "light", "yes")};
	int status = -1;

	if (!order.nodes)
		order.nodes = copy("*");
	if (fields_integer(fields, "until", &order.until) >= 0 && fields_unsigned(fields, "runs", &order.runs) >= 0)
		status = order_check(&order);
	if (status == 0)
		orders_add(orders, &order);
	free_order(&order);
	return status;
}

int orders_read(struct orders *orders, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t size = (size_t)((newline ? newline : end) - text);
		struct fields fields;

		if (fields_parse(&fields, text, size) < 0)
			return -1;
		if (fields.kind_length == 5 && !memcmp(fields.kind, "order", 5)) {
			if (orders->all.count == ORDERS_MOST)
				return fail("there are more than %d orders", ORDERS_MOST);
			if (read_order(orders, &fields) < 0)
				return -1;
		}
		text += size + 1;
	}
	return 0;
}

char *orders_spell(const struct orders *orders)
{
	struct line line = {0};
	char *text = memory_text("", 0);

	for (size_t i = 0; i < orders->all.count; i++) {
		const struct order *order = &orders->all.items[i];
		char *longer;

		line_begin(&line, "order");
		line_text(&line, "id", order->id);
		line_text(&line, "job", order->job);
		line_integer(&line, "until", order->until);
		line_unsigned(&line, "runs", order->runs);
		line_text(&line, "nodes", order->nodes);
		if (order->light)
			line_text(&line, "light", "yes");
		if (order->url)
			line_text(&line, "url", order->url);
		line_text(&line, "text", order->text);
		longer = memory_format("%s%s\n", text, line.text);
		free(text);
		text = longer;
	}
	line_free(&line);
	return text;
}

/* A line of words that is allowed: its word, and a pattern for each word behind it. */
struct allowed {
	char *words[WORDS_MOST + 1]; /* NULL behind the last */
	char *line;
};

struct may {
	ARRAY(struct allowed) lines;
};

/* Cuts a line in place; the count of its words, which NULL follows; -1: too many. */
static int cut(char *line, char *words[WORDS_MOST + 1])
{
	char *rest = NULL;
	int count = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
		if (count == WORDS_MOST)
			return -1;
		words[count++] = word;
	}
	words[count] = NULL;
	return count;
}

static bool is_limited(const char *word)
{
	static const char *const limited[] = {"program", "config", "sysctl", "directory", "host"};

	for (size_t i = 0; i < sizeof(limited) / sizeof(limited[0]); i++)
		if (!strcmp(word, limited[i]))
			return true;
	return false;
}

/* A '*' elsewhere than at the end of a name would allow what nobody sees in it. */
static int check_allowed(const struct allowed *allowed, const char *path, int number)
{
	if (!is_limited(allowed->words[0]))
		return fail("%s:%d: unknown word '%s'; a line begins with program, config, sysctl, directory or host", path, number,
			    allowed->words[0]);
	for (int i = 1; allowed->words[i]; i++)
		if (strcspn(allowed->words[i], "*?[") + 1 < strlen(allowed->words[i]) ||
		    (*allowed->words[i] && strchr("?[", allowed->words[i][strlen(allowed->words[i]) - 1])))
			return fail("%s:%d: a name is whole, or ends in '*', unlike '%s'", path, number, allowed->words[i]);
	return 0;
}

static int add_allowed(struct may *may, const char *line, size_t length, const char *path, int number)
{
	struct allowed allowed = {.line = memory_text(line, length)};
	int count = cut(allowed.line, allowed.words);

	if (count <= 0) {
		free(allowed.line);
		return count < 0 ? fail("%s:%d: too many words", path, number) : 0;
	}
	*ARRAY_ADD(&may->lines) = allowed;
	return check_allowed(&allowed, path, number);
}

struct may *may_load(const char *path)
{
	struct may *may = NEW(struct may);
	int status = 0, number = 1;
	size_t length;
	char *text;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return may;
	text = file_read(path, &length);
	for (const char *line = text; line && status == 0; number++) {
		size_t size = strcspn(line, "\n");

		status = add_allowed(may, line, size, path, number);
		line = line[size] ? line + size + 1 : NULL;
	}
	free(text);
	if (text && status == 0)
		return may;
	may_free(may);
	return NULL;
}

void may_free(struct may *may)
{
	for (size_t i = 0; i < may->lines.count; i++)
		free(may->lines.items[i].line);
	free(may->lines.items);
	free(may);
}

/* Whether all that `asked` stands for, which may be a pattern itself, begins as `allowed` does, and leads nowhere else. */
static bool covers(const char *allowed, const char *asked)
{
	size_t length = strlen(allowed);

	if (length > 0 && allowed[length - 1] == '*')
		return !strncmp(allowed, asked, length - 1) && !strstr(asked, "..");
	return !strcmp(allowed, asked);
}

/* One word that is asked for, such as a program; any of the words of a line allows it. */
static bool allows_word(const struct may *may, const char *kind, const char *asked)
{
	for (size_t i = 0; i < may->lines.count; i++)
		for (char *const *word = may->lines.items[i].words + 1; !strcmp(may->lines.items[i].words[0], kind) && *word; word++)
			if (covers(*word, asked))
				return true;
	return false;
}

static bool allows_config(const struct may *may, char *const *words)
{
	for (size_t i = 0; i < may->lines.count; i++) {
		char *const *own = may->lines.items[i].words;

		if (!strcmp(own[0], "config") && own[1] && own[2] && words[1] && words[2] && !strcmp(own[1], words[1]) &&
		    covers(own[2], words[2]))
			return true;
	}
	return false;
}

static bool allows(const struct may *may, char *const *words)
{
	if (!is_limited(words[0]))
		return true;
	if (!strcmp(words[0], "config"))
		return allows_config(may, words);
	for (char *const *word = words + 1; *word; word++)
		if (!allows_word(may, words[0], *word))
			return false;
	return true;
}

/* Appends with a separator, where there is something before. */
static void append(char **text, const char *separator, const char *more)
{
	char *longer = memory_format("%s%s%s", *text, **text ? separator : "", more);

	free(*text);
	*text = longer;
}

static void append_line(char **text, const char *line)
{
	append(text, "", line);
	append(text, "", "\n");
}

/* What the kernel filters for stands in a filter's text. */
static bool are_programs(char *const *words)
{
	for (char *const *word = words + 1; *word; word++)
		if (!is_of(*word, NODES_MOST, "_-.+"))
			return false;
	return words[1] != NULL;
}

/* Takes over one line: 0; -1 after fail(). */
static int filter_line(const struct may *may, const char *line, size_t length, char **kept, char **left, bool *has_program)
{
	char *whole = memory_text(line, length), *cut_text = memory_text(line, length), *words[WORDS_MOST + 1];
	int count = cut(cut_text, words), status = 0;

	if (count < 0 || (count > 0 && !strcmp(words[0], "name"))) {
		append(left, "; ", count < 0 ? "a line of too many words" : whole);
	} else if (count > 0 && !strcmp(words[0], "program")) {
		*has_program = true;
		if (!are_programs(words) || !allows(may, words))
			status = fail("'%s' may not be recorded here", whole);
		else
			append_line(kept, whole);
	} else if (count > 0 && allows(may, words)) {
		append_line(kept, whole);
	} else if (count > 0) {
		append(left, "; ", whole);
	}
	free(whole);
	free(cut_text);
	return status;
}

char *may_filter(const struct may *may, const char *text, char **left)
{
	char *kept = memory_text("", 0);
	bool has_program = false;
	int status = 0;

	*left = memory_text("", 0);
	for (const char *line = text; line && status == 0;) {
		size_t size = strcspn(line, "\n");

		status = filter_line(may, line, size, &kept, left, &has_program);
		line = line[size] ? line + size + 1 : NULL;
	}
	if (status == 0 && !has_program)
		status = fail("the order names no program");
	if (status == 0)
		return kept;
	free(kept);
	free(*left);
	*left = NULL;
	return NULL;
}

/* --- programs whose command lines name a server -------------------------------------------------------------------------- */

/* Bytes of a name that is another where they stand before or behind: a.example.org is no example.org. */
static bool goes_on(const char *at, const char *end)
{
	if (at < end && *at == '.')
		at++;
	return at < end && ((unsigned char)*at >= 0x80 || isalnum((unsigned char)*at) || *at == '-' || *at == '_');
}

bool order_url_is_in(const char *url, const char *line, size_t length)
{
	size_t size = strlen(url);
	const char *end = line + length;

	for (const char *at = line; (at = memmem(at, (size_t)(end - at), url, size)); at++) {
		unsigned char before = at == line ? '\0' : (unsigned char)at[-1];

		if (before < 0x80 && !isalnum(before) && before != '-' && before != '_' && before != '.' && !goes_on(at + size, end))
			return true;
	}
	return false;
}

/* The beginning of a file of /proc; 0 where the process is gone. */
static size_t read_some(int folder, const char *pid, const char *name, char *text, size_t room)
{
	char *path = memory_format("%s/%s", pid, name);
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	while (fd >= 0 && length < room && (got = read(fd, text + length, room - length)) > 0)
		length += (size_t)got;
	if (fd >= 0)
		close(fd);
	free(path);
	return length;
}

/* A program that may be recorded, once. */
static void add_program(const struct may *may, char *name, char **line)
{
	char kind[] = "program", *words[] = {kind, name, NULL}, *with = memory_format(" %s ", name), *all = memory_format("%s ", *line), *longer;

	if (allows(may, words) && strcspn(name, " \t\r\n#*?[") == strlen(name) && !strstr(all, with)) {
		longer = memory_format("%s %s", *line, name);
		free(*line);
		*line = longer;
	}
	free(with);
	free(all);
}

/* The lines of a job's file that name no program. */
static char *without_programs(const char *text)
{
	char *kept = memory_text("", 0);

	for (const char *line = text; line;) {
		size_t size = strcspn(line, "\n"), space = strspn(line, " \t");
		bool names = !strncmp(line + space, "program", 7) && (line[space + 7] == ' ' || line[space + 7] == '\t');
		char *whole = memory_text(line, size);

		if (!names)
			append_line(&kept, whole);
		free(whole);
		line = line[size] ? line + size + 1 : NULL;
	}
	return kept;
}

char *order_programs(const struct order *order, const struct may *may)
{
	char *line = memory_text("program", 7), *text = memory_new(LINE_MOST, 1), comm[64], *rest, *whole = NULL;
	DIR *processes = opendir("/proc");
	const struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		size_t length;

		if (!isdigit((unsigned char)*entry->d_name) || atoi(entry->d_name) == getpid())
			continue;
		length = read_some(dirfd(processes), entry->d_name, "cmdline", text, LINE_MOST);
		if (!order_url_is_in(order->url, text, length))
			continue;
		length = read_some(dirfd(processes), entry->d_name, "comm", comm, sizeof(comm) - 1);
		comm[length] = '\0';
		comm[strcspn(comm, "\n")] = '\0';
		add_program(may, comm, &line);
	}
	if (processes)
		closedir(processes);
	if (strchr(line, ' ')) {
		rest = without_programs(order->text);
		whole = memory_format("%s\n%s", line, rest);
		free(rest);
	}
	free(text);
	free(line);
	return whole;
}

#include "run/job.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "base/suggestions.h"

#define SIZES "charts/formats/calls.sizes"

enum { COMM_LENGTH = 15, ARGUMENTS = 6 };

struct job_call {
	char *call;	/* the kernel's name */
	char *name;	/* the name in features; NULL: the same */
	bool result;	/* the result is a size */
	int argument;	/* index of the argument that is a size; -1: none */
	UT_hash_handle hh;
};

struct words {
	char *word[JOB_WORDS + 1];
	int count;
};

int job_cut(char *line, char *words[JOB_WORDS + 1])
{
	char *rest = NULL;
	int count = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
		if (count == JOB_WORDS)
			return -1;
		words[count++] = word;
	}
	words[count] = NULL;
	return count;
}

static struct job_call *find_call(const struct job *job, const char *call)
{
	struct job_call *found;

	HASH_FIND_STR(job->calls, call, found);
	return found;
}

static struct job_call *get_call(struct job *job, const char *call)
{
	struct job_call *entry = find_call(job, call);

	if (!entry) {
		entry = NEW(struct job_call);
		entry->call = memory_text(call, strlen(call));
		entry->argument = -1;
		HASH_ADD_KEYPTR(hh, job->calls, entry->call, strlen(entry->call), entry);
	}
	return entry;
}

static int take(char **place, const struct words *words)
{
	if (words->count != 2)
		return fail("'%s' needs one word behind it", words->word[0]);
	free(*place);
	*place = memory_text(words->word[1], strlen(words->word[1]));
	return 0;
}

static int take_name(struct job *job, const struct words *words)
{
	return take(&job->name, words);
}

static int take_host(struct job *job, const struct words *words)
{
	return take(&job->host, words);
}

static int take_directory(struct job *job, const struct words *words)
{
	return take(&job->directory, words);
}

static int take_salt(struct job *job, const struct words *words)
{
	return take(&job->salt, words);
}

static int take_programs(struct job *job, const struct words *words)
{
	if (words->count < 2)
		return fail("'program' needs a name behind it");
	for (int i = 1; i < words->count; i++) {
		const char *name = basename(words->word[i]);

		*ARRAY_ADD(&job->programs) = memory_text(name, strlen(name));
	}
	return 0;
}

static int take_map(struct job *job, const struct words *words)
{
	if (words->count < 2)
		return fail("'map' needs CALL=NAME behind it");
	for (int i = 1; i < words->count; i++) {
		char *equals = strchr(words->word[i], '=');
		struct job_call *call;

		if (!equals || equals == words->word[i] || !equals[1])
			return fail("'%s' is not CALL=NAME, such as poll=select", words->word[i]);
		*equals = '\0';
		if (equals[1 + strspn(equals + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
			return fail("a call's name is made of letters, digits and '_', not '%s'", equals + 1);
		call = get_call(job, words->word[i]);
		free(call->name);
		call->name = memory_text(equals + 1, strlen(equals + 1));
	}
	return 0;
}

static int take_size(struct job *job, const struct words *words)
{
	struct job_call *call;

	if (words->count < 3)
		return fail("'size' needs a call, and 'result', 'arg=N' or both behind it");
	call = get_call(job, words->word[1]);
	for (int i = 2; i < words->count; i++) {
		const char *word = words->word[i];

		if (!strcmp(word, "result"))
			call->result = true;
		else if (!strncmp(word, "arg=", 4) && word[4] >= '1' && word[4] < '1' + ARGUMENTS && !word[5])
			call->argument = word[4] - '1';
		else
			return fail("'%s' is neither 'result' nor 'arg=N' with N from 1 to %d", word, ARGUMENTS);
	}
	return 0;
}

static int take_config(struct job *job, const struct words *words)
{
	struct job_config *config;

	if (words->count != 3)
		return fail("'config' needs a lens and a path behind it, such as 'config Sshd /etc/ssh/sshd_config'");
	if (*words->word[2] != '/')
		return fail("the path '%s' does not begin with '/'", words->word[2]);
	config = ARRAY_ADD(&job->configs);
	config->lens = memory_text(words->word[1], strlen(words->word[1]));
	config->path = memory_text(words->word[2], strlen(words->word[2]));
	return 0;
}

static int take_sysctls(struct job *job, const struct words *words)
{
	if (words->count < 2)
		return fail("'sysctl' needs a pattern behind it, such as net.*");
	for (int i = 1; i < words->count; i++)
		*ARRAY_ADD(&job->sysctls) = memory_text(words->word[i], strlen(words->word[i]));
	return 0;
}

static const struct {
	const char *word;
	int (*take)(struct job *job, const struct words *words);
} lines[] = {
	{"program", take_programs}, {"name", take_name},     {"map", take_map},   {"size", take_size}, {"config", take_config},
	{"sysctl", take_sysctls},   {"host", take_host},     {"directory", take_directory},		{"salt", take_salt},
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };

static int refuse(const char *word)
{
	struct suggestions suggestions = suggestions_begin(word);
	char *all = memory_text("", 0);

	for (int i = 0; i < LINES; i++) {
		char *longer = memory_format("%s%s%s", all, i ? ", " : "", lines[i].word);

		free(all);
		all = longer;
		suggestions_offer(&suggestions, lines[i].word);
	}
	fail("unknown word '%s'%s; a line begins with one of %s", word, suggestions_text(&suggestions), all);
	free(all);
	return -1;
}

static int read_line(struct job *job, char *line)
{
	struct words words;

	words.count = job_cut(line, words.word);
	if (words.count < 0)
		return fail("more than %d words in a line", JOB_WORDS);
	for (int i = 0; i < LINES && words.count; i++)
		if (!strcmp(lines[i].word, words.word[0]))
			return lines[i].take(job, &words);
	return words.count ? refuse(words.word[0]) : 0;
}

static int read_file(struct job *job, const char *path)
{
	size_t length;
	char *text = file_read(path, &length), *next;
	int number = 1, status = 0;

	if (!text)
		return -1;
	if (strlen(text) != length)
		status = fail("'%s' is no job file: it has a NUL", path);
	for (char *line = text; line && status == 0; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		status = read_line(job, line);
		if (status < 0)
			fail_prefix("%s:%d", path, number);
	}
	free(text);
	return status;
}

char *job_find(const char *file)
{
	char *place, *path;

	if (strchr(file, '/') || access(file, F_OK) == 0)
		return memory_text(file, strlen(file));
	place = memory_format("charts/jobs/%s.job", file);
	path = file_shipped(place);
	free(place);
	return path ? path : memory_text(file, strlen(file));
}

static int read_job(struct job *job, const char *file)
{
	char *path = job_find(file), *base = strrchr(path, '/'), *name = base ? base + 1 : path, *dot = strrchr(name, '.');
	int status = read_file(job, path);

	if (status == 0 && !*job->name) {
		free(job->name);
		job->name = memory_text(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
	}
	free(path);
	return status;
}

struct job *job_load(const char *file)
{
	struct job *job = NEW(struct job);
	char *sizes = file_shipped(SIZES);
	int status;

	job->name = memory_text("", 0);
	status = sizes ? read_file(job, sizes) : -1;
	free(sizes);
	if (status == 0 && file)
		status = read_job(job, file);
	if (status == 0)
		return job;
	job_free(job);
	return NULL;
}

void job_free(struct job *job)
{
	struct job_call *call, *next;

	HASH_ITER(hh, job->calls, call, next) {
		HASH_DEL(job->calls, call);
		free(call->call);
		free(call->name);
		free(call);
	}
	for (size_t i = 0; i < job->programs.count; i++)
		free(job->programs.items[i]);
	for (size_t i = 0; i < job->configs.count; i++) {
		free(job->configs.items[i].lens);
		free(job->configs.items[i].path);
	}
	for (size_t i = 0; i < job->sysctls.count; i++)
		free(job->sysctls.items[i]);
	free(job->programs.items);
	free(job->configs.items);
	free(job->sysctls.items);
	free(job->name);
	free(job->host);
	free(job->directory);
	free(job->salt);
	free(job);
}

bool job_runs(const struct job *job, const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	bool cut = strlen(name) == COMM_LENGTH;

	for (size_t i = 0; i < job->programs.count; i++)
		if (!strcmp(job->programs.items[i], name) || (cut && !strncmp(job->programs.items[i], name, COMM_LENGTH)))
			return true;
	return false;
}

void job_learn(struct job *job, const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

	if (job->programs.count > 0)
		return;
	*ARRAY_ADD(&job->programs) = memory_text(name, strlen(name));
	if (!*job->name) {
		free(job->name);
		job->name = memory_text(name, strlen(name));
	}
}

const char *job_call_name(const struct job *job, const char *call)
{
	const struct job_call *found = find_call(job, call);

	return found && found->name ? found->name : call;
}

bool job_result_is_size(const struct job *job, const char *call)
{
	const struct job_call *found = find_call(job, call);

	return found && found->result;
}

int job_size_argument(const struct job *job, const char *call)
{
	const struct job_call *found = find_call(job, call);

	return found ? found->argument : -1;
}

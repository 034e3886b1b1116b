#include "run/settings.h"

#include <augeas.h>
#include <crypt.h>
#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/number.h"

enum { VALUE_MAX = 256, SALT_MAX = 16, NUMBERS_MAX = 32 };

#define SYSCTLS "/proc/sys/"

struct setting {
	char *name, *value; /* value NULL: the file `name` could not be read */
	char *error;
};

struct settings {
	ARRAY(struct setting) all;
	ARRAY(char *) complaints;
	char salt[8 + SALT_MAX];
};

/* SHA-512 by crypt(3), which is slow on purpose. The salt is the job's, so that equal secrets are equal on all nodes. */
static void set_salt(struct settings *settings, const struct job *job)
{
	const char *salt = job->salt ? job->salt : job->name;
	size_t length = strlen(strcpy(settings->salt, "$6$"));

	for (; *salt && length < 3 + SALT_MAX; salt++)
		settings->salt[length++] = isalnum((unsigned char)*salt) ? *salt : '.';
	strcpy(settings->salt + length, "$");
}

static char *hashed(const struct settings *settings, const char *value)
{
	struct crypt_data *data = NEW(struct crypt_data);
	const char *text = crypt_r(value, settings->salt, data), *hash = text ? strrchr(text, '$') : NULL;
	char *result = memory_format("hash:%.32s", hash && text[0] != '*' ? hash + 1 : "?");

	free(data);
	return result;
}

static bool is_secret(const char *name)
{
	static const char *const words[] = {"password", "passwd", "secret", "token", "key"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

static void put(struct settings *settings, char *name, char *value)
{
	*ARRAY_ADD(&settings->all) = (struct setting){.name = name, .value = value};
}

/* Cuts a copy of the value at blanks and commas if every word is a number; returns how many, 0: it is no list of numbers. */
static int cut_numbers(char *copy, char *numbers[NUMBERS_MAX])
{
	char *rest = NULL;
	int count = 0;
	double number;

	for (char *word = strtok_r(copy, " \t\n,", &rest); word; word = strtok_r(NULL, " \t\n,", &rest)) {
		if (count == NUMBERS_MAX || number_double(word, strlen(word), &number) < 0)
			return 0;
		numbers[count++] = word;
	}
	return count;
}

static void add(struct settings *settings, const char *name, const char *value, bool secret)
{
	char *copy = memory_text(value, strlen(value)), *numbers[NUMBERS_MAX];
	int count;

	if (secret) {
		put(settings, memory_text(name, strlen(name)), hashed(settings, value));
		free(copy);
		return;
	}
	count = cut_numbers(copy, numbers);
	for (int i = 0; i < count && count > 1; i++)
		put(settings, memory_format("%s.%d", name, i + 1), memory_text(numbers[i], strlen(numbers[i])));
	if (count <= 1)
		put(settings, memory_text(name, strlen(name)), memory_text(value, strnlen(value, VALUE_MAX)));
	free(copy);
}

/* "net/ipv4/tcp_rmem" is net.ipv4.tcp_rmem; a '.' in a name, as of a VLAN's link, becomes '/'. */
static char *sysctl_name(const char *path)
{
	char *name = memory_text(path, strlen(path));

	for (char *at = name; *at; at++)
		*at = *at == '/' ? '.' : *at == '.' ? '/' : *at;
	return name;
}

static bool is_wanted(const struct job *job, const char *name)
{
	for (size_t i = 0; i < job->sysctls.count; i++)
		if (fnmatch(job->sysctls.items[i], name, 0) == 0)
			return true;
	return false;
}

static void read_sysctl(struct settings *settings, const char *path, const char *name)
{
	char text[4096], *whole;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	if (length < 0)
		return;
	text[length] = '\0';
	whole = memory_format("sysctl.%s", name);
	add(settings, whole, text, is_secret(name));
	free(whole);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void read_sysctls(struct settings *settings, const struct job *job)
{
	FTS *tree = fts_open((char *[]){SYSCTLS, NULL}, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, by_name);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		char *name;

		if (entry->fts_info != FTS_F)
			continue;
		name = sysctl_name(entry->fts_path + strlen(SYSCTLS));
		if (is_wanted(job, name))
			read_sysctl(settings, entry->fts_path, name);
		free(name);
	}
	if (tree)
		fts_close(tree);
}

static const char *value_below(augeas *tree, const char *path, const char *name)
{
	char *place = memory_format("%s/%s", path, name);
	const char *value = NULL;

	aug_get(tree, place, &value);
	free(place);
	return value;
}

/* A file that its lens could not read: /augeas/files/etc/fstab/error. */
static void add_error(struct settings *settings, augeas *tree, const char *path)
{
	const char *message = value_below(tree, path, "message"), *line = value_below(tree, path, "line");
	const char *file = path + strlen("/augeas/files");
	char *name = memory_text(file, strlen(file) - strlen("/error")), *error;

	error = memory_format("%s%s%s", message ? message : "it cannot be read", line ? ", line " : "", line ? line : "");
	*ARRAY_ADD(&settings->complaints) = memory_format("the settings in '%s' are not known: %s", name, error);
	*ARRAY_ADD(&settings->all) = (struct setting){name, NULL, error};
}

/* 0; -1 after fail(): there is no such lens. */
static int add_errors(struct settings *settings, augeas *tree)
{
	char **paths = NULL;
	int count = aug_match(tree, "/augeas//error", &paths), status = 0;

	for (int i = 0; i < count; i++) {
		const char *what = NULL;

		if (!strncmp(paths[i], "/augeas/files/", strlen("/augeas/files/")))
			add_error(settings, tree, paths[i]);
		else if (status == 0)
			status = fail("a 'config' line of the job: libaugeas says: %s", aug_get(tree, paths[i], &what) == 1 && what ? what : paths[i]);
		free(paths[i]);
	}
	free(paths);
	return status;
}

/* Comments, and the blanks between what an XML file has. */
static bool is_remark(const char *path, const char *value)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] == '#' && (strstr(slash, "comment") || !value[strspn(value, " \t\r\n")]);
}

/* Tells whether the path is that of a file, whose name says nothing of what is in it. */
static bool is_file(augeas *tree, const char *path)
{
	char *place = memory_format("/augeas%s/path", path);
	bool is = aug_match(tree, place, NULL) > 0;

	free(place);
	return is;
}

/* A name stands above its value, too: in XML as a path, in JSON as the value of what is above. */
static bool is_secret_leaf(augeas *tree, const char *path)
{
	char *above = memory_text(path, strlen(path)), *slash;
	const char *value = NULL;
	bool secret = false;

	while (!secret && (slash = strrchr(above, '/')) && !is_file(tree, above)) {
		secret = is_secret(slash + 1);
		*slash = '\0';
		if (!secret && aug_get(tree, above, &value) == 1 && value)
			secret = is_secret(value);
	}
	free(above);
	return secret;
}

static void add_leaves(struct settings *settings, augeas *tree)
{
	char **paths = NULL;
	int count = aug_match(tree, "/files//*", &paths);

	for (int i = 0; i < count; i++) {
		const char *value = NULL;

		if (aug_get(tree, paths[i], &value) == 1 && value && !is_remark(paths[i], value))
			add(settings, paths[i] + strlen("/files"), value, is_secret_leaf(tree, paths[i]));
		free(paths[i]);
	}
	free(paths);
}

static int read_files(struct settings *settings, const struct job *job)
{
	augeas *tree = aug_init(NULL, NULL, AUG_NO_MODL_AUTOLOAD | AUG_NO_LOAD | AUG_NO_ERR_CLOSE);
	int status;

	for (size_t i = 0; tree && i < job->configs.count; i++) {
		char *lens = memory_format("%s%s", job->configs.items[i].lens, strchr(job->configs.items[i].lens, '.') ? "" : ".lns");

		aug_transform(tree, lens, job->configs.items[i].path, 0);
		free(lens);
	}
	if (!tree)
		return fail("libaugeas does not start");
	status = aug_load(tree) < 0 ? fail("libaugeas: %s", aug_error_message(tree)) : add_errors(settings, tree);
	if (status == 0)
		add_leaves(settings, tree);
	aug_close(tree);
	return status;
}

struct settings *settings_read(const struct job *job)
{
	struct settings *settings = NEW(struct settings);

	set_salt(settings, job);
	if (job->configs.count && read_files(settings, job) < 0) {
		settings_free(settings);
		return NULL;
	}
	if (job->sysctls.count)
		read_sysctls(settings, job);
	return settings;
}

void settings_free(struct settings *settings)
{
	if (!settings)
		return;
	for (size_t i = 0; i < settings->all.count; i++) {
		free(settings->all.items[i].name);
		free(settings->all.items[i].value);
		free(settings->all.items[i].error);
	}
	for (size_t i = 0; i < settings->complaints.count; i++)
		free(settings->complaints.items[i]);
	free(settings->all.items);
	free(settings->complaints.items);
	free(settings);
}

const char *settings_complaint(const struct settings *settings, size_t index)
{
	return index < settings->complaints.count ? settings->complaints.items[index] : NULL;
}

bool settings_spell(const struct settings *settings, size_t index, struct line *line)
{
	const struct setting *setting;

	if (index >= settings->all.count)
		return false;
	setting = &settings->all.items[index];
	line_text(line, "name", setting->name);
	line_append(line, "\t", 1);
	line_text(line, setting->value ? "value" : "error", setting->value ? setting->value : setting->error);
	return true;
}

#include "run/settings.h"

#include <augeas.h>
#include <crypt.h>
#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"

enum { VALUE_MAX = 256, SALT_MAX = 16, NUMBERS_MAX = 32 };

#define SYSCTLS "/proc/sys/"

/* The nodes of libaugeas for the text of a file, and for the tree that the lens makes of it. */
#define SOURCE "/source"
#define PARSED "/parsed"

typedef ARRAY(char *) name_list;

struct setting {
	char *name, *value; /* value NULL: the file `name` could not be read */
	char *error;
};

struct settings {
	ARRAY(struct setting) all;
	ARRAY(char *) complaints;
	char salt[8 + SALT_MAX];
};

/* Secrets are hashed with SHA-512 by crypt(3), which is slow on purpose. The salt is the job's, so equal secrets have equal hashes on all nodes. */
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

/* Cuts a copy of the value at blanks and commas. Returns the number of words; 0: some word is no number, or there are too many. */
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

/* Adds a name; false: the list has it already. */
static bool add_name(name_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i], name))
			return false;
	*ARRAY_ADD(list) = memory_text(name, strlen(name));
	return true;
}

/* "net/ipv4/tcp_rmem" is net.ipv4.tcp_rmem; a '.' in a component, such as the name of a VLAN interface, becomes '/'. */
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

/* Tells whether a leaf is a comment, or the blanks between the elements of an XML file. */
static bool is_remark(const char *path, const char *value)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] == '#' && (strstr(slash, "comment") || !value[strspn(value, " \t\r\n")]);
}

/* The name may also stand above the leaf: in XML as a component of the path, in JSON as the value of a node above. */
static bool is_secret_leaf(augeas *tree, const char *path)
{
	char *above = memory_text(path, strlen(path)), *slash;
	const char *value = NULL;
	bool secret = false;

	while (!secret && (slash = strrchr(above, '/')) && slash > above) {
		secret = is_secret(slash + 1);
		*slash = '\0';
		if (!secret && aug_get(tree, above, &value) == 1 && value)
			secret = is_secret(value);
	}
	free(above);
	return secret;
}

static void add_leaves(struct settings *settings, augeas *tree, const char *file)
{
	char **paths = NULL;
	int count = aug_match(tree, PARSED "//*", &paths);

	for (int i = 0; i < count; i++) {
		const char *value = NULL;
		char *name = memory_format("%s%s", file, paths[i] + strlen(PARSED));

		if (aug_get(tree, paths[i], &value) == 1 && value && !is_remark(paths[i], value))
			add(settings, name, value, is_secret_leaf(tree, paths[i]));
		free(name);
		free(paths[i]);
	}
	free(paths);
}

static void add_error(struct settings *settings, const char *file, const char *error)
{
	*ARRAY_ADD(&settings->complaints) = memory_format("the settings in '%s' are not known: %s", file, error);
	put(settings, memory_text(file, strlen(file)), NULL);
	settings->all.items[settings->all.count - 1].error = memory_text(error, strlen(error));
}

/* The message of the lens about a text that it could not parse. The caller frees it. */
static char *parse_error(augeas *tree)
{
	const char *message = NULL, *line = NULL;

	aug_get(tree, "/augeas/text" PARSED "/error/message", &message);
	aug_get(tree, "/augeas/text" PARSED "/error/line", &line);
	return memory_format("%s%s%s", message ? message : "it cannot be read", line ? ", line " : "", line ? line : "");
}

/* Parses the text to the tree PARSED. Returns 0; 1: the lens does not match the text, there is no tree; -1 after fail(): there is no such lens. */
static int parse(augeas *tree, const char *lens, const char *text)
{
	int status;

	aug_rm(tree, PARSED);
	aug_set(tree, SOURCE, text);
	status = aug_text_store(tree, lens, SOURCE, PARSED);
	if (aug_error(tree) != AUG_NOERROR)
		return fail("a 'config' line of the job: libaugeas says: %s", aug_error_details(tree) ? aug_error_details(tree) : aug_error_message(tree));
	return status < 0;
}

/* Gives libaugeas the text, not the path: in a user's folder, a symbolic link could lead it to a file that only root may read. */
static int read_file(struct settings *settings, augeas *tree, const char *lens, const char *path)
{
	char *text = file_read_safely(path, NULL), *ended, *error;
	int status;

	if (!text) {
		add_error(settings, path, fail_text());
		return 0;
	}
	ended = memory_format("%s%s", text, *text && text[strlen(text) - 1] == '\n' ? "" : "\n"); /* lenses need a newline at the end */
	status = parse(tree, lens, ended);
	if (status == 0)
		add_leaves(settings, tree, path);
	if (status > 0) {
		error = parse_error(tree);
		add_error(settings, path, error);
		free(error);
	}
	free(ended);
	free(text);
	return status < 0 ? -1 : 0;
}

static bool is_regular(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Reads the files that match a pattern. A file that matches several patterns is read once. */
static int read_config(struct settings *settings, augeas *tree, const struct job_config *config, name_list *known)
{
	char *lens = memory_format("%s%s", config->lens, strchr(config->lens, '.') ? "" : ".lns");
	int status = parse(tree, lens, "") < 0 ? -1 : 0; /* the lens must be there even if there are no files */
	glob_t found;

	if (status == 0 && glob(config->path, 0, NULL, &found) == 0) {
		for (size_t i = 0; status == 0 && i < found.gl_pathc; i++) {
			const char *path = found.gl_pathv[i];

			if (!is_regular(path) || !add_name(known, path))
				continue;
			status = read_file(settings, tree, lens, path);
		}
		globfree(&found);
	}
	free(lens);
	return status;
}

static int read_files(struct settings *settings, const struct job *job)
{
	augeas *tree = aug_init(NULL, NULL, AUG_NO_MODL_AUTOLOAD | AUG_NO_LOAD | AUG_NO_ERR_CLOSE);
	name_list known = {0};
	int status = tree ? 0 : fail("libaugeas does not start");

	for (size_t i = 0; status == 0 && i < job->configs.count; i++)
		status = read_config(settings, tree, &job->configs.items[i], &known);
	for (size_t i = 0; i < known.count; i++)
		free(known.items[i]);
	free(known.items);
	if (tree)
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

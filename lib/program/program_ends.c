#include "program/program_ends.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cached_stat.h"
#include "base/memory.h"
#include "program/opener.h"
#include "program/symbol.h"

struct program_ends {
	struct lookup *lookup;
	char *path;
	unsigned traits;
	bool unsafe, loads;
	bool unwinds; /* a process of the program has the unwinder of exceptions */
	bool throws;  /* a process of the program has a C++ runtime */
	ARRAY(struct cached_stat) seen; /* libraries already looked at */
};

/* --- libraries that processes have loaded, by /proc, whether the program names them or not --------------------------------- */

/* Called with the path by which a file can be opened, even if it lies in a container or was deleted, and with its name. Both are lent. */
typedef void loaded_taker(void *context, const char *path, const char *name);

enum { NAME_ROOM = 64 };

static void take_line(const char *process, const char *line, loaded_taker *take, void *context)
{
	unsigned long from, to;
	char path[2 * NAME_ROOM], executable;
	int at = 0;

	if (sscanf(line, "%lx-%lx %*c%*c%c%*c %*x %*x:%*x %*u %n", &from, &to, &executable, &at) < 3 || executable != 'x' || line[at] != '/')
		return;
	snprintf(path, sizeof(path), "/proc/%.20s/map_files/%lx-%lx", process, from, to);
	take(context, path, line + at);
}

static size_t take_maps(const char *process, loaded_taker *take, void *context)
{
	char path[NAME_ROOM], *line = NULL;
	size_t room = 0, lines = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", process);
	maps = fopen(path, "re");
	for (; maps && getline(&line, &room, maps) > 0; lines++) {
		line[strcspn(line, "\n")] = '\0';
		take_line(process, line, take, context);
	}
	free(line);
	if (maps)
		fclose(maps);
	return lines > 0;
}

/*
 * Calls `take` for each file that processes which run this program have mapped as code, the program included; the same file may come again.
 * Returns the number of such processes whose maps could be read. Cannot fail.
 */
static size_t loaded_by(const char *program, loaded_taker *take, void *context)
{
	DIR *folder = opendir("/proc");
	struct cached_stat wanted, found;
	struct dirent *entry;
	size_t count = 0;

	if (!cached_stat_at(program, &wanted))
		wanted.inode = 0;
	while (folder && (entry = readdir(folder))) {
		char exe[2 * NAME_ROOM];

		if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name) || strlen(entry->d_name) >= NAME_ROOM / 2)
			continue;
		snprintf(exe, sizeof(exe), "/proc/%.20s/exe", entry->d_name);
		if (cached_stat_at(exe, &found) && cached_stat_is_same(&found, &wanted))
			count += take_maps(entry->d_name, take, context);
	}
	if (folder)
		closedir(folder);
	return count;
}

/* --- libraries that a program needs ---------------------------------------------------------------------------------------- */

/* A search through the libraries of a program. */
struct search {
	struct program_ends *calls;
	struct lookup *lookup;
	char *folders;		   /* where the program looks for them */
	ARRAY(char *) left;	   /* paths still to be read */
	unsigned traits;	   /* of any library so far */
};

/* The length of "/proc/PID/root" if the path begins with it, as that of a program in a container does; else 0. */
static int root_of(const char *path)
{
	int length = 0;

	if (sscanf(path, "/proc/%*d/root%n", &length) == 0 && length && path[length] == '/')
		return length;
	return 0;
}

static char *in_folder(const char *program, const char *folder, size_t length, const char *name)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	const char *slash = strrchr(program, '/');

	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
		size_t word = strlen(origins[i]);

		if (length >= word && strncmp(folder, origins[i], word) == 0)
			return memory_format("%.*s%.*s/%s", (int)(slash ? slash - program : 0), program, (int)(length - word),
					     folder + word, name);
	}
	return memory_format("%.*s%.*s/%s", root_of(program), program, (int)length, folder, name);
}

/* The path of a found file without symbolic links, so that it is the same for several programs; `path` itself if it lies in another root. */
static char *path_of(const struct opener_file *file, const char *program, char *path)
{
	char link[32], real[PATH_MAX];
	ssize_t length;

	if (root_of(program))
		return path;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->place);
	length = readlink(link, real, sizeof(real));
	if (length <= 0 || length == sizeof(real))
		return path;
	free(path);
	return memory_text(real, (size_t)length);
}

/* Returns the path of the file at `path`, which it takes over; NULL: there is none. */
static char *find_at(const char *program, char *path, struct cached_stat *seen)
{
	struct opener_file file;

	if (opener_find(path, &file) < 0) {
		free(path);
		return NULL;
	}
	*seen = (struct cached_stat){file.status.st_dev, file.status.st_ino, S_IFREG};
	path = path_of(&file, program, path);
	close(file.place);
	return path;
}

/* The program names the folders, so they may be on a file system that does not answer. NULL: the library is nowhere. */
static char *find_library(const char *program, const char *folders, const char *name, struct cached_stat *seen)
{
	const char *lists[] = {folders, SYMBOL_LIBRARIES};

	if (strchr(name, '/'))
		return find_at(program, memory_text(name, strlen(name)), seen);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const char *at = lists[i]; *at; at += strcspn(at, ":"), at += *at == ':') {
			char *found = find_at(program, in_folder(program, at, strcspn(at, ":"), name), seen);

			if (found)
				return found;
		}
	return NULL;
}

/* Each list ends with NULL. */
static const char *const unwinders[] = {"libgcc_s.so.1", "libunwind.so.1", "libunwind.so.8", "libc++abi.so.1", NULL};
static const char *const throwers[] = {"libstdc++.so.6", "libc++abi.so.1", NULL};

/* The link libstdc++.so.6 may lead to a file with more of the version in its name, libstdc++.so.6.0.30; that matches too. */
static bool is_among(const char *const *names, const char *name)
{
	for (; *names; names++) {
		size_t length = strlen(*names);

		if (strncmp(name, *names, length) == 0 && (!name[length] || name[length] == '.'))
			return true;
	}
	return false;
}

/* Runtime libraries throw, and change stacks, only when other code asks them to. */
static bool is_runtime(const char *path)
{
	static const char *const names[] = {"libc.so.", "ld-linux-x86-64.so.", "libgcc_s.so.", "libstdc++.so.", "libc++.so.",
					    "libc++abi.so.", "libunwind.so.", "libcrypto.so.", "libffi.so."};
	const char *name = basename(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool is_seen(const struct program_ends *calls, const struct cached_stat *file)
{
	for (size_t i = 0; i < calls->seen.count; i++)
		if (cached_stat_is_same(&calls->seen.items[i], file))
			return true;
	return false;
}

static bool is_new(struct search *search, const struct cached_stat *file)
{
	if (!S_ISREG(file->mode) || is_seen(search->calls, file))
		return false;
	*ARRAY_ADD(&search->calls->seen) = *file;
	return true;
}

/* Adds the libraries that a file needs to those still to be read. Looks for them in the file's own folders, then in the program's. */
static void add_needed(struct search *search, const char *text, size_t length)
{
	const char *program = search->folders ? search->folders : "";
	char *folders = memory_format("%s%s%s", text, *text && *program ? ":" : "", program);

	for (const char *name = text + strlen(text) + 1; name < text + length; name += strlen(name) + 1) {
		struct cached_stat seen;
		char *path = *name && !is_runtime(name) ? find_library(search->calls->path, folders, name, &seen) : NULL;

		search->traits |= *name && !is_runtime(name) && !path ? ENDS_THROWS : 0; /* any file may be there */
		if (path && is_new(search, &seen))
			*ARRAY_ADD(&search->left) = path;
		else
			free(path);
	}
	if (!search->folders)
		search->folders = folders;
	else
		free(folders);
}

static int read_library(struct search *search, const char *path, unsigned *traits)
{
	char *text = memory_new(ENDS_TEXT + 1, 1);
	int length = lookup_traits(search->lookup, path, traits, text, ENDS_TEXT);

	if (length >= 0)
		add_needed(search, text, (size_t)length);
	free(text);
	return length < 0 ? -1 : 0;
}

/* Reads the libraries, and their libraries, until one throws. */
static void read_needed(struct search *search)
{
	for (size_t i = 0; i < search->left.count; i++) {
		unsigned traits = ENDS_THROWS;

		if (!(search->traits & ENDS_THROWS) && read_library(search, search->left.items[i], &traits) < 0)
			traits = ENDS_THROWS;
		search->traits |= traits & (ENDS_THROWS | ENDS_LOADS);
		free(search->left.items[i]);
	}
	search->left.count = 0;
}

static void take_loaded(void *context, const char *path, const char *name)
{
	struct search *search = context;
	struct cached_stat seen;
	unsigned traits = 0;

	search->calls->unwinds |= is_among(unwinders, basename(name));
	search->calls->throws |= is_among(throwers, basename(name));
	if (search->traits & ENDS_THROWS || is_runtime(name))
		return;
	if (!cached_stat_at(path, &seen)) {
		search->traits |= ENDS_THROWS; /* any file may be there */
		return;
	}
	if (!is_new(search, &seen))
		return;
	if (lookup_traits(search->lookup, path, &traits, NULL, 0) == 0 && traits & ENDS_LIBRARY)
		search->traits |= traits & ENDS_THROWS;
}

/* Finds out whether any library throws that the program names or that its processes have loaded. */
static void search_libraries(struct program_ends *calls, struct search *search)
{
	size_t running;

	read_needed(search);
	running = search->traits & ENDS_THROWS ? 0 : loaded_by(calls->path, take_loaded, search);
	calls->loads = (calls->traits | search->traits) & ENDS_LOADS && running;
	calls->unsafe = search->traits & ENDS_THROWS || ((calls->traits | search->traits) & ENDS_LOADS && !running);
	if (calls->unsafe)
		calls->loads = false;
}

static void free_search(struct search *search)
{
	for (size_t i = 0; i < search->left.count; i++)
		free(search->left.items[i]);
	free(search->left.items);
	free(search->folders);
}

struct program_ends *program_ends_new(struct lookup *lookup, const char *path)
{
	struct program_ends *calls = NEW(struct program_ends);
	struct search search = {.calls = calls, .lookup = lookup};
	int status;

	calls->lookup = lookup;
	calls->path = memory_text(path, strlen(path));
	status = read_library(&search, path, &calls->traits);
	calls->unsafe = calls->traits & ENDS_UNSAFE;
	if (status < 0) {
		program_ends_free(calls);
		calls = NULL;
	} else if (!(calls->traits & (ENDS_UNSAFE | ENDS_LIBRARY))) {
		search_libraries(calls, &search);
	}
	free_search(&search);
	return calls;
}

void program_ends_free(struct program_ends *calls)
{
	if (!calls)
		return;
	free(calls->seen.items);
	free(calls->path);
	free(calls);
}

bool program_ends_may_jump(const struct program_ends *calls)
{
	return calls->unsafe || calls->traits & (ENDS_LIBRARY | ENDS_JUMPS);
}

bool program_ends_may_load(const struct program_ends *calls)
{
	return calls->loads;
}

size_t program_ends_needs(const struct program_ends *calls, char *found[PROGRAM_ENDS_NEEDS])
{
	const char *const *names = calls->unwinds ? throwers : unwinders;
	size_t count = 0;

	for (; *names && !calls->throws; names++) {
		struct cached_stat seen;
		char *path = find_library(calls->path, "", *names, &seen);

		if (path)
			found[count++] = path;
	}
	return count;
}

static bool is_run_by(const char *path, const int32_t *tids, size_t count)
{
	struct cached_stat wanted, found;
	char exe[32];

	if (!cached_stat_at(path, &wanted))
		return true; /* any file may be there */
	for (size_t i = 0; i < count; i++) {
		snprintf(exe, sizeof(exe), "/proc/%d/exe", tids[i]);
		if (cached_stat_at(exe, &found) && cached_stat_is_same(&found, &wanted))
			return true;
	}
	return false;
}

struct newcomers {
	const struct program_ends *calls;
	bool any;
};

static void take_newcomer(void *context, const char *path, const char *name)
{
	struct newcomers *newcomers = context;
	struct cached_stat file;

	if (!is_runtime(name) && (!cached_stat_at(path, &file) || (S_ISREG(file.mode) && !is_seen(newcomers->calls, &file))))
		newcomers->any = true;
}

bool program_ends_has_new(struct program_ends *calls, const int32_t *tids, size_t count)
{
	struct newcomers newcomers = {.calls = calls};

	if (count == 0 || is_run_by(calls->path, tids, count))
		loaded_by(calls->path, take_newcomer, &newcomers);
	return newcomers.any;
}

bool program_ends_has_loaded(struct program_ends *calls, struct lookup *lookup)
{
	struct search search = {.calls = calls, .lookup = lookup};

	loaded_by(calls->path, take_loaded, &search);
	return search.traits & ENDS_THROWS;
}

int program_ends_find(const struct program_ends *calls, const char *function, uint64_t offset, struct ends *ends)
{
	return lookup_ends(calls->lookup, calls->path, function, offset, calls->unsafe, ends);
}

static size_t add_switches(const struct program_ends *calls, const char *path, struct program_ends_switch found[PROGRAM_ENDS_SWITCHES], size_t count)
{
	struct ends_switch here[ENDS_SWITCHES];
	size_t places = lookup_switches(calls->lookup, path, here);

	for (size_t i = 0; i < places && count < PROGRAM_ENDS_SWITCHES; i++)
		found[count++] = (struct program_ends_switch){memory_text(path, strlen(path)), here[i]};
	return count;
}

/* With -static-libgcc, or with a C library linked in, a program may have two unwinders or two longjmp(). */
size_t program_ends_switches(const struct program_ends *calls, struct program_ends_switch found[PROGRAM_ENDS_SWITCHES])
{
	static const char *const libraries[] = {"libgcc_s.so.1", "libc.so.6"};
	size_t count = add_switches(calls, calls->path, found, 0);

	for (size_t i = 0; i < 2 && !(calls->traits & ENDS_ALONE); i++) {
		struct cached_stat seen;
		char *path = find_library(calls->path, "", libraries[i], &seen);

		if (path && strcmp(path, calls->path) != 0)
			count = add_switches(calls, path, found, count);
		free(path);
	}
	return count;
}

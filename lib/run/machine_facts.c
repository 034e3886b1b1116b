#include "run/machine_facts.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <libelf.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/open_files.h"
#include "program/image_file.h"
#include "run/settings.h"

#define CHANGED "it changed meanwhile"

/* --- facts ---------------------------------------------------------------------------------------------------------------- */

enum { VALUE_ROOM = 256 };

struct fact {
	char *name, *value;
};

struct facts {
	ARRAY(struct fact) all;
};

static void add(struct facts *facts, const char *name, const char *value)
{
	struct fact *fact;

	if (!*value)
		return;
	fact = ARRAY_ADD(&facts->all);
	fact->name = memory_text(name, strlen(name));
	fact->value = memory_text(value, strnlen(value, VALUE_ROOM));
}

static void add_number(struct facts *facts, const char *name, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", value);
	add(facts, name, text);
}

/* The first line of a file, without the blanks at its end; "" if there is none. */
static char *first_line(const char *path, char text[VALUE_ROOM])
{
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file || !fgets(text, VALUE_ROOM, file))
		*text = '\0';
	if (file)
		fclose(file);
	for (length = strlen(text); length && strchr(" \t\n", text[length - 1]); length--)
		text[length - 1] = '\0';
	return text;
}

/* The value after "KEY=" or "key :" in the first line that begins with the key, without quotes; "" if there is none. */
static void line_value(const char *path, const char *key, char text[VALUE_ROOM])
{
	FILE *file = fopen(path, "re");
	char line[4096];
	const char *at;

	*text = '\0';
	while (file && !*text && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		at = line + strlen(key) + strspn(line + strlen(key), " \t:=\"'");
		snprintf(text, VALUE_ROOM, "%.*s", (int)strcspn(at, "\"'\n"), at);
	}
	if (file)
		fclose(file);
}

static void read_system(struct facts *facts)
{
	struct utsname names;
	char id[VALUE_ROOM], version[VALUE_ROOM], os[2 * VALUE_ROOM];

	if (uname(&names) == 0) {
		add(facts, "fact.arch", names.machine);
		add(facts, "fact.kernel", names.release);
	}
	line_value("/etc/os-release", "ID=", id);
	line_value("/etc/os-release", "VERSION_ID=", version);
	snprintf(os, sizeof(os), "%s%s%s", id, *version ? " " : "", version);
	add(facts, "fact.os", os);
}

/* The type of the hypervisor or the product name of the virtual machine; "none" on bare metal. */
static void read_virtual(struct facts *facts)
{
	char flags[VALUE_ROOM], product[VALUE_ROOM];
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool guest = access("/sys/hypervisor/type", F_OK) == 0;

	while (file && !guest && fgets(line, sizeof(line), file))
		guest = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
	if (file)
		fclose(file);
	first_line("/sys/hypervisor/type", flags);
	first_line("/sys/class/dmi/id/product_name", product);
	add(facts, "fact.virtual", !guest ? "none" : *flags ? flags : *product ? product : "yes");
}

static void read_hardware(struct facts *facts)
{
	char model[VALUE_ROOM];

	line_value("/proc/cpuinfo", "model name", model);
	if (!*model)
		line_value("/proc/cpuinfo", "CPU part", model);
	add(facts, "fact.cpu", model);
	add_number(facts, "fact.cpus", sysconf(_SC_NPROCESSORS_ONLN));
	add_number(facts, "fact.memory", (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	read_virtual(facts);
}

/* The path of the program that a shell would find; the caller frees it. NULL: there is none. */
static char *find_program(const char *name)
{
	const char *folders = getenv("PATH");
	char *all = memory_text(folders ? folders : "", folders ? strlen(folders) : 0), *rest = NULL, *found = NULL;

	for (char *folder = strtok_r(all, ":", &rest); folder && !found; folder = strtok_r(NULL, ":", &rest)) {
		char *path = memory_format("%s/%s", folder, name);

		if (access(path, X_OK) == 0)
			found = realpath(path, NULL);
		free(path);
	}
	free(all);
	return found;
}

static void read_build_id(struct facts *facts, const char *path)
{
	char text[2 * 64 + 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const unsigned char *bytes;
	const void *id;
	Elf *elf;
	ssize_t size;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = image_file_build_id(elf, &id);
	bytes = id;
	for (ssize_t i = 0; i < size && i < 64; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	add(facts, "fact.program", text);
	elf_end(elf);
	close(fd);
}

/* Runs a program and reads the first line that it writes; "" if it fails. */
static void ask(char *const *words, char text[VALUE_ROOM])
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	int ends[2], status = -1;
	FILE *output;
	pid_t pid;
	bool began;

	*text = '\0';
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	began = posix_spawnp(&pid, words[0], &actions, NULL, words, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	output = fdopen(ends[0], "r");
	if (output && !fgets(text, VALUE_ROOM, output))
		*text = '\0';
	while (output && getc(output) != EOF)
		; /* or a broken pipe would kill the program */
	if (output)
		fclose(output);
	if (began)
		waitpid(pid, &status, 0);
	if (status != 0)
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* dpkg answers "package: /path". It may list /bin/x where a merged /usr now has /usr/bin/x. */
static bool ask_dpkg(struct facts *facts, const char *path)
{
	char line[VALUE_ROOM], version[VALUE_ROOM];

	ask((char *[]){"dpkg-query", "-S", (char *)path, NULL}, line);
	if (!*line && !strncmp(path, "/usr/", 5))
		ask((char *[]){"dpkg-query", "-S", (char *)path + 4, NULL}, line);
	line[strcspn(line, ":,")] = '\0';
	if (!*line)
		return false;
	ask((char *[]){"dpkg-query", "-W", "-f", "${Version}\n", line, NULL}, version);
	add(facts, "fact.program.package", line);
	add(facts, "fact.program.version", version);
	return true;
}

static void ask_rpm(struct facts *facts, const char *path)
{
	char line[VALUE_ROOM], *space;

	ask((char *[]){"rpm", "-qf", "--qf", "%{NAME} %{VERSION}-%{RELEASE}\n", (char *)path, NULL}, line);
	space = strchr(line, ' ');
	if (!space)
		return;
	*space = '\0';
	add(facts, "fact.program.package", line);
	add(facts, "fact.program.version", space + 1);
}

static const char *find(const struct facts *facts, const char *name)
{
	for (size_t i = 0; facts && i < facts->all.count; i++)
		if (!strcmp(facts->all.items[i].name, name))
			return facts->all.items[i].value;
	return "";
}

/* Asking for the package takes a while, so it is asked for only if the program has changed since `before`. */
static void read_program(struct facts *facts, const struct job *job, const struct facts *before)
{
	char *path = job->programs.count ? find_program(job->programs.items[0]) : NULL;

	if (!path)
		return;
	read_build_id(facts, path);
	if (*find(facts, "fact.program") && !strcmp(find(facts, "fact.program"), find(before, "fact.program"))) {
		add(facts, "fact.program.package", find(before, "fact.program.package"));
		add(facts, "fact.program.version", find(before, "fact.program.version"));
	} else if (!ask_dpkg(facts, path)) {
		ask_rpm(facts, path);
	}
	free(path);
}

/* /proc/self/mountinfo: id parent major:minor root point options [tags] - type source super-options */
static void read_mount(struct facts *facts, dev_t dev)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[8192], wanted[32], number[32], options[VALUE_ROOM], type[VALUE_ROOM], more[VALUE_ROOM], both[2 * VALUE_ROOM];
	bool found = false;

	snprintf(wanted, sizeof(wanted), "%u:%u", major(dev), minor(dev));
	while (file && !found && fgets(line, sizeof(line), file)) {
		const char *dash = strstr(line, " - ");

		found = dash && sscanf(line, "%*s %*s %31s %*s %*s %255s", number, options) == 2 && !strcmp(number, wanted) &&
			sscanf(dash, " - %255s %*s %255s", type, more) == 2;
	}
	if (file)
		fclose(file);
	if (!found)
		return;
	snprintf(both, sizeof(both), "%s;%s", options, more);
	add(facts, "fact.directory.filesystem", type);
	add(facts, "fact.directory.options", both);
}

/* The file of the scheduler lists all of them, the current one in brackets. */
static void read_disk(struct facts *facts, dev_t dev)
{
	char *folder = memory_format("/sys/dev/block/%u:%u", major(dev), minor(dev)), *real = realpath(folder, NULL), *queue;
	char text[VALUE_ROOM], name[VALUE_ROOM], *open;

	free(folder);
	if (!real)
		return;
	queue = memory_format("%s/queue", real);
	if (access(queue, F_OK) < 0) { /* a partition lies in the folder of its disk */
		*strrchr(real, '/') = '\0';
		free(queue);
		queue = memory_format("%s/queue", real);
	}
	snprintf(name, sizeof(name), "%s", strrchr(real, '/') + 1);
	add(facts, "fact.directory.disk", name);
	snprintf(name, sizeof(name), "%s/rotational", queue);
	add(facts, "fact.directory.rotational", first_line(name, text));
	snprintf(name, sizeof(name), "%s/scheduler", queue);
	first_line(name, text);
	open = strchr(text, '[');
	if (open)
		open[strcspn(open, "]")] = '\0';
	add(facts, "fact.directory.scheduler", open ? open + 1 : text);
	free(queue);
	free(real);
}

static void read_directory(struct facts *facts, const struct job *job)
{
	struct stat status;

	if (stat(job->directory ? job->directory : ".", &status) < 0)
		return;
	read_mount(facts, status.st_dev);
	read_disk(facts, status.st_dev);
}

static const char *interface_of(const struct ifaddrs *all, const struct sockaddr *address)
{
	const struct sockaddr_in *four = (const void *)address;
	const struct sockaddr_in6 *six = (const void *)address;

	for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
		if (!at->ifa_addr || at->ifa_addr->sa_family != address->sa_family)
			continue;
		if (address->sa_family == AF_INET
			    ? ((const struct sockaddr_in *)(const void *)at->ifa_addr)->sin_addr.s_addr == four->sin_addr.s_addr
			    : !memcmp(&((const struct sockaddr_in6 *)(const void *)at->ifa_addr)->sin6_addr, &six->sin6_addr, 16))
			return at->ifa_name;
	}
	return NULL;
}

/* Connects a datagram socket, which sends nothing: the source address that the kernel chooses tells the link. */
static void read_route_to(struct facts *facts, const struct addrinfo *to, char link[IF_NAMESIZE])
{
	struct sockaddr_storage own;
	socklen_t size = sizeof(own);
	struct ifaddrs *all = NULL;
	const char *name;
	int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)facts;
	if (fd >= 0 && connect(fd, to->ai_addr, to->ai_addrlen) == 0 && getsockname(fd, (struct sockaddr *)&own, &size) == 0 &&
	    getifaddrs(&all) == 0) {
		name = interface_of(all, (struct sockaddr *)&own);
		snprintf(link, IF_NAMESIZE, "%s", name ? name : "");
		freeifaddrs(all);
	}
	if (fd >= 0)
		close(fd);
}

static void default_route(char link[IF_NAMESIZE])
{
	FILE *file = fopen("/proc/net/route", "re");
	char line[512], name[IF_NAMESIZE];
	unsigned long to;

	while (file && !*link && fgets(line, sizeof(line), file))
		if (sscanf(line, "%15s %lx", name, &to) == 2 && to == 0)
			snprintf(link, IF_NAMESIZE, "%s", name);
	if (file)
		fclose(file);
}

static const char *link_type(const char *link)
{
	static const struct {
		const char *file, *type;
	} types[] = {{"wireless", "wireless"}, {"bridge", "bridge"}, {"bonding", "bond"}, {"tun_flags", "tun"}, {"device", "wired"}};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/%s", link, types[i].file);
		if (access(path, F_OK) == 0)
			return types[i].type;
	}
	return !strcmp(link, "lo") ? "loopback" : "virtual";
}

static void read_link(struct facts *facts, const char *link)
{
	char path[PATH_MAX], text[VALUE_ROOM];

	add(facts, "fact.route.link", link_type(link));
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", link);
	first_line(path, text);
	if (*text != '-') /* unknown */
		add(facts, "fact.route.speed", text);
	snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", link);
	add(facts, "fact.route.mtu", first_line(path, text));
}

static void read_route(struct facts *facts, const struct job *job)
{
	struct addrinfo wish = {.ai_socktype = SOCK_DGRAM}, *found = NULL;
	char link[IF_NAMESIZE] = "";

	if (job->host && getaddrinfo(job->host, "9", &wish, &found) == 0)
		read_route_to(facts, found, link);
	else if (!job->host)
		default_route(link);
	if (found)
		freeaddrinfo(found);
	if (*link)
		read_link(facts, link);
}

/* Reads the facts of this machine. `before` (NULL: none) is the last reading, see read_program(). */
static struct facts *facts_read(const struct job *job, const struct facts *before)
{
	struct facts *facts = NEW(struct facts);

	read_system(facts);
	read_hardware(facts);
	read_program(facts, job, before);
	read_directory(facts, job);
	read_route(facts, job);
	return facts;
}

static void facts_free(struct facts *facts)
{
	if (!facts)
		return;
	for (size_t i = 0; i < facts->all.count; i++) {
		free(facts->all.items[i].name);
		free(facts->all.items[i].value);
	}
	free(facts->all.items);
	free(facts);
}

/* Appends the facts as keys of a `features` record. */
static void facts_spell(const struct facts *facts, struct line *line)
{
	for (size_t i = 0; i < facts->all.count; i++)
		line_text(line, facts->all.items[i].name, facts->all.items[i].value);
}

struct fact_line {
	const char *text;
	int64_t since; /* time of the first of the successive readings with this line; INT64_MIN: since the first reading */
};

/* One reading, as keys of records: a line of all facts, then a line for each setting: its name, a tab, its value. */
struct reading {
	char *text;
	ARRAY(struct fact_line) lines; /* the lines of the text: first the facts, then the settings, sorted */
};

struct machine_facts {
	struct reading last;
	int64_t read_at;
	int ask, answer; /* pipes to and from the process that reads again; -1: there is none */
	pid_t pid;
};

/* --- a reading --------------------------------------------------------------------------------------------------------- */

/* Reads all facts, which replace *facts, and settings, and appends both to the text. Returns 0; -1 after fail(). */
static int read_all(const struct job *job, struct facts **facts, struct line *text, void (*complain)(const char *text))
{
	struct facts *now = facts_read(job, *facts);
	struct settings *settings = settings_read(job);

	facts_free(*facts);
	*facts = now;
	if (!settings)
		return -1;
	for (size_t i = 0; complain && settings_complaint(settings, i); i++)
		complain(settings_complaint(settings, i));
	facts_spell(now, text);
	line_append(text, "\n", 1);
	for (size_t i = 0; settings_spell(settings, i, text); i++)
		line_append(text, "\n", 1);
	settings_free(settings);
	return 0;
}

static int compare(const void *left, const void *right)
{
	return strcmp(((const struct fact_line *)left)->text, ((const struct fact_line *)right)->text);
}

/* Cuts a text that was read at `since` into lines, and takes it over. */
static struct reading cut(char *text, int64_t since)
{
	struct reading reading = {.text = text};
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && rest)
		*ARRAY_ADD(&reading.lines) = (struct fact_line){line, since};
	if (reading.lines.count > 2)
		qsort(reading.lines.items + 1, reading.lines.count - 1, sizeof(*reading.lines.items), compare);
	return reading;
}

/* A line that the reading `before` has as well keeps its time. */
static void join(struct reading *reading, const struct reading *before)
{
	for (size_t i = 0; i < reading->lines.count; i++) {
		struct fact_line *line = &reading->lines.items[i];
		const struct fact_line *from = &before->lines.items[i > 0], *same;

		same = bsearch(line, from, i > 0 ? before->lines.count - 1 : 1, sizeof(*line), compare);
		if (same)
			line->since = same->since;
	}
}

static void free_reading(struct reading *reading)
{
	free(reading->text);
	free(reading->lines.items);
}

/* --- the process that reads again -------------------------------------------------------------------------------------- */

static bool read_bytes(int fd, void *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = read(fd, bytes, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes = (char *)bytes + got;
		size -= (size_t)got;
	}
	return true;
}

static bool write_bytes(int fd, const void *bytes, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes = (const char *)bytes + done;
		size -= (size_t)done;
	}
	return true;
}

/* Reads again at each byte on standard input, until that ends. */
static _Noreturn void serve(const struct job *job, struct facts *facts)
{
	struct line text = {0};
	char byte;

	while (read_bytes(STDIN_FILENO, &byte, 1)) {
		text.length = 0;
		if (read_all(job, &facts, &text, NULL) < 0 || !write_bytes(STDOUT_FILENO, &text.length, sizeof(text.length)) ||
		    !write_bytes(STDOUT_FILENO, text.text, text.length))
			_exit(1);
	}
	_exit(0);
}

static int start(struct machine_facts *machine, const struct job *job, struct facts *facts)
{
	int asks[2], answers[2];

	if (pipe2(asks, O_CLOEXEC) < 0)
		return fail_errno("cannot make a pipe");
	if (pipe2(answers, O_CLOEXEC) < 0) {
		close(asks[0]);
		close(asks[1]);
		return fail_errno("cannot make a pipe");
	}
	machine->pid = fork();
	if (machine->pid == 0) {
		if (dup2(asks[0], STDIN_FILENO) < 0 || dup2(answers[1], STDOUT_FILENO) < 0)
			_exit(1);
		open_files_close(STDERR_FILENO + 1);
		serve(job, facts);
	}
	machine->ask = asks[1];
	machine->answer = answers[0];
	close(asks[0]);
	close(answers[1]);
	return machine->pid < 0 ? fail_errno("cannot fork") : 0;
}

static int read_again(struct machine_facts *machine, int64_t now)
{
	struct reading before = machine->last;
	size_t size;
	char *text;

	if (!write_bytes(machine->ask, "", 1) || !read_bytes(machine->answer, &size, sizeof(size)))
		return fail("the process that reads settings has ended");
	text = memory_new(size + 1, 1);
	if (!read_bytes(machine->answer, text, size)) {
		free(text);
		return fail("the process that reads settings has ended");
	}
	machine->last = cut(text, now);
	join(&machine->last, &before);
	free_reading(&before);
	machine->read_at = now;
	return 0;
}

/* --- the records ------------------------------------------------------------------------------------------------------- */

struct machine_facts *machine_facts_new(const struct job *job, bool live, void (*complain)(const char *text))
{
	struct machine_facts *machine = NEW(struct machine_facts);
	struct facts *facts = NULL;
	struct line text = {0};
	int status;

	machine->read_at = INT64_MIN;
	machine->ask = machine->answer = -1;
	status = read_all(job, &facts, &text, complain);
	if (status == 0 && live)
		status = start(machine, job, facts);
	facts_free(facts);
	if (status == 0) {
		machine->last = cut(text.text, INT64_MIN);
		return machine;
	}
	line_free(&text);
	machine_facts_free(machine);
	return NULL;
}

void machine_facts_free(struct machine_facts *machine)
{
	if (!machine)
		return;
	if (machine->ask >= 0) { /* this ends the process; a confined command may not wait for a process */
		close(machine->ask);
		close(machine->answer);
	}
	free_reading(&machine->last);
	free(machine);
}

static int write_setting(const struct fact_line *setting, const struct run_times *times, struct line *line, struct stream *stream)
{
	size_t name = strcspn(setting->text, "\t");

	line_append(line, setting->text, name);
	if (setting->since > times->begin)
		line_text(line, "error", CHANGED);
	else
		line_append(line, setting->text + name + 1, strlen(setting->text + name + 1));
	return stream_write_line(stream, line);
}

int machine_facts_write(struct machine_facts *machine, const char *run, struct stream *stream, const struct run_times *times)
{
	int status = machine->pid > 0 && times->end > machine->read_at ? read_again(machine, times->now) : 0;
	const struct fact_line *facts = machine->last.lines.items;
	struct line line = {0};

	if (status == 0 && *facts->text && facts->since <= times->begin) {
		line_begin(&line, "features");
		line_text(&line, "run", run);
		line_append(&line, facts->text, strlen(facts->text));
		status = stream_write_line(stream, &line);
	}
	for (size_t i = 1; i < machine->last.lines.count && status == 0; i++) {
		line_begin(&line, "config");
		line_text(&line, "run", run);
		status = write_setting(&machine->last.lines.items[i], times, &line, stream);
	}
	line_free(&line);
	return status;
}

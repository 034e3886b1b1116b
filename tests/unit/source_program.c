/* What is told of command lines, and what is not; control groups of both versions. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/program.h"

/* The words of the line have '|' between them. */
static void expect_of(const char *line, bool whole, const char *expected)
{
	struct program program;
	char text[8192];
	size_t length = strlen(line);

	memcpy(text, line, length + 1);
	for (char *at = text; (at = strchr(at, '|')); at++)
		*at = '\0';
	program_words(&program, text, whole ? length + 1 : length, whole);
	if (strcmp(program.words, expected) != 0) {
		fprintf(stderr, "'%s' gives '%s', not '%s'\n", line, program.words, expected);
		assert(false);
	}
}

static void expect(const char *line, const char *expected)
{
	expect_of(line, true, expected);
}

static void check_programs(void)
{
	expect("", "");
	expect("/usr/sbin/nginx|-g|daemon off;", "/usr/sbin/nginx");
	expect("nginx: worker process", "nginx: worker process");
	expect("postgres: app orders 10.0.0.5(41234) UPDATE", "postgres: app orders 10.0.0.5(41234) UPDATE");
	expect("/opt/chrome --type=renderer --key=secret", "/opt/chrome");
	expect("curl|-u|user:secret|https://example.com", "curl");
	expect("mysql|secret", "mysql");
	expect("sshpass|-p|secret|ssh|host", "sshpass");
}

static void check_interpreters(void)
{
	expect("python3|/srv/app.py|--token=secret", "python3 /srv/app.py");
	expect("/usr/bin/python3.11|-u|-W|ignore|-Xdev|app.py", "/usr/bin/python3.11 app.py");
	expect("python3|-um|http.server|8000", "python3 http.server");
	expect("python3|-c|print('secret')", "python3");
	expect("python3|-Ouc|secret", "python3");
	expect("python3|--unknown|secret", "python3");
	expect("python3", "python3");
	expect("python3|-", "python3");
	expect("python3|--|app.py", "python3 app.py");
	expect("sh|-c|curl -u user:secret", "sh");
	expect("bash|-ec|secret", "bash");
	expect("-bash", "-bash");
	expect("bash|--norc|-o|pipefail|./job|secret", "bash ./job");
	expect("/bin/sh|+x|secret", "/bin/sh");
	expect("perl|-w|-I|lib|x.pl", "perl x.pl");
	expect("perl|-Mstrict|-e|secret", "perl");
	expect("node|--max-old-space-size=4096|--inspect|server.js", "node server.js");
	expect("node|--title|secret|server.js", "node");
	expect("node|-e|secret", "node");
	expect("java|-Xmx2g|-Dpassword=secret|-cp|a.jar:b.jar|com.example.Main|secret", "java com.example.Main");
	expect("/usr/lib/jvm/bin/java|-XX:+UseG1GC|--add-opens|java.base/java.lang=ALL-UNNAMED|-jar|app.jar|x",
	       "/usr/lib/jvm/bin/java app.jar");
	expect("java|-cp", "java");
	expect("java|--module-path=mods|-m|app/Main", "java app/Main");
	expect("java|--what|secret|Main", "java");
	expect("dotnet|app.dll", "dotnet app.dll");
	expect("node|--eval=code|secret", "node");
	expect("node|--print=code|secret", "node");
	expect("node|--|server.js|secret", "node server.js");
	expect("php|--run=code|secret", "php");
	expect("php|--file=job.php|secret", "php job.php");
	expect("php|--file|job.php|secret", "php job.php");
	expect("php|--|secret", "php");
	expect("java|--module=app/Main|secret", "java app/Main");
	expect("java|--module=|secret", "java");
}

static void check_bounds(void)
{
	char line[600] = "python3|", expected[200] = "python3 ...";
	size_t begin = strlen(line);

	memset(line + begin, 'a', 500);
	strcpy(line + begin + 500, "/job.py");
	memset(expected + strlen(expected), 'a', 110);
	strcat(expected, "/job.py");
	expect(line, expected);
	/* what was cut may be anything */
	expect_of("python3|/srv/app.p", false, "python3");
	expect_of("python3|/srv/app.py|--to", false, "python3 /srv/app.py");
	expect_of("python", false, "");
}

static struct program of(const char *words, const char *file, const char *comm)
{
	struct program program;

	program_words(&program, words, strlen(words) + 1, true);
	program_split_title(&program, file, comm);
	return program;
}

static void expect_title(const char *words, const char *file, const char *comm, const char *runs, const char *title)
{
	struct program program = of(words, file, comm);

	if (strcmp(program.words, runs) != 0 || strcmp(program.title, title) != 0) {
		fprintf(stderr, "'%s' gives '%s', '%s', not '%s', '%s'\n", words, program.words, program.title, runs, title);
		assert(false);
	}
}

static void check_titles(void)
{
	const char *postgres = "postgres: shop app [local] idle in transaction", *file = "/usr/lib/postgresql/15/bin/postgres";

	expect_title(postgres, file, "postgres", "postgres", postgres);
	expect_title("nginx: worker process", "/usr/sbin/nginx", "nginx", "nginx", "nginx: worker process");
	expect_title("redis-server 127.0.0.1:6379", "/usr/bin/redis-check-rdb", "redis-server", "redis-server", "redis-server 127.0.0.1:6379");
	expect_title("php-fpm: pool www", "/usr/sbin/php-fpm8.2", "php-fpm8.2", "/usr/sbin/php-fpm8.2", "php-fpm: pool www");
	expect_title("billing worker 3", "/usr/bin/python3.11", "billing", "billing", "billing worker 3");
	expect_title("billing worker 3", "/usr/bin/python3.11", "python3", "/usr/bin/python3.11", "billing worker 3");
	expect_title("a title", NULL, "python3", "a", "a title");
	expect_title("/opt/My App/run", "/opt/My App/run", "run", "/opt/My App/run", "");
	expect_title("/opt/chrome --type=renderer", "/opt/chrome", "chrome", "/opt/chrome", "");
	expect_title("/usr/sbin/cron", "/usr/sbin/cron", "cron", "/usr/sbin/cron", "");
	expect_title(" ", NULL, "", "", "");
}

static bool is_called(const char *line, const char *comm, const char *name)
{
	struct program program;
	char text[256];
	size_t length = strlen(line);

	memcpy(text, line, length + 1);
	for (char *at = text; (at = strchr(at, '|')); at++)
		*at = '\0';
	program_words(&program, text, length + 1, true);
	program_split_title(&program, NULL, comm);
	return program_is_called(&program, comm, name);
}

static void check_names(void)
{
	const char *app = "/usr/bin/python3|-u|/srv/app.py|x";

	assert(is_called(app, "python3", "python3") && is_called(app, "python3", "app.py"));
	assert(is_called(app, "python3", "/srv/app.py") && is_called(app, "python3", "/usr/bin/python3"));
	assert(is_called(app, "renamed", "python3") && is_called(app, "renamed", "renamed"));
	assert(!is_called(app, "python3", "x") && !is_called(app, "python3", "app") && !is_called(app, "python3", ""));
	assert(!is_called(app, "python3", "srv/app.py"));
	assert(is_called("-bash", "bash", "bash") && is_called("-bash", "renamed", "bash"));
	assert(is_called("python3|/srv/app/", "python3", "app"));
	assert(is_called("nginx: worker process", "nginx", "nginx") && !is_called("nginx: worker process", "nginx", "nginx: worker process"));
	assert(!is_called("a/|b", "a", "/") && !is_called("/", "x", "y"));
}

static void expect_group(const char *text, const char *expected)
{
	struct program program;

	program_group(&program, text);
	if (strcmp(program.group, expected) != 0) {
		fprintf(stderr, "'%s' gives '%s', not '%s'\n", text, program.group, expected);
		assert(false);
	}
}

static void check_groups(void)
{
	expect_group("", "");
	expect_group("0::/\n", "");
	expect_group("0::/init.scope\n", "init.scope");
	expect_group("0::/system.slice/nginx.service\n", "system.slice/nginx.service");
	expect_group("0::/user.slice/user-0.slice/session-3.scope\n", "user-0.slice/session-3.scope");
	expect_group("12:cpu,cpuacct:/docker/abc\n1:name=systemd:/system.slice/docker.service\n0::/\n", "system.slice/docker.service");
	expect_group("12:cpu,cpuacct:/docker/abc\n3:memory:/\n", "docker/abc");
	expect_group("12:cpu,cpuacct:/docker/abc\n0::/a:b/c/d\n", "c/d");
	expect_group("0::/cut/off", "");
}

int main(void)
{
	setenv("TAILBLAME_DATA", ".", 0); /* tests run in the source tree */
	check_programs();
	check_interpreters();
	check_bounds();
	check_titles();
	check_names();
	check_groups();
	return 0;
}

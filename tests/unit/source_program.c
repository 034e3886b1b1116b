/* What is told of command lines, and what is not; control groups of both versions. */
#include <assert.h>
#include <stdio.h>
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
	check_programs();
	check_interpreters();
	check_bounds();
	check_groups();
	return 0;
}

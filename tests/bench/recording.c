/*
 * recording: a trace.dat file (version 6) of any number of CPUs and events, to measure readers with.
 *
 *	recording CPUS EVENTS FILE
 *
 * All events are sched_switch. They follow each other after a microsecond or so, each on a CPU drawn at random, so the
 * next event is hardly ever of the same CPU: for whoever merges CPUs nothing is worse.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, PAGE_HEAD = 16, PAYLOAD = 64, EVENT = 4 + PAYLOAD, PER_PAGE = (PAGE - PAGE_HEAD) / EVENT, THREADS = 1000 };

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char header_event[] = "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
static const char format[] = "name: sched_switch\nID: 300\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
			     "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
			     "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
			     "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
			     "print fmt: \"next_pid=%d\", REC->next_pid\n";

struct cpu {
	uint64_t at, written, last; /* where its part begins, bytes of it, time of its last event */
	uint32_t events, running;   /* on the page at hand; the thread that runs */
	char page[PAGE];
};

static int fd;
static uint64_t head_length;

static void put(const void *bytes, size_t length)
{
	if (pwrite(fd, bytes, length, (off_t)head_length) != (ssize_t)length) {
		perror("recording");
		exit(1);
	}
	head_length += length;
}

static void put_number(uint64_t number, size_t size)
{
	put(&number, size);
}

static void put_text(const char *text, size_t length)
{
	put_number(length, 8);
	put(text, length);
}

static void write_head(uint32_t cpus)
{
	put("\027\010\104tracing6\0\0\010", 14);
	put_number(PAGE, 4);
	put("header_page", 12);
	put_text(header_page, sizeof(header_page) - 1);
	put("header_event", 13);
	put_text(header_event, sizeof(header_event) - 1);
	put_number(0, 4); /* formats of ftrace's own events */
	put_number(1, 4); /* systems */
	put("sched", 6);
	put_number(1, 4);
	put_text(format, sizeof(format) - 1);
	put_number(0, 4); /* kernel symbols */
	put_number(0, 4); /* formats of printk */
	put_number(0, 8); /* names of threads */
	put_number(cpus, 4);
	put("options  ", 10);
	put_number(0, 2);
	put("flyrecord", 10);
}

static void end_page(struct cpu *cpu)
{
	uint64_t commit = (uint64_t)cpu->events * EVENT;

	memcpy(cpu->page + 8, &commit, sizeof(commit));
	if (cpu->events && pwrite(fd, cpu->page, PAGE, (off_t)(cpu->at + cpu->written)) != PAGE) {
		perror("recording");
		exit(1);
	}
	cpu->written += cpu->events ? PAGE : 0;
	cpu->events = 0;
}

static void add_event(struct cpu *cpu, uint64_t ts, uint32_t next)
{
	char *at;
	uint32_t head;
	uint16_t id = 300;

	if (cpu->events == PER_PAGE)
		end_page(cpu);
	if (cpu->events == 0) {
		memset(cpu->page, 0, PAGE);
		memcpy(cpu->page, &ts, sizeof(ts));
		cpu->last = ts;
	}
	at = cpu->page + PAGE_HEAD + cpu->events * EVENT;
	head = PAYLOAD / 4 | (uint32_t)(ts - cpu->last) << 5;
	memcpy(at, &head, 4);
	memcpy(at + 4, &id, 2);
	memcpy(at + 8, &cpu->running, 4);
	snprintf(at + 12, 16, "thread-%u", cpu->running);
	memcpy(at + 28, &cpu->running, 4);
	snprintf(at + 44, 16, "thread-%u", next);
	memcpy(at + 60, &next, 4);
	cpu->running = next;
	cpu->last = ts;
	cpu->events++;
}

int main(int argc, char **argv)
{
	uint32_t cpus = argc == 4 ? (uint32_t)atoi(argv[1]) : 0;
	uint64_t events = argc == 4 ? strtoull(argv[2], NULL, 10) : 0, ts = 1000000000, seed = 1;
	struct cpu *all = calloc(cpus + 1, sizeof(*all));
	uint64_t room;

	if (cpus == 0 || events == 0 || (fd = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0666)) < 0) {
		fprintf(stderr, "usage: recording CPUS EVENTS FILE\n");
		return 2;
	}
	write_head(cpus);
	room = (events / cpus + events / cpus / 4 + 10000) / PER_PAGE * PAGE;
	for (uint32_t i = 0; i < cpus; i++)
		all[i].at = (head_length + 16 * cpus + PAGE) / PAGE * PAGE + i * room;
	for (uint64_t i = 0; i < events; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		ts += 500 + (seed >> 40) % 1000;
		add_event(&all[(seed >> 33) % cpus], ts, 1 + (uint32_t)(seed >> 50) % THREADS);
	}
	for (uint32_t i = 0; i < cpus; i++) {
		end_page(&all[i]);
		put_number(all[i].at, 8);
		put_number(all[i].written, 8);
	}
	return close(fd) == 0 ? 0 : 1;
}

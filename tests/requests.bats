#!/usr/bin/env bats
# The chart `requests`: what a request of a program is, by a table, or by its connections.
# bats file_tags=live

load helper

# A server of one thread that does two requests at a time, each 20 ms and more.
server() {
	cat >pair.c <<-'C'
		#include <unistd.h>
		struct request { int id; const char *url; };
		__attribute__((noipa)) void begin_request(struct request *r) { __asm__ volatile("" : : "r"(r) : "memory"); }
		__attribute__((noipa)) void end_request(int unused, struct request *r) { __asm__ volatile("" : : "r"(unused), "r"(r) : "memory"); }
		int main(void)
		{
			struct request a = {1, "/first"}, b = {2, "/second"};
			begin_request(&a);
			usleep(10000);
			begin_request(&b);
			usleep(10000);
			end_request(0, &a);
			usleep(40000);
			end_request(0, &b);
			return 0;
		}
	C
	gcc -O2 -g -o pair pair.c
	mkdir -p own/charts/requests
	cp -r "$TOP"/charts/*.* own/charts/
}

@test "a request lasts from one function to another, paired by a field, as the table says" {
	need_tracefs
	server
	cat >own/charts/requests/pair.requests <<-'E'
		# a program that this one is not, and functions that it has not
		request program=pai calls=main
		request program=pair,other* calls=no_such_function
		request program=pair begin="begin_request(key=r,r->no_such)" end=end_request
		request program=p?ir begin="begin_request(key=r,r->url)" end="end_request(key=%2)" key=key show=url
	E
	TAILBLAME_DATA=own run -0 trace-collect -c requests -o trace -- ./pair
	assert_output "trace-collect: requests of 'pair': from begin_request to end_request"
	run -0 bash -c "cchart-filter --limit=1ms --text trace | grep '^signal'"
	assert_equal "$(grep -o 'chart=.* value=0.0[2-9]\|url=.*' <<<"$output" | sed 's/value=.*/long/')" "chart=requests:pair long
url=/first
chart=requests:pair long
url=/second"
}

@test "who serves connections is asked there, who does not has no requests, and a faulty table is told with its line" {
	need_tracefs
	run -2 trace-collect -c requests
	assert_output -p "name processes by -p"
	sleep 60 &
	run -1 trace-collect -c requests -p $! -o trace
	kill $!
	assert_line "trace-collect: requests of 'sleep': none are known, and it serves no connection"
	python3 -c "import time; time.sleep(60)" & # of the same program, with a lower number
	idle=$!
	python3 -c "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); print('up', flush=True); time.sleep(60)" >up &
	until_true 60 grep -q up up
	run -0 trace-collect -c requests -p $idle -p $! -d 100ms -o trace
	kill $! $idle
	assert_output -p "what it receives on a connection until it has answered"
	run -0 bash -c "stream-cat --text trace | grep -c '^chart name=turn '"
	server
	echo 'request program=pair calls=main begin=main' >own/charts/requests/pair.requests
	TAILBLAME_DATA=own run -1 trace-collect -c requests -o trace -- ./pair
	assert_output "trace-collect: own/charts/requests/pair.requests:1: a request has calls=, or begin= and end="
}

@test "the shipped table knows stock programs by functions that they export" {
	cd "$TOP/charts/requests"
	for file in *.requests; do
		while read -r program function; do
			binary=$(type -P "$program") || continue
			run -0 trace-collect -f "$binary:$function" --list
		done < <(sed -nE '/^request/{s/.*program=([^, *]*).* (calls|begin)="?([a-z_]*).*/\1 \3/p}' "$file")
	done
}

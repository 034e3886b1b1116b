# What is written for root, where others can write too: each attack by a user without rights, on every command that writes.
# bats file_tags=files
# shellcheck disable=SC2016
load helper

# A folder like /tmp, and a file of root's that nobody else may write.
setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	[ "$(id -u)" = 0 ] || skip "needs root"
	ATTACKER=$(id -u nobody)
	IN=$TOP/testdata/blame/wake-lock.txt
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" 2>/dev/null
	as_nobody true || skip "needs a user without rights that reaches $BATS_TEST_TMPDIR"
	umask 022
	mkdir -m 1777 shared
	mkdir -m 755 root nobody
	chown nobody nobody
	echo precious >root/victim
	chmod 644 root/victim
	mkfifo never
	printf 'sample ts=%d.0 chart=a value=0.001\n' {1..200} >samples
	mkdir -m 700 own
}

teardown() {
	[ -z "${BEHIND:-}" ] || { kill "$BEHIND" && wait "$BEHIND"; } || true
	BEHIND=
}

NOBODY=(setpriv --reuid="$(id -u nobody)" --regid=65534 --clear-groups --no-new-privs)

as_nobody() {
	"${NOBODY[@]}" "$@"
}

# The same, until the test ends. What a function starts in the background is a shell, which a signal ends alone.
behind_as_nobody() {
	"${NOBODY[@]}" "$@" <&0 3>&- &
	BEHIND=$!
}

# writes COMMAND FILE: it writes FILE. Never waits for ever.
writes() {
	case $1 in
	report) timeout 20 report -o "$2" "$IN" ;;
	json) timeout 20 report -f json -o "$2" "$IN" ;;
	limits) timeout 20 cchart-filter --save-limits="$2" samples >/dev/null ;;
	export) timeout 20 trace-export -f csv -k event -o "$2" "$IN" ;;
	perfetto) timeout 20 trace-export -f perfetto -o "$2" "$IN" ;;
	record) timeout 60 trace-collect -e sched:sched_process_exec -d 50ms -o "$2" ;;
	esac
}

writers() {
	echo report json limits export perfetto
	if grep -qs ' tracefs ' /proc/mounts; then echo record; fi
}

# refused WHAT COMMAND FILE: with status 1, at once, and a sentence that has these words; nothing of root's is changed.
refused() {
	run --separate-stderr writes "$2" "$3"
	[ "$status" = 1 ] || { echo "$2 -o $3: status $status, $stderr"; return 1; }
	[[ $stderr == *"cannot write '$3': "*"$1"* ]] || { echo "$2 -o $3: $stderr"; return 1; }
	[ "$(cat root/victim)" = precious ]
	[ -z "$(find root shared nobody -name 'victim.*')" ]
}

# No file of root's has rights that it should not have.
nothing_given() {
	[ -z "$(find shared root nobody -user root -type f -perm /7022 | tee /dev/stderr)" ]
	[ "$(cat root/victim)" = precious ]
}

# bats test_tags=long
@test "a file of another user in a shared folder is refused, whatever its mode" {
	local command mode
	for command in $(writers); do
		for mode in 644 666 4777 2777 6755 1666 0; do
			as_nobody sh -c "echo his >shared/x; chmod $mode shared/x"
			refused "belongs to another user" "$command" shared/x
			[ "$(stat -c %u shared/x)" = "$ATTACKER" ]
			as_nobody rm -f shared/x
		done
	done
	nothing_given
}

@test "a shared folder is one that others write to: sticky or not, by its group, by its mode" {
	local mode
	for mode in 1777 0777 1773 1775 0722 0775 2770; do
		mkdir -p "folder.$mode"
		case $mode in 0775 | 2770) chgrp 65534 "folder.$mode" ;; esac
		chmod "$mode" "folder.$mode"
		echo his >"folder.$mode/x" && chown nobody "folder.$mode/x"
		ln -s ../root/victim "folder.$mode/link" && chown -h nobody "folder.$mode/link"
		refused "belongs to another user" report "folder.$mode/x"
		refused "symbolic link of another user" report "folder.$mode/link"
	done
}

@test "a mode is taken from a file of one's own, and never its special bits" {
	local command
	for command in report limits export; do
		touch own/x shared/mine
		chmod 4755 own/x
		chmod 640 shared/mine
		writes "$command" own/x
		[ "$(stat -c %a own/x)" = 755 ]
		writes "$command" shared/mine
		[ "$(stat -c %a shared/mine)" = 640 ]
		as_nobody sh -c 'echo his >nobody/x; chmod 4777 nobody/x'
		writes "$command" nobody/x
		[ "$(stat -c '%a %u' nobody/x)" = "644 0" ]
		rm -f nobody/x own/x shared/mine
		writes "$command" own/x
		[ "$(stat -c %a own/x)" = 644 ]
		(umask 077 && rm own/x && writes "$command" own/x)
		[ "$(stat -c %a own/x)" = 600 ]
		rm own/x
	done
	nothing_given
}

@test "a hard link to a file of root's: the file stays as it is" {
	local command
	for command in $(writers); do
		chmod 666 root/victim
		ln root/victim shared/hard
		if [ "$command" = record ]; then
			refused "hard links" record shared/hard
		else
			writes "$command" shared/hard
			[ "$(stat -c %a shared/hard)" = 644 ]
		fi
		[ "$(cat root/victim)" = precious ]
		rm shared/hard
	done
}

# bats test_tags=long
@test "a symbolic link of another user in a shared folder is refused: to a file, to none, to links, and in the midst of a path" {
	local command
	as_nobody sh -c "
		ln -s $PWD/root/victim shared/absolute
		ln -s ../root/victim shared/relative
		ln -s $PWD/root/new shared/dangling
		ln -s relative shared/twice
		ln -s ../root shared/folder
		ln -s loop shared/loop
		ln -s /proc/self/fd/1 shared/magic
		ln -s /dev/null shared/device
		mkdir shared/deep && ln -s ../../root shared/deep/folder
		ln -s ../shared/relative nobody/through"
	for command in $(writers); do
		for path in absolute relative dangling twice folder/victim folder/new ./folder/../victim loop magic device; do
			refused "symbolic link of another user" "$command" "shared/$path"
		done
		refused "symbolic link of another user" "$command" "$PWD/shared/folder/victim"
		refused "symbolic link of another user" "$command" nobody/through
		[ ! -e root/new ]
	done
	nothing_given
}

@test "a link of one's own, or of the folder's owner, leads on, also to where nothing is yet" {
	local command
	mkdir -m 1777 his && chown nobody his
	as_nobody ln -s ../own/by-owner his/link
	ln -s ../own/mine shared/link
	ln -s own/plain plain
	for command in $(writers); do
		writes "$command" his/link
		[ -s own/by-owner ]
		writes "$command" shared/link
		[ -L shared/link ] && [ -s own/mine ]
		writes "$command" plain && writes "$command" plain
		[ -L plain ] && [ -s own/plain ]
		rm own/*
	done
}

@test "a link leads on into a folder that root can write to by its capabilities alone, also to where nothing is yet" {
	local command
	chmod 700 nobody
	ln -s "$PWD/nobody/new" root/link
	for command in $(writers); do
		writes "$command" root/link
		[ -L root/link ] && [ -s nobody/new ]
		writes "$command" root/link # by now the file is there
		rm nobody/new
	done
}

# bats test_tags=long
@test "only what is not there is taken for absent" {
	local command
	ln -s one two && ln -s two one
	for command in $(writers); do
		refused "too many levels of symbolic links" "$command" one
		refused "not a directory" "$command" root/victim/x
		refused "is a directory" "$command" own
		refused "is a directory" "$command" own/
		refused "no such file or directory" "$command" none/x
		refused "file name too long" "$command" "own/$(printf '%0300d' 0)"
		writes "$command" "own/$(printf '%0250d' 0)"
	done
}

@test "the folder of a report is no link and no folder of another user's in a shared one" {
	as_nobody sh -c 'mkdir shared/his; ln -s ../root shared/link'
	for folder in shared/his shared/his/ shared/link; do
		run -1 --separate-stderr report -f html -o "$folder" "$IN"
		[[ $stderr == *"of another user"* ]]
	done
	[ ! -e root/report.html ] && [ ! -e shared/his/report.html ]
	mkdir shared/mine
	report -f html -o shared/mine/ "$IN"
	report -f html -o shared/new "$IN"
	[ "$(stat -c %a shared/new shared/new/report.html | xargs)" = "755 644" ]
	as_nobody ln -s ../../root/victim nobody/report.html
	mkdir shared/mine2 && chmod 1777 shared/mine2
	as_nobody ln -s ../../root/victim shared/mine2/report.html
	run -1 --separate-stderr report -f html -o shared/mine2 "$IN"
	nothing_given
}

# bats test_tags=long
@test "a pipe, a terminal or a device of another user is not waited for" {
	local command terminal
	command -v script >/dev/null || skip "needs script"
	as_nobody mkfifo shared/pipe nobody/pipe
	as_nobody mkfifo -m 666 nobody/read && exec {reader}<>nobody/read
	mknod shared/device c 1 3 && chown nobody shared/device
	for command in $(writers); do
		refused "belongs to another user" "$command" shared/pipe
		refused "belongs to another user" "$command" shared/device
		refused "a pipe of another user" "$command" nobody/pipe
		refused "a pipe of another user" "$command" nobody/read
	done
	exec {reader}<&-
	behind_as_nobody script -qc 'tty >nobody/tty; read x' /dev/null <>never >/dev/null
	until_true 60 test -s nobody/tty
	terminal=$(tr -d '\r' <nobody/tty)
	[ "$(stat -c %u "$terminal")" = "$ATTACKER" ]
	for command in $(writers); do
		refused "a terminal of another user" "$command" "$terminal"
	done
}

@test "a pipe of one's own, /dev/null, /dev/stdout and >(...) are written to as they are" {
	local command
	mkfifo own/pipe
	for command in report export limits; do
		cat own/pipe >got &
		writes "$command" own/pipe
		wait $!
		[ -s got ]
		writes "$command" /dev/null
		[ -c /dev/null ]
		writes "$command" /dev/fd/4 4>got # by its number
		[ -s got ]
		rm got
		writes "$command" >(cat >got)
		until_true 60 test -s got
	done
	report -o /dev/stdout "$IN" | grep -q .
	echo before >log
	report -o /dev/stdout "$IN" >>log
	[ "$(head -1 log)" = before ] && [ "$(wc -l <log)" -gt 2 ]
	! find own -name 'pipe.*' | grep .
}

# What takes the name has one after the other: nothing, a file, links, a pipe; as quickly as it can.
attack() {
	cat >attack.pl <<-'END'
		use POSIX;
		my ($name, $victim) = @ARGV;
		my $other = "$name.his";
		my @ways = (
		    sub { open(my $f, ">", $other) and chmod(04777, $other) },
		    sub { symlink($victim, $other) },
		    sub { symlink("$victim.new", $other) },
		    sub { mkfifo($other, 0666) },
		);
		for (;;) {
		    for my $way (@ways) {
		        $way->();
		        rename($other, $name);
		        unlink($name, $other);
		    }
		}
	END
	behind_as_nobody perl attack.pl "$1" "$PWD/root/victim"
	until_true 60 changes "$1"
}

changes() {
	as_nobody test -e "$1" || as_nobody test -L "$1"
}

# bats test_tags=long
@test "an attacker who changes what is there all the time gets nothing" {
	command -v perl >/dev/null || skip "needs perl"
	local folder command
	for folder in shared loose nobody; do
		mkdir -p "$folder"
		[ "$folder" != loose ] || chmod 777 loose
		attack "$PWD/$folder/x"
		for _ in {1..20}; do
			for command in report limits export; do
				run writes "$command" "$folder/x"
				[ "$status" != 124 ] || { echo "$command waits for ever"; return 1; }
				[ -z "$(find "$folder" -user root -perm /7022 -type f)" ]
				kill -0 "$BEHIND"
				rm -f "$folder/x" # it is his turn again
			done
		done
		teardown
		# In a folder of his own he may link to what he likes, as with the shell.
		[ "$folder" = nobody ] || [ "$(cat root/victim)" = precious ]
		[ "$folder" = nobody ] || [ ! -e root/victim.new ]
		echo precious >root/victim
	done
}

# bats test_tags=long
@test "an attacker who changes what is there while root records gets nothing" {
	need_tracefs
	attack "$PWD/shared/x"
	for _ in {1..15}; do
		run writes record shared/x
		[ "$status" != 124 ]
		nothing_given
		rm -f shared/x
	done
	teardown
	[ "$(cat root/victim)" = precious ] && [ ! -e root/victim.new ]
	nothing_given
}

@test "what is recorded is its owner's alone; what one made readable stays so" {
	need_tracefs
	writes record own/stream
	[ "$(stat -c %a own/stream)" = 600 ]
	chmod 640 own/stream
	writes record own/stream
	[ "$(stat -c %a own/stream)" = 640 ]
	as_nobody touch nobody/his
	refused "belongs to another user" record nobody/his
	[ ! -s nobody/his ]
}

@test "tailblame keeps its stream in no folder that others can write to" {
	local folder
	mkdir -m 777 loose
	mkdir -m 2775 team
	chgrp 65534 team
	for folder in shared loose nobody team; do
		cd "$folder"
		run -1 --separate-stderr "$TOP/cmd/tailblame" -d 10ms
		[[ $stderr == *"others may write to '$PWD', or it is somebody else's"* ]]
		[ -z "$(find . -name '*.tb')" ]
		cd ..
	done
}

@test "temporary files go into no folder that another user's link leads to" {
	as_nobody ln -s ../root shared/link
	TMPDIR=$PWD/shared/link run -1 --separate-stderr report -f json "$IN"
	[[ $stderr == *"symbolic link of another user"* ]]
	TMPDIR=$PWD/shared/link run -1 --separate-stderr trace-export -f tracedat -o own/x "$TOP/testdata/demo.tb"
	[[ $stderr == *"symbolic link of another user"* ]]
	TMPDIR=$PWD/shared run -0 report -f html -o own/report "$IN"
	[ -z "$(find shared -mindepth 1 ! -type l)" ]
}

@test "no page writes into a folder that others can write to" {
	run grep -nE '(>|-o|--output=?|--save-limits=?|TMPDIR=)[ ]*(/var)?/(tmp|dev/shm)' "$TOP"/man/*.[157] "$TOP/README.md"
	[ "$status" = 1 ] || fail "$output"
}

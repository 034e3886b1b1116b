# Loaded by helper.bash: how bats runs a test, with less work about it.
#
# bats 1.8 starts a shell for each test, which reads bats, the whole file of the test and its helpers anew; it calls a function before each command
# of a test, to note where it stands; and `run` makes a file, a pipe and three processes for a command. All that takes longer than most tests do.
# Here a test is a copy of the shell that has read the file, the place of a failure is noted when it fails, and a command that is run is one process.
# What a test sees, and what bats prints of it, is the same. Another version of bats runs as it does, and so does one that traces (bats --trace) or
# limits the time of a test.
# shellcheck shell=bash disable=SC2034

[[ ${BATS_VERSION-} == 1.8.* && ${BATS_TRACE_LEVEL:-0} = 0 && -z ${BATS_TEST_TIMEOUT-} && -r ${BATS_LIBEXEC-}/bats-exec-test ]] || return 0

# bats-exec-file, which has read the file, calls this in place of its own.
if declare -F bats_run_tests >/dev/null; then
	bats_run_tests() {
		local before=$BATS_FILE_FIRST_TEST_NUMBER_IN_SUITE number=0 test_name status
		bats_exec_file_status=0
		trap - ERR DEBUG
		for test_name in "${tests_to_run[@]}"; do
			[[ ${BATS_INTERRUPTED-NOTSET} = NOTSET ]] || { bats_exec_file_status=130; break; }
			number=$((number + 1))
			# -e and ERR do not hold in a copy that an if, && or || asks for its status
			set +eET
			(bats_test_in_copy "${flags[@]}" "$filename" "$test_name" $((before + number)) "$number" 1)
			status=$?
			set -eET
			[[ $status = 0 ]] || bats_exec_file_status=$status
		done
		bats_setup_tracing
	}
fi

# Runs bats-exec-test in this shell, which needs no source that it names.
bats_test_in_copy() {
	BASH_SUBSHELL=0
	trap - EXIT
	BATS_TEST_RETRIES=0
	BATS_OUT=$BATS_RUN_TMPDIR/bats.$BASHPID.out
	source() { :; }
	bats_evaluate_preprocessed_source() {
		unset -f source
		get_mills_since_epoch() { printf '%d\n' "$((${EPOCHREALTIME/[.,]/} / 1000))"; }
	}
	builtin source "$BATS_LIBEXEC/bats-exec-test" "$@"
}

# Without a trap on DEBUG. The copy's own commands, and bats' libraries, are no place where a test fails.
bats_setup_tracing() {
	BATS_DEBUG_LAST_LINENO=() BATS_DEBUG_LAST_SOURCE=()
	BATS_DEBUG_LAST_STACK_TRACE=() BATS_DEBUG_LASTLAST_STACK_TRACE=() BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=
	BATS_ERROR_SUFFIX=
	exec 4<&1
	trap bats_error_trap ERR
}

bats_error_trap() {
	bats_check_status_from_trap
	[[ -z $BATS_DEBUG_LAST_STACK_TRACE_IS_VALID ]] || return 0
	bats_capture_stack_trace
	while [[ ${BATS_DEBUG_LAST_STACK_TRACE[0]-} == *" $BATS_ROOT/lib"* || ${BATS_DEBUG_LAST_STACK_TRACE[0]-} == *" ${BASH_SOURCE[0]}" ]]; do
		BATS_DEBUG_LAST_STACK_TRACE=("${BATS_DEBUG_LAST_STACK_TRACE[@]:1}")
	done
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
}

run() { # [!|-STATUS] [--separate-stderr] [--] COMMAND...
	local run_wanted='' run_apart='' run_flags=$-
	while [[ ${1-} == -* || ${1-} == '!' ]]; do
		case $1 in
		'!' | -[0-9]*) run_wanted=${1#-} ;;
		--separate-stderr) run_apart=$BATS_TEST_TMPDIR.stderr ;;
		--) shift && break ;;
		*) echo "run: there is no option '$1'" >&2 && return 1 ;;
		esac
		shift
	done
	set +eET
	# a command that is all of a substitution needs no other process
	if [[ $run_apart ]]; then
		output=$("$@" 2>"$run_apart") && status=0 || status=$?
		read -d '' -r stderr <"$run_apart" || true
	else
		output=$("$@" 2>&1) && status=0 || status=$?
	fi
	bats_lines lines "$output"
	[[ -z $run_apart ]] || bats_lines stderr_lines "$stderr"
	set "-$run_flags"
	case $run_wanted in
	'') ;;
	'!') [[ $status != 0 ]] || { BATS_ERROR_SUFFIX=", expected nonzero exit code!"; return 1; } ;;
	*) [[ $status = "$run_wanted" ]] || { BATS_ERROR_SUFFIX=", expected exit code $run_wanted, got $status"; return 1; } ;;
	esac
}

bats_lines() { # ARRAY TEXT: those that are not empty
	local IFS=$'\n' -
	set -f
	# shellcheck disable=SC2206
	local split=($2)
	eval "$1=(\"\${split[@]}\")"
}

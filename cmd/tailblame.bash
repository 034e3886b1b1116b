# shellcheck shell=bash
# Bash completion for tailblame. The options are read from --help, so they are always those of the installed command.

# What the commands' names begin with; make install program_prefix=... sets it.
prefix=

_tailblame_options()
{
	"$1" --help 2>/dev/null |
		sed -nE 's/^ +(-.), (--[a-z-]+=?).*/\1\n\2/p; s/^ +(--[a-z-]+=?).*/\1/p; s/^ +(-[^-])( .*)?$/\1/p'
}

# The names of the files that are shipped in a folder of charts/, beside the command or in the system's place.
_tailblame_shipped() # COMMAND FOLDER/ ENDING
{
	local command directory file
	command=$(type -P "$1") || return
	for directory in "${TAILBLAME_DATA-}" "${command%/*}/.." "${command%/*}/../share/tailblame"; do
		for file in "$directory"/charts/"$2"*"$3"; do
			[ -e "$file" ] && file=${file##*/} && echo "${file%"$3"}"
		done
	done
}

# The values of an option where --help lists them: "pot (default), imr, p or u".
_tailblame_values() # COMMAND OPTION
{
	"$1" --help 2>/dev/null | awk -v option="$2" '
		/^ +-/ {
			taken = 0
			for (i = 1; i <= 2; i++) {
				name = $i
				sub(/[=,].*/, "", name)
				taken = taken || name == option
			}
			sub(/^ +(-., )?-[^ ]*( |$)/, "")
		}
		taken && NF {
			gsub(/ *\([^)]*\)|;.*/, "")
			sub(/.*: */, "")
			if (!/,| or / || !/^ *[a-z.-]+(, [a-z.-]+)*,? or [a-z.-]+$/)
				next
			gsub(/,? or |, /, "\n")
			print
		}'
}

# What can be traced, where it may be read.
_tailblame_events()
{
	cat /sys/kernel/tracing/available_events 2>/dev/null
}

# bash replaces the word behind the last ':' only.
_tailblame_behind_colon() # WORD
{
	if [[ $1 == *:* && ${COMP_WORDBREAKS-:} == *:* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${1%:*}:"}")
	fi
}

# The functions of a program whose names begin so, a few at most, within a second. Nothing of a name is the shell's to expand.
_tailblame_functions() # COMMAND BINARY:BEGIN
{
	timeout 1 "$1" -f "$2*" --list 2>/dev/null | LC_ALL=C grep -E '^func:.*:[A-Za-z0-9_:~.]+$' | head -n 1000
}

_tailblame()
{
	local command=$1 whole words="" before i

	# What bash takes apart at '=' and ':' is one word, but for the '=' behind an option.
	for ((i = COMP_CWORD; i > 1; i--)); do
		[[ ${COMP_WORDS[i]} == : || ${COMP_WORDS[i - 1]} == : ]] || break
	done
	printf -v whole '%s' "${COMP_WORDS[@]:i:COMP_CWORD - i + 1}"
	before=${COMP_WORDS[i - 1]-}
	[ "$before" = "=" ] && before=${COMP_WORDS[i - 2]}
	[ "$whole" = "=" ] && whole= && before=${COMP_WORDS[i - 1]}

	COMPREPLY=()
	if [[ $before$whole == @(-c|--chart)func:*:* || $before$whole == @(-f|--functions)*:* ]]; then
		mapfile -t COMPREPLY < <(_tailblame_functions "$command" "${whole#func:}")
		[ "$before" = -f ] || [ "$before" = --functions ] && COMPREPLY=("${COMPREPLY[@]#func:}")
		_tailblame_behind_colon "$whole"
		return
	fi
	case $before in
	-c | --chart)
		words=$(_tailblame_shipped "$command" "" .chart)
		[[ $command != *trace-collect ]] || words+=" requests"
		;;
	-s | --states)
		words=$(_tailblame_shipped "$command" states/ .state)
		;;
	--semantics)
		words=$(_tailblame_shipped "$command" semantics/ .semantics)
		[[ $command == *trace-collect ]] || words=none
		;;
	-T | --trigger)
		words=$(_tailblame_shipped "$command" triggers/ .trigger)
		;;
	-e | --event)
		words=$(_tailblame_events)
		;;
	-k | --kind)
		if [[ $command == *trace-export ]]; then
			words="stream chart task device stack file quota traced stage shed event lost gap tick sample limits signal open window trigger request call exception handoff async graph node edge path blame diff run features config cluster label rule same outside timer symbol printk summary state socket span view host clock usage"
		else
			words=$(_tailblame_values "$command" "$before")
		fi
		;;
	-C | --clock)
		words="mono boot mono_raw tai local global perf"
		;;
	-?*)
		words=$(_tailblame_values "$command" "$before")
		;;
	esac
	if [ -z "$words" ] && [[ $whole == -* ]]; then
		words=$(_tailblame_options "$command")
	fi
	[ -n "$words" ] || return 0
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$whole")
	_tailblame_behind_colon "$whole"
	if [[ ${COMPREPLY[0]-} == *= ]]; then
		compopt -o nospace 2>/dev/null || true # outside of a completion there is nothing to set
	fi
}

for _tailblame_command in trace-collect trace-import cchart-filter trigger-filter graph-build blame-rank probe-log report stream-cat stream-merge span-build trace-export run-features run-cluster run-rules run-hub run-edge state-build state-query graph-walk step-log tailblame tailblame-hours; do
	complete -o default -F _tailblame "$prefix$_tailblame_command"
done
unset _tailblame_command

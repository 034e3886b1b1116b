# shellcheck shell=bash
# Bash completion for tailblame. The options are read from --help, so they are always those of the installed command.

# What the commands' names begin with; make install program_prefix=... sets it.
prefix=

_tailblame_options()
{
	"$1" --help 2>/dev/null |
		sed -nE 's/^ +(-.), (--[a-z-]+=?).*/\1\n\2/p; s/^ +(--[a-z-]+=?).*/\1/p; s/^ +(-[^-])( .*)?$/\1/p'
}

# The names of the charts that are shipped, beside the command or in the system's place.
_tailblame_charts()
{
	local command directory chart
	command=$(type -P "$1") || return
	for directory in "${TAILBLAME_DATA-}" "${command%/*}/.." "${command%/*}/../share/tailblame"; do
		for chart in "$directory"/charts/*.chart; do
			[ -e "$chart" ] && chart=${chart##*/} && echo "${chart%.chart}"
		done
	done
}

# The formats of trace-export, as its --help lists them.
_tailblame_formats()
{
	[[ $1 == *trace-export ]] && "$1" --help 2>/dev/null | sed -nE 's/ \(default\)//; s/^ +-f, --format=FORMAT +//; T; s/, | or /\n/gp'
}

_tailblame()
{
	local command=$1 word=$2 before=$3 words=

	# What stands before an '=' is the option; bash has it as words of its own.
	[ "$before" = "=" ] && before=${COMP_WORDS[COMP_CWORD - 2]}
	[ "$word" = "=" ] && word= && before=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	case $before in
	-c | --chart)
		words=$(_tailblame_charts "$command")
		;;
	-f | --format)
		words=$(_tailblame_formats "$command")
		;;
	-k | --kind)
		[[ $command == *trace-export ]] && words="stream chart task device stack event lost tick sample limits signal window graph node edge path blame usage"
		;;
	*)
		[[ $word == -* ]] || return 0
		words=$(_tailblame_options "$command")
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	if [[ ${COMPREPLY[0]-} == *= ]]; then
		compopt -o nospace 2>/dev/null || true # outside of a completion there is nothing to set
	fi
}

for _tailblame_command in trace-collect trace-import cchart-filter graph-build blame-rank report stream-cat trace-export; do
	complete -o default -F _tailblame "$prefix$_tailblame_command"
done
unset _tailblame_command

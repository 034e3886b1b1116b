#!/usr/bin/env bash
# AUDIT's table 2 (USENIX ATC 2018, section 6.2) beside what blame-rank -n 3 makes of testdata/audit/scenario-*.txt:
#
#	table2.sh DIRECTORY
#
# The paper's rows name instances, but for its own algorithm in scenario 1, where they are names and each has the label of
# its highest-blamed instance. In brackets: what comes out behind the third, where the paper stops at three.
set -u
directory=$1

wanted=("" "C3 B3 A3" "H B A" "A C B" "A1 A2 A3")
declare -A paper=(
	[npt]="C3 C2 C1|H B A|A D C|D3 D2 D1|6"
	[tcm]="C3 B3 A3|B A C|D|A2 A1 A3|7"
	[ilz]="C3 C2 C1|B H A|D|A2 A1 A3|7"
	[critical]="C3 B3 A3|H B A|D A B|A1 A2 D3 D1 D2 A3|11"
	[wanted]="||||"
)

labels()
{
	local instances=--instances
	[[ $1 = critical || $1 = wanted ]] && [ "$2" = 1 ] && instances=
	# shellcheck disable=SC2086 # one word or none
	blame-rank -n 3 -a "$1" $instances --text "$directory/scenario-$2.txt" | sed -n 's/^blame .* label=\([^ ]*\) .*/\1/p' | xargs
}

hits() # LABELS SCENARIO
{
	local label count=0
	for label in $1; do
		[[ " ${wanted[$2]} " == *" $label "* ]] && count=$((count + 1))
	done
	echo $count
}

# Behind the third in brackets, if the paper has three.
brackets()
{
	local -a each
	read -r -a each <<<"$1"
	if [ "$(wc -w <<<"$2")" -gt 3 ] || [ ${#each[@]} -le 3 ]; then
		echo "$1"
	else
		echo "${each[*]:0:3} (${each[*]:3})"
	fi
}

verdict() # OURS PAPER
{
	[ -z "$2" ] && { echo -; return; }
	[ "$1" = "$2" ] || [[ "$1" == "$2 "* && $(wc -w <<<"$2") = 3 ]] && { echo same; return; }
	[ "$(tr ' ' '\n' <<<"$1" | sort)" = "$(tr ' ' '\n' <<<"$2" | sort)" ] && { echo "same, other order"; return; }
	echo different
}

printf '%-9s %-8s %-20s %-24s %-18s %s\n' algorithm scenario paper blame-rank "" "wanted, found"
for algorithm in npt tcm ilz critical wanted; do
	IFS='|' read -r -a rows <<<"${paper[$algorithm]}"
	total=0
	for scenario in 1 2 3 4; do
		ours=$(labels $algorithm $scenario)
		theirs=${rows[scenario - 1]-}
		found=$(hits "$ours" $scenario)
		total=$((total + found))
		printf '%-9s %-8s %-20s %-24s %-18s %-8s %s\n' $algorithm $scenario "${theirs:--}" "$(brackets "$ours" "$theirs")" \
			"$(verdict "$ours" "$theirs")" "${wanted[scenario]// /,}" "$found"
	done
	printf '%-9s %-8s %-20s %s\n' $algorithm total "${rows[4]:--}" "$total"
done

# A critical path on a time axis: a row for each thread or device, a colour for each kind of piece. Set by the caller:
#   rows		how many rows
#   span unit	the length, and 0: s, 1: ms, 2: us, 3: ns, in which the times are given
#   kinds	"1 2 8": the kinds of piece that occur, by number
#   waits	1: there are waits, 0: none is known
# File in the working directory: path, four blocks with two empty lines between them:
#   0: row "name"; 1: waits, row from to; 2: pieces, row from to kind, as wide as they are to be seen; 3: wake-ups, time row, and how many
#   rows down the woken thread is (up: negative). A block without data has a line of NaN.

set terminal svg size 900, 130 + 26 * rows dynamic noenhanced font "sans-serif,13" linewidth 1
set datafile separator "\t"

ink = "#7f8184"
array name[10] = ["method", "running", "waiting for a CPU", "asleep", "interrupt", "soft interrupt", "timer", \
	"in a device's queue", "in service at a device", "unknown"]
array colour[10] = [0x2f74b5, 0x2f74b5, 0xe08a1e, 0x9aa0a6, 0x8e5bb5, 0xb48bd0, 0x3f9b57, 0xc9b037, 0x1f9aa8, 0x9aa0a6]

set border 1 linecolor rgb ink
set xtics nomirror out textcolor rgb ink
set ytics nomirror scale 0 textcolor rgb ink
set grid xtics linecolor rgb "#807f8184" linewidth 0.5
set key outside above horizontal Left reverse samplen 1.2 width -1 textcolor rgb ink
set style fill solid 1.0 noborder
set xrange [0 : span]
set yrange [rows - 0.5 : -0.5]
set format x "%g"
set xlabel sprintf("time since it began, %s", word("s ms us ns", unit + 1)) textcolor rgb ink

kind(i) = int(word(kinds, i))

plot "path" index 0 using (NaN):1:ytic(2) notitle, \
     "path" index 1 using 2:1:2:3:($1 - 0.16):($1 + 0.16) with boxxyerror linecolor rgb "#60b4c4d4" title (waits ? "waiting for another" : ""), \
     for [i = 1:words(kinds)] "path" index 2 \
	using ($4 == kind(i) ? $2 : NaN):1:2:3:($1 - 0.32):($1 + 0.32) \
	with boxxyerror linecolor rgb colour[kind(i) + 1] title name[kind(i) + 1], \
     "path" index 3 using 1:2:(0):3 with vectors head filled size character 0.7,20 linewidth 1.2 linecolor rgb "#d43d2a" \
	title (waits ? "wakes" : "")

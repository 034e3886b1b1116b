# A critical path on a time axis: a row for each thread or device, a colour for each kind of piece. Set by the caller:
#   rows		how many rows
#   span unit	the length, and 0: s, 1: ms, 2: us, 3: ns, in which the times are given
#   kinds	"1 2 8": the kinds of piece that occur, by number
# Files in the working directory: rows (row "name"), pieces (row from to kind), as wide as they are to be seen.

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

plot "rows" using (NaN):1:ytic(2) notitle, \
     for [i = 1:words(kinds)] "pieces" \
	using ($4 == kind(i) ? $2 : NaN):1:2:3:($1 - 0.32):($1 + 0.32) \
	with boxxyerror linecolor rgb colour[kind(i) + 1] title name[kind(i) + 1]

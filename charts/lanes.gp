# What attributes were on a time axis, or how a request went over processes: a row each, a colour for each value. Set by the caller:
#   rows		how many rows
#   span unit	the length, and 0: s, 1: ms, 2: us, 3: ns, in which the times are given
#   colours	how many values have a colour of their own
#   arrows alarms	1: the last block has arrows, or alarms
# File in the working directory: view, blocks with two empty lines between them:
#   row "name"; for each colour, and then for all other values: "value", then row from to; then: time, row, and how many rows down it goes.
#   A block ends with a line of NaN.

legend = ceil((colours + 1 + (arrows || alarms)) / 4.0) # its rows
set terminal svg size 900, 112 + 18 * legend + 26 * rows dynamic noenhanced font "sans-serif,13" linewidth 1
set datafile separator "\t"

ink = "#7f8184"
array colour[9] = [0x2f74b5, 0xe08a1e, 0x3f9b57, 0x8e5bb5, 0x1f9aa8, 0xc9b037, 0xc23b22, 0xb48bd0, 0x7a5c3e]

set border 1 linecolor rgb ink
set xtics nomirror out textcolor rgb ink
set ytics nomirror scale 0 textcolor rgb ink
set grid xtics linecolor rgb "#807f8184" linewidth 0.5
set key outside above horizontal Left reverse samplen 1.2 width -1 maxcols 4 textcolor rgb ink
set style fill solid 1.0 noborder
set xrange [0 : span]
set yrange [rows - 0.5 : -0.5]
set format x "%g"
set xlabel sprintf("time since it began, %s", word("s ms us ns", unit + 1)) textcolor rgb ink

if (arrows) {
	set style arrow 1 head filled size character 0.7,20 linewidth 1.2 linecolor rgb "#d43d2a"
} else {
	set style arrow 1 nohead linewidth 1.2 linecolor rgb "#d43d2a"
}
plot "view" index 0 using (NaN):1:ytic(2) notitle, \
     for [i = 1:colours] "view" index i using 2:1:2:3:($1 - 0.32):($1 + 0.32) with boxxyerror linecolor rgb colour[i] title columnheader(1), \
     "view" index colours + 1 using 2:1:2:3:($1 - 0.32):($1 + 0.32) with boxxyerror linecolor rgb "#9aa0a6" title (arrows ? "" : columnheader(1)), \
     "view" index colours + 2 using 1:2:(0):3 with vectors arrowstyle 1 title (arrows ? "calls" : alarms ? "alarm" : "")

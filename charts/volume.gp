# Numbers on a time axis, a line each. Set by the caller:
#   lines	how many
#   span unit	the length, and 0: s, 1: ms, 2: us, 3: ns, in which the times are given
#   rate	1: the numbers are of a second
# File in the working directory: view, a block for each line, with two empty lines between them: "name", then time and number.

set terminal svg size 900, 300 + 18 * lines dynamic noenhanced font "sans-serif,13" linewidth 1
set datafile separator "\t"

ink = "#7f8184"
array colour[8] = [0x2f74b5, 0xe08a1e, 0x3f9b57, 0x8e5bb5, 0x1f9aa8, 0xc9b037, 0xc23b22, 0x7a5c3e]

set border 1 linecolor rgb ink
set xtics nomirror out textcolor rgb ink
set ytics nomirror textcolor rgb ink
set grid linecolor rgb "#807f8184" linewidth 0.5
set key outside above vertical maxrows 8 Left reverse samplen 1.2 textcolor rgb ink
set xrange [0 : span]
set format x "%g"
set format y "%.1s%c"
set xlabel sprintf("time since it began, %s", word("s ms us ns", unit + 1)) textcolor rgb ink
if (rate) { set ylabel "each second" textcolor rgb ink }

plot for [i = 0:lines - 1] "view" index i using 1:2 with steps linewidth 1.5 linecolor rgb colour[i + 1] title columnheader(1)

# Who was blamed, as a Pareto chart: the most blamed on top, and the sum of the shares so far. Set by the caller:
#   rows		how many names
#   most unit	the highest score, and 0: s, 1: ms, 2: us, 3: ns, in which the scores are given
# File in the working directory: blame (row score cumulative-percent "name").

set terminal svg size 900, 140 + 28 * rows dynamic noenhanced font "sans-serif,13" linewidth 1
set datafile separator "\t"

ink = "#7f8184"
set border 1 linecolor rgb ink
set xtics nomirror out textcolor rgb ink
set x2tics 0, 20, 100 nomirror out textcolor rgb ink format "%g %%"
set ytics nomirror scale 0 textcolor rgb ink
set grid xtics linecolor rgb "#807f8184" linewidth 0.5
set key outside above horizontal Left reverse textcolor rgb ink
set style fill solid 1.0 noborder
set xrange [0 : 1.08 * most]
set x2range [0 : 108]
set yrange [rows - 0.5 : -0.6]
set format x "%g"
set xlabel sprintf("blamed for, %s", word("s ms us ns", unit + 1)) textcolor rgb ink

plot "blame" using (0):1:(0):2:($1 - 0.3):($1 + 0.3):ytic(4) with boxxyerror linecolor rgb "#2f74b5" title "blame", \
     "blame" using 3:1 axes x2y1 with linespoints pointtype 7 pointsize 0.5 linewidth 1.5 linecolor rgb "#e08a1e" \
	title "sum of shares"

# All runs of a program, a row a node. Set by the caller:
#   rows		how many nodes
# Files in the working directory: points (begin y class), names (y "name"); class 0 is good, 1 bad, 2 another.

set terminal svg size 900, 110 + 34 * rows dynamic noenhanced font "sans-serif,13" linewidth 1
set datafile separator "\t"

ink = "#7f8184"
set border 1 linecolor rgb ink
set xtics nomirror out textcolor rgb ink
set ytics nomirror scale 0 textcolor rgb ink
set grid ytics linecolor rgb "#807f8184" linewidth 0.5
set key outside above horizontal Left reverse textcolor rgb ink
set yrange [0.2 - rows : 1]
set xlabel "begin, s from the node's first" textcolor rgb ink

plot "names" using (0):1:ytic(2) with dots linecolor rgb "#ff000000" notitle, \
     "points" using 1:($3 == 0 ? $2 : NaN) with points pointtype 7 pointsize 0.5 linecolor rgb "#2f74b5" title "good", \
     "points" using 1:($3 == 1 ? $2 : NaN) with points pointtype 7 pointsize 0.5 linecolor rgb "#c23b22" title "bad", \
     "points" using 1:($3 == 2 ? $2 : NaN) with points pointtype 6 pointsize 0.5 linecolor rgb "#7f8184" title "others"

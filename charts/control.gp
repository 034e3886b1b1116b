# A control chart: what was measured, its centre and limit, and the signals. Variables set by the caller:
#   dumb columns rows	1: in text, so many columns and rows; 0: SVG
#   unit		of the values: 0 plain numbers, 1 seconds, 2 a share of 1, 3 so many a second
#   linear		1: the value axis is linear, else logarithmic
#   low high		its ends; of a logarithmic one the first and last power of ten
#   shifts	how many changes of level there are
#   clock from to	1: times are Unix time; 0: trace time. First and last time drawn
# Files in the working directory, a line a point: samples (time median greatest), limits (time centre ucl),
# marks (time value), shifts (time value). Each has a point at least, which may be off the chart; an unknown centre or limit is NaN.
# An empty line among the limits breaks their line: what follows is of another stream, earlier in time.

if (dumb) {
	set terminal dumb size columns, rows noenhanced mono
} else {
	set terminal svg size 900, 380 dynamic noenhanced font "sans-serif,13" linewidth 1
}

ink = "#7f8184"
set border 3 linecolor rgb ink
set tics nomirror out textcolor rgb ink
set grid ytics linecolor rgb "#807f8184" linewidth 0.5
if (dumb) { unset grid }
set key outside above horizontal Left reverse textcolor rgb ink

if (!linear) { set logscale y 10 }
factor = unit == 2 ? 100 : 1
set yrange [factor * low : factor * high]
if (unit == 3) { set ylabel "a second" textcolor rgb ink }
if (unit == 1) {
	set ytics ("1 ns" 1e-9, "10 ns" 1e-8, "100 ns" 1e-7, "1 us" 1e-6, "10 us" 1e-5, "100 us" 1e-4, \
		"1 ms" 1e-3, "10 ms" 1e-2, "100 ms" 1e-1, "1 s" 1, "10 s" 10, "100 s" 100, "1000 s" 1000, "10000 s" 1e4, \
		"100000 s" 1e5, "1000000 s" 1e6)
} else {
	set format y (unit == 2 ? "%g %%" : "%.6g")
}

# Tics of less than a second are beyond gnuplot's own choice (it crashes).
middle = (from + to) / 2
span = to - from > 1 ? to - from : 1
set xrange [middle - 0.52 * span : middle + 0.52 * span]
if (clock) {
	shape = span > 86400 ? "%m-%d %H:%M" : span > 1200 ? "%H:%M" : span > 4 ? "%H:%M:%S" : "%H:%M:%.2S"
	set xtics format shape timedate
	if (span <= 10) { set xtics span > 4 ? ceil(span / 6) : span > 2 ? 1 : 0.25 * ceil(span) }
	# gnuplot's own choice does not know how wide a label of text is, nor one with a date.
	if (span > (dumb ? 10 : 86400)) {
		do for [s in "5 10 15 30 60 120 300 600 900 1800 3600 7200 10800 21600 43200 86400 172800 604800"] {
			if (s + 0 >= span / (dumb ? 5 : 8)) { set xtics s + 0; break }
		}
	}
	set xlabel "time, UTC" textcolor rgb ink
} else {
	set xtics format "%g"
	set xlabel "trace clock, s" textcolor rgb ink
}

set pointsize 0.35
# What is drawn later hides what is under it: in text lines are under the points, in the picture the centre is above them.
if (dumb) {
	plot "limits" using 1:(factor * $2) with steps linetype 7 title "centre", \
	     "limits" using 1:(factor * $3) with steps linetype 3 title "limit", \
	     "samples" using 1:(factor * $3) with points pointtype "." title "largest", \
	     "samples" using 1:(factor * $2) with points pointtype "o" title "median", \
	     "marks" using 1:(factor * $2) with points pointtype "*" title "signals", \
	     "shifts" using 1:(factor * $2) with points pointtype "+" title (shifts ? "new level" : "")
} else {
	plot "limits" using 1:(factor * $3) with steps linewidth 1.5 dashtype 2 linecolor rgb "#e08a1e" title "limit", \
	     "samples" using 1:(factor * $3) with points pointtype 7 linecolor rgb "#8fb8de" title "largest", \
	     "samples" using 1:(factor * $2) with points pointtype 7 linecolor rgb "#2f74b5" title "median", \
	     "limits" using 1:(factor * $2) with steps linewidth 2 linecolor rgb "#3f9b57" title "centre", \
	     "marks" using 1:(factor * $2) with points pointtype 7 pointsize 0.5 linecolor rgb "#d43d2a" title "signals", \
	     "shifts" using 1:(factor * $2) with points pointtype 9 pointsize 0.9 linecolor rgb "#8e5bb5" title (shifts ? "new level" : "")
}

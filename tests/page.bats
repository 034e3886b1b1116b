#!/usr/bin/env bats
# The page of report -f html, in a browser.

load helper

# A copy of the page measures itself: what it loaded, and how large its charts are and whether anything in them is drawn.
@test "report's page opens in Chromium, without errors and without network, its charts visible" {
	for program in chromium gnuplot; do
		command -v $program >/dev/null || skip "needs $program"
	done
	cchart-filter "$TOP/testdata/demo.tb" 2>/dev/null | blame-rank >incident.tb
	report -f html -o page incident.tb
	# The policy of the page forbids scripts, the one that measures it too.
	sed '/^<meta http-equiv="Content-Security-Policy"/d' page/report.html >page/measured.html
	run ! cmp -s page/report.html page/measured.html
	cat >>page/measured.html <<-'END'
		<script>
		const drawn = e => { const r = e.getBoundingClientRect(); return r.width + r.height > 0 && r.left >= -1 && r.right <= innerWidth + 1; };
		const charts = [...document.querySelectorAll("figure svg")];
		document.title = [performance.getEntriesByType("resource").length, charts.length, charts.filter(c => c.getBoundingClientRect().width > 400 &&
			c.getBoundingClientRect().height > 80 && [...c.querySelectorAll("path, use, polygon, text")].filter(drawn).length > 20).length,
			document.documentElement.scrollWidth <= innerWidth].join(" ");
		</script>
	END
	for page in measured report; do
		timeout 60 chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --proxy-server=127.0.0.1:9 \
			--user-data-dir="$PWD/profile" --enable-logging=stderr --window-size=1100,1000 --dump-dom "file://$PWD/page/$page.html" >$page.dom 2>log
		run ! grep CONSOLE log
	done
	assert_equal "$(grep -o '<title>[0-9][^<]*' measured.dom)" "<title>0 3 3 true"
}

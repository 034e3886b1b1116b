load helper

make_in_tree() {
	make -C "$TOP" --no-print-directory O="$BUILD" PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root" "$@" >log 2>&1
}

installed() {
	find root ! -type d | sort
}

@test "what is installed works from its new place" {
	make_in_tree install
	for program in root/usr/bin/*; do
		run -0 "$program" --help
	done
	printf 'sample ts=%d chart=x value=1\n' 1 2 3 >samples
	run -0 env PATH="$PWD/root/usr/bin:/usr/bin:/bin" bash -c 'cchart-filter -c block samples 2>/dev/null | report'
	assert_output --partial "3 values, too few to judge any"
}

@test "every command has its man page and its completion" {
	make_in_tree install
	for program in root/usr/bin/*; do
		assert [ -s "root/usr/share/man/man1/$(basename "$program").1" ]
		assert [ -s "root/usr/share/bash-completion/completions/$(basename "$program")" ]
	done
}

@test "uninstall removes just what install brought" {
	mkdir -p root/usr/bin root/usr/share/man/man1
	touch root/usr/bin/other root/usr/share/man/man1/other.1
	installed >before
	make_in_tree install
	make_in_tree uninstall
	installed >after
	diff before after
}

@test "program_prefix renames every command, its page and its completion" {
	make_in_tree install program_prefix=tb-
	run -0 root/usr/bin/tb-report --version
	assert_output --partial "tb-report"
	refute [ -e root/usr/bin/report ]
	assert [ -s root/usr/share/man/man1/tb-report.1 ]
	run -0 bash -c '. root/usr/share/bash-completion/completions/tb-report; complete -p tb-report'
	PATH=$PWD/root/usr/bin:$PATH
	run -0 bash -c 'tb-cchart-filter -c block "$0" 2>/dev/null | tb-report' "$TOP/testdata/filter/slow-read.txt"
	assert_output --partial "313 events read"
	make_in_tree uninstall program_prefix=tb-
	assert_equal "$(installed)" ""
}

@test "the services are right, and name what is installed" {
	make_in_tree install program_prefix=tb- PREFIX="$PWD/there" DESTDIR=
	for service in tailblame-hours run-edge; do
		file=$PWD/there/lib/systemd/system/tb-$service.service
		run -0 sed -n 's/^Exec[A-Za-z]*=\([^ ]*\).*/\1/p' "$file"
		assert_line --index 0 "$PWD/there/bin/tb-$service"
		for program in $output; do assert [ -x "$program" ]; done
		while read -r program options; do # and the options that the file gives, or proposes, are ones of it
			for option in $options; do
				[[ $option == --* ]] || continue
				"$program" --help | grep -q -e "^ .*${option%%=*}\(=\|  \)"
			done
		done < <(sed -n "s/^# OPTIONS=/$(printf '%s' "$PWD/there/bin/tb-$service" | sed 's:/:\\/:g') /p; s/^Exec[A-Za-z]*=//p" "$file")
		command -v systemd-analyze >/dev/null || continue
		run -0 systemd-analyze verify --man=no "$file"
		assert_output ""
	done
}

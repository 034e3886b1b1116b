#!/bin/sh
# kernelshark.sh DIR: DIR/kshark, which reads with KernelShark's own library, for tests/viewers.bats. The library comes out of
# its Debian package, which is not installed, for that asks for all of Qt.
# Once it is there it does nothing. Where it cannot be had, it says why in a line and ends with 1.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=$1/kernelshark
[ ! -e "$dir/complete" ] || exit 0
command -v apt-get >/dev/null || { echo "needs apt-get"; exit 1; }
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
timeout 60 apt-get -qq download libkshark2 libkshark-dev libjson-c5 libjson-c-dev >log 2>&1 || { echo "needs Debian's packages: $(tail -n 1 log)"; exit 1; }
for package in *.deb; do
	dpkg -x "$package" .
done
rm ./*.deb
libraries=$PWD/$(dirname usr/lib/*/libkshark.so.2)
# shellcheck disable=SC2046 # a list of words
${CC:-cc} -w -isystem usr/include -isystem usr/include/kernelshark $(pkg-config --cflags libtracecmd) -o kshark "$here/kshark.c" \
	-L"$libraries" -lkshark -Wl,--disable-new-dtags,-rpath,"$libraries",--allow-shlib-undefined >log 2>&1 ||
	{ echo "its library cannot be linked with: $(head -n 1 log)"; exit 1; }
touch complete

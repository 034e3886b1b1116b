#!/usr/bin/env python3
"""Other names for the threads of text streams, and outputs with them as they would be with the first ones.

rename.py rename plain|SHIFT FILE...   the streams, each thread of which has a name of two letters (plain), with trouble behind them
rename.py restore FORMAT plain|SHIFT   an output of that format (records, text, json, html, folded, csv), without the trouble
"""

import csv
import io
import json
import re
import sys

# What programs that take words apart again would trip over. Names are cut at 15 bytes, perhaps within a character.
TROUBLE = [
    b" in queue", b" of a", b": running", b"/KVM", b'"', b"\xc3", b"\\", b"\n", b"\x1b[m", b";", b",x", b"=y", b"%s%n", b"<b>&amp;",
    b"*", b": on CPU 1", b" was runnable", b"\xc3\xa9", b" by b", b": work on q", b"\xe2\x80\xae", b"'", b"$(id)", b"{^_}", b"@", b"\t",
    b" while c", b"|", b"\xff\xfe", b"\x7f",
]
KEYS = {b"comm", b"prev_comm", b"next_comm", b"oldcomm", b"newcomm"}
FIELD = re.compile(rb'([A-Za-z0-9_.-]+)=("(?:[^"\\]|\\.)*"|[^ \n]*)')


def decode(value):
    if not value.startswith(b'"'):
        return value
    escape = {b"n": b"\n", b"t": b"\t"}
    return re.sub(rb"\\(x[0-9a-fA-F]{2}|.)",
                  lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) == 3 else escape.get(m[1], m[1]), value[1:-1], flags=re.S)


def encode(value):
    return b'"' + b"".join(bytes([c]) if 0x20 <= c < 0x7f and c not in b'"\\' else b"\\x%02x" % c for c in value) + b'"'


def plain(index):
    return b"q" + bytes([ord("a") + index // 26, ord("a") + index % 26])


def troubled(index, shift):
    return (plain(index) + TROUBLE[(index + shift) % len(TROUBLE)])[:15]


def rename(how, files):
    names = {}

    def field(match):
        value = decode(match[2])
        # names of the kernel's own threads say what they do
        if match[1] not in KEYS or b"/" in value or value == b"swapper":
            return match[0]
        index = names.setdefault(value, len(names))
        return match[1] + b"=" + encode(plain(index) if how == "plain" else troubled(index, int(how)))

    for file in files:
        for line in open(file, "rb"):
            sys.stdout.buffer.write(line if line.startswith(b"#") else FIELD.sub(field, line))


def clean(name):
    """As lib/base/clean.h has it."""
    out, i = "", 0
    while i < len(name):
        for length in (1, 2, 3, 4):
            try:
                char = name[i:i + length].decode()
            except UnicodeDecodeError:
                continue
            break
        else:
            char = ""
        code = ord(char) if len(char) == 1 else 0
        shows = code >= 0x20 and not 0x7f <= code < 0xa0 and not 0x202a <= code <= 0x202e
        out += char if shows else "\\x%02x" % name[i]
        i += length if shows else 1
    return out


def in_table(name):
    """As it stands in a cell: all but bytes that are no UTF-8, and control characters."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", lambda m: "\\x%02x" % ord(m[0]), name.decode(errors="backslashreplace"))


def shown(name, form):
    text = clean(name)
    if form == "html":
        for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
            text = text.replace(char, entity)
    if form == "folded":
        text = text.replace(";", ":")
    return text


def restore(form, shift):
    data = sys.stdin.buffer.read()
    names = [] if shift == "plain" else [(troubled(i, int(shift)), plain(i)) for i in range(26 * 26)]
    if form == "records":
        for line in data.splitlines():
            fields = []
            for key, value in FIELD.findall(line):
                value = decode(value)
                for name, simple in names:
                    value = value.replace(name, simple)
                fields.append(key + b"=" + value)
            print(line.split(b" ")[0].decode(), b" ".join(fields))
        return
    text = data.decode()
    if form == "csv":
        for row in csv.reader(io.StringIO(text, newline="")):
            cells = "\x1f".join(row)
            for name, simple in names:
                cells = cells.replace(in_table(name), simple.decode())
            print(cells)
        return
    if form == "json":
        text = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
        names = [(json.dumps(clean(name), ensure_ascii=False)[1:-1], simple) for name, simple in names]
    else:
        names = [(shown(name, form), simple) for name, simple in names]
    text = re.sub(r"<svg.*?</svg>", "", text, flags=re.S)
    for name, simple in names:
        text = text.replace(name, simple.decode())
    sys.stdout.write(text)


if sys.argv[1] == "rename":
    rename(sys.argv[2], sys.argv[3:])
else:
    restore(sys.argv[2], sys.argv[3])

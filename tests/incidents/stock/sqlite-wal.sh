#!/usr/bin/env bash
# The same where the database has a log (WAL): first one byte of the file is tried to lock, later another.
# Expected: timer: clock_nanosleep of sleep
journal=WAL
# shellcheck source=tests/incidents/stock/sqlite-lock.sh
. "${0%/*}/sqlite-lock.sh"

"""nightly.py FILE SECONDS: takes the lock of a file, and keeps it for so long."""
import fcntl
import sys
import time

with open(sys.argv[1], "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    time.sleep(float(sys.argv[2]))

"""Publishers and subscribers of a cluster, each a process of its own, which log what they did.

    publishers.py LOG COUNT PORT...

When all are connected, it makes the file LOG.ready, and waits for LOG.go. Two subscribers at each port, one of them by a pattern; two publishers at the first port and one at the second, who send in batches of 1 to 16. Numbers
tell messages apart, and so do their lengths, which are of 1,000 kinds. Lines of the log: "pub PID NUMBER BYTES", in the order of the process;
"sub PID NUMBER BEFORE AFTER BYTES": the call that received its last byte came back between these times (CLOCK_MONOTONIC).
"""
import os, random, socket, sys, time

path, count, ports = sys.argv[1], int(sys.argv[2]), [int(port) for port in sys.argv[3:]]
publishers = [ports[0], ports[0], ports[1]]
ready, go = os.pipe(), os.pipe()

def request(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

def payload(number):
    return b"%d:" % number + b"x" * (number * 37 % 1000)

def frames(data):
    """The whole frames at the beginning, each as its words, and how many bytes they are."""
    at, found = 0, []
    while True:
        words, place = [], at
        end = data.find(b"\r\n", place)
        if end < 0:
            return found, at
        left, place = int(data[place + 1:end]), end + 2
        while left:
            end = data.find(b"\r\n", place)
            if end < 0:
                return found, at
            if data[place:place + 1] == b":":
                words.append(data[place + 1:end])
                place = end + 2
            else:
                length = int(data[place + 1:end])
                if len(data) < end + 4 + length:
                    return found, at
                words.append(data[end + 2:end + 2 + length])
                place = end + 4 + length
            left -= 1
        found.append((words, place - at))
        at = place

def subscribe(port, word):
    end, data, lines, seen = socket.create_connection(("127.0.0.1", port)), b"", [], 0
    end.sendall(request(word, b"ch*" if word == b"PSUBSCRIBE" else b"chan"))
    while seen < count * len(publishers):
        before = time.monotonic()
        got = end.recv(65536)
        after = time.monotonic()
        if not got:
            sys.exit("the server closed the connection of a subscriber")
        data += got
        found, used = frames(data)
        data = data[used:]
        for words, length in found:
            if b"subscribe" in words[0]:
                os.write(ready[1], b".")
                continue
            lines.append("sub %d %s %.9f %.9f %d" % (os.getpid(), words[-1].split(b":")[0].decode(), before, after, length))
            seen += 1
    return lines

def publish(port, first):
    end, lines, number = socket.create_connection(("127.0.0.1", port)), [], first
    answers = end.makefile("rb")
    chance = random.Random(first)
    os.write(ready[1], b".")
    os.read(go[0], 1)
    end.sendall(request(b"PING")) # of a connection that is older than a trace, requests count from the first answer on
    answers.readline()
    while number < first + count:
        batch = [payload(n) for n in range(number, min(number + chance.randrange(1, 17), first + count))]
        end.sendall(b"".join(request(b"PUBLISH", b"chan", text) for text in batch))
        for text in batch:
            lines.append("pub %d %d %d" % (os.getpid(), number, len(text)))
            number += 1
            answers.readline()
        time.sleep(0.0005)
    return lines

def start(work, *arguments):
    pid = os.fork()
    if pid == 0:
        lines = work(*arguments)
        with open("%s.%d" % (path, os.getpid()), "w") as log:
            log.write("\n".join(lines) + "\n")
        os._exit(0)
    return pid

children = [start(subscribe, port, word) for port in ports for word in (b"SUBSCRIBE", b"PSUBSCRIBE")]
children += [start(publish, port, 100000 * (n + 1)) for n, port in enumerate(publishers)]
for _ in children:
    os.read(ready[0], 1)
open(path + ".ready", "w").close()
while not os.path.exists(path + ".go"):
    time.sleep(0.02)
os.write(go[1], b"." * len(publishers))
for pid in children:
    os.waitpid(pid, 0)
with open(path, "w") as log:
    for pid in children:
        with open("%s.%d" % (path, pid)) as one:
            log.write(one.read())

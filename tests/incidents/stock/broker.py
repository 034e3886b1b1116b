"""broker.py worker REDIS: does jobs that come by a list of redis. broker.py front REDIS SOCKET: puts them there."""
import socket
import sys
import time


class Redis:
    def __init__(self, path):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self.file = connection.makefile("rw", newline="\r\n")

    def answer(self):
        line = self.file.readline().strip()
        if line[0] == "*":
            return [self.answer() for _ in range(int(line[1:]))]
        return self.file.readline().strip() if line[0] == "$" else line

    def ask(self, command):
        self.file.write(command + "\r\n")
        self.file.flush()
        return self.answer()


def name(text):
    with open("/proc/self/comm", "w") as file:
        file.write(text)


def work(redis):
    name("worker")
    while True:
        job = redis.ask("BRPOP jobs 0")[1]
        end = time.thread_time() + (0.15 if job == "slow" else 0.0003)
        while time.thread_time() < end:
            pass
        redis.ask("LPUSH results done")


def front(redis, path):
    name("front")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(1)
    connection, _ = listener.accept()
    file = connection.makefile("rw")
    for line in file:
        redis.ask("LPUSH jobs " + line.strip())
        redis.ask("BRPOP results 0")
        file.write("ok\n")
        file.flush()


if sys.argv[1] == "worker":
    work(Redis(sys.argv[2]))
else:
    front(Redis(sys.argv[2]), sys.argv[3])

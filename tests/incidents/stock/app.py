"""A small threaded server for the scripts beside it: app.py SOCKET|PORT [SOCKET|PORT of redis]. A line, or the path of an HTTP
request, is a job; with redis, a healthy one asks that."""
import os
import socket
import sys
import threading
import time


def name(text):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as file:
        file.write(text)


def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def crunch():
    """One call of C that keeps the interpreter's lock."""
    return sum(range(20_000_000))


def family(address):
    return socket.AF_INET if address.isdigit() else socket.AF_UNIX


def place(address):
    return ("127.0.0.1", int(address)) if address.isdigit() else address


def redis(connection):
    connection.sendall(b"INCR visits\r\n")
    connection.recv(100)


class Service:
    def __init__(self, arguments):
        self.redis = None
        if arguments:
            self.redis = arguments[0]

    def do(self, job, connection):
        if job.startswith("name-"):
            name(job[5:])
        elif job == "slow":
            compute(0.15)
        elif self.redis:
            redis(connection)
        else:
            compute(0.0003)

    def serve(self, connection):
        lines = connection.makefile("r")
        behind = None
        if self.redis:
            behind = socket.socket(family(self.redis))
            behind.connect(place(self.redis))
        for line in lines:
            words = line.split()
            if words[:1] == ["GET"]:
                while lines.readline().strip():
                    pass
                self.do(words[1].strip("/"), behind)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")
            elif words == ["crunch"]:
                connection.sendall(b"ok\n")
                crunch()
            else:
                self.do(words[0], behind)
                connection.sendall(b"ok\n")


def main():
    service = Service(sys.argv[2:])
    address = sys.argv[1]
    listener = socket.socket(family(address))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(place(address))
    if not address.isdigit():
        os.chmod(address, 0o777)
    listener.listen(16)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=service.serve, args=(connection,), daemon=True).start()


main()

"""Services in a row: 20 clients at a time ask a threaded Python program, which asks a Node program, and Redis. What each thread asks for, it
logs before: TID ID.

    services.py LOG NODE_PORT REDIS_PORT ROUNDS
"""
import os, socket, sys, threading, time

path, node, redis, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
log, lock = open(path, "w"), threading.Lock()

class Call:
    def __init__(self, port):
        self.end = socket.create_connection(("127.0.0.1", port))
        self.file = self.end.makefile("rb")

    def ask(self, id, text):
        with lock:
            print(threading.get_native_id(), id, file=log, flush=True)
        self.end.sendall(text)
        line = self.file.readline()
        if line.startswith(b"$") and line != b"$-1\r\n":
            self.file.readline()
        return line

def serve(listener):
    def one(end):
        first, second = Call(node), Call(redis)
        for line in end.makefile("rb"):
            id = line.split()[1].decode()
            first.ask(id, b"ask " + id.encode() + b"\n")
            second.ask(id, b"GET " + id.encode() + b"\r\n")
            end.sendall(b"done\n")
    while True:
        threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()

listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener,), daemon=True).start()

def client(n):
    call = Call(listener.getsockname()[1])
    time.sleep(0.3)
    for i in range(rounds):
        call.ask("%d.%d" % (n, i), b"do %d.%d\n" % (n, i))

clients = [threading.Thread(target=client, args=(n,)) for n in range(20)]
for one in clients: one.start()
for one in clients: one.join()
os._exit(0)

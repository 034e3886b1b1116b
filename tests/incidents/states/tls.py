"""Clients of a server that has TLS and threads for reading: many that keep its threads at work, and some that send large SETs, of which TLS has more
at hand than the server asked for, and then break off. Prints how many did.

    tls.py PORT SECONDS
"""
import os, random, socket, ssl, struct, sys, threading, time

port, until = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

def connect():
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port)))

def busy(_):
    end = connect()
    ask = b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\nval\r\n" * 50
    while time.monotonic() < until:
        end.sendall(ask)
        left = 50 * 5
        while left > 0:
            data = end.recv(65536)
            if not data:
                return
            left -= len(data)

def breaking(seed):
    chance, count = random.Random(seed), 0
    while time.monotonic() < until:
        size = chance.randrange(33000, 400000)
        one = b"*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$%d\r\n" % size + b"x" * size + b"\r\n"
        try:
            end = connect()
            data = one * 3
            place, stop = 0, chance.randrange(len(one), len(data))
            while place < stop:
                step = chance.randrange(1000, 60000)
                end.sendall(data[place:min(place + step, stop)])
                place += step
            if chance.random() < 0.5:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()
            count += 1
        except OSError:
            if time.monotonic() < until:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                except OSError:
                    break # the server is gone
    return count

def process(work, seed):
    ends = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            count = work(seed) or 0
        except Exception:
            count = 0
        os.write(ends[1], struct.pack("i", count))
        os._exit(0)
    os.close(ends[1])
    return pid, ends[0]

def many(seed):
    threads = [threading.Thread(target=busy, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

children = [process(many, n) for n in range(1)] + [process(breaking, n) for n in range(8)]
total = 0
for pid, end in children:
    data = os.read(end, 4)
    total += struct.unpack("i", data)[0] if len(data) == 4 else 0
    os.waitpid(pid, 0)
print(total, "clients broke off")

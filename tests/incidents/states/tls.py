"""Clients of a server that has TLS: each sends some large SETs, of which TLS has more at hand than the server asked for, and breaks off within one.
Prints how many did, when the time is over or the server gone.

    tls.py PORT SECONDS
"""
import random, socket, ssl, struct, sys, threading, time

port, until = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
broke = []

def one(chance):
    with context.wrap_socket(socket.create_connection(("127.0.0.1", port))) as end:
        end.settimeout(3)
        sizes = [chance.randrange(33000, 120000) for _ in range(chance.randrange(1, 8))]
        data = b"".join(b"*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$%d\r\n" % size + b"x" * size + b"\r\n" for size in sizes)
        end.sendall(data[:chance.randrange(len(data) // 2, len(data))])
        time.sleep(chance.random() * 0.01)
        if chance.random() < 0.5: # with a reset
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    broke.append(1)

def client(seed):
    chance = random.Random(seed)
    while time.monotonic() < until:
        try:
            one(chance)
        except ConnectionRefusedError:
            return
        except OSError:
            pass # slow, or it goes down at this moment

clients = [threading.Thread(target=client, args=(seed,)) for seed in range(6)]
for each in clients:
    each.start()
for each in clients:
    each.join()
print(len(broke), "clients broke off")

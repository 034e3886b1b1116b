"""poller.py SOCKET: a server whose main thread polls all connections and hands jobs on to threads."""
import queue
import select
import socket
import sys
import threading
import time

jobs = queue.SimpleQueue()


def work():
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as file:
        file.write("pooled")
    while True:
        connection, request = jobs.get()
        end = time.thread_time() + (0.15 if request.startswith(b"GET /slow") else 0.0003)
        while time.thread_time() < end:
            pass
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")


for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(16)
poller = select.epoll()
poller.register(listener, select.EPOLLIN)
connections = {}
while True:
    for number, _ in poller.poll():
        if number == listener.fileno():
            new, _ = listener.accept()
            connections[new.fileno()] = new
            poller.register(new, select.EPOLLIN)
            continue
        text = connections[number].recv(1000)
        if text:
            jobs.put((connections[number], text))
        else:
            poller.unregister(number)
            connections.pop(number).close()

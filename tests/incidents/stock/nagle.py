"""nagle.py serve FILE: answers messages that end with a dot; nagle.py ask FILE: sends them in one or two pieces."""
import os
import socket
import sys

if sys.argv[1] == "serve":
    server = socket.create_server(("127.0.0.1", 0))
    with open(sys.argv[2] + ".new", "w") as file:
        file.write(str(server.getsockname()[1]))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    connection, _ = server.accept()
    message = b""
    while True:
        message += connection.recv(1000)
        if message.endswith(b"."):
            connection.sendall(b"ok")
            message = b""
else:
    connection = socket.create_connection(("127.0.0.1", int(open(sys.argv[2]).read())))
    for line in sys.stdin:
        if line == "two\n":
            connection.sendall(b"head")
        connection.sendall(b"tail.")
        connection.recv(100)
        print("ok", flush=True)

"""A name server on 127.0.0.1 that answers every question for an address but the first about each name that begins with slow."""
import socket

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
silent = True
while True:
    query, client = server.recvfrom(512)
    if query[13:17] == b"slow":
        silent = not silent
        if not silent:
            continue
    question = query[12:query.index(b"\0", 12) + 5]
    answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1"
    server.sendto(query[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + question + answer, client)

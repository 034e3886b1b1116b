"""loop.py SOCKET: a server of asyncio, one of whose jobs sleeps without letting the others go on."""
import asyncio
import sys
import time


async def serve(reader, writer):
    while job := (await reader.readline()).strip():
        if job == b"block":
            writer.write(b"ok\n")
            await writer.drain()
            time.sleep(0.15)
        else:
            await asyncio.sleep(0.0005)
            writer.write(b"ok\n")


async def tick():
    while True:
        await asyncio.sleep(0.01)


async def main():
    ticking = asyncio.create_task(tick())
    server = await asyncio.start_unix_server(serve, sys.argv[1])
    await server.serve_forever()
    await ticking


asyncio.run(main())

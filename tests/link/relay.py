#!/usr/bin/env python3
"""relay.py ADDRESS:PORT TARGET:PORT: passes TCP connections on, until it is ended.

WHIP without TLS is spoken over loopback only, so a run carries it across its link as a tunnel would:
one relay from the vehicle's loopback onto the link, one from the link to the station's loopback.
"""
import asyncio
import sys


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


async def main(listen, target):
    async def serve(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(*target.rsplit(":", 1))
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        far_writer.close()
        writer.close()

    address, port = listen.rsplit(":", 1)
    server = await asyncio.start_server(serve, address, int(port))
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

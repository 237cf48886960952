"""What goes wrong on a server while visitors come and go (`scripts.load --faults`): dropped connections and a full disk."""

import asyncio
import secrets
import socket
import struct
from collections import Counter
from contextlib import suppress

from scripts.visitors import API, Tally

FULL_FOR, FULL_EVERY, SMALL = 5, 60, 4096  # seconds, seconds, bytes that a file may have meanwhile
LATE = 5  # seconds after it in which an answer may still say so
PAUSE = 0.5  # seconds between two connections that are dropped
HALVES = (
    f"POST {API}/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
    "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n",
    f'POST {API}/queue/join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{{"data": [',
    f"GET {API}/queue/data?session_hash={{session}} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)


async def drop_requests(port: int, counts: Counter[str]) -> None:
    """Half of a request, or one whose answer nobody reads, then a reset: again and again."""
    while True:
        for half in HALVES:
            await asyncio.sleep(PAUSE)
            with suppress(OSError):
                _, out = await asyncio.open_connection("127.0.0.1", port)
                out.write(half.replace("{session}", secrets.token_hex(6)).encode())
                await out.drain()
                await asyncio.sleep(PAUSE)
                out.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                out.transport.abort()
                counts["dropped"] += 1


async def fill_disk(process: int, tally: Tally, counts: Counter[str]) -> None:
    """Now and then the server may write no file of more than SMALL bytes, as on a full disk; what fails meanwhile is refused, not lost."""
    import resource  # Linux

    while True:
        await asyncio.sleep(FULL_EVERY)
        limit = resource.prlimit(process, resource.RLIMIT_FSIZE)
        tally.refusing = True
        try:
            resource.prlimit(process, resource.RLIMIT_FSIZE, (SMALL, limit[1]))
            await asyncio.sleep(FULL_FOR)
        finally:
            resource.prlimit(process, resource.RLIMIT_FSIZE, limit)
        counts["full"] += 1
        await asyncio.sleep(LATE)
        tally.refusing = False

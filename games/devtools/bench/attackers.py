"""An attacking client, with an address of its own, that runs until it is told to stop.

Run as a program, ``attackers.py KIND PORT KEY``; at the end it prints how many attacks it made. It has no dependencies,
so that it takes no processor time from the site.
"""

import itertools
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

#: An address on this machine that differs from the players'.
ADDRESS = "127.0.0.66"
#: Masked frames as browsers send them: a ping, and a text.
PING, TEXT = b"\x89\x80\0\0\0\0", b"\x81\x82\0\0\0\0{}"
#: Frames sent at once.
BLOCK = 5_000
HALF_OPEN, READERS = 3_000, 8
PATIENCE = 5.0


class Attacker:
    """What an attack needs: the site's address, and a match that strangers may watch."""

    def __init__(self, port: int, key: str) -> None:
        self.done = 0
        self._port, self._key = port, key

    def _connect(self) -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self._port), PATIENCE, source_address=(ADDRESS, 0))
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return line

    def _request(self, path: str, more: str = "Connection: close\r\n") -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{more}\r\n".encode()

    def _send_frames(self, frame: bytes) -> None:
        """Send the same message endlessly over a socket at a table; open a new one when it is closed."""
        upgrade = (
            f"Origin: http://127.0.0.1:{self._port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        )
        with self._connect() as line:
            line.sendall(self._request(f"/ws/match/{self._key}/", upgrade))
            if b" 101 " not in line.recv(4096):
                time.sleep(0.01)
                return
            while True:
                line.sendall(frame * BLOCK)
                self.done += BLOCK

    def frames(self) -> None:
        """Send messages as fast as possible."""
        self._send_frames(TEXT)

    def pings(self) -> None:
        """Send WebSocket pings as fast as possible."""
        self._send_frames(PING)

    def half_open(self) -> None:
        """Send thousands of requests, each of which gets one more byte per second and never ends."""
        lines: list[socket.socket] = []
        for second in itertools.count(1):
            end = time.monotonic() + 1
            lines = [line for line in lines if _is_fed(line)]
            self.done = max(self.done, len(lines))
            while len(lines) < HALF_OPEN and time.monotonic() < end:
                line = self._connect()
                line.sendall(self._request("/", "")[:-2])
                lines.append(line)
            time.sleep(max(0.0, end - time.monotonic()))
            self.done = max(self.done, len(lines) if second > 1 else 0)

    def reads(self) -> None:
        """Read a match's state, one reader of several."""
        with self._connect() as line:
            line.sendall(self._request(f"/match/{self._key}/state/"))
            while line.recv(65536):
                pass
        self.done += 1

    def comes_and_goes(self) -> None:
        """Open connections and close them before sending a request."""
        self._connect().close()
        self.done += 1


def _is_fed(line: socket.socket) -> bool:
    """Send one more byte; returns whether the connection accepted it."""
    try:
        line.sendall(b"x")
    except OSError:  # the site has closed it, as it should
        line.close()
        return False
    return True


KINDS: dict[str, Callable[[Attacker], None]] = {
    "messages": Attacker.frames,
    "pings": Attacker.pings,
    "half-open requests": Attacker.half_open,
    "readers": Attacker.reads,
    "connections": Attacker.comes_and_goes,
}


def _go_on(kind: str, attacker: Attacker) -> None:
    while True:
        try:
            KINDS[kind](attacker)
        except OSError:  # the site has closed it, or accepts no more
            time.sleep(0.001)


def _attacks(kind: str, port: int, key: str) -> Iterator[Attacker]:
    for _thread in range(READERS if kind == "readers" else 1):
        attacker = Attacker(port, key)
        threading.Thread(target=_go_on, args=(kind, attacker), daemon=True).start()
        yield attacker


if __name__ == "__main__":
    os.setpriority(os.PRIO_PROCESS, 0, 5)  # the measuring process has priority
    # Wait, so that the process doesn't end before it has printed its result.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    attacking = list(_attacks(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
    signal.sigwait({signal.SIGTERM})
    sys.stdout.write(json.dumps(sum(attacker.done for attacker in attacking)))
    sys.stdout.flush()
    # Its threads are in the middle of endless attacks.
    os._exit(0)

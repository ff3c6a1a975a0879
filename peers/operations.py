"""Tries a toolkit at both ends of the operations of metro-2007 or of those on arrays: with itself in every mode."""

import os
import struct

from peer import Failure, Peer

OPERATIONS = ("echoVoid 0", "echoInt 0", "echoString 0", "echoStruct 0", "echoSynthetic 4096",
              "echoArray 40", "getOrder 10")
ARRAYS = ("echoVoid 0", "echoDoubles 100", "echoInts 100", "echoStrings 100", "receiveDoubles 100",
          "receiveInts 100", "sendBytes 1000", "sendStrings 100")
THREADS = 3


def check(name, path, directory):
    """Runs a toolkit through everything; returns its version and modes, Failure says what is wrong."""
    with Peer(path) as peer:
        version, modes = peer.expect("hello", "hello", name)
        for line in ("frobnicate", "call echoVoid 0 1 x", "serve no-such-mode 1", "connect"):
            peer.expect_error(line)
        peer.stop()
    for mode in modes.split(","):
        check_pair(path, path, mode, ARRAYS if name.endswith("-arrays") else OPERATIONS, directory)
    return f"{version}  {modes}"


def check_pair(server_path, client_path, mode, operations, directory):
    """Every operation, rightly answered; and wrongly, which the client must see."""
    times = os.path.join(directory, "times")
    with Peer(server_path) as server, Peer(server_path) as wrong, Peer(client_path) as client:
        port, = server.expect(f"serve {mode} {THREADS + 1}", "serving")
        client.expect(f"connect {mode} {port} {THREADS}", "connected", str(THREADS))
        for operation in operations:
            count, spent = client.expect(f"call {operation} 1 {times}", "called")
            with open(times, "rb") as file:
                told = file.read()
            if int(count) < THREADS or len(told) != 8 * int(count):
                raise Failure(f"{mode}: {count} calls of {operation}, {len(told)} bytes of times")
            longest = max(struct.unpack(f"<{int(count)}Q", told))
            if longest > int(spent):
                raise Failure(f"{mode}: {operation} took {longest} ns of {spent}")
        client.expect_error(f"call noSuchOperation 0 1 {times}")
        port, = wrong.expect(f"serve {mode} {THREADS} wrong", "serving")
        client.expect(f"connect {mode} {port} 1", "connected", "1")
        for operation in operations[1:]:
            client.expect_error(f"call {operation} 1 {times}")
        for peer in (server, wrong, client):
            peer.stop()

"""Tries a peer's network verbs: two processes of it with each other, and each with a stranger."""

import contextlib
import os
import random
import re
import socket
import struct
import threading
import time

import corpus
from peer import ANSWER_SECONDS, Failure, Peer, expect_messages

ROUNDS = 700
WAITS = ("blocking", "spinning")


def speaks(path):
    """Whether the peer knows the network verbs at all."""
    with Peer(path) as peer:
        return peer.ask("listen")[0] == "listening"


def check(path, form, corpora, directory, schema):
    """Runs the verbs in one format; Failure says what is wrong."""
    messages, encoded = corpora["mixed"], corpora[form, "mixed"]
    file = os.path.join(directory, "corpus")
    corpus.write(file, encoded)
    with Peer(path) as server, Peer(path) as client:
        server.expect_error("drain blocking bytes")
        for peer in (server, client):
            peer.expect(f"load {form} {file}", "loaded", str(len(messages)))
        server.expect_error("drain blocking bytes")
        port = int(server.expect("listen", "listening")[0])
        check_words(server, directory)
        encodes = client.ask("run encode 1")[0] != "error"
        if encodes:
            check_pair(server, client, port, directory)
            check_slow(server, client, port)
            check_replies(server, port, directory, schema, form, messages, encoded)
            check_poured(client, schema, form, messages)
            check_bad_servers(client, form, directory, encoded)
        else:
            for line in (f"reply blocking {file}", f"call 127.0.0.1:{port} blocking 1 {file}",
                         f"pour 127.0.0.1:{port} 1 encoded"):
                server.expect_error(line)
        check_drained(server, port, form, encoded)
        check_bad_clients(server, port, form, directory, encoded, encodes)
        # Whatever went wrong, the peers still work, and at the same port.
        check_drained(server, port, form, encoded)
        if encodes:
            check_pair(server, client, port, directory)
        again = int(server.expect("listen", "listening")[0])
        check_drained(server, again, form, encoded)
        client.expect_error(f"pour 127.0.0.1:{port} 1 structures")
        server.stop()
        client.stop()


def check_words(peer, directory):
    """Wrong requests are refused before anything waits."""
    file = os.path.join(directory, "times")
    for line in ("reply", "reply blocking", f"reply sometimes {file}",
                 f"reply blocking {os.path.join(directory, 'no such folder', 'times')}",
                 f"call 127.0.0.1 blocking 1 {file}", f"call 127.0.0.1:0 blocking 1 {file}",
                 f"call nowhere:1 blocking 1 {file}", f"call 127.0.0.1:1 blocking 0 {file}",
                 "drain", "drain blocking", "drain blocking everything",
                 "drain blocking bytes slow 1.8", "drain blocking structures slow",
                 "drain blocking structures slow 0.5", "drain blocking structures slow 1.8 9",
                 "drain blocking structures fast 1.8", "pour 127.0.0.1:1 1 bytes",
                 "pour 127.0.0.1:1 none encoded", "pour 127.0.0.1:1 1 encoded slow 1.8",
                 "pour 127.0.0.1:1 1 structures slow x"):
        peer.expect_error(line)


def check_pair(server, client, port, directory):
    """Two processes of the same peer."""
    replied = os.path.join(directory, "replied times")
    called = os.path.join(directory, "called times")
    for wait in WAITS:
        reply = f"reply {wait} {replied}"
        server.send(reply)
        client.expect(f"call 127.0.0.1:{port} {wait} {ROUNDS} {called}", "called", str(ROUNDS))
        server.expect_answer(reply, "replied", str(ROUNDS))
        check_times(replied, 2 * ROUNDS)
        check_times(called, 3 * ROUNDS)
        for work, source in (("structures", "structures"), ("bytes", "encoded")):
            drain = f"drain {wait} {work}"
            server.send(drain)
            pour = f"pour 127.0.0.1:{port} {ROUNDS} {source}"
            check_span(pour, client.expect(pour, "poured"), ROUNDS)
            check_span(drain, server.expect_answer(drain, "drained"), ROUNDS)


def check_slow(server, client, port):
    """A side that is slower takes more of its processor for the same messages."""

    def flow(receiver, sender):
        drain = f"drain blocking structures{receiver}"
        pour = f"pour 127.0.0.1:{port} {ROUNDS} structures{sender}"
        server.send(drain)
        sent = check_span(pour, client.expect(pour, "poured"), ROUNDS)
        return check_span(drain, server.expect_answer(drain, "drained"), ROUNDS), sent

    received, sent = flow("", "")
    # Twenty times as much is far from what a busy machine adds.
    slow = " slow 20"
    if flow(slow, "")[0] < 5 * received or flow("", slow)[1] < 5 * sent:
        raise Failure("a slow side takes no more of its processor")


def check_times(path, count):
    with open(path, "rb") as file:
        times = [spent for spent, in struct.iter_unpack("<Q", file.read())]
    if len(times) != count or not all(0 < spent < ANSWER_SECONDS * 10**9 for spent in times):
        raise Failure(f"{os.path.basename(path)}: not {count} times but {times}")


def check_span(line, answer, count):
    """The processor's time in an answer that is believed."""
    counted, wall, cpu = (int(figure) for figure in answer[0].split(","))
    # The two clocks are not read at the same moment.
    if counted != count or wall <= 0 or cpu <= 0 or cpu > wall + 10**6:
        raise Failure(f"answered {answer[0]} to: {line}")
    return cpu


def framed(form, message):
    return struct.pack("<I", len(message)) + message if form.startswith("cdr") else message


def split(form, data):
    """The messages of a connection; the last one is whatever is left over."""
    messages = []
    while data:
        start, end = 0, len(data)
        if form.startswith("soap"):
            tail = re.search(rb"</(?:[^<>/]*:)?Envelope>\s*", data)
            end = tail.end() if tail else end
        elif form == "fix":
            head = re.match(rb"8=[^\x01]*\x019=(\d+)\x01", data)
            end = head.end() + int(head[1]) + len(b"10=000\x01") if head else end
        else:
            start, end = 4, 4 + struct.unpack_from("<I", data)[0]
        messages.append(data[start:end])
        data = data[end:]
    return messages


@contextlib.contextmanager
def connected(port):
    with socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def send_in_pieces(connection, data):
    """Sends pieces that end anywhere, from single bytes to many messages."""
    dice = random.Random(1066)
    at, slow = 0, len(data) - 20
    while at < slow:
        size = min(dice.choice((1, 2, 40, 3000, 100000)), slow - at)
        connection.sendall(data[at:at + size])
        at += size
    # The pause lets the peer see each of the last bytes by itself.
    for byte in data[slow:]:
        time.sleep(0.001)
        connection.sendall(bytes([byte]))
    connection.shutdown(socket.SHUT_WR)


def receive_all(connection):
    return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def check_replies(server, port, directory, schema, form, messages, encoded):
    """A stranger's messages come back whole, in order and with the same content."""
    times = os.path.join(directory, "replied times")
    data = b"".join(framed(form, message) for message in encoded)
    for wait in WAITS:
        line = f"reply {wait} {times}"
        server.send(line)
        with connected(port) as connection:
            sender = threading.Thread(target=send_in_pieces, args=(connection, data))
            sender.start()
            replies = split(form, receive_all(connection))
            sender.join()
        server.expect_answer(line, "replied", str(len(messages)))
        expect_messages(schema, form, line, messages, replies)


def check_drained(server, port, form, encoded):
    """What a stranger sends is counted, also if it is nothing."""
    data = b"".join(framed(form, message) for message in encoded)
    if form.startswith("soap"):
        data = b"\r\n" + data + b" \n"
    for wait in WAITS:
        for work in ("structures", "bytes"):
            line = f"drain {wait} {work}"
            server.send(line)
            with connected(port) as connection:
                send_in_pieces(connection, data)
                receive_all(connection)
            check_span(line, server.expect_answer(line, "drained"), len(encoded))
    server.send("drain blocking bytes")
    with connected(port):
        pass
    server.expect_answer("drain blocking bytes", "drained", "0,0,0")


@contextlib.contextmanager
def stranger():
    """A listening socket and its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(ANSWER_SECONDS)
        yield listener, f"127.0.0.1:{listener.getsockname()[1]}"


def check_poured(client, schema, form, messages):
    """A stranger gets the kept messages in turn."""
    count = len(messages) + 5
    for source in ("structures", "encoded"):
        with stranger() as (listener, place):
            line = f"pour {place} {count} {source}"
            client.send(line)
            connection, _ = listener.accept()
            with connection:
                received = split(form, receive_all(connection))
        check_span(line, client.expect_answer(line, "poured"), count)
        expect_messages(schema, form, line, messages + messages[:5], received)


def broken(form, message):
    """Ways to send no message, each with how it is noticed: when it is framed or decoded, or
    only when the connection has ended."""
    undecodable = {
        "soap": b"<a:Envelope xmlns:a='urn:a'></a:Envelope>",
        "fix": b"8=FIX.4.3\x019=5\x0135=X\x0110=000\x01",
        "cdr": struct.pack("<I", 3) + b"abc",
    }[form.partition("-")[0]]
    endless = {
        "soap": b"<" + b"a" * (17 << 20),
        "fix": b"8=FIX.4.3\x019=99999999999999999999999\x01",
        "cdr": struct.pack("<I", (16 << 20) + 1),
    }[form.partition("-")[0]]
    ways = [(framed(form, message)[:-1], "ended"), (framed(form, message)[:1], "ended"),
            (b"garbage on the line\r\n" * 9, "framed"), (undecodable, "decoded"),
            (endless, "framed")]
    if form == "fix":
        ways += [(message.replace(b"\x019=", b"\x019=1", 1), "ended"),
                 (re.sub(rb"\x019=\d+", b"\x019=50", message, count=1), "framed"),
                 (message.replace(b"\x019=", b"\x019=x", 1), "framed"),
                 (message.replace(b"\x019=", b"\x017=", 1), "framed"),
                 (b"8=" + b"F" * 99, "framed")]
    return ways


def check_bad_clients(server, port, form, directory, encoded, encodes):
    """What cannot be framed or decoded ends a connection by an error."""
    for data, noticed in broken(form, encoded[0]):
        lines = [f"drain {wait} structures" for wait in WAITS]
        lines += ["drain blocking bytes"] if noticed != "decoded" else []
        lines += [f"reply blocking {os.path.join(directory, 'times')}"] if encodes else []
        for line in lines:
            server.send(line)
            with connected(port) as connection, contextlib.suppress(ConnectionError):
                connection.sendall(framed(form, encoded[1]) + data)
                if noticed == "ended":
                    connection.shutdown(socket.SHUT_WR)
                receive_all(connection)
            server.expect_error_answer(line)


def check_bad_servers(client, form, directory, encoded):
    """Nobody listens, the connection closes early, or the reply is no message."""
    times = os.path.join(directory, "times")
    with stranger() as (_, place):
        pass
    client.expect_error(f"call {place} blocking 1 {times}")
    client.expect_error(f"pour {place} 1 structures")
    with stranger() as (listener, place):
        line = f"pour {place} 1000000 encoded"
        client.send(line)
        listener.accept()[0].close()
        client.expect_error_answer(line)
        for data in [b""] + [data for data, _ in broken(form, encoded[0])]:
            for wait in WAITS:
                line = f"call {place} {wait} 2 {times}"
                client.send(line)
                connection, _ = listener.accept()
                with connection, contextlib.suppress(ConnectionError):
                    connection.recv(1)
                    connection.sendall(data)
                client.expect_error_answer(line)

"""Tries a peer that serves and calls the customer service: alone, with itself, with others."""

import contextlib
import http.client
import os
import struct
import subprocess

import claim
import corpus
import customers
from peer import Failure, Peer

SHAPE_COUNT = 5
THREADS = 3
# A call's options, and whether the server closes the connection after each answer.
OPTIONS = ("", " gzip", " chunked", " gzip chunked", " close")
OPERATIONS = ("echo", "refuse", "notify")
# What toolkits do not have, and are not asked for; README.md says why.
LACKS = {"axis-services": ("soap12",), "asmx-services": ("soap12", "gzip", "tls")}
# What does not go between a client and a server: formats, operations of a format, options.
APART = {
    # To gSOAP's client moments are text, and mono does not write the last zeros of theirs.
    ("gsoap-best-services", "asmx-services"): customers.FORMATS,
    ("gsoap-debian-services", "asmx-services"): customers.FORMATS,
    # Without multi-references.
    ("asmx-services", "gsoap-best-services"): ("ng-doc-encoded", "ng-rpc-encoded"),
    # The detail's elements have no namespace in the SOAP encoding.
    ("gsoap-best-services", "axis-services"): ("ng-rpc-encoded refuse",),
    ("gsoap-debian-services", "axis-services"): ("ng-rpc-encoded refuse",),
    # mono loses its place in chunks that come apart.
    ("axis-services", "asmx-services"): ("chunked",),
}


def lacks(what, *paths):
    """Whether one of these programs lacks something."""
    return any(what in LACKS.get(os.path.basename(path), ()) for path in paths)


def apart(server, client):
    """What does not go between two of these programs."""
    return APART.get((os.path.basename(client), os.path.basename(server)), ())


def mixed():
    """Messages of all three shapes, and one without any entry."""
    messages = [message for shape in customers.SHAPES
                for message in customers.messages(shape, SHAPE_COUNT)]
    return messages + [{"header": "REQUEST", "customers": [], "products": []}]


def check(name, path, directory):
    """Runs one peer through everything; returns its timings, Failure says what is wrong."""
    with Peer(path) as peer:
        version, forms = peer.expect("hello", "hello", name)
        forms = forms.split(",")
        results = [check_codec(peer, form, directory) for form in forms]
        peer.expect_error("unserve")
        peer.expect_error("stages")
        peer.expect_error("serve")
        peer.expect_error("serve 1 frobnicate")
        peer.stop()
    check_pair(path, path, forms, directory)
    check_close(path, forms[0])
    if not lacks("tls", path):
        check_tls(path, forms[0], directory)
    return "  ".join([version] + results + ["service"])


def common(server, client):
    """The formats that both these programs have, and that go between them."""
    known = []
    for path in (server, client):
        with Peer(path) as peer:
            known.append(peer.ask("hello")[3].split(","))
            peer.stop()
    return [form for form in known[0] if form in known[1] and form not in apart(server, client)]


def check_codec(peer, form, directory):
    source, target = os.path.join(directory, "corpus"), os.path.join(directory, "echo")
    load(peer, form, mixed(), source)
    peer.expect(f"echo {target}", "echoed", str(len(mixed())))
    for message, data in zip(mixed(), corpus.read(target)):
        if customers.read(data) != (customers.root(form, "echo"), message):
            raise Failure(f"{form}: {message} became {data!r}")
    timings = [form]
    for shape in customers.SHAPES:
        load(peer, form, customers.messages(shape, SHAPE_COUNT), source)
        for operation in ("decode", "encode"):
            # The first answer, too: nothing may be done in a run that is not in its time.
            for passes in (1, 5):
                spent = claim.run(peer, f"run {operation} {passes}", passes * SHAPE_COUNT)
                if spent is None:
                    raise Failure(f"run {operation} {passes} was refused")
            timings.append(f"{spent:.0f}")
    for broken in (b"", b"garbage", customers.envelope(form, mixed()[0])[:-20]):
        corpus.write(source, [broken])
        peer.expect_error(f"load {form} {source}")
    return " ".join(timings) + " ns"


def load(peer, form, messages, path):
    corpus.write(path, [customers.envelope(form, message) for message in messages])
    peer.expect(f"load {form} {path}", "loaded", str(len(messages)))


@contextlib.contextmanager
def serving(path, words):
    with Peer(path) as server:
        yield server, int(server.expect(f"serve {words}", "serving")[0])
        server.stop()


def check_pair(server_path, client_path, forms, directory):
    """Every style, version, operation and option between a server and a client."""
    source, times = os.path.join(directory, "corpus"), os.path.join(directory, "times")
    versions = ("",) if lacks("soap12", server_path, client_path) else ("", "/soap12")
    left_out = apart(server_path, client_path)
    options = [it for it in OPTIONS if it.strip() not in left_out
               and ("gzip" not in it or not lacks("gzip", server_path, client_path))]
    with serving(server_path, THREADS) as (server, port), Peer(client_path) as client:
        calls = 0
        for form in forms:
            load(client, form, mixed(), source)
            before = calls
            for version in versions:
                place = f"http://127.0.0.1:{port}{version}{customers.path(form)}"
                for operation in OPERATIONS:
                    if f"{form} {operation}" in left_out:
                        continue
                    for option in options:
                        call(client, f"{place} {form} {operation}", len(mixed()), times, option)
                        calls += len(mixed())
            check_stages(server, calls - before)
        client.expect_error(f"call http://127.0.0.1:{port}/nowhere {form} echo 1 {times}")
        client.expect_error(f"call {place} {form} no-such-operation 1 {times}")
        check_wrong_answer(server, client, port, forms, times)
        calls += check_together(client_path, port, forms[0], directory)
        check_http(port, forms, (1,) if lacks("soap12", server_path) else (1, 2))
        served = int(server.expect("unserve", "served")[0])
        if served < calls:
            raise Failure(f"{served} calls were served of {calls}")
        client.expect_error(f"call {place} {form} echo 1 {times}")
        client.stop()


def call(client, what, count, times, options=""):
    place, form, operation = what.split()
    client.expect(f"call {place} {form} {operation} {count} {times}{options}", "called", str(count))
    size = os.path.getsize(times)
    with open(times, "rb") as file:
        if size != 8 * count or 0 in struct.unpack(f"<{count}Q", file.read()):
            raise Failure(f"call of {count} left {size} octets of times")


def check_stages(server, calls):
    decode, _, encode, count = map(int, server.expect("stages", "stages"))
    if count != calls or decode <= 0 or encode <= 0:
        raise Failure(f"stages: {count} calls of {calls}, {decode} and {encode} ns")
    if server.expect("stages", "stages") != ["0", "0", "0", "0"]:
        raise Failure("stages does not begin anew")


def check_wrong_answer(server, client, port, forms, times):
    """A client must notice an answer of another style."""
    loaded = forms[-1]
    for form in forms:
        if form.endswith("literal") != loaded.endswith("literal"):
            client.expect_error(
                f"call http://127.0.0.1:{port}{customers.path(form)} {loaded} echo 1 {times}")
            server.expect("stages", "stages")
            return


def check_together(path, port, form, directory):
    """As many connections as threads, all at once."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Peer(path)) for _ in range(THREADS)]
        for number, client in enumerate(clients):
            load(client, form, mixed(), os.path.join(directory, f"corpus{number}"))
        for number, client in enumerate(clients):
            client.send(f"call http://127.0.0.1:{port}{customers.path(form)} {form} echo 200 "
                        f"{os.path.join(directory, f'times{number}')}")
        for client in clients:
            client.expect_answer("call", "called", "200")
    return THREADS * 200


def check_http(port, forms, versions):
    """What a stranger sees: status codes, keep-alive, chunks, and faults of the right version."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    message = mixed()[0]
    for form in forms:
        for version in versions:
            data = customers.envelope(form, message, "echo", version)
            status, body = post(connection, form, version, "echo", data)
            expected = customers.root(form, "echo", "Response"), dict(message, header="RESPONSE")
            if status != 200 or customers.read(body) != expected:
                raise Failure(f"{form} SOAP 1.{version}: {status} {body!r}")
            status, body = post(connection, form, version, "echo", iter([data[:100], data[100:]]))
            if status != 200 or customers.read(body) != expected:
                raise Failure(f"{form} SOAP 1.{version} in chunks: {status} {body!r}")
            data = customers.envelope(form, message, "notify", version)
            if post(connection, form, version, "notify", data) != (202, b""):
                raise Failure(f"{form} SOAP 1.{version}: notify was not accepted")
            data = customers.envelope(form, message, "refuse", version)
            status, body = post(connection, form, version, "refuse", data)
            # Metro answers every fault by 500, whatever SOAP 1.2 says of the sender's.
            codes, sender = ((500,), b"Client<") if version == 1 else ((400, 500), b"Sender<")
            for part in (sender, b"refused: REQUEST<", b"Refusal", b"42</"):
                if status not in codes or part not in body:
                    raise Failure(f"{form} SOAP 1.{version} refuse: {status} {body!r}")
    status, _ = post(connection, forms[0], 1, "echo", b"<garbage/>")
    if status < 400:
        raise Failure(f"garbage was answered by {status}")
    connection.close()


def post(connection, form, version, operation, data):
    action = f"{customers.NAMESPACE}#{operation}"
    headers = ({"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{action}"'}
               if version == 1 else
               {"Content-Type": f'application/soap+xml; charset=utf-8; action="{action}"'})
    path = ("/soap12" if version == 2 else "") + customers.path(form)
    connection.request("POST", path, body=data, headers=headers,
                       encode_chunked=not isinstance(data, bytes))
    response = connection.getresponse()
    return response.status, response.read()


def check_tls(path, form, directory):
    key, certificate = os.path.join(directory, "key"), os.path.join(directory, "certificate")
    request = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subprocess.run(request.split() + ["-subj", "/CN=localhost", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    with serving(path, f"1 tls {certificate} {key}") as (server, port), Peer(path) as client:
        load(client, form, mixed(), os.path.join(directory, "corpus"))
        place = f"127.0.0.1:{port}{customers.path(form)} {form} echo"
        times = os.path.join(directory, "times")
        call(client, f"https://{place}", 20, times)
        call(client, f"https://{place}", 5, times, " close")
        client.expect_error(f"call http://{place} 1 {times}")
        server.expect("unserve", "served", "25")
        server.expect_error(f"serve 1 tls {key} {certificate}")
        client.stop()


def check_close(path, form):
    """A connection for each call, if the server is asked for that."""
    with serving(path, "1 close chunked") as (server, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        data = customers.envelope(form, mixed()[0])
        for _ in range(2):
            status, _ = post(connection, form, 1, "echo", data)
            if status != 200 or connection.sock:
                raise Failure(f"close: {status}, and the connection goes on")
        server.expect("unserve", "served", "2")

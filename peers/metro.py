"""Tries Metro's services, its wsimport and zeep's client, alone and with each other."""

import http.client
import os
import shutil
import socket
import struct
import subprocess

import corpus
import customers
from peer import ANSWER_SECONDS, Failure, Peer

PATHS = {"ng-doc-literal": "/doc-literal", "ng-doc-literal-wrapped": "/doc-literal-wrapped",
         "ng-rpc-literal": "/rpc-literal"}
VERSIONS = ("", "/soap12")
OPERATIONS = ("echo", "refuse", "notify")
WAYS = ("", " gzip", " chunked", " close", " gzip chunked close")
CALLS = 40


def check_services(path, directory):
    """The codec, then a client against a server in every style; what to say of it."""
    with Peer(path) as client, Peer(path) as server:
        version, forms = client.expect("hello", "hello", "metro-services")
        if forms != ",".join(PATHS):
            raise Failure(f"speaks {forms}")
        timings = [check_codec(client, form, directory) for form in PATHS]
        check_errors(client, directory)
        check_absent_parts(server)
        check_calls(client, server, directory, "serve 2", "http", WAYS)
        check_calls(client, server, directory, "serve 2 close", "http", ("",))
        if shutil.which("openssl"):
            certificate, key = make_certificate(directory)
            check_calls(client, server, directory, f"serve 2 tls {certificate} {key}", "https",
                        ("",))
        client.stop()
        server.stop()
    return "  ".join([version] + timings + ["services"])


def make_messages():
    found = [message for shape in customers.SHAPES for message in customers.messages(shape, 3)]
    return found + [{"header": "a & b <c> Zürich €", "customers": [], "products": []}]


def load(peer, form, messages, directory):
    path = os.path.join(directory, "corpus")
    corpus.write(path, [customers.envelope(form, message) for message in messages])
    peer.expect(f"load {form} {path}", "loaded", str(len(messages)))


def check_codec(peer, form, directory):
    messages = make_messages()
    load(peer, form, messages, directory)
    path = os.path.join(directory, "echo")
    peer.expect(f"echo {path}", "echoed", str(len(messages)))
    element = "CustomerServices" if form == "ng-doc-literal" else "echo"
    for number, (message, data) in enumerate(zip(messages, corpus.read(path))):
        if customers.read(data) != (element, message):
            raise Failure(f"{form} message {number} became {data!r}")
    timings = [form]
    for operation in ("decode", "encode"):
        spent, count = map(int, peer.ask(f"run {operation} 5")[0].split(","))
        if count != 5 * len(messages) or spent <= 0:
            raise Failure(f"run {operation} 5 answered {spent},{count}")
        timings.append(f"{operation} {spent / count:.0f} ns")
    return " ".join(timings)


def check_errors(peer, directory):
    """Bad requests are answered by one line, and the peer lives on."""
    good, times = make_messages(), os.path.join(directory, "times")
    path = os.path.join(directory, "broken")
    encoded = customers.envelope("ng-rpc-literal", good[0])
    for broken in (encoded[:-20], b"", b"garbage",
                   customers.envelope("ng-doc-literal", good[0])):
        corpus.write(path, [encoded, broken])
        peer.expect_error(f"load ng-rpc-literal {path}")
        peer.expect_error("run decode 1")
    load(peer, "ng-rpc-literal", good, directory)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    url = f"http://127.0.0.1:{free}/rpc-literal"
    for line in (f"call {url} ng-rpc-literal echo 1 {times}",
                 f"call {url} ng-doc-literal echo 1 {times}",
                 f"call {url} ng-rpc-literal frobnicate 1 {times}",
                 f"call {url}",
                 "serve", "serve 0", "serve 1 tls", "serve 1 quickly", "unserve", "frobnicate",
                 "load no-such-format x", "load ng-rpc-literal no-such-file", "run decode 0"):
        peer.expect_error(line)
    peer.expect("stages", "stages", "0", "0", "0", "0")


def check_calls(client, server, directory, serve, scheme, ways):
    port, = server.expect(serve, "serving")
    times = os.path.join(directory, "times")
    made = 0
    for form, path in PATHS.items():
        load(client, form, make_messages(), directory)
        for version in VERSIONS:
            for operation in OPERATIONS:
                for way in ways:
                    url = f"{scheme}://127.0.0.1:{port}{version}{path}"
                    client.expect(f"call {url} {form} {operation} {CALLS} {times}{way}", "called",
                                  str(CALLS))
                    with open(times, "rb") as file:
                        spans = struct.unpack(f"<{CALLS}Q", file.read())
                    if min(spans) == 0:
                        raise Failure(f"{url} {operation}: a call took no time")
                    made += CALLS
    *spent, count = map(int, server.expect("stages", "stages"))
    if count != made or min(spent) <= 0:
        raise Failure(f"{made} calls were served in stages {spent}, {count}")
    server.expect("stages", "stages", "0", "0", "0", "0")
    server.expect("unserve", "served", str(made))
    client.expect_error(f"call {scheme}://127.0.0.1:{port}/rpc-literal {form} echo 1 {times}")


def check_absent_parts(server):
    """A stranger's call without products is answered, in rpc style by none of them."""
    port, = server.expect("serve 1", "serving")
    message = customers.messages("simple", 1)[0]
    for form, path in PATHS.items():
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=ANSWER_SECONDS)
        connection.request("POST", path, customers.envelope(form, message), {
            "Content-Type": "text/xml; charset=utf-8",
            "SOAPAction": f'"{customers.NAMESPACE}#echo"'})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if answer.status != 200 or customers.read(data)[1] != {**message, "header": "RESPONSE"}:
            raise Failure(f"{path} answered {answer.status}: {data!r}")
    server.expect("stages", "stages")
    server.expect("unserve", "served", str(len(PATHS)))


def make_certificate(directory):
    names = [os.path.join(directory, name) for name in ("certificate.pem", "key.pem")]
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-keyout", names[1], "-out", names[0], "-days", "2", "-subj", "/CN=localhost")
    return names


def run(*command, status=0):
    """Runs a program that must end with this status; its output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=ANSWER_SECONDS, check=False)
    if done.returncode != status:
        raise Failure(f"{' '.join(command)} ended with status {done.returncode}, not {status}: "
                      + " ".join(done.stdout.split()))
    return done.stdout


def with_descriptions(path, check):
    """Calls `check` with the URL of each service that Metro describes."""
    services = os.path.join(os.path.dirname(path), "metro-services")
    with Peer(services) as server:
        port, = server.expect("serve 2", "serving")
        for version in VERSIONS:
            for service in PATHS.values():
                check(f"http://127.0.0.1:{port}{version}{service}")
        server.stop()


def check_wsimport(path, directory):
    def check(url):
        folder = os.path.join(directory, "generated")
        run(path, f"{url}?wsdl", folder)
        classes = [name for _, _, names in os.walk(folder) for name in names]
        if "CustomerService.class" not in classes:
            raise Failure(f"{url}: wsimport made {classes}")
        shutil.rmtree(folder)

    with_descriptions(path, check)
    run(path, os.path.join(directory, "no-such.wsdl"), os.path.join(directory, "none"), status=1)
    return "what Metro describes"


def check_zeep(path, directory):
    def check(url):
        lines = run(path, f"{url}?wsdl").splitlines()
        if len(lines) != 6 or not all(line.startswith("passed ") for line in lines):
            raise Failure(f"{url}: {lines}")

    def check_wrong_style(url):
        other = "/rpc-literal" if "doc" in url else "/doc-literal"
        address = url.replace(url[url.rindex("/"):], other)
        run(path, "--url", address, f"{url}?wsdl", status=1)

    with_descriptions(path, check)
    with_descriptions(path, check_wrong_style)
    run(path, os.path.join(directory, "no-such.wsdl"), status=2)
    return "what Metro describes"


CHECKS = {"metro-services": check_services, "metro-wsimport": check_wsimport,
          "zeep-client": check_zeep}

"""Tries Metro's wsimport and zeep's client on what Metro's services describe."""

import os
import shutil
import subprocess

from peer import ANSWER_SECONDS, Failure, Peer

PATHS = ("/doc-literal", "/doc-literal-wrapped", "/rpc-literal")
VERSIONS = ("", "/soap12")


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
            for service in PATHS:
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


CHECKS = {"metro-wsimport": check_wsimport, "zeep-client": check_zeep}

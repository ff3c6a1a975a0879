"""Calls every operation of the customer service through zeep, knowing nothing but its WSDL.

usage: zeep-client [--url ADDRESS] [--keep FOLDER] WSDL

WSDL is a URL or a file. ADDRESS is called instead of what the WSDL names. FOLDER gets each request
of one customer and one product as PORT-OPERATION.xml. A line a check; the exit status is 0 if all
passed, 1 if one failed, 2 if the WSDL cannot be used.
"""

import argparse
import datetime
import os
import sys

import requests
import urllib3
import zeep
from zeep import exceptions, helpers, transports, xsd
from zeep.wsdl.bindings.soap import SoapBinding

NAMESPACE = "urn:trunkline:ng-2004"
ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"
TEXT = "a & b <c> \"d\" 'e' Zürich €"
TIME = datetime.datetime(2004, 2, 29, 23, 59, 58, 125000, tzinfo=datetime.timezone.utc)
# Customers and products of a message.
SIZES = {"simple": (1, 0), "medium": (20, 0), "complex": (1, 50), "none": (0, 0)}


class Wrong(Exception):
    """What an answer is not as it should be."""


class Transport(transports.Transport):
    """Keeps what was sent and the status of what came back."""

    sent = b""
    status = 0

    def load(self, url):
        if url == ENCODING:
            url = os.path.join(os.path.dirname(os.path.abspath(__file__)), "soap-encoding.xsd")
        return super().load(url)

    def post(self, address, message, headers):
        self.sent = message
        response = super().post(address, message, headers)
        self.status = response.status_code
        return response


def customer(number):
    return {
        "customerId": f"C{number:06}", "password": "secret", "firstName": "Ann",
        "lastName": TEXT, "address": "1 High Street, Sydney NSW 2000",
        "phoneNum": "+61 2 9123 4567", "email": "ann@example.com",
        "accountNo": f"0012-{number:08}", "isValid": number % 2 == 0, "lastModified": TIME,
    }


def product(number):
    return {
        "categoryId": -2**63 + number, "isAvailable": True, "doWeBuy": False, "doWeSell": True,
        "productId": 2**63 - 1 - number, "description": TEXT, "price": number + 0.125,
        "quantity": number, "quantityUnit": "each", "pricePolicyId": 7, "ETA": TIME,
        "lastModified": TIME,
    }


def message(customers, products):
    return {
        "header": "REQUEST",
        "customers": [customer(number) for number in range(customers)],
        "products": [product(number) for number in range(products)],
    }


def is_array(kind):
    """Whether the schema's type is an array of the SOAP encoding."""
    return getattr(kind, "_array_type", None) is not None


def arguments(wsdl, operation, values):
    """The message as zeep wants it: a group is an object with entries, or an encoded array."""
    types = {name: element.type for name, element in operation.input.body.type.elements}
    made = {"header": values["header"]}
    for group, entry in (("customers", "customer"), ("products", "product")):
        if is_array(types[group]):
            kind = wsdl.types.get_type(f"{{{NAMESPACE}}}{entry}")
            items = [kind(**each) for each in values[group]]
            # An array of zeep's has one item at least.
            made[group] = types[group](items) if items else xsd.SkipValue
        else:
            made[group] = {entry: values[group]}
    return made


def content(answer):
    """The answer as message() makes it."""
    values = helpers.serialize_object(answer, dict)
    if not isinstance(values, dict):
        raise Wrong(f"no message came back but {answer!r}")
    for group, entry in (("customers", "customer"), ("products", "product")):
        entries = values.get(group)
        if isinstance(entries, dict):
            entries = entries.get(entry, entries.get("_value_1"))
        values[group] = entries or []
    return {name: values.get(name) for name in ("header", "customers", "products")}


def difference(where, sent, received):
    if isinstance(sent, dict) and isinstance(received, dict):
        for name, value in sent.items():
            inner = difference(f"{where}.{name}", value, received.get(name))
            if inner:
                return inner
        return None
    if isinstance(sent, list) and isinstance(received, list) and len(sent) == len(received):
        for number, (one, other) in enumerate(zip(sent, received)):
            inner = difference(f"{where}[{number}]", one, other)
            if inner:
                return inner
        return None
    return None if sent == received else f"{where} was {sent!r} and is {received!r}"


class Port:
    """One port of the service, its operations called."""

    def __init__(self, client, transport, port, address):
        self.transport = transport
        self.wsdl = client.wsdl
        self.name = port.name
        self.binding = port.binding
        self.proxy = client.create_service(
            port.binding.name, address or port.binding_options["address"])

    def call(self, operation, values):
        return self.proxy[operation](**arguments(self.wsdl, self.binding.get(operation), values))

    def echo(self, size):
        sent = message(*SIZES[size])
        wrong = difference(
            "message", {**sent, "header": "RESPONSE"}, content(self.call("echo", sent)))
        if wrong:
            raise Wrong(wrong)

    def refuse(self, size):
        try:
            answer = self.call("refuse", message(*SIZES[size]))
        except exceptions.Fault as fault:
            self.expect_fault(fault)
        else:
            raise Wrong(f"was answered, not refused: {answer!r}")

    def expect_fault(self, fault):
        if fault.message != "refused: REQUEST":
            raise Wrong(f"the reason is {fault.message!r}")
        code = str(fault.code).rpartition(":")[2].rpartition("}")[2]
        if code not in ("Client", "Sender"):
            raise Wrong(f"the code is {fault.code!r}")
        found = fault.detail is not None and fault.detail.find(f".//{{{NAMESPACE}}}Refusal")
        if not len(found if found is not False and found is not None else ()):
            raise Wrong("the detail has no Refusal")
        values = {child.tag.rpartition("}")[2]: child.text for child in found}
        if values.get("code") != "42" or not values.get("text"):
            raise Wrong(f"the detail is {values}")

    def notify(self, size):
        answer = self.call("notify", message(*SIZES[size]))
        if answer is not None:
            raise Wrong(f"was answered by {answer!r}")
        if self.transport.status not in (200, 202):
            raise Wrong(f"was answered by status {self.transport.status}")

    def keep(self, folder):
        """Writes a request of each operation, whatever the answer."""
        for operation in ("echo", "refuse", "notify"):
            try:
                self.call(operation, message(1, 1))
            except (exceptions.Error, requests.RequestException):
                pass
            path = os.path.join(folder, f"{self.name}-{operation}.xml")
            with open(path, "wb") as file:
                file.write(self.transport.sent)


def checks(port):
    for size in SIZES:
        yield f"echo {size}", port.echo, size
    for operation in (port.refuse, port.notify):
        yield operation.__name__, operation, "simple"


def run(port):
    """A line a check; whether all passed."""
    passed = True
    for what, check, size in checks(port):
        try:
            check(size)
            print(f"passed  {port.name} {what}", flush=True)
        except (Wrong, exceptions.Error, requests.RequestException, LookupError, TypeError,
                AttributeError, ValueError) as error:
            passed = False
            text = " ".join(str(error).split()) or repr(error)
            kind = "" if isinstance(error, Wrong) else f"{type(error).__name__}: "
            print(f"failed  {port.name} {what}: {kind}{text}", flush=True)
    return passed


def main():
    parser = argparse.ArgumentParser(prog="zeep-client")
    parser.add_argument("--url")
    parser.add_argument("--keep")
    parser.add_argument("wsdl")
    options = parser.parse_args()
    session = requests.Session()
    # A certificate that the lab made for itself has nobody to vouch for it.
    session.verify = False
    urllib3.disable_warnings()
    transport = Transport(session=session, timeout=20, operation_timeout=20)
    try:
        client = zeep.Client(options.wsdl, transport=transport)
        ports = [Port(client, transport, port, options.url)
                 for service in client.wsdl.services.values() for port in service.ports.values()
                 if isinstance(port.binding, SoapBinding)]
    except (exceptions.Error, requests.RequestException, OSError, SyntaxError) as error:
        print(f"zeep-client: {options.wsdl}: {error!r}", file=sys.stderr)
        return 2
    if not ports:
        print(f"zeep-client: {options.wsdl}: no port that speaks SOAP", file=sys.stderr)
        return 2
    if options.keep:
        for port in ports:
            port.keep(options.keep)
    results = [run(port) for port in ports]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Places an order with every note of XML through zeep, and prints what comes back.

Request and answer are valid by the WSDL's schemas.

usage: order.py WSDL
"""

import os
import sys
import tempfile
from decimal import Decimal

import requests
import zeep
from lxml import etree
from zeep.plugins import HistoryPlugin

XSD = "{http://www.w3.org/2001/XMLSchema}"


def order():
    return {
        "id": 5,
        "flags": ["a", "b<"],
        "lang": "de",
        "Order-ID": "X-1",
        "price": {"_value_1": Decimal("6.35"), "currency": "EUR"},
        "fees": [{"_value_1": Decimal("1"), "currency": '"&'}, {"_value_1": Decimal("2")}],
        "buyer": {"code": 7, "name": "N", "city": "C & D"},
        "seller": zeep.xsd.Nil,
        "note": "n",
        "sizes": [1, -2, 3],
        "plain": 1,
        "full": 2,
        "code": "K",
        "legs": {"leg": [{"name": "l", "plain": "p"}, {"name": "m", "city": "D"}]},
    }


def show(path, *values):
    print(path, *("-" if it is None else it for it in values))


def words(values):
    return " ".join(str(it) for it in values)


def money(path, value):
    show(path, value["_value_1"], value["currency"])


def party(path, value):
    if value is None:
        show(path, None)
    else:
        show(path, value["code"], value["name"], value["city"], value["plain"])


def items(path, values, each):
    show(path, len(values))
    for index, value in enumerate(values):
        each(f"{path}[{index}]", value)


def told(answer):
    show("id", answer["id"])
    show("flags", words(answer["flags"]))
    show("lang", answer["lang"])
    show("number", answer["Order-ID"])
    money("price", answer["price"])
    items("fees", answer["fees"], money)
    party("buyer", answer["buyer"])
    party("seller", answer["seller"])
    show("note", answer["note"])
    show("sizes", words(answer["sizes"]))
    for name in ("plain", "full", "code"):
        show(name, answer[name])
    items("legs", answer["legs"]["leg"], party)


def check(url, envelopes):
    """Whether what the Body holds is what the schemas allow."""
    types = etree.fromstring(requests.get(url, timeout=30).content)
    with tempfile.TemporaryDirectory() as folder:
        # Each by itself, with the prefixes that are declared around it.
        schemas = types.findall(f".//{XSD}schema")
        for schema in schemas:
            for named in schema.findall(f"{XSD}import"):
                named.set("schemaLocation", named.get("namespace").replace(":", "-") + ".xsd")
            name = schema.get("targetNamespace").replace(":", "-") + ".xsd"
            with open(os.path.join(folder, name), "wb") as out:
                out.write(etree.tostring(schema))
        main = schemas[0].get("targetNamespace").replace(":", "-") + ".xsd"
        schema = etree.XMLSchema(file=os.path.join(folder, main))
    for envelope in envelopes:
        schema.assertValid(etree.fromstring(etree.tostring(envelope["envelope"][-1][0])))


history = HistoryPlugin()
answer = zeep.Client(sys.argv[1], plugins=[history]).service.place(**order())
check(sys.argv[1], [history.last_sent, history.last_received])
told(zeep.helpers.serialize_object(answer, dict))

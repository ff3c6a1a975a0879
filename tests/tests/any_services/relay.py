"""Sends elements of other namespaces and a value of any type through zeep, and prints what comes back.

Request and answer are valid by the WSDL's schemas.

usage: relay.py WSDL
"""

import os
import sys
import tempfile

import requests
import zeep
from lxml import etree
from zeep import xsd
from zeep.plugins import HistoryPlugin

XSD = "{http://www.w3.org/2001/XMLSchema}"


def check(url, envelopes):
    """Whether what the Body holds is what the schemas allow."""
    types = etree.fromstring(requests.get(url, timeout=30).content)
    [schema] = types.findall(f".//{XSD}schema")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "open.xsd")
        with open(path, "wb") as out:
            out.write(etree.tostring(schema))
        schema = etree.XMLSchema(file=path)
    for envelope in envelopes:
        schema.assertValid(etree.fromstring(etree.tostring(envelope["envelope"][-1][0])))


def element(namespace, name, text, **attributes):
    made = etree.Element(f"{{{namespace}}}{name}", attributes)
    made.text = text
    return made


history = HistoryPlugin()
client = zeep.Client(sys.argv[1], plugins=[history])
sent = [element("urn:desks", "desk", "FX < 1", floor="2"), element("urn:other", "item", "x")]
answer = client.service.relay(id=5, payload=xsd.AnyObject(xsd.String(), "A & B"), _value_1=sent)
check(sys.argv[1], [history.last_sent, history.last_received])
print("id", answer["id"])
payload = answer["payload"]
print("payload", "string" if isinstance(payload, str) else type(payload).__name__, payload)
print("extensions", len(answer["_value_1"]))
for found in answer["_value_1"]:
    name = etree.QName(found)
    print(name.namespace, name.localname, found.get("floor", "-"), found.text)

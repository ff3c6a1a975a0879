"""Places a trade of every shape through zeep, and prints what comes back.

Request and answer are valid by the WSDL's schema.

usage: trade.py WSDL
"""

import sys
from decimal import Decimal

import isodate
import requests
import zeep
from lxml import etree
from zeep.plugins import HistoryPlugin


def trade():
    return {
        "side": "SellShort",
        "limit": Decimal("6.35"),
        "references": {"item": ["r", "s & t"]},
        "address": {"street": "1 High Street"},
        "single": 0.5,
        "whole": 123456789012345678901234567890,
        "exact": Decimal("0.12345678901234567890123"),
        "hold": isodate.parse_duration("P1Y2MT3S"),
        "notes": {"item": ["", "zwölf <&>"]},
        "flags": {"item": [True, False]},
        "sides": {"item": ["Buy", "SellShort"]},
        "matrix": {"item": [{"item": [1.5, 2.25]}, {"item": [3.5, 4.75]}]},
        "corners": {"Address": [{"street": "a"}, {"street": "b", "city": "c"}]},
        "prices": {"_value_1": [{"limit": Decimal("1.5")}, {"market": {}}, {"limit": Decimal("2.5")}]},
        "ragged": {"item": [{"item": []}, {"item": [1, -2]}]},
        "options": {"item": [{"_value_1": [{"market": {}}]}, {"_value_1": []}]},
        "marks": [3, 1, 2],
        "tags": ["x", "y"],
        "pair": [0.5, 0.25],
        "stops": [{"street": "s"}, {"street": "t"}],
        "folder": {
            "name": "root",
            "folders": {"Folder": [
                {"name": "empty"},
                {"name": "b", "folders": {"Folder": [{"name": "leaf", "parent": {"name": "up"}}]}},
            ]},
        },
    }


def text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "tdelta"):
        return isodate.duration_isoformat(value)
    return str(value)


def show(path, value):
    print(f"{path} {text(value)}".rstrip())


def items(path, values, each):
    """The entries of a list: of one that is empty, zeep has nothing."""
    values = values or []
    show(path, len(values))
    for index, value in enumerate(values):
        each(f"{path}[{index}]", value)


def inside(name):
    """What a list has in it; zeep has nothing of one that is empty."""
    return lambda value: None if value is None else value[name]


def address(path, value):
    show(f"{path}.street", value["street"])
    if value["city"] is not None:
        show(f"{path}.city", value["city"])


def price(path, value):
    if value.get("limit") is not None:
        show(f"{path}limit", value["limit"])
    if "market" in value and value.get("limit") is None:
        show(f"{path}market", None)


def folder(path, value):
    show(f"{path}.name", value["name"])
    if value["folders"] is not None:
        items(f"{path}.folders", value["folders"]["Folder"], folder)
    if value["parent"] is not None:
        folder(f"{path}.parent", value["parent"])


def prices(path, value):
    items(path, inside("_value_1")(value), lambda at, it: price(f"{at}.", it))


def told(answer):
    show("side", answer["side"])
    price("", answer)
    if answer["account"] is not None:
        show("account", answer["account"])
    if answer["delivery"] is not None:
        address("delivery", answer["delivery"])
    if answer["references"] is not None:
        items("references", answer["references"]["item"], show)
    address("address", answer["address"])
    for name in ("single", "whole", "exact", "hold"):
        show(name, answer[name])
    for name in ("notes", "flags", "sides"):
        items(name, inside("item")(answer[name]), show)
    rows = lambda path, value: items(path, inside("item")(value), show)
    items("matrix", answer["matrix"]["item"], rows)
    items("corners", answer["corners"]["Address"], address)
    prices("prices", answer["prices"])
    items("ragged", answer["ragged"]["item"], rows)
    items("options", answer["options"]["item"], prices)
    for name in ("marks", "tags", "pair"):
        items(name, answer[name], show)
    items("stops", answer["stops"], address)
    folder("folder", answer["folder"])


def check(url, envelopes):
    """Whether what the Body holds is what the schema allows."""
    types = etree.fromstring(requests.get(url, timeout=30).content)
    # By itself, with the prefixes that are declared around it.
    alone = etree.tostring(types.find(".//{http://www.w3.org/2001/XMLSchema}schema"))
    schema = etree.XMLSchema(etree.fromstring(alone))
    for envelope in envelopes:
        schema.assertValid(etree.fromstring(etree.tostring(envelope["envelope"][-1][0])))


history = HistoryPlugin()
answer = zeep.Client(sys.argv[1], plugins=[history]).service.place(**trade())
check(sys.argv[1], [history.last_sent, history.last_received])
told(zeep.helpers.serialize_object(answer, dict))

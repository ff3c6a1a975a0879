"""Makes the CustomerServices messages of Ng, Chen and Greenfield, the same ones for a seed.

A message is {"header": text, "customers": [...], "products": [...]}; `envelope` writes it in a
format of the services and `read` is the inverse, for every toolkit's prefixes and item names.
"""

import random
import xml.etree.ElementTree as tree
from xml.sax.saxutils import escape

NAMESPACE = "urn:trunkline:ng-2004"
ENVELOPE = {1: "http://schemas.xmlsoap.org/soap/envelope/",
            2: "http://www.w3.org/2003/05/soap-envelope"}
ENCODING = {1: "http://schemas.xmlsoap.org/soap/encoding/",
            2: "http://www.w3.org/2003/05/soap-encoding"}
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XSD = "http://www.w3.org/2001/XMLSchema"
FORMATS = ("ng-doc-literal", "ng-doc-literal-wrapped", "ng-doc-encoded", "ng-rpc-literal",
           "ng-rpc-encoded")

CUSTOMER = (("customerId", "string"), ("password", "string"), ("firstName", "string"),
            ("lastName", "string"), ("address", "string"), ("phoneNum", "string"),
            ("email", "string"), ("accountNo", "string"), ("isValid", "boolean"),
            ("lastModified", "dateTime"))
PRODUCT = (("categoryId", "long"), ("isAvailable", "boolean"), ("doWeBuy", "boolean"),
           ("doWeSell", "boolean"), ("productId", "long"), ("description", "string"),
           ("price", "double"), ("quantity", "long"), ("quantityUnit", "string"),
           ("pricePolicyId", "long"), ("ETA", "dateTime"), ("lastModified", "dateTime"))
LISTS = (("customers", "customer", CUSTOMER), ("products", "product", PRODUCT))
# Customers and products of the paper's three messages.
SHAPES = {"simple": (1, 0), "medium": (20, 0), "complex": (1, 50)}

FIRST = ("Alice", "Paul", "Shiping", "Ingrid", "René", "Maria", "Tom", "Yuki", "Oskar", "Wei")
LAST = ("Greenfield", "Ng", "Chen", "O'Brien", "Müller", "Nguyen", "Smith", "Tanaka", "Rossi")
STREETS = ("Pitt Street", "George Street", "Victoria Road", "Lane & Park", "Harbour Parade")
CITIES = ("Sydney", "Melbourne", "Eveleigh", "Perth")
GOODS = ("bolt", "bracket <left>", "hinge", "copper wire", "fan & filter", "relay", "ball bearing")
UNITS = ("each", "box", "kg", "metre")


def messages(shape, count, seed=2004):
    """`count` messages of a shape of the paper."""
    customers, products = SHAPES[shape]
    dice = random.Random(f"{shape} {seed}")
    return [message(dice, customers, products) for _ in range(count)]


def message(dice, customers, products):
    return {"header": "REQUEST",
            "customers": [customer(dice) for _ in range(customers)],
            "products": [product(dice) for _ in range(products)]}


def moment(dice):
    return (f"2004-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}T{dice.randrange(24):02}:"
            f"{dice.randrange(60):02}:{dice.randrange(60):02}.{dice.randrange(1000):03}Z")


def customer(dice):
    first, last = dice.choice(FIRST), dice.choice(LAST)
    return {
        "customerId": f"C{dice.randrange(10**8):08}",
        "password": "".join(dice.choices("abcdefghkmnpqrstuvwxyz23456789", k=8)),
        "firstName": first,
        "lastName": last,
        "address": f"{dice.randrange(1, 400)} {dice.choice(STREETS)}, {dice.choice(CITIES)}",
        "phoneNum": f"+61 2 {dice.randrange(9000, 9999)} {dice.randrange(10000):04}",
        "email": f"{first.lower()}.{dice.randrange(100)}@example.com",
        "accountNo": f"{dice.randrange(1000):03}-{dice.randrange(10**6):06}",
        "isValid": dice.random() < 0.9,
        "lastModified": moment(dice),
    }


def product(dice):
    return {
        "categoryId": dice.randrange(1, 400),
        "isAvailable": dice.random() < 0.8,
        "doWeBuy": dice.random() < 0.5,
        "doWeSell": dice.random() < 0.7,
        "productId": dice.choice((dice.randrange(10**6), 2**40 + dice.randrange(10**6))),
        "description": f"{dice.choice(GOODS)} {dice.randrange(2, 40)}",
        "price": dice.randrange(5, 100000) / 100,
        "quantity": dice.randrange(500),
        "quantityUnit": dice.choice(UNITS),
        "pricePolicyId": dice.randrange(1, 12),
        "ETA": moment(dice),
        "lastModified": moment(dice),
    }


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(repr(value) if isinstance(value, float) else str(value))


def path(form):
    """Where the service speaks a format, as SOAP 1.1."""
    return "/" + form.removeprefix("ng-")


def root(form, operation, suffix=""):
    """The name of the body's child."""
    bare = form in ("ng-doc-literal", "ng-doc-encoded")
    return "CustomerServices" if bare else operation + suffix


def envelope(form, values, operation="echo", version=1):
    """A request, written as a toolkit other than gSOAP might."""
    encoded = form.endswith("encoded")
    style = f' s:encodingStyle="{ENCODING[version]}"' if encoded else ""
    name = root(form, operation)
    if form.startswith("ng-doc-literal"):
        begin, end = f'<{name} xmlns="{NAMESPACE}">', f"</{name}>"
    else:
        on_child = style if version == 2 else ""
        begin, end = f'<n:{name} xmlns:n="{NAMESPACE}"{on_child}>', f"</n:{name}>"
    declared = (f' xmlns:xsi="{XSI}" xmlns:xsd="{XSD}" xmlns:c="{ENCODING[version]}"'
                f' xmlns:t="{NAMESPACE}"' if encoded else "")
    body = element("header", "string", values["header"], encoded)
    for group, entry, fields in LISTS:
        if values[group]:
            body += entries(group, entry, fields, values[group], encoded, version)
    return (f'<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="{ENVELOPE[version]}"'
            f'{declared}><s:Body{style if version == 1 else ""}>{begin}{body}{end}</s:Body>'
            "</s:Envelope>").encode()


def element(name, kind, value, typed):
    type_of = f' xsi:type="xsd:{kind}"' if typed else ""
    return f"<{name}{type_of}>{text(value)}</{name}>"


def entries(group, entry, fields, values, encoded, version):
    array, item = "", f"<{entry}>"
    if encoded:
        array = (f' xsi:type="c:Array" c:arrayType="t:{entry}[{len(values)}]"' if version == 1 else
                 f' c:itemType="t:{entry}" c:arraySize="{len(values)}"')
        item = f'<{entry} xsi:type="t:{entry}">'
    inside = "".join(
        item + "".join(element(name, kind, value[name], encoded) for name, kind in fields) +
        f"</{entry}>" for value in values)
    return f"<{group}{array}>{inside}</{group}>"


def read(data):
    """(name of the body's child, message); a ValueError says what is wrong."""
    body = next((part for version in (1, 2)
                 for part in tree.fromstring(data).iter(f"{{{ENVELOPE[version]}}}Body")), None)
    if body is None or not len(body):
        raise ValueError("no body")
    referred = {part.get("id"): part for part in body}
    values = {"header": None, "customers": [], "products": []}
    for part in body[0]:
        if local(part) == "header":
            values["header"] = part.text
        for group, _, fields in LISTS:
            if local(part) == group:
                values[group] = [read_entry(target(entry, referred), fields)
                                 for entry in target(part, referred)]
    return local(body[0]), values


def target(part, referred):
    """What an element refers to in the SOAP encoding, or itself."""
    reference = part.get("href")
    return referred[reference.removeprefix("#")] if reference else part


def local(part):
    return part.tag.rpartition("}")[2]


def to_milliseconds(value):
    """A moment with three digits, however many of them are written."""
    seconds, _, digits = value.removesuffix("Z").partition(".")
    return f"{seconds}.{digits:0<3}Z"


def read_entry(entry, fields):
    parse = {"string": str, "dateTime": to_milliseconds, "boolean": {"true": True, "false": False}.get,
             "long": int, "double": float}
    found = {local(part): part.text or "" for part in entry}
    if set(found) != {name for name, _ in fields}:
        raise ValueError(f"{local(entry)} has {sorted(found)}")
    return {name: parse[kind](found[name]) for name, kind in fields}

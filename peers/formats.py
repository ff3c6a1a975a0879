"""Plain encoders and decoders of the wire forms, for corpora and comparison.

A message is a dict: a field's name gives its value, a component's name a dict, a group's
name a list of dicts; what is absent has no key. Dates and times are in the FIX form
without ending zeros of the fraction, so that equal values compare equal.
"""

import base64
import operator
import struct
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape

from listing import Component, Field

SOAP_OPENING = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"'
    ' xmlns:SOAP-ENC="http://schemas.xmlsoap.org/soap/encoding/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema">'
)
SOAP_ENVELOPE = "{http://schemas.xmlsoap.org/soap/envelope/}"
ENCODING_STYLE = "http://schemas.xmlsoap.org/soap/encoding/"
# What elements are called.
NAME = operator.attrgetter("name")
SHORT = operator.attrgetter("short")


def number_text(value):
    """The shortest decimal text without an exponent."""
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return text or "0"


def fix_value(kind, value):
    """A value as FIX writes it, in bytes."""
    if kind == "boolean":
        return b"Y" if value else b"N"
    if kind == "decimal":
        return number_text(value).encode()
    if kind == "bytes":
        return value
    return str(value).encode()


def plain_time(text):
    """A FIX date or time without ending zeros of the fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def fix_parse(kind, value):
    """The inverse of fix_value."""
    if kind == "bytes":
        return value
    text = value.decode()
    if kind == "boolean":
        return {"Y": True, "N": False}[text]
    if kind in ("u32", "i32"):
        return int(text)
    if kind == "decimal":
        return float(text)
    return plain_time(text) if kind in ("time", "timestamp") else text


def xml_value(kind, value):
    """A value as the content of an element."""
    if kind == "boolean":
        return "true" if value else "false"
    if kind == "decimal":
        return number_text(value)
    if kind == "bytes":
        return base64.b64encode(value).decode()
    if kind == "date":
        return xml_date(value)
    if kind == "time":
        return value if "." in value else value + ".000"
    if kind == "timestamp":
        date, time = value.split("-")
        return f"{xml_date(date)}T{xml_value('time', time)}"
    return escape(str(value))


def xml_date(date):
    return f"{date[:4]}-{date[4:6]}-{date[6:]}"


def xml_parse(kind, text):
    """The inverse of xml_value, for text already without entities."""
    if kind == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}[text]
    if kind == "bytes":
        return base64.b64decode(text, validate=True)
    if kind in ("date", "timestamp"):
        text = text.replace("-", "").replace("T", "-")
    return fix_parse(kind, text.encode())


def soap_encode(schema, message, rpc, name=NAME):
    """A SOAP 1.1 envelope, rpc/encoded as in the paper's Figure 6 or document/literal; `name` gives the
    name of an element, NAME or SHORT."""
    style = f' SOAP-ENV:encodingStyle="{ENCODING_STYLE}"' if rpc else ""
    body = element(name(schema.message), "".join(xml_items(schema.message, message, name)))
    if rpc:
        body = element("sendMessage", body)
    return (
        f"{SOAP_OPENING}<SOAP-ENV:Body{style}>{body}</SOAP-ENV:Body></SOAP-ENV:Envelope>"
    ).encode()


def element(name, content):
    return f"<{name}>{content}</{name}>"


def xml_items(record, values, name):
    for item in record.items:
        if item.name not in values:
            continue
        value = values[item.name]
        if isinstance(item, Field):
            yield element(name(item), xml_value(item.kind, value))
        elif isinstance(item, Component):
            yield element(name(item), "".join(xml_items(item.record, value, name)))
        else:
            yield element(name(item), "".join(
                element(name(item.record), "".join(xml_items(item.record, entry, name)))
                for entry in value
            ))


def soap_decode(schema, data, rpc, name=NAME):
    """The message in an envelope; ValueError for anything that has no place in it."""
    root = ElementTree.fromstring(data)
    body = root.find(SOAP_ENVELOPE + "Body")
    if rpc and body.get(SOAP_ENVELOPE + "encodingStyle") != ENCODING_STYLE:
        raise ValueError("encodingStyle is missing")
    message = name(schema.message)
    path = f"sendMessage/{message}" if rpc else message
    return xml_record(schema.message, body.find(path), name)


def xml_record(record, node, name):
    items = {name(item): item for item in record.items}
    values = {}
    for child in node:
        item = items.get(child.tag)
        if item is None or item.name in values:
            raise ValueError(f"element {child.tag} has no place in {record.name}")
        if isinstance(item, Field):
            values[item.name] = xml_parse(item.kind, child.text or "")
        elif isinstance(item, Component):
            values[item.name] = xml_record(item.record, child, name)
        else:
            values[item.name] = xml_entries(item, child, name)
    return values


def xml_entries(group, node, name):
    if any(entry.tag != name(group.record) for entry in node):
        raise ValueError(f"an element of {group.name} is no {name(group.record)}")
    return [xml_record(group.record, entry, name) for entry in node]


def fix_encode(schema, message):
    """A FIX 4.3 message, the header in the listing's order."""
    fields = b"35=" + schema.message_type.encode() + b"\x01"
    fields += b"".join(fix_items(schema.message, message))
    start = b"8=FIX.4.3\x019=%d\x01" % len(fields) + fields
    return start + b"10=%03d\x01" % (sum(start) % 256)


def fix_items(record, values):
    for item in record.items:
        if item.name not in values:
            continue
        value = values[item.name]
        if isinstance(item, Field):
            if item.length_tag:
                yield b"%d=%d\x01" % (item.length_tag, len(value))
            yield b"%d=%s\x01" % (item.tag, fix_value(item.kind, value))
        elif isinstance(item, Component):
            yield from fix_items(item.record, value)
        else:
            yield b"%d=%d\x01" % (item.count_tag, len(value))
            for entry in value:
                yield from fix_items(item.record, entry)


def fix_decode(schema, data):
    """The message in FIX bytes; body length and checksum are checked."""
    fields = list(fix_split(schema, data))
    tags = [tag for tag, _ in fields]
    if tags[:3] != [8, 9, 35] or tags[-1] != 10 or fields[2][1] != schema.message_type.encode():
        raise ValueError("the standard header or trailer is not in its place")
    body = data.index(b"\x0135=") + 1
    if int(fields[1][1]) != len(data) - body - 7:
        raise ValueError("BodyLength is wrong")
    if fields[-1][1] != b"%03d" % (sum(data[:-7]) % 256):
        raise ValueError("CheckSum is wrong")
    rest = fields[3:-1]
    values = fix_record(schema.message, rest)
    if rest:
        raise ValueError(f"field {rest[0][0]} has no place in the message")
    return values


def fix_split(schema, data):
    lengths = {
        item.length_tag: item.tag
        for record in schema.records
        for item in record.items if isinstance(item, Field) and item.length_tag
    }
    at = 0
    while at < len(data):
        equal = data.index(b"=", at)
        tag = int(data[at:equal])
        end = data.index(b"\x01", equal)
        value = data[equal + 1:end]
        at = end + 1
        if tag in lengths:
            start = data.index(b"=", at) + 1
            tag, value = lengths[tag], data[start:start + int(value)]
            at = start + len(value) + 1
        yield tag, value


def fix_record(record, fields):
    """Takes the fields that belong to `record` from the front of `fields`."""
    paths = {
        item.tag if isinstance(item, Field) else item.count_tag: (path, item)
        for path, item in record.paths()
    }
    values = {}
    while fields and fields[0][0] in paths:
        path, item = paths[fields[0][0]]
        place = values
        for part in path[:-1]:
            place = place.setdefault(part, {})
        if path[-1] in place:
            break
        value = fields.pop(0)[1]
        if isinstance(item, Field):
            place[path[-1]] = fix_parse(item.kind, value)
        else:
            place[path[-1]] = [fix_record(item.record, fields) for _ in range(int(value))]
    return values


class CdrWriter:
    """CDR with alignment from byte 0; `order` is < or >."""

    def __init__(self, order):
        self.order = order
        self.data = bytearray()

    def pack(self, form, value):
        size = struct.calcsize("=" + form)
        self.data += bytes(-len(self.data) % size)
        self.data += struct.pack(self.order + form, value)

    def value(self, kind, value):
        if kind == "bytes":
            self.pack("I", len(value))
            self.data += value
        elif kind in CDR_FORMS:
            self.pack(CDR_FORMS[kind], value.encode() if kind == "code" else value)
        else:
            text = value.encode() + b"\0"
            self.pack("I", len(text))
            self.data += text

    def record(self, record, values):
        for item in record.items:
            if isinstance(item, Component):
                self.record(item.record, values.get(item.name, {}))
            elif isinstance(item, Field):
                self.field(item, values)
            else:
                entries = values.get(item.name, [])
                self.pack("I", len(entries))
                for entry in entries:
                    self.record(item.record, entry)

    def field(self, item, values):
        if item.required:
            # An absent component is there in CDR, with nothing in it.
            self.value(item.kind, values.get(item.name, ""))
        else:
            self.pack("?", item.name in values)
            if item.name in values:
                self.value(item.kind, values[item.name])


CDR_FORMS = {"boolean": "?", "u32": "I", "i32": "i", "decimal": "d", "code": "c"}


class CdrReader:
    """The inverse of CdrWriter; padding may hold anything."""

    def __init__(self, data, order):
        self.data = data
        self.order = order
        self.at = 0

    def unpack(self, form):
        size = struct.calcsize("=" + form)
        self.at += -self.at % size
        value, = struct.unpack_from(self.order + form, self.data, self.at)
        self.at += size
        return value

    def value(self, kind):
        if kind in CDR_FORMS:
            value = self.unpack(CDR_FORMS[kind])
            return value.decode() if kind == "code" else value
        size = self.unpack("I")
        value = self.data[self.at:self.at + size]
        self.at += size
        if kind == "bytes":
            return value
        if not value.endswith(b"\0"):
            raise ValueError("a string has no NUL at its end")
        return fix_parse(kind, value[:-1])

    def record(self, record):
        values = {}
        for item in record.items:
            if isinstance(item, Component):
                values[item.name] = self.record(item.record)
            elif isinstance(item, Field):
                if item.required or self.unpack("?"):
                    values[item.name] = self.value(item.kind)
            else:
                values[item.name] = [self.record(item.record) for _ in range(self.unpack("I"))]
        return values


def cdr_encode(schema, message, order):
    """The bare structure in CDR."""
    writer = CdrWriter(order)
    writer.record(schema.message, message)
    return bytes(writer.data)


def cdr_decode(schema, data, order):
    """The message in CDR; ValueError for bytes left over."""
    reader = CdrReader(data, order)
    values = reader.record(schema.message)
    if reader.at != len(data):
        raise ValueError(f"{len(data) - reader.at} bytes are left over")
    return values


FORMATS = {
    "soap-rpc": (lambda s, m: soap_encode(s, m, True), lambda s, d: soap_decode(s, d, True)),
    "soap-doc": (lambda s, m: soap_encode(s, m, False), lambda s, d: soap_decode(s, d, False)),
    "soap-compact": (lambda s, m: soap_encode(s, m, True, SHORT),
                     lambda s, d: soap_decode(s, d, True, SHORT)),
    "fix": (fix_encode, fix_decode),
    "cdr-le": (lambda s, m: cdr_encode(s, m, "<"), lambda s, d: cdr_decode(s, d, "<")),
    "cdr-be": (lambda s, m: cdr_encode(s, m, ">"), lambda s, d: cdr_decode(s, d, ">")),
}


def canonical(values):
    """Without what holds nothing: empty text, components and groups."""
    if isinstance(values, dict):
        slim = {name: canonical(value) for name, value in values.items()}
        return {name: value for name, value in slim.items() if value not in ("", {}, [])}
    if isinstance(values, list):
        return [canonical(value) for value in values]
    return values


def difference(expected, found, path=""):
    """The first place where two messages differ, or None."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in list(expected) + list(found):
            where = difference(expected.get(name), found.get(name), f"{path}/{name}")
            if where:
                return where
        return None
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, pair in enumerate(zip(expected, found)):
            where = difference(*pair, f"{path}[{number}]")
            if where:
                return where
        return None
    if expected == found:
        return None
    return f"{path} is {found!r}, not {expected!r}"

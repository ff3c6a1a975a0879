"""Reads a message listing (market-data.schema) into records.

One item a line, TAB separated, in wire order:

    message    NAME MSGTYPE
    component  NAME PRESENCE
    group      NAME COUNT_TAG ENTRY_NAME PRESENCE
    field      NAME TAG KIND PRESENCE [LENGTH_TAG]
    end

A record is a structure of its own: the message, a component or a group's entry. What becomes an element
has a `short` name besides: `f` or `g` and the tag of FIX, `c` and the number of the component in the
message or entry, `e` and the number of the entry, where the message is 0.
"""

from dataclasses import dataclass, field as member

KINDS = (
    "boolean", "u32", "i32", "decimal", "text", "code", "bytes", "date", "time", "timestamp",
)


@dataclass
class Field:
    """A value: `length_tag` is 0 except for bytes."""

    name: str
    tag: int
    kind: str
    required: bool
    length_tag: int = 0

    @property
    def short(self):
        return f"f{self.tag}"


@dataclass
class Component:
    """A part of a record that has no bytes of its own in FIX."""

    name: str
    record: "Record"
    required: bool
    short: str = ""


@dataclass
class Group:
    """A repeated record; `name` is the list's name, `record` its entry."""

    name: str
    count_tag: int
    record: "Record"
    required: bool

    @property
    def short(self):
        return f"g{self.count_tag}"


@dataclass
class Record:
    """`type` is unique in the listing, `name` is the element's name; a component has no `short` one."""

    name: str
    type: str
    items: list = member(default_factory=list)
    short: str = ""

    def delimiter(self):
        """The tag that begins an entry: that of the first field."""
        first = self.items[0]
        return first.tag if isinstance(first, Field) else first.record.delimiter()

    def paths(self, prefix=()):
        """Every (path, item) that lies in this record's own part of a FIX message."""
        for item in self.items:
            if isinstance(item, Component):
                yield from item.record.paths(prefix + (item.name,))
            else:
                yield prefix + (item.name,), item


@dataclass
class Listing:
    """`records` has inner records before those that hold them; the message is last."""

    message: Record
    message_type: str
    records: list


class ListingError(Exception):
    """What is wrong with a listing, and in which line."""


def presence(word):
    if word not in ("required", "optional", "implied"):
        raise ValueError(f"presence is {word!r}, not required or optional")
    return word == "required"


def read(path):
    """Reads the listing in the file `path`; ListingError names the line at fault."""
    with open(path, encoding="utf-8") as lines:
        reader = _Reader()
        for number, line in enumerate(lines, 1):
            try:
                reader.item(line.rstrip("\n").split("\t"))
            except (ValueError, IndexError) as error:
                raise ListingError(f"{path} line {number}: {error}") from error
    if reader.open or reader.listing is None:
        raise ListingError(f"{path}: an end is missing")
    return reader.listing


class _Reader:
    def __init__(self):
        self.open = []
        self.types = set()
        self.done = []
        self.listing = None
        self.entries = 0
        # In the message and in each entry that is open.
        self.components = []

    def item(self, words):
        if words[0] == "message":
            self.listing = Listing(self._begin(words[1]), words[2], self.done)
        elif words[0] == "component":
            required = presence(words[2])
            short = f"c{self.components[-1]}"
            self.components[-1] += 1
            self._add(Component(words[1], Record(words[1], words[1]), required, short))
        elif words[0] == "group":
            required = presence(words[4])
            self._add(Group(words[1], int(words[2]), self._entry(words[3]), required))
        elif words[0] == "field":
            if words[3] not in KINDS:
                raise ValueError(f"kind {words[3]!r} is not known")
            length = int(words[5]) if len(words) > 5 else 0
            if (words[3] == "bytes") != bool(length):
                raise ValueError("bytes, and only bytes, have a length field")
            self._add(Field(words[1], int(words[2]), words[3], presence(words[4]), length))
        elif words[0] == "end":
            record = self.open.pop()
            self.done.append(record)
            if record.short:
                self.components.pop()
        else:
            raise ValueError(f"item {words[0]!r} is not known")

    def _entry(self, name):
        """The record of the message or of a group's entry."""
        record = Record(name, name, short=f"e{self.entries}")
        self.entries += 1
        self.components.append(0)
        return record

    def _begin(self, name):
        record = self._entry(name)
        self._enter(record)
        return record

    def _add(self, item):
        self.open[-1].items.append(item)
        if not isinstance(item, Field):
            self._enter(item.record)

    def _enter(self, record):
        if record.type in self.types:
            record.type = self.open[-1].type + record.type
        self.types.add(record.type)
        self.open.append(record)

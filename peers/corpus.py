"""Makes small corpora of messages, the same ones for a seed, and frames them."""

import random
import struct

from listing import Component, Field

TEXTS = ("CBG", "a & b", "<tag>", "x > y", "\"quoted\" 'text'", "Zürich €", "last one")


def trades(count, seed=2003):
    """Trade reports as in the paper's Figure 3: 4 header and 12 entry fields, 1 to 10 entries."""
    dice = random.Random(seed)
    return [trade_message(dice, number, number % 10 + 1) for number in range(count)]


def trade_message(dice, number, entries):
    return {
        "Header": {
            "Sender": {"CompID": "ABC"},
            "Target": {"CompID": "XYZ"},
            "MsgSeqNum": 1000 + number,
            "SendingTime": f"20021128-18:{dice.randrange(60):02}:{dice.randrange(60):02}",
        },
        "ApplicationMessage": {
            "MarketDataInc": {"MDInclList": [trade(dice) for _ in range(entries)]},
        },
    }


def trade(dice):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return {
        "MDUpdateAction": "0",
        "MDEntryType": "2",
        "MDEntryID": f"T{dice.randrange(10**6):06}",
        "Instrument": {"Symbol": "".join(dice.choices(letters, k=3)), "CFICode": "ESXXXX"},
        "MDEntryPx": dice.randrange(1, 10**5) / 100,
        "MDEntrySize": float(dice.randrange(1, 5000)),
        "MDEntryDate": "20021125",
        "MDEntryTime": f"{dice.randrange(24):02}:{dice.randrange(60):02}:{dice.randrange(60):02}",
        "SellerDays": 3,
        "MDEntryBuyer": str(dice.randrange(1000, 9999)),
        "MDEntrySeller": str(dice.randrange(1000, 9999)),
    }


def mixed(schema, count, seed=1941):
    """Trade reports with any other field set now and then, from none to nearly all."""
    dice = random.Random(seed)
    messages = trades(count, seed)
    for message in messages:
        add_others(dice, schema.message, message, dice.choice((0.02, 0.2, 0.9)))
    return messages


def add_others(dice, record, values, chance):
    for item in record.items:
        absent = item.name not in values
        if absent and not item.required and dice.random() > chance:
            continue
        if isinstance(item, Field):
            if absent:
                values[item.name] = some_value(dice, item.kind)
        elif isinstance(item, Component):
            part = values.setdefault(item.name, {})
            add_others(dice, item.record, part, chance)
            if not part:
                del values[item.name]
        else:
            entries = values.setdefault(item.name, [{} for _ in range(dice.randrange(1, 4))])
            for entry in entries:
                add_others(dice, item.record, entry, chance)
                if not entry:
                    # An entry begins with its first field, whatever its presence.
                    entry[item.record.items[0].name] = some_value(dice, item.record.items[0].kind)
                first = item.record.items[0]
                entry.setdefault(first.name, some_value(dice, first.kind))


def some_value(dice, kind):
    date = f"20{dice.randrange(100):02}{dice.randrange(1, 13):02}{dice.randrange(1, 29):02}"
    time = f"{dice.randrange(24):02}:{dice.randrange(60):02}:{dice.randrange(60):02}"
    if dice.random() < 0.5:
        time += f".{dice.randrange(100):02}{dice.randrange(1, 10)}"
    return {
        "boolean": lambda: dice.random() < 0.5,
        # QuickFIX has no unsigned numbers.
        "u32": lambda: dice.choice((0, 1, 2147483647, dice.randrange(2**31))),
        "i32": lambda: dice.choice((0, -2147483648, 2147483647, dice.randrange(-999, 999))),
        "decimal": lambda: dice.choice((0.0, -0.25, 123456789.5, dice.randrange(10**6) / 10**4)),
        "text": lambda: dice.choice(TEXTS),
        "code": lambda: dice.choice("0123456789ABCDEF<&"),
        "bytes": lambda: bytes(dice.choices((1, 10, 61, 0, 255, 97, 60), k=dice.randrange(1, 40))),
        "date": lambda: date,
        "time": lambda: time,
        "timestamp": lambda: f"{date}-{time}",
    }[kind]()


def write(path, messages):
    """Frames the encoded messages: length as u32, little-endian, then the bytes."""
    with open(path, "wb") as out:
        for message in messages:
            out.write(struct.pack("<I", len(message)) + message)


def read(path):
    """The inverse of write."""
    with open(path, "rb") as file:
        data = file.read()
    messages = []
    at = 0
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        messages.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return messages

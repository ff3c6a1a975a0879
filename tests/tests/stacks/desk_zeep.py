"""The desk through zeep, by its WSDL alone.

usage: desk_zeep.py WSDL
"""

import datetime
import decimal
import sys

from zeep import Client, Settings
from zeep.exceptions import Fault

TOKEN = "T-1 <&>"
WEST = datetime.timezone(datetime.timedelta(hours=-5))
EAST = datetime.timezone(datetime.timedelta(hours=1))


def order():
    return {
        "id": 7,
        "channel": "fax & phone",
        "side": "SellShort",
        "limit": decimal.Decimal("6.35"),
        "buyer": {"code": 5, "name": "Z\u00fcrich <&>", "city": "Z"},
        "notes": ["one", "two  words"],
        "legs": [{"symbol": "IBM", "quantity": 5_000_000_000, "ratio": 0.5}, {"symbol": "CBG", "quantity": -1}],
        "sizes": {"item": [1, -2, 3]},
        "quantity": 5_000_000_000,
        "rate": 0.25,
        "total": decimal.Decimal("12345678.25"),
        "open": True,
        "raw": b"\x00\xff\x0a",
        "at": datetime.datetime(2026, 2, 28, 23, 30, 15, 250_000, tzinfo=WEST),
        "day": datetime.date(2026, 2, 28),
        "clock": datetime.time(10, 15, 30, tzinfo=EAST),
        "hold": datetime.timedelta(days=1, hours=2),
    }


def main():
    client = Client(sys.argv[1])
    sent = order()
    for _ in range(2):
        # The second time with what came back.
        answer = client.service.place(order=sent, _soapheaders={"Session": {"token": TOKEN}})
        print("receipt", answer.header.Receipt.number)
        sent = answer.body.placed
    try:
        client.service.refuse(quantity=8)
    except Fault as fault:
        # The detail is an element until its type is asked.
        limit = client.get_element("{urn:desk}Limit").parse(fault.detail[0], client.wsdl.types)
        steps = " ".join(str(step) for step in limit.window.steps)
        print(f"{fault.message}: {limit.most} {limit.why} until {limit.window.until} {steps}")


main()

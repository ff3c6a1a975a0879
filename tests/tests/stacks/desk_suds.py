"""The desk through suds, by its WSDL alone.

usage: desk_suds.py WSDL
"""

import datetime
import sys

from suds import WebFault
from suds.client import Client
from suds.plugin import MessagePlugin

TOKEN = "T-1 <&>"


class Receipts(MessagePlugin):
    """What suds does not hand out: the header blocks of answers."""

    def parsed(self, context):
        receipt = context.reply.childAtPath("Envelope/Header/Receipt/number")
        if receipt is not None:
            print("receipt", receipt.getText())


def order(client):
    def made(kind, **members):
        value = client.factory.create(kind)
        for name, member in members.items():
            setattr(value, name, member)
        return value

    order = made(
        "Order",
        _id=7,
        _channel="fax & phone",
        side="SellShort",
        limit="6.35",
        notes=["one", "two  words"],
        legs=[
            made("Leg", symbol="IBM", quantity=5_000_000_000, ratio=0.5),
            made("Leg", symbol="CBG", quantity=-1),
        ],
        quantity=5_000_000_000,
        rate=0.25,
        total="12345678.25",
        open=True,
        raw="AP8K",
        at="2026-02-28T23:30:15.25-05:00",
        day=datetime.date(2026, 2, 28),
        clock="10:15:30+01:00",
        hold="P1DT2H",
    )
    order.buyer = made("Order.buyer", _code=5, name="Z\u00fcrich <&>", city="Z")
    order.sizes = {"item": [1, -2, 3]}
    return order


def main():
    client = Client(sys.argv[1], cache=None, plugins=[Receipts()])
    session = client.factory.create("Session")
    session.token = TOKEN
    client.set_options(soapheaders=session)
    sent = order(client)
    for _ in range(2):
        # The second time with what came back.
        sent = client.service.place(sent)
    try:
        client.service.refuse(8)
    except WebFault as fault:
        limit = fault.fault.detail.Limit
        steps = " ".join(str(step) for step in limit.window.steps)
        print(f"{fault.fault.faultstring}: {limit.most} {limit.why} until {limit.window.until} {steps}")


main()

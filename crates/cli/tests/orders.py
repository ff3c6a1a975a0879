"""A producer and a consumer by Python's websockets, over a router that dies.

usage: orders.py COUNT; each line on standard input is the address of the router from now on.

Prints `stored SEQUENCE` and `delivered SEQUENCE POSITION REPEATED`, and `done` when everything is stored, delivered and
acknowledged.
"""

import asyncio
import json
import os
import sys
import threading

import websockets

COUNT = int(sys.argv[1])
WINDOW = 50  # Messages without `stored`.


def say(*words):
    print(*words, flush=True)


class Addresses:
    """The newest address that came on standard input."""

    def __init__(self):
        self.newest = None
        self.changed = asyncio.Event()
        loop = asyncio.get_running_loop()
        # It waits for a line when everything else is done.
        threading.Thread(target=self.read, args=[loop], daemon=True).start()

    def read(self, loop):
        for line in sys.stdin:
            loop.call_soon_threadsafe(self.change, line.strip())

    def change(self, newest):
        self.newest = newest
        self.changed.set()

    async def other_than(self, old):
        while self.newest == old:
            self.changed.clear()
            await self.changed.wait()
        return self.newest


class Producer:
    def __init__(self):
        self.stored = 0  # All up to this sequence are stored.
        self.sent = 0

    async def converse(self, router):
        await router.send(json.dumps({"producer": "desk-7"}))
        last = json.loads(await router.recv())["producing"]["last"]
        assert self.stored <= last <= self.sent, f"{self.stored} were stored, and now {last}"
        await self.send(router, range(self.stored + 1, self.sent + 1), True)
        await self.fill(router)
        while self.stored < COUNT:
            told = json.loads(await router.recv())["stored"]
            assert told["disk"] == 1, told
            self.stored = told["sequence"]
            say("stored", self.stored)
            await self.fill(router)

    async def fill(self, router):
        fresh = range(self.sent + 1, min(COUNT, self.stored + WINDOW) + 1)
        self.sent = max(self.sent, fresh.stop - 1)
        await self.send(router, fresh, False)

    async def send(self, router, sequences, repeated):
        for sequence in sequences:
            store = {"store": f"orders/{sequence % 7}", "sequence": sequence, "repeated": repeated}
            if sequence % 3:
                await router.send(json.dumps({**store, "payload": str(sequence)}))
            else:
                await router.send(json.dumps({**store, "binary": True}))
                await router.send(str(sequence).encode())


class Consumer:
    def __init__(self):
        self.came = set()

    async def converse(self, router):
        consume = {"consume": 3, "name": "gateway", "pattern": "orders/*", "start": "all", "window": 20}
        await router.send(json.dumps({**consume, "wants_acknowledged": True}))
        assert "consuming" in json.loads(await router.recv())
        acknowledged = kept = 0
        while len(self.came) < COUNT or kept < acknowledged:
            told = json.loads(await router.recv())
            if "acknowledged" in told:
                assert told["acknowledged"]["disk"] == 1, told
                kept = told["acknowledged"]["acknowledgements"]
                continue
            it = told["delivery"]
            payload = it["payload"] if "payload" in it else (await router.recv()).decode()
            self.came.add(payload)
            say("delivered", payload, it["position"], it.get("repeated", False))
            await router.send(json.dumps({"acknowledge": 3, "position": it["position"]}))
            acknowledged += 1


async def over_deaths(client, addresses):
    """Lets a client converse until it is done, with one router after the other."""
    address = None
    while True:
        address = await addresses.other_than(address)
        try:
            async with websockets.connect(f"{address}?name=python") as router:
                assert "welcome" in json.loads(await router.recv())
                return await client.converse(router)
        except (OSError, websockets.ConnectionClosed, websockets.InvalidMessage):
            pass


async def main():
    addresses = Addresses()
    await asyncio.gather(over_deaths(Producer(), addresses), over_deaths(Consumer(), addresses))
    say("done")


asyncio.run(main())
# The thread that reads holds standard input.
os._exit(0)

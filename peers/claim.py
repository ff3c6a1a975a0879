"""What a peer says of its own times, held to bounds as the lab has them (crates/lab/src/peer/claim.rs)."""

import os
import time

from peer import Failure

# What Linux counts the time of a process in, in nanoseconds (USER_HZ), and the line to read before the
# work and the one to write after it.
TICK = 10_000_000
AROUND = 1_000_000


def used(process):
    """CPU time so far: by thread, and in ticks of all threads and children that there have been."""
    threads = {}
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as file:
                threads[thread] = int(file.read().split()[0])
        except FileNotFoundError:
            pass
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return threads, sum(map(int, fields[11:15]))


def least(before, after, is_long):
    """The least that work can have taken between two readings."""
    (threads, ticks), (threads_after, ticks_after) = before, after
    since = [spent - threads.get(thread, 0) for thread, spent in threads_after.items()]
    if len(threads) == len(threads_after) == 1:
        return max((ticks_after - ticks - 2) * TICK, since[0]) * 4 // 5 - AROUND
    # Others may compile or collect meanwhile, but do not keep anybody waiting for a second.
    return max(since) // 4 - 5 * AROUND if is_long else 0


def run(peer, question, messages):
    """Asks a peer to `run`; nanoseconds a message, or None where it answers by an error."""
    before, asked = used(peer.process.pid), time.monotonic_ns()
    answer = peer.ask(question)
    waited, after = time.monotonic_ns() - asked, used(peer.process.pid)
    if answer[0] == "error":
        return None
    spent, count = (int(figure) for figure in answer[0].split(","))
    if count != messages or spent <= 0:
        raise Failure(f"{question} answered {answer[0]}")
    is_long = waited > 20 * spent + 1_000_000_000
    lowest, highest = max(count, least(before, after, is_long)), waited + waited // 100 + 10_000
    if not lowest <= spent <= highest:
        raise Failure(f"{question} answered {answer[0]}, but it took {lowest} to {highest} ns")
    return spent / count

"""Tries a broker once, through the program that has the adaptors of all."""

import subprocess

from peer import Absent, Failure

SUBJECTS = ("nats", "nats-latest", "redis", "mosquitto", "mosquitto-nodelay", "zeromq", "iceoryx2",
            "jetstream-always", "jetstream-default", "redis-always", "redis-everysec")
SECONDS = 120
# The status of the program where the broker is not here.
ABSENT = 3


def check(path, subject):
    """Lets the program start the broker and send itself messages; returns what it says of that."""
    done = subprocess.run([path, subject, "check"], capture_output=True, text=True, timeout=SECONDS,
                          check=False)
    said = " ".join((done.stdout or done.stderr).split())
    if done.returncode == ABSENT:
        raise Absent(said)
    if done.returncode != 0:
        raise Failure(said or f"ended with status {done.returncode}")
    return said

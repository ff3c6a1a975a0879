"""A running peer, and what is expected of it."""

import subprocess
import threading

import formats

ANSWER_SECONDS = 60


class Failure(Exception):
    """What a peer did wrong."""


class Absent(Exception):
    """Why a peer cannot be tried here, which is no failure."""


class Peer:
    """A running peer. One that does not answer in time is killed."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def send(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def answer(self, line):
        """The words of the answer to a line that was sent."""
        timer = threading.Timer(ANSWER_SECONDS, self.process.kill)
        timer.start()
        answer = self.process.stdout.readline()
        timer.cancel()
        if not answer:
            raise Failure(f"died at: {line} (status {self.process.wait()})")
        return answer.split()

    def ask(self, line):
        """Sends a line and returns the answer's words."""
        self.send(line)
        return self.answer(line)

    def expect(self, line, *words):
        self.send(line)
        return self.expect_answer(line, *words)

    def expect_answer(self, line, *words):
        answer = self.answer(line)
        if answer[:len(words)] != list(words):
            raise Failure(f"answered {' '.join(answer)!r} to: {line}")
        return answer[len(words):]

    def expect_error(self, line):
        self.send(line)
        self.expect_error_answer(line)

    def expect_error_answer(self, line):
        answer = self.answer(line)
        if answer[0] != "error":
            raise Failure(f"answered {' '.join(answer)!r}, not an error, to: {line}")

    def stop(self):
        self.send("stop")
        status = self.process.wait(ANSWER_SECONDS)
        if status:
            raise Failure(f"ended with status {status}")


def expect_messages(schema, form, what, messages, encoded):
    """The encoded messages must be those given."""
    if len(messages) != len(encoded):
        raise Failure(f"{form} {what}: {len(encoded)} messages instead of {len(messages)}")
    for number, (message, data) in enumerate(zip(messages, encoded)):
        try:
            decoded = formats.canonical(formats.FORMATS[form][1](schema, data))
        except Exception as error:
            raise Failure(f"{form} {what} message {number}: {error!r} in {data!r}") from error
        where = formats.difference(formats.canonical(message), decoded)
        if where:
            raise Failure(f"{form} {what} message {number}: {where}")

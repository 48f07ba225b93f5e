"""A small server on loopback that speaks the Messages API as far as these tests need it; a function decides each answer."""

from __future__ import annotations

import http.server
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Answer = dict[str, Any]


@dataclass
class Server:
    """What was asked, and who answers.

    An answer: {"json" | "text" | "blocks", "stop", "usage"} or {"status", "type", "message", "headers"}; "raw" bytes as they
    are, "delay" seconds, "drop" a cut connection.
    """

    answer: Callable[[dict[str, Any]], Answer]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    cached: set[str] = field(default_factory=set)

    @property
    def bodies(self) -> str:
        return "\n".join(json.dumps(one, ensure_ascii=False) for one in self.requests)

    def of(self, pass_: str) -> list[dict[str, Any]]:
        return [one for one in self.requests if pass_of(one) == pass_]


def pass_of(request: dict[str, Any]) -> str:
    return "extract" if "reading half" in request["system"][0]["text"] else "reconcile"


def message_of(request: dict[str, Any]) -> str:
    return "".join(block["text"] for block in request["messages"][0]["content"])


def turns_of(request: dict[str, Any]) -> dict[str, str]:
    """The person's new turns of an extraction: name → words."""
    text = message_of(request)
    mark = re.search(r"^=== (\w+) ", text, re.MULTILINE)[1]  # type: ignore[index]
    found = {}
    for part in text.split(f"--- {mark} ")[1:]:
        heading, _, words = part.partition("\n")
        if " person new " in heading:
            found[heading.split()[0]] = words.split(f"\n=== {mark}")[0].rstrip("\n")
    return found


def finding(text: str, turn: str, quote: str, **more: str) -> Answer:
    empty = dict.fromkeys(("subject", "slot", "value", "day"), "")
    kinds = {"kind": "convention", "scope": "project", "strength": "stated"}
    return kinds | empty | {"text": text, "turn": turn, "quote": quote} | more


def proposal(act: str, findings: list[str], entry: str = "", text: str = "", reason: str = "new") -> Answer:
    return {"act": act, "findings": findings, "entry": entry, "text": text, "reason": reason}


def diligent(request: dict[str, Any]) -> Answer:
    """A model that keeps each typed turn of six words and more as it stands, and adds every finding."""
    if pass_of(request) == "extract":
        turns = {name: words for name, words in turns_of(request).items() if len(words.split()) > 5}
        return {"json": {"findings": [finding(words, name, words) for name, words in turns.items()]}}
    names = re.findall(r"^--- \w+ (f\d+) ", message_of(request), re.MULTILINE)
    return {"json": {"proposals": [proposal("add", [name]) for name in names]}}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        mine = self.server_of
        mine.requests.append(body)
        mine.headers.append({name.lower(): value for name, value in self.headers.items()})
        made = mine.answer(body)
        time.sleep(made.get("delay", 0))
        if made.get("drop"):
            self.close_connection = True
            self.connection.close()
            return
        status = made.get("status", 200)
        if status != 200:
            error = {"type": made.get("type", "api_error"), "message": made.get("message", "no")}
            payload = json.dumps({"type": "error", "error": error}).encode()
        elif "raw" in made:
            payload = made["raw"]
        else:
            payload = json.dumps(self._message(body, made)).encode()
        try:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **made.get("headers", {})}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)
        except OSError:  # the client went away
            self.close_connection = True

    def _message(self, body: dict[str, Any], made: Answer) -> Answer:
        text = json.dumps(made["json"], ensure_ascii=False) if "json" in made else made.get("text", "")
        blocks = made.get("blocks", [{"type": "text", "text": text}])
        static = [block["text"] for block in body["system"]]
        prefix = json.dumps([body["model"], static])
        size, sent = len(prefix) // 4, len(json.dumps(body)) // 4
        read = size if prefix in self.server_of.cached else 0
        self.server_of.cached.add(prefix)
        usage = {
            "input_tokens": max(1, sent - size),
            "output_tokens": max(1, len(text) // 4),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": size - read,
        }
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": blocks,
            "stop_reason": made.get("stop", "end_turn"),
            "stop_sequence": None,
            "usage": made.get("usage", usage),
        }


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Answer] = diligent) -> Iterator[Server]:
    made = Server(answer)
    handler = type("Handler", (_Handler,), {"server_of": made})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


class Script:
    """Answers in their order; the last one again and again."""

    def __init__(self, *answers: Answer | Callable[[dict[str, Any]], Answer]) -> None:
        self.answers = list(answers)
        self.asked = 0

    def __call__(self, request: dict[str, Any]) -> Answer:
        made = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        return made(request) if callable(made) else made

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
class Batch:
    """Requests by custom id; `fates`: what became of one instead of success; "absent": no line at all."""

    id: str
    requests: dict[str, dict[str, Any]]
    created: str
    polls: int
    fates: dict[str, str] = field(default_factory=dict)
    canceled: bool = False
    replies: dict[str, Answer] = field(default_factory=dict)


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
    batches: dict[str, Batch] = field(default_factory=dict)
    polls: int = 0  # looks before a batch has ended
    takes_batches: Callable[[], Answer | None] = lambda: None  # an answer instead of taking one
    gone: set[str] = field(default_factory=set)  # batches that are not known any more
    asked: list[str] = field(default_factory=list)  # "METHOD path" of everything but messages
    models: dict[str, Answer] = field(default_factory=dict)
    counts: Callable[[dict[str, Any]], int] | None = None  # what count_tokens says; None: no such endpoint
    raw: list[bytes] = field(default_factory=list)  # bodies as they came
    token_status: int = 200  # of the place where a service account gets its token
    away: bool = False  # looks are answered with a cut connection
    now: Callable[[], str] = lambda: "2026-03-10T12:00:00Z"

    @property
    def bodies(self) -> str:
        return "\n".join(json.dumps(one, ensure_ascii=False) for one in self.requests)

    def of(self, pass_: str) -> list[dict[str, Any]]:
        return [one for one in self.requests if pass_of(one) == pass_]


def pass_of(request: dict[str, Any]) -> str:
    first = request["system"][0]["text"]
    if "make the older half of a conversation short" in first:
        return "summarise"
    return "extract" if "You are the reading half" in first else "reconcile"


def message_of(request: dict[str, Any]) -> str:
    """The question: the last message, of a conversation too."""
    return "".join(block["text"] for block in request["messages"][-1]["content"])


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
    if pass_of(request) == "summarise":
        return {"text": "The person names the rules of orchard one after the other."}
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

    def do_GET(self) -> None:
        mine, path = self.server_of, self.path.split("?")[0]
        mine.asked.append(f"GET {path}")
        if mine.away:
            self.close_connection = True
            self.connection.close()
            return
        if found := re.fullmatch(r"/v1/messages/batches/([^/]+)(/results)?", path):
            batch = mine.batches.get(found[1])
            if batch is None or batch.id in mine.gone:
                self._respond({"status": 404, "type": "not_found_error"}, {})
            elif found[2]:
                lines = [json.dumps(self._result(batch, name)) for name in batch.requests if self._told(batch, name)]
                self._respond({"raw": "".join(f"{line}\n" for line in reversed(lines)).encode()}, {})
            else:
                batch.polls -= 1
                self._respond({"raw": json.dumps(self._view(batch)).encode()}, {})
        elif path == "/v1/messages/batches":
            data = [self._view(batch) for batch in reversed(mine.batches.values()) if batch.id not in mine.gone]
            listed = {"data": data, "has_more": False, "first_id": None, "last_id": None}
            self._respond({"raw": json.dumps(listed).encode()}, {})
        elif (name := path.removeprefix("/v1/models/")) in mine.models:
            self._respond({"raw": json.dumps({"id": name, "type": "model"} | mine.models[name]).encode()}, {})
        else:
            self._respond({"status": 404, "type": "not_found_error"}, {})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        mine, path = self.server_of, self.path.split("?")[0]
        if path == "/token":  # where a service account gets its token
            mine.asked.append("POST /token")
            token = {"access_token": "token-of-nobody", "expires_in": 3600, "token_type": "Bearer"}
            said = {"raw": json.dumps(token).encode()}
            self._respond(said if mine.token_status == 200 else {"status": mine.token_status}, {})
            return
        body = json.loads(raw or b"{}")
        told = {name.lower(): value for name, value in self.headers.items()}
        if path == "/v1/messages/batches":
            self._take_batch(body)
            return
        if found := re.fullmatch(r"/v1/messages/batches/([^/]+)/cancel", path):
            mine.asked.append(f"POST {path}")
            mine.batches[found[1]].canceled = True
            self._respond({"raw": json.dumps(self._view(mine.batches[found[1]])).encode()}, {})
            return
        if path.endswith("/count_tokens"):
            mine.asked.append(f"POST {path}")
            said = {"raw": json.dumps({"input_tokens": mine.counts(body)}).encode()} if mine.counts else {"status": 404}
            self._respond(said, {})
            return
        mine.requests.append(body)
        mine.raw.append(raw)
        mine.headers.append(told | {":path": self.path})
        self._respond(mine.answer(body), body)

    def _take_batch(self, body: dict[str, Any]) -> None:
        mine = self.server_of
        mine.asked.append("POST /v1/messages/batches")
        refusal = mine.takes_batches()
        if refusal is not None and not refusal.get("taken"):
            self._respond(refusal, {})
            return
        made = Batch(
            f"msgbatch_{len(mine.batches) + 1}",
            {one["custom_id"]: one["params"] for one in body["requests"]},
            mine.now(),
            mine.polls,
        )
        mine.batches[made.id] = made
        for one in made.requests.values():
            mine.requests.append(one)
        self._respond(refusal or {"raw": json.dumps(self._view(made)).encode()}, {})

    def _told(self, batch: Batch, name: str) -> bool:
        return batch.fates.get(name) != "absent"

    def _result(self, batch: Batch, name: str) -> Answer:
        fate = batch.fates.get(name, "succeeded")
        result: Answer = {"type": fate}
        if fate == "succeeded":
            if name not in batch.replies:
                batch.replies[name] = self._message(batch.requests[name], self.server_of.answer(batch.requests[name]))
            result["message"] = batch.replies[name]
        elif fate == "errored":
            result["error"] = {"type": "error", "error": {"type": "api_error", "message": "no"}}
        return {"custom_id": name, "result": result}

    def _view(self, batch: Batch) -> Answer:
        ended = batch.polls < 0
        fates = [batch.fates.get(name, "succeeded").replace("absent", "succeeded") for name in batch.requests]
        counts = {kind: fates.count(kind) if ended else 0 for kind in ("succeeded", "errored", "canceled", "expired")}
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "created_at": batch.created,
            "expires_at": batch.created,
            "ended_at": batch.created if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"http://elsewhere.invalid/{batch.id}" if ended else None,
            "request_counts": counts | {"processing": 0 if ended else len(fates)},
        }

    def _respond(self, made: Answer, body: dict[str, Any]) -> None:
        time.sleep(made.get("delay", 0))
        if made.get("drop"):
            self.close_connection = True
            self.connection.close()
            return
        status = made.get("status", 200)
        if status != 200:
            error = {"type": made.get("type", "api_error"), "message": made.get("message", "no")}
            payload = json.dumps(made.get("body", {"type": "error", "error": error})).encode()
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
        model = body.get("model", self.path)  # Bedrock and Vertex have it in the address
        prefix = json.dumps([model, static])
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
            "model": model,
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

"""What tokens cost: a dated table, by model and size of the prompt."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from dreamd.settings import ModelPrice
from dreamd.usage import Usage

_MILLION = 1_000_000
_KINDS = ("input", "output", "cache_write", "cache_read")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a million tokens of one model since a day; `above` prompt tokens the whole request costs `higher`."""

    model: str
    since: dt.date
    input: float
    output: float
    cache_write: float
    cache_read: float
    batch: float = 1.0  # share of the price that a request in a batch costs
    above: int = 0  # 0: one price whatever the size
    higher: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # input, output, cache write, cache read

    def usd(self, usage: Usage, *, batched: bool = False) -> float:
        """What a call cost, `batched`: one in a batch. A prompt is all that was sent: fresh, written to and read from the cache."""
        prices = (self.input, self.output, self.cache_write, self.cache_read)
        if self.above and usage.input + usage.cache_write + usage.cache_read > self.above:
            prices = self.higher
        counts = (usage.input, usage.output, usage.cache_write, usage.cache_read)
        share = self.batch if batched else 1.0
        return share * sum(price * count for price, count in zip(prices, counts, strict=True)) / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """All known prices on one day."""

    table: tuple[Price, ...]
    own: tuple[Price, ...] = ()  # a person's, before all others

    @classmethod
    def on(cls, day: dt.date, own: Sequence[ModelPrice] = ()) -> Prices:
        """The packaged table as it holds on a day: of each model the newest price that is not to come yet; a person's `own` first."""
        newest: dict[str, Price] = {}
        for price in sorted(_packaged(), key=lambda one: one.since):
            if price.since <= day or price.model not in newest:
                newest[price.model] = price
        return cls(tuple(newest.values()), tuple(Price(since=day, **one.model_dump()) for one in own))

    def of(self, model: str) -> Price | None:
        """The price of a model by the longest name that its id contains (providers put words around it); None: unknown."""
        known = [price for price in self.own if price.model in model] or [
            price for price in self.table if price.model in model
        ]
        return max(known, key=lambda one: len(one.model), default=None)

    def priced(self, model: str, usage: Usage, *, batched: bool = False) -> Usage:
        """The usage with what it cost; an unknown model costs 0, so that the token limits alone hold."""
        price = self.of(model)
        return replace(usage, usd=price.usd(usage, batched=batched)) if price else usage

    def tier_limit(self, model: str) -> int | None:
        """The largest prompt that the lower price holds for; None: any."""
        price = self.of(model)
        return price.above or None if price else None


@cache
def _packaged() -> Sequence[Price]:
    text = files(__package__).joinpath("prices.toml").read_text(encoding="utf-8")
    return tuple(_price(raw) for raw in tomllib.loads(text)["price"])


def _price(raw: Mapping[str, Any]) -> Price:
    low = {kind: float(raw[kind]) for kind in _KINDS}
    higher = [float(raw.get(f"above_{kind}", raw[kind])) for kind in _KINDS]
    return Price(
        model=str(raw["model"]),
        since=raw["since"],
        batch=float(raw.get("batch", 1.0)),
        above=int(raw.get("above", 0)),
        higher=(higher[0], higher[1], higher[2], higher[3]),
        **low,
    )

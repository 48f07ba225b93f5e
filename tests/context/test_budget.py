"""Tokens, the budget's arithmetic, and the tiers over every budget and kind of operation."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.context.budget import Budget, Level, OutOfTokens, Window
from dreamd.context.tiers import Answer, Operation, OperationKind, Why, decide
from dreamd.context.tokens import Calibration, estimate, weight
from dreamd.errors import DreamdError, EngineError
from dreamd.usage import Usage

COSTLY = [OperationKind.INPUT, OperationKind.WHOLE, OperationKind.ANSWER]
GENEROUS = [Answer.REFUSE, Answer.EXCERPT, Answer.ALLOW]

budgets = st.builds(
    Budget,
    window=st.integers(0, 2_000_000),
    system=st.integers(0, 50_000),
    reserve=st.integers(0, 50_000),
)
any_budgets = st.builds(
    Budget,
    window=st.integers(0, 300_000),
    system=st.integers(0, 50_000),
    reserve=st.integers(0, 50_000),
    warn_at=st.floats(0.01, 1),
    compact_at=st.floats(0.01, 1),
    stop_at=st.floats(0.01, 1),
)
counts = st.integers(0, 2_500_000)


def at(budget: Budget, share_used: float) -> int:
    return round(budget.working * share_used)


class TestTokens:
    def test_plain_text_is_half_its_bytes(self) -> None:
        assert estimate("") == 0
        assert estimate("a") == 1
        assert estimate("word " * 100) == 250
        assert estimate("记忆" * 10) == 30

    def test_base64_costs_a_token_a_byte(self) -> None:
        run = base64.b64encode(random.Random(1).randbytes(300)).decode()
        assert estimate(run) >= 0.95 * len(run)

    @pytest.mark.parametrize(
        "text",
        [
            "/home/sam/work/orchard/services/pruning/internal/scheduler/windows_2",
            "a-very-long-branch-name-with-many-words-in-it-and-a-number-1234-at-the-end",
            "=" * 100,
            "x" * 100,
        ],
    )
    def test_paths_rules_and_long_names_are_no_base64(self, text: str) -> None:
        assert weight(text) == len(text)

    def test_lone_surrogates_do_not_end_it(self) -> None:
        assert estimate("\ud83d broken") > 0

    @given(st.text(max_size=300), st.text(max_size=300))
    def test_a_longer_text_never_costs_less(self, one: str, other: str) -> None:
        assert estimate(one + " " + other) >= max(estimate(one), estimate(other))

    def test_calibration_moves_towards_what_servers_count(self) -> None:
        calibration = Calibration()
        for _ in range(20):
            calibration = calibration.seen(4000, 1000)
        assert 3.9 < calibration.bytes_per_token <= 4
        assert calibration.estimate("x" * 400) in range(100, 105)

    @pytest.mark.parametrize(("size", "tokens"), [(100, 0), (0, 100), (1_000_000, 10), (10, 1_000_000), (100, -5)])
    def test_missing_and_impossible_counts_change_nothing(self, size: int, tokens: int) -> None:
        assert Calibration(2.5).seen(size, tokens) == Calibration(2.5)


class TestWindow:
    def test_the_smaller_of_the_models_own_and_its_price_tiers_limit_holds(self) -> None:
        assert Window(1_000_000, 100_000).tokens == 100_000
        assert Window(200_000, None).tokens == 200_000
        assert Window(None, 100_000).tokens == 100_000

    def test_an_unknown_model_has_200_000_tokens(self) -> None:
        assert Window().tokens == 200_000

    def test_what_a_person_configured_wins(self) -> None:
        assert Window(1_000_000, 100_000, configured=8_192).tokens == 8_192


class TestBudget:
    def test_the_textbook_case(self) -> None:
        budget = Budget(window=200_000, system=5_000, reserve=10_000)
        assert budget.working == 185_000
        assert [budget.share(share) for share in (0.80, 0.90, 0.95)] == [148_000, 166_500, 175_750]

    def test_used_is_all_of_the_last_reply_without_the_system_prompt(self) -> None:
        budget = Budget(window=200_000, system=5_000)
        assert budget.used(Usage(input=1_000, output=500, cache_read=40_000, cache_write=3_000)) == 39_500
        assert budget.used(Usage(input=10)) == 0

    @pytest.mark.parametrize(
        ("used", "level"),
        [
            (147_999, Level.FREE),
            (148_000, Level.WARN),
            (166_499, Level.WARN),
            (166_500, Level.COMPACT),
            (175_749, Level.COMPACT),
            (175_750, Level.STOP),
            (10**9, Level.STOP),
        ],
    )
    def test_the_levels_begin_at_80_90_and_95_percent(self, used: int, level: Level) -> None:
        assert Budget(window=200_000, system=5_000).level(used) is level

    @pytest.mark.parametrize(
        ("window", "reserve"), [(8_192, 409), (32_000, 1_600), (200_000, 10_000), (1_000_000, 10_000)]
    )
    def test_the_reserve_is_at_most_a_twentieth_of_a_small_window(self, window: int, reserve: int) -> None:
        budget = Budget(window=window, system=500)
        assert budget.kept_free == reserve
        assert budget.working == window - 500 - reserve

    def test_a_system_prompt_larger_than_the_window_leaves_nothing_and_stops(self) -> None:
        budget = Budget(window=4_000, system=5_000)
        assert budget.working == 0
        assert budget.level(0) is Level.STOP

    def test_an_answer_ends_inside_the_window(self) -> None:
        budget = Budget(window=8_000, system=1_000)
        assert budget.answer(6_000, 4_096) == 1_000
        assert budget.answer(0, 512) == 512
        assert budget.answer(20_000, 512) <= budget.kept_free

    def test_out_of_tokens_names_both_ways_out(self) -> None:
        error = OutOfTokens(176_000, 185_000)
        assert isinstance(error, EngineError | DreamdError)
        assert error.code == "out_of_tokens"
        assert "fresh conversation" in error.hint
        assert "MEMORY.md" in error.hint

    @given(any_budgets, counts, counts)
    def test_levels_only_rise_with_what_is_used(self, budget: Budget, one: int, other: int) -> None:
        order = list(Level)
        less, more = sorted((one, other))
        assert order.index(budget.level(less)) <= order.index(budget.level(more))


class TestTiers:
    BUDGET = Budget(window=200_000, system=5_000)

    def ask(self, share_used: float, share_asked: float, kind: OperationKind = OperationKind.INPUT) -> Answer:
        return decide(self.BUDGET, at(self.BUDGET, share_used), Operation(kind, at(self.BUDGET, share_asked))).answer

    def test_over_70_percent_left_everything_goes_and_compaction_never_runs(self) -> None:
        assert self.ask(0.29, 0.5) is Answer.ALLOW
        verdict = decide(self.BUDGET, at(self.BUDGET, 0.29), Operation(OperationKind.COMPACTION, 0))
        assert (verdict.answer, verdict.reason) == (Answer.REFUSE, Why.PLENTY_LEFT)
        assert self.ask(0.30, 0, OperationKind.COMPACTION) is Answer.ALLOW

    def test_between_70_and_20_percent_everything_goes(self) -> None:
        assert self.ask(0.5, 0.4) is Answer.ALLOW
        assert self.ask(0.79, 0.15) is Answer.ALLOW

    def test_at_20_percent_nothing_large_comes_in_any_more(self) -> None:
        assert self.ask(0.80, 0.10) is Answer.ALLOW
        assert self.ask(0.80, 0.11) is Answer.EXCERPT
        assert self.ask(0.80, 0.11, OperationKind.WHOLE) is Answer.REFUSE
        assert self.ask(0.80, 0.20, OperationKind.ANSWER) is Answer.ALLOW

    def test_at_10_percent_only_what_is_cheap(self) -> None:
        for kind in COSTLY:
            assert self.ask(0.90, 0.01, kind) is Answer.ALLOW
            assert self.ask(0.90, 0.02, kind) is Answer.REFUSE
        assert self.ask(0.90, 0, OperationKind.COMPACTION) is Answer.ALLOW

    def test_at_5_percent_nothing(self) -> None:
        for kind in OperationKind:
            assert self.ask(0.95, 0, kind) is Answer.REFUSE

    def test_an_input_larger_than_the_window_is_excerpted_even_in_an_empty_conversation(self) -> None:
        verdict = decide(self.BUDGET, 0, Operation(OperationKind.INPUT, 1_500_000))
        assert (verdict.answer, verdict.reason) == (Answer.EXCERPT, Why.TOO_LARGE_TO_FIT)
        assert verdict.tokens < self.BUDGET.share(0.95)

    @given(any_budgets, counts, st.sampled_from(OperationKind), st.integers(-10, 3_000_000))
    def test_every_question_has_an_answer_that_fits(
        self, budget: Budget, used: int, kind: OperationKind, tokens: int
    ) -> None:
        verdict = decide(budget, used, Operation(kind, tokens))
        assert verdict.tokens >= 0
        if kind is OperationKind.COMPACTION:
            return
        if verdict.answer is Answer.ALLOW:
            assert verdict.tokens == max(0, tokens)
        elif verdict.answer is Answer.EXCERPT:
            assert 0 < verdict.tokens < tokens
            assert decide(budget, used, Operation(kind, verdict.tokens)).answer is Answer.ALLOW
        else:
            assert verdict.tokens == 0
        most = budget.working + (budget.kept_free if kind is OperationKind.ANSWER else 0)
        assert verdict.tokens == 0 or used + verdict.tokens <= most

    @given(any_budgets, counts, counts, st.sampled_from(COSTLY), counts)
    def test_nothing_becomes_possible_because_less_is_left(
        self, budget: Budget, one: int, other: int, kind: OperationKind, tokens: int
    ) -> None:
        less, more = sorted((one, other))
        generous = decide(budget, less, Operation(kind, tokens))
        strict = decide(budget, more, Operation(kind, tokens))
        assert GENEROUS.index(strict.answer) <= GENEROUS.index(generous.answer)
        assert strict.tokens <= generous.tokens

    @given(any_budgets, counts, st.sampled_from(COSTLY), counts, counts)
    def test_what_goes_for_much_goes_for_less(
        self, budget: Budget, used: int, kind: OperationKind, one: int, other: int
    ) -> None:
        less, more = sorted((one, other))
        answers = [GENEROUS.index(decide(budget, used, Operation(kind, tokens)).answer) for tokens in (less, more)]
        assert answers[0] >= answers[1]

    @given(budgets, counts, st.sampled_from(COSTLY), counts)
    def test_the_borders_are_those_of_the_design(
        self, budget: Budget, used: int, kind: OperationKind, tokens: int
    ) -> None:
        """Stated again from the left: no gap, no overlap."""
        working, left = budget.working, budget.working - used
        answer = decide(budget, used, Operation(kind, tokens)).answer
        if used >= budget.share(0.95) or left <= 0:
            assert answer is Answer.REFUSE
        elif used >= budget.share(0.90):
            assert (answer is Answer.ALLOW) == (tokens <= min(working // 100, left))
        elif used >= budget.share(0.80) and kind is not OperationKind.ANSWER and 10 * tokens > working:
            assert answer is not Answer.ALLOW
        elif used + tokens < budget.share(0.95):
            assert answer is Answer.ALLOW

    @given(budgets, counts)
    def test_compaction_runs_exactly_between_plenty_and_the_stop(self, budget: Budget, used: int) -> None:
        answer = decide(budget, used, Operation(OperationKind.COMPACTION, 0)).answer
        runs = 10 * budget.left(used) <= 7 * budget.working and budget.level(used) is not Level.STOP
        assert (answer is Answer.ALLOW) == runs

"""What a line gives a value to."""

import pytest

from dreamd.engines.offline.slots import Slot, find


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("The default branch is trunk.", "default branch", "trunk"),
        ("The release branch is called stable.", "release branch", "stable"),
        ("We use pnpm as the package manager.", "package manager", "pnpm"),
        ("The package manager is pnpm.", "package manager", "pnpm"),
        ("Use pnpm, not npm.", "package manager", "pnpm"),
        ("We switched from yarn to pnpm on 2026-03-01.", "package manager", "pnpm"),
        ("We switched the job queue from RQ to arq on 2026-03-01.", "job queue", "arq"),
        ("The dev server port is 9090, not 8081 any more.", "dev server port", "9090"),
        ("The API runs on port 8181.", "api port", "8181"),
        ("The port of the API is 8181.", "api port", "8181"),
        ("Keep queue retention at 3 days.", "queue retention", "3 days"),
        ("We moved every service to node 22 on 2026-03-01.", "node version", "22"),
        ("We are on Python 3.12.", "python version", "3.12"),
        ("The database is postgres 16.", "database", "PostgreSQL 16"),
        ("Amira owns the payments service; ask her first.", "owner of payments service", "Amira"),
        ("The payments service is maintained by Amira.", "owner of payments service", "Amira"),
        ("Use tabs for indentation.", "indentation", "tabs"),
        ("Use british spelling.", "spelling", "british"),
        ("Docs live in docs/guide.", "location of docs", "docs/guide"),
        ("后端端口是 8080。", "后端端口", "8080"),
        ("王磊负责支付模块，改之前先问他。", "支付模块负责人", "王磊"),
        ("移动端的负责人是李娜。", "移动端负责人", "李娜"),
        ("我们把任务队列换成了 arq。", "任务队列", "arq"),
        ("统一用 pnpm。", "package manager", "pnpm"),
        ("2026-03-17 我们从 yarn 切换到了 pnpm。", "package manager", "pnpm"),
        ("用中文回答。", "回答语言", "中文"),
    ],
)
def test_a_line_sets_a_slot(line: str, name: str, value: str) -> None:
    assert find(line) == Slot(name, value)


@pytest.mark.parametrize(
    "line",
    [
        "Never use npm.",
        "Node 20 is no longer supported.",
        "We decided to use PostgreSQL 16 for the queue instead of Redis, because one server is enough.",
        "Error messages should name the file.",
        "It is trunk.",
        "Always run the formatter before you commit.",
        "不再支持 IE。",
        "超时的根本原因是缺少索引。",
    ],
)
def test_no_slot_is_set_unless_it_is_sure(line: str) -> None:
    assert find(line) is None

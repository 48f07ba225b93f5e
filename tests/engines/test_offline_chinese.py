"""Chinese: what is kept, in which words, and what is left."""

import pytest

from dreamd.engines.protocol import Kind, Scope
from engines.typed import read

KEPT = [
    (Kind.PROHIBITION, "以后不要在提交信息里加表情", "不要在提交信息里加表情。"),
    (Kind.PROHIBITION, "绝不要直接推送到主分支", "绝不要直接推送到主分支。"),
    (Kind.PROHIBITION, "未经我同意不要提交代码", "未经我同意不要提交代码。"),
    (Kind.PROHIBITION, "禁止在测试里访问生产数据库", "禁止在测试里访问生产数据库。"),
    (Kind.PROHIBITION, "不要用全局变量", "不要用全局变量。"),
    (Kind.PROHIBITION, "别再自动格式化整个文件", "别再自动格式化整个文件。"),
    (Kind.PREFERENCE, "我更喜欢用空格缩进", "更喜欢用空格缩进。"),
    (Kind.PREFERENCE, "我喜欢简短的回答", "喜欢简短的回答。"),
    (Kind.PREFERENCE, "请用中文回答", "用中文回答。"),
    (Kind.PREFERENCE, "以后每次提交前先跑测试", "每次提交前先跑测试。"),
    (Kind.PREFERENCE, "一律使用 UTC 时间", "一律使用 UTC 时间。"),
    (Kind.PREFERENCE, "用 ruff，不要用 flake8", "用 ruff，不要用 flake8。"),
    (Kind.CORRECTION, "不对，用 podman，不是 docker", "用 podman，不是 docker。"),
    (Kind.DECISION, "我们决定保留单体架构，因为团队小", "我们决定保留单体架构，因为团队小。"),
    (Kind.DECISION, "我们把任务队列换成了 arq", "我们把任务队列换成了 arq。"),
    (Kind.DECISION, "我们不再支持 IE", "我们不再支持 IE。"),
    (Kind.CONVENTION, "包管理器统一用 pnpm，不要用 npm", "包管理器统一用 pnpm，不要用 npm。"),
    (Kind.CONVENTION, "我们的约定是分支名以 feat/ 开头", "我们的约定是分支名以 feat/ 开头。"),
    (Kind.CONVENTION, "我们一般用 squash 合并", "我们一般用 squash 合并。"),
    (Kind.FACT, "后端端口是 8081", "后端端口是 8081。"),
    (Kind.FACT, "测试环境的数据库是 PostgreSQL 16", "测试环境的数据库是 PostgreSQL 16。"),
    (Kind.FACT, "设计文档放在 docs/design 目录", "设计文档放在 docs/design 目录。"),
    (Kind.FACT, "记住，旧的导入器是只读的", "旧的导入器是只读的。"),
    (Kind.COMMAND, "单元测试用 `make unit` 跑", "单元测试用 `make unit` 跑。"),
    (Kind.COMMAND, "跑集成测试用 make integration", "跑集成测试用 make integration。"),
    (Kind.PERSON, "王磊负责支付模块，改之前先问他", "王磊负责支付模块，改之前先问他。"),
    (Kind.PERSON, "移动端的负责人是李娜", "移动端的负责人是李娜。"),
    (Kind.PERSON, "账单方面的问题找赵敏", "账单方面的问题找赵敏。"),
    (
        Kind.LEARNING,
        "上传测试不稳定是因为共用临时目录，改成各自的目录就好了",
        "上传测试不稳定是因为共用临时目录，改成各自的目录就好了。",
    ),
    (Kind.LEARNING, "超时的根本原因是缺少索引", "超时的根本原因是缺少索引。"),
    (Kind.OUTCOME, "接口延迟从 900ms 降到 210ms", "接口延迟从 900ms 降到 210ms。"),
    (Kind.OUTCOME, "加缓存之后构建时间减少了 40%", "加缓存之后构建时间减少了 40%。"),
    (Kind.FACT, "昨天我们冻结了接口", "2026-03-17 我们冻结了接口。"),
    (Kind.FACT, "安全审计定在下周五", "安全审计定在 2026-03-27。"),
]

LEFT = [
    "不要改这个文件",
    "帮我看一下这个报错",
    "先不要提交",
    "这次用 npm 就行",
    "为什么测试一直失败？",
    "好的，继续",
    "把这个函数改成异步",
    "给登录页加一个测试",
    "今天先跳过校验",
    "现在构建挂了",
    "我觉得可能是缓存的问题",
    "要不我们用 redis？",
    "你看看能不能用 pnpm",
    "谢谢，很好",
    "下一步做什么",
    "修复登录的 bug",
    "更新一下 README",
    "运行测试",
    "提交并推送",
    "这个按钮应该是蓝色的",
    "我在做导出功能",
    "重命名这个变量",
    "用第二个方案",
    "是不是应该加个锁",
    "再试一次",
    "这里不要写死",
    "端口是多少？",
    "测试通过了",
    "它总是失败",
    "我不知道怎么改",
    "别忘了跑测试",
]


@pytest.mark.parametrize(("kind", "typed", "line"), KEPT, ids=[typed for _, typed, _ in KEPT])
def test_a_lasting_chinese_sentence_becomes_one_line(kind: Kind, typed: str, line: str) -> None:
    (found,) = read(typed).findings
    assert (found.kind, found.text) == (kind, line)
    assert found.weight >= 1


@pytest.mark.parametrize("typed", LEFT)
def test_what_does_not_last_is_left(typed: str) -> None:
    assert read(typed).findings == ()


@pytest.mark.parametrize(
    ("typed", "scope"),
    [
        ("请用中文回答", Scope.GENERAL),
        ("我更喜欢用空格缩进", Scope.GENERAL),
        ("后端端口是 8081", Scope.PROJECT),
        ("我们一般用 squash 合并", Scope.PROJECT),
    ],
)
def test_a_chinese_line_has_its_scope(typed: str, scope: Scope) -> None:
    (found,) = read(typed).findings
    assert found.scope is scope


def test_several_sentences_in_one_turn_are_judged_each() -> None:
    found = read("好的。以后都用 pnpm，不要用 npm。另外帮我看一下这个报错。后端端口是 8081。").findings
    assert [f.text for f in found] == ["都用 pnpm，不要用 npm。", "后端端口是 8081。"]

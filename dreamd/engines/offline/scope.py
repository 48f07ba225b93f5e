"""Where a finding holds: for the person everywhere, for one project, as a thing learned, or about somebody."""

from __future__ import annotations

import re

from dreamd.engines.offline.cues import Cue, Cues, rx
from dreamd.engines.protocol import Kind, Scope

#: What somebody is or works on: true of them everywhere.
_PERSONAL = rx(
    r"^(?:Works on (?:a |an )?(?:windows|mac|osx|linux|ubuntu|debian|fedora|arch|nixos|wsl|freebsd|chromebook|m[1-4] )|Is (?:an? |the |not an? |very |still |pretty |quite )*(?:[\w-]+ ){0,4}(?:developer|engineer|designer|student|scientist|analyst|beginner|expert|admin|administrator|researcher|manager|founder|architect|freelancer|consultant|teacher|programmer|dev|speaker|person)\b|Is (?:\w+ )?(?:new to|colou?r ?blind|dyslexic|deaf|blind|left-handed))"
)
#: A branch or a place that a project has by that name.
_NAMED_PLACE = rx(
    r"\b(?:to|from|into|on|in|off) (?:the )?(?:release|staging|develop|prod|production|trunk|master|dev|gh-pages|qa|uat|preprod)\b"
)
_RULES = frozenset({Kind.PREFERENCE, Kind.PROHIBITION, Kind.CORRECTION, Kind.CONVENTION})

#: What a rule about the way of working speaks of; none of it belongs to one project.
_WORKING = rx(
    r"\b(?:answers?|repl(?:y|ies)|respond|responses?|explain|explanations?|ask(?:ing)?|confirm(?:ation)?|permission|approval|commits?|committing|push(?:ing)?|pull requests?|rebas(?:e|ing)|squash|"
    r"summar(?:y|ies|i[sz]e|ising|izing)|recap|comments?|docstrings?|emojis?|tests?|testing|lint(?:er)?|formatter|spelling|english|brief(?:ly)?|concise|verbose|plan|review|"
    r"type hints?|dependenc(?:y|ies)|code|functions?|todos?|placeholders?|mocks?|refactor(?:ing)?|diffs?|subagents?|questions?|assum(?:e|ptions?)|guess|tabs|spaces|indent(?:ation)?|"
    r"apologi[sz]e|praise|duplicat(?:e|ion|ing)|abstractions?)\b|"
    r"回答|回复|解释|提交|推送|测试|注释|代码|命名|类型|缩进|空格|总结|确认|询问|问我|中文|英文|简洁|表情|函数|重构"
)
#: A rule for whoever works here, in the imperative or about the person; what things must be is a project's matter.
_ORDER = rx(
    r"^(?:always|never|do not|don't|avoid|stop|no|prefers?|hates?|likes?|dislikes?|loves?|would rather|would like|wants?|does not|keep|use|ask|answer|write|run|be|only|when|if|before|after|make|show|explain|reply|respond|put)\b|[\u4e00-\u9fff]"
)
#: How the agent should speak to the person, in any language.
_ANSWERING = rx(
    r"^(?:say so|do not write to me|never write to me)\b|\b(?:your (?:output|answers?|replies)|bullet points?|antwort\w*|respond[ea]\w*|répond\w*|réponses?|отвечай\w*|ответ\w*)|答えて|回答して|返答|대답|답변"
)
_DEFINITE = rx(
    r"\bthe (?!user|linter|formatter|tests?|code|diff|implementation|docs|commit|plan|existing|same|main|root|cause|reason|change|answer|summary|question|test suite|type|first|last|agent|person|subject|body|message|point|file|function|readme|changelog|end|beginning|rest|whole)\w+"
)
_PROPER = re.compile(
    r"(?<=[a-z,;] )(?!I\b|I'|English|British|American|Australian|German|French|Spanish|Chinese|Japanese|TODO|CLAUDE|AGENTS|README|PRs?\b|API|JSON|Python|Git)[A-Z][\w.]+"
)

#: What a thing learned is about, for its file's name: subject → words.
_SUBJECTS: dict[str, Cue] = {
    "testing": rx(r"\b(?:tests?|testing|flaky|pytest|jest|vitest|fixture|mock|assert)\w*|测试"),
    "git": rx(r"\b(?:git|rebase|merge|worktree|commit|branch|index)\b|提交|分支"),
    "containers": rx(r"\b(?:docker|container|podman|kubernetes|k8s|image|compose)\b|容器|镜像"),
    "databases": rx(
        r"\b(?:sql|postgres\w*|mysql|sqlite|database|query|queries|index(?:es)?|migration|deadlock|lock|transaction|cursor)s?\b|数据库|查询|索引|迁移|锁|事务|游标"
    ),
    "networking": rx(
        r"\b(?:proxy|dns|tls|ssl|http|timeout|websocket|connection|cors|header|port)s?\b|网络|代理|超时|连接"
    ),
    "performance": rx(
        r"\b(?:slow|fast(?:er)?|latency|memory|leak|cpu|cache|caching|performance)\b|性能|内存|缓存|延迟"
    ),
    "build": rx(
        r"\b(?:build|compile|bundle|webpack|vite|install|dependency|dependencies|import|package)s?\b|构建|编译|打包|依赖"
    ),
    "deployment": rx(r"\b(?:deploy|release|rollback|ci|pipeline|environment|env)\w*\b|部署|发布|回滚|上线"),
}
_OTHER_SUBJECT = "troubleshooting"
_OURS = rx(r"\b(?:our|the project)\b|我们的|本项目")


def scope_of(kind: Kind, text: str, said: str, cues: Cues, project: str) -> Scope:
    """Where a finished line belongs; a project is the default.

    Args:
        kind: what it says.
        text: the line as it would stand.
        said: the sentence it was made of.
        cues: the language's rules.
        project: the project's name; a line that names it is the project's.
    """
    if kind is Kind.PERSON:
        return Scope.PERSON
    named = len(project) > 2 and project.lower() in text.lower()  # noqa: PLR2004
    if kind is Kind.LEARNING:
        bound = named or _OURS.search(text)
        return Scope.PROJECT if bound else Scope.PATTERN
    if kind not in _RULES or named:
        return Scope.PROJECT
    if _PERSONAL.match(text) or (cues.code not in ("en", "zh") and _ANSWERING.search(text)):
        return Scope.GENERAL
    return _scope_of_rule(text, said, cues)


def _scope_of_rule(text: str, said: str, cues: Cues) -> Scope:
    tied = cues.tied.search(text) or cues.asides.search(said) or _DEFINITE.search(text) or _PROPER.search(text)
    if tied or (_NAMED_PLACE.search(text) and not cues.general.search(text)):
        return Scope.PROJECT
    taste = cues.code == "zh" and cues.general.search(said)  # the line itself has lost its "I"
    general = taste or cues.general.search(text) or _ANSWERING.search(text)
    return Scope.GENERAL if general or (_ORDER.match(text) and _WORKING.search(text)) else Scope.PROJECT


def subject_of(text: str) -> str:
    """What a thing learned is about; the file's name in `patterns/`."""
    counts = {name: pattern.count(text) for name, pattern in _SUBJECTS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else _OTHER_SUBJECT


#: Things that only one project has: files, paths, identifiers, places, "the importer".
_ONLY_HERE = re.compile(r"[\w-]+/[\w-]+|\b\w+\.[a-z]{2,4}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|@\w+|https?:")


def names_project_things(text: str) -> bool:
    """Whether a line speaks of what only its project has, so that it cannot hold in another."""
    return bool(_ONLY_HERE.search(text) or _DEFINITE.search(text) or _NAMED_PLACE.search(text) or _OURS.search(text))

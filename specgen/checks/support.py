"""What the table refuses: choices that the target does not support, and keys without effect."""

from collections.abc import Iterator

from specgen.checks.choices import choice_near, places
from specgen.checks.finding import Finding
from specgen.document import Document, Path
from specgen.spec import Sections
from specgen.support import DEPENDENT_KEYS, KEYS, givers, is_chosen, meaningless, unsupported


def check_choices(sections: Sections, target: str) -> Iterator[Finding]:
    """Each choice, said or by default."""
    for key in KEYS:
        for path, choice in places(sections, key):
            refusal = unsupported(key, choice, target)
            if refusal and _has_supported_giver(sections, key, path, target):
                yield Finding(path, "SG301", refusal.reason, refusal.hint, refusal.of_key)


def _has_supported_giver(sections: Sections, key: str, path: Path, target: str) -> bool:
    """Whether the choice matters: not if it means nothing, or only by a choice that is refused."""
    wanted = givers(key)
    for giver, choices in wanted.items():
        choice = choice_near(sections, giver, path)
        if choice and is_chosen(choices, choice) and not unsupported(giver, choice, target):
            return True
    return not wanted


def check_effects(sections: Sections, document: Document) -> Iterator[Finding]:
    """Each key that was said must mean something under the choices in force, be it the default."""
    for key in DEPENDENT_KEYS:
        wanted = givers(key)
        if not all(giver.partition(".")[0] in sections for giver in wanted):
            continue
        for path, _ in places(sections, key):
            if not document.says(path):
                continue
            refusal = meaningless(
                key, {giver: choice_near(sections, giver, path) for giver in wanted}
            )
            if refusal:
                yield Finding(path, "SG302", refusal.reason, refusal.hint, refusal.of_key)

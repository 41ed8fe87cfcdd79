"""Read a YAML text with broken lines.

Where libyaml stops, a few lines are suspects. For each there are guesses at the intended text:
missing quotes, a colon, a space; failing those, the value is omitted, and finally the line. A guess
never changes the number of characters, so that spans stay valid. The guess with which libyaml gets
furthest is kept. Guesses at quotes are unlimited, because they lose nothing; of the others there
are six.
"""

from __future__ import annotations

from skillstudio.text.node import Fault, Mapping, Missing, Node, Scalar, Sequence
from skillstudio.text.reading.yaml_composer import Composer
from skillstudio.text.reading.yaml_guesses import YamlLines, guesses
from skillstudio.text.reading.yaml_problems import YamlProblem

MAX_LOSSES = 6
MAX_ROUNDS = 40


def recover(composer: Composer, problem: YamlProblem | None) -> Composer:
    """The best reading of a text that `composer` could not read to its end."""
    losses = 0
    lines = YamlLines(composer.original)
    for _ in range(MAX_ROUNDS):
        if problem is None or losses >= MAX_LOSSES:
            break
        found = _best(composer, problem, lines)
        if found is None:
            break
        composer, problem, is_loss = found
        losses += is_loss
    composer.faults += composer.repairs.faults
    if problem:
        at = min(problem.index, max(len(composer.original) - 1, 0))
        start, end = lines.content(lines.number(at))
        start = max(min(start, at), 0) + composer.base
        end = max(end + composer.base, start)
        composer.faults.append(Fault(problem.rule, problem.message, start, end))
    for start, _ in composer.repairs.lost:
        _mark_incomplete(composer, start, lines)
    return composer


def _best(
    composer: Composer, problem: YamlProblem, lines: YamlLines
) -> tuple[Composer, YamlProblem | None, bool] | None:
    best: tuple[Composer, YamlProblem | None, bool] | None = None
    furthest = problem.index
    for repairs, is_loss in guesses(composer.repairs, problem, lines, composer.base):
        if is_loss and best and not best[2]:
            break
        trial = Composer(repairs, composer.original, composer.base)
        next_problem = trial.run()
        if next_problem is None:
            return trial, None, is_loss
        if next_problem.index > furthest or (best is None and is_loss):
            best = trial, next_problem, is_loss
            furthest = max(next_problem.index, furthest)
    return best


def _mark_incomplete(composer: Composer, offset: int, lines: YamlLines) -> None:
    """Mark the container of an omitted line as incomplete, according to its indentation."""
    column = lines.indent(lines.number(offset))
    at = offset + composer.base
    node = composer.root
    while isinstance(node, Mapping | Sequence):
        node.incomplete = True
        inner: Node | None = None
        if isinstance(node, Mapping):
            before = [entry for entry in node.entries if entry.key.start < at]
            if before:
                inner = before[-1].value
                key = before[-1].key.start - composer.base
                if _is_empty(inner) and column > key - lines.starts[lines.number(key)]:
                    before[-1].value = Missing(inner.start, inner.end)
        else:
            items = [item for item in node.items if item.start <= at]
            inner = items[-1] if items else None
        if not isinstance(inner, Mapping | Sequence):
            return
        first = inner.start - composer.base
        deeper = column < first - lines.starts[lines.number(first)]
        if deeper and not (inner.flow and at < inner.end):
            return
        node.incomplete = False
        node = inner


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.start == node.end

"""The scheduling policy of the queues: fair between addresses, and between owners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from melm_studio.runs.records.run import RunRecord

# Of addresses and owners whose runs were looked at: who is older than all of these is new.
MOST_REMEMBERED = 200


def next_run(
    unfinished: Iterable[RunRecord],
    queue: Sequence[str],
    served: Sequence[str],
    address_of: Callable[[str], str],
) -> RunRecord | None:
    """Return the next run to execute: of the address, then the owner, with the fewest claimed runs.

    Among owners with equally many, the one served the longest ago comes first, so that a long
    series of runs does not block other owners however few workers there are; then the order of the
    queue decides.

    Parameters
    ----------
    unfinished : iterable of RunRecord
    queue : sequence of str
        Queued runs, oldest first.
    served : sequence of str
        Owners whose runs were claimed, the latest last.
    address_of : callable
        The network address of an owner.
    """
    by_id = {record.run_id: record for record in unfinished}
    waiting = [by_id[run_id] for run_id in queue if run_id in by_id]
    claimed = Counter(record.owner for run_id, record in by_id.items() if run_id not in queue)
    addresses = {owner: address_of(owner) for owner in {record.owner for record in by_id.values()}}
    claimed_at = Counter[str]()
    for owner, n_claimed in claimed.items():
        claimed_at[addresses[owner]] += n_claimed
    position_of = {owner: position for position, owner in enumerate(served)}
    return min(
        waiting,
        key=lambda record: (
            claimed_at[addresses[record.owner]],
            claimed[record.owner],
            position_of.get(record.owner, -1),
        ),
        default=None,
    )


def after_serving(served: Sequence[str], owner: str, unfinished: Iterable[RunRecord]) -> list[str]:
    """Return the served owners, this one last, without those who have no unfinished run."""
    waiting = {record.owner for record in unfinished}
    return [*(other for other in served if other != owner and other in waiting), owner]


def next_looked_at(
    waiting: Iterable[RunRecord], served: Sequence[str], address_of: Callable[[str], str]
) -> RunRecord | None:
    """Return the next run that somebody looks at: of the address, then the owner, served first.

    Among those that were served equally long ago, what is found in one step comes first.

    Each has a moment, so what counts is when somebody was served, not how many runs they have at
    work: a visitor with long runs waits no longer for a first plane than one without.

    Parameters
    ----------
    waiting : iterable of RunRecord
        Oldest first.
    served : sequence of str
        As `after_looking` returns it.
    address_of : callable
        The network address of an owner.
    """
    position_of = {name: position for position, name in enumerate(served)}
    return min(
        waiting,
        key=lambda record: (
            position_of.get(address_of(record.owner), -1),
            position_of.get(record.owner, -1),
            record.is_search,
        ),
        default=None,
    )


def after_looking(served: Sequence[str], owner: str, address: str) -> list[str]:
    """Return the served addresses and owners, these last, without those of long ago.

    Examples
    --------
    >>> after_looking(["here", "ada", "there", "bob"], "ada", "here")
    ['there', 'bob', 'here', 'ada']
    """
    others = [name for name in served if name not in (owner, address)]
    return [*others, *dict.fromkeys((address, owner))][-MOST_REMEMBERED:]

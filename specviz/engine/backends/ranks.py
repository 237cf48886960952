"""A target whose layers the processes of torchrun share (tensor parallelism): the first leads, the others follow.

    torchrun --nproc-per-node 2 -m specviz trace --tensor-parallel 2 --target … --out run.jsonl

The first decodes as if it were alone: it alone drafts, draws, reads the clock, speaks and writes. Before each pass of the target it says
what it feeds; the others feed the same to their part of the weights, which ends in the same sums, and forget the logits. So the
processes cannot part: nothing is decided twice, neither by chance, nor by the clock, which warm-up, repeats and adaptive K look at,
nor by a last bit of p or q that differs from card to card.
"""

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from typing import TypeVar

import torch
import torch.distributed as dist

from ...config import ConfigError
from ...trace.header import ModelInfo
from .. import machine
from .base import Model, ModelError, Sequence, check_append

LOAD, END, KEEP, ROLLBACK = -1, -2, -3, -4  # what is said in place of a sequence's number
COMMAND_SIZE = 5  # numbers of what is said
REASON_BYTES = 400  # bytes of a reason that reach the other processes
TIMEOUT = timedelta(hours=2)  # the first may load a draft meanwhile, or fetch a model
T = TypeVar("T")


class SharedError(ModelError):
    """What any process could not do: all of them raise it, the first one says it."""


class Ranks:
    """The processes of one run: this one is `rank` of `size`. `broken`: it is in the middle of what the others do too."""

    def __init__(self, rank: int, size: int):
        self.rank, self.size, self.broken = rank, size, False

    @classmethod
    def join(cls, size: int) -> "Ranks":
        """Meet the processes that torchrun started, each on a card of its own where there are cards. Raises ConfigError."""
        if size != process_count():
            bound = f"the number of processes that torchrun started, here {process_count()}"
            raise ConfigError("tensor_parallel", size, f"{bound}: torchrun --nproc-per-node {max(size, 2)} -m specviz trace …")
        cards, here = torch.cuda.device_count(), int(os.environ["LOCAL_WORLD_SIZE"])
        if cards and here > cards:
            raise ConfigError(
                "tensor_parallel", size, f"at most one process per card: there are {here} processes and {cards} cards"
            )
        if cards:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))  # before anything else takes memory of the first one
        if cards and machine.device().type == "cpu":
            raise ConfigError("tensor_parallel", size, "1 where a GPU is not to be used, unless CUDA_VISIBLE_DEVICES= hides it")
        dist.init_process_group("cpu:gloo,cuda:nccl" if cards else "gloo", timeout=TIMEOUT)
        return cls(dist.get_rank(), dist.get_world_size())

    @property
    def is_leader(self) -> bool:
        return self.rank == 0

    @contextmanager
    def lead(self) -> Iterator[None]:
        """The run. After it the others end too, but where it failed inside of what they do with it: then torchrun ends them."""
        try:
            yield
        finally:
            if not self.broken:
                self._send(END)

    @contextmanager
    def collective(self, *command: int) -> Iterator[None]:
        """What the others do too, once the first has said so by `command`."""
        self.broken = True
        if self.is_leader:
            self._send(*command)
        yield
        self.broken = False

    def make_everywhere(self, make: Callable[[], T]) -> T:
        """What each process makes, if all can. Raises Agreed, the first one's reason where it has one."""
        result, why = None, ""
        try:
            result = make()
        except ModelError as error:
            why = str(error)
        line = why.encode()[:REASON_BYTES]
        reasons = torch.zeros(self.size, REASON_BYTES, dtype=torch.uint8)
        reasons[self.rank, : len(line)] = torch.tensor(list(line), dtype=torch.uint8)
        for rank, row in enumerate(self.sum(reasons)):
            if message := bytes(row[row > 0].tolist()).decode(errors="ignore"):
                self.broken = False
                raise SharedError(message if rank == 0 else f"process {rank + 1} of {self.size}: {message}")
        assert result is not None  # nobody had a reason
        return result

    def follow(self, load: Callable[[], Model]) -> None:
        """Do as the first does, until it ends: `load` the model, and make its passes. What goes wrong here alone is a RuntimeError."""
        from transformers.utils import logging as transformers  # not where every start reads this file

        transformers.set_verbosity_error()  # the first speaks
        transformers.disable_progress_bar()
        model: Model | None = None
        sequences: dict[int, Sequence] = {}
        while (command := self.broadcast(torch.empty(COMMAND_SIZE, dtype=torch.long)).tolist())[0] != END:
            try:
                if command[0] == LOAD:
                    model = load()
                elif command[0] == KEEP:
                    sequences[command[1]].keep(self._receive(command[2]))
                elif command[0] == ROLLBACK:
                    sequences[command[1]].rollback(command[2])
                elif model:
                    self._pass(model, sequences, *command)
            except SharedError:
                continue
            except ValueError as error:
                raise RuntimeError(f"process {self.rank + 1} of {self.size}: {error}") from error

    def _pass(
        self, model: Model, sequences: dict[int, Sequence], number: int, length: int, keep: int, n: int, branches: int
    ) -> None:
        ids, parents = self._receive(n), self._receive(n) if branches else None
        if not length:
            sequences[number] = model.sequence(model.context)
        sequences[number].rollback(length)
        sequences[number].append(ids, keep, parents)

    def _receive(self, n: int) -> list[int]:
        return self.broadcast(torch.empty(n, dtype=torch.long)).tolist()

    def _send(self, *command: int) -> None:
        self.broadcast(torch.tensor([*command, *[0] * (COMMAND_SIZE - len(command))]))

    def broadcast(self, numbers: torch.Tensor) -> torch.Tensor:
        """What the first process holds in `numbers`, in all of them."""
        dist.broadcast(numbers, 0)
        return numbers

    def sum(self, numbers: torch.Tensor) -> torch.Tensor:
        """The sum of all processes' `numbers`, in all of them."""
        dist.all_reduce(numbers)
        return numbers


@contextmanager
def shared_processes(size: int, load: Callable[["Ranks"], Model]) -> Iterator[Ranks | None]:
    """The processes that share a target: of the first around its run, of the others after it, in which they `load` what the first
    loads, and follow. None where there is one. Raises ConfigError."""
    if size == 1:
        yield None
        return
    ranks = Ranks.join(size)
    if ranks.is_leader:
        with ranks.lead():
            yield ranks
        dist.destroy_process_group()
    else:
        ranks.follow(lambda: load(ranks))
        dist.destroy_process_group()
        yield ranks


def process_count() -> int:
    """How many processes torchrun started; 1 without it."""
    return int(os.environ["WORLD_SIZE"]) if "TORCHELASTIC_RUN_ID" in os.environ else 1


class TPLeader:
    """The first process's model, whose passes the others make too. Of their sequences each has the number of the one here; a number
    whose sequence is gone is given again, to one that begins with an empty cache as well."""

    def __init__(self, model: Model, ranks: Ranks):
        self.model, self.ranks = model, ranks
        self.info, self.source, self.device = model.info, model.source, model.device
        self.vocabulary, self.context, self.waits = model.vocabulary, model.context, True
        self.free: list[int] = []
        self.more = count()

    def sequence(self, capacity: int) -> "TPSequence":
        number = self.free.pop() if self.free else next(self.more)
        sequence = TPSequence(self.model.sequence(capacity), self.ranks, number, self.info)
        weakref.finalize(sequence, self.free.append, number)
        return sequence


class TPSequence:
    """One text's cache here. Where it was rolled back to, the others hear with the next pass."""

    def __init__(self, sequence, ranks: Ranks, number: int, info: ModelInfo):
        self.sequence, self.ranks, self.number, self.info = sequence, ranks, number, info
        self.capacity, self.slow_reason = sequence.capacity, sequence.slow_reason

    @property
    def length(self) -> int:
        return self.sequence.length

    def append(self, ids, keep: int | None = None, parents=None) -> torch.Tensor:
        fed = torch.as_tensor(ids).cpu()
        check_append(len(fed), self.length, self.capacity)
        self.sequence.tree.check(len(fed), parents)
        with self.ranks.collective(self.number, self.length, len(fed) if keep is None else keep, len(fed), parents is not None):
            self.ranks.broadcast(fed)
            if parents is not None:
                self.ranks.broadcast(torch.tensor(parents))
            return self.sequence.append(ids, keep, parents)

    def keep(self, path) -> None:
        tree = self.sequence.tree
        if not tree:
            return self.sequence.keep(path)
        tree.check_path(path)
        with self.ranks.collective(KEEP, self.number, len(path)):
            self.ranks.broadcast(torch.tensor(path, dtype=torch.long))
            self.sequence.keep(path)

    def rollback(self, length: int) -> None:
        if length == self.length or not (self.info.window or self.info.state_layers):
            return self.sequence.rollback(length)
        with self.ranks.collective(ROLLBACK, self.number, length):  # a pass may be made there
            self.sequence.rollback(length)

    @property
    def replayed(self):
        """Of a model that keeps states, what it has cost so far that they cannot be cut."""
        return self.sequence.replayed

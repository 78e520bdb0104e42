"""`horovod.common.exceptions`: the errors that programs of elastic jobs name."""

from __future__ import annotations

from gradtape.ranks._library import RanksError

__all__ = ["HorovodInternalError", "HostsUpdatedInterrupt"]

HorovodInternalError = RanksError


class HostsUpdatedInterrupt(RuntimeError):
    """Never raised: hosts do not change while a job runs.

    Args:
      skip_sync: kept.
    """

    def __init__(self, skip_sync: bool = False) -> None:
        super().__init__("the hosts of the job have changed")
        self.skip_sync = skip_sync

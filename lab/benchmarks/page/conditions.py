"""The network and the processor of a visitor, imitated by Chromium's protocol."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import CDPSession


@dataclass(frozen=True)
class Conditions:
    """The network and the processor of a visitor."""

    name: str
    megabits_per_second: float = -1  # unlimited
    latency_ms: float = 0
    cpu_slowdown: float = 1


def throttle(protocol: CDPSession, conditions: Conditions) -> None:
    """Give a page these conditions, by the protocol of its browser."""
    bytes_per_second = conditions.megabits_per_second * 1e6 / 8
    protocol.send("Network.enable")
    protocol.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": conditions.latency_ms,
            "downloadThroughput": bytes_per_second,
            "uploadThroughput": bytes_per_second,
        },
    )
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": conditions.cpu_slowdown})

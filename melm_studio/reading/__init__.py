"""Files of visitors are read in processes of their own, in which nothing of others lives.

A file may be made to crash its reader, or to make it return what else is in its memory. So each is
read by a new process without store, key or network, with bounds that the system enforces, and what
comes back is checked. This room knows how such processes are started, bounded and talked to; what
they read is the matter of the rooms whose jobs they are given.
"""

from __future__ import annotations

from melm_studio.reading.conversation import Conversation, ConversationError, RefusedError
from melm_studio.reading.file_reader import FileReader, ReaderFailedError, ReadingLimits

__all__ = [
    "Conversation",
    "ConversationError",
    "FileReader",
    "ReaderFailedError",
    "ReadingLimits",
    "RefusedError",
]

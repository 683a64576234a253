"""What requests share: values that are computed once, and the runs that are drawn alike."""

from melm_studio.views.sharing.shared_function import shared
from melm_studio.views.sharing.viewer_key import (
    MAX_VIEWER_BYTES,
    MAX_VIEWERS,
    ViewerKey,
    size_of,
)

__all__ = ["MAX_VIEWERS", "MAX_VIEWER_BYTES", "ViewerKey", "shared", "size_of"]

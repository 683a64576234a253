"""What requests share: values that are computed once, and the runs that are drawn alike."""

from melm_studio.views.sharing.shared_function import shared
from melm_studio.views.sharing.viewer_key import ViewerKey

__all__ = ["ViewerKey", "shared"]

"""Pictures in the cells of a table, or beside it in an archive, as thumbnails.

Nothing is fetched: a picture is in the file that was dropped, or it is none. Pictures are decoded
in the process that reads the file, within a budget.
"""

from __future__ import annotations

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
from PIL import Image

from melm_core.base import FloatArray
from melm_studio.tables.formatting import count, number
from melm_studio.tables.readers.unpack import MAX_UNPACKED, TABLES
from melm_studio.tables.records import MAX_NAME
from melm_studio.tables.text import ZIP, TableError

PICTURE = "data:image/"  # how a cell with a picture begins
MOST_PICTURES = 5_000
THUMBNAIL_PX = 128  # of the longer side
MAX_BYTES = 20 * 2**20  # of a picture
MAX_PIXELS = 50_000_000  # of a picture
_BUDGET = 600_000_000  # pixels of all pictures of a table, some seconds
_QUALITY = 70
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_FIRST_BYTES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM")
_PROBED = 100  # cells that say whether a column names the pictures of an archive
# Pictures of folders are features, all of one size: that of small ones, else this.
_SIDE = 28
_LARGEST_SIDE = 64
# What Pillow raises on files that are damaged or crafted.
_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, struct.error, zlib.error, OverflowError)


def is_picture(cell: object) -> bool:
    """Return whether a cell holds a picture, as a data URI."""
    return isinstance(cell, str) and cell.startswith(PICTURE)


def names_picture(cell: object) -> bool:
    """Return whether a cell is the name of a file with a picture."""
    return isinstance(cell, str) and cell.rstrip().lower().endswith(_SUFFIXES)


class Thumbnails:
    """Makes thumbnails until the budget is spent.

    Attributes
    ----------
    n_unreadable, n_beyond : int
        Pictures that could not be decoded, and those after the budget was spent.
    """

    def __init__(self) -> None:
        self._n_pixels = self._n_pictures = 0
        self.n_unreadable = self.n_beyond = 0

    def of(self, raw: bytes) -> str | None:
        """A picture as a data URI of at most `THUMBNAIL_PX` pixels a side; None if it is none."""
        if (image := self.image(raw)) is None:
            return None
        image.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
        file = io.BytesIO()
        _on_white(image).save(file, "WEBP", quality=_QUALITY)
        return f"{PICTURE}webp;base64,{base64.b64encode(file.getvalue()).decode()}"

    def image(self, raw: bytes) -> Image.Image | None:
        """A decoded picture, not larger than needed where its format can be decoded smaller."""
        if self._n_pictures >= MOST_PICTURES or self._n_pixels >= _BUDGET:
            self.n_beyond += 1
            return None
        self._n_pictures += 1
        try:
            with Image.open(io.BytesIO(raw), formats=_FORMATS) as image:
                n_pixels = image.width * image.height
                if n_pixels <= MAX_PIXELS and len(raw) <= MAX_BYTES:
                    self._n_pixels += n_pixels
                    image.draft("RGB", (THUMBNAIL_PX, THUMBNAIL_PX))
                    image.load()
                    return image.copy()
        except (*_DAMAGED, Image.DecompressionBombError):
            pass
        self.n_unreadable += 1
        return None

    def steps(self, column: str) -> list[str]:
        """Steps that were applied to a column, a sentence each."""
        sentences = [f"{column} has pictures, which the card of a row shows."]
        if self.n_unreadable:
            sentences.append(
                f"{count(self.n_unreadable, 'picture')} of {column} cannot be read: damaged, of "
                f"another kind than PNG, JPEG, GIF, WebP and BMP, or larger than "
                f"{number(MAX_PIXELS // 10**6)} megapixels."
            )
        if self.n_beyond:
            sentences.append(
                f"{count(self.n_beyond, 'picture')} of {column} are not shown: a table may have "
                f"{number(MOST_PICTURES)} and {number(_BUDGET // 10**6)} megapixels."
            )
        return sentences


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode not in ("RGBA", "LA", "PA", "P"):
        return image.convert("RGB")
    above = image.convert("RGBA")
    white = Image.new("RGBA", above.size, "white")
    return Image.alpha_composite(white, above).convert("RGB")


def picture_cells(values: Sequence[bytes | None]) -> pd.Series | None:
    """The pictures in the bytes of a column as data URIs; None if these are no pictures."""
    first = next((value for value in values if value), b"")
    if not first.startswith(_FIRST_BYTES):
        return None
    encoded = [
        None if value is None else f"{PICTURE}any;base64,{base64.b64encode(value).decode()}"
        for value in values
    ]
    return pd.Series(encoded, dtype=object)


def _thumbnails(pictures: Iterable[bytes | None], column: str) -> tuple[pd.Series, list[str]]:
    made = Thumbnails()
    cells = [None if raw is None else made.of(raw) for raw in pictures]
    return pd.Series(cells, dtype=object), made.steps(column)


def with_pictures(
    cells: pd.DataFrame, archive: PictureArchive | None
) -> tuple[pd.DataFrame, list[str]]:
    """A table with thumbnails in place of data URIs, and beside the names of pictures.

    Parameters
    ----------
    cells : DataFrame
    archive : PictureArchive or None
        The one that the table was in.

    Returns
    -------
    cells : DataFrame
    steps : list of str
        What was made of it, a sentence each.
    """
    steps: list[str] = []
    for name in list(cells.columns[[kind.kind not in "iuf" for kind in cells.dtypes]]):
        column = cells[name]
        if not (present := column.iloc[np.flatnonzero(column.notna())[:_PROBED]].tolist()):
            continue
        if 2 * sum(map(is_picture, present)) > len(present):
            thumbnails, words = _thumbnails(map(_of_uri, column), str(name))
            steps += words
            cells = cells.assign(**{str(name): thumbnails.to_numpy()})
        elif archive is not None and archive.names_in(present):
            thumbnails, words = _thumbnails(map(archive.picture, column), str(name))
            steps += words
            index = list(cells.columns).index(name)
            cells.insert(index + 1, _free(cells, name), thumbnails.to_numpy())
    return cells, steps


def _free(cells: pd.DataFrame, name: object) -> str:
    taken, wanted = set(cells.columns), "picture"
    return wanted if wanted not in taken else f"{name} (picture)"[:MAX_NAME]


def _of_uri(cell: object) -> bytes | None:
    """The bytes of a picture; empty where they cannot be decoded, None of an empty cell."""
    if not isinstance(cell, str):
        return None
    head, _, body = cell.partition(",")
    if not (is_picture(cell) and head.endswith(";base64")) or len(body) > 2 * MAX_BYTES:
        return b""
    try:
        return base64.b64decode(body, validate=True)
    except ValueError:
        return b""


@dataclass(frozen=True, eq=False)
class PictureArchive:
    """A zip archive of pictures: of those that a table names, or in a folder for each class.

    Attributes
    ----------
    archive : ZipFile
    table : str
        Name of the table in it; "" where folders are the classes.
    pictures : dict of str to str
        Names in the archive by those without folders, or by themselves where these repeat.
    """

    archive: zipfile.ZipFile
    table: str
    pictures: dict[str, str]

    @classmethod
    def of(cls, raw: bytes) -> PictureArchive | None:
        """The archive in a file; None if it is another file."""
        if not raw.startswith(ZIP):
            return None
        try:
            archive = zipfile.ZipFile(io.BytesIO(raw))
            files = [
                part.filename for part in archive.infolist() if not part.filename.endswith("/")
            ]
        except (zipfile.BadZipFile, NotImplementedError, *_DAMAGED):
            return None
        files = [name for name in files if not _is_hidden(name)]
        pictures = [name for name in files if name.lower().endswith(_SUFFIXES)]
        others = [name for name in files if not name.lower().endswith(_SUFFIXES)]
        if not pictures or len(others) > 1:
            return None
        if others:
            is_table = others[0].lower().endswith(TABLES)
            return cls(archive, others[0], _by_name(pictures)) if is_table else None
        folders = {PurePosixPath(name).parent.name for name in pictures}
        return cls(archive, "", {name: name for name in pictures}) if len(folders) > 1 else None

    def names_in(self, cells: Sequence[object]) -> bool:
        """Return whether most cells name a picture."""
        return 2 * sum(self._found(cell) is not None for cell in cells) > len(cells)

    def picture(self, cell: object) -> bytes | None:
        """The picture that a cell names; empty where it cannot be read, None for none."""
        name = self._found(cell)
        return None if name is None else self.read(name, MAX_BYTES) or b""

    def _found(self, cell: object) -> str | None:
        if not isinstance(cell, str):
            return None
        plain = cell.strip().replace("\\", "/")
        return self.pictures.get(plain) or self.pictures.get(PurePosixPath(plain).name)

    def read(self, name: str, max_bytes: int = MAX_UNPACKED) -> bytes | None:
        """The bytes of a file in the archive; None if it is damaged or larger."""
        try:
            with self.archive.open(name) as part:
                data = part.read(max_bytes + 1)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, *_DAMAGED):
            return None
        return data if len(data) <= max_bytes else None

    def table_bytes(self) -> tuple[bytes, str]:
        """The table and its name.

        Raises
        ------
        TableError
            If it is damaged or too large.
        """
        name = PurePosixPath(self.table).name
        if (data := self.read(self.table)) is None:
            raise TableError(
                f"{name} in the archive is damaged, or holds more than "
                f"{number(MAX_UNPACKED // 2**20)} MB. Drop it by itself."
            )
        return data, name

    def folders(self, max_rows: float) -> tuple[pd.DataFrame, list[str]]:
        """A table with a row for each picture: its pixels as features, its folder as class.

        Raises
        ------
        TableError
            If there are too many pictures, or none can be read.
        """
        most = int(min(max_rows, MOST_PICTURES))
        if len(self.pictures) > most:
            raise TableError(
                f"The archive has {number(len(self.pictures))} pictures, but at most "
                f"{number(most)} can be read. Remove some and drop it again."
            )
        made, images, names = Thumbnails(), [], []
        for name in sorted(self.pictures):
            if (image := made.image(self.read(name, MAX_BYTES) or b"")) is not None:
                images.append(image)
                names.append(PurePosixPath(name))
        if not images:
            raise TableError(
                "No picture of the archive can be read. Save them as PNG or JPEG and drop it again."
            )
        width, height = _common_size(images)
        pixels = np.stack([_gray(image, width, height) for image in images])
        shown = Thumbnails()
        classes = [name.parent.name for name in names]
        columns = {
            "file": [str(name) for name in names],
            "picture": [shown.of(_saved(image)) for image in images],
            "class": classes,
        }
        grid = [f"pixel_{row}_{column}" for row in range(height) for column in range(width)]
        steps = [
            f"Read from {count(len(images), 'picture')} in "
            f"{count(len(set(classes)), 'folder')}: the folder is the class, the features "
            f"are {height} x {width} gray values."
        ]
        if made.n_unreadable or made.n_beyond:
            steps += made.steps("The archive")[1:]
        return pd.concat([pd.DataFrame(columns), pd.DataFrame(pixels, columns=grid)], axis=1), steps


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith((".", "__MACOSX")) for part in parts)


def _by_name(pictures: Sequence[str]) -> dict[str, str]:
    """By their names in the archive, and by those without folders where these differ."""
    plain = [PurePosixPath(name).name for name in pictures]
    alone = dict(zip(plain, pictures, strict=True))
    if len(alone) < len(plain):
        alone = {}
    return {**alone, **{name: name for name in pictures}}


def _common_size(images: Sequence[Image.Image]) -> tuple[int, int]:
    sizes = {image.size for image in images}
    width, height = next(iter(sizes))
    is_small = len(sizes) == 1 and max(width, height) <= _LARGEST_SIDE
    return (width, height) if is_small else (_SIDE, _SIDE)


def _gray(image: Image.Image, width: int, height: int) -> FloatArray:
    plain = _on_white(image).convert("L")
    if plain.size != (width, height):
        plain = plain.resize((width, height), Image.Resampling.BOX)
    return np.asarray(plain, dtype=np.float64).ravel()


def _saved(image: Image.Image) -> bytes:
    file = io.BytesIO()
    _on_white(image).save(file, "PNG")
    return file.getvalue()

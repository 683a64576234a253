"""Tables as programs write them: each grammar knows a format by its first lines.

A grammar is a function that takes the first lines of a file and says how it is read, or None:
docs/adding-a-format.md.
"""

from __future__ import annotations

from melm_studio.tables.grammars.axes import axis_rows, samples_beside_an_axis
from melm_studio.tables.grammars.features_in_rows import (
    behind_a_corner,
    below_alike_names,
    below_samples,
    beside_annotations,
    beside_statistics,
    beside_taxa,
    far_more_rows,
    said_beside_taxa,
)
from melm_studio.tables.grammars.geo import dataset_soft, series_matrix
from melm_studio.tables.grammars.layout import ROWS_COMPARED, FirstLines, Grammar, Layout, Long
from melm_studio.tables.grammars.long_tables import (
    findings,
    is_long,
    long_table,
    melted,
    report,
)
from melm_studio.tables.grammars.omics import (
    bracken,
    counts_of_one_sample,
    diann,
    discoverer,
    feature_counts,
    fragpipe,
    gct,
    gsea,
    isa_tab,
    limma,
    lipidsearch,
    maf,
    maxquant,
    metidq,
    mothur,
    msstats,
    mwtab,
    mztab,
    nanostring,
    otu_table,
    perseus,
    progenesis,
    qiime,
    xcms,
)
from melm_studio.tables.grammars.orange import orange
from melm_studio.tables.grammars.pandas_levels import deeplabcut, pandas_levels
from melm_studio.tables.grammars.r_table import r_table
from melm_studio.tables.grammars.reading import Read, read_layout
from melm_studio.tables.grammars.sample_names import with_groups
from melm_studio.tables.grammars.surveys import (
    mechanical_turk,
    qualtrics,
    qualtrics_before,
    surveymonkey,
    told_by_names,
)
from melm_studio.tables.readers import ReadOptions

# The first that recognizes a file reads it: those with a signature before those that compare rows.
GRAMMARS: dict[str, Grammar] = {
    "GCT": gct,
    "series matrix of GEO": series_matrix,
    "data set of GEO": dataset_soft,
    "Perseus": perseus,
    "QIIME 2": qiime,
    "Qualtrics": qualtrics,
    "Qualtrics before 2017": qualtrics_before,
    "SurveyMonkey": surveymonkey,
    "Mechanical Turk": mechanical_turk,
    "MetaboLights": maf,
    "mwTab": mwtab,
    "MetIDQ": metidq,
    "reports": report,
    "MaxQuant": maxquant,
    "DIA-NN": diann,
    "Progenesis": progenesis,
    "Discoverer": discoverer,
    "FragPipe": fragpipe,
    "MSstats": msstats,
    "XCMS": xcms,
    "LipidSearch": lipidsearch,
    "NanoString": nanostring,
    "Bracken": bracken,
    "mzTab": mztab,
    "GSEA": gsea,
    "featureCounts": feature_counts,
    "counts of one sample": counts_of_one_sample,
    "mothur": mothur,
    "limma": limma,
    "findings": findings,
    "long": long_table,
    "melted": melted,
    "OTUs": otu_table,
    "ISA-Tab": isa_tab,
    "Orange": orange,
    "R": r_table,
    "DeepLabCut": deeplabcut,
    "levels of pandas": pandas_levels,
    "features below samples": below_samples,
    "features behind a corner": behind_a_corner,
    "features beside statistics": beside_statistics,
    "features beside annotations": beside_annotations,
    "features beside taxa": beside_taxa,
    "features below alike names": below_alike_names,
    "samples beside an axis": samples_beside_an_axis,
    "rows of an axis": axis_rows,
}
# Surveys and reports of programs have fewer columns than so many, whose names take time.
_MOST_COLUMNS = 4_000
_OF_FEWER_COLUMNS = {
    qualtrics, qualtrics_before, surveymonkey, mechanical_turk, report, discoverer, msstats,
    beside_statistics,
}  # fmt: skip

__all__ = [
    "GRAMMARS",
    "ROWS_COMPARED",
    "FirstLines",
    "Grammar",
    "Layout",
    "Long",
    "Read",
    "far_more_rows",
    "is_long",
    "read_layout",
    "recognized",
    "said_beside_taxa",
    "told_by_names",
    "with_groups",
]


def recognized(data: bytes, options: ReadOptions) -> Layout | None:
    """Return how a file is read that a grammar knows, unless the user has chosen otherwise.

    Parameters
    ----------
    data : bytes
        Text in UTF-8 with line feeds.
    options : ReadOptions
    """
    first = FirstLines(data)
    is_wide = len(first.cells(0, first.delimiter)) > _MOST_COLUMNS
    layout = next(
        (
            layout_of_grammar
            for grammar in GRAMMARS.values()
            if not (is_wide and grammar in _OF_FEWER_COLUMNS)
            and (layout_of_grammar := grammar(first))
        ),
        None,
    )
    if layout is None:
        return None
    is_other = ("samples" in layout.asked and options.samples == "rows") or (
        "header" in layout.asked and options.header == "first"
    )
    return None if is_other else layout

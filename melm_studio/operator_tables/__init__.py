"""Tables of the operator, which may be larger than memory.

A process beside the worker reads their sizes and a stratified sample (`keeper`), and puts both
into the store (`published`). The page and most methods work with the sample; a run that can is
fitted to all rows (`all_rows`) by Dask.
"""

"""scikit-learn's and umap-learn's projections behind the registry: no estimators for programs.

A program uses `sklearn.decomposition.PCA` and the like themselves. What is added here is what the
registry asks of every method: orthonormal components, coordinates of any row, tables in blocks.
"""

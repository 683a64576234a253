"""The sources of the methods as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable

_MELM = r"""@inproceedings{czarnecki2015maximum,
  author = {Czarnecki, Wojciech Marian and J{\'o}zefowicz, Rafa{\l} and Tabor, Jacek},
  title = {Maximum Entropy Linear Manifold for Learning Discriminative Low-dimensional Representation},
  booktitle = {Machine Learning and Knowledge Discovery in Databases (ECML PKDD)},
  year = {2015}
}"""  # noqa: E501 - one field a line
_UMAP = r"""@article{mcinnes2018umap,
  author = {McInnes, Leland and Healy, John and Melville, James},
  title = {{UMAP}: Uniform Manifold Approximation and Projection for Dimension Reduction},
  journal = {arXiv},
  number = {1802.03426},
  year = {2018}
}"""

# The entries of each method, by its key in METHODS.
ENTRIES: dict[str, tuple[str, ...]] = {
    "melm": (_MELM,),
    "entropy": (_MELM,),
    "cpca": (_MELM,),
    "2epca": (_MELM,),
    "ppca": (_MELM,),
    "rotations": (
        r"""@misc{salasboni2013feature,
  author = {Salas-Boni, Rebeca and Tabak, Esteban G.},
  title = {Feature Extraction through Rotations},
  year = {2013}
}""",
    ),
    "gem": (
        r"""@inproceedings{karampatziakis2014discriminative,
  author = {Karampatziakis, Nikos and Mineiro, Paul},
  title = {Discriminative Features via Generalized Eigenvectors},
  booktitle = {International Conference on Machine Learning},
  year = {2014}
}""",
    ),
    "pca": (
        r"""@article{hotelling1933analysis,
  author = {Hotelling, Harold},
  title = {Analysis of a Complex of Statistical Variables into Principal Components},
  journal = {Journal of Educational Psychology},
  volume = {24},
  year = {1933}
}""",
    ),
    "lda": (
        r"""@article{fisher1936use,
  author = {Fisher, Ronald A.},
  title = {The Use of Multiple Measurements in Taxonomic Problems},
  journal = {Annals of Eugenics},
  volume = {7},
  year = {1936}
}""",
        r"""@article{rao1948utilization,
  author = {Rao, C. Radhakrishna},
  title = {The Utilization of Multiple Measurements in Problems of Biological Classification},
  journal = {Journal of the Royal Statistical Society, Series B},
  volume = {10},
  year = {1948}
}""",
    ),
    "rlda": (
        r"""@article{friedman1989regularized,
  author = {Friedman, Jerome H.},
  title = {Regularized Discriminant Analysis},
  journal = {Journal of the American Statistical Association},
  volume = {84},
  year = {1989}
}""",
        r"""@article{ledoit2004well,
  author = {Ledoit, Olivier and Wolf, Michael},
  title = {A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices},
  journal = {Journal of Multivariate Analysis},
  volume = {88},
  year = {2004}
}""",
        r"""@article{schaefer2005shrinkage,
  author = {Sch{\"a}fer, Juliane and Strimmer, Korbinian},
  title = {A Shrinkage Approach to Large-Scale Covariance Matrix Estimation},
  journal = {Statistical Applications in Genetics and Molecular Biology},
  volume = {4},
  year = {2005}
}""",
    ),
    "hlda": (
        r"""@article{loog2004linear,
  author = {Loog, Marco and Duin, Robert P. W.},
  title = {Linear Dimensionality Reduction via a Heteroscedastic Extension of {LDA}: The {C}hernoff Criterion},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  volume = {26},
  year = {2004}
}""",  # noqa: E501 - one field a line
    ),
    "plsda": (
        r"""@article{barker2003partial,
  author = {Barker, Matthew and Rayens, William},
  title = {Partial Least Squares for Discrimination},
  journal = {Journal of Chemometrics},
  volume = {17},
  year = {2003}
}""",
    ),
    "oplsda": (
        r"""@article{trygg2002orthogonal,
  author = {Trygg, Johan and Wold, Svante},
  title = {Orthogonal Projections to Latent Structures ({O-PLS})},
  journal = {Journal of Chemometrics},
  volume = {16},
  year = {2002}
}""",
        r"""@article{bylesjo2006opls,
  author = {Bylesj{\"o}, Max and Rantalainen, Mattias and Cloarec, Olivier and Nicholson, Jeremy K. and Holmes, Elaine and Trygg, Johan},
  title = {{OPLS} Discriminant Analysis: Combining the Strengths of {PLS-DA} and {SIMCA} Classification},
  journal = {Journal of Chemometrics},
  volume = {20},
  year = {2006}
}""",  # noqa: E501 - one field a line
    ),
    "nca": (
        r"""@inproceedings{goldberger2005neighbourhood,
  author = {Goldberger, Jacob and Roweis, Sam and Hinton, Geoffrey and Salakhutdinov, Ruslan},
  title = {Neighbourhood Components Analysis},
  booktitle = {Advances in Neural Information Processing Systems},
  volume = {17},
  year = {2005}
}""",
    ),
    "ica": (
        r"""@article{hyvarinen1999fast,
  author = {Hyv{\"a}rinen, Aapo},
  title = {Fast and Robust Fixed-Point Algorithms for Independent Component Analysis},
  journal = {IEEE Transactions on Neural Networks},
  volume = {10},
  year = {1999}
}""",
    ),
    "fa": (
        r"""@article{spearman1904general,
  author = {Spearman, Charles},
  title = {``General Intelligence,'' Objectively Determined and Measured},
  journal = {The American Journal of Psychology},
  volume = {15},
  year = {1904}
}""",
    ),
    "nmf": (
        r"""@article{lee1999learning,
  author = {Lee, Daniel D. and Seung, H. Sebastian},
  title = {Learning the Parts of Objects by Non-negative Matrix Factorization},
  journal = {Nature},
  volume = {401},
  year = {1999}
}""",
    ),
    "vca": (
        r"""@inproceedings{livni2013vanishing,
  author = {Livni, Roi and Lehavi, David and Schein, Sagi and Nachlieli, Hila and Shalev-Shwartz, Shai and Globerson, Amir},
  title = {Vanishing Component Analysis},
  booktitle = {International Conference on Machine Learning},
  year = {2013}
}""",  # noqa: E501 - one field a line
    ),
    "sir": (
        r"""@article{li1991sliced,
  author = {Li, Ker-Chau},
  title = {Sliced Inverse Regression for Dimension Reduction},
  journal = {Journal of the American Statistical Association},
  volume = {86},
  year = {1991}
}""",
    ),
    "opca": (
        r"""@book{diamantaras1996principal,
  author = {Diamantaras, Konstantinos I. and Kung, Sun-Yuan},
  title = {Principal Component Neural Networks: Theory and Applications},
  publisher = {Wiley},
  year = {1996}
}""",
    ),
    "kpca": (
        r"""@article{scholkopf1998nonlinear,
  author = {Sch{\"o}lkopf, Bernhard and Smola, Alexander and M{\"u}ller, Klaus-Robert},
  title = {Nonlinear Component Analysis as a Kernel Eigenvalue Problem},
  journal = {Neural Computation},
  volume = {10},
  year = {1998}
}""",
    ),
    "tsne": (
        r"""@article{vandermaaten2008tsne,
  author = {van der Maaten, Laurens and Hinton, Geoffrey},
  title = {Visualizing Data using t-{SNE}},
  journal = {Journal of Machine Learning Research},
  volume = {9},
  year = {2008}
}""",
    ),
    "umap": (_UMAP,),
    "supervised_umap": (_UMAP,),
    "kfd": (
        r"""@inproceedings{mika1999fisher,
  author = {Mika, Sebastian and R{\"a}tsch, Gunnar and Weston, Jason and Sch{\"o}lkopf, Bernhard and M{\"u}ller, Klaus-Robert},
  title = {{Fisher} Discriminant Analysis with Kernels},
  booktitle = {Neural Networks for Signal Processing IX},
  year = {1999}
}""",  # noqa: E501 - one field a line
    ),
}


def bibtex(methods: Iterable[str]) -> str:
    """Return the entries of methods, each once."""
    entries = [entry for method in methods for entry in ENTRIES.get(method, ())]
    return "\n\n".join(dict.fromkeys(entries))

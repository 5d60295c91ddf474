"""Schematic drawings: a small grammar of pieces, painted in SVG from computed numbers.

=========  ==================================================================
layout     rows, columns, grids, stacks and frames of pieces; texts
cells      vectors, matrices, bars and strips: pieces that show numbers
marks      words, blocks, clocks, curves
wires      arrows between named pieces
drawing    two arrangements of pieces, wires, a title and a description
map        the whole Transformer with one chapter's part lit
palette    a colour for each role
sheet      what pieces are painted on
=========  ==================================================================
"""

from attnsteps.diagrams.cells import bars, matrix, strip, vector
from attnsteps.diagrams.drawing import Drawing
from attnsteps.diagrams.layout import (
    Piece,
    column,
    frame,
    grid,
    named,
    row,
    space,
    stack,
    words,
)
from attnsteps.diagrams.map import transformer_map
from attnsteps.diagrams.marks import block, clock, curve, word
from attnsteps.diagrams.wires import Wire

__all__ = [
    "Drawing",
    "Piece",
    "Wire",
    "bars",
    "block",
    "clock",
    "column",
    "curve",
    "frame",
    "grid",
    "matrix",
    "named",
    "row",
    "space",
    "stack",
    "strip",
    "transformer_map",
    "vector",
    "word",
    "words",
]

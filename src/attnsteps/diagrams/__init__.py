"""Schematic drawings: a small grammar of pieces, painted in SVG from computed numbers.

=========  =================================================================
pieces     vectors, matrices, words, blocks, bars; rows and columns of pieces
drawing    two arrangements of pieces, wires, a title and a description
map        the whole Transformer with one chapter's part lit
palette    a colour for each role
sheet      what pieces are painted on
=========  =================================================================
"""

from attnsteps.diagrams.drawing import Drawing, Wire
from attnsteps.diagrams.map import transformer_map
from attnsteps.diagrams.pieces import (
    Piece,
    bars,
    block,
    clock,
    column,
    curve,
    frame,
    grid,
    matrix,
    named,
    row,
    space,
    stack,
    strip,
    vector,
    word,
    words,
)

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

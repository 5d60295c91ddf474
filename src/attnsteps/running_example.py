"""The sentence that goes through the whole book, and toy vectors small enough for a pencil.

动物没有过马路，因为太累了: *the animal did not cross the street because it was too
tired*. Its twin ends in 宽 instead of 累: *because it was too wide*. Chinese leaves the *it* out,
so a translator must find out what was tired, and what was wide.

The toy vectors have four axes with a meaning, which a trained model's have not: being a thing,
being alive, being flat and long, and describing. Their projections are chosen so that a describing
word asks for a thing that it could describe.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Word:
    """One word of the sentence: Chinese, its reading, and its English gloss."""

    zh: str
    pinyin: str
    gloss: str


ANIMAL = Word("动物", "dòngwù", "animal")
NOT = Word("没有", "méiyǒu", "not")
CROSS = Word("过", "guò", "cross")
STREET = Word("马路", "mǎlù", "street")
BECAUSE = Word("因为", "yīnwèi", "because")
TOO = Word("太", "tài", "too")
TIRED = Word("累", "lèi", "tired")
WIDE = Word("宽", "kuān", "wide")
CHANGED = Word("了", "le", "(state)")

#: 动物没有过马路，因为太累了
SENTENCE = (ANIMAL, NOT, CROSS, STREET, BECAUSE, TOO, TIRED, CHANGED)

#: 动物没有过马路，因为太宽了
TWIN = (ANIMAL, NOT, CROSS, STREET, BECAUSE, TOO, WIDE, CHANGED)

#: What the axes of the toy embeddings mean.
AXES = ("thing", "alive", "flat", "describes")

_EMBEDDINGS = {
    ANIMAL: (1.0, 1.0, 0.0, 0.0),
    NOT: (0.0, 0.0, 0.0, 0.5),
    CROSS: (0.0, 0.5, 0.5, 0.0),
    STREET: (1.0, 0.0, 1.0, 0.0),
    BECAUSE: (0.5, 0.0, 0.0, 0.0),
    TOO: (0.0, 0.0, 0.0, 0.5),
    TIRED: (0.0, 1.0, 0.0, 1.0),
    WIDE: (0.0, 0.0, 1.0, 1.0),
    CHANGED: (0.0, 0.0, 0.0, 0.0),
}

#: (D, Dk) = (4, 4). A describing word asks for a thing; every word asks for its own kind.
W_Q = torch.tensor([[0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [2, 0, 0, 0]], dtype=torch.float64)

#: (D, Dk) = (4, 4). A word offers what it is.
W_K = torch.tensor([[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]], dtype=torch.float64)

#: (D, Dv) = (4, 3). A word hands over whether it is a thing, alive, flat.
W_V = torch.tensor([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=torch.float64)


def toy_embeddings(words: tuple[Word, ...] = SENTENCE) -> Tensor:
    """Return one toy vector per word.

    Args:
        words: words of the running sentence or its twin.

    Returns:
        Embeddings of shape (T, 4) in float64, on the axes named in ``AXES``.

    Raises:
        ValueError: a word is not one of the running example's.

    Example:
        >>> toy_embeddings((ANIMAL, TIRED))
        tensor([[1., 1., 0., 0.],
                [0., 1., 0., 1.]], dtype=torch.float64)
    """
    for word in words:
        if word not in _EMBEDDINGS:
            raise ValueError(f"words must come from the running example; got {word!r}")
    return torch.tensor([_EMBEDDINGS[word] for word in words], dtype=torch.float64)

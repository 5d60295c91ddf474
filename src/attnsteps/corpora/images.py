"""Pictures as sentences: handwritten digits, cut into patches, and a codebook of patches.

The digits come with scikit-learn, which is imported only when it is needed.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnsteps.checks import check_number, check_positive
from attnsteps.shapes import check_floating, check_shape


def digits() -> tuple[Float[Tensor, "N 8 8"], Int[Tensor, " N"]]:
    """Load the 1797 handwritten digits of scikit-learn, and which digit each of them is.

    Source: Alpaydin and Kaynak 1998, UCI machine learning repository, the part called test.

    Returns:
        The pictures, (N, 8, 8), from 0 (paper) to 1 (ink), and the labels, (N,), from 0 to 9.

    Example:
        >>> pictures, labels = digits()
        >>> pictures.shape, labels[:5]
        (torch.Size([1797, 8, 8]), tensor([0, 1, 2, 3, 4]))
    """
    from sklearn.datasets import load_digits  # noqa: PLC0415 - heavy, and only the book needs it

    pictures, labels = load_digits(return_X_y=True)
    pictures = torch.tensor(pictures / 16, dtype=torch.get_default_dtype())
    return pictures.unflatten(1, (8, 8)), torch.tensor(labels)


def to_patches(pictures: Float[Tensor, "B Y X"], size: int) -> Float[Tensor, "B T P"]:
    """Cut pictures into square patches, read like words: left to right, then down.

    Source: Dosovitskiy et al. 2021, section 3.1.

    Args:
        pictures: grey pictures, (B, height, width).
        size: the side of a patch, in pixels; it divides height and width.

    Returns:
        One row of pixels for each patch, (B, T, size²), with T = height · width / size².

    Raises:
        ValueError: if pictures is not a float tensor of three axes, or size does not divide both.

    Example:
        >>> to_patches(torch.arange(16.0).view(1, 4, 4), 2)[0]
        tensor([[ 0.,  1.,  4.,  5.],
                [ 2.,  3.,  6.,  7.],
                [ 8.,  9., 12., 13.],
                [10., 11., 14., 15.]])
    """
    check_floating("pictures", pictures)
    check_shape("pictures", pictures, "B Y X")
    check_positive("size", size)
    height, width = pictures.shape[1:]
    if height % size or width % size:
        raise ValueError(f"size must divide height and width, {height} and {width}; got {size}")
    cut = pictures.unflatten(2, (-1, size)).unflatten(
        1, (-1, size)
    )  # (B, rows, size, columns, size)
    return cut.transpose(2, 3).flatten(3).flatten(1, 2)


def from_patches(patches: Float[Tensor, "B T P"], width: int) -> Float[Tensor, "B Y X"]:
    """Put patches back together: the inverse of to_patches.

    Args:
        patches: square patches, (B, T, size²).
        width: of the pictures, in pixels.

    Returns:
        The pictures, (B, height, width).

    Raises:
        ValueError: if patches is not a float tensor of three axes, its patches are not square, or
            they do not fill rows of this width.

    Example:
        >>> pictures = torch.rand(3, 8, 8)
        >>> torch.equal(from_patches(to_patches(pictures, 2), width=8), pictures)
        True
    """
    check_floating("patches", patches)
    check_shape("patches", patches, "B T P")
    check_positive("width", width)
    count, pixels = patches.shape[1:]
    size = round(pixels**0.5)
    if size * size != pixels:
        raise ValueError(f"patches must be square, with 1, 4, 9, … pixels; got {pixels}")
    if width % size or count % (width // size):
        raise ValueError(
            f"{count} patches of side {size} must fill rows of width pixels; got width = {width}"
        )
    cut = patches.unflatten(2, (size, size)).unflatten(1, (-1, width // size))
    return cut.transpose(2, 3).flatten(3).flatten(1, 2)


def codebook(patches: Float[Tensor, "B T P"], count: int, *, seed: int = 0) -> Float[Tensor, "V P"]:
    """Choose a few patches that stand for all: the centres of k-means.

    Source: van den Oord et al. 2017 learn theirs together with a network; k-means is the same idea
    without the network.

    Args:
        patches: (B, T, P).
        count: V, how many entries; at most B · T.
        seed: of the first guess.

    Returns:
        The entries, (V, P), from the lightest to the darkest.

    Raises:
        ValueError: if patches is not a float tensor of three axes, or count or seed is no such
            number.

    Example:
        >>> codebook(torch.tensor([[[0.0], [0.2], [0.9]]]), 2)
        tensor([[0.1000],
                [0.9000]])
    """
    check_floating("patches", patches)
    check_shape("patches", patches, "B T P")
    check_number(
        "count", count, integer=True, at_least=1, at_most=patches.shape[0] * patches.shape[1]
    )
    check_number("seed", seed, integer=True, at_least=0)
    from sklearn.cluster import KMeans  # noqa: PLC0415 - heavy, and only the book needs it

    found = KMeans(count, n_init=4, random_state=seed).fit(patches.flatten(0, 1).numpy())
    entries = torch.from_numpy(found.cluster_centers_).to(patches.dtype)
    return entries[entries.sum(dim=1).argsort()]


def to_codes(patches: Float[Tensor, "B T P"], entries: Float[Tensor, "V P"]) -> Int[Tensor, "B T"]:
    """Replace each patch by the number of the nearest entry of a codebook.

    Formula::

        codes[b, t] = argmin over v of |patches[b, t] − entries[v]|²

    Args:
        patches: (B, T, P).
        entries: the codebook, (V, P).

    Returns:
        The codes, (B, T), from 0 to V − 1; ``entries[codes]`` are patches again.

    Raises:
        ValueError: if the tensors are not floats of these axes, or differ in P.

    Example:
        >>> to_codes(torch.tensor([[[0.2], [0.7]]]), torch.tensor([[0.0], [1.0]]))
        tensor([[0, 1]])
    """
    check_floating("patches", patches)
    check_shape("patches", patches, "B T P")
    check_floating("entries", entries)
    check_shape("entries", entries, "V P", P=patches.shape[2])
    return torch.cdist(patches, entries.expand(len(patches), -1, -1)).argmin(dim=2)

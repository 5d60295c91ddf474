"""The random numbers of ``js/maths/random.js``, so that Python draws the same as the page."""

import numpy as np
from numpy.typing import NDArray


def uniform(seed: int, count: int) -> NDArray[np.float64]:
    """Return ``count`` uniform numbers in [0, 1) from a 32-bit seed (mulberry32).

    Example:
        >>> uniform(seed=1, count=2).round(6).tolist()
        [0.627074, 0.002736]
    """
    state = seed + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x6D2B79F5)
    state = state.astype(np.uint32)  # all that follows is modulo 2³²
    mixed = (state ^ (state >> 15)) * (state | 1)
    mixed ^= mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)
    return (mixed ^ (mixed >> 14)) / 2.0**32


def normals(seed: int, count: int) -> NDArray[np.float64]:
    """Return ``count`` draws from N(0, 1) (Box–Muller) from a 32-bit seed.

    Example:
        >>> normals(seed=1, count=2).round(4).tolist()
        [1.4043, 0.0241]
    """
    drawn = uniform(seed, count + count % 2)
    radius, angle = np.sqrt(-2 * np.log(1 - drawn[::2])), 2 * np.pi * drawn[1::2]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()[:count]

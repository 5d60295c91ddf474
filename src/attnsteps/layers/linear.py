"""How a linear layer starts: its matrix Xavier-uniform, its bias at zero."""

from torch import nn


def initialise(*layers: nn.Linear) -> None:
    """Draw each matrix anew, and set each bias to zero.

    Formula, for a matrix between n and m components::

        weight ~ U(−√(6 / (n + m)), √(6 / (n + m)))

    Source: Glorot and Bengio 2010, eq. 16 (the paper of 2017 is silent on it).

    Example:
        >>> layer = nn.Linear(3, 3)
        >>> initialise(layer)
        >>> bool(layer.weight.abs().max() <= 1), layer.bias.tolist()
        (True, [0.0, 0.0, 0.0])
    """
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)

"""The learning rate at every step: up while the model knows nothing, then slowly down."""

from attnsteps.checks import check_number, check_positive


def paper_schedule(step: int, *, d_model: int, warmup: int = 4000) -> float:
    """Return the paper's learning rate: up in a straight line, then down with the square root.

    Formula::

        rate = d_model^−0.5 · min(step^−0.5, step · warmup^−1.5)

    Source: paper, section 5.3, equation 3, with warmup = 4000.

    Args:
        step: the number of this update, from 1 on.
        d_model: D; a wider model learns with a lower rate.
        warmup: the step with the highest rate, (d_model · warmup)^−0.5.

    Returns:
        The learning rate.

    Raises:
        ValueError: if one of them is not a positive integer.

    Example:
        >>> [round(paper_schedule(step, d_model=512), 6) for step in (1, 4000, 16000)]
        [0.0, 0.000699, 0.000349]
    """
    check_positive("step", step)
    check_positive("d_model", d_model)
    check_positive("warmup", warmup)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def linear_decay(step: int, *, peak: float, warmup: int, total: int) -> float:
    """Return the book's learning rate: up in a straight line, then down in another one.

    Formula, which reaches the peak at step = warmup and would be 0 one step after the last::

        rate = peak · min(step / warmup, (total + 1 − step) / (total + 1 − warmup))

    The paper's schedule never ends; this one spends its steps on a training whose end is known,
    and reaches the same score sooner.

    Args:
        step: the number of this update, from 1 to total.
        peak: the highest rate.
        warmup: the step that has it, at most total.
        total: the number of updates.

    Returns:
        The learning rate, above 0.

    Raises:
        ValueError: if peak is not above 0, or a number of steps not a positive integer; if step or
            warmup is above total.

    Example:
        >>> [linear_decay(step, peak=0.004, warmup=2, total=5) for step in (1, 2, 3, 5)]
        [0.002, 0.004, 0.003, 0.001]
    """
    check_number("peak", peak, above=0)
    check_positive("total", total)
    check_number("step", step, at_least=1, at_most=total, limit="total", integer=True)
    check_number("warmup", warmup, at_least=1, at_most=total, limit="total", integer=True)
    return peak * min(step / warmup, (total + 1 - step) / (total + 1 - warmup))

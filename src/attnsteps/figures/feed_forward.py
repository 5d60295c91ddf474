"""The figures of chapter 12, in their order on the page: the feed-forward network."""

from collections.abc import Callable, Sequence

from torch import Tensor

from attnsteps.diagrams import (
    Drawing,
    Piece,
    Wire,
    block,
    column,
    grid,
    matrix,
    named,
    row,
    space,
    vector,
    word,
    words,
)
from attnsteps.diagrams.cells import in_digits
from attnsteps.figures.catalogue import gloss, say
from attnsteps.figures.shared import listed
from attnsteps.running_example import Word

# The square of two inputs ------------------------------------------------------------------------

LOW, HIGH, STEP = -0.25, 1.25, 0.25
CORNERS = ((0, 0), (1, 0), (0, 1), (1, 1))
#: What the pencil's network concludes about the word that Chinese leaves out.
CONCLUSIONS = (say("it’s furry"), say("it’s paved"))
TINT = "fill:color-mix(in srgb,var(--h) calc(%.2f*var(--tint)),var(--paper))"

Line = tuple[tuple[float, float], tuple[float, float]]


def _ends(total: float) -> Line:
    """Return where the line on which two inputs add up to a total meets the square's edges."""
    if total <= LOW + HIGH:
        return (total - LOW, LOW), (LOW, total - LOW)
    return (HIGH, total - HIGH), (total - HIGH, HIGH)


def _plane(
    value: Callable[[float], float],
    label: str,
    names: tuple[str, str],
    lines: Sequence[tuple[Line, str]] = (),
    side: float = 190,
) -> Piece:
    """Draw the square of two inputs, tinted by a function of their sum, with its corners' values.

    Args:
        value: the function of the sum.
        label: stands above.
        names: of the input to the right and of the one upwards.
        lines: to be drawn across, each with its role.
        side: of the square in pixels.
    """
    left, top = 16, 40

    def paint(sheet, x: float, y: float) -> None:
        def place(right: float, up: float) -> tuple[float, float]:
            across = x + left + side * (right - LOW) / (HIGH - LOW)
            return across, y + top + side * (HIGH - up) / (HIGH - LOW)

        def path(points: Sequence[tuple[float, float]]) -> str:
            return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in (place(*p) for p in points))

        sheet.write(label, x + left + side / 2, y + 9, 13, class_="b")
        sheet.write(f"{names[1]} ↑", x + left, y + 29, 12, "start", class_="quiet")
        for n in range(round(2 * (HIGH - LOW) / STEP)):
            total = 2 * LOW + n * STEP
            band, middle = (*_ends(total), *_ends(total + STEP)[::-1]), value(total + STEP / 2)
            role, tint = "wrong" if middle < 0 else "context", TINT % min(abs(middle), 1)
            sheet.add("path", d=f"{path(band)}Z", class_=f"fill-{role}", style=tint)
        square = ((LOW, LOW), (HIGH, LOW), (HIGH, HIGH), (LOW, HIGH))
        sheet.add("path", d=f"{path(square)}Z", class_="axis")
        for line, role in lines:
            sheet.add("path", d=path(line), class_=f"hand line-{role}")
        for corner in CORNERS:
            number, (cx, cy) = value(sum(corner)), place(*corner)
            sheet.add("circle", cx=cx, cy=cy, r=18, class_="sheet")
            bold = "b" if round(number, 2) == 1 else ""
            text = f"{round(number, 2) + 0.0:g}".replace("-", "−")
            sheet.write(text, cx, cy, 12, class_=bold)
        end = y + top + side + 11
        sheet.write(f"{names[0]} →", x + left + side, end, 12, "end", class_="quiet")

    return Piece(left + side + 4, top + side + 22, paint)


def _profile(
    value: Callable[[float], float],
    names: Sequence[str],
    fold: float | None = None,
    side: float = 190,
    unit: float = 30,
) -> Piece:
    """Draw a function of the inputs' sum as seen along the line on which the sum is the same.

    Args:
        value: the function of the sum.
        names: of the corners with the sum 0, with 1, and with 2; a line each.
        fold: the sum at which the function bends.
        side: of the square that is seen from there, in pixels.
        unit: height of 1 in pixels.
    """
    left, totals = 16, (0, 1, 2)
    ends = (2 * LOW, *([] if fold is None else [fold]), 2 * HIGH)
    high, low = max(map(value, ends)), min(map(value, ends))
    top, foot = 34, 12 + 14 * max(name.count("\n") + 1 for name in names)

    def paint(sheet, x: float, y: float) -> None:
        def place(total: float, up: float) -> tuple[float, float]:
            across = x + left + side * (total - 2 * LOW) / (2 * HIGH - 2 * LOW)
            return across, y + top + unit * (high - up)

        def path(points: Sequence[tuple[float, float]]) -> str:
            return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in (place(*p) for p in points))

        sheet.write(say("from the side"), x + left, y + 9, 12, "start", class_="quiet")
        sheet.add("path", d=path([(2 * LOW, 0), (2 * HIGH, 0)]), class_="axis")
        sheet.add("path", d=path([(end, value(end)) for end in ends]), class_="curve line-context")
        if fold is not None:
            cx, cy = place(fold, value(fold))
            sheet.add("circle", cx=cx, cy=cy, r=5, class_="dot fill-source")
        for total, name in zip(totals, names, strict=True):
            cx, cy = place(total, value(total))
            if total != fold:
                sheet.add("circle", cx=cx, cy=cy, r=4, class_="dot fill-context")
            text = in_digits(value(total), 0)
            falls = value(total + LOW) > value(total) > value(total - LOW)
            beside = (cx + 4, cy - 12, 12, "start") if falls else (cx - 4, cy - 12, 12, "end")
            sheet.write(text, *beside, class_="b halo")
            for i, line in enumerate(name.split("\n")):
                sheet.write(line, cx, y + top + unit * (high - low) + 14 * (i + 1), 12)

    return Piece(left + side + 4, top + unit * (high - low) + foot, paint)


def a_sum_and_a_fold(parts: Tensor) -> Drawing:
    """Draw a weighted sum over its square, and the same sum cut at zero; both from the side, too.

    Args:
        parts: the sum's two weights, which are equal, and its constant, (3,).
    """
    names = say("x₁: furry"), say("x₂: describes")
    corners = "street", "animal, wide", "tired"
    bend = -float(parts[2] / parts[0])

    def whole(total: float) -> float:
        return float(parts[0] * total + parts[2])

    def cut(total: float) -> float:
        return max(0.0, whole(total))

    before = (
        _plane(whole, say("x₁ + x₂ − 1"), names),
        _profile(whole, corners),
    )
    after = (
        _plane(cut, say("ReLU(x₁ + x₂ − 1): one fold"), names, [(_ends(bend), "source")]),
        _profile(cut, corners, bend),
    )
    return Drawing(
        say("Both: a weighted sum, and one fold"),
        say(
            "Two squares over furry and describes, each seen from the side as well. Left, the "
            "weighted sum rises evenly: {low} at the corner of street, {middle} at animal and "
            "wide, {high} at tired. Right, the same sheet is folded along a line through animal "
            "and wide: it is 0 up to the line and then rises to 1 at tired.",
            low=in_digits(whole(0), 0),
            middle=in_digits(whole(1), 0),
            high=in_digits(whole(2), 0),
        ),
        row(column(*before, gap=10), column(*after, gap=10), gap=50, align="top"),
        column(*before, space(0, 8), *after, gap=8),
    )


# The network for a pencil ------------------------------------------------------------------------


def _signed(value: float) -> str:
    """Write a number that is added to another, with its sign."""
    return f"{value:+g}".replace("-", "−") if value else "0"


def _units(count: int) -> list[str]:
    """Return the names of the hidden units."""
    return [say("unit {number}", number=n + 1) for n in range(count)]


def _sum_of(column_of: Tensor, bias: float, axes: Sequence[str], end: str) -> str:
    """Write the sum of a hidden unit with ones for weights, such as *alive + describes − 1*."""
    terms = [axis for axis, weight in zip(axes, column_of.tolist(), strict=True) if weight]
    return f"{end}+ ".join(terms) + f"{end}{'−' if bias < 0 else '+'} {abs(bias):g}"


def through_two_units(x: Tensor, network: Sequence[Tensor], axes: Sequence[str]) -> Drawing:
    """Draw the way of one word's vector, (D,), through the hidden units.

    Args:
        x: the vector, (D,).
        network: w_1 (D, Dff), whose entries are 0 or 1, b_1 (Dff,), w_2 (Dff, D) and b_2 (D,).
        axes: what the D entries mean.
    """
    w_1, b_1, w_2, b_2 = network
    axes = [say(axis) for axis in axes]
    sums = x @ w_1 + b_1
    units, out = sums.relu(), sums.relu() @ w_2 + b_2

    def ends(values: Tensor, role: str, name: str, width: float, end: str) -> list[Piece]:
        numbers = [_signed(v) if name == "out" else f"{v:g}" for v in values.tolist()]
        boxes = []
        for i, (axis, text) in enumerate(zip(axes, numbers, strict=True)):
            is_cut = end == "\n"  # on a phone: two lines for a name, and the long one is cut
            shown_as = say("descr.") if is_cut and axis == say("describes") else axis
            if is_cut:
                it_is = say("it’s")
                shown_as = shown_as.replace(f"{it_is} ", f"{it_is}\n")
                shown_as = shown_as if "\n" in shown_as else f"\n{shown_as}"
            boxes.append(block(f"{shown_as}\n{text}", role, name=f"{name}{i}", width=width))
        return boxes

    def unit(j: int, width: float, end: str) -> Piece:
        before, after = in_digits(float(sums[j]), 0), in_digits(float(units[j]), 0)
        reckoned = say("sum {before} → {after}", before=before, after=after)
        text = f"{_sum_of(w_1[:, j], float(b_1[j]), axes, end)}\n{reckoned}"
        state = "lit" if units[j] > 0 else "coming"
        return block(text, "context", name=f"unit{j}", width=width, state=state)

    def written(width: float, unit_width: float, gaps: tuple[float, float]) -> Piece:
        """Leave room for the upper wires, and write upon each what its unit adds there."""
        across, up = (len(w_2[0]) * (width + gaps[0]) - gaps[0]), 62
        left = (across - len(w_2) * (unit_width + gaps[1]) + gaps[1]) / 2

        def paint(sheet, x: float, y: float) -> None:
            for j in range(len(w_2)):
                start = left + j * (unit_width + gaps[1]) + unit_width / 2
                for nth, i in enumerate(w_2[j].nonzero()[:, 0].tolist()):
                    goal, share = i * (width + gaps[0]) + width / 2, 0.3 + 0.2 * nth
                    ink = "halo b ink-context" if units[j] > 0 else "halo quiet"
                    at = x + start + share * (goal - start), y + up * (1 - share)
                    sheet.write(_signed(float(w_2[j, i])), *at, 12, class_=ink)

        return Piece(across, up, paint)

    def way(width: float, unit_width: float, gaps: tuple[float, float], end: str) -> Piece:
        return column(
            words(say("what it writes  (D,)"), size=12),
            row(*ends(out, "context", "out", width, end), gap=gaps[0]),
            written(width, unit_width, gaps),
            row(*(unit(j, unit_width, end) for j in range(len(b_1))), gap=gaps[1]),
            space(0, 34),
            row(*ends(x, "source", "in", width, end), gap=gaps[0]),
            words(say("tired  (D,)"), size=12),
            gap=4,
        )

    wires = [
        Wire(f"in{i}.top", f"unit{j}.bottom", role="source" if units[j] > 0 else "")
        for i, j in w_1.nonzero().tolist()
    ]
    wires += [
        Wire(f"unit{j}.top", f"out{i}.bottom", role="context" if units[j] > 0 else "")
        for j, i in w_2.nonzero().tolist()
    ]
    return Drawing(
        say("Tired goes through two hidden units"),
        say(
            "The numbers of tired at the bottom, for {axes}: {numbers}. The sums of the units are "
            "{sums}, and after ReLU {units}. What comes out at the top: {out}.",
            axes=", ".join(axes),
            numbers=listed(x),
            sums=listed(sums),
            units=listed(units),
            out=listed(out),
        ),
        way(84, 200, (30, 60), " "),
        way(56, 130, (4, 20), "\n"),
        wires=wires,
    )


def _in_lines(axes: Sequence[str]) -> list[str]:
    """Put each word of a name on a line of its own, so that it fits above a cell in any font."""
    return [axis.replace(" ", "\n") for axis in axes]


def _headed(title: str, piece: Piece) -> Piece:
    """Put a title above a table."""
    return column(words(title, size=12, bold=True), piece, gap=4)


def up_relu_down(
    x: Tensor, network: Sequence[Tensor], names: Sequence[str], axes: Sequence[str]
) -> Drawing:
    """Draw all words' vectors, (T, D), the sums, the hidden units, (T, Dff), and what comes out.

    Args:
        x: the vectors, (T, D).
        network: w_1 (D, Dff), b_1 (Dff,), w_2 (Dff, D) and b_2 (D,).
        names: of the T words.
        axes: what the D entries mean.
    """
    w_1, b_1, w_2, b_2 = network
    names, axes, units = [say(n) for n in names], [say(a) for a in axes], _units(len(b_1))
    sums = x @ w_1 + b_1
    out = sums.relu() @ w_2 + b_2

    def steps(outer: float, inner: float, rows: Sequence[str] | None) -> list[Piece]:
        wide, narrow = {"cell": (outer, 26), "columns": _in_lines(axes)}, {"cell": (inner, 26)}
        narrow["columns"] = units
        off = sums <= 0
        hidden = matrix(sums.relu(), "context", crossed=off, rows=rows, **narrow)
        return [
            _headed(say("x  (T, D)"), matrix(x, "source", rows=names, **wide)),
            _headed(say("x W₁ + b₁  (T, Dff)"), matrix(sums, "plain", rows=rows, **narrow)),
            _headed(say("ReLU  (T, Dff)"), hidden),
            _headed(say("· W₂ + b₂  (T, D)"), matrix(out, "context", rows=rows, **wide)),
        ]

    across, down = steps(54, 54, names), steps(50, 50, names)
    return Drawing(
        say("In, ReLU, out, for every word"),
        say(
            "The rows are {names}. The sums of the units, row by row: {sums}. ReLU crosses out "
            "what is 0 or less. What comes out, over {axes}: {out}.",
            names=", ".join(names),
            sums="; ".join(listed(one) for one in sums),
            axes=", ".join(axes),
            out="; ".join(listed(one) for one in out),
        ),
        column(row(*across[:2], gap=40), row(*across[2:], gap=40), gap=20),
        column(*down, gap=10),
    )


def same_network_everywhere(
    x: Tensor, hidden: Tensor, out: Tensor, shown: Sequence[Word]
) -> Drawing:
    """Draw three words on their way through one network.

    Args:
        x: their vectors, (3, D).
        hidden: the units after ReLU, (3, Dff).
        out: what comes out, (3, D).
        shown: the words.
    """
    width, everyone = hidden.shape[1], range(len(shown))

    def strip(values: Tensor, role: str, cell: float, **look: object) -> Piece:
        return vector(values, role, cell=(cell, 26), limit=1, **look)

    def towers(cell: float, gap: float, is_wide: bool) -> Piece:
        slot = x.shape[1] * cell + 2

        def line(pieces: Sequence[Piece], shape: str = "") -> Piece:
            strips = grid([[column(space(slot, 0), p, gap=0) for p in pieces]], gap=(gap, 0))
            note = words(shape, size=12, quiet=True)
            if not is_wide:  # on a phone the shape is in the middle
                return column(strips, note) if shape else strips
            return row(column(space(56, 0), note, gap=0), strips, gap=0)

        def shared(text: str) -> Piece:
            box = block(text, "weights", width=len(shown) * (slot + gap) - gap)
            return row(space(56), box, gap=0) if is_wide else box

        off = hidden == 0
        units = [strip(hidden[i], "context", cell, crossed=off[i : i + 1]) for i in everyone]
        chips = [word(shown[i].zh, gloss(shown[i]), name=f"word{i}") for i in everyone]
        ends = {
            name: [named(f"{name}{i}", strip(v[i], role, cell)) for i in everyone]
            for name, v, role in (("in", x, "source"), ("out", out, "context"))
        }
        return column(
            line(ends["out"], "(T, D)"),
            shared(say("W₂, b₂: the same for every word")),
            line(
                [named(f"hid{i}", p) for i, p in zip(everyone, units, strict=True)], say("(T, Dff)")
            ),
            shared(say("W₁, b₁ and ReLU: the same for every word")),
            line(ends["in"], "(T, D)"),
            line(chips),
            gap=18,
        )

    steps = ("word", "in"), ("in", "hid"), ("hid", "out")
    return Drawing(
        say("The same network at every position"),
        say(
            "{names}, each with a strip of {narrow} numbers, above it {wide} hidden units, and "
            "{narrow} numbers again at the top. The boxes with the weights span all words. Of the "
            "hidden units {off} are crossed. No arrow runs from word to word.",
            names=", ".join(gloss(one) for one in shown),
            narrow=x.shape[1],
            wide=width,
            off=listed((hidden == 0).sum(-1)),
        ),
        towers(34, 14, is_wide=True),
        towers(19, 10, is_wide=False),
        wires=[Wire(f"{a}{i}.top", f"{b}{i}.bottom") for i in everyone for a, b in steps],
    )


# Without the cut, and where no line will do ------------------------------------------------------


def with_and_without_relu(
    right: Tensor, wrong: Tensor, names: Sequence[str], axes: Sequence[str]
) -> Drawing:
    """Draw what the words have become, (T, D), with ReLU and without.

    Args:
        right: with ReLU.
        wrong: without.
        names: of the T words.
        axes: what the D entries mean.
    """
    names, axes = [say(n) for n in names], [say(axis) for axis in axes]

    def tables(width: float) -> list[Piece]:
        look = {"rows": names, "columns": _in_lines(axes), "cell": (width, 26), "limit": 1}
        return [
            _headed(say("with ReLU"), matrix(right, "context", **look)),
            _headed(say("without"), matrix(wrong, "context", **look)),
        ]

    return Drawing(
        say("The words with and without ReLU"),
        say(
            "What {names} have become, over {axes}. With ReLU: {right}. Without: {wrong}.",
            names=", ".join(names),
            axes=", ".join(axes),
            right="; ".join(listed(one) for one in right),
            wrong="; ".join(listed(one) for one in wrong),
        ),
        row(*tables(52), gap=20),
        column(*tables(50), gap=12),
    )


def no_line_but_a_fold(tried: Line) -> Drawing:
    """Draw "exactly one" over its square: a line that fails to separate the corners, and a fold.

    Args:
        tried: the two ends of the line, each with both inputs.
    """
    names = say("x₁: animal"), say("x₂: tired")
    corners = "wide\nstreet", "wide animal,\ntired street", "tired\nanimal"

    def wanted(total: float) -> float:
        return float(total == 1)

    def folded(total: float) -> float:
        return total - 2 * max(0.0, total - 1)

    pieces = (
        _plane(wanted, say("a line that fails"), names, [(tried, "wrong")]),
        _plane(folded, say("one fold"), names, [(_ends(LOW + HIGH), "source")]),
        _profile(folded, corners, LOW + HIGH, unit=50),
    )
    return Drawing(
        say("Exactly one: no line separates the corners, one fold does"),
        say(
            "Two squares over animal and tired. The corners for wide animal and tired street want "
            "1, those for wide street and tired animal want 0. Left, a red line that was tried; it "
            "cuts off a corner that wants 1, and leaves the other one among the 0s. Right, the "
            "sheet rises to a fold along the diagonal through the two corners with 1, and falls "
            "again behind it, like a roof, as its view from the side shows."
        ),
        row(*pieces, gap=16),
        column(*pieces, gap=12),
    )


# What it can be read as --------------------------------------------------------------------------


def _bracket(width: float, *, opens_up: bool) -> Piece:
    """Draw a bracket that takes in all of a vector."""

    def paint(sheet, x: float, y: float) -> None:
        start, down = (y, 6) if opens_up else (y + 6, -6)
        sheet.add("path", d=f"M{x:.1f} {start:.1f}v{down}h{width:.1f}v{-down}", class_="axis")

    return Piece(width, 6, paint)


def keys_that_never_change(x: Tensor, network: Sequence[Tensor], axes: Sequence[str]) -> Drawing:
    """Draw the network as keys that a word's vector, (D,), is compared with, and their values.

    Args:
        x: the vector, (D,).
        network: w_1 (D, Dff), b_1 (Dff,), w_2 (Dff, D) and b_2 (D,).
        axes: what the D entries mean.
    """
    w_1, b_1, w_2, b_2 = network
    axes, units = [say(axis) for axis in axes], _units(len(b_1))
    fits = (x @ w_1 + b_1).relu()
    out = fits @ w_2 + b_2

    def below(piece: Piece, text: str, role: str, name: str) -> Piece:
        return named(name, column(piece, words(text, size=12, bold=True, role=role), gap=4))

    def parts(cell: tuple[float, float]) -> tuple[Piece, ...]:
        look = {"columns": _in_lines(axes), "kind": "parameter", "limit": 1, "cell": cell}
        keys = matrix(w_1.T, "key", rows=units, name="keys", **look)
        values = matrix(w_2, "value", name="values", **look)
        fit = {"columns": [say("fits")], "name": "fits", "cell": (44, cell[1]), "limit": 1}
        line = {"shape": "(D,)", "cell": cell, "limit": 1}
        asks = vector(x, "query", label=say("tired"), name="query", **line)
        gets = vector(out, "context", label=say("what tired concludes"), name="out", **line)
        beside = space(keys.width - values.width, 0)  # under it, the names of the units
        asks = column(asks, _bracket(asks.width, opens_up=True), gap=3)
        return (
            row(beside, named("all-query", asks), gap=0),
            named("all-out", gets),
            below(keys, say("keys: W₁, columns as rows  (Dff, D)"), "key", "all-keys"),
            below(matrix(fits[:, None], "weights", **fit), say("ReLU"), "weights", "all-fits"),
            below(values, say("values: W₂  (Dff, D)"), "value", "all-values"),
        )

    asks, gets, *table = parts((50, 26))
    across = grid([[asks, space(), gets], table], gap=(42, 40))
    asks, gets, *table = parts((52, 26))
    return Drawing(
        say("The feed-forward network, read as keys and values"),
        say(
            "Tired, {x}, meets the keys, one for each hidden unit. Plus the bias and after ReLU "
            "they fit with {fits}. The sum of the values with these weights comes out: {out}.",
            x=listed(x),
            fits=listed(fits),
            out=listed(out),
        ),
        across,
        column(asks, *table, gets, gap=26),
        wires=(
            Wire("all-query.bottom", "all-keys.top"),
            Wire("keys.right", "fits.left", "+ b₁"),
            Wire("fits.right", "values.left"),
            Wire("all-values.top", "all-out.bottom"),
        ),
        tall_wires=(
            Wire("all-query.bottom", "all-keys.top"),
            Wire("all-keys.bottom", "all-fits.top"),
            Wire("all-fits.bottom", "all-values.top"),
            Wire("all-values.bottom", "all-out.top"),
        ),
    )

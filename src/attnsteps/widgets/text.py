"""Sentences to edit: their tokens, byte-pair merges, ids, and a padded batch."""

import functools
import unicodedata
from collections.abc import Sequence

import traitlets
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attnsteps.corpora.generated.corpus import SOURCE_WORDS, TARGET_WORDS, generated
from attnsteps.text.byte_pairs import BytePairs
from attnsteps.text.tokenizer import Characters, Words
from attnsteps.text.vocab import Vocab
from attnsteps.widgets.base import Widget, one_of, within
from attnsteps.widgets.bundle import bundle, styles

KINDS = ("words", "characters", "character pairs")
MOST_MERGES = 60

#: The words of the chapter on text, few enough for pencil and paper.
PENCIL_WORDS = (
    *("later",) * 4,
    *("latest",) * 3,
    *("wider",) * 4,
    *("widest", "eat", "eat", "hid"),
)

#: The words of the corpus, both languages in one list.
KNOWN = tuple(dict.fromkeys((*SOURCE_WORDS, *TARGET_WORDS)))

_OWN = "your sentences"
LESSONS = ("the chapter's words", "English", "Chinese", _OWN)
_SENTENCES = (
    "动物没有过马路，因为太累了",
    "the street was too wide",
    "later, the water was wider",
)
_LESSON_PAIRS = 60
_LONGEST = 80


class TokenizerLab(Widget):
    """Three sentences, split in one of three ways and made into a batch of ids.

    Words are those of the book's corpus, Chinese and English in one list. Characters are those that
    occur in the words, and the space. Byte pairs are learned on the spot from a text.

    Args:
        sentences: three texts of at most 80 characters.
        kind: how to split them: ``"words"``, ``"characters"`` or ``"character pairs"``.
        lesson: the text to learn pairs from: ``"the chapter's words"``, ``"English"`` or
            ``"Chinese"`` (60 sentences of the corpus), or ``"your sentences"``.
        num_merges: the number of merges, 0 to 60; there are fewer if nothing is left to merge.
        ends: True adds the begin and end tokens to every sentence.
        folded: True first turns full-width characters into half-width and capitals into small
            letters.

    Raises:
        ValueError: there are not three sentences, one is too long, or an option is unknown.

    Example:
        >>> lab = TokenizerLab(["wider", "latest", ""], kind="character pairs", num_merges=5)
        >>> lab.tokens
        [['wid', 'er'], ['lat', 'e', 's', 't'], []]
        >>> lab.batch
        [[19, 16, 0, 0], [17, 7, 12, 13], [0, 0, 0, 0]]
    """

    _esm = bundle("text")
    _css = styles("text")

    sentences = traitlets.List(traitlets.Unicode()).tag(sync=True)
    kind = traitlets.Unicode("words").tag(sync=True)
    lesson = traitlets.Unicode(LESSONS[0]).tag(sync=True)
    num_merges = traitlets.Int(5).tag(sync=True)
    ends = traitlets.Bool(False).tag(sync=True)
    folded = traitlets.Bool(False).tag(sync=True)
    known = traitlets.List(traitlets.Unicode(), list(KNOWN)).tag(sync=True)
    lessons = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        sentences: Sequence[str] = _SENTENCES,
        *,
        kind: str = "words",
        lesson: str = LESSONS[0],
        num_merges: int = 5,
        ends: bool = False,
        folded: bool = False,
    ) -> None:
        super().__init__(
            sentences=list(sentences),
            kind=kind,
            lesson=lesson,
            num_merges=num_merges,
            ends=ends,
            folded=folded,
            lessons={name: list(texts) for name, texts in _lessons().items()},
        )

    @traitlets.validate("sentences")
    def _validate_sentences(self, proposal: dict) -> list[str]:
        sentences = proposal["value"]
        if len(sentences) != len(_SENTENCES):
            raise ValueError(f"sentences must hold {len(_SENTENCES)} texts; got {len(sentences)}")
        for text in sentences:
            if len(text) > _LONGEST:
                raise ValueError(
                    f"sentences must have at most {_LONGEST} characters; got one of {len(text)}"
                )
        return sentences

    _choices = one_of(kind=KINDS, lesson=LESSONS)

    _ranges = within(num_merges=(0, MOST_MERGES))

    @property
    def texts(self) -> list[str]:
        """The sentences that the tokenizer gets."""
        return [_fold(text) if self.folded else text for text in self.sentences]

    @property
    def taught(self) -> list[str]:
        """The texts that the pairs are learned from."""
        return self.texts if self.lesson == _OWN else self.lessons[self.lesson]

    @property
    def tokenizer(self) -> Words | Characters | BytePairs:
        """The package's tokenizer for these settings."""
        if self.kind == "words":
            return Words(self.known)
        if self.kind == "characters":
            return Characters()
        return BytePairs.learn(self.taught, self.num_merges)

    @property
    def vocabulary(self) -> Vocab:
        """The vocabulary of these tokens."""
        if self.kind == "words":
            return Vocab(self.known)
        if self.kind == "characters":
            return Vocab(sorted({" ", *"".join(self.known)}))
        made = map("".join, self.tokenizer.merges)
        return Vocab(dict.fromkeys((*sorted(set("".join(self.taught))), *made)))

    @property
    def tokens(self) -> list[list[str]]:
        """The tokens of each sentence."""
        return [self.tokenizer.tokenize(text) for text in self.texts]

    @property
    def batch(self) -> list[list[int]]:
        """The ids of all sentences, padded with 0 to one length."""
        vocab = self.vocabulary
        begin, end = ([vocab.bos_id], [vocab.eos_id]) if self.ends else ([], [])
        rows = [begin + vocab.ids(tokens) + end for tokens in self.tokens]
        longest = max(map(len, rows))
        return [row + [vocab.pad_id] * (longest - len(row)) for row in rows]

    def picture(self) -> Figure:
        """Return the batch of ids, padding in grey."""
        rows = self.batch
        width = len(rows[0])
        shown = max(1, min(width, 20))
        figure = Figure(figsize=(5.8, 1.5))
        ax = figure.subplots()
        ax.set(xlim=(-0.5, shown - 0.5), ylim=(len(rows) - 0.5, -0.5), xticks=[])
        ax.set_yticks(range(len(rows)), [f"sentence {i + 1}" for i in range(len(rows))])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.grid(False)
        for i, row in enumerate(rows):
            for t, token_id in enumerate(row[:shown]):
                colour = "#e4e6e9" if token_id == Vocab.pad_id else "#cfe3f7"
                ax.add_patch(Rectangle((t - 0.47, i - 0.42), 0.94, 0.84, facecolor=colour))
                ax.text(t, i, str(token_id), ha="center", va="center", fontsize=8.5)
        part = f", the first {shown} of {width} places" if width > shown else ""
        ax.set_title(f"Ids of {self.kind}{part}; 0 is padding")
        return figure


def _fold(text: str) -> str:
    """Normalise characters that read the same: half width, lower case, composed letters."""
    return unicodedata.normalize("NFKC", text).lower()


@functools.cache
def _lessons() -> dict[str, tuple[str, ...]]:
    """Return the texts that pairs can be learned from, apart from the reader's sentences."""
    pairs = generated(_LESSON_PAIRS).train
    chinese, english = Words(SOURCE_WORDS), Words(TARGET_WORDS)
    return {
        "the chapter's words": PENCIL_WORDS,
        "English": tuple(english.detokenize(pair.tgt) for pair in pairs),
        "Chinese": tuple(chinese.detokenize(pair.src) for pair in pairs),
    }

"""Reacts to the reader: the book's widgets, live with and without a kernel."""

from attnsteps.widgets.attention import AttentionExplorer
from attnsteps.widgets.digit_writer import DigitWriter
from attnsteps.widgets.embedding import EmbeddingSpace
from attnsteps.widgets.exercise import Exercise
from attnsteps.widgets.family import FamilyLab
from attnsteps.widgets.feed_forward import HiddenUnits
from attnsteps.widgets.inside import Interventions
from attnsteps.widgets.masks import MaskLab
from attnsteps.widgets.multi_head import Heads
from attnsteps.widgets.non_autoregressive import Race
from attnsteps.widgets.positional import Positions
from attnsteps.widgets.predict import Predict
from attnsteps.widgets.query_key_value import SixSteps
from attnsteps.widgets.residual_and_norm import ResidualAndNorm
from attnsteps.widgets.scale import TrainingStep
from attnsteps.widgets.scaling import Scaling
from attnsteps.widgets.sequence_to_sequence import ContextBottleneck
from attnsteps.widgets.softmax import Softmax
from attnsteps.widgets.text import TokenizerLab
from attnsteps.widgets.training import TimeMachine
from attnsteps.widgets.transformer import WholeModel
from attnsteps.widgets.translator import Translator

__all__ = [
    "AttentionExplorer",
    "ContextBottleneck",
    "DigitWriter",
    "EmbeddingSpace",
    "Exercise",
    "FamilyLab",
    "Heads",
    "HiddenUnits",
    "Interventions",
    "MaskLab",
    "Positions",
    "Predict",
    "Race",
    "ResidualAndNorm",
    "Scaling",
    "SixSteps",
    "Softmax",
    "TimeMachine",
    "TokenizerLab",
    "TrainingStep",
    "Translator",
    "WholeModel",
]

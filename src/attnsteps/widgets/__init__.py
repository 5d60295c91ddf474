"""Reacts to a hand: the book's widgets, alive with and without a kernel."""

from attnsteps.widgets.attention import AttentionExplorer
from attnsteps.widgets.exercise import Exercise
from attnsteps.widgets.predict import Predict
from attnsteps.widgets.query_key_value import SixSteps
from attnsteps.widgets.scaling import Scaling
from attnsteps.widgets.softmax import Softmax

__all__ = ["AttentionExplorer", "Exercise", "Predict", "Scaling", "SixSteps", "Softmax"]

"""Stands in for Colab's own module: counts the calls that enable third-party widgets."""

calls = 0


class _widgets:  # noqa: N801 - the name anywidget reads
    _installed_url = "https://ssl.gstatic.com/colaboratory-static/widgets/manager"


def enable_custom_widget_manager() -> None:
    global calls  # noqa: PLW0603 - a counter is all there is to see
    calls += 1

"""A widget on a page whose model is a kernel's: Python sets its traits, and hears of the reader."""

import base64
import json

from playwright.sync_api import Page

from attnsteps.widgets.base import Widget

RENDER = """async ([source, state]) => {
  const revive = (value) => (value?.base64 === undefined ? value
    : new DataView(Uint8Array.from(atob(value.base64), (sign) => sign.charCodeAt(0)).buffer));
  const values = { _esm: source };
  const listeners = {};
  const saved = [];
  const model = {
    get: (name) => values[name],
    set(name, value) {
      values[name] = value;
      for (const listener of listeners[`change:${name}`] ?? []) listener();
    },
    on(type, listener) { (listeners[type] ??= new Set()).add(listener); },
    off(type, listener) { listeners[type].delete(listener); },
    save_changes() { saved.push(structuredClone(values)); },
  };
  for (const [name, value] of Object.entries(state)) values[name] = revive(value);
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: { render } } = await import(url);
  URL.revokeObjectURL(url); // as anywidget does
  document.body.replaceChildren();
  const stop = render({ model, el: document.body });
  window.kernel = {
    get: (name) => values[name],
    set: (name, value) => model.set(name, revive(value)),
    saved: (name) => saved.map((each) => each[name]),
    stop() {
      stop?.();
      return Object.values(listeners).reduce((sum, each) => sum + each.size, 0);
    },
  };
}"""


class Kernel:
    """What a kernel has of a widget that is shown on a page, alone there.

    The page need not belong to the widget: its script and styles are those of the package.
    """

    def __init__(self, page: Page, widget: Widget, **changes: object) -> None:
        """Show the widget with the traits that it has in Python, but for these changes."""
        self.page = page
        own = set(widget.trait_names(sync=True)) - set(Widget.class_trait_names())
        traits = {name: getattr(widget, name) for name in own if not name.startswith("_")}
        state = {name: as_json(value) for name, value in (traits | changes).items()}
        page.add_style_tag(content=widget._css)  # before it is drawn, as on every page
        page.evaluate(RENDER, [widget._esm, state])

    def set(self, **traits: object) -> None:
        """Set traits, one after the other."""
        for name, value in traits.items():
            self.page.evaluate("([name, value]) => kernel.set(name, value)", [name, as_json(value)])

    def get(self, name: str) -> object:
        """Return a trait's value, which the reader may have changed."""
        return self.page.evaluate("(name) => kernel.get(name)", name)

    def saved(self, name: str) -> list:
        """Return a trait's value at each time when the page has handed its changes over."""
        return self.page.evaluate("(name) => kernel.saved(name)", name)

    def stop(self) -> int:
        """Take the widget away; return how many listeners it has left behind."""
        return self.page.evaluate("kernel.stop()")


def as_json(value: object) -> object:
    """Return a trait's value as JSON can hold it."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return json.loads(json.dumps(value))  # its keys are strings

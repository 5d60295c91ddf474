// What the page and Python share of a widget: how a view sets it, and follows it.

/**
 * Set traits, which Python then has too.
 * @param {WidgetModel} model @param {Record<string, unknown>} traits
 */
export function setTraits(model, traits) {
  for (const [name, value] of Object.entries(traits)) model.set(name, value);
  model.save_changes();
}

/**
 * Call a view now, and whenever one of its traits changes; returns how to stop that.
 * @param {WidgetModel} model @param {string[]} traits @param {() => void} show
 */
export function followTraits(model, traits, show) {
  for (const name of traits) model.on(`change:${name}`, show);
  show();
  return () => {
    for (const name of traits) model.off(`change:${name}`, show);
  };
}

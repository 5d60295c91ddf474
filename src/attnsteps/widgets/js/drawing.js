// Shapes of a drawing, and text that is rewritten only where it changes.

/** Make an SVG element, as `el` makes one of HTML. */
export function shape(tag, props = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(node, props);
  node.append(...children);
  return node;
}

export function setAttributes(node, props) {
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, value);
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Shapes of a drawing, and text that is rewritten only where it changes.

/**
 * Make an SVG element, as `el` makes one of HTML.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag @param {Props} [props] @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function shape(tag, props = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(node, props);
  node.append(...children);
  return node;
}

/** @param {Element} node @param {Record<string, unknown>} props */
export function setAttributes(node, props) {
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, String(value));
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * One page of the built site as a chapter on paper: run in that page, `onPaper` returns its article as
 * XHTML. What was folded is open, widgets are pictures, drawings have their colours in them, hints and
 * solutions stand at the end, and whatever can only be pressed is gone.
 *
 * @typedef {{ title: string, src: string }} Picture
 * @typedef {{ kind: string, question: string, options: string[], rows: string[], columns: string[] }} Spec
 * @typedef {{ spec?: Spec, title?: string, answer?: any, hint?: string, explanation?: string }} Values
 * @typedef {{ name: string, number: number | null, pages: string[], address: string, pictures: Picture[], words: Record<string, string> }} Settings
 */

const PRESSED = "script, .strip, .headerlink, .copybtn, .tag_imports, .reference-links";
/** What a theme says of the parts of a drawing, and what each is where nothing is said. */
const LOOKS = {
  fill: "rgb(0, 0, 0)",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  opacity: "1",
  "font-size": "",
  "font-weight": "",
  "text-anchor": "",
  "dominant-baseline": "auto",
};
const canvas = /** @type {OffscreenCanvasRenderingContext2D} */ (
  new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
);

/** @type {(within: ParentNode, selector: string) => any[]} */
const all = (within, selector) => [...within.querySelectorAll(selector)];

/** @type {(html: string) => any} */
function make(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
}

/** @type {(title: string, text: string) => HTMLElement} */
function paragraph(title, text) {
  const written = make("<p><strong></strong></p>");
  written.firstChild.append(title);
  written.append(` ${text}`);
  return written;
}

/** @type {(settings: Settings) => string} */
export function onPaper(settings) {
  const article = /** @type {HTMLElement} */ (document.querySelector("article > section"));
  const values = traits(article);
  for (const pressed of all(article, PRESSED)) pressed.remove();
  for (const code of all(article, "details.hide")) {
    if (!code.closest("#exercises")) code.remove(); // what draws a picture
  }
  const solutions = [...replaceWidgets(article, values, settings), ...foldedSolutions(article)];
  if (solutions.length) {
    article.append(
      make(`<section id="hints-and-solutions"><h2>${settings.words.solutions}</h2></section>`),
    );
    article.lastElementChild?.append(...solutions);
  }
  unfold(article);
  replaceDrawings(article);
  framePlots(article);
  writeCaptions(article, settings);
  nameAndLink(article, settings);
  styleFormulas(article);
  tidy(article);
  if (settings.number) article.querySelector("h1")?.prepend(`${settings.number} `);
  return new XMLSerializer().serializeToString(article);
}

/** The traits of the widget at each place. @type {(article: HTMLElement) => Map<any, Values>} */
function traits(article) {
  const told = document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]');
  const { state } = JSON.parse(told?.textContent ?? '{"state":{}}');
  const model = (/** @type {any} */ place) =>
    JSON.parse(place.previousElementSibling.textContent).model_id;
  return new Map(
    all(article, ".attnsteps-widget").map((place) => [place, state[model(place)].state]),
  );
}

/** Ask questions in words, show pictures of the rest; return hints and solutions.
 *  @type {(article: HTMLElement, values: Map<any, Values>, settings: Settings) => HTMLElement[]} */
function replaceWidgets(article, values, { pictures, address, words }) {
  const solutions = [];
  for (const place of all(article, ".attnsteps-widget")) {
    const { spec, title, answer, hint, explanation } = values.get(place) ?? {};
    if (!spec) {
      const picture = pictures[place.dataset.number];
      const shown = make('<figure class="widget"><img/></figure>');
      Object.assign(shown.firstChild, { src: picture.src, alt: picture.title });
      Object.assign(shown.dataset, {
        title: words.live.replace("{title}", picture.title),
        address,
      });
      place.replaceWith(shown);
      continue;
    }
    place.replaceWith(asked(spec, title || String(words.guess)));
    if (title) {
      const said = inWords(spec, answer);
      solutions.push(
        paragraph(
          `${title}.`,
          words.solution
            .replace("{hint}", () => String(hint))
            .replace("{solution}", () => (said && `${said}. `) + explanation),
        ),
      );
    }
  }
  return solutions;
}

/** @type {(spec: Spec, title: string) => HTMLElement} */
function asked({ question, options, rows, columns }, title) {
  const box = make('<div class="question"></div>');
  box.append(paragraph(`${title}.`, question));
  if (options.length) {
    box.append(make(`<ul>${"<li></li>".repeat(options.length)}</ul>`));
    options.forEach((option, i) => void box.lastChild.children[i].append(option));
  }
  if (rows.length) {
    const cells = columns.length + 1;
    const head = `<tr>${"<th></th>".repeat(cells)}</tr>`;
    const body = `<tr>${"<td></td>".repeat(cells)}</tr>`.repeat(rows.length);
    const table = make(`<table class="blank"><tbody>${head}${body}</tbody></table>`);
    columns.forEach((column, i) => void table.rows[0].cells[i + 1].append(column));
    rows.forEach((row, i) => void table.rows[i + 1].cells[0].append(row));
    box.append(table);
  }
  return box;
}

/** @type {(spec: Spec, answer: any) => string} */
function inWords({ kind, options }, answer) {
  if (kind === "number") return String(answer);
  if (kind === "choice") return options[answer];
  if (kind === "order")
    return answer.map((/** @type {number} */ place) => options[place]).join(", ");
  return ""; // a table's numbers are in its explanation
}

/** Take the folds out of the exercises, and verdicts on what isn't written yet.
 *  @type {(article: HTMLElement) => HTMLElement[]} */
function foldedSolutions(article) {
  for (const output of all(article, ".cell_output")) {
    if (output.textContent.trim().startsWith("✗")) output.remove();
  }
  const solutions = [];
  let about = "";
  for (const node of [...(article.querySelector("#exercises")?.children ?? [])]) {
    about = /^(Exercise \d+)/.exec(node.textContent?.trim() ?? "")?.[1] ?? about;
    const fold = node.matches("details") ? node : node.querySelector("details.hide");
    if (!fold) continue;
    const summary = fold.querySelector("summary");
    const title = (summary?.querySelector(".collapsed") ?? summary)?.textContent?.trim() ?? "";
    summary?.remove();
    const written = make('<div class="solution"></div>');
    const said = title.replace(/^Show (the )?/, "").toLowerCase();
    written.append(paragraph(`${about}: ${said}.`, ""), ...fold.childNodes);
    fold.remove();
    if (node !== fold) written.append(...node.childNodes); // what the solution prints
    node.remove();
    solutions.push(written);
  }
  return solutions;
}

/** @type {(article: HTMLElement) => void} */
function unfold(article) {
  for (const fold of all(article, "details").reverse()) {
    const open = make(`<div class="fold ${fold.className}"><p class="fold-title"></p></div>`);
    const summary = fold.querySelector("summary");
    open.firstChild.append(...(summary?.childNodes ?? []));
    summary?.remove();
    open.append(...fold.childNodes);
    fold.replaceWith(open);
  }
}

/** A colour as rgb(…), however the theme mixed it. @type {(colour: string) => string} */
function plain(colour) {
  if (!colour.startsWith("color")) return colour;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return a === 255 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${(a / 255).toFixed(2)})`;
}

/** Keep the wide arrangements, which bring their colours. @type {(article: HTMLElement) => void} */
function replaceDrawings(article) {
  for (const drawing of all(article, ".ad")) {
    for (const tall of all(drawing, ".tall")) tall.remove();
    const svg = drawing.querySelector("svg");
    dye(svg, LOOKS);
    for (const node of [svg, ...all(svg, "*")]) {
      node.removeAttribute("class");
      node.removeAttribute("style");
    }
    for (const node of all(svg, "[data-gone]")) node.remove();
    for (const node of all(svg, "[data-outlined]"))
      node.setAttribute("style", "paint-order: stroke");
    for (const link of all(svg, "a")) {
      link.prepend(document.createElementNS(svg.namespaceURI, "title"));
      link.firstChild.append(link.textContent.trim());
    }
    const shown = make('<figure class="drawing"></figure>');
    shown.dataset.title = svg.querySelector("title").textContent;
    shown.append(svg);
    drawing.before(shown);
  }
  for (const drawn of all(article, ".ad")) drawn.remove(); // the first has the styles of all
}

/** Write what the theme says of a node, and of those in it, where it isn't what they inherit.
 *  @type {(node: any, above: Record<string, string>) => void} */
function dye(node, above) {
  if (node.matches("title, desc")) return;
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden") node.dataset.gone = "";
  if (style.paintOrder.startsWith("stroke")) node.dataset.outlined = ""; // no attribute of SVG 1.1
  const here = /** @type {Record<string, string>} */ ({});
  for (const look of Object.keys(LOOKS)) {
    here[look] = plain(style.getPropertyValue(look));
    if (here[look] !== (look === "opacity" ? "1" : above[look]))
      node.setAttribute(look, here[look]);
  }
  for (const child of node.children) dye(child, here);
}

/** @type {(article: HTMLElement) => void} */
function framePlots(article) {
  for (const picture of all(article, ".cell_output img:not(.widget img)")) {
    const width = Math.round(picture.getBoundingClientRect().width);
    const shown = make('<figure class="plot"></figure>');
    shown.dataset.title = picture.alt.split(/(?<=[.;:]) /)[0].replace(/[;:]$/, ".");
    picture.closest("figure, p")?.replaceWith(picture);
    picture.replaceWith(shown);
    shown.append(picture);
    picture.src = new URL(picture.getAttribute("src"), document.baseURI).pathname;
    picture.removeAttribute("height");
    picture.width = width;
  }
}

/** @type {(article: HTMLElement, settings: Settings) => void} */
function writeCaptions(article, { number, words }) {
  all(article, "figure[data-title]").forEach((figure, i) => {
    figure.id = `figure-${i + 1}`;
    const named = words.figure.replace("{number}", `${number ? `${number}.` : ""}${i + 1}`);
    const caption = make(`<figcaption><b>${named}</b> </figcaption>`);
    const { title, address } = figure.dataset;
    caption.append(title.trim().replace(/\.$/, ""));
    if (address) {
      caption.append(" ", make("<a></a>"));
      caption.lastChild.href = caption.lastChild.textContent = address;
    }
    figure.append(caption);
  });
}

/** Begin every name with the page's; let links lead within the book, or to the published site.
 *  @type {(article: HTMLElement, settings: Settings) => void} */
function nameAndLink(article, { name, pages, address }) {
  for (const node of all(article, "[id]")) node.id = `${name}--${node.id}`;
  article.id = name;
  for (const link of all(article, "a")) {
    const href = link.getAttribute("href") ?? link.getAttribute("xlink:href");
    if (href === null) continue;
    const to = new URL(href, document.baseURI);
    const [, page] = /^\/([\w-]+)\.(?:html|ipynb)$/.exec(to.pathname) ?? [];
    const place = decodeURIComponent(to.hash.slice(1));
    let written = to.href;
    if (to.origin === location.origin) {
      written = new URL(to.pathname.slice(1) + to.hash, address).href;
      if (pages.includes(page)) written = `${page}.xhtml${place && `#${page}--${place}`}`;
    }
    link.setAttribute("href", written);
    link.removeAttribute("title");
  }
}

/** Write styles of formulas as MathML 3 does, which e-book readers know.
 *  @type {(article: HTMLElement) => void} */
function styleFormulas(article) {
  for (const node of all(article, "math :is([displaystyle], [scriptlevel]):not(mstyle)")) {
    const style = document.createElementNS(node.namespaceURI, "mstyle");
    for (const name of ["displaystyle", "scriptlevel"]) {
      if (!node.hasAttribute(name)) continue;
      style.setAttribute(name, node.getAttribute(name));
      node.removeAttribute(name);
    }
    node.replaceWith(style);
    style.append(node);
  }
}

/** Drop what is empty, and attributes that only a page needs. @type {(article: HTMLElement) => void} */
function tidy(article) {
  for (const part of all(article, ".cell, .cell_output, .cell_input").reverse()) {
    if (!part.children.length) part.remove();
  }
  const needless = /^(data-|aria-(labelled|described)by|tabindex|translate|loading|decoding|role$)/;
  for (const node of [article, ...all(article, "*")]) {
    for (const { name } of [...node.attributes]) {
      if (needless.test(name)) node.removeAttribute(name);
    }
  }
}

// Says in another language what scripts write into the page: widgets are written in English, and
// what they show is looked up in the edition's catalogue as it comes, by the same rules as in
// attnsteps/language.py.

const { content_root } = document.documentElement.dataset;
const { entries } = await import(
  new URL(`${content_root}_static/words_of_edition.js`, location.href).href
);

const FIELD = /((?:\{\w+\})+|\{\{|\}\})/; // those that touch are one
const LETTERS = /\p{L}/u;
const WORD = /[a-z]{2}/;
const END = /(?<=[.;!?])\s+(?=\S)/;
const MILLIONS = /(\d+(?:\.\d+)?) ?百万次/g;
const RANGE = /^[\d.,−% ]+ to [\d.,−% ]+$/;
const STOP = /(?<=[\p{L}\p{N}_\])%])\. +(?=[\u3400-\u9fff].*。)|。\. */gsu;
const MARK = /^(?:[✓✗]|\d+\.?) +(?=\S)/u; // before a text, or its number
const CLAUSE = /[a-z]{2,} [a-z]{2,} [a-z]{2,}/;
const ITEM = /[.;:] (?=\S)/g; // where one sentence or item ends, or what it speaks of
const HAN = /[\u3400-\u9fff]/;
const FEW = 8; // letters and spaces of its own with which a template may fit by chance
const SPOKEN = ["aria-label", "aria-valuetext", "placeholder", "title", "alt", "data-ask"];
/** What a model or a reader says stays as it is. */
const SAID = [
  ...[".lo-main", ".lo-sub", ".tr-alternative-word", ".mh-zh", ".aw-wm-code", ".aw-wm-formula"],
  ...["textarea", "[lang='en']"],
].join(", ");
const MADE_BY_SCRIPTS = ".attnsteps-widget, .slides-bar, .progress-mark, .progress-forget";

/** @param {string} text */
const quoted = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** @param {string} part */
const isField = (part) => part.length > 2 && FIELD.test(part);

/** @param {string} text */
const plain = (text) => text.replaceAll("{{", "{").replaceAll("}}", "}");

/** @type {Record<string, string>} */
const said = Object.fromEntries(
  Object.entries(entries).map(([text, other]) => [text.trim(), other.trim()]),
);

/** @type {Record<string, string>} */
const whole = Object.fromEntries(
  Object.entries(said).map(([text, other]) => [plain(text), plain(other)]),
);

// Those with most words of their own come first: they fit least by chance.
const templates = Object.entries(said)
  .map(([text, other]) => {
    const parts = text.split(FIELD);
    const own = parts.filter((part) => !isField(part)).map(plain);
    const pattern = parts.map((part) => (isField(part) ? "([^]*?)" : quoted(plain(part)))).join("");
    return {
      text,
      fields: parts.filter(isField),
      endings: new Set(
        parts.filter((part, i) => isField(part) && /\p{L}$/u.test(parts[i - 1] ?? "")),
      ),
      mark: own.reduce((long, part) => (part.length > long.length ? part : long), ""),
      size: own.join("").length,
      words: own.join(""),
      many: text.includes(". "),
      pattern: new RegExp(`^${pattern}$`, "u"),
      other,
    };
  })
  .filter(
    ({ text, other, fields, words }) =>
      fields.length &&
      text !== other &&
      LETTERS.test(words) &&
      other.split(FIELD).every((part) => !isField(part) || fields.includes(part)),
  )
  .sort((one, two) => two.size - one.size);

/** @type {Map<string, string>} */
const known = new Map();

/**
 * Return a text's translation, or the text where there is none.
 * @param {string} text
 * @returns {string}
 */
export function say(text) {
  const bare = text.trim();
  if (!LETTERS.test(bare) || RANGE.test(bare)) return text;
  const found = known.get(bare) ?? find(bare).replace(STOP, "。");
  if (known.size > 5000) known.clear(); // numbers that run by
  known.set(bare, found);
  return text.replace(bare, () => found);
}

/**
 * What stands in a field: a text, or a list; nothing for an English plural's end.
 * @param {string} part @param {string} text @param {Set<string>} endings
 */
function value(part, text, endings) {
  if (endings.has(part) && (text === "s" || text === "es")) return "";
  const other = say(text);
  const items = text.split(", ");
  const told = items.map(say);
  return other !== text || told.join(", ") === text ? other : told.join("、");
}

/**
 * Translate sentences or items that were put together, if all of them are known.
 * @param {string[]} parts
 */
function join(parts) {
  let all = "";
  let changed = false;
  while (parts.length) {
    let end = parts.length - Number(all === ""); // as many at once as one entry has
    for (; end > 0; end -= 1) {
      const first = parts.slice(0, end).join(" ");
      if (say(first) !== first || (end === 1 && !WORD.test(first))) break;
    }
    if (end <= 0) return "";
    const other = say(parts.slice(0, end).join(" "));
    const full = HAN.test(other) && { ";": "；", ".": "。" }[other.slice(-1)];
    const gap = all && !/[。；！？：]$/.test(all) ? " " : "";
    all += gap + (full ? other.slice(0, -1) + full : other);
    changed ||= other !== parts.slice(0, end).join(" ");
    parts = parts.slice(end);
  }
  return changed ? all : "";
}

/** @param {string} bare */
function find(bare) {
  if (Object.hasOwn(whole, bare)) return whole[bare];
  const [mark] = MARK.exec(bare) ?? [""];
  const rest = bare.slice(mark.length);
  if (mark && say(rest) !== rest) return mark + say(rest);
  const joined = join(bare.split(END));
  if (joined) return joined;
  let best = bare;
  let least = Number.POSITIVE_INFINITY;
  for (const { fields, mark, size, many, pattern, other, endings } of templates) {
    const held = bare.includes(mark) && pattern.exec(bare)?.slice(1);
    if (!held) continue;
    if (!many && held.some((text) => text.includes(". "))) continue; // the next sentence
    const values = held.map((text, i) => value(fields[i], text, endings));
    const unknown = values.filter((said) => WORD.test(said));
    // "{0} is {1}" fits too much: its fields must be known, or no words, and one item.
    if (size < FEW && (unknown.length || held.some((text) => text.includes(";")))) continue;
    // part of a sentence that nobody knows, not a name
    if (size < 2 * FEW && unknown.some((said) => CLAUSE.test(said))) continue;
    const strain = held.join("\n").match(ITEM)?.length ?? 0;
    if (strain < least) best = filled(other, fields, values);
    least = Math.min(least, strain);
    if (!strain) break;
  }
  return best;
}

/**
 * A translation with its fields filled.
 * @param {string} other @param {string[]} fields @param {string[]} values
 */
const filled = (other, fields, values) =>
  other
    .split(FIELD)
    .map((part) => (isField(part) ? values[fields.indexOf(part)] : plain(part)))
    .reduce((all, piece) => {
      const between = HAN.test(all.trimEnd().slice(-1)) && HAN.test(piece.trimStart()[0] ?? "");
      return between ? all.trimEnd() + piece.trimStart() : all + piece;
    }, "");

/** @param {Node} node */
function translate(node) {
  if (node instanceof Text) {
    const { parentElement } = node;
    if (!parentElement?.closest(MADE_BY_SCRIPTS) || parentElement.closest(SAID)) return;
    const other = say(node.data).replace(MILLIONS, (_, n) => `${Math.round(n * 100)} 万次`);
    if (other !== node.data) node.data = other;
  } else if (node instanceof Element && node.closest(MADE_BY_SCRIPTS)) {
    for (const name of SPOKEN) {
      const text = node.getAttribute(name);
      const other = text && say(text);
      if (other && other !== text) node.setAttribute(name, other);
    }
    for (const child of node.childNodes) translate(child);
  } else if (node instanceof Element) {
    for (const made of node.querySelectorAll(MADE_BY_SCRIPTS)) translate(made);
  }
}

const options = { subtree: true, childList: true, characterData: true, attributeFilter: SPOKEN };
new MutationObserver((changes) => {
  for (const { type, target, addedNodes } of changes) {
    if (type === "childList") for (const node of addedNodes) translate(node);
    else translate(target);
  }
}).observe(document.body, options);
translate(document.body);

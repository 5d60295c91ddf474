// The order of search results: the chapter on what is looked for, other pages, the reference.

/** @param {string} text */
const bare = (text) => (text.toLowerCase().match(/[a-z]+/g) ?? []).join("_").replace(/s$/, "");

const wanted = bare(new URLSearchParams(location.search).get("q") ?? "");

/** @type {any} */ (globalThis).Scorer.score =
  /** @param {[page: string, title: string, anchor: string, says: string, score: number]} result */
  ([page, , , , score]) => {
    if (page.startsWith("api/")) return score - 1000;
    return /^\d\d_/.test(page) && bare(page) === wanted ? score + 1000 : score;
  };

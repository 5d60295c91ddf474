// A file that is fetched at the reader's wish: how much of it has come, and how to stop it. Whoever
// asks for it meanwhile shares the one download.

/** @type {Map<string, Download>} */
const underway = new Map(); // by their addresses

class Download {
  /** Those who wait for it: each hears how many bytes have come. @type {Set<Tell>} */
  waiting = new Set();
  stopping = new AbortController();

  /** @param {string} url @param {RequestCache} cache */
  constructor(url, cache) {
    this.whole = this.#read(url, cache).finally(() => underway.delete(url));
    underway.set(url, this);
  }

  /** @param {string} url @param {RequestCache} cache */
  async #read(url, cache) {
    const answer = await fetch(url, { cache, signal: this.stopping.signal });
    if (!answer.ok || !answer.body) throw new Error(answer.statusText);
    const reader = answer.body.getReader();
    const parts = [];
    let received = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      received += part.value.byteLength;
      for (const tell of this.waiting) tell(received);
    }
    return new Blob(parts).arrayBuffer();
  }

  /** One waits no longer; the last one stops it. @param {Tell} tell */
  leave(tell) {
    this.waiting.delete(tell);
    if (this.waiting.size === 0) this.stopping.abort();
  }
}

/**
 * @param {string} url
 * @param {{signal: AbortSignal, tell: Tell, isAgain: boolean}} options
 *        tell: hears how many bytes have come; isAgain: whether what came before was
 *        damaged, so that no cache may answer
 * @returns {Promise<ArrayBuffer>}
 */
export async function download(url, { signal, tell, isAgain }) {
  const shared = underway.get(url) ?? new Download(url, isAgain ? "reload" : "default");
  shared.waiting.add(tell);
  signal.addEventListener("abort", () => shared.leave(tell));
  return shared.whole;
}

// Runs a widget's heavy work in a worker made from the widget's own script, so that the page never
// waits; where the browser refuses workers, the same functions run in the page.

const PATIENCE = 8000; // ms until a worker that does not answer is given up

/**
 * To be called once at the top level of a widget's script: inside a worker it answers what
 * startEngine asks there, in a page it does nothing.
 * @param {Record<string, (given: object) => unknown>} jobs
 */
export function serveJobs(jobs) {
  if (typeof document !== "undefined" || typeof WorkerGlobalScope === "undefined") return;
  globalThis.onmessage = async ({ data: { number, job, given } }) => {
    try {
      globalThis.postMessage({ number, result: await jobs[job](given) });
    } catch (error) {
      globalThis.postMessage({ number, problem: error.message });
    }
  };
  globalThis.postMessage({ isReady: true });
}

/**
 * @param {Record<string, (given: object) => unknown>} jobs the same as in serveJobs
 * @param {string|undefined} source the text of the widget's script, which Jupyter hands to it
 * @param {string} address where the script came from, if there is no text
 * @returns {{run: (job: string, given: object) => Promise<unknown>, close: () => void,
 *            isWorker: () => boolean}}
 */
export function startEngine(jobs, source, address) {
  const asked = new Map(); // number → {job, given, resolve, reject}
  let count = 0;
  let worker = openWorker(source, address);
  let timer = worker && setTimeout(stayHere, PATIENCE);

  async function doHere(number) {
    const { job, given, resolve, reject } = asked.get(number);
    asked.delete(number);
    try {
      resolve(await jobs[job](given));
    } catch (error) {
      reject(error);
    }
  }
  /** No worker, or none that lives: what was asked so far is done here, and all that follows. */
  function stayHere() {
    clearTimeout(timer);
    worker?.terminate();
    worker = null;
    for (const number of [...asked.keys()]) doHere(number);
  }
  if (worker) {
    worker.onerror = (event) => { event.preventDefault(); stayHere(); };
    worker.onmessage = ({ data: { isReady, number, result, problem } }) => {
      clearTimeout(timer);
      if (isReady || !asked.has(number)) return;
      const { resolve, reject } = asked.get(number);
      asked.delete(number);
      if (problem === undefined) resolve(result);
      else reject(new Error(problem));
    };
  }
  return {
    run(job, given) {
      return new Promise((resolve, reject) => {
        const number = count += 1;
        asked.set(number, { job, given, resolve, reject });
        if (worker) worker.postMessage({ number, job, given });
        else doHere(number);
      });
    },
    close() {
      clearTimeout(timer);
      worker?.terminate();
      asked.clear();
    },
    isWorker: () => worker !== null,
  };
}

/** A copy of a file that a trait holds, to be given away. */
export function fileOf(view) {
  if (view.byteLength === 0) throw new Error("The weights could not be fetched. Reloading the page may help.");
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

function openWorker(source, address) {
  try {
    const url = source ? URL.createObjectURL(new Blob([source], { type: "text/javascript" })) : address;
    return new Worker(url, { type: "module" });
  } catch {
    return null;
  }
}

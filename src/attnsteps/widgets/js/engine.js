// Runs a widget's heavy work in a worker made from the widget's own script, so that the page never
// waits; where the browser refuses workers, the same functions run in the page.

const PATIENCE = 8000; // ms until a worker that does not answer is given up

/**
 * To be called once at the top level of a widget's script: inside a worker it answers what
 * startEngine asks there, in a page it does nothing.
 * @param {Jobs} jobs
 */
export function serveJobs(jobs) {
  if (typeof document !== "undefined" || !("WorkerGlobalScope" in globalThis)) return;
  globalThis.onmessage = async ({ data: { number, job, given } }) => {
    /** @type {Tell} */
    const tell = (news) => globalThis.postMessage({ number, news });
    try {
      globalThis.postMessage({ number, result: await doJob(jobs, job, given, tell) });
    } catch (error) {
      globalThis.postMessage({ number, problem: messageOf(error) });
    }
  };
  globalThis.postMessage({ isReady: true });
}

/**
 * @template {Jobs} J
 * @param {J} jobs the same as in serveJobs
 * @param {string|undefined} source the text of the widget's script, which Jupyter hands to it
 * @param {string} address where the script came from, if there is no text
 * @returns {Engine<J>}
 */
export function startEngine(jobs, source, address) {
  /** @type {Map<number, PendingJob>} */
  const pending = new Map();
  let count = 0;
  /** @type {Worker | null} */
  let worker = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const url = source
    ? URL.createObjectURL(new Blob([source], { type: "text/javascript" }))
    : address;

  /** The worker has its script, or never will: nothing needs the address of the copy any more. */
  function settle() {
    clearTimeout(timer);
    if (source) URL.revokeObjectURL(url);
  }
  /** @param {number} number */
  async function doHere(number) {
    const { job, given, tell, resolve, reject } = take(pending, number);
    try {
      resolve(await doJob(jobs, job, given, tell));
    } catch (error) {
      reject(error);
    }
  }
  /** No worker, or none that lives: what was asked so far is done here, and all that follows. */
  function stayHere() {
    settle();
    worker?.terminate();
    worker = null;
    for (const number of [...pending.keys()]) doHere(number);
  }
  /** @param {MessageEvent} event */
  function receive({ data: { isReady, number, news, result, problem } }) {
    settle();
    if (isReady || !pending.has(number)) return;
    if (news !== undefined) {
      pending.get(number)?.tell(news);
      return;
    }
    const { resolve, reject } = take(pending, number);
    if (problem === undefined) resolve(result);
    else reject(new Error(problem));
  }
  try {
    worker = new Worker(url, { type: "module" });
    worker.onerror = (event) => {
      event.preventDefault();
      stayHere();
    };
    worker.onmessage = receive;
    timer = setTimeout(stayHere, PATIENCE);
  } catch {
    stayHere();
  }
  return {
    run(job, given, tell = () => {}) {
      return new Promise((resolve, reject) => {
        count += 1;
        pending.set(count, { job: String(job), given, tell, resolve, reject });
        if (worker) worker.postMessage({ number: count, job, given });
        else doHere(count);
      });
    },
    close() {
      settle();
      worker?.terminate();
      pending.clear();
    },
    isWorker: () => worker !== null,
  };
}

/**
 * A copy of a file that a trait holds, to be given away.
 * @param {DataView<ArrayBuffer>} view
 */
export function fileOf(view) {
  if (view.byteLength === 0) {
    throw new Error("The weights could not be fetched. Reloading the page may help.");
  }
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

/**
 * What an error says.
 * @param {unknown} error
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {Jobs} jobs
 * @param {string} job
 * @param {unknown} given what that job takes: run sees to it
 * @param {Tell} tell
 */
function doJob(jobs, job, given, tell) {
  return jobs[job](/** @type {never} */ (given), tell);
}

/**
 * @param {Map<number, PendingJob>} pending
 * @param {number} number
 */
function take(pending, number) {
  const found = pending.get(number);
  pending.delete(number);
  return /** @type {PendingJob} */ (found);
}

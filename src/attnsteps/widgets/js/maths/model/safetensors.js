// Reads a safetensors file: 8 bytes for the length of the header, a header in JSON, then numbers.
// It is the file that Python wrote, so both run on the very same weights.

/** @type {Record<string, [number, (bytes: ArrayBuffer) => Float32Array]>} */
const READERS = { I8: [1, readBytes], F16: [2, readHalves], F32: [4, readSingles] };
/** @type {Record<string, string>} */
const PYTORCH = { I8: "int8", F16: "float16", F32: "float32" };

/**
 * @param {ArrayBuffer} buffer the whole file
 * @returns {{metadata: Record<string, string>,
 *            tensors: Map<string, {shape: number[], data: Float32Array}>}}
 * @throws {Error} one sentence for the reader, if the file is not whole, or not such a file
 */
export function readSafetensors(buffer) {
  const { metadata, entries, start } = headerOf(buffer);
  const end = Math.max(0, ...Object.values(entries).map((entry) => entry?.data_offsets?.[1] ?? 0));
  if (start + end > buffer.byteLength) {
    throw new Error(
      `The weights are cut off: ${start + end} bytes are needed, and ${buffer.byteLength} came.`,
    );
  }
  if (start + end < buffer.byteLength)
    throw new Error("The weights are damaged: the file is longer than it says.");
  const tensors = new Map();
  for (const [name, entry] of Object.entries(entries))
    tensors.set(name, readTensor(buffer, start, name, entry));
  for (const name of [...tensors.keys()])
    if (entries[name].dtype === "I8") scaleRows(name, tensors);
  return { metadata, tensors };
}

/**
 * What a file says of itself, before any number is read: where each tensor lies, from `start` on.
 * @param {ArrayBuffer} buffer
 * @returns {{metadata: Record<string, string>, entries: Record<string, HeaderEntry>,
 *            start: number}}
 * @throws {Error} one sentence for the reader, if there is no header
 */
export function headerOf(buffer) {
  if (buffer.byteLength < 8)
    throw new Error(`The weights are cut off: the file has only ${buffer.byteLength} bytes.`);
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  if (length < 2 || length > 1e8) throw new Error("This is not a safetensors file.");
  if (8 + length > buffer.byteLength)
    throw new Error("The weights are cut off, or this is not a safetensors file.");
  const { __metadata__, ...entries } = readHeader(new Uint8Array(buffer, 8, length));
  return { metadata: __metadata__ ?? {}, entries, start: 8 + length };
}

/**
 * Numbers of 8 bits are meant as multiples of one step for each row, which lies beside them.
 * @param {string} name
 * @param {Map<string, Tensor>} tensors
 */
function scaleRows(name, tensors) {
  const { data, shape } = /** @type {Tensor} */ (tensors.get(name));
  const [rows, columns] = shape;
  const scale = tensors.get(`${name}.scale`);
  if (shape.length !== 2 || `${scale?.shape}` !== `${rows}`)
    throw new Error(`The weights are damaged: ${name} lacks a scale for each of its rows.`);
  tensors.delete(`${name}.scale`);
  for (let i = 0; i < data.length; i += 1)
    data[i] *= /** @type {Tensor} */ (scale).data[Math.floor(i / columns)];
}

/**
 * The header as an object; anything else is no header.
 * @param {Uint8Array} bytes
 */
function readHeader(bytes) {
  try {
    const header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (header !== null && typeof header === "object" && !Array.isArray(header)) return header;
  } catch {
    // said below
  }
  throw new Error("This is not a safetensors file, or its header is damaged.");
}

/**
 * One tensor as float32, whichever of the kinds it is stored as.
 * @param {ArrayBuffer} buffer
 * @param {number} start
 * @param {string} name
 * @param {HeaderEntry} entry
 * @returns {Tensor}
 */
function readTensor(buffer, start, name, entry) {
  const [size, read] = READERS[entry?.dtype] ?? [];
  if (!size)
    throw new Error(`The weights must be int8, float16 or float32; ${name} is ${entry?.dtype}.`);
  const { shape, data_offsets: offsets } = entry;
  const [from, to] = isSizes(offsets) ? offsets : [0, -1];
  const count = isSizes(shape) ? shape.reduce((product, axis) => product * axis, 1) : 0;
  if (to - from !== count * size)
    throw new Error(`The weights are damaged: ${name} has another size than it says.`);
  const data = read(buffer.slice(start + from, start + to));
  if (!data.every(Number.isFinite))
    throw new Error(`The weights are damaged: ${name} holds what is not a number.`);
  return { shape, data };
}

/** @param {unknown} value */
function isSizes(value) {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each) && each >= 0);
}

/** @param {ArrayBuffer} bytes */
function readBytes(bytes) {
  return Float32Array.from(new Int8Array(bytes));
}

/** @param {ArrayBuffer} bytes */
function readSingles(bytes) {
  return new Float32Array(bytes);
}

/** @param {ArrayBuffer} bytes */
function readHalves(bytes) {
  return Float32Array.from(new Uint16Array(bytes), fromHalf);
}

/**
 * What 16 bits stand for: 1 for the sign, 5 for the exponent, 10 for the fraction.
 * @param {number} bits
 */
export function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * Whether the numbers are those that were written: compares the SHA-256 that the file carries.
 * Browsers compute it on https and on localhost only; elsewhere this says true.
 * @param {ArrayBuffer} buffer
 */
export async function isIntact(buffer) {
  const { metadata, entries, start } = headerOf(buffer);
  if (!metadata.sha256 || !globalThis.crypto?.subtle) return true;
  const text = new TextEncoder();
  const parts = [text.encode(metadata.config ?? "")];
  for (const name of Object.keys(entries).sort()) {
    const {
      dtype,
      shape,
      data_offsets: [from, to],
    } = entries[name];
    const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
    parts.push(
      text.encode(`${name} torch.${PYTORCH[dtype]} ${tuple}\n`),
      new Uint8Array(buffer, start + from, to - from),
    );
  }
  const digest = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
  return (
    metadata.sha256 ===
    Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  );
}

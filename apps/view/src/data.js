// The data of a page: base64 of a deflated sequence of records (src/output/page.c).
//
// A record is a head of 48 bytes (name, type, values per row, rows) and its values. Names and layouts
// are those of the result file.

const BYTES = 0, INTEGERS = 1, FLOATS = 2, DOUBLES = 3, TEXTS = 4, STEPS = 5, IDS = 6;
const SIZE = [1, 4, 4, 8, 1, 2, 8];

// by the browser where it can: letter by letter takes a quarter of the time that a large page needs to open
function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflate(text) {
  const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// rows of 16-bit numbers, each the difference to the row before, low bytes then high bytes
function sumUp(bytes, rows, values) {
  const out = new Uint16Array(rows * values);
  for (let k = 0; k < rows; ++k) {
    const at = 2 * k * values, to = k * values;
    for (let i = 0; i < values; ++i) {
      const change = bytes[at + i] | (bytes[at + values + i] << 8);
      out[to + i] = (k > 0 ? out[to - values + i] : 0) + change;
    }
  }
  return out;
}

function typed(type, bytes, rows, values) {
  // a copy, since numbers must begin at a multiple of their size
  const copy = () => bytes.slice().buffer;
  switch (type) {
    case BYTES: return bytes.slice();
    case INTEGERS: return new Int32Array(copy());
    case FLOATS: return new Float32Array(copy());
    case DOUBLES: return new Float64Array(copy());
    case IDS: return new BigUint64Array(copy());
    case STEPS: return sumUp(bytes, rows, values);
    case TEXTS: {
      const texts = new TextDecoder().decode(bytes).split("\0");
      texts.pop();
      return texts;
    }
    default: throw new Error(`the page holds a record of type ${type}; it is newer than this viewer`);
  }
}

export function readRecords(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const records = {};
  let at = 0;
  while (at + 48 <= bytes.length) {
    const name = new TextDecoder().decode(bytes.subarray(at, at + 32)).replace(/\0+$/, "");
    const type = view.getInt32(at + 32, true), values = view.getInt32(at + 36, true);
    const rows = Number(view.getBigInt64(at + 40, true));
    at += 48;
    const size = rows * values * SIZE[type];
    if (!(size >= 0 && at + size <= bytes.length) && type in SIZE) throw new Error("its data are cut off");
    records[name] = typed(type, bytes.subarray(at, at + size), rows, values);
    at += size;
  }
  return records;
}

const text = (records, name) => records[name]?.[0] ?? "";

/** What the viewer works with: facts, bodies, shapes, and functions of the frame. */
export class Result {
  constructor(records) {
    this.records = records;
    this.title = text(records, "title") || text(records, "scene/path").split("/").pop() || "stiction";
    for (const name of ["program", "system", "scheme", "solver", "determinism", "units"])
      this[name] = text(records, name);
    this.source = text(records, "scene/source");
    this.parameters = text(records, "scene/parameters");
    this.forceChoice = text(records, "force_choice");
    const [step, until, frames, steps, contactEvery] = records.numbers;
    Object.assign(this, { step, until, framesStored: frames, stepsStored: steps, contactEvery });
    this.time = records["frames/time"] ?? new Float64Array();
    this.frames = this.time.length;
    this.bodies = records["bodies/kind"]?.length ?? 0;
    this.shapes = records["shapes/kind"]?.length ?? 0;
    this.joints = records["joints/kind"]?.length ?? 0;
    this.bodyNames = records["bodies/name"] ?? [];
    this.contactBegin = records["contacts/begin"] ?? new Int32Array(this.frames + 1);
    this.speedScale = records["motion/velocity_scale"]?.[0] ?? 0;
    this.track = { low: records["motion/position_low"], high: records["motion/position_high"], q: records["motion/position"],
      turn: records["motion/orientation"], v: records["motion/velocity"] };
  }

  bodyName(body) {
    return body < 0 ? "ground" : this.bodyNames[body] || `body ${body}`;
  }

  /** Position of a body in a frame: 3 numbers. */
  position(frame, body, to = [0, 0, 0]) {
    const n = 3 * this.bodies, { low, high, q } = this.track;
    for (let c = 0; c < 3; ++c) {
      const i = 3 * body + c;
      to[c] = low[i] + ((high[i] - low[i]) * q[frame * n + i]) / 65535;
    }
    return to;
  }

  /** Orientation of a body in a frame: w, x, y, z. */
  orientation(frame, body, to = [1, 0, 0, 0]) {
    const n = 4 * this.bodies, q = this.track.turn;
    let norm = 0;
    for (let c = 0; c < 4; ++c) {
      to[c] = ((q[frame * n + 4 * body + c] << 16) >> 16) / 32767;
      norm += to[c] * to[c];
    }
    norm = Math.sqrt(norm) || 1;
    for (let c = 0; c < 4; ++c) to[c] /= norm;
    return to;
  }

  velocity(frame, body, to = [0, 0, 0]) {
    const n = 3 * this.bodies, q = this.track.v;
    for (let c = 0; c < 3; ++c)
      to[c] = (((q[frame * n + 3 * body + c] << 16) >> 16) / 32767) * this.speedScale;
    return to;
  }

  /** Deformation gradient by rows, or null for a rigid body. */
  deformation(frame, body) {
    const row = this.records["bodies/deformation"]?.[body] ?? -1;
    const F = this.records["motion/F"];
    if (row < 0 || !F) return null;
    const n = F.length / this.frames;
    return F.subarray(frame * n + 9 * row, frame * n + 9 * row + 9);
  }

  /** Vertices in world axes of a shape whose surface moves by itself, or null. */
  vertices(frame, s) {
    const first = this.records["shapes/moving"]?.[s] ?? -1, all = this.records["motion/vertex"];
    if (first < 0 || !all) return null;
    const n = all.length / this.frames, at = frame * n + 3 * first;
    return all.subarray(at, at + 3 * this.records["shapes/vertex_count"][s]);
  }

  /** Mises stress of a deformable body, or null. */
  stress(frame, body) {
    const row = this.records["bodies/deformation"]?.[body] ?? -1;
    const all = this.records["motion/stress"];
    if (row < 0 || !all) return null;
    const n = all.length / this.frames, s = all.subarray(frame * n + 9 * row);
    const a = s[0] - s[4], b = s[4] - s[8], c = s[8] - s[0];
    return Math.sqrt((a * a + b * b + c * c) / 2 + 3 * (s[1] * s[1] + s[2] * s[2] + s[5] * s[5]));
  }

  /** Rows of the contacts of a frame, or of the nearest one before that has them on the page. */
  contacts(frame) {
    const at = frame - (frame % (this.contactEvery || 1));
    return { records: this.records, begin: this.contactBegin[at] ?? 0, end: this.contactBegin[at + 1] ?? 0, at };
  }

  /** Row of a contact in a frame by its id, -1 if it is not there; and the rows of the frame. */
  contactById(frame, id) {
    const rows = this.contacts(frame), ids = rows.records["contacts/id"];
    for (let i = rows.begin; ids && i < rows.end; ++i) if (ids[i] === id) return { row: i, ...rows };
    return { row: -1, ...rows };
  }

  /** Sum of the contact forces on a body in a frame. */
  contactForce(frame, body) {
    const sum = [0, 0, 0], { records, begin, end } = this.contacts(frame);
    const pair = records["contacts/body"], force = records["contacts/force"];
    if (!force) return sum;
    for (let i = begin; i < end; ++i)
      for (let side = 0; side < 2; ++side)
        if (pair[2 * i + side] === body)
          for (let c = 0; c < 3; ++c) sum[c] += (side === 0 ? 1 : -1) * force[3 * i + c];
    return sum;
  }
}

const join = (a, b) => {
  const both = new a.constructor(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
};
const GROWING = ["frames/time", "frames/step", "frames/energy", "model/q", "model/u", "joint_motion/coordinate"];
const FIXED = /^(bodies|shapes|joints|materials)\/|_label$/;

/**
 * A result that grows: the first part knows what never changes, later ones bring frames. A page that watches for
 * hours keeps the newest frames, as many as a page of a result has; the result file keeps all.
 */
export class LiveResult extends Result {
  constructor(records) {
    super(records);
    this.fixed = Object.fromEntries(Object.entries(records).filter(([name]) => FIXED.test(name)));
    this.parts = [{ first: 0, part: new Result(records) }];
    this.records = { ...records };
    this.mostPoses = 3e6;
    this.gone = 0;
  }

  /** Add the frames of an event: the part that holds them, and how many old frames were given up for them. */
  append(records) {
    const part = new Result({ ...this.fixed, ...records });
    this.parts.push({ first: this.frames, part });
    for (const [name, values] of Object.entries(records)) {
      if (GROWING.includes(name)) this.records[name] = this.records[name] ? join(this.records[name], values) : values;
      else if (/^(steps|events)\//.test(name)) this.records[name] = values;
    }
    this.time = this.records["frames/time"];
    this.frames = this.time.length;
    this.framesStored = part.framesStored;
    this.stepsStored = part.stepsStored;
    return { part, gone: this.forget() };
  }

  forget() {
    let gone = 0;
    while (this.parts.length > 1 && Math.max(this.bodies, 1) * (this.frames - gone) > this.mostPoses)
      gone += this.parts.shift().part.frames;
    if (gone === 0) return 0;
    for (const one of this.parts) one.first -= gone;
    for (const name of GROWING) {
      const values = this.records[name];
      if (values) this.records[name] = values.slice((values.length / this.frames) * gone);
    }
    this.lastPart = 0;
    this.time = this.records["frames/time"];
    this.frames = this.time.length;
    this.gone += gone;
    return gone;
  }

  // the part of a frame; most often it is the last one asked for
  at(frame) {
    let k = this.lastPart ?? 0;
    while (k > 0 && this.parts[k].first > frame) --k;
    while (k + 1 < this.parts.length && this.parts[k + 1].first <= frame) ++k;
    this.lastPart = k;
    return this.parts[k];
  }

  position(frame, body, to) { const { first, part } = this.at(frame); return part.position(frame - first, body, to); }
  orientation(frame, body, to) { const { first, part } = this.at(frame); return part.orientation(frame - first, body, to); }
  velocity(frame, body, to) { const { first, part } = this.at(frame); return part.velocity(frame - first, body, to); }
  deformation(frame, body) { const { first, part } = this.at(frame); return part.deformation(frame - first, body); }
  vertices(frame, s) { const { first, part } = this.at(frame); return part.vertices(frame - first, s); }
  stress(frame, body) { const { first, part } = this.at(frame); return part.stress(frame - first, body); }
  contacts(frame) {
    const { first, part } = this.at(frame), rows = part.contacts(frame - first);
    return { ...rows, at: rows.at + first };
  }
}

export const readData = async (base64) => readRecords(await inflate(base64));

const LIVE = "live ";

/** The result of a page; one that goes on is marked. */
export async function loadResult(text) {
  return text.startsWith(LIVE) ? new LiveResult(await readData(text.slice(LIVE.length))) : new Result(await readData(text));
}

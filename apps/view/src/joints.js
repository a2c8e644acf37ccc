// Joints of a frame: all contacts of two bodies together, their resultant and where it acts.
//
// The resultant acts at the centre of pressure, the mean of the contact points weighted by their normal forces. Its
// eccentricity is the part of the way from the middle of the joint, the centroid of the convex hull of the contact
// points, to the border in that direction: 0 in the middle, 1 on the border, where a joint without tension opens.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);

// corners of the convex hull of points of a plane, counter-clockwise (Andrew's chain)
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const chain = (all) => {
    const kept = [];
    for (const p of all) {
      while (kept.length > 1 && turn(kept[kept.length - 2], kept[kept.length - 1], p) <= 0) kept.pop();
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return sorted.length < 2 ? sorted : [...chain(sorted), ...chain(sorted.reverse())];
}

// contacts on one edge: a hull thinner than the rounding of places (7 digits) is the segment between its farthest corners
function flattened(corners) {
  let area = 0, farthest = 0, ends = corners;
  corners.forEach((a, i) => {
    area += turn(corners[0], a, corners[(i + 1) % corners.length]);
    for (const b of corners.slice(0, i)) {
      const square = (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2;
      if (square > farthest) [farthest, ends] = [square, [a, b]];
    }
  });
  return corners.length < 3 || area > 1e-5 * farthest ? corners : ends;
}

// centroid of a convex polygon; of one without area the mean of its corners
function middleOf(corners) {
  let area = 0, x = 0, y = 0;
  const [o] = corners;
  for (let i = 1; i + 1 < corners.length; ++i) {
    const part = turn(o, corners[i], corners[i + 1]);
    area += part;
    x += (part * (o[0] + corners[i][0] + corners[i + 1][0])) / 3;
    y += (part * (o[1] + corners[i][1] + corners[i + 1][1])) / 3;
  }
  const mean = (c) => corners.reduce((sum, p) => sum + p[c], 0) / corners.length;
  return area > 0 ? [x / area, y / area] : [mean(0), mean(1)];
}

// part of the way from the middle to the border at which a point lies
function eccentricity(corners, middle, point) {
  const d = [point[0] - middle[0], point[1] - middle[1]];
  let most = 0;
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length], n = corners.length < 3 ? [a[0] - middle[0], a[1] - middle[1]] : [b[1] - a[1], a[0] - b[0]];
    const room = n[0] * (a[0] - middle[0]) + n[1] * (a[1] - middle[1]);
    if (room > 0) most = Math.max(most, (n[0] * d[0] + n[1] * d[1]) / room);
  });
  return most;
}

// contacts of a frame by pairs of bodies, with the sign that makes forces act on the first one
function pairsOf({ records, begin, end }) {
  const pair = records["contacts/body"], pairs = new Map();
  for (let i = begin; i < end; ++i) {
    const low = Math.min(pair[2 * i], pair[2 * i + 1]), high = Math.max(pair[2 * i], pair[2 * i + 1]), key = `${low} ${high}`;
    (pairs.get(key) ?? pairs.set(key, { bodies: [low, high], rows: [] }).get(key)).rows.push({ i, sign: pair[2 * i] === low ? 1 : -1 });
  }
  return pairs.values();
}

function jointOf(records, { bodies, rows }) {
  const of = (name, i) => records[`contacts/${name}`].subarray(3 * i, 3 * i + 3);
  const force = [0, 0, 0], point = [0, 0, 0], normal = [0, 0, 0];
  let pressed = 0;
  for (const { i, sign } of rows) {
    const f = of("force", i), n = of("normal", i), p = of("point", i), part = Math.max(dot(f, n), 0);
    pressed += part;
    for (let c = 0; c < 3; ++c) {
      force[c] += sign * f[c];
      normal[c] += sign * n[c];
      point[c] += part * p[c];
    }
  }
  if (!(pressed > 0)) return null;
  // the plane of the joint: two axes across its mean normal
  const least = [0, 1, 2].reduce((best, c) => (Math.abs(normal[c]) < Math.abs(normal[best]) ? c : best), 0);
  const unit = (v) => v.map((x) => x / (Math.hypot(...v) || 1));
  const u = unit(cross(normal, [0, 1, 2].map((c) => (c === least ? 1 : 0)))), v = unit(cross(normal, u));
  const origin = of("point", rows[0].i), flat = (p) => { const d = [0, 1, 2].map((c) => p[c] - origin[c]); return [dot(d, u), dot(d, v)]; };
  const at = point.map((x) => x / pressed), corners = flattened(hull(rows.map(({ i }) => flat(of("point", i)))));
  return { bodies, force, pressed, point: at, size: Math.hypot(...force), eccentricity: eccentricity(corners, middleOf(corners), flat(at)),
    border: corners.map(([a, b]) => [0, 1, 2].map((c) => origin[c] + a * u[c] + b * v[c])) };
}

/** Joints that carry load in the rows of a frame (Result.contacts). */
export function jointsOf(rows) {
  if (!rows.records["contacts/force"]) return [];
  return Array.from(pairsOf(rows), (pair) => jointOf(rows.records, pair)).filter((joint) => joint !== null);
}

/**
 * Line of thrust: segments { from, to, size } through the bodies that `carries` names. A body between two joints has a straight
 * line from one centre of pressure to the other; in one with more, all lines meet at the mean of the centres, weighted by their forces.
 */
export function thrustOf(joints, carries) {
  const bodies = new Map(), lines = [];
  for (const joint of joints)
    for (const body of joint.bodies)
      if (carries(body)) (bodies.get(body) ?? bodies.set(body, []).get(body)).push(joint);
  for (const own of bodies.values()) {
    const sum = own.reduce((all, joint) => all + joint.size, 0);
    const hub = [0, 1, 2].map((c) => own.reduce((all, joint) => all + joint.size * joint.point[c], 0) / sum);
    if (own.length > 1) for (const joint of own) lines.push({ from: hub, to: joint.point, size: joint.size });
  }
  return lines;
}

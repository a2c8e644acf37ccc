// The scene in space: bodies, contacts, force chains and trails of a frame.
//
// Shapes with the same surface share one instanced mesh; a pose is one matrix per shape. World axes
// are those of the result, z usually up; gravity decides what up means for the camera.
import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, DynamicDrawUsage, EdgesGeometry,
  GridHelper, HemisphereLight, InstancedMesh, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh,
  MeshStandardMaterial, ConeGeometry, CylinderGeometry, PerspectiveCamera, Plane, Quaternion, Raycaster,
  Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer, PlaneGeometry,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { FIXED, STATUS, bodyColour, ramp } from "./palette.js";
import { Thrust } from "./thrust.js";

const HALF_SPACE = 7, SPHERE = 0;
const UP = new Vector3(0, 0, 1);
const SELECTED = 0xf0e442, JOINT = 0x0072b2;
const EDGE = 0.5;
// what a frame needs for every body: written over, never made anew
const PAINT = new Color(), VELOCITY = [0, 0, 0], PLACE = [0, 0, 0], TURN = [1, 0, 0, 0];
const LINEAR_STATUS = STATUS.map(({ colour }) => new Color(colour));
// segments of spheres around and along, finest first, with the radius in pixels from which they are needed
const SPHERES = [{ around: 32, along: 20, pixels: 40 }, { around: 16, along: 10, pixels: 9 }, { around: 8, along: 6, pixels: 0 }];
// triangles of all spheres together: what a weak graphics card draws smoothly
const MOST_TRIANGLES = 600000;
const SHADES = Array.from({ length: 256 }, (_, i) => new Color(ramp(i / 255)));

// a surface whose vertices are stored frame by frame: that of an elastic body
const isMoving = (result, s) => (result.records["shapes/moving"]?.[s] ?? -1) >= 0 && result.vertices(0, s) !== null;

// sharp edges of a surface as pairs of its vertices; those of the reference form stay
function sharpEdges(result, s, angle) {
  const r = result.records, b = r["shapes/vertex_begin"][s], f = r["shapes/face_begin"][s], n = r["shapes/face_count"][s];
  const vertex = r["shapes/vertex"], face = r["shapes/face"], seen = new Map(), edges = [];
  const corner = (i, c) => new Vector3().fromArray(vertex, 3 * (b + face[3 * (f + i) + c]));
  for (let i = 0; i < n; ++i) {
    const a = corner(i, 0), normal = corner(i, 1).sub(a).cross(corner(i, 2).sub(a)).normalize();
    for (let c = 0; c < 3; ++c) {
      const v = face[3 * (f + i) + c], w = face[3 * (f + i) + ((c + 1) % 3)], key = v < w ? `${v} ${w}` : `${w} ${v}`;
      const other = seen.get(key);
      if (!other) seen.set(key, normal);
      else if (other.dot(normal) < Math.cos(angle)) edges.push(v, w);
    }
  }
  return edges;
}

// key of a surface: shapes with equal triangles are drawn together
function surfaceKey(result, s) {
  const r = result.records, b = r["shapes/vertex_begin"][s], n = r["shapes/vertex_count"][s];
  const f = r["shapes/face_count"][s];
  // all spheres are one unit sphere, scaled
  if (r["shapes/kind"][s] === SPHERE) return "sphere";
  if (isMoving(result, s)) return `moving ${s}`;
  let hash = 2166136261;
  const bytes = new Uint8Array(r["shapes/vertex"].buffer, 12 * b, 12 * n);
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 16777619);
  return `${r["shapes/kind"][s]}:${n}:${f}:${hash}`;
}

function surfaceGeometry(result, s) {
  const r = result.records;
  const b = r["shapes/vertex_begin"][s], f = r["shapes/face_begin"][s];
  const n = r["shapes/face_count"][s], vertex = r["shapes/vertex"], face = r["shapes/face"];
  // corners apart, so that flat faces look flat; round kinds get smooth normals
  const points = new Float32Array(9 * n);
  for (let i = 0; i < 3 * n; ++i) {
    const v = 3 * (b + face[3 * f + i]);
    points.set(vertex.subarray(v, v + 3), 3 * i);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  geometry.computeVertexNormals();
  if ([2, 3, 4].includes(r["shapes/kind"][s])) smooth(geometry, 0.6);
  return geometry;
}

// average the normals of corners at one place unless they differ by more than `angle`
function smooth(geometry, angle) {
  const p = geometry.attributes.position.array, n = geometry.attributes.normal.array;
  const places = new Map();
  for (let i = 0; i < p.length; i += 3) {
    const key = `${p[i].toPrecision(6)},${p[i + 1].toPrecision(6)},${p[i + 2].toPrecision(6)}`;
    (places.get(key) ?? places.set(key, []).get(key)).push(i);
  }
  const from = n.slice(), least = Math.cos(angle);
  for (const corners of places.values())
    for (const i of corners) {
      const sum = new Vector3();
      for (const j of corners) {
        const dot = from[i] * from[j] + from[i + 1] * from[j + 1] + from[i + 2] * from[j + 2];
        if (dot >= least) sum.add(new Vector3(from[j], from[j + 1], from[j + 2]));
      }
      sum.normalize().toArray(n, i);
    }
}

// the largest force but for a few: impacts must not shrink all other arrows
function strongestForce(force) {
  const sizes = [], stride = Math.max(1, Math.floor((force?.length ?? 0) / 3 / 50000));
  for (let i = 0; i < (force?.length ?? 0) / 3; i += stride)
    sizes.push(Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]));
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.98 * (sizes.length - 1))] || sizes[sizes.length - 1] || 0;
}

// write the map that takes +z to a direction of unit length, with its width, length and place
function arrowMatrix(to, at, x, y, z, width, length, px, py, pz) {
  // two directions across: with the sign of z no denominator comes near zero
  const sign = z >= 0 ? 1 : -1, a = -1 / (sign + z), b = x * y * a;
  to[at] = width * (1 + sign * x * x * a); to[at + 1] = width * sign * b; to[at + 2] = -width * sign * x; to[at + 3] = 0;
  to[at + 4] = width * b; to[at + 5] = width * (sign + y * y * a); to[at + 6] = -width * y; to[at + 7] = 0;
  to[at + 8] = length * x; to[at + 9] = length * y; to[at + 10] = length * z; to[at + 11] = 0;
  to[at + 12] = px; to[at + 13] = py; to[at + 14] = pz; to[at + 15] = 1;
}

// opacity of a body by the scene, from 0 to 1; results of 0.1 know none
const opacityOf = (result, body) => (result.records["bodies/look"]?.[2 * body] ?? 255) / 255;

const hiddenBodies = (result) => new Set(Array.from({ length: result.bodies }, (_, b) => b)
  .filter((b) => result.records["bodies/look"]?.[2 * b + 1] === 0));

export class Stage {
  constructor(canvas, result) {
    this.result = result;
    this.canvas = canvas;
    // what limit analysis writes is looked at for its line of thrust
    const limit = result.scheme === "collapse";
    this.options = { contacts: !limit, normals: false, forces: !limit, chains: false, thrust: limit, trails: false, joints: true,
      colour: "body", arrow: 1, slice: 0, opacity: 1 };
    this.hidden = hiddenBodies(result);
    this.selected = null;
    this.frame = 0;
    this.trails = [];
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = result.bodies <= 2000;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01, 1000);
    this.camera.up.copy(UP);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.draw());
    // a camera that was moved by hand stays where it is
    this.controls.addEventListener("start", () => { this.moved = true; });
    this.plane = new Plane(new Vector3(0, 1, 0), 0);
    this.measure();
    this.light();
    this.buildBodies();
    this.buildContacts();
    this.thrust = new Thrust(this.scene, this.usualSize());
    this.buildJoints();
    this.fitted = this.size;
    this.frame = this.firstFrame();
    this.view("iso");
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  /** The first frame with contacts, in which bodies do something to each other; else the first one. */
  firstFrame() {
    for (let k = 0; k < this.result.frames; ++k) {
      const { begin, end } = this.result.contacts(k);
      if (end > begin) return k;
    }
    return 0;
  }

  // box of the bodies in one frame: centre and diameter; the whole run's where nothing is small
  boxOf(frame) {
    const { result } = this, r = result.records, low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
    const v = new Vector3(), q = new Quaternion(), a = [1, 0, 0, 0], p = [0, 0, 0];
    for (let s = 0; s < result.shapes; ++s) {
      const body = r["shapes/body"][s], radius = this.radius[s];
      if (r["shapes/kind"][s] === HALF_SPACE || this.hidden.has(body)) continue;
      result.orientation(frame, body, a);
      q.set(a[1], a[2], a[3], a[0]);
      v.fromArray(r["shapes/origin"], 3 * s).applyQuaternion(q).add(new Vector3(...result.position(frame, body, p)));
      low.min(v.clone().subScalar(radius));
      high.max(v.clone().addScalar(radius));
    }
    // what hangs moves about its joints
    for (let i = 0; i < 2 * (r["joints/point"] ? result.joints : 0); ++i)
      if (r["joints/body"][i] < 0) {
        low.min(v.fromArray(r["joints/point"], 3 * i));
        high.max(v);
      }
    // the whole run where it stays near; what flies far away must not make the rest small
    const whole = { centre: this.centre, size: this.size };
    if (!(low.x <= high.x) || this.size <= 2 * low.distanceTo(high)) return whole;
    return { centre: low.clone().add(high).multiplyScalar(0.5), size: Math.max(low.distanceTo(high), 1e-12) };
  }

  // box of everything that moves or is small, over all frames
  measure() {
    const { result } = this, r = result.records;
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
    const v = new Vector3(), q = new Quaternion(), a = [1, 0, 0, 0], p = [0, 0, 0];
    this.unit = 0;
    this.radius = new Float64Array(result.shapes);
    for (let s = 0; s < result.shapes; ++s) {
      if (r["shapes/kind"][s] === HALF_SPACE) continue;
      const b = r["shapes/vertex_begin"][s], n = r["shapes/vertex_count"][s];
      for (let i = b; i < b + n; ++i)
        this.radius[s] = Math.max(this.radius[s], v.fromArray(r["shapes/vertex"], 3 * i).length());
      if (r["shapes/kind"][s] === SPHERE) this.radius[s] = r["shapes/parameter"][4 * s];
      const body = r["shapes/body"][s];
      if (this.hidden.has(body)) continue;
      this.unit = Math.max(this.unit, this.radius[s]);
      const stride = Math.max(1, Math.floor(result.frames / 40));
      for (let k = (result.frames - 1) % stride; k < result.frames; k += stride) {
        result.orientation(k, body, a);
        q.set(a[1], a[2], a[3], a[0]);
        v.fromArray(r["shapes/origin"], 3 * s).applyQuaternion(q);
        result.position(k, body, p);
        const radius = this.radius[s];
        low.set(Math.min(low.x, v.x + p[0] - radius), Math.min(low.y, v.y + p[1] - radius), Math.min(low.z, v.z + p[2] - radius));
        high.set(Math.max(high.x, v.x + p[0] + radius), Math.max(high.y, v.y + p[1] + radius), Math.max(high.z, v.z + p[2] + radius));
      }
    }
    if (!(low.x <= high.x)) { low.set(-1, -1, -1); high.set(1, 1, 1); }
    this.low = low; this.high = high;
    this.centre = low.clone().add(high).multiplyScalar(0.5);
    this.size = Math.max(low.distanceTo(high), 1e-12);
  }

  light() {
    this.scene.add(new HemisphereLight(0xffffff, 0x8d8a80, 1.5), new AmbientLight(0xffffff, 0.35));
    this.sun = new DirectionalLight(0xffffff, 2.0);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0005;
    this.aim();
    this.scene.add(this.sun, this.sun.target);
  }

  // the light and its shadows over the whole box
  aim() {
    const { sun } = this, camera = sun.shadow.camera, d = 0.75 * this.size;
    sun.position.copy(this.centre).add(new Vector3(-0.5, -0.9, 1.4).multiplyScalar(this.size));
    sun.target.position.copy(this.centre);
    Object.assign(camera, { left: -d, right: d, top: d, bottom: -d, near: 0.05 * this.size, far: 4 * this.size });
    camera.updateProjectionMatrix();
    sun.shadow.normalBias = 0.002 * this.size;
  }

  buildBodies() {
    const { result } = this, r = result.records;
    this.groups = [];
    const keys = new Map();
    for (let s = 0; s < result.shapes; ++s) {
      if (r["shapes/kind"][s] === HALF_SPACE) { this.addPlane(s); continue; }
      if (r["shapes/face_count"][s] === 0) continue;
      // a mesh has one opacity: bodies that differ in it are drawn apart
      const key = `${surfaceKey(result, s)}:${opacityOf(result, r["shapes/body"][s])}`;
      (keys.get(key) ?? keys.set(key, []).get(key)).push(s);
    }
    for (const shapes of keys.values()) this.addGroup(shapes);
  }

  addGroup(shapes) {
    // surfaces lie a little behind their edges
    const material = new MeshStandardMaterial({ roughness: 0.85, metalness: 0.0, side: DoubleSide, polygonOffset: true,
      polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const round = this.result.records["shapes/kind"][shapes[0]] === SPHERE;
    const levels = round ? SPHERES.map(({ around, along }) => new SphereGeometry(1, around, along)) : null;
    const mesh = new InstancedMesh(round ? levels[1] : surfaceGeometry(this.result, shapes[0]), material, shapes.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.setColorAt(0, new Color());
    this.scene.add(mesh);
    const sharp = isMoving(this.result, shapes[0]) ? sharpEdges(this.result, shapes[0], 0.35) : null;
    this.groups.push({ mesh, shapes, painted: null, levels, sharp, edges: round ? null : this.addEdges(mesh, shapes.length, sharp),
      opacity: opacityOf(this.result, this.result.records["shapes/body"][shapes[0]]) });
  }

  // edges of all instances of a surface: bodies of one colour can be told apart
  addEdges(mesh, count, sharp) {
    const geometry = sharp ? new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(3 * sharp.length), 3))
      : new EdgesGeometry(mesh.geometry, 20);
    if (geometry.attributes.position.count === 0) return null;
    const lines = new LineSegments(geometry, new LineBasicMaterial({ color: 0x1c2430, transparent: true, opacity: EDGE }));
    // lines with the maps of the mesh: the renderer asks for no more of an instanced object than this
    Object.assign(lines, { isInstancedMesh: true, instanceMatrix: mesh.instanceMatrix, instanceColor: null, morphTexture: null, count });
    lines.frustumCulled = false;
    this.scene.add(lines);
    return lines;
  }

  // spheres as fine as they are seen: by their largest size on the screen, and never more triangles than can be drawn
  refine() {
    const height = this.renderer.domElement.height, spread = Math.tan((this.camera.fov * Math.PI) / 360), at = this.camera.position;
    for (const { mesh, shapes, levels } of this.groups) {
      if (!levels) continue;
      let largest = 0;
      const m = mesh.instanceMatrix.array;
      for (let i = 0; i < shapes.length; ++i) {
        const away = Math.hypot(m[16 * i + 12] - at.x, m[16 * i + 13] - at.y, m[16 * i + 14] - at.z);
        largest = Math.max(largest, this.radius[shapes[i]] / Math.max(away, 1e-12));
      }
      const pixels = (0.5 * height * largest) / spread;
      let level = SPHERES.findIndex((l) => pixels >= l.pixels);
      while (level + 1 < levels.length && (levels[level].index.count / 3) * shapes.length > MOST_TRIANGLES) ++level;
      mesh.geometry = levels[level];
    }
  }

  // a half-space as a square with a grid, as large as the scene needs; from inside only the grid is seen, and what is in front of it
  addPlane(s) {
    const r = this.result.records, p = r["shapes/parameter"];
    const holder = new Mesh(new PlaneGeometry(1, 1), new MeshStandardMaterial({ color: 0xc9ced6, roughness: 1,
      transparent: true, opacity: 0.55 * opacityOf(this.result, r["shapes/body"][s]) }));
    holder.receiveShadow = true;
    const grid = new GridHelper(1, 20, 0x8792a0, 0xaab3bf);
    grid.rotation.x = Math.PI / 2;
    grid.position.z = 2e-4;
    holder.add(grid);
    const normal = new Vector3(p[4 * s], p[4 * s + 1], p[4 * s + 2]);
    this.planes ??= [];
    this.planes.push({ holder, s, normal, offset: p[4 * s + 3] });
    this.scene.add(holder);
  }

  // colour of a body by what it is
  plainColour(body) {
    const r = this.result.records, own = r["bodies/colour"];
    const rgb = (table, i) => (table && table[4 * i + 3] > 0 ? (table[4 * i] << 16) | (table[4 * i + 1] << 8) | table[4 * i + 2] : null);
    const material = r["shapes/material"]?.[r["shapes/body"].indexOf(body)] ?? -1;
    const given = rgb(own, body) ?? rgb(r["materials/colour"], material);
    if (given !== null) return given;
    return (r["bodies/mass"][body] ?? 0) > 0 ? bodyColour(body) : FIXED;
  }

  // colours of all instances; those by body change with the selection only
  paint(group) {
    const { mesh, shapes } = group, { colour } = this.options, of = this.result.records["shapes/body"];
    this.fade(group, group.opacity * this.options.opacity);
    const wanted = `${colour} ${this.selected?.body ?? ""} ${colour === "body" ? "" : this.frame}`;
    if (group.painted === wanted) return;
    group.painted = wanted;
    const to = mesh.instanceColor.array, value = PAINT, most = colour === "body" ? 1 : this.largest(colour) || 1;
    for (let i = 0; i < shapes.length; ++i) {
      const body = of[shapes[i]];
      if (body === this.selected?.body) value.set(SELECTED);
      else if (colour === "body") value.set(this.plainColour(body));
      else {
        const measured = this.measured(this.frame, body, colour);
        if (measured === null) value.set(FIXED);
        else value.copy(SHADES[Math.min(Math.floor((SHADES.length * measured) / most), SHADES.length - 1)]);
      }
      value.toArray(to, 3 * i);
    }
    mesh.instanceColor.needsUpdate = true;
  }

  // what is clear throws no shadow and hides nothing behind it
  fade({ mesh, edges }, opacity) {
    const solid = opacity >= 1;
    Object.assign(mesh.material, { opacity, transparent: !solid, depthWrite: solid });
    mesh.castShadow = solid;
    mesh.visible = opacity > 0;
    if (edges) {
      edges.material.opacity = EDGE * opacity;
      edges.visible = mesh.visible;
    }
  }

  measured(frame, body, what) {
    if (what === "stress") return this.result.stress(frame, body);
    const v = this.result.velocity(frame, body, VELOCITY);
    return Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }

  // median radius of what can move
  usualSize() {
    const r = this.result.records, mass = r["bodies/mass"];
    const sizes = Array.from(this.radius).filter((radius, s) => radius > 0 && (mass[r["shapes/body"][s]] ?? 0) > 0).sort((a, b) => a - b);
    return sizes[sizes.length >> 1] ?? this.size;
  }

  // the largest value of the run
  largest(what) {
    this.maxima ??= {};
    if (this.maxima[what] === undefined) {
      let most = 0;
      for (let k = 0; k < this.result.frames; ++k)
        for (let b = 0; b < this.result.bodies; ++b) most = Math.max(most, this.measured(k, b, what) ?? 0);
      this.maxima[what] = most;
    }
    return this.maxima[what];
  }

  buildContacts() {
    const { result } = this;
    let most = 1;
    for (let k = 0; k < result.frames; ++k) {
      const { begin, end } = result.contacts(k);
      most = Math.max(most, end - begin);
    }
    this.strongest = strongestForce(result.records["contacts/force"]);
    this.makeRoom(most);
  }

  // take something out of the scene and give back what it holds on the graphics card
  discard(old) {
    if (!old) return;
    this.scene.remove(old);
    old.geometry.dispose();
    old.material.dispose();
    old.dispose?.();
  }

  // meshes for as many contacts as a frame may have
  makeRoom(most) {
    for (const old of [this.dots, this.shafts, this.heads, this.chains, this.normals]) this.discard(old);
    this.room = most;
    const flat = (geometry) => {
      const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ roughness: 0.6, depthTest: true }), most);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.setColorAt(0, new Color(0xffffff));
      mesh.count = 0;
      this.scene.add(mesh);
      return mesh;
    };
    // arrows along +z: shaft and head of unit length
    const shaft = new CylinderGeometry(0.5, 0.5, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.dots = flat(new SphereGeometry(1, 12, 8));
    this.shafts = flat(shaft);
    this.heads = flat(head);
    this.normals = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0x0072b2 }));
    this.normals.geometry.setAttribute("position", new BufferAttribute(new Float32Array(6 * most), 3));
    this.normals.frustumCulled = false;
    this.scene.add(this.normals);
    // force chains: tubes between the centres of the bodies, as thick as the force; they lie inside, and are seen through bodies
    this.chains = flat(new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5));
    this.chains.material.depthTest = false;
    this.chains.material.transparent = true;
    this.chains.material.opacity = 0.85;
    this.chains.renderOrder = 10;
  }

  /** Frames have been added to the result. */
  grown(part) {
    this.strongest = Math.max(this.strongest, strongestForce(part.records["contacts/force"]));
    this.maxima = {};
    this.measure();
    this.growing = true;
    // bodies leave the box they began in
    if (this.size > 1.1 * this.fitted) {
      this.fitted = this.size;
      this.aim();
    }
    this.trailed = null;
  }

  // while a run is watched nobody knows where its bodies go: the camera keeps them in sight until it is moved by hand
  keepInSight(frame) {
    if (!this.growing || this.moved) return;
    const { centre, size } = this.boxOf(frame);
    if (centre.distanceTo(this.seen.centre) + 0.5 * size > 0.55 * this.seen.size) this.view("fit");
  }

  // ways of the bodies through all frames, made when they are asked for
  buildTrails() {
    const { result } = this;
    if (this.trailed === result.time) return;
    this.trailed = result.time;
    for (const line of this.trails) this.discard(line);
    this.trails = [];
    if (result.bodies > 500) return;
    for (let b = 0; b < result.bodies; ++b) {
      if (!((result.records["bodies/mass"][b] ?? 0) > 0)) continue;
      const points = new Float32Array(3 * result.frames);
      for (let k = 0; k < result.frames; ++k) points.set(result.position(k, b), 3 * k);
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(points, 3));
      const line = new Line(geometry, new LineBasicMaterial({ color: bodyColour(b) }));
      line.frustumCulled = false;
      this.scene.add(line);
      this.trails.push(line);
    }
  }

  // joints: a ball at each of both points, a line between them, and the axis on the first body
  buildJoints() {
    const n = this.result.joints;
    if (n === 0 || !this.result.records["joints/point"]) return;
    this.joints = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshStandardMaterial({ color: JOINT, roughness: 0.5 }), 2 * n);
    this.axes = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: JOINT }));
    this.axes.geometry.setAttribute("position", new BufferAttribute(new Float32Array(12 * n), 3));
    this.joints.frustumCulled = this.axes.frustumCulled = false;
    this.scene.add(this.joints, this.axes);
  }

  showJoints() {
    if (!this.joints) return;
    const { result } = this, r = result.records, body = r["joints/body"], point = r["joints/point"], axis = r["joints/axis"];
    const lines = this.axes.geometry.attributes.position, radius = Math.min(0.008 * this.size, 0.12 * (this.unit || this.size));
    const at = [new Vector3(), new Vector3()], along = new Vector3();
    for (let j = 0; j < result.joints; ++j) {
      at.forEach((p, side) => {
        this.toWorld(body[2 * j + side], point, 6 * j + 3 * side, 1, p);
        arrowMatrix(this.joints.instanceMatrix.array, 32 * j + 16 * side, 0, 0, 1, radius, radius, p.x, p.y, p.z);
        p.toArray(lines.array, 12 * j + 3 * side);
      });
      if (axis) this.toWorld(body[2 * j], axis, 6 * j, 0, along).multiplyScalar(5 * radius);
      at[0].clone().sub(along).toArray(lines.array, 12 * j + 6);
      at[0].clone().add(along).toArray(lines.array, 12 * j + 9);
    }
    this.joints.instanceMatrix.needsUpdate = lines.needsUpdate = true;
    this.joints.visible = this.axes.visible = this.options.joints;
  }

  // a point (weight 1) or a direction (weight 0) of a body in world axes; body -1 is the ground
  toWorld(body, from, k, weight, to) {
    const [x, y, z] = [from[k], from[k + 1], from[k + 2]], B = this.bodyMap, b = 12 * body;
    if (body < 0) return to.set(x, y, z);
    return to.set(B[b] * x + B[b + 1] * y + B[b + 2] * z + weight * B[b + 3], B[b + 4] * x + B[b + 5] * y + B[b + 6] * z + weight * B[b + 7],
      B[b + 8] * x + B[b + 9] * y + B[b + 10] * z + weight * B[b + 11]);
  }

  // map of a body in the frame that is shown: rotation or deformation, and translation
  bodyMatrix(body, to) {
    const B = this.bodyMap.subarray(12 * body, 12 * body + 12);
    return to.set(...B, 0, 0, 0, 1);
  }

  shapeMatrix(s, to) {
    const r = this.result.records, R = r["shapes/rotation"].subarray(9 * s), o = r["shapes/origin"].subarray(3 * s);
    return to.set(R[0], R[1], R[2], o[0], R[3], R[4], R[5], o[1], R[6], R[7], R[8], o[2], 0, 0, 0, 1);
  }

  // maps of all bodies in a frame, 12 numbers by rows each
  placeBodies(frame) {
    const { result } = this, to = (this.bodyMap ??= new Float64Array(12 * result.bodies));
    for (let body = 0; body < result.bodies; ++body) {
      const at = 12 * body, p = result.position(frame, body, PLACE), F = result.deformation(frame, body);
      to[at + 3] = p[0]; to[at + 7] = p[1]; to[at + 11] = p[2];
      if (F) {
        for (let c = 0; c < 9; ++c) to[at + c + Math.floor(c / 3)] = F[c];
        continue;
      }
      const [w, x, y, z] = result.orientation(frame, body, TURN);
      to[at] = 1 - 2 * (y * y + z * z); to[at + 1] = 2 * (x * y - w * z); to[at + 2] = 2 * (x * z + w * y);
      to[at + 4] = 2 * (x * y + w * z); to[at + 5] = 1 - 2 * (x * x + z * z); to[at + 6] = 2 * (y * z - w * x);
      to[at + 8] = 2 * (x * z - w * y); to[at + 9] = 2 * (y * z + w * x); to[at + 10] = 1 - 2 * (x * x + y * y);
    }
  }

  // the surface of an elastic body: its vertices are places in world axes
  moveSurface({ mesh, shapes, edges, sharp }) {
    const s = shapes[0], r = this.result.records, x = this.result.vertices(this.frame, s), face = r["shapes/face"], f = 3 * r["shapes/face_begin"][s];
    const to = mesh.geometry.attributes.position, size = this.hidden.has(r["shapes/body"][s]) ? 0 : 1;
    for (let i = 0; i < to.count; ++i) for (let c = 0; c < 3; ++c) to.array[3 * i + c] = x[3 * face[f + i] + c];
    to.needsUpdate = true;
    mesh.geometry.computeVertexNormals();
    for (let i = 0; edges && i < sharp.length; ++i) for (let c = 0; c < 3; ++c) edges.geometry.attributes.position.array[3 * i + c] = x[3 * sharp[i] + c];
    if (edges) edges.geometry.attributes.position.needsUpdate = true;
    mesh.instanceMatrix.array.set([size, 0, 0, 0, 0, size, 0, 0, 0, 0, size, 0, 0, 0, 0, 1]);
    mesh.instanceMatrix.needsUpdate = true;
    mesh.geometry.boundingSphere = mesh.boundingSphere = null;
  }

  // map of the body times map of the shape, straight into the columns that are drawn
  placeShapes(group) {
    const { mesh, shapes, levels, sharp } = group;
    if (sharp) return this.moveSurface(group);
    const r = this.result.records, of = r["shapes/body"], R = r["shapes/rotation"], o = r["shapes/origin"];
    const to = mesh.instanceMatrix.array, B = this.bodyMap;
    for (let i = 0; i < shapes.length; ++i) {
      const s = shapes[i], b = 12 * of[s], size = this.hidden.has(of[s]) ? 0 : levels ? this.radius[s] : 1;
      for (let row = 0; row < 3; ++row) {
        const b0 = B[b + 4 * row], b1 = B[b + 4 * row + 1], b2 = B[b + 4 * row + 2];
        for (let c = 0; c < 3; ++c)
          to[16 * i + 4 * c + row] = size * (b0 * R[9 * s + c] + b1 * R[9 * s + 3 + c] + b2 * R[9 * s + 6 + c]);
        to[16 * i + 12 + row] = b0 * o[3 * s] + b1 * o[3 * s + 1] + b2 * o[3 * s + 2] + B[b + 4 * row + 3];
      }
      to[16 * i + 15] = 1;
    }
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null;
  }

  show(frame) {
    this.place(frame);
    this.keepInSight(frame);
    this.draw();
  }

  /** Everything of a frame but the drawing. */
  place(frame) {
    this.frame = frame;
    this.placeBodies(frame);
    for (const group of this.groups) {
      this.placeShapes(group);
      this.paint(group);
    }
    this.showPlanes();
    this.showContacts(frame);
    this.showThrust(frame);
    this.showTrails(frame);
    this.showJoints();
  }

  showPlanes() {
    const m = new Matrix4(), own = new Matrix4(), n = new Vector3(), at = new Vector3();
    for (const { holder, s, normal, offset } of this.planes ?? []) {
      this.bodyMatrix(this.result.records["shapes/body"][s], m).multiply(this.shapeMatrix(s, own));
      n.copy(normal).transformDirection(m);
      at.copy(normal).multiplyScalar(offset / normal.lengthSq()).applyMatrix4(m);
      const above = this.centre.clone().sub(at).dot(n);
      holder.position.copy(this.centre).addScaledVector(n, -above);
      holder.quaternion.setFromUnitVectors(UP, n);
      holder.scale.setScalar(1.6 * this.size);
      holder.visible = !this.hidden.has(this.result.records["shapes/body"][s]);
    }
  }

  showContacts(frame) {
    const { options, result } = this, { records: r, begin, end, at } = result.contacts(frame);
    this.contactFrame = at;
    if (end - begin > this.room) this.makeRoom(2 * (end - begin));
    const point = r["contacts/point"], force = r["contacts/force"], status = r["contacts/status"];
    const pair = r["contacts/body"], ids = r["contacts/id"], mass = result.records["bodies/mass"];
    const count = force ? end - begin : 0, chosen = this.selected?.contact;
    const dot = Math.min(0.006 * this.size, 0.08 * (this.unit || this.size));
    const longest = options.arrow * Math.min(0.22 * this.size, 1.6 * (this.unit || this.size));
    const dots = this.dots.instanceMatrix.array, shafts = this.shafts.instanceMatrix.array, heads = this.heads.instanceMatrix.array;
    const [dotColour, shaftColour, headColour] = [this.dots, this.shafts, this.heads].map((mesh) => mesh.instanceColor.array);
    for (let k = 0; k < count; ++k) {
      const i = begin + k, px = point[3 * i], py = point[3 * i + 1], pz = point[3 * i + 2];
      const fx = force[3 * i], fy = force[3 * i + 1], fz = force[3 * i + 2], size = Math.sqrt(fx * fx + fy * fy + fz * fz);
      const shade = LINEAR_STATUS[status[i]] ?? LINEAR_STATUS[0], radius = chosen !== undefined && ids?.[i] === chosen ? 2 * dot : dot;
      shade.toArray(dotColour, 3 * k);
      arrowMatrix(dots, 16 * k, 0, 0, 1, radius, radius, px, py, pz);
      if (!options.forces) continue;
      shade.toArray(shaftColour, 3 * k);
      shade.toArray(headColour, 3 * k);
      // shown is what a moving body feels, not what it does to the ground
      const part = size > 0 ? ((mass[pair[2 * i]] ?? 0) > 0 ? 1 : -1) / size : 0;
      const x = part * fx, y = part * fy, z = size > 0 ? part * fz : 1;
      const length = this.strongest > 0 ? longest * Math.min(size / this.strongest, 3) : 0;
      const thick = Math.min(0.6 * dot, 0.12 * length), stem = Math.max(length - 3 * thick, 0);
      arrowMatrix(shafts, 16 * k, x, y, z, thick, stem, px, py, pz);
      arrowMatrix(heads, 16 * k, x, y, z, 1.6 * thick, 3 * thick, px + stem * x, py + stem * y, pz + stem * z);
    }
    for (const [mesh, on] of [[this.dots, options.contacts], [this.shafts, options.forces], [this.heads, options.forces]]) {
      mesh.count = on ? count : 0;
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.showNormals(r, begin, count, 0.5 * longest);
    this.showChains(r, begin, count);
  }

  showNormals(r, begin, count, length) {
    const array = this.normals.geometry.attributes.position.array;
    for (let k = 0; k < (this.options.normals ? count : 0); ++k)
      for (let c = 0; c < 3; ++c) {
        array[6 * k + c] = r["contacts/point"][3 * (begin + k) + c];
        array[6 * k + 3 + c] = array[6 * k + c] + length * r["contacts/normal"][3 * (begin + k) + c];
      }
    this.normals.geometry.setDrawRange(0, this.options.normals ? 2 * count : 0);
    this.normals.geometry.attributes.position.needsUpdate = true;
  }

  showChains(r, begin, count) {
    const { result } = this, pair = r["contacts/body"], force = r["contacts/force"], mass = result.records["bodies/mass"];
    const m = new Matrix4(), turn = new Quaternion(), a = new Vector3(), b = new Vector3(), scale = new Vector3();
    const colour = new Color(), thickest = this.thickest();
    let used = 0;
    for (let k = 0; k < (this.options.chains ? count : 0); ++k) {
      const i = begin + k, size = Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
      const ends = [a, b].map((end, side) => {
        const body = pair[2 * i + side];
        // a large fixed body has no useful centre: the chain ends at the contact
        return (mass[body] ?? 0) > 0 ? end.fromArray(result.position(this.contactFrame, body))
          : end.fromArray(r["contacts/point"], 3 * i);
      });
      const way = ends[1].clone().sub(ends[0]), length = way.length();
      if (!(size > 0) || !(length > 0)) continue;
      const part = Math.min(size / (this.strongest || size), 1.5);
      turn.setFromUnitVectors(UP, way.multiplyScalar(1 / length));
      this.chains.setMatrixAt(used, m.compose(ends[0], turn, scale.set(part * thickest, part * thickest, length)));
      this.chains.setColorAt(used++, colour.set(ramp(part)));
    }
    this.chains.count = used;
    this.chains.instanceMatrix.needsUpdate = true;
    this.chains.instanceColor.needsUpdate = true;
  }

  showThrust(frame) {
    const mass = this.result.records["bodies/mass"];
    if (this.options.thrust) this.thrust.show(this.result.contacts(frame), (body) => (mass[body] ?? 0) > 0 && !this.hidden.has(body));
    else this.thrust.visible(false);
  }

  /** Radius of the chain of the strongest usual force, m. */
  thickest() {
    return 0.12 * (this.unit || this.size);
  }

  /** Pixels that a length has at the middle of the scene. */
  pixelsOf(length) {
    const away = this.camera.position.distanceTo(this.controls.target);
    return (0.5 * this.canvas.clientHeight * length) / (away * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  showTrails(frame) {
    if (this.options.trails) this.buildTrails();
    for (const line of this.trails) {
      line.visible = this.options.trails;
      line.geometry.setDrawRange(0, frame + 1);
    }
  }

  /** Cut everything in front of a plane at a part of the depth; 0: nothing. */
  slice(part) {
    this.options.slice = part;
    const back = this.low.y + part * (this.high.y - this.low.y);
    this.plane.set(new Vector3(0, 1, 0), -back);
    this.renderer.clippingPlanes = part > 0 ? [this.plane] : [];
    this.draw();
  }

  view(name) {
    const directions = { iso: [-0.55, -0.85, 0.5], front: [0, -1, 0.02], side: [1, 0, 0.02], top: [0, -0.02, 1] };
    const to = directions[name] ? new Vector3(...directions[name]).normalize()
      : this.camera.position.clone().sub(this.controls.target).normalize();
    const { centre, size } = this.boxOf(this.frame);
    const distance = (0.46 * size) / Math.sin((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    this.seen = { centre: centre.clone(), size };
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(to, distance);
    this.camera.near = 0.002 * this.size;
    this.camera.far = 60 * this.size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  /** What lies under a point of the canvas: { contact } or { body } or null. */
  pick(x, y) {
    const box = this.canvas.getBoundingClientRect(), ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height), this.camera);
    const meshes = this.groups.map((g) => g.mesh);
    // what is seen through glass is meant, not the glass
    const hits = ray.intersectObjects(meshes, false), hit = hits.find(({ object }) => !object.material.transparent) ?? hits[0];
    const dot = this.options.contacts && this.dots.count > 0 ? ray.intersectObject(this.dots, false)[0] : null;
    // a dot lies on a surface: it wins unless it is clearly behind
    if (dot && (!hit || dot.distance <= hit.distance + 0.05 * this.size)) return this.contactAt(dot.instanceId);
    if (!hit) return null;
    const group = this.groups[meshes.indexOf(hit.object)];
    return { body: this.result.records["shapes/body"][group.shapes[hit.instanceId]] };
  }

  // a contact of the frame by its place in the mesh
  contactAt(k) {
    const { records, begin } = this.result.contacts(this.frame), pair = records["contacts/body"];
    return { contact: records["contacts/id"]?.[begin + k], bodies: [pair[2 * (begin + k)], pair[2 * (begin + k) + 1]] };
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    // the first look, until somebody moves the camera: a phone that is turned sees all of it
    if (!this.moved) this.view("fit");
    this.draw();
  }

  draw() {
    // nothing has a place yet: maps of zeros would be drawn at infinity, over which some renderers never come
    if (!this.bodyMap) return;
    this.refine();
    this.renderer.render(this.scene, this.camera);
  }

  picture() {
    this.draw();
    return this.canvas.toDataURL("image/png");
  }
}

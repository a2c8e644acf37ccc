// Charts under the scene, linked to the time: ledger, solver, contacts, and histories.
import uPlot from "uplot";
import { SERIES } from "./palette.js";

const LEDGER = ["kinetic", "potential", "applied", "impact", "friction", "damping", "constraint", "prescribed", "correction", "integration"];

const column = (array, values, c) => Array.from({ length: array.length / values }, (_, i) => array[values * i + c]);

/** All charts a result has data for: name, x, series, unit, logarithmic. */
export function chartsOf(result) {
  const r = result.records, charts = [];
  const bins = r["steps/error"]?.length ?? 0, width = r["steps/width"]?.[0] ?? 1;
  const start = result.time[0] ?? 0;
  const stepTime = Array.from({ length: bins }, (_, i) => start + Math.min((i + 1) * width, result.stepsStored) * result.step);
  const add = (name, unit, x, series, log = false) => charts.push({ name, unit, x, series, log });
  const time = Array.from(result.time);
  if (r["frames/energy"]) {
    const [kinetic, potential] = [0, 1].map((c) => column(r["frames/energy"], 2, c));
    add("energy", "J", time, [["kinetic", kinetic], ["potential", potential],
      ["sum", kinetic.map((e, i) => e + potential[i])]]);
  }
  if (bins > 0) {
    add("energy ledger", "J", stepTime, LEDGER.map((name, c) => [name, column(r["steps/ledger"], LEDGER.length, c)]).filter(isUsed));
    add("residual", "", stepTime, [["largest error", Array.from(r["steps/error"], (e) => (e > 0 ? e : null))]], true);
    add("iterations", "", stepTime, [["iterations", Array.from(r["steps/iterations"])]]);
    add("contacts", "", stepTime, [["contacts", Array.from(r["steps/contacts"])]]);
    add("penetration", "m", stepTime, [["deepest", Array.from(r["steps/penetration"])]]);
  }
  for (const [kind, unit] of [["q", ""], ["u", "1/s"]]) {
    const labels = r[`model/${kind}_label`] ?? [], values = r[`model/${kind}`];
    labels.forEach((label, c) => values && add(label, unit, time, [[label, column(values, labels.length, c)]]));
  }
  const coordinates = r["joint_motion/coordinate"];
  if (coordinates)
    for (let j = 0; j < Math.min(result.joints, 24); ++j)
      add(`joint ${r["joints/name"]?.[j] || j}`, "m or rad", time, [["coordinate", column(coordinates, result.joints, j)]]);
  return charts;
}

// whether a curve is anything but zero
const isUsed = ([, values]) => values.some((v) => v !== null && v !== 0);

/** The chart to begin with: the first of what moves whose curves vary, by more than a thousandth of their size; not one of small errors. */
export function tellingChart(charts) {
  const varies = ({ name, series }) => !["energy ledger", "residual", "iterations", "penetration"].includes(name) && series.some(([, values]) => {
    let low = Infinity, high = -Infinity;
    for (const v of values) if (v !== null && Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    return high - low > 1e-3 * Math.max(Math.abs(low), Math.abs(high), Number.MIN_VALUE);
  });
  return Math.max(charts.findIndex(varies), 0);
}

/** Histories of a body. */
export function chartsOfBody(result, body) {
  const frames = Array.from({ length: result.frames }, (_, k) => k), time = Array.from(result.time);
  const axes = (name, unit, values) => ({ name: `${result.bodyName(body)}: ${name}`, unit, x: time, log: false,
    series: ["x", "y", "z"].map((axis, c) => [axis, values.map((v) => v[c])]) });
  const charts = [
    axes("position", "m", frames.map((k) => result.position(k, body))),
    axes("velocity", "m/s", frames.map((k) => result.velocity(k, body))),
  ];
  if (frames.some((k) => result.contacts(k).records["contacts/force"]))
    charts.push(axes("contact force", "N", frames.map((k) => result.contactForce(k, body))));
  return charts;
}

/** Histories of a contact, with holes where it is not there. */
export function chartsOfContact(result, { contact, bodies }) {
  const time = Array.from(result.time), normal = [], friction = [], gap = [], slip = [];
  for (let k = 0; k < result.frames; ++k) {
    const { row: i, records: r } = result.contactById(k, contact);
    if (i < 0) {
      for (const values of [normal, friction, gap, slip]) values.push(null);
      continue;
    }
    const f = r["contacts/force"].subarray(3 * i, 3 * i + 3), n = r["contacts/normal"].subarray(3 * i, 3 * i + 3);
    const along = f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
    normal.push(along);
    friction.push(Math.hypot(f[0] - along * n[0], f[1] - along * n[1], f[2] - along * n[2]));
    gap.push(r["contacts/gap"][i]);
    slip.push(Math.hypot(...r["contacts/slip"].subarray(3 * i, 3 * i + 3)));
  }
  const name = `${result.bodyName(bodies[0])} on ${result.bodyName(bodies[1])}`;
  const chart = (what, unit, series) => ({ name: `${name}: ${what}`, unit, x: time, log: false, series });
  return [chart("force", "N", [["normal", normal], ["friction", friction]]), chart("gap", "m", [["gap", gap]]),
    chart("slip", "m/s", [["slip", slip]])];
}

export class Chart {
  /** `onTime(t)`: a click chooses a time. */
  constructor(holder, onTime) {
    this.holder = holder;
    this.onTime = onTime;
    this.time = 0;
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(holder);
  }

  size() {
    return { width: Math.max(this.holder.clientWidth, 200), height: 230 };
  }

  show(chart) {
    this.plot?.destroy();
    this.plot = null;
    this.chart = chart;
    if (!chart || chart.x.length === 0) return;
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
    const line = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const short = (v) => (v === null ? "" : v === 0 ? "0" : Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3 ? v.toExponential(1) : String(+v.toPrecision(4)));
    const options = {
      ...this.size(),
      title: chart.unit ? `${chart.name}, ${chart.unit}` : chart.name,
      scales: { x: { time: false }, y: chart.log ? { distr: 3 } : {} },
      axes: [{ ...axis, label: "time, s", labelSize: 18, size: 36 }, { ...axis, size: 62, values: (_, all) => all.map(short) }],
      series: [{ label: "t" }, ...chart.series.map(([label], i) => ({
        label, stroke: SERIES[i % SERIES.length] === "#000000" ? ink : SERIES[i % SERIES.length], width: 1.5,
        points: { show: chart.x.length < 40 } }))],
      hooks: { draw: [(u) => this.drawTime(u)] },
    };
    this.plot = new uPlot(options, [chart.x, ...chart.series.map(([, values]) => values)], this.holder);
    this.plot.over.addEventListener("click", (event) => this.onTime(this.plot.posToVal(event.offsetX, "x")));
  }

  // the present time as a line
  drawTime(u) {
    const x = Math.round(u.valToPos(this.time, "x", true));
    if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
    u.ctx.save();
    u.ctx.strokeStyle = "#e69f00";
    u.ctx.lineWidth = 2 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  at(time) {
    this.time = time;
    this.plot?.redraw(false, false);
  }
}

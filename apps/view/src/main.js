// The page: controls around the scene and the charts.
//
// Every text that comes from a result is set as text, never as markup.
import { loadResult } from "./data.js";
import { Chart, chartsOf, chartsOfBody, chartsOfContact, tellingChart } from "./charts.js";
import { jointsOf } from "./joints.js";
import { follow } from "./live.js";
import { STATUS, ramp, rampGradient } from "./palette.js";
import { Stage } from "./stage.js";

const by = (id) => document.getElementById(id);
const number = (v, digits = 5) => (v === 0 ? "0" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(digits - 2) : String(+v.toPrecision(digits)));
const vector = (v) => v.map((x) => number(x, 4)).join(", ");

function element(tag, text, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) made.textContent = text;
  return made;
}

function list(holder, rows) {
  const made = document.createElement("dl");
  for (const [name, value] of rows) made.append(element("dt", name), element("dd", value));
  holder.append(made);
}

const OUTCOMES = ["solved", "iteration limit", "time limit", "stalled", "diverged", "broke down", "no solution"];
// kinds of /events/kind, colours of Okabe and Ito
const EVENTS = [["impact", "#d55e00"], ["touch", "#009e73"], ["take-off", "#56b4e9"], ["slip", "#e69f00"], ["stick", "#0072b2"],
  ["leap", "#cc79a7"], ["branch", "#999999"],
  ["impact-branch", "#999999"]];
const KEYS = [["space", "play or pause"], ["← →", "one frame back or on"], ["Home End", "first or last frame"],
  ["F", "fit the scene"], ["1 2 3 4", "oblique, front, side, top"], ["C N A K L R", "contacts, normals, force arrows, chains, line of thrust, trails"],
  ["H", "hide the selected body; all are back with Shift+H"], ["T", "dark or light"], ["P", "save a picture"], ["?", "this list"],
  ["mouse, touch", "turn; right button or two fingers: move; wheel or pinch: zoom; click: select"]];

// 1, 2, 5 times powers of ten
function speeds() {
  const all = [];
  for (let power = -6; power <= 6; ++power)
    for (const digit of [1, 2, 5]) all.push(Number(`${digit}e${power}`));
  return all;
}

// real time for what lasts 3 to 20 s, else the fastest round factor that shows a run for 5 s
function naturalSpeed(length) {
  if ((length >= 3 && length <= 20) || !(length > 0)) return 1;
  return speeds().filter((factor) => length / factor >= 4.999).pop() ?? speeds()[0];
}

class Page {
  constructor(result) {
    this.result = result;
    this.frame = 0;
    this.playing = false;
    // before charts take their colours from it
    if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.theme = "dark";
    document.title = `${result.title} – stiction`;
    by("title").textContent = result.title;
    this.showFacts();
    this.stage = result.shapes > 0 && result.frames > 0 ? this.makeStage() : null;
    this.chart = new Chart(by("plot"), (t) => this.goTo(this.frameAt(t)));
    this.charts = chartsOf(result);
    this.listCharts();
    this.makeControls();
    this.makeHelp();
    this.drawMarks();
    new ResizeObserver(() => this.drawMarks()).observe(by("track"));
    this.goTo(this.stage?.firstFrame() ?? 0);
  }

  showFacts() {
    const { result } = this;
    by("facts").textContent = [result.scheme, result.solver, `h = ${number(result.step)} s`,
      result.bodies > 0 ? `${result.bodies} bodies` : result.system, `${result.framesStored} frames`].join(" · ");
  }

  makeStage() {
    try {
      const stage = new Stage(by("canvas"), this.result);
      this.makeOptions(stage);
      this.listenToCanvas(stage);
      return stage;
    } catch (error) {
      this.noScene(`The scene cannot be drawn: ${error.message.replace(/\.+$/, "")}. Charts still work.`);
      return null;
    }
  }

  noScene(text) {
    by("nothing").hidden = false;
    by("nothing").textContent = text;
    by("views").hidden = true;
  }

  /* ---- time ---- */

  frameAt(time) {
    const t = this.result.time;
    let low = 0, high = t.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (t[middle] < time) low = middle + 1; else high = middle;
    }
    return low > 0 && time - t[low - 1] < t[low] - time ? low - 1 : low;
  }

  goTo(frame) {
    this.frame = Math.min(Math.max(frame, 0), Math.max(this.result.frames - 1, 0));
    by("slider").value = String(this.frame);
    const t = this.result.time[this.frame] ?? 0;
    by("slider").setAttribute("aria-valuetext", `${number(t)} s`);
    by("clock").textContent = `t = ${t.toFixed(this.decimals)} s  (${this.frame + 1}/${this.result.frames})`;
    this.stage?.show(this.frame);
    this.chart.at(t);
    this.showSelected();
    this.showFarthest();
  }

  play(on) {
    this.playing = on;
    by("play").textContent = on ? "❚❚" : "▶";
    if (!on) return;
    if (this.frame >= this.result.frames - 1) this.goTo(0);
    let last = performance.now(), t = this.result.time[this.frame], shown = this.frame;
    const tick = (now) => {
      if (!this.playing || this.tick !== tick) return;
      // the slider, a key or a chart may have chosen another frame, and the speed may change
      if (this.frame !== shown) t = this.result.time[this.frame];
      t += ((now - last) / 1000) * Number(by("speed").value);
      last = now;
      shown = this.frameAt(t);
      if (shown !== this.frame) this.goTo(shown);
      if (this.frame >= this.result.frames - 1) this.play(false);
      else requestAnimationFrame(tick);
    };
    this.tick = tick;
    requestAnimationFrame(tick);
  }

  // steps that were not solved, and verdicts on them
  drawMarks() {
    const canvas = by("marks"), r = this.result.records, outcome = r["steps/outcome"];
    canvas.width = Math.max(canvas.clientWidth * devicePixelRatio, 1);
    canvas.height = 10 * devicePixelRatio;
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    this.drawEvents();
    if (!outcome) return;
    let marks = 0;
    for (let i = 0; i < outcome.length; ++i) {
      const none = r["steps/existence"]?.[i] === 4;
      if (outcome[i] === 0 && !none) continue;
      ++marks;
      context.fillStyle = none ? "#cc79a7" : "#d55e00";
      const x = ((i + 0.5) / outcome.length) * canvas.width;
      context.fillRect(x - devicePixelRatio, 0, 2 * devicePixelRatio, canvas.height);
    }
    canvas.title = marks > 0 ? `${marks} marks: steps that were not solved (orange), without a solution (pink)` : "every step was solved";
  }

  // place of a time on the time line, from 0 to 1
  partOf(time) {
    const t = this.result.time, length = t[t.length - 1] - t[0];
    return length > 0 ? (time - t[0]) / length : 0;
  }

  // a line below the marks: one stroke per event in the colour of its kind
  drawEvents() {
    const canvas = by("events"), time = this.result.records["events/time"], kind = this.result.records["events/kind"];
    canvas.hidden = !time?.length;
    if (canvas.hidden) return;
    canvas.width = Math.max(canvas.clientWidth * devicePixelRatio, 1);
    canvas.height = 10 * devicePixelRatio;
    const context = canvas.getContext("2d");
    for (let i = 0; i < time.length; ++i) {
      context.fillStyle = EVENTS[kind[i]]?.[1] ?? "#999999";
      context.fillRect(this.partOf(time[i]) * canvas.width - 0.5 * devicePixelRatio, 0, devicePixelRatio, canvas.height);
    }
    const total = this.result.records["events/total"][0];
    this.eventsText = `${total} events${total > time.length ? `, the first ${time.length} shown` : ""}: ${EVENTS.map(([name]) => name).join(", ")}`;
    canvas.title = this.eventsText;
  }

  // the event next to a place on the time line, -1 if none is within four pixels
  eventAt(pointer) {
    const canvas = by("events"), time = this.result.records["events/time"] ?? [];
    let best = -1, least = 4.5;
    for (let i = 0; i < time.length; ++i) {
      const away = Math.abs(this.partOf(time[i]) * canvas.clientWidth - pointer.offsetX);
      if (away < least) [best, least] = [i, away];
    }
    return best;
  }

  eventText(i) {
    const { records } = this.result, body = records["events/body"].subarray(2 * i, 2 * i + 2);
    const who = Array.from(body).filter((b) => b >= 0).map((b) => this.result.bodyName(b)).join(" and ");
    return `${EVENTS[records["events/kind"][i]]?.[0] ?? "event"} at t = ${number(records["events/time"][i], 9)} s${who ? `: ${who}` : ""}`;
  }

  listenToEvents() {
    by("events").addEventListener("pointermove", (e) => {
      const i = this.eventAt(e);
      by("events").title = i < 0 ? this.eventsText : this.eventText(i);
    });
    by("events").addEventListener("click", (e) => {
      const i = this.eventAt(e);
      if (i >= 0) this.goTo(this.frameAt(this.result.records["events/time"][i]));
    });
  }

  /* ---- controls ---- */

  makeControls() {
    const { result } = this, slider = by("slider"), speed = by("speed");
    // a run that goes on will be as long as planned
    const length = (result.parts ? result.until : result.time[result.frames - 1] ?? 0) - (result.time[0] ?? 0);
    this.decimals = Math.min(Math.max(3 - Math.floor(Math.log10(length || 1)), 0), 9);
    slider.max = String(Math.max(result.frames - 1, 0));
    slider.addEventListener("input", () => { this.play(false); this.goTo(Number(slider.value)); });
    const natural = naturalSpeed(length);
    for (const factor of speeds().filter((f) => f >= Math.min(0.001, natural) && f <= Math.max(10, natural)))
      speed.append(element("option", `${factor}×`, { value: String(factor) }));
    speed.value = String(natural);
    by("play").addEventListener("click", () => this.play(!this.playing));
    by("back").addEventListener("click", () => this.goTo(this.frame - 1));
    by("forth").addEventListener("click", () => this.goTo(this.frame + 1));
    by("theme").addEventListener("click", () => this.turnTheme());
    by("picture").addEventListener("click", () => this.savePicture());
    by("print").addEventListener("click", () => window.print());
    by("about").addEventListener("click", () => this.showHelp());
    by("views").addEventListener("click", (event) => event.target.dataset.view && this.stage?.view(event.target.dataset.view));
    by("chart").addEventListener("change", () => this.showChart());
    this.listenToEvents();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  // whether a key belongs to what has the focus: a list, a button, a box or a range of the options
  static isOwn({ key, target }) {
    if (!(target instanceof Element)) return false;
    if (target.matches("select")) return true;
    if (key === " ") return target.matches("button, summary, input:not(#slider)");
    return /^(Arrow|Home|End)/.test(key) && target.matches("input:not(#slider)");
  }

  key(event) {
    if (by("help").open || event.ctrlKey || event.metaKey || event.altKey || Page.isOwn(event)) return;
    const toggle = { c: "contacts", n: "normals", a: "forces", k: "chains", l: "thrust", r: "trails" }[event.key.toLowerCase()];
    const views = { f: "fit", 1: "iso", 2: "front", 3: "side", 4: "top" };
    if (event.key === " ") this.play(!this.playing);
    else if (event.key === "ArrowRight") this.goTo(this.frame + 1);
    else if (event.key === "ArrowLeft") this.goTo(this.frame - 1);
    else if (event.key === "Home") this.goTo(0);
    else if (event.key === "End") this.goTo(this.result.frames - 1);
    else if (toggle) by(`show-${toggle}`)?.click();
    else if (views[event.key.toLowerCase()]) this.stage?.view(views[event.key.toLowerCase()]);
    else if (event.key.toLowerCase() === "h") this.hide(event.shiftKey);
    else if (event.key.toLowerCase() === "t") this.turnTheme();
    else if (event.key.toLowerCase() === "p") this.savePicture();
    else if (event.key === "?") this.showHelp();
    else return;
    event.preventDefault();
  }

  turnTheme() {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    this.showChart();
  }

  savePicture() {
    if (!this.stage) return;
    element("a", undefined, { href: this.stage.picture(), download: `${this.result.title}-${this.frame}.png` }).click();
  }

  hide(all) {
    if (!this.stage) return;
    if (all) this.stage.hidden.clear();
    else if (this.stage.selected?.body >= 0) this.stage.hidden.add(this.stage.selected.body);
    this.stage.show(this.frame);
  }

  makeOptions(stage) {
    const box = (name, text) => {
      const line = element("label", undefined, { className: "line" });
      const input = element("input", undefined, { type: "checkbox", id: `show-${name}`, checked: stage.options[name] });
      input.addEventListener("change", () => { stage.options[name] = input.checked; stage.show(this.frame); this.legend(); });
      line.append(input, text);
      by("options").append(line);
    };
    const range = (text, low, high, value, act) => {
      const line = element("label", text, { className: "line" });
      const input = element("input", undefined, { type: "range", min: String(low), max: String(high), step: "0.01", value: String(value) });
      input.addEventListener("input", () => act(Number(input.value)));
      line.append(input);
      by("options").append(line);
    };
    box("contacts", "contact points");
    box("normals", "normals");
    box("forces", "force arrows");
    box("chains", "force chains");
    box("thrust", "line of thrust");
    box("trails", "trails");
    if (this.result.joints > 0) box("joints", "joints");
    const line = element("label", "colour ", { className: "line" }), select = element("select", undefined, { id: "colour" });
    const choices = [["body", "by body"], ["speed", "by speed"]];
    if (this.result.records["motion/stress"]) choices.push(["stress", "by stress (Mises)"]);
    for (const [value, text] of choices) select.append(element("option", text, { value }));
    select.addEventListener("change", () => { stage.options.colour = select.value; stage.show(this.frame); this.legend(); });
    line.append(select);
    by("options").append(line);
    range("arrows", 0.1, 4, 1, (v) => { stage.options.arrow = v; stage.show(this.frame); });
    range("opacity", 0.1, 1, 1, (v) => { stage.options.opacity = v; stage.show(this.frame); });
    range("slice", 0, 1, 0, (v) => stage.slice(v));
    queueMicrotask(() => this.legend());
  }

  legend() {
    const holder = by("legend"), { stage } = this;
    holder.replaceChildren();
    if (!stage) return;
    if (stage.options.contacts || stage.options.forces)
      for (const { name, colour } of STATUS) {
        const item = element("span"), mark = element("i");
        mark.style.background = `#${colour.toString(16).padStart(6, "0")}`;
        item.append(mark, name);
        holder.append(item);
      }
    if (stage.options.forces && stage.strongest > 0)
      holder.append(element("span", `arrow of full length: ${number(stage.strongest, 3)} N`));
    if (stage.options.chains && stage.strongest > 0)
      for (const part of [1, 0.5, 0.1]) {
        const item = element("span"), mark = element("i", undefined, { className: "chain" });
        mark.style.height = `${Math.min(Math.max(2 * stage.pixelsOf(part * stage.thickest()), 1), 16)}px`;
        mark.style.background = `#${ramp(part).toString(16).padStart(6, "0")}`;
        item.append(mark, `${number(part * stage.strongest, 2)} N`);
        holder.append(item);
      }
    if (stage.options.thrust) this.legendOfThrust(holder);
    if (stage.options.colour !== "body") {
      const item = element("span"), mark = element("i", undefined, { className: "ramp" });
      mark.style.background = rampGradient;
      const most = number(stage.largest(stage.options.colour), 3);
      item.append(mark, stage.options.colour === "speed" ? `0 … ${most} m/s` : `0 … ${most} Pa`);
      holder.append(item);
    }
    if (this.result.contactEvery > 1) holder.append(element("span", `contacts of one frame in ${this.result.contactEvery}`));
    if (this.result.gone > 0) holder.append(element("span", `the first ${this.result.gone} frames are in the result file only`));
  }

  // balls by how far from the middle of its joint a force acts, and the farthest of the frame
  legendOfThrust(holder) {
    const item = element("span"), mark = element("i", undefined, { className: "ramp" });
    mark.style.background = rampGradient;
    item.append(mark, "force acts in the middle … on the border of its joint");
    holder.append(item, element("span", undefined, { id: "farthest" }));
    this.showFarthest();
  }

  showFarthest() {
    const holder = by("farthest"), joint = this.stage?.thrust.farthest();
    if (holder)
      holder.textContent = joint ? `farthest: ${number(joint.eccentricity, 4)} of the way, ${joint.bodies.map((b) => this.result.bodyName(b)).join(" | ")}` : "";
  }

  /* ---- selection ---- */

  listenToCanvas(stage) {
    const canvas = by("canvas");
    let down = null;
    canvas.addEventListener("pointerdown", (e) => { down = [e.clientX, e.clientY]; });
    canvas.addEventListener("pointerup", (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 5) return;
      this.select(stage.pick(e.clientX, e.clientY));
    });
  }

  select(what) {
    this.stage.selected = what;
    this.stage.show(this.frame);
    this.listCharts(what !== null);
    this.showSelected();
  }

  showSelected() {
    const holder = by("selected"), what = this.stage?.selected, { result, frame } = this;
    holder.replaceChildren();
    if (!what) return void (holder.textContent = "Click a body or a contact.");
    if (what.body !== undefined) {
      const v = result.velocity(frame, what.body), stress = result.stress(frame, what.body);
      const rows = [["body", result.bodyName(what.body)], ["mass", `${number(result.records["bodies/mass"][what.body])} kg`],
        ["position", `${vector(result.position(frame, what.body))} m`], ["velocity", `${vector(v)} m/s`],
        ["speed", `${number(Math.hypot(...v), 4)} m/s`], ["contact force", `${vector(result.contactForce(frame, what.body))} N`]];
      if (stress !== null) rows.push(["stress (Mises)", `${number(stress)} Pa`]);
      return list(holder, rows);
    }
    const { row: i, records: r } = result.contactById(frame, what.contact);
    const between = `${result.bodyName(what.bodies[0])} on ${result.bodyName(what.bodies[1])}`;
    if (i < 0) return list(holder, [["contact", between], ["state", "not there in this frame"]]);
    const of = (name) => Array.from(r[`contacts/${name}`].subarray(3 * i, 3 * i + 3));
    const force = of("force"), normal = of("normal");
    const along = force.reduce((sum, f, c) => sum + f * normal[c], 0);
    const joint = jointsOf(result.contacts(frame)).find(({ bodies }) => what.bodies.every((b) => bodies.includes(b)));
    list(holder, [["contact", between],
      ["state", STATUS[r["contacts/status"][i]]?.name ?? "unknown"], ["gap", `${number(r["contacts/gap"][i])} m`],
      ["normal force", `${number(along)} N`], ["friction force", `${number(Math.hypot(...force.map((f, c) => f - along * normal[c])))} N`],
      ["slip", `${number(Math.hypot(...of("slip")), 4)} m/s`], ["point", `${vector(of("point"))} m`], ["normal", vector(normal)],
      ...(joint ? [["joint", `${number(joint.size)} N, ${number(joint.eccentricity, 4)} of the way from its middle to its border`]] : [])]);
  }

  /* ---- charts and help ---- */

  // histories of what is selected
  ownCharts() {
    const chosen = this.stage?.selected;
    if (!chosen) return [];
    return chosen.body !== undefined ? chartsOfBody(this.result, chosen.body) : chartsOfContact(this.result, chosen);
  }

  // all charts, with the one that is shown if it is still there, or the first one of what was selected
  listCharts(selected = false) {
    const select = by("chart"), name = this.chart.chart?.name;
    this.shown = [...this.ownCharts(), ...this.charts];
    select.replaceChildren(...this.shown.map((chart, i) => element("option", chart.name, { value: String(i) })));
    const kept = this.shown.findIndex((chart) => chart.name === name);
    select.value = selected ? "0" : String(kept >= 0 ? kept : tellingChart(this.shown));
    this.showChart();
  }

  /** Frames were added and old ones given up: a page that showed the last frame shows the new last one, unless more wait. */
  grown({ part, gone }, more = false) {
    const last = this.frame >= Number(by("slider").max), next = last && !this.playing ? this.result.frames - 1 : this.frame - gone;
    by("slider").max = String(this.result.frames - 1);
    this.stage?.grown(part);
    if (more) {
      this.frame = Math.max(next, 0);
      return;
    }
    this.showFacts();
    this.legend();
    this.charts = chartsOf(this.result);
    this.listCharts();
    this.drawMarks();
    this.goTo(next);
  }

  showChart() {
    this.chart.show(this.shown[Number(by("chart").value)]);
  }

  makeHelp() {
    for (const [key, text] of KEYS) by("keys").append(element("dt", key), element("dd", text));
    by("scene").hidden = this.result.source === "";
    by("source").textContent = this.result.source;
  }

  // what is known of the run by now
  showHelp() {
    const { result } = this, run = by("run");
    run.replaceChildren();
    const worst = Math.max(0, ...(result.records["steps/error"] ?? []));
    const outcomes = result.records["steps/outcome"] ?? [];
    const kinds = [...new Set(outcomes)].map((k) => OUTCOMES[k] ?? k).join(", ");
    for (const [name, text] of [["written by", result.program], ["scheme", result.scheme], ["solver", result.solver],
      ["step", `${number(result.step)} s`], ["steps", String(result.stepsStored)], ["largest residual", number(worst)],
      ["outcomes", kinds], ["forces", result.forceChoice], ["bits", result.determinism], ["units", result.units],
      ["parameters", result.parameters], ["frames", `${result.frames} of ${result.framesStored} on this page`]])
      run.append(element("dt", name), element("dd", text));
    by("help").showModal();
  }
}

function fail(error) {
  by("failure").hidden = false;
  by("failure").textContent = `This page cannot be shown: ${error.message}`;
}

loadResult(by("data").textContent.trim()).then((result) => {
  by("data").textContent = "";
  const page = new Page(result);
  if (result.shapes === 0) page.noScene("This system has no shapes: see the charts.");
  window.stiction = { page, result };
  if (result.parts) follow(page);
  document.documentElement.dataset.ready = "yes";
}).catch(fail);

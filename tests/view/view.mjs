// The viewer's pages in a browser: node view.mjs STICTION SCENES PACKAGES OUT
//
// Runs scenes, makes their pages, and looks at them as a person would: bodies move with the slider,
// a click names a body, charts have data, nothing is reported on the console, no name becomes markup,
// keys do what the guide says and nothing else.
// Pictures of the scenes are left in OUT.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readRecords } from "../../apps/view/src/data.js";
import { jointsOf, thrustOf } from "../../apps/view/src/joints.js";

const [stiction, scenes, packages, out] = process.argv.slice(2).map((p) => resolve(p));
const { chromium } = createRequire(packages + "/")("playwright-core");
mkdirSync(out, { recursive: true });
let passed = 0;
const children = [];

function makePage(name, ...options) {
  const scene = name.endsWith(".lua") ? name : join(scenes, `${name}.lua`);
  const base = join(out, name.split("/").pop().replace(/\.lua$/, ""));
  // 1: a run cut short misses the reference value of its scene
  const ran = spawnSync(stiction, ["run", scene, "-o", `${base}.h5`, "--force", ...options], { encoding: "utf8" });
  assert.ok(ran.status === 0 || ran.status === 1, ran.stderr);
  const said = execFileSync(stiction, ["view", "--force", `${base}.h5`], { encoding: "utf8" });
  assert.equal(said.trim(), `${base}.html`, "view names the page");
  return `${base}.html`;
}

// every complaint of the browser is a failure
async function open(browser, path, options = {}, first = null) {
  const address = path.startsWith("http") ? path : pathToFileURL(path).href;
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  if (first) await page.addInitScript(first);
  page.complaints = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !m.text().includes("GPU stall") && page.complaints.push(m.text()));
  page.on("pageerror", (e) => page.complaints.push(e.message));
  page.on("request", (r) => !/^(file|data|blob):/.test(r.url()) && !r.url().startsWith(address) && page.complaints.push(`asks for ${r.url()}`));
  const start = Date.now();
  await page.goto(address);
  await page.waitForSelector("html[data-ready=yes]", { timeout: 60000 });
  page.opened = (Date.now() - start) / 1000;
  return page;
}

// share of pixels of the stage that differ from the colour of its corner, and a sum to compare
const pixels = (page) => page.evaluate(() => {
  const canvas = document.getElementById("canvas"), copy = document.createElement("canvas");
  Object.assign(copy, { width: 320, height: 200 });
  window.stiction.page.stage.draw();
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0, 320, 200);
  const data = context.getImageData(0, 0, 320, 200).data;
  let differ = 0, sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    differ += Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 3] - data[3]) > 24;
    sum = (sum * 31 + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) % 1000000007;
  }
  return { part: differ / (data.length / 4), sum };
});

const only = process.env.ONLY;

async function test(name, act) {
  if (only && !name.includes(only)) return;
  await act();
  ++passed;
  console.log(`passed: ${name}`);
}

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

try {
  await test("a page opens, its slider moves bodies, a click names one", async () => {
    const path = makePage("newtons-cradle", "--until", "1");
    const page = await open(browser, path);
    const before = await pixels(page);
    assert.ok(before.part > 0.01, `the stage is blank: ${before.part}`);
    const frames = await page.evaluate(() => window.stiction.result.frames);
    assert.ok(frames > 5, `${frames} frames`);
    const places = () => page.evaluate(() => {
      const { stage } = window.stiction.page, m = stage.groups[0].mesh.instanceMatrix.array;
      return Array.from({ length: stage.groups[0].shapes.length }, (_, i) => m[16 * i + 12]);
    });
    const [x0, t0] = [await places(), await page.textContent("#clock")];
    await page.locator("#slider").fill(String(Math.floor(frames / 3)));
    const [x1, t1] = [await places(), await page.textContent("#clock")];
    assert.notDeepEqual(x0, x1, "the slider moves bodies");
    assert.notEqual(t0, t1);
    assert.notEqual((await pixels(page)).sum, before.sum, "and pixels");
    // click where a body is seen
    const at = await page.evaluate(() => {
      const { stage } = window.stiction.page, box = stage.canvas.getBoundingClientRect();
      for (let y = 0.2; y < 0.8; y += 0.02)
        for (let x = 0.2; x < 0.8; x += 0.02) {
          const place = [box.left + x * box.width, box.top + y * box.height];
          if (stage.pick(...place)?.body !== undefined) return place;
        }
      return null;
    });
    assert.ok(at, "a body is somewhere on the screen");
    await page.mouse.click(...at);
    assert.match(await page.textContent("#selected"), /mass/);
    // charts: every one has finite numbers, and a selected body has its own
    const charts = await page.evaluate(() => window.stiction.page.shown.map((c) => [c.name, c.x.length,
      c.series.every(([, v]) => v.some((y) => y === null || Number.isFinite(y)))]));
    for (const [name, length, finite] of charts) assert.ok(length > 1 && finite, `chart ${name}`);
    for (const wanted of ["energy", "energy ledger", "residual", "iterations", "contacts", "penetration"])
      assert.ok(charts.some(([name]) => name === wanted), `chart ${wanted}`);
    assert.match(charts[0][0], /position$/);
    assert.equal(await page.locator("#plot canvas").count(), 1);
    // keys
    await page.keyboard.press("Home");
    assert.equal(await page.inputValue("#slider"), "0");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.inputValue("#slider"), "1");
    await page.keyboard.press("t");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => Number(document.getElementById("slider").value) > 1);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("events are on the time line", async () => {
    const scene = join(out, "bounces.lua");
    writeFileSync(scene, `material{name = "m", friction = 0, restitution = 0.5}
      floor{material = "m"}
      body{name = "ball", material = "m", mass = 1, position = {0, 0, 1.1}, shape = shape.sphere{radius = 0.1}}
      scheme "event"
      run{step = 0.01, duration = 1}`);
    const page = await open(browser, makePage(scene));
    const fall = Math.sqrt(2 / 9.81), box = await page.locator("#events").boundingBox();
    // the second bounce, after twice the fall
    await page.mouse.move(box.x + 2 * fall * box.width, box.y + 5);
    const title = await page.getAttribute("#events", "title");
    assert.match(title, /^impact at t = 0\.90304\d+ s: ball and floor$/, title);
    await page.mouse.click(box.x + 2 * fall * box.width, box.y + 5);
    assert.equal(await page.inputValue("#slider"), "9");
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("bodies have the colours of the scene", async () => {
    const scene = join(out, "colours.lua");
    writeFileSync(scene, `material{name = "brick", colour = "#b5523b"}
      body{name = "plain", position = {0, 0, 0}, shape = shape.box{size = {1, 1, 1}}}
      body{name = "of its material", material = "brick", position = {2, 0, 0}, shape = shape.box{size = {1, 1, 1}}}
      body{name = "its own", material = "brick", colour = {0, 0.5, 1}, position = {4, 0, 0}, shape = shape.box{size = {1, 1, 1}}}
      gravity{0, 0, 0}
      run{step = 0.01, duration = 0.1}`);
    const page = await open(browser, makePage(scene));
    const seen = await page.evaluate(() => {
      const { stage } = window.stiction.page, { mesh, shapes } = stage.groups[0], of = window.stiction.result.records["shapes/body"];
      const drawn = shapes.map((s, i) => [of[s], Array.from(mesh.instanceColor.array.slice(3 * i, 3 * i + 3))]);
      return { plain: [0, 1, 2].map((b) => stage.plainColour(b)), drawn: drawn.sort((a, b) => a[0] - b[0]).map(([, c]) => c) };
    });
    assert.deepEqual(seen.plain.slice(1), [0xb5523b, 0x0080ff]);
    assert.ok(![0xb5523b, 0x0080ff].includes(seen.plain[0]));
    // what is drawn is linear: most red in the brick, most blue in the other
    const [, brick, blue] = seen.drawn;
    assert.ok(brick[0] > 2 * brick[1] && brick[0] > 2 * brick[2], `${brick}`);
    assert.ok(blue[2] > 0.99 && blue[0] < 0.01, `${blue}`);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("bodies are as clear or hidden as the scene says; results without that open too", async () => {
    const scene = join(out, "glass.lua");
    writeFileSync(scene, `title "glass"
      floor{}
      body{name = "pane", kind = "fixed", opacity = 0.25, position = {0, -1, 0.5}, shape = shape.box{size = {4, 0.02, 4}}}
      body{name = "lid", kind = "fixed", visible = false, position = {0, 0, 90}, shape = shape.box{size = {1, 1, 0.02}}}
      body{name = "ball", mass = 1, position = {0, 0, 0.5}, shape = shape.sphere{radius = 0.5}}
      run{step = 0.01, duration = 0.1}`);
    const path = makePage(scene), page = await open(browser, path);
    const seen = await page.evaluate(() => {
      const { stage } = window.stiction.page, { result } = window.stiction, of = result.records["shapes/body"];
      const look = Object.fromEntries(stage.groups.flatMap(({ mesh, shapes }) => shapes.map((s) => [result.bodyName(of[s]),
        { opacity: mesh.material.opacity, shadow: mesh.castShadow, hides: mesh.material.depthWrite }])));
      stage.view("front");
      const box = stage.canvas.getBoundingClientRect();
      const { x, y } = stage.controls.target.clone().set(0, 0, 0.5).project(stage.camera);
      const picked = stage.pick(box.left + 0.5 * (1 + x) * box.width, box.top + 0.5 * (1 - y) * box.height);
      return { look, hidden: [...stage.hidden].map((b) => result.bodyName(b)), picked: result.bodyName(picked?.body), size: stage.size };
    });
    assert.deepEqual(seen.look.pane, { opacity: 64 / 255, shadow: false, hides: false });
    assert.deepEqual(seen.look.ball, { opacity: 1, shadow: true, hides: true });
    assert.deepEqual(seen.hidden, ["lid"]);
    assert.equal(seen.picked, "ball", "a click goes through glass");
    assert.ok(seen.size < 20, `what is hidden does not make the rest small: ${seen.size} m`);
    const before = await pixels(page);
    await page.evaluate(() => window.stiction.page.stage.view("iso"));
    await page.keyboard.press("Shift+H");
    assert.equal(await page.evaluate(() => window.stiction.page.stage.hidden.size), 0);
    await page.evaluate(() => { for (const { mesh } of window.stiction.page.stage.groups) mesh.material.opacity = 1; });
    assert.notEqual((await pixels(page)).sum, before.sum);
    assert.deepEqual(page.complaints, []);
    await page.close();
    // a file as version 0.1 wrote it
    execFileSync("/usr/bin/python3", ["-c", "import h5py, sys; del h5py.File(sys.argv[1], 'r+')['bodies/look']", join(out, "glass.h5")]);
    execFileSync(stiction, ["view", "--force", join(out, "glass.h5")]);
    const old = await open(browser, path);
    assert.deepEqual(await old.evaluate(() => { const { stage } = window.stiction.page; return [stage.hidden.size, ...stage.groups.map((g) => g.opacity)]; }), [0, 1, 1, 1]);
    assert.deepEqual(old.complaints, []);
    await old.close();
  });

  await test("bricks of one colour have edges; chains are seen through them, with a legend of widths", async () => {
    const scene = join(out, "brick-wall.lua");
    // it falls a little first, so that the first frame has no contacts
    writeFileSync(scene, `material{name = "brick", friction = 0.6, colour = "#b5523b"}
      floor{material = "brick"}
      wall{material = "brick", courses = 10, bricks = 8, position = {0, 0, 0.002}}
      run{step = 0.005, duration = 0.1}
      output{every = 1}`);
    const page = await open(browser, makePage(scene));
    const facts = await page.evaluate(() => {
      const { page, result } = window.stiction, { stage } = page;
      const bricks = stage.groups.filter((g) => g.edges).map((g) => [g.shapes.length, g.edges.count, g.edges.geometry.attributes.position.count]);
      const contacts = (k) => result.contacts(k).end - result.contacts(k).begin;
      const touching = Array.from({ length: result.frames }, (_, k) => k).filter((k) => contacts(k) > 0);
      return { bricks, frame: page.frame, first: touching[0], frames: result.frames };
    });
    // whole bricks and half bricks; a box has twelve edges
    assert.deepEqual(facts.bricks.sort(), [[10, 10, 24], [75, 75, 24]]);
    assert.equal(facts.frame, facts.first, "the page opens where bodies first touch");
    await page.keyboard.press("End");
    const share = (act) => page.evaluate((name) => {
      const { stage } = window.stiction.page, copy = document.createElement("canvas");
      Object.assign(copy, { width: stage.canvas.width, height: stage.canvas.height });
      const look = () => { stage.show(stage.frame); const c = copy.getContext("2d", { willReadFrequently: true }); c.clearRect(0, 0, copy.width, copy.height);
        c.drawImage(stage.canvas, 0, 0); return c.getImageData(0, 0, copy.width, copy.height).data; };
      Object.assign(stage.options, { contacts: false, forces: false });
      const before = look();
      if (name === "edges") for (const g of stage.groups) stage.scene.remove(g.edges);
      else stage.options.chains = true;
      const after = look();
      let differ = 0;
      for (let i = 0; i < before.length; i += 4) differ += Math.abs(before[i] - after[i]) + Math.abs(before[i + 1] - after[i + 1]) + Math.abs(before[i + 2] - after[i + 2]) > 30;
      for (const g of stage.groups) if (g.edges) stage.scene.add(g.edges);
      Object.assign(stage.options, { contacts: true, forces: true, chains: false });
      stage.show(stage.frame);
      return differ / (before.length / 4);
    }, act);
    const [edges, chains] = [await share("edges"), await share("chains")];
    console.log(`  edges change ${(100 * edges).toFixed(2)} % of the stage, chains inside bodies ${(100 * chains).toFixed(2)} %`);
    assert.ok(edges > 0.005, `edges change ${edges} of the picture`);
    assert.ok(chains > 0.005, `chains change ${chains} of the picture`);
    await page.keyboard.press("k");
    const legend = await page.evaluate(() => Array.from(document.querySelectorAll("#legend .chain"), (mark) => [mark.offsetHeight, mark.parentElement.textContent]));
    const strongest = await page.evaluate(() => window.stiction.page.stage.strongest);
    assert.equal(legend.length, 3);
    assert.ok(legend[0][0] >= legend[1][0] && legend[1][0] >= legend[2][0] && legend[0][0] > legend[2][0], JSON.stringify(legend));
    for (const [, text] of legend) assert.match(text, /^[0-9.e+]+ N$/);
    assert.ok(Math.abs(parseFloat(legend[0][1]) / strongest - 1) < 0.05, `${legend[0][1]} for ${strongest} N`);
    await page.screenshot({ path: join(out, "brick-wall.png") });
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("spheres are as fine as they are seen", async () => {
    const scene = join(out, "spheres.lua");
    writeFileSync(scene, `local ball = shape.sphere{radius = 0.1}
      grid{count = {10, 10, 10}, spacing = {0.25, 0.25, 0.25}, make = function(i, j, k, at) body{mass = 1, position = at, shape = ball} end}
      gravity{0, 0, 0}
      run{step = 0.01, duration = 0.02}`);
    const page = await open(browser, makePage(scene));
    const triangles = (distance) => page.evaluate((d) => {
      const { stage } = window.stiction.page, { target } = stage.controls;
      const to = stage.camera.position.clone().sub(target).normalize();
      stage.camera.position.copy(target).addScaledVector(to, d);
      stage.draw();
      return stage.groups[0].mesh.geometry.index.count / 3;
    }, distance);
    const [near, middle, far] = [await triangles(1.6), await triangles(8), await triangles(60)];
    console.log(`  triangles of a sphere: ${near} near, ${middle}, ${far} far away`);
    // a thousand of the finest are more than the 600 000 that are drawn at most
    assert.ok(near <= 600 && middle <= near && far < middle && far < 100, `${near}, ${middle}, ${far}`);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("the first chart is one that varies", async () => {
    const scene = join(out, "rotor.lua");
    // a rotor without friction or gravity keeps its energy; its angle is what happens
    writeFileSync(scene, `body{name = "rotor", mass = 1, angular_velocity = {0, 0, 2}, shape = shape.box{size = {1, 0.1, 0.1}}}
      joint.hinge{name = "bearing", a = "rotor", b = "ground", point = {0, 0, 0}, axis = {0, 0, 1}}
      gravity{0, 0, 0}
      run{step = 0.01, duration = 1}`);
    const page = await open(browser, makePage(scene));
    assert.equal(await page.evaluate(() => window.stiction.page.chart.chart.name), "joint bearing");
    await page.close();
    const cradle = await open(browser, join(out, "newtons-cradle.html"));
    assert.equal(await cradle.evaluate(() => window.stiction.page.chart.chart.name), "energy");
    await cradle.close();
  });

  await test("a phone has a slider for a finger, and nothing over its edge", async () => {
    const page = await open(browser, join(out, "brick-wall.html"), { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const boxes = await page.evaluate(() => Object.fromEntries(["slider", "clock", "play", "stage", "legend"].map((id) => {
      const { left, right, top, bottom } = document.getElementById(id).getBoundingClientRect();
      return [id, { left, right, top, bottom, width: right - left, height: bottom - top }];
    })));
    assert.ok(boxes.slider.width > 300 && boxes.slider.height >= 36, `the slider has ${boxes.slider.width} x ${boxes.slider.height} pixels`);
    assert.ok(boxes.play.width >= 44 && boxes.play.height >= 44);
    assert.ok(boxes.stage.height > 200, `the scene has ${boxes.stage.height} pixels`);
    for (const [id, box] of Object.entries(boxes)) assert.ok(box.left >= 0 && box.right <= 360 && box.bottom <= 740, `${id} ends at ${box.right}, ${box.bottom}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360 && document.getElementById("clock").scrollWidth <= document.getElementById("clock").clientWidth));
    await page.touchscreen.tap(boxes.slider.left + 0.75 * boxes.slider.width, boxes.slider.top + 0.5 * boxes.slider.height);
    const [value, max] = await page.evaluate(() => ["value", "max"].map((of) => Number(document.getElementById("slider")[of])));
    assert.ok(Math.abs(value / max - 0.75) < 0.1, `a finger at three quarters gives frame ${value} of ${max}`);
    await page.screenshot({ path: join(out, "phone.png") });
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("keys and the guide agree, and keys leave buttons and ranges alone", async () => {
    const page = await open(browser, join(out, "newtons-cradle.html"));
    const frame = () => page.inputValue("#slider");
    // the page opens where the balls touch
    const first = await page.evaluate(() => { const { result } = window.stiction;
      return Array.from({ length: result.frames }, (_, k) => k).find((k) => result.contacts(k).end > result.contacts(k).begin); });
    assert.equal(await frame(), String(first));
    await page.keyboard.press("Home");
    await page.keyboard.press("?");
    assert.ok(await page.locator("#help").isVisible());
    // every key of the page is in the guide, and none but those
    const guide = readFileSync(fileURLToPath(new URL("../../docs/guide/viewer.md", import.meta.url)), "utf8");
    const rows = guide.split("\n").filter((line) => line.startsWith("| ")).join("\n").replace("`1` to `4`", "`1` `2` `3` `4`");
    const written = new Set([...rows.matchAll(/`([^`]+)`/g)].map((m) => m[1]).filter((key) => !key.startsWith("--")));
    const listed = new Set((await page.locator("#keys dt").allTextContents()).filter((key) => !key.startsWith("mouse")).flatMap((key) => key.split(" ")));
    listed.add("Shift+H");
    assert.deepEqual([...listed].sort(), [...written].filter((key) => !key.includes("/")).sort());
    // the scene it came from is there as text; the run's facts are there once, however often the list is opened
    assert.equal(await page.textContent("#source"), readFileSync(join(scenes, "newtons-cradle.lua"), "utf8"));
    const facts = await page.locator("#run dt").count();
    await page.keyboard.press("End");
    assert.equal(await frame(), "0", "keys rest while the list is open");
    await page.focus("#help button");
    await page.keyboard.press("Space");
    assert.ok(!await page.locator("#help").isVisible(), "space presses a button");
    await page.click("#about");
    assert.equal(await page.locator("#run dt").count(), facts);
    await page.keyboard.press("Escape");
    // a button or a range with the focus keeps its own keys
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await page.focus("#theme");
    const before = await theme();
    await page.keyboard.press("Space");
    assert.notEqual(await theme(), before);
    assert.equal(await page.evaluate(() => window.stiction.page.playing), false);
    const opacity = page.locator("#options input[type=range]").nth(1);
    await opacity.focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await opacity.inputValue(), "0.99");
    assert.equal(await frame(), "0");
    await page.focus("#show-trails");
    assert.equal(await page.evaluate(() => window.stiction.page.stage.trails.length), 0, "trails are made when asked for");
    await page.keyboard.press("r");
    assert.ok(await page.evaluate(() => window.stiction.page.stage.trails.length) > 1);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("a run plays for 5 to 13 s at a round factor, or in real time", async () => {
    const page = await open(browser, join(out, "newtons-cradle.html"));
    const speed = await page.evaluate(() => {
      const { page, result } = window.stiction, select = document.getElementById("speed"), found = [];
      for (const end of [4e-5, 0.05, 0.6, 1, 2, 3, 10, 20, 60, 5000]) {
        const time = Array.from({ length: result.frames }, (_, k) => (end * k) / (result.frames - 1));
        select.replaceChildren();
        Object.assign(page, { result: { ...result, frames: result.frames, time, parts: null } });
        page.makeControls();
        found.push([end, Number(select.value)]);
      }
      return found;
    });
    for (const [end, factor] of speed) {
      if (end >= 3 && end <= 20) assert.equal(factor, 1);
      else assert.ok(end / factor > 4.99 && end / factor < 13, `${end} s at ${factor}`);
      assert.ok([1, 2, 5].includes(Number(factor.toExponential()[0])), `${factor} is round`);
    }
    await page.close();
  });

  await test("the speed may change and the frame be chosen while it plays", async () => {
    const page = await open(browser, join(out, "newtons-cradle.html"));
    await page.keyboard.press("Home");
    const time = () => page.evaluate(() => window.stiction.result.time[window.stiction.page.frame]);
    await page.evaluate(() => {
      document.getElementById("speed").value = "0.001";
      window.stiction.page.play(true);
    });
    await page.waitForTimeout(700);
    assert.ok(await time() < 0.01, "a thousandth of the time");
    // 700 ms at a thousandth count as 0.7 ms, whatever the speed is afterwards
    const after = await page.evaluate(() => new Promise((done) => {
      document.getElementById("speed").value = "0.5";
      requestAnimationFrame(() => requestAnimationFrame(() => done(window.stiction.result.time[window.stiction.page.frame])));
    }));
    assert.ok(after < 0.2, `the change of speed jumps to ${after} s`);
    await page.evaluate(() => {
      const { page, result } = window.stiction;
      document.getElementById("speed").value = "0.001";
      page.goTo(Math.floor(0.8 * result.frames));
    });
    await page.waitForTimeout(200);
    assert.ok(await time() > 0.7, "it goes on from the chosen frame");
    assert.ok(await page.evaluate(() => window.stiction.page.playing));
    await page.close();
  });

  await test("data that are cut off are refused", async () => {
    const bytes = new Uint8Array(48 + 8 * 3), view = new DataView(bytes.buffer);
    bytes.set(new TextEncoder().encode("numbers"));
    view.setInt32(32, 3, true);
    view.setInt32(36, 1, true);
    view.setBigInt64(40, 3n, true);
    assert.deepEqual([...readRecords(bytes).numbers], [0, 0, 0]);
    assert.throws(() => readRecords(bytes.subarray(0, 60)), /cut off/);
    for (const rows of [4n, -1n, 1n << 60n]) {
      view.setBigInt64(40, rows, true);
      assert.throws(() => readRecords(bytes), /cut off/);
    }
    view.setInt32(32, 77, true);
    assert.throws(() => readRecords(bytes), /newer than this viewer/);
  });

  await test("no name becomes markup or script", async () => {
    const name = "<img src=x onerror=alert(1)></script><script>window.hit=1</script>";
    const scene = join(out, "hostile.lua");
    writeFileSync(scene, `title ${JSON.stringify(name)}
      floor{}
      body{name = ${JSON.stringify(name.slice(0, 60))}, mass = 1, position = {0, 0, 0.1}, shape = shape.sphere{radius = 0.1}}
      scheme "moreau"
      run{step = 0.001, duration = 0.05}
`);
    const page = await open(browser, makePage(scene));
    await page.evaluate(() => window.stiction.page.select({ body: 1 }));
    assert.ok((await page.textContent("#selected")).includes(name.slice(0, 60)), "the name is shown as it is");
    // charts and their list, the legend, the dialog with the scene's text, and the file name of a picture
    assert.ok((await page.textContent("#chart")).includes(name.slice(0, 60)));
    assert.ok((await page.textContent("#plot .u-title")).includes(name.slice(0, 60)));
    await page.keyboard.press("?");
    assert.ok((await page.textContent("#source")).includes("<img src=x"));
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("joints are drawn where their bodies are", async () => {
    const page = await open(browser, makePage("pendulum", "--until", "0.5"));
    await page.keyboard.press("End");
    const apart = await page.evaluate(() => {
      const { stage } = window.stiction.page, m = stage.joints.instanceMatrix.array;
      return Math.hypot(m[12] - m[28], m[13] - m[29], m[14] - m[30]);
    });
    assert.ok(Math.abs(apart - 1) < 1e-4, `the rod is 1 m long, drawn ${apart}`);
    const before = await pixels(page);
    await page.click("#show-joints");
    assert.notEqual((await pixels(page)).sum, before.sum);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("resultants of joints are where moments put them", async () => {
    // a block on four corners of 2 m x 1 m, 3 : 1 along x; on two of them, an edge; on one; a second block on top of it, unevenly
    const rows = (points, forces, pairs) => ({ begin: 0, end: points.length, records: {
      "contacts/body": Int32Array.from(pairs ? pairs.flat() : points.flatMap(() => [1, 0])), "contacts/point": Float32Array.from(points.flat()),
      "contacts/normal": Float32Array.from(points.flatMap(() => [0, 0, 1])), "contacts/force": Float32Array.from(forces.flatMap((f) => [0.1 * f, 0, f])) } });
    const corners = [[-1, -0.5, 0], [1, -0.5, 0], [1, 0.5, 0], [-1, 0.5, 0]], near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);
    const [four] = jointsOf(rows(corners, [1, 3, 3, 1]));
    assert.deepEqual([four.bodies, four.border.length], [[0, 1], 4]);
    [0.5, 0, 0].forEach((x, c) => near(four.point[c], x));
    // on the first body acts the opposite of what acts on the second
    [-0.8, 0, -8].forEach((f, c) => near(four.force[c], f));
    near(four.eccentricity, 0.5);
    const [two] = jointsOf(rows([corners[1], corners[2], [1, 0.1, 1e-8]], [3, 1, 0]));
    near(two.eccentricity, 0.5);
    assert.equal(jointsOf(rows([corners[0]], [1]))[0].eccentricity, 0);
    assert.equal(jointsOf(rows(corners, [0, 0, 0, 0])).length, 0);
    const pile = jointsOf(rows([...corners, [0, 0, 1], [0.5, 0, 1]], [1, 3, 3, 1, 2, 2], [[1, 0], [1, 0], [1, 0], [1, 0], [2, 1], [2, 1]]));
    const lines = thrustOf(pile, (body) => body > 0);
    assert.equal(lines.length, 2, "the upper block ends the line, the ground has none");
    for (const [x, , z] of lines.flatMap(({ from, to }) => [from, to])) near(x, 0.5 - 0.25 * z);
  });

  await test("a limit has its line of thrust", async () => {
    const result = join(out, "arch-limit.h5");
    const said = spawnSync(stiction, ["limit", join(scenes, "arch.lua"), "--vary", "thickness", "--between", "0.5:2.5", "--no-check", "--force", "--json",
      "--tolerance", "1e-6", "-o", result], { encoding: "utf8" });
    assert.equal(said.status, 0, said.stderr);
    execFileSync(stiction, ["view", "--force", result]);
    const page = await open(browser, result.replace(/h5$/, "html")), limit = JSON.parse(said.stdout);
    const joints = await page.evaluate(() => window.stiction.page.stage.thrust.joints.map(({ point, eccentricity }) => [...point, eccentricity]));
    // the viewer's resultants are those of the program
    const sorted = (rows) => rows.sort((a, b) => a[0] - b[0]);
    const known = sorted(limit.joints.map(({ point, eccentricity }) => [...point, eccentricity]));
    assert.equal(joints.length, known.length);
    sorted(joints).forEach((row, j) => row.forEach((x, c) => assert.ok(Math.abs(x - known[j][c]) < 1e-4, `joint ${j}: ${row}, ${known[j]}`)));
    assert.match(await page.textContent("#legend"), /farthest: 1 of the way/);
    const before = await pixels(page);
    assert.ok(before.part > 0.01);
    await page.screenshot({ path: join(out, "arch-limit.png") });
    await page.keyboard.press("l");
    assert.notEqual((await pixels(page)).sum, before.sum);
    await page.keyboard.press("l");
    assert.equal((await pixels(page)).sum, before.sum);
    // a contact tells of its joint
    await page.evaluate(() => { const { page } = window.stiction; page.select(page.stage.contactAt(0)); });
    assert.match(await page.textContent("#selected"), /of the way from its middle to its border/);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("a system without shapes has charts", async () => {
    const page = await open(browser, makePage("woodpecker", "--until", "0.1"));
    assert.match(await page.textContent("#nothing"), /no shapes/);
    assert.ok(await page.evaluate(() => window.stiction.page.charts.length) > 5);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("a contact keeps its name over frames and has histories", async () => {
    const page = await open(browser, makePage("dominoes", "--until", "0.3"));
    await page.keyboard.press("End");
    const found = await page.evaluate(() => {
      const { page, result } = window.stiction, last = result.frames - 1, { records, begin, end } = result.contacts(last);
      // the contact that was there longest
      const age = (id) => Array.from({ length: result.frames }, (_, k) => result.contactById(k, id).row >= 0).filter(Boolean).length;
      const rows = Array.from({ length: end - begin }, (_, k) => k).sort((a, b) => age(records["contacts/id"][begin + b]) - age(records["contacts/id"][begin + a]));
      page.select(page.stage.contactAt(rows[0]));
      const chart = page.shown[0], points = chart.series[0][1].filter((v) => v !== null).length;
      const force = chart.series[0][1][last], row = begin + rows[0], n = records["contacts/normal"].subarray(3 * row, 3 * row + 3);
      const own = records["contacts/force"].subarray(3 * row, 3 * row + 3).reduce((sum, f, c) => sum + f * n[c], 0);
      return { points, force, own, age: age(records["contacts/id"][row]), text: document.getElementById("selected").textContent };
    });
    assert.ok(found.points > 3 && found.points === found.age, `${found.points} points, there for ${found.age} frames`);
    assert.equal(found.force, found.own);
    assert.match(found.text, /normal force/);
    await page.keyboard.press("Home");
    assert.match(await page.textContent("#selected"), /not there in this frame/);
    // a state that this viewer does not know
    await page.keyboard.press("End");
    await page.evaluate(() => {
      const { page, result } = window.stiction;
      result.records["contacts/status"].fill(9);
      page.goTo(result.frames - 1);
    });
    assert.match(await page.textContent("#selected"), /unknown/);
    await page.evaluate(() => window.stiction.result.records["contacts/status"].fill(1));
    // chains, trails, normals and a slice change the picture, and taking them back restores it
    await page.keyboard.press("End");
    const before = await pixels(page);
    for (const key of ["k", "r", "n"]) {
      await page.keyboard.press(key);
      assert.notEqual((await pixels(page)).sum, before.sum, `key ${key}`);
      await page.keyboard.press(key);
      assert.equal((await pixels(page)).sum, before.sum, `key ${key} twice`);
    }
    await page.evaluate(() => window.stiction.page.stage.slice(0.5));
    assert.notEqual((await pixels(page)).sum, before.sum, "slice");
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("a dark page has light writing, in charts too", async () => {
    const page = await open(browser, join(out, "newtons-cradle.html"), { colorScheme: "dark" });
    const [ink, axis] = await page.evaluate(() => [getComputedStyle(document.documentElement).getPropertyValue("--ink").trim(),
      window.stiction.page.chart.plot.axes[0].stroke(window.stiction.page.chart.plot, 0)]);
    assert.equal(axis, ink);
    assert.equal(ink, "#e7ebf0");
    await page.close();
  });

  await test("fingers select and turn", async () => {
    const page = await open(browser, join(out, "newtons-cradle.html"), { hasTouch: true });
    const at = await page.evaluate(() => {
      const { stage } = window.stiction.page, box = stage.canvas.getBoundingClientRect();
      for (let y = 0.2; y < 0.8; y += 0.02)
        for (let x = 0.2; x < 0.8; x += 0.02)
          if (stage.pick(box.left + x * box.width, box.top + y * box.height)?.body !== undefined)
            return [box.left + x * box.width, box.top + y * box.height];
      return null;
    });
    await page.touchscreen.tap(...at);
    assert.match(await page.textContent("#selected"), /mass/);
    const camera = () => page.evaluate(() => window.stiction.page.stage.camera.position.toArray());
    const eye = await camera();
    const session = await page.context().newCDPSession(page);
    const touch = (type, x) => session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y: 300 }] });
    await touch("touchStart", 300);
    for (let x = 310; x <= 400; x += 10) await touch("touchMove", x);
    await touch("touchEnd", 400);
    assert.notDeepEqual(await camera(), eye, "a finger turns the scene");
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  await test("a run can be watched, paused and stopped; strangers are refused", async () => {
    const scene = join(out, "watched.lua"), result = join(out, "watched.h5");
    writeFileSync(scene, `title "watched"
      floor{}
      body{name = "ball", mass = 1, position = {0, 0, 1}, velocity = {1, 0, 0}, shape = shape.sphere{radius = 0.1}}
      scheme "moreau"
      run{step = 1e-5, duration = 1000}
      output{every = 2000}
`);
    const child = spawn(stiction, ["run", scene, "-o", result, "--force", "--view"], { stdio: ["ignore", "ignore", "pipe"] });
    children.push(child);
    const ended = new Promise((done) => child.on("exit", done));
    const address = await new Promise((found) => {
      let said = "";
      child.stderr.on("data", (part) => { said += part; const hit = said.match(/http:\S+/); if (hit) found(hit[0]); });
    });
    const url = new URL(address), port = url.port, token = url.pathname;
    assert.match(token, /^\/[0-9a-f]{32}\/$/);
    const status = (method, path, headers = {}) => new Promise((done, fail) => {
      const ask = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => { answer.resume(); done(answer.statusCode); });
      ask.on("error", fail);
      ask.end();
    });
    const other = token.replace(/[0-9a-f]/, (c) => (c === "0" ? "1" : "0"));
    assert.equal(await status("GET", "/"), 403, "no token");
    assert.equal(await status("GET", other), 403, "wrong token");
    assert.equal(await status("POST", `${other}stop`), 403, "wrong token");
    assert.equal(await status("GET", token, { Origin: "http://evil.example" }), 403, "foreign origin");
    assert.equal(await status("POST", `${token}stop`, { Origin: "http://evil.example" }), 403, "foreign origin");
    assert.equal(await status("POST", `${token}stop`, { Origin: "null" }), 403, "origin of a sandbox or a file");
    assert.equal(await status("POST", `${token}stop`, { Host: `evil.example:${port}` }), 403, "foreign host");
    assert.equal(await status("GET", `${token}watched.h5`), 404, "no files");
    assert.equal(await status("PUT", `${token}stop`), 405);
    const page = await open(browser, address, {}, () => {
      const Real = window.EventSource;
      window.EventSource = class extends Real { constructor(...words) { super(...words); window.source = this; } };
    });
    const frames = () => page.evaluate(() => window.stiction.result.frames);
    const first = await frames();
    await page.waitForFunction((n) => window.stiction.result.frames > n + 3, first);
    const place = await page.evaluate(() => window.stiction.page.stage.groups[0].mesh.instanceMatrix.array[12]);
    const [seen, time] = await page.evaluate(() => { const { result } = window.stiction; return [result.position(result.frames - 1, 1)[0], result.time[result.frames - 1]]; });
    assert.ok(place > 0 && seen > place - 1e-5, `the ball is drawn at ${place}, known at ${seen}`);
    // in flight the ball is at x = t, and pages have positions with 24 bits
    assert.ok(time > 0 && seen <= time * (1 + 2 ** -23), `at most 1 m/s: ${seen} m in ${time} s`);
    await page.click("#pause");
    await page.waitForFunction(() => document.documentElement.dataset.run === "paused");
    // what was under way arrives, then nothing more does
    let held = -1;
    for (let tries = 0; tries < 20 && held !== await frames(); ++tries) {
      held = await frames();
      await page.waitForTimeout(600);
    }
    await page.waitForTimeout(600);
    assert.equal(await frames(), held, "a paused run stands");
    await page.click("#pause");
    await page.waitForFunction((n) => window.stiction.result.frames > n, held);
    // the ball is inside the picture, wherever it has gone
    await page.keyboard.press("End");
    const [x, y] = await page.evaluate(() => {
      const { stage } = window.stiction.page, m = stage.groups[0].mesh.instanceMatrix.array;
      return stage.controls.target.clone().set(m[12], m[13], m[14]).project(stage.camera).toArray();
    });
    assert.ok(Math.abs(x) < 1 && Math.abs(y) < 1, `the camera has lost the ball: ${x}, ${y}`);
    await page.screenshot({ path: join(out, "watched.png") });
    // a lost connection is found again; no frame is missing or there twice
    await page.evaluate(() => window.source.dispatchEvent(new Event("error")));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.run), "connecting");
    const lost = await frames();
    await page.waitForFunction((n) => document.documentElement.dataset.run === "running" && window.stiction.result.frames > n + 3, lost);
    const even = await page.evaluate(() => {
      const { time } = window.stiction.result;
      return time.every((t, i) => i === 0 || Math.abs(t - time[i - 1] - 0.02) < 1e-9);
    });
    assert.ok(even, "a frame every 0.02 s");
    // a page that watches for long gives up its first frames: 40 poses are 20 frames of floor and ball
    await page.evaluate(() => { window.stiction.result.mostPoses = 40; });
    const kept = await page.waitForFunction(() => {
      const { page, result } = window.stiction, last = result.frames - 1;
      // a slow page takes frames in before it draws them
      return result.gone > 0 && page.charts[0].x.length === result.frames && { total: result.gone + result.frames, stored: result.framesStored,
        max: Number(document.getElementById("slider").max) - last, x: result.position(last, 1)[0], t: result.time[last], first: result.time[0],
        gone: result.gone, legend: document.getElementById("legend").textContent };
    }).then((found) => found.jsonValue());
    assert.equal(kept.total, kept.stored);
    assert.equal(kept.max, 0, "the slider ends at the last frame");
    assert.ok(Math.abs(kept.first - 0.02 * kept.gone) < 1e-9);
    assert.ok(kept.x > 0 && kept.x <= kept.t * (1 + 2 ** -23));
    assert.match(kept.legend, /frames are in the result file only/);
    await page.click("#stop");
    await page.waitForFunction(() => document.documentElement.dataset.run === "ended");
    assert.equal(await ended, 1, "a stopped run ends as an interrupted one");
    const info = execFileSync(stiction, ["info", "--json", result], { encoding: "utf8" });
    assert.ok(JSON.parse(info.split("\n")[0]).frames >= held, "and leaves its result");
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  for (const [name, until] of [["dominoes", 0.5], ["card-house", 0.1], ["stone-bridge", 0.1], ["rock-pile", 0.3],
    ["rotating-drum", 0.3], ["gears", 0.2]])
    await test(`picture of ${name}`, async () => {
      const path = makePage(name, "--until", String(until));
      const page = await open(browser, path);
      await page.keyboard.press("End");
      const { part } = await pixels(page);
      assert.ok(part > 0.01, `the stage is blank: ${part}`);
      await page.screenshot({ path: join(out, `${name}.png`) });
      console.log(`  ${name}: page ${(statSync(path).size / 1024).toFixed(0)} KiB, open in ${page.opened.toFixed(2)} s`);
      assert.deepEqual(page.complaints, []);
      await page.close();
    });
} finally {
  for (const child of children) child.kill();
  await browser.close();
}
console.log(`${passed} passed, 0 failed`);

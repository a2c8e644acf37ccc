// The viewer's pages in a browser: node view.mjs STICTION SCENES PACKAGES OUT
//
// Runs scenes, makes their pages, and looks at them as a person would: bodies move with the slider,
// a click names a body, charts have data, nothing is reported on the console, no name becomes markup.
// Pictures of the scenes are left in OUT.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [stiction, scenes, packages, out] = process.argv.slice(2).map((p) => resolve(p));
const { chromium } = createRequire(packages + "/")("playwright-core");
mkdirSync(out, { recursive: true });
let passed = 0;

function makePage(name, ...options) {
  const scene = name.endsWith(".lua") ? name : join(scenes, `${name}.lua`);
  const base = join(out, name.split("/").pop().replace(/\.lua$/, ""));
  // 1: a run cut short misses the reference value of its scene
  const ran = spawnSync(stiction, ["run", scene, "-o", `${base}.h5`, ...options], { encoding: "utf8" });
  assert.ok(ran.status === 0 || ran.status === 1, ran.stderr);
  const said = execFileSync(stiction, ["view", `${base}.h5`], { encoding: "utf8" });
  assert.equal(said.trim(), `${base}.html`, "view names the page");
  return `${base}.html`;
}

// every complaint of the browser is a failure
async function open(browser, path) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.complaints = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !m.text().includes("GPU stall") && page.complaints.push(m.text()));
  page.on("pageerror", (e) => page.complaints.push(e.message));
  page.on("request", (r) => !/^(file|data|blob):/.test(r.url()) && page.complaints.push(`asks for ${r.url()}`));
  const start = Date.now();
  await page.goto(pathToFileURL(path).href);
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

async function test(name, act) {
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
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("img").count(), 0);
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
  await browser.close();
}
console.log(`${passed} passed, 0 failed`);

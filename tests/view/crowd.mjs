// Size and speed of pages with many bodies: node crowd.mjs STICTION PACKAGES OUT
//
// 5000 bodies in 500 frames: the page is below 60 MB and open within 3 s. 10 000 bodies: the work of
// a frame besides drawing leaves time for 30 frames a second. CROWD=FILE.h5 takes a result that is
// there already instead of making the large one; BUSY=1 forgives a slow opening on a busy machine.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [stiction, packages, out] = process.argv.slice(2).map((p) => resolve(p));
const { chromium } = createRequire(packages + "/")("playwright-core");
const scene = join(dirname(fileURLToPath(import.meta.url)), "crowd.lua");
mkdirSync(out, { recursive: true });

function call(...words) {
  const ran = spawnSync(stiction, words, { encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
}

function makePage(count, frames) {
  const base = join(out, `crowd-${count}`), given = count === 5000 ? process.env.CROWD : undefined;
  if (!given) call("run", scene, "-o", `${base}.h5`, "--force", "--param", `count=${count}`, "--param", `frames=${frames}`);
  call("view", "--force", given ?? `${base}.h5`, "-o", `${base}.html`);
  rmSync(`${base}.h5`, { force: true });
  return `${base}.html`;
}

async function measure(browser, path) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const start = Date.now();
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector("html[data-ready=yes]", { timeout: 120000 });
  const opened = (Date.now() - start) / 1000;
  const facts = await page.evaluate(() => {
    const { page, result } = window.stiction, { stage } = page;
    // the best of five for each of 40 frames: other work on the machine does not count
    const once = (frame) => {
      const begin = performance.now();
      stage.place(frame);
      return performance.now() - begin;
    };
    const times = Array.from({ length: 40 }, (_, i) => Math.min(...Array.from({ length: 5 }, () => once(Math.floor((i * (result.frames - 1)) / 39))))).sort((a, b) => a - b);
    const most = Math.max(...Array.from({ length: result.frames }, (_, k) => { const c = result.contacts(k); return c.end - c.begin; }));
    return { bodies: result.bodies, frames: result.frames, most, median: times[20], worst: times[39] };
  });
  await page.close();
  return { opened, ...facts };
}

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
try {
  for (const [count, frames] of [[5000, 500], [10000, 40]]) {
    const path = makePage(count, frames), size = statSync(path).size / 1e6, m = await measure(browser, path);
    console.log(`${m.bodies} bodies, ${m.frames} frames, up to ${m.most} contacts: page ${size.toFixed(1)} MB, open in ${m.opened.toFixed(2)} s, ` +
      `a frame without drawing ${m.median.toFixed(2)} ms (median), ${m.worst.toFixed(2)} ms (worst of 40)`);
    assert.ok(size < 60, "page below 60 MB");
    if (count === 5000 && !process.env.BUSY) assert.ok(m.opened < 3, `open in ${m.opened} s`);
    assert.ok(m.median < 15, "a frame leaves time for drawing");
  }
} finally {
  await browser.close();
}

// A run that goes on: new frames by server-sent events, and two buttons that the server obeys.
import { readData } from "./data.js";

const by = (id) => document.getElementById(id);
const TRIES = 4; // to find the server again, ever later, before it is given up

export function follow(page) {
  const { result } = page, state = by("state"), pause = by("pause"), stop = by("stop");
  let paused = false, waiting = Promise.resolve(), source = null, failures = 0, behind = 0, drawn = 0;
  const show = (text) => { state.textContent = text; document.documentElement.dataset.run = text; };
  const ask = async (what) => {
    const answer = await fetch(what, { method: "POST" });
    if (!answer.ok) throw new Error(`the run does not ${what}: ${answer.status}`);
  };
  const setPaused = (on) => {
    paused = on;
    pause.textContent = on ? "Go on" : "Pause";
    show(on ? "paused" : "running");
  };
  const over = (text) => {
    source.close();
    pause.disabled = stop.disabled = true;
    waiting.then(() => show(text));
  };
  // one after the other: frames must not overtake each other
  const then = (act) => { waiting = waiting.then(act).catch((error) => show(error.message)); };
  const listen = () => {
    source = new EventSource(`events?from=${result.framesStored}`);
    source.onopen = () => { failures = 0; setPaused(false); };
    // a page that is slower than the run takes all frames in and draws some of them
    source.onmessage = (event) => {
      ++behind;
      then(async () => {
        const change = await readData(event.data).then((records) => result.append(records)).finally(() => --behind);
        const wait = behind > 0 && performance.now() - drawn < 1000;
        page.grown(change, wait);
        if (!wait) drawn = performance.now();
      });
    };
    source.addEventListener("pause", () => setPaused(true));
    source.addEventListener("end", () => over("ended"));
    // dropped since it was slow, or the run was killed: ask for the frames that are missing, or give up
    source.onerror = () => {
      source.close();
      if (++failures >= TRIES) return over("connection lost");
      show("connecting");
      then(() => { setTimeout(listen, 500 * failures); });
    };
  };
  by("live").hidden = false;
  pause.addEventListener("click", () => ask(paused ? "go" : "pause").then(() => setPaused(!paused)).catch((e) => show(e.message)));
  stop.addEventListener("click", () => ask("stop").then(() => show("stopping")).catch((e) => show(e.message)));
  setPaused(false);
  listen();
}

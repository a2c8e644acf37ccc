// A run that goes on: new frames by server-sent events, and two buttons that the server obeys.
import { readData } from "./data.js";

const by = (id) => document.getElementById(id);

export function follow(page) {
  const { result } = page, state = by("state"), pause = by("pause"), stop = by("stop");
  let paused = false, waiting = Promise.resolve();
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
  const over = () => {
    source.close();
    pause.disabled = stop.disabled = true;
    waiting.then(() => show("ended"));
  };
  by("live").hidden = false;
  const source = new EventSource(`events?from=${result.framesStored}`);
  // one after the other: frames must not overtake each other
  source.onmessage = (event) => {
    waiting = waiting.then(async () => page.grown(result.append(await readData(event.data)))).catch((error) => show(error.message));
  };
  source.addEventListener("pause", () => setPaused(true));
  source.addEventListener("end", over);
  // the server is gone: a run that was killed does not say goodbye
  source.onerror = over;
  pause.addEventListener("click", () => ask(paused ? "go" : "pause").then(() => setPaused(!paused)).catch((e) => show(e.message)));
  stop.addEventListener("click", () => ask("stop").then(() => show("stopping")).catch((e) => show(e.message)));
  setPaused(false);
}

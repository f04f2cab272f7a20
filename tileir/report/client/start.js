// What the page offers, and its start.

/** Draw a model into an element; returns the view, which has `select`, `goTo` and `close`. */
function draw(model, root, { anchors = false } = {}) {
  return new View(model, root, anchors);
}

globalThis.TileIRReport = { draw, expand, make, plural, visible };

const LONG = 1 << 19;  // characters of a packed model that take a moment to expand

async function start() {
  const block = document.getElementById("model");
  if (!block) return;
  const root = document.getElementById("report");
  if (block.textContent.length > LONG) {
    root.replaceChildren(make("p", "nothing", "This file is large. Its page is being drawn."));
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();  // the text is painted before the second one
  }
  try {
    globalThis.TileIRReport.view = draw(await expand(block.textContent), root, { anchors: true });
  } catch (error) {
    root.replaceChildren(make("p", "nothing", "This page cannot be shown: " + error.message));
    throw error;
  }
}

if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();

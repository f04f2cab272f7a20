// A table of cells as a picture: a word in each, a tone, and what is said of the one that is pointed at.

const CELL = { width: 22, height: 18, head: 30, top: 18 };

/** Draw rows times columns of cells.
 *
 * `cell(row, column)` gives {text, tone, said, same}: cells with the same `same` light up together; null is no
 * cell. `said` is shown below. `choose`, if given, is called when the picture is clicked. */
function cells({ rows, columns, cell, title, description, step = 1, choose = null }) {
  const width = CELL.head + columns * CELL.width + 1, height = CELL.top + rows * CELL.height + 1;
  const svg = picture(width, height, title, description), groups = new Map(), words = new Map();
  for (let column = 0; column < columns; column++) {
    if (columns > 16 && column % 4) continue;
    svg.append(shape("text", "axis", { x: CELL.head + (column + .5) * CELL.width, y: CELL.top - 6 }, String(column * step)));
  }
  for (let row = 0; row < rows; row++) {
    svg.append(shape("text", "axis side", { x: CELL.head - 6, y: CELL.top + (row + .5) * CELL.height }, String(row)));
    for (let column = 0; column < columns; column++) {
      const found = cell(row, column);
      if (!found) continue;
      const x = CELL.head + column * CELL.width, y = CELL.top + row * CELL.height;
      const box = shape("g", "cell tone-" + found.tone % 8 + (found.bold ? " bold" : ""), {},
        shape("rect", "", { x: x + .5, y: y + .5, width: CELL.width - 1, height: CELL.height - 1 }),
        shape("text", "", { x: x + CELL.width / 2, y: y + CELL.height / 2 }, String(found.text)));
      box.dataset.at = row + "," + column;
      words.set(box.dataset.at, found);
      if (!groups.has(found.same)) groups.set(found.same, []);
      groups.get(found.same).push(box);
      svg.append(box);
    }
  }
  const said = make("p", "picture-said", "Point at a cell, or move with the arrows.");
  said.setAttribute("aria-live", "polite");
  let at = null;
  const point = (place) => {
    if (at === place || !words.has(place)) return;
    if (at) for (const box of groups.get(words.get(at).same)) box.classList.remove("lit", "at");
    at = place;
    for (const box of groups.get(words.get(at).same)) {
      box.classList.add("lit");
      box.classList.toggle("at", box.dataset.at === at);
    }
    said.textContent = visible(words.get(at).said);
  };
  svg.addEventListener("pointermove", (event) => {
    const box = event.target instanceof Element ? event.target.closest(".cell") : null;
    if (box) point(box.dataset.at);
  });
  if (choose) svg.addEventListener("click", choose);
  const frame = framed(svg, title);
  frame.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move) return;
    event.preventDefault();
    const [row, column] = at ? at.split(",").map(Number) : [0, 0];
    point(at ? (row + move[0]) + "," + (column + move[1]) : "0,0");
  });
  return make("div", "cell-table", goingOn(frame), said);
}

// Footprints: of each array the elements that a block of a launch accesses, and those of the blocks beside it.

const ARRAY = { width: 340, height: 240, least: 26 };
const DONE = { read: ["reads", "read"], written: ["writes", "write"], atomic: ["updates", "update"] };

function blockName(block) {
  return "block (" + block.join(", ") + ")";
}

/** Return what blocks do, those together that access the same elements: [{numbers, kind, elements, boxes, others}]. */
function together(touched) {
  const found = new Map();
  for (const { block, ...rest } of touched) {
    if (rest.elements === 0) continue;
    const key = JSON.stringify(rest);
    if (!found.has(key)) found.set(key, { ...rest, numbers: [] });
    found.get(key).numbers.push(block);
  }
  return [...found.values()];
}

/** Draw an array, with the rectangles of all blocks that access it: those of the first one above the others. */
function arrayPicture(array, blocks, title) {
  const columns = array.shape.at(-1) ?? 1, rows = sizeOf(array.shape.slice(0, -1)), groups = together(array.touched);
  const scale = Math.min(ARRAY.width / Math.max(columns, 1), ARRAY.height / Math.max(rows, 1));
  const width = Math.max(ARRAY.least, columns * scale), height = Math.max(ARRAY.least, rows * scale);
  const [x, y] = [width / Math.max(columns, 1), height / Math.max(rows, 1)];
  const described = groups.map((each) => touchedInWords(each, blocks)).join(" ");
  const svg = picture(width + 8, height + 8, title, described || "No block accesses it.");
  svg.append(shape("rect", "array", { x: 4, y: 4, width, height }));
  const own = ({ numbers }) => numbers.includes(0);
  for (const group of [...groups].sort((one, other) => own(one) - own(other))) {
    for (const [top, bottom, left, right] of group.boxes) {
      const size = { width: Math.max(1.5, (right - left) * x), height: Math.max(1.5, (bottom - top) * y) };
      const at = { x: 4 + left * x, y: 4 + top * y };
      const box = shape("g", "box tone-" + group.numbers[0] % 8 + (own(group) ? " own" : "") + " does-" + (Object.hasOwn(DONE, group.kind) ? group.kind : "other"), {},
        shape("title", "", {}, blockNames(group, blocks) + ": " + boxInWords([top, bottom, left, right])),
        shape("rect", "", { ...at, ...size }));
      const label = group.numbers.length > 1 ? group.numbers.length + " blocks" : blocks[group.numbers[0]].join(", ");
      if (size.width > 62 && size.height > 14) box.append(shape("text", "", { x: at.x + size.width / 2, y: at.y + size.height / 2 }, label));
      svg.append(box);
    }
  }
  return svg;
}

function boxInWords([top, bottom, left, right]) {
  const through = (first, end, word) => end - first === 1 ? word + " " + first : word + "s " + first + " to " + (end - 1);
  return through(top, bottom, "row") + ", " + through(left, right, "column");
}

function blockNames({ numbers, kind }, blocks) {
  const one = numbers.length === 1, does = Object.hasOwn(DONE, kind) ? DONE[kind][one ? 0 : 1] : kind;
  return (one ? "Block " : "Blocks ") + numbers.map((number) => "(" + blocks[number].join(", ") + ")").join(", ") + " " + does;
}

/** Say what blocks do with an array, in a sentence. */
function touchedInWords(group, blocks) {
  const { elements, boxes, others } = group, start = blockNames(group, blocks);
  if (elements === null) return start + " elements of an array that is too large to show which.";
  const where = boxes.length === 1 ? ": " + boxInWords(boxes[0]) : ", in " + plural(boxes.length, "rectangle");
  return start + " " + plural(elements, "element") + where + (others ? "; " + plural(others, "element") + " of them are not drawn" : "") + ".";
}

/** Return the pictures of a launch. */
function footprintPictures({ grid, blocks, problem, arrays }) {
  const parts = [make("h3", "", "Footprints of " + blockName(blocks[0]))];
  if (problem) parts.push(make("p", "missing", "Not all of these blocks could run: " + problem));
  const legend = make("p", "picture-words blocks");
  blocks.forEach((block, index) => legend.append(make("span", "swatch tone-" + index % 8), blockName(block) + (index ? "  " : " itself  ")));
  parts.push(make("p", "picture-words", "What this block of a grid of " + grid.join(" \u00d7 ") + " accesses, and the blocks beside it; each ran alone on the CPU, with the arrays as given. "
    + "Pale is read, full is written. Rows count all dimensions but the last."), legend);
  const frame = make("div", "arrays");
  for (const array of arrays) {
    const name = (array.array === null ? "" : "array " + array.array + ", ") + "parameter " + array.parameter + ": " + array.shape.join(" \u00d7 ") + " of " + array.element;
    const words = make("ul", "touched");
    for (const each of together(array.touched)) words.append(make("li", "", touchedInWords(each, blocks)));
    if (!words.children.length && !problem) words.append(make("li", "", "None of these blocks accesses it."));
    frame.append(make("figure", "footprint", make("h4", "", name), framed(arrayPicture(array, blocks, name), name), words));
  }
  parts.push(frame);
  return parts;
}

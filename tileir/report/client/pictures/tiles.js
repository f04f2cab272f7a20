// Pictures of tiles: who holds which element in registers, and in which bank one lies in shared memory.

const BANKS = 32, BANK_BYTES = 4;

/** Draw a layout of registers, with what is left out in words. */
function layoutPicture(row, title, choose, known = false) {
  const layout = new Layout(row), { shape: extents } = row, table = tableOf(extents);
  const { units } = layout;
  const still = (bit) => !units[bit].lane && !units[bit].warp && !units[bit].block;
  const part = partOf(table, still, (bit) => !units[bit].lane);
  const several = row.warp.some((base) => base) && new Set(everyCell(part, table).map((element) => layout.holder(element).warp)).size > 1;
  const cell = (down, across) => {
    const element = down * table.columns + across, held = layout.holder(element);
    return {
      text: held.lane, tone: several ? held.warp : held.lane >> 2, same: held.lane + "." + held.warp + "." + held.block,
      said: "Element " + placeOf(extents, element) + ": register " + held.register + " of lane " + held.lane
        + (row.warp.length ? " in warp " + held.warp : "") + (row.block.length ? ", block " + held.block + " of the cluster" : "")
        + (layout.copies > 1 ? "; " + (layout.copies - 1) + " more threads hold copies" : ""),
    };
  };
  const words = [
    (known ? "" : "Each cell is an element, its number that of the lane that holds it. ") + (several ? "A colour is a warp." : "A colour is four lanes."),
    ...repeated(part, (step) => changed(units[step.bit])),
    ...(part.cut ? ["Cut: " + part.rows + " rows and " + part.columns + " columns of it are drawn."] : []),
    ...(table.flat ? ["The elements are drawn in rows of " + table.columns + "."] : []),
    ...(extents.length > 2 ? ["Rows count all dimensions but the last."] : []),
    ...(layout.copies > 1 ? ["Each element is held " + layout.copies + " times: lanes or warps that have the same one; the first is drawn."] : []),
  ];
  const text = extents.join(" \u00d7 ") + " elements, " + (1 << row.register.length) + " in each thread. " + words.join(" ");
  return make("div", "of-tile", cells({ ...part, cell, title, description: text, choose }), make("p", "picture-words", text));
}

function everyCell(part, table) {
  return Array.from({ length: part.rows * part.columns }, (_, at) =>
    Math.floor(at / part.columns) * table.columns + at % part.columns);
}

/** Say what the steps that are not drawn change, those of one side and the same words together. */
function repeated(part, what) {
  const found = new Map();
  for (const step of part.steps) {
    const key = step.side + " " + what(step);
    if (!found.has(key)) found.set(key, { times: 1, by: step.by, side: step.side, what: what(step) });
    const each = found.get(key);
    each.times *= 2;
    each.by = Math.min(each.by, step.by);
  }
  return [...found.values()].map(({ times, by, side, what: changes }) =>
    "It repeats " + times + " times " + (side === "rows" ? "down" : "across") + ", every " + plural(by, side.slice(0, -1)) + ", in " + changes + ".");
}

function changed(unit) {
  const names = { register: "other registers", warp: "other warps", block: "the other blocks of the cluster" };
  return Object.keys(names).filter((level) => unit[level]).map((level) => names[level]).join(" and ") || "the same ones";
}

/** Draw the banks of a tile in shared memory: a cell is a word of a bank, or an element that is larger. */
function memoryPicture(row, title, choose) {
  const table = tableOf(row.shape), across = log2(table.columns);
  let joined = 0;
  while (joined < across && row.offsets[joined] === row.bytes << joined && row.bytes << joined < BANK_BYTES) joined++;
  const step = 1 << joined, words = { columns: table.columns / step, rows: table.rows };
  const line = (bit) => row.offsets[bit + joined];
  const part = partOf(words, (bit) => line(bit) % (BANKS * BANK_BYTES) === 0, () => false);
  const byteOf = (element) => row.offsets.reduce((sum, offset, bit) => element >> bit & 1 ? sum ^ offset : sum, 0);
  const cell = (down, column) => {
    const element = down * table.columns + column * step, byte = byteOf(element);
    const bank = Math.floor(byte / BANK_BYTES) % BANKS;
    const through = step > 1 ? " to " + placeOf(row.shape, element + step - 1) : "";
    return {
      text: bank, tone: bank >> 2, same: bank,
      said: (step > 1 ? "Elements " : "Element ") + placeOf(row.shape, element) + through + ": byte " + byte + " of the tile, bank " + bank,
    };
  };
  const swizzle = { none: "rows one behind the other, no swizzle", linear: "an order of the compiler's own" }[row.swizzle]
    ?? "the hardware's swizzle of " + row.swizzle.replace("B", " bytes");
  const text = [
    row.shape.join(" \u00d7 ") + " elements of " + plural(row.bytes, "byte") + (row.slots > 1 ? ", in each of " + row.slots + " slots of a ring" : "")
      + ": " + swizzle + ".",
    "Each cell is " + (step > 1 ? plural(step, "element") + " that share a word" : "an element") + ", its number that of the bank; four banks have a colour.",
    ...repeated(part, () => "the same banks"),
    ...(part.cut ? ["Cut: " + part.rows + " rows and " + part.columns + " columns of cells are drawn."] : []),
  ].join(" ");
  return make("div", "of-tile", cells({ ...part, cell, title, description: text, step, choose }), make("p", "picture-words", text));
}

/** Draw what lanes access at once: each word in the column of its bank, one turn below the other. */
function accessPicture(access, title, choose) {
  const lanes = access.lanes.reduce((found, base) => [...found, ...found.map((address) => address ^ base)], [0]);
  const banks = Array.from({ length: BANKS }, () => new Map());
  lanes.forEach((address, lane) => {
    for (let byte = 0; byte < access.width; byte += BANK_BYTES) {
      const word = Math.floor((address + byte) / BANK_BYTES), bank = banks[word % BANKS];
      if (!bank.has(word)) bank.set(word, []);
      bank.get(word).push(lane);
    }
  });
  const rows = Math.max(...banks.map((bank) => bank.size));
  const cell = (row, bank) => {
    const entry = [...banks[bank]][row];
    if (!entry) return null;
    const [word, those] = entry;
    return {
      text: those[0], tone: row ? 1 : 0, bold: row > 0, same: those.join(),
      said: "Turn " + (row + 1) + ", bank " + bank + ": byte " + word * BANK_BYTES + ", for "
        + (those.length > 1 ? "lanes " : "lane ") + those.join(", "),
    };
  };
  const way = access.turns === 1 ? "no bank conflict: one turn" : "a " + access.turns + "-way bank conflict: " + access.turns + " turns";
  const whose = access.by === "ldmatrix" ? "the rows of a matrix, 16 bytes each" : plural(lanes.length, "lane") + " at once, " + plural(access.width, "byte") + " each";
  const text = access.in + ", by " + access.by + ": " + whose + "; " + way + ". Columns are banks; a number is the first "
    + (access.by === "ldmatrix" ? "row" : "lane") + " that wants a word of the bank.";
  const made = make("div", "of-access", cells({ rows, columns: BANKS, cell, title, description: text, choose }), make("p", "picture-words", text));
  made.dataset.turns = rows;
  return made;
}

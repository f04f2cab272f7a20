// A product's instruction: the fragments of A, B and C as they are multiplied.

const OPERANDS = [["lhs", "A"], ["rhs", "B"], ["acc", "C"]];

function productPictures(product, layouts, choose) {
  const [m, n, k] = product.extents, extents = { lhs: [m, k], rhs: [k, n], acc: [m, n] };
  const who = product.warps > 1 ? "A warpgroup, of " + product.warps + " warps, executes it" : "A warp executes it";
  const parts = [make("p", "picture-words", make("span", "mono", product.instruction), " multiplies " + m + " \u00d7 " + k + " by "
    + k + " \u00d7 " + n + ". " + who + ", " + (product.count === 1 ? "once" : product.count + " times") + " for the tile of "
    + product.tile[0] + " \u00d7 " + product.tile[1] + ", k = " + product.tile[2]
    + ". Each cell is an element, its number that of the lane that holds it.")];
  const unheld = OPERANDS.filter(([slot]) => product[slot] === null);
  if (unheld.length === 2) {
    const which = unheld.map(([slot, letter]) => letter + ", " + extents[slot].join(" \u00d7 ")).join(", and ");
    parts.push(make("p", "picture-words", which + ": the instruction reads them from shared memory by descriptors, and no lane holds them."));
  }
  const shown = unheld.length === 2 ? OPERANDS.filter((operand) => !unheld.includes(operand)) : OPERANDS;
  const drawn = shown.map(([slot, letter]) => {
    const title = letter + ", " + extents[slot].join(" \u00d7 "), index = product[slot];
    const by = product.read[slot];
    const head = make("h4", "", title, make("span", "kind", slot === "acc" ? "  in registers" : by === "registers" ? "  in registers" : "  from shared memory by " + by));
    const inside = index === null ? make("p", "picture-words", "No lane holds it: the instruction reads it from shared memory.")
      : layoutPicture(layouts[index], "fragment " + title, choose, true);
    const box = make("div", "fragment of-" + letter.toLowerCase(), head, inside);
    box.dataset.slot = slot;
    return box;
  });
  return [...parts, make("div", shown.length > 1 ? "fragments" : "fragment-alone", ...drawn)];
}

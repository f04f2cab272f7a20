// The pipeline of a loop as a chart: a row for each role, and one for each slot of its rings.
//
// Columns are no time, which nobody knows, but an order: each step is as early as what comes before it allows.

const STEP = { width: 58, height: 34, head: 116, top: 28, slot: 20, gap: 10 };
const MOST_STEPS = 44;
const SHORT = {
  copy: "copy", wait: "wait", product: "product", end: "done", acquire: "acquire", commit: "start", release: "release",
  barrier: "barrier", order: "order",
};

/** Lay the steps of a loop out: [{role, step, trip, column}], the columns, and what fills which slot until when. */
function laidOut(loop, slots) {
  const busy = Math.max(...loop.roles.map((role) => role.steps.length));
  const trips = Math.max(2, Math.min(slots + 2, Math.floor(MOST_STEPS / busy)));
  const placed = [], committed = new Map(), released = new Map();
  const tripsOf = (role) => role.steps.length < busy ? Math.max(trips, slots + 2) : trips;  // who has less to do is ahead
  const lists = loop.roles.map((role) => [
    ...Array.from({ length: role.ahead }, (_, trip) => role.before.map((step) => ({ step, trip, before: true }))).flat(),
    ...Array.from({ length: tripsOf(role) }, (_, trip) => role.steps.map((step) => ({ step, trip }))).flat(),
  ].filter(({ step, trip }) => step.slots.every(({ turn }) => trip + turn >= 0)));
  const at = loop.roles.map(() => 0), free = loop.roles.map(() => 0);
  const starts = (role) => loop.roles.some((each, other) => other !== role && each.steps.some(({ kind }) => kind === "commit"));
  const others = (role) => loop.roles.some((each, other) => other !== role && each.steps.some(({ kind }) => kind === "release"));
  for (let moved = true; moved;) {
    moved = false;
    lists.forEach((list, role) => {
      for (; at[role] < list.length; at[role]++, moved = true) {
        const { step, trip, before } = list[at[role]];
        let column = free[role], known = true;
        for (const { ring, turn } of step.slots) {
          const key = ring + " " + (trip + turn);
          if (step.kind === "wait" && starts(role)) {
            if (committed.has(key)) column = Math.max(column, committed.get(key) + 1);
            else known = false;
          }
          const earlier = ring + " " + (trip + turn - slots);
          if (step.kind === "acquire" && others(role) && trip + turn >= slots) {
            if (released.has(earlier)) column = Math.max(column, released.get(earlier) + 1);
            else known = false;
          }
        }
        if (!known) break;
        for (const { ring, turn } of step.slots) {
          if (step.kind === "commit") committed.set(ring + " " + (trip + turn), column);
          if (step.kind === "release") released.set(ring + " " + (trip + turn), column);
        }
        free[role] = column + 1;
        placed.push({ role, step, trip, column, before: !!before });
      }
    });
  }
  return { placed, trips, columns: Math.max(...placed.map(({ column }) => column)) + 1 };
}

/** Return the stays of tiles in slots of rings that are filled together: {slot, turn, from, ready, end}. */
function staysOf(placed, slots, names) {
  const stays = new Map();
  for (const { step, trip, column } of [...placed].sort((one, other) => one.column - other.column)) {
    for (const { ring, turn } of step.slots) {
      const number = trip + turn;
      if (step.kind === "acquire" || !names.includes(ring)) continue;
      if (!stays.has(number)) stays.set(number, { turn: number, slot: number % slots, from: column, ready: -1, end: column });
      const stay = stays.get(number);
      if (step.kind === "wait" && stay.ready < 0) stay.ready = column;
      stay.end = column;
    }
  }
  return [...stays.values()];
}

/** Return the rings by the steps that they share: rings that are filled and read together have rows together. */
function ringsTogether(loop) {
  const found = new Map();
  for (const ring of loop.rings) {
    const uses = loop.roles.map((role) => role.steps.map((step) =>
      step.kind === "product" ? "" : step.slots.filter((slot) => slot.ring === ring.name).map((slot) => slot.turn).join()).join(";")).join("|");
    if (!found.has(uses)) found.set(uses, []);
    found.get(uses).push(ring);
  }
  return [...found.values()];
}

/** Draw the chart of a loop. `choose(ops)` is called with the ops of a step that is clicked. */
function pipelinePicture(loop, memory, choose) {
  const slots = Math.max(1, ...loop.rings.map((ring) => memory[ring.memory].slots));
  const { placed, trips, columns } = laidOut(loop, slots), groups = ringsTogether(loop);
  const nameOf = (role) => role.name ?? "all warps";
  const left = STEP.head, width = left + columns * STEP.width + 8;
  const rolesEnd = STEP.top + loop.roles.length * (STEP.height + STEP.gap);
  const height = rolesEnd + groups.length * (22 + slots * STEP.slot) + 6;
  const title = "pipeline of the loop, op " + loop.op;
  const svg = picture(width, height, title, "The first " + trips + " iterations: "
    + loop.roles.map((role) => nameOf(role) + ": " + role.steps.map((step) => step.text).join("; ")).join(". "));
  for (let column = 0; column <= columns; column++) {
    const x = left + column * STEP.width;
    svg.append(shape("line", "grid", { x1: x, x2: x, y1: STEP.top - 6, y2: height - 4 }));
  }
  const held = shape("g", "held", {}, shape("rect", "behind", { x: 0, y: 0, width: left - 4, height }));
  loop.roles.forEach((role, index) => {
    const y = STEP.top + index * (STEP.height + STEP.gap);
    held.append(shape("text", "row-name", { x: 0, y: y + 13 }, nameOf(role)));
    if (role.warps !== null) held.append(shape("text", "row-more", { x: 0, y: y + 27 }, plural(role.working, "warp")));
  });
  svg.append(shape("text", "row-more", { x: left, y: 12 }, "order, not time: each step as early as what it waits for allows"));
  const boxes = new Map();
  for (const { role, step, trip, column, before } of placed) {
    const x = left + column * STEP.width, y = STEP.top + role * (STEP.height + STEP.gap);
    const turns = step.slots.map(({ turn }) => trip + turn), number = turns.length ? turns[0] : trip + step.of;
    const label = step.kind === "compute" ? /^\d+ ops?|^[a-z]{1,8}/.exec(step.text)?.[0] ?? "other" : (Object.hasOwn(SHORT, step.kind) ? SHORT[step.kind] : "other");
    const box = shape("g", "step kind-" + (Object.hasOwn(SHORT, step.kind) ? step.kind : "other") + (number < 0 ? "" : " tone-" + number % 8), {},
      shape("title", "", {}, (before ? "before the loop, for iteration " : "iteration ") + trip + ": " + step.text),
      shape("rect", "", { x: x + 2, y, width: STEP.width - 4, height: STEP.height, rx: 3 }),
      shape("text", "what", { x: x + STEP.width / 2, y: y + 12 }, label),
      shape("text", "which", { x: x + STEP.width / 2, y: y + 25 }, number < 0 ? "none yet" : "of " + number));
    box.dataset.ops = step.ops.join(" ");
    box.addEventListener("click", () => choose(step.ops));
    svg.append(box);
    for (const op of step.ops) {
      if (!boxes.has(op)) boxes.set(op, []);
      boxes.get(op).push(box);
    }
  }
  let y = rolesEnd;
  for (const group of groups) {
    const names = group.map((ring) => ring.name), bytes = group.reduce((sum, ring) => sum + bytesOfTile(memory[ring.memory]), 0);
    held.append(shape("text", "ring-name", { x: 0, y: y + 14 }, "ring " + names.join(", ") + ": " + slots + " slots of " + bytes.toLocaleString("en") + " bytes"));
    y += 22;
    for (let slot = 0; slot < slots; slot++) {
      held.append(shape("text", "row-more", { x: 12, y: y + slot * STEP.slot + 14 }, "slot " + slot));
    }
    const stays = staysOf(placed, slots, names);
    for (const stay of stays) {
      const top = y + stay.slot * STEP.slot + 2, from = left + stay.from * STEP.width + 2;
      const next = stays.filter((each) => each.slot === stay.slot && each.turn > stay.turn).map((each) => each.from);
      const end = Math.min(stay.end + 1, ...next), ready = stay.ready < 0 ? end : Math.min(stay.ready, end);
      const bar = shape("g", "stay tone-" + stay.turn % 8, {},
        shape("title", "", {}, "ring " + names.join(", ") + ", slot " + stay.slot + ": tiles of iteration " + stay.turn + ", filled, then read"),
        shape("rect", "filling", { x: from, y: top, width: Math.max(0, (ready - stay.from) * STEP.width - 4), height: STEP.slot - 4, rx: 2 }),
        shape("rect", "reading", { x: left + ready * STEP.width + 2, y: top, width: Math.max(0, (end - ready) * STEP.width - 4), height: STEP.slot - 4, rx: 2 }),
        shape("text", "", { x: from + 6, y: top + 12 }, "iteration " + stay.turn));
      svg.append(bar);
    }
    y += slots * STEP.slot;
  }
  svg.append(held);
  const made = make("div", "pipeline", goingOn(framed(svg, title)));
  made.boxes = boxes;
  made.dataset.columns = columns;
  return made;
}

function bytesOfTile(row) {
  return row.bytes << log2(Math.max(1, ...row.offsets) / row.bytes) + 1;
}

/** List the steps of a loop in words, each a button that selects its op. */
function stepsInWords(view, loop, choose) {
  return loop.roles.map((role) => {
    const list = make("ol", "steps");
    for (const step of role.steps) {
      const button = view.button("go", step.kind, () => choose(step.ops));
      if (!step.ops.length) button.disabled = true;
      list.append(make("li", "", button, " " + step.text));
    }
    const more = role.warps === null ? ", the same for all warps" : ", " + (role.working === 1 ? "warp " + role.first
      : "warps " + role.first + " to " + (role.first + role.working - 1)) + ", " + plural(role.registers, "register") + " a thread";
    const before = role.before.length ? make("p", "picture-words", "Before the loop, for the first "
      + (role.ahead === 1 ? "iteration" : plural(role.ahead, "iteration")) + ": " + role.before.map((step) => step.text).join("; ") + ".") : "";
    return make("section", "role-steps", make("h4", "", role.name ?? "All warps", make("span", "kind", more)), before, list);
  });
}

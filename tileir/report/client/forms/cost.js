// What lines cost: machine instructions that were made of their ops, and how many are in loops.

const MOST_LINES = 8;

class Costs {
  /** `cost` has columns: op, instructions, looped and classes. */
  constructor(cost) {
    this.byOp = new Map(cost.op.map((op, index) =>
      [op, { all: cost.instructions[index], looped: cost.looped[index], classes: cost.classes[index] }]));
    this.total = this.of([...this.byOp.keys()]);
  }

  /** Return what ops cost together. */
  of(ops) {
    const sum = { all: 0, looped: 0, classes: new Map() };
    for (const op of ops) {
      const each = this.byOp.get(op);
      if (!each) continue;
      sum.all += each.all;
      sum.looped += each.looped;
      for (const [name, count] of Object.entries(each.classes)) sum.classes.set(name, (sum.classes.get(name) ?? 0) + count);
    }
    return sum;
  }

  /** Return in words what all of the code is. */
  said() {
    const { all, looped } = this.total, none = this.byOp.get(-1)?.all ?? 0;
    const words = [plural(all, "instruction"), (looped ? looped.toLocaleString("en") : "none") + " in loops"];
    if (none) words.push(none.toLocaleString("en") + " of no op");
    return words.join(", ") + ": static counts, not time.";
  }
}

/** The costs of a pane's lines: `ops` are those of each line, undefined for none. */
class LineCosts {
  constructor(costs, ops) {
    this.lines = ops.map((each) => each ? costs.of(each) : null);
    this.most = this.lines.reduce((most, each) => Math.max(most, each?.all ?? 0), 1);
  }

  /** Return the cell of a line. */
  cell(index) {
    const cost = this.lines[index];
    if (!cost?.all) return make("span", "cost");
    const cell = make("span", "cost some", String(cost.all));
    cell.style.setProperty("--all", 100 * cost.all / this.most + "%");
    cell.style.setProperty("--looped", 100 * cost.looped / this.most + "%");
    cell.title = visible(inWords(cost));
    return cell;
  }

  /** Return the lines that cost most, those with most instructions in loops first. */
  dearest() {
    return this.lines.map((cost, index) => ({ cost, index })).filter(({ cost }) => cost?.all)
      .sort((a, b) => b.cost.looped - a.cost.looped || b.cost.all - a.cost.all).slice(0, MOST_LINES);
  }
}

/** Return what the colours of bars mean, for the head of a pane. */
function costKey() {
  return make("span", "key", "instructions", make("i", "looped"), "in loops", make("i", ""), "others");
}

function inWords({ all, looped, classes }) {
  const kinds = [...classes].sort((a, b) => b[1] - a[1]).map(([name, count]) => name + " " + count.toLocaleString("en"));
  return plural(all, "instruction") + (looped ? ", " + looped.toLocaleString("en") + " in loops" : "") + ": " + kinds.join(", ");
}

/** Return the table of the lines that cost most in a pane, each with a button that goes there. */
function dearestLines(view, pane, costs) {
  const dearest = pane.costs.dearest();
  if (!dearest.length) return [];
  const table = make("table", "figures dearest");
  table.append(make("tr", "", make("td", ""), ...["in loops", "all"].map((word) => headed(word, "col"))));
  for (const { cost, index } of dearest) {
    const go = view.button("go line", "", () => view.jump(pane.targetOf(index), null));
    go.append(make("span", "number", pane.placeOf(index)), make("span", "code", pane.textOf(index).trim()));
    go.title = visible(inWords(cost));
    const head = make("th", "", go);
    head.scope = "row";
    table.append(make("tr", "", head, ...[cost.looped, cost.all].map((count) => make("td", "", count.toLocaleString("en")))));
  }
  return [make("h3", "", "Most expensive lines"), table, make("p", "caption", costs.said())];
}

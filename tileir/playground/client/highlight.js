// Colours for Tile IR text, by the TextMate grammar that is made from the tables of ops and types.
//
// Only what that grammar uses is known here. All that it begins ends with its line, so a line needs no
// other one.

const SHOWN = {
  "keyword.other": "op", "storage.type": "type", "constant.language": "word", "variable.other": "value",
  "entity.name.function": "symbol", "entity.name.label": "label", "entity.other.attribute-name": "word",
  "constant.numeric.hex": "number", "constant.numeric.float": "number", "constant.numeric.integer": "number",
  "string.quoted.double": "string", "constant.character.escape": "string", "comment.line.double-slash": "comment",
};

export const LONGEST_LINE = 4000;

const scopeOf = (name) => (name ?? "").replace(/\.tileir$/, "");

export class Highlighter {
  constructor(grammar) {
    this.repository = grammar.repository;
    this.known = new Map();
    this.top = { rules: this.rules(grammar.patterns), end: null, scope: "" };
  }

  /** Return the rules of a list of patterns, what it includes among them. */
  rules(patterns) {
    if (this.known.has(patterns)) return this.known.get(patterns);
    const found = [];
    this.known.set(patterns, found);
    for (const each of patterns ?? []) {
      const named = each.include ? this.repository[each.include.slice(1)] : each;
      if (named.match || named.begin) found.push(this.rule(named));
      else found.push(...this.rules(named.patterns));
    }
    return found;
  }

  rule(named) {
    if (this.known.has(named)) return this.known.get(named);
    const rule = { named, start: new RegExp(named.match ?? named.begin, "gd"), scope: scopeOf(named.name) };
    rule.captures = named.captures ?? named.beginCaptures ?? {};
    if (named.begin) rule.end = new RegExp(named.end, "gd");
    this.known.set(named, rule);
    return rule;
  }

  /** Return the words of a line, as [text, scope]. */
  words(line) {
    const found = [];
    const stack = [this.top];
    let at = 0;
    const add = (end, scope) => {
      if (end > at) found.push([line.slice(at, end), scope]);
      at = Math.max(at, end);
    };
    const parts = (match, captures, scope) => {
      for (const [number, { name }] of Object.entries(captures)) {
        const span = match.indices[number];
        if (!span) continue;
        add(span[0], scope);
        add(span[1], scopeOf(name));
      }
      add(match.index + match[0].length, scope);
    };
    while (at < line.length) {
      const inside = stack.at(-1);
      const rules = inside.rules ??= this.rules(inside.named.patterns);
      let best = null, rule = null;
      for (const each of inside.end ? [null, ...rules] : rules) {
        const pattern = each ? each.start : inside.end;
        pattern.lastIndex = at;
        const match = pattern.exec(line);
        if (match && (!best || match.index < best.index)) [best, rule] = [match, each];
        if (best && best.index === at) break;
      }
      if (!best) break;
      add(best.index, inside.scope);
      if (rule === null) {
        parts(best, inside.named.endCaptures ?? {}, inside.scope);
        stack.pop();
      } else {
        parts(best, rule.captures, rule.scope || inside.scope);
        if (rule.end) stack.push(rule);
        else if (!best[0].length) add(at + 1, inside.scope);
      }
    }
    add(line.length, stack.at(-1).scope);
    return found;
  }

  /** Append the words of a line to an element, each in a span of its kind. */
  append(element, line) {
    for (const [text, scope] of this.words(line.slice(0, LONGEST_LINE))) {
      const kind = SHOWN[scope];
      if (!kind) { element.append(text); continue; }
      const span = document.createElement("span");
      span.className = "w-" + kind;
      span.textContent = text;
      element.append(span);
    }
    if (line.length > LONGEST_LINE) element.append(line.slice(LONGEST_LINE));
  }
}

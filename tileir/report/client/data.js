// A file of the model, with what follows from its columns.

const LARGEST = 256 * 1024 * 1024;

/** Return the model in a text of base64, see `unpacked`; an Error where it is larger than `limit` bytes. */
async function expand(packed, limit = LARGEST) {
  return JSON.parse(new TextDecoder().decode(unpacked(bytesOf(packed.trim()), limit)));
}

function bytesOf(packed) {
  const text = atob(packed);
  const data = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
  return data;
}

const SECTIONS = new Set(["header", "String", "Producer", "Type", "Constant", "Global", "Func", "Debug", "end", "unread"]);
const QUIET = new Set(["padding", "unused"]);
const LEVEL = { section: 0, fun: 1, op: 2, entry: 3, list: 4 };

class FileData {
  constructor(file) {
    this.file = file;
    this.texts = file.texts;
    this.fields = file.fields;
    this.nodes = file.nodes;
    this.ops = file.ops;
    this.frames = file.frames;
    this.bytes = bytesOf(file.bytes);
    this.digits = Math.max(4, (this.bytes.length - 1).toString(16).length);  // of an offset
    this.lines = file.text.lines;
    const count = this.fields.length.length;
    this.starts = new Uint32Array(count + 1);
    for (let i = 0; i < count; i++) this.starts[i + 1] = this.starts[i] + this.fields.length[i];
    this.blank = new Uint8Array(this.bytes.length);
    for (const [start, end] of file.blanked) this.blank.fill(1, start, end);
    this.opOfLine = new Int32Array(this.lines.length).fill(-1);
    for (let op = 0; op < this.ops.line.length; op++) {
      const start = this.ops.line[op];
      if (start >= 0) this.opOfLine.fill(op, start, start + this.ops.lines[op]);
    }
    this.sectionOf = new Int32Array(this.nodes.level.length);
    this.opOf = new Int32Array(this.nodes.level.length);
    let section = -1;
    for (let node = 0; node < this.opOf.length; node++) {
      if (this.nodes.level[node] === LEVEL.section) section++;
      this.sectionOf[node] = section;
      const parent = this.nodes.parent[node];
      this.opOf[node] = this.nodes.op[node] >= 0 ? this.nodes.op[node] : parent >= 0 ? this.opOf[parent] : -1;
    }
    this.ends = new Uint32Array(this.opOf.length);
    for (let node = 0; node < this.ends.length; node++) this.ends[node] = this.startOfNode(node);
    for (let field = 0; field < count; field++) {
      const node = this.fields.node[field];
      this.ends[node] = Math.max(this.ends[node], this.starts[field + 1]);
    }
    for (let node = this.ends.length - 1; node >= 0; node--) {
      const parent = this.nodes.parent[node];
      if (parent >= 0) this.ends[parent] = Math.max(this.ends[parent], this.ends[node]);
    }
    for (const section of file.sections) section.kind = SECTIONS.has(section.name) ? section.name : "other";
    this.sourceLines = [];  // the number of each line, from 1, and its text; 0 and the name of a file
    this.sourceRows = new Map();  // frame -> its row among these
    for (const { name, lines, frames, rows } of file.sources) {
      this.sourceLines.push([0, name]);
      const first = this.sourceLines.length;
      lines.forEach((line, index) => this.sourceLines.push([index + 1, line]));
      frames.forEach((frame, index) => this.sourceRows.set(frame, first + rows[index]));
    }
    this.marks = new Map();
    this.badFields = new Map();
    for (const problem of file.problems) {
      if (problem.offset === null || problem.offset >= this.bytes.length) continue;
      const field = this.fieldAt(problem.offset);
      this.badFields.set(field, problem.severity);
      const line = this.lineOf(this.targetOfField(field));
      if (line >= 0) this.marks.set(line, problem.severity);
    }
  }

  startOfNode(node) {
    return this.starts[Math.min(this.nodes.first[node], this.fields.length.length)];
  }

  /** Return the field that has a byte. */
  fieldAt(offset) {
    let low = 0, high = this.fields.length.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle; else high = middle - 1;
    }
    return low;
  }

  text(column, index) {
    return this.texts[column[index]];
  }

  path(field) {
    return this.text(this.fields.head, field) + this.text(this.fields.name, field);
  }

  isQuiet(field) {
    return QUIET.has(this.text(this.fields.kind, field));
  }

  section(field) {
    return this.file.sections[this.sectionOf[this.fields.node[field]]];
  }

  // A target is what one points at: bytes [start, end), the field or node, and the op around it.

  targetOfField(field) {
    const node = this.fields.node[field];
    return { start: this.starts[field], end: this.starts[field + 1], field, node, op: this.opOf[node] };
  }

  targetOfByte(offset) {
    const target = this.targetOfField(this.fieldAt(offset));
    return { ...target, byte: offset };
  }

  targetOfNode(node) {
    const start = this.startOfNode(node);
    return { start, end: this.ends[node], field: -1, node, op: this.opOf[node] };
  }

  targetOfOp(op) {
    return this.targetOfNode(this.ops.node[op]);
  }

  /** Return what is on a line of the text: an op, else a function; null for neither. */
  targetOfLine(line) {
    const op = this.opOfLine[line];
    if (op >= 0) return { ...this.targetOfOp(op), line };
    const found = this.file.functions.find((each) => each.line <= line && line < each.line + each.lines);
    return found ? { ...this.targetOfNode(found.node), line } : null;
  }

  /** Return the first line of a target, -1 if the text does not have it. */
  lineOf(target) {
    if (target.line !== undefined) return target.line;
    for (let node = target.node; node >= 0; node = this.nodes.parent[node]) {
      const op = this.nodes.op[node];
      if (op >= 0 && this.ops.line[op] >= 0) return this.ops.line[op];
      if (this.nodes.level[node] === LEVEL.fun) {
        const found = this.file.functions.find((each) => each.node === node);
        return found ? found.line : -1;
      }
    }
    return -1;
  }

  /** Return the ops that use what an op makes. */
  usersOf(op) {
    if (!this.users) {
      this.users = new Map();
      this.ops.from.forEach((makers, user) => {
        for (const maker of makers) {
          if (!this.users.has(maker)) this.users.set(maker, []);
          this.users.get(maker).push(user);
        }
      });
    }
    return this.users.get(op) ?? [];
  }

  /** Return the entry of a table that a field names, as {table, index}; null if it names none. */
  reference(field) {
    const table = { type: "types", string: "strings", constant: "constants", "debug record": "debug" }[
      this.text(this.fields.kind, field)];
    const value = this.fields.value[field];
    if (!table || typeof value !== "number") return null;
    const index = table === "debug" ? value - 1 : value;
    const entry = this.file.tables[table].field[index];
    return entry === undefined || entry < 0 ? null : { table, index, field: entry };
  }
}

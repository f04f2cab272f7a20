// The page's side of the worker: requests one after the other, each with a deadline.
//
// A worker that is late is ended, and another one is started. It knows nothing between requests, so
// nothing is lost: what is open is kept by the page.

const POLICY = globalThis.trustedTypes?.createPolicy("tileir", {
  createScriptURL(text) {
    if (text !== "worker.js") throw new TypeError("no other script is started");
    return text;
  },
});

export const SECONDS = 60;

/** A request that was ended before its answer. */
export class Ended extends Error {}

export class Python {
  /** `tell(state, detail)` hears of changes: starting, ready, working, failed. */
  constructor(tell) {
    this.tell = tell;
    this.seconds = SECONDS;
    this.starts = 0;
    this.waiting = [];
    this.current = null;
    this.number = 0;
    this.start();
  }

  start() {
    this.starts++;
    this.isReady = false;
    this.tell("starting", "Python");
    const worker = this.worker = new Worker(POLICY ? POLICY.createScriptURL("worker.js") : "worker.js", { type: "module" });
    worker.onmessage = ({ data }) => { if (worker === this.worker) this.hear(data); };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.worker) this.hear({ failed: event.message || "the worker cannot be started" });
    };
  }

  hear(data) {
    if (data.loading) this.tell("starting", data.loading);
    else if (data.ready) {
      this.isReady = true;
      this.about = data.ready;
      this.tell("ready", data.ready);
      this.next();
    } else if (data.failed) {
      this.worker.terminate();
      this.tell("failed", data.failed);
      for (const each of [this.current, ...this.waiting]) each?.reject(new Ended("Python did not start: " + data.failed));
      this.current = null;
      this.waiting = [];
    } else if (this.current && data.id === this.current.id) {
      const { resolve, reject } = this.current;
      this.done();
      if (data.error !== undefined) {
        this.again();  // nobody knows what is half done
        reject(new Ended(data.error));
      } else resolve(data.result);
      this.next();
    }
  }

  done() {
    clearTimeout(this.current.timer);
    this.current = null;
    if (this.isReady) this.tell("ready", this.about);
  }

  /** Ask for something. Of waiting requests with the same key only the last is made; the others are ended. */
  ask(call, given, key = null) {
    return new Promise((resolve, reject) => {
      if (key !== null) {
        for (const each of this.waiting) if (each.key === key) each.reject(new Ended(""));
        this.waiting = this.waiting.filter((each) => each.key !== key);
      }
      this.waiting.push({ id: ++this.number, call, given, key, resolve, reject });
      this.next();
    });
  }

  next() {
    if (!this.isReady || this.current || !this.waiting.length) return;
    const request = this.current = this.waiting.shift();
    const { seconds } = this;
    request.timer = setTimeout(() => this.end("This took more than " + seconds + " s, so it was stopped."), seconds * 1000);
    this.tell("working", "");
    this.worker.postMessage({ id: request.id, call: request.call, given: request.given });
  }

  /** End what is being done, and start another worker. */
  end(why = "Stopped.") {
    const request = this.current;
    if (request) {
      clearTimeout(request.timer);
      this.current = null;
    }
    this.again();
    request?.reject(new Ended(why));
  }

  again() {
    this.worker.terminate();
    this.start();
  }

  /** Run a command on files, by name. */
  command(argv, files, key = null) {
    return this.ask("command", { argv, files }, key);
  }
}

"use strict";
// What the plain page shows of rows of REST, without a browser: node page_test.js APP_JS.

const assert = require("assert");
const fs = require("fs");
const vm = require("vm");

// Takes every call and has every member.
const anything = new Proxy(function () {}, {
  get: (_, key) => (key === Symbol.iterator ? () => [][Symbol.iterator]() : key === Symbol.toPrimitive ? () => "" : anything),
  set: () => true,
  apply: () => anything,
});

// The page is hidden, so it never asks web.
const page = vm.createContext({
  document: { hidden: true, getElementById: () => anything, createElement: () => anything },
  sessionStorage: { getItem: () => "" },
  setTimeout: () => 0,
  Intl,
});
vm.runInContext(fs.readFileSync(process.argv[2], "utf8"), page);
// Instead of elements, their text.
vm.runInContext("make = (name, attributes, ...children) => children.join(''); sync = (body, items, key_of, cells_of) => { rows = items.map(cells_of); };", page);

function rows_of(show, answer) {
  page.answer = answer;
  vm.runInContext(show + "(answer)", page);
  return page.rows.map((row) => row.map((cell) => cell.build().join("")));
}

const execution = (attempt, max_attempts, deaths) => ({
  id: "1", task_name: "t", shard_total: 1, cause: "schedule", state: "succeeded", reason: null, attempt, max_attempts, deaths,
  scheduled_at: "2026-03-29T01:30:00.000000Z", cancel_requested_at: null, first_attempt: { client: null },
});
const attempts = (...numbers) => rows_of("show_executions", { items: [execution(...numbers)] })[0][4];
assert.strictEqual(attempts(1, 1, 0), "1/1");
assert.strictEqual(attempts(2, 3, 0), "2/3");
assert.strictEqual(attempts(2, 3, 1), "1/2 (1 death)");
assert.strictEqual(attempts(2, 2, 1), "1/1 (1 death)");
assert.strictEqual(attempts(3, 5, 3), "1/3 (3 deaths)");

const node = (members) => ({
  name: "n", address: "a", incarnation: "i", master: false, epoch: null, age_ms: 2400, load: 0, clients: 0, loops: [], version: "1",
  draining: false, cannot_plan: null, alive: true, silent: false, ...members,
});
const standing = (members) => rows_of("show_nodes", { items: [node(members)], lease: null, last_gap_ms: null, last_failover: null })[0].pop();
assert.strictEqual(standing({}), "up");
assert.strictEqual(standing({ silent: true }), "silent 2.4 s");
assert.strictEqual(standing({ alive: false }), "gone");

"use strict";
// The plain page: reads and changes everything through /api/v1. Data only ever becomes text nodes, never markup.

const api = "/api/v1";
const read_only = ["id", "version", "schedule_text", "next_at", "next_fire_at", "firings", "parked_at", "parked_reason", "paused", "created_at", "updated_at", "skips", "origins"];
const open_states = ["planned", "waiting", "running", "retrying"];
const $ = (id) => document.getElementById(id);
const state = { token: sessionStorage.getItem("token") || "", task_limit: 100, clients: [], editing: null, round: 0 };

// --- talking to the API ------------------------------------------------------------------------------------------

class refusal extends Error {
  constructor(problem) {
    super(problem.detail || problem.title || "the request failed");
    this.field = problem.field || "";
    this.status = problem.status;
  }
}

async function call(method, path, { body, headers = {} } = {}) {
  const all = { ...headers };
  if (state.token) all.Authorization = "Bearer " + state.token;
  if (body !== undefined) all["Content-Type"] = "application/json";
  const answer = await fetch(api + path, { method, headers: all, body, signal: AbortSignal.timeout(10000) });
  const text = await answer.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    throw new refusal({ status: answer.status, detail: "the server sent no JSON (status " + answer.status + ")" });
  }
  if (answer.status === 401) {
    ask_for_token();
    throw new refusal({ status: 401, detail: "not signed in" });
  }
  if (!answer.ok) throw new refusal({ ...value, status: answer.status });
  return { value, etag: answer.headers.get("ETag") };
}

// Shows the form alone: without a token the cards have nothing to show.
function ask_for_token() {
  $("sign-in-says").textContent = state.token ? "This token is wrong." : "Enter the token of web.";
  $("sign-in-says").className = state.token ? "problem" : "";
  $("sign-in").hidden = false;
  $("main").classList.add("locked");
}

// --- building elements -------------------------------------------------------------------------------------------

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// A name may be broken behind the marks between its words, and nowhere else as long as it fits into a line.
function name_of(text) {
  const parts = String(text).split(/(?<=[-_.:\/@])(?=[^-_.:\/@])/);
  return parts.flatMap((part, index) => (index === 0 ? [part] : [make("wbr"), part]));
}

const quiet = (text) => make("span", { class: "quiet" }, text);
const badge = (text, tone) => make("span", { class: "badge " + tone }, text);

// A cell that is built again only when its signature changes, so that focus and selection survive a refresh.
const cell = (signature, build, kind = "") => ({ signature: String(signature), build, kind });
const plain = (text, kind = "") => cell(text, () => [String(text)], kind);

const signatures = new WeakMap();

// `titles`: of the columns. On a narrow screen each cell stands in a line of its own, behind its title.
function fill(row, cells, titles) {
  cells.forEach((wanted, index) => {
    let td = row.children[index];
    if (!td) td = row.appendChild(make("td", { class: wanted.kind || null, "data-title": titles[index] }));
    if (signatures.get(td) === wanted.signature) return;
    signatures.set(td, wanted.signature);
    td.replaceChildren(...wanted.build());
  });
}

function sync(body, items, key_of, cells_of, nothing) {
  const titles = [...body.parentElement.querySelectorAll("th")].map((th) => th.textContent);
  const rows = new Map([...body.children].map((row) => [row.dataset.key, row]));
  const wanted = items.map((item) => {
    const key = key_of(item);
    const row = rows.get(key) || make("tr", { "data-key": key });
    fill(row, cells_of(item), titles);
    return row;
  });
  if (wanted.length === 0) {
    wanted.push(make("tr", {}, make("td", { colspan: titles.length, class: "empty" }, nothing)));
  }
  const keep = new Set(wanted);
  for (const row of [...body.children]) if (!keep.has(row)) row.remove();
  wanted.forEach((row, index) => {
    if (body.children[index] !== row) body.insertBefore(row, body.children[index] || null);
  });
}

// --- words for values --------------------------------------------------------------------------------------------

function span(ms) {
  const size = Math.abs(ms);
  if (size < 1000) return Math.round(ms) + " ms";
  if (size < 60000) return (ms / 1000).toFixed(size < 10000 ? 1 : 0) + " s";
  if (size < 3600000) return Math.floor(ms / 60000) + " min" + (ms % 60000 >= 1000 ? " " + Math.floor((ms % 60000) / 1000) + " s" : "");
  if (size < 172800000) return (ms / 3600000).toFixed(1) + " h";
  return Math.round(ms / 86400000) + " days";
}

function moment(text) {
  const at = new Date(text);
  const today = new Date().toDateString() === at.toDateString();
  const clock = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  return today ? clock : at.toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" }) + " " + clock;
}

// A text of the server with its times as this page shows them.
const with_moments = (text) => text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, moment);

const tone_of = { succeeded: "good", failed: "bad", timed_out: "bad", running: "busy", retrying: "warn" };

// --- the tables --------------------------------------------------------------------------------------------------

// The last failover, and the gap without a master.
function show_failover(last, gap_ms) {
  const line = $("failover");
  line.hidden = !last;
  if (!last) return;
  const strong = (text) => make("strong", {}, text);
  line.replaceChildren("Last failover: ", strong(last.to), " took over ", ...(last.from ? ["from ", strong(last.from), " "] : []),
    "at " + moment(last.at) + ", after a gap of ", strong(gap_ms === null ? "unknown length" : span(gap_ms)), last.why ? " (" + last.why + ")." : ".");
}

// Of the processor time of its loops, and the part that took it.
function longest_step(loops) {
  const [most] = loops.slice().sort((a, b) => b.longest_step_ms - a.longest_step_ms);
  return most ? most.longest_step_ms.toFixed(1) + " ms" + (most.part ? " (" + most.part + ")" : "") : "–";
}

function show_nodes({ items, lease, last_gap_ms, last_failover }) {
  show_failover(last_failover, last_gap_ms);
  const master = items.find((node) => node.master);
  const line = $("lease");
  if (!lease || !lease.owner) line.replaceChildren("No master yet: no node holds the lease.");
  else if (lease.expired)
    line.replaceChildren("The lease of epoch " + lease.epoch + " has expired: last renewed " + span(lease.age_ms) + " ago.");
  else
    line.replaceChildren("Master: ", make("strong", {}, master ? master.name : lease.owner), " under epoch ",
      make("strong", {}, String(lease.epoch)), ", lease renewed ", make("strong", {}, span(lease.age_ms)), " ago, ",
      make("strong", {}, lease.seconds_left.toFixed(1) + " s"), " left.");
  // A dead process is left out once a live node has its name.
  const live = new Set(items.filter((node) => node.alive).map((node) => node.name));
  sync($("nodes"), items.filter((node) => node.alive || !live.has(node.name)), (node) => node.incarnation, (node) => [
    cell(node.name + node.address, () => [...name_of(node.name), quiet(node.address)]),
    cell([node.master, node.alive], () => [!node.alive ? badge("gone", "bad") : node.master ? badge("master", "good") : badge("slave", "")]),
    plain(node.epoch === null ? "–" : node.epoch),
    plain(span(node.age_ms) + " ago", "nowrap"),
    plain(Math.round(node.load * 100) + " %"),
    plain(node.clients),
    plain(longest_step(node.loops)),
    plain(node.version),
    cell([node.alive, node.silent && node.age_ms, node.cannot_plan, node.draining], () => [!node.alive ? badge("gone", "bad")
      : node.silent ? badge("silent " + span(node.age_ms), "warn") : node.cannot_plan ? badge("cannot plan: " + node.cannot_plan, "bad") : node.draining ? badge("draining", "warn") : badge("up", "good")]),
  ], "No trigger node has registered yet.");
  const alive = items.filter((node) => node.alive).length;
  return (master ? "master " + master.name + ", epoch " + lease.epoch : "no master") + " · " + alive + (alive === 1 ? " node" : " nodes");
}

const service_of = ({ project, service }) => (project === "default" ? service : project + "/" + service);

function task_actions(task) {
  const button = (label, act, kind = "small") => make("button", { class: kind, onclick: act, "aria-label": label + " " + task.name }, label);
  return [
    button("Run", () => act_on(task, "run")),
    task.enabled ? button("Disable", () => act_on(task, "disable")) : button("Enable", () => act_on(task, "enable")),
    ...(task.enabled && task.next_at && !["fixed_delay", "after", "api"].includes(task.schedule.kind)
      ? [button("Skip next", () => skip_next(task))] : []),
    button("Edit", () => open_editor(task.id)),
    button("Delete", () => remove_task(task), "small danger"),
  ];
}

function show_tasks({ items, next }) {
  $("more-tasks").hidden = !next || state.task_limit >= 500;
  sync($("tasks"), items, (task) => task.id, (task) => [
    cell(task.name + task.project + task.description, () => [
      make("button", { class: "link", onclick: () => show_task(task) }, ...name_of(task.name)),
      quiet([task.project === "default" ? "" : task.project, task.description].filter(Boolean).join(" · "))]),
    cell(task.service + "/" + task.handler, () => [...name_of(task.service), " / ", ...name_of(task.handler)]),
    cell(JSON.stringify(task.schedule), () => [task.schedule_text, quiet(task.schedule.cron || task.schedule.kind.replace("_", " "))]),
    plain(task.next_at ? moment(task.next_at) : "–", "nowrap"),
    cell([task.enabled, task.parked_at, task.parked_reason, JSON.stringify(task.paused), JSON.stringify(task.skips)], () => [task.enabled ? badge("enabled", "good") : badge("disabled", ""),
      ...(task.paused ? [badge(task.paused.of + " paused", "bad"), quiet("since " + moment(task.paused.begun_at) + ": " + task.paused.reason)] : []),
      ...(task.skips?.length ? [quiet("skips " + task.skips.map((skip) => moment(skip.firing)).join(", "))] : []),
      ...(task.parked_at ? [badge("not planned", "bad"), quiet("since " + moment(task.parked_at) + ": " + task.parked_reason)] : [])]),
    cell(task.version + " " + task.enabled + " " + task.next_at, () => task_actions(task), "actions"),
  ], $("filter").value ? "No task has such a name." : "No task is registered yet.");
}

const state_of_client = (client) => client.state !== "up" ? badge(client.state, "warn")
  : client.reach === "unreachable" ? badge("unreachable", "bad") : client.reach === "pending" ? badge("not yet reached", "warn") : badge("up", "good");

const most_clients = 100;

function show_clients(items) {
  state.clients = items;
  $("more-clients").hidden = items.length <= most_clients;
  $("more-clients").textContent = "The first " + most_clients + " of " + items.length + " clients; baton clients shows all.";
  sync($("clients"), items.slice(0, most_clients), (client) => client.instance, (client) => [
    cell(service_of(client), () => name_of(service_of(client))),
    cell(client.instance, () => name_of(client.instance), "long"),
    plain(client.address || "it fetches"),
    cell([client.state, client.reach, client.reach_why], () => [state_of_client(client), ...(client.reach_why ? [quiet(client.reach_why)] : [])]),
    plain(client.slots),
    cell([client.handlers, client.tags], () => [...client.handlers.flatMap((handler, index) => [index ? ", " : "", ...name_of(handler)]), ...(client.tags.length ? [quiet("tags: " + client.tags.join(", "))] : [])]),
    plain(moment(client.joined_at), "nowrap"),
  ], "No client has registered yet.");
}

const task_of = (run) => [make("button", { class: "link", onclick: () => show_execution(run.id) }, ...name_of(run.task_name || "(unknown task)")),
  ...(run.shard_total > 1 ? [quiet("shard " + (run.shard_index + 1) + " of " + run.shard_total)] : [])];

function cancel_of(run) {
  const possible = open_states.includes(run.state) && !run.cancel_requested_at;
  return cell(possible, () => possible ? [make("button", { class: "small", onclick: () => cancel(run) }, "Cancel")] : [], "actions");
}

// As the command line has it: "2/3 (1 death)" is the second of three attempts; one more was lost with its client.
function attempts_of({ attempt, max_attempts, deaths }) {
  // A lost attempt adds one to both numbers, but the death that ends an execution is followed by no attempt.
  const replaced = Math.min(deaths, attempt - 1);
  const text = attempt - replaced + "/" + (max_attempts - replaced);
  return deaths ? text + " (" + deaths + (deaths === 1 ? " death)" : " deaths)") : text;
}

function show_executions({ items }) {
  sync($("executions"), items, (run) => run.id, (run) => {
    const first = run.first_attempt;
    const begun = first.started_at ? span(new Date(first.started_at) - new Date(run.scheduled_at)) : "–";
    const took = first.started_at && first.finished_at ? span(new Date(first.finished_at) - new Date(first.started_at)) : "–";
    return [
      plain(moment(run.scheduled_at), "nowrap"),
      cell(run.id, () => task_of(run)),
      plain(run.cause),
      cell(run.state + run.reason, () => [badge(run.state.replace("_", " "), tone_of[run.state] || ""),
        ...(run.reason ? [quiet(with_moments(run.reason))] : [])]),
      plain(attempts_of(run)),
      plain(begun, "nowrap"),
      plain(took, "nowrap"),
      cell(first.client, () => (first.client ? name_of(first.client) : ["–"]), "long"),
      cancel_of(run),
    ];
  }, "Nothing has run yet.");
}

function show_planned({ items }) {
  sync($("planned"), items, (run) => run.id, (run) => [
    plain(moment(run.scheduled_at), "nowrap"),
    cell(run.id, () => task_of(run)),
    plain(run.cause),
    cancel_of(run),
  ], "Nothing is planned for the next seconds.");
}

// --- refreshing --------------------------------------------------------------------------------------------------

async function refresh() {
  const wanted = [
    call("GET", "/nodes"),
    call("GET", "/tasks?limit=" + state.task_limit + ($("filter").value ? "&name=" + encodeURIComponent($("filter").value) : "")),
    call("GET", "/executions?planned=false&limit=50"),
    call("GET", "/executions?planned=true&limit=10"),
  ];
  if (state.round++ % 5 === 0) wanted.push(call("GET", "/clients"));
  try {
    const [nodes, tasks, executions, planned, clients] = await Promise.all(wanted);
    if (clients) show_clients(clients.value.items);
    const summary = show_nodes(nodes.value);
    show_tasks(tasks.value);
    show_executions(executions.value);
    show_planned(planned.value);
    const unreachable = state.clients.filter((client) => client.reach === "unreachable");
    $("summary").title = unreachable.map((client) => service_of(client) + " " + client.instance + ": " + client.reach_why).join("\n");
    $("summary").textContent = summary + " · " + state.clients.length + (state.clients.length === 1 ? " client" : " clients") +
      (unreachable.length ? " (" + unreachable.length + " unreachable: " + service_of(unreachable[0]) + ": " + unreachable[0].reach_why + ")" : "") +
      " · times in " + Intl.DateTimeFormat().resolvedOptions().timeZone;
    $("summary").className = "";
    $("sign-in").hidden = true;
    $("main").classList.remove("locked");
    $("pulse").className = "pulse on";
    setTimeout(() => ($("pulse").className = "pulse"), 350);
  } catch (failure) {
    state.round = 0;
    $("summary").textContent = failure instanceof refusal ? failure.message : "the web process does not answer";
    $("summary").className = "down";
    $("pulse").className = "pulse down";
  }
}

// Without the token that the server asks for, nothing is asked again until the user has given one.
async function keep_refreshing() {
  for (;;) {
    if (!document.hidden && $("sign-in").hidden) await refresh();
    await new Promise((done) => setTimeout(done, 1000));
  }
}

// --- actions -----------------------------------------------------------------------------------------------------

function notice(where, text, bad = false) {
  const place = $(where);
  place.textContent = text;
  place.className = bad ? "notice bad" : "notice";
  place.hidden = false;
  clearTimeout(place.timer);
  place.timer = setTimeout(() => (place.hidden = true), bad ? 15000 : 5000);
}

function random_key() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function act_on(task, deed) {
  try {
    const headers = deed === "run" ? { "Idempotency-Key": random_key() } : {};
    const { value } = await call("POST", "/tasks/" + task.id + "/" + deed, { headers });
    notice("task-notice", deed === "run" ? task.name + " runs as execution " + value.execution + "."
      : task.name + " is " + deed + "d from " + moment(value.valid_from) + " on.");
  } catch (failure) {
    notice("task-notice", task.name + ": " + failure.message, true);
  }
  refresh();
}

async function skip_next(task) {
  if (!await ask("Skip the firing of " + task.name + " at " + moment(task.next_at) + "?")) return;
  try {
    const { value } = await call("POST", "/tasks/" + task.id + "/skip-next", { body: JSON.stringify({ expected: task.next_at }) });
    notice("task-notice", task.name + " skips the firing of " + value.skipped.map(moment).join(", ") + "; the next one is " +
      (value.next_at ? "at " + moment(value.next_at) : "not known") + ".");
  } catch (failure) {
    notice("task-notice", task.name + ": " + failure.message, true);
  }
  refresh();
}

function ask(text) {
  return new Promise((done) => {
    const dialog = $("confirm");
    $("confirm-text").textContent = text;
    let yes = false;
    $("confirm-yes").onclick = () => { yes = true; dialog.close(); };
    $("confirm-no").onclick = () => dialog.close();
    dialog.onclose = () => done(yes);
    dialog.showModal();
    $("confirm-no").focus();
  });
}

async function remove_task(task) {
  if (!(await ask("Delete the task " + task.name + "? Its executions stay in the history."))) return;
  try {
    const { value } = await call("DELETE", "/tasks/" + task.id, { headers: { "If-Match": '"' + task.version + '"' } });
    notice("task-notice", task.name + " is deleted." + (value.open === 0 ? ""
      : " It is still running: " + value.open + (value.open === 1 ? " execution has" : " executions have") + " not ended."));
  } catch (failure) {
    notice("task-notice", task.name + ": " + failure.message, true);
  }
  refresh();
}

async function cancel(run) {
  try {
    await call("POST", "/executions/" + run.id + "/cancel");
    notice("execution-notice", "The cancellation was requested.");
  } catch (failure) {
    notice("execution-notice", failure.message, true);
  }
  refresh();
}

function show_details(title, text) {
  $("details-title").textContent = title;
  $("details-text").textContent = text;
  if (!$("details").open) $("details").showModal();
}

// A task's next firings, its latest executions and its definition.
async function show_task(task) {
  try {
    const [next, runs, whole] = (await Promise.all([
      call("GET", "/tasks/" + task.id + "/next?count=10"),
      call("GET", "/executions?planned=false&limit=10&task=" + task.id),
      call("GET", "/tasks/" + task.id)])).map((answer) => answer.value);
    const firings = next.next.map((firing) => firing.local + (firing.clock_changed ? "   the clock was changed before" : ""));
    const latest = runs.items.map((run) => moment(run.scheduled_at) + "  " + run.state.replace("_", " ") + "  execution " + run.id +
      (run.reason ? "  " + with_moments(run.reason) : ""));
    const shown = { ...whole };
    delete shown.next_fire_at; // the planner's mark, which is no next firing
    show_details("Task " + task.name, [
      (task.enabled ? "Next firings" : "It is disabled; enabled it would fire at") + "\n\n" + (firings.join("\n") || "None are known beforehand."),
      "Latest executions\n\n" + (latest.join("\n") || "None."),
      "Definition\n\n" + JSON.stringify(shown, null, 2)].join("\n\n"));
  } catch (failure) {
    notice("task-notice", failure.message, true);
  }
}

async function show_execution(id) {
  try {
    const { value } = await call("GET", "/executions/" + id);
    show_details("Execution " + id, JSON.stringify(value, null, 2));
  } catch (failure) {
    notice("execution-notice", failure.message, true);
  }
}

// --- the editor --------------------------------------------------------------------------------------------------

const form = $("editor-form");
const numbers = ["schedule.every_ms", "schedule.every", "max_attempts", "retry_delay_ms", "max_deaths", "timeout_ms"];
const schedules = {
  cron: () => ({ kind: "cron", cron: "*/5 * * * *", zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" }),
  fixed_rate: () => ({ kind: "fixed_rate", every_ms: 60000 }),
  fixed_delay: () => ({ kind: "fixed_delay", every_ms: 60000 }),
  window: () => ({
    kind: "window", every_ms: 900000, from: "09:00", to: "17:30", days: ["mon", "tue", "wed", "thu", "fri"],
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
  }),
  calendar: () => ({
    kind: "calendar", every: 1, unit: "months", time: "02:00", on: "last_business_day",
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
  }),
  once: () => ({ kind: "once", at: new Date(Date.now() + 3600000).toISOString() }),
  after: () => ({ kind: "after", task: "" }),
  api: () => ({ kind: "api" }),
};
const blank = () => ({
  project: "default", name: "", description: "", service: "", handler: "", payload: {}, schedule: schedules.cron(),
  misfire: { action: "fire_once", after_ms: 60000 },
  routing: "round_robin", max_attempts: 1, retry_delay_ms: 1000, max_deaths: 3, timeout_ms: 0, enabled: true,
});

const fields = () => [...form.elements].filter((field) => field.name && !["definition", "allow_unserved"].includes(field.name));
const value_at = (document_, path) => path.split(".").reduce((value, key) => (value ? value[key] : undefined), document_);

function definition() {
  try {
    const value = JSON.parse(form.elements.definition.value);
    return value && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function write_definition(value) {
  form.elements.definition.value = JSON.stringify(value, null, 2);
}

function fields_from(value) {
  for (const field of fields()) {
    const found = value_at(value, field.name);
    if (document.activeElement !== field) field.value = found === undefined || found === null ? "" : found;
  }
  const kind = value.schedule && value.schedule.kind;
  for (const label of form.querySelectorAll("[data-kinds]")) label.hidden = !label.dataset.kinds.split(" ").includes(kind);
  suggest(value);
  explain(value);
}

function suggest(value) {
  const options = (list, names) => $(list).replaceChildren(...[...new Set(names)].sort().map((name) => make("option", { value: name })));
  const clients = state.clients.filter((client) => client.project === value.project);
  options("services", clients.map((client) => client.service));
  options("handlers", clients.filter((client) => client.service === value.service).flatMap((client) => client.handlers));
}

let explaining = 0;
function explain(value) {
  clearTimeout(explaining);
  const says = $("cron-says");
  const spec = value.schedule || {};
  if (spec.kind !== "cron" || !spec.cron) return void (says.textContent = "");
  explaining = setTimeout(async () => {
    try {
      const asked = { cron: spec.cron, zone: spec.zone || "UTC", count: 2 };
      for (const name of ["dialect", "gap", "overlap", "hash_seed"]) if (spec[name] !== undefined) asked[name] = spec[name];
      for (const name of ["project", "name"]) if (value[name]) asked[name] = value[name];
      const body = JSON.stringify(asked);
      const answer = (await call("POST", "/cron/explain", { body })).value;
      says.textContent = "Fires " + answer.description + ": next " + answer.next.map((firing) => firing.local.replace("T", " ")).join(", then ") + answer.notes.map((note) => ". Note: " + note.text).join("");
    } catch (failure) {
      says.textContent = failure.message;
    }
  }, 250);
}

function clear_problems() {
  form.querySelectorAll(".field-problem").forEach((text) => text.remove());
  form.querySelectorAll(".wrong").forEach((field) => { field.classList.remove("wrong"); field.removeAttribute("aria-invalid"); });
  $("editor-problem").hidden = true;
}

// Shows a problem at its field, or at the document when the field has no input of its own.
function show_problem(failure) {
  const own = failure.field ? form.elements[failure.field] : null;
  const shown = own && !own.closest("[hidden]") ? own : failure.field && !/^[A-Z]/.test(failure.field) ? form.elements.definition : null;
  if (shown) {
    shown.classList.add("wrong");
    shown.setAttribute("aria-invalid", "true");
    shown.after(make("span", { class: "field-problem", role: "alert" }, failure.message));
    shown.focus();
  } else {
    $("editor-problem").textContent = failure.message;
    $("editor-problem").hidden = false;
  }
}

async function open_editor(id) {
  let value = blank();
  state.editing = null;
  if (id) {
    try {
      const answer = await call("GET", "/tasks/" + id);
      value = answer.value;
      state.editing = { id, etag: answer.etag };
      for (const name of read_only) delete value[name];
    } catch (failure) {
      return notice("task-notice", failure.message, true);
    }
  }
  clear_problems();
  form.elements.allow_unserved.checked = false;
  $("editor-title").textContent = id ? "Edit " + value.name : "Register a task";
  $("editor-save").textContent = id ? "Save" : "Register";
  write_definition(value);
  $("editor").showModal();
  form.elements.name.focus();
  fields().forEach((field) => (field.value = ""));
  form.elements.name.value = value.name;
  fields_from(value);
}

form.addEventListener("input", (event) => {
  const field = event.target;
  if (field.name === "allow_unserved") return;
  const value = definition();
  if (field.name === "definition") {
    if (value) fields_from(value);
    return;
  }
  if (!value) return;
  if (field.name === "schedule.kind") value.schedule = schedules[field.value]();
  else {
    const keys = field.name.split(".");
    const last = keys.pop();
    const inner = keys.reduce((object, key) => (object[key] = object[key] || {}), value);
    inner[last] = numbers.includes(field.name) && field.value !== "" ? Number(field.value) : field.value;
    if (field.tagName === "SELECT" && field.value === "") delete inner[last]; // the default
  }
  write_definition(value);
  fields_from(value);
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  clear_problems();
  try {
    JSON.parse(form.elements.definition.value);
  } catch (failure) {
    return show_problem({ field: "definition", message: "This is not JSON: " + failure.message });
  }
  const query = form.elements.allow_unserved.checked ? "?allow_unserved=true" : "";
  $("editor-save").disabled = true;
  try {
    const body = form.elements.definition.value;
    const { value } = state.editing
      ? await call("PUT", "/tasks/" + state.editing.id + query, { body, headers: { "If-Match": state.editing.etag } })
      : await call("POST", "/tasks" + query, { body });
    $("editor").close();
    notice("task-notice", value.name + (state.editing ? " is changed" : " is registered") + ", from " + moment(value.valid_from) + " on.");
    refresh();
  } catch (failure) {
    show_problem(failure);
  } finally {
    $("editor-save").disabled = false;
  }
});

// --- wiring ------------------------------------------------------------------------------------------------------

$("new-task").addEventListener("click", () => open_editor(null));
$("editor-close").addEventListener("click", () => $("editor").close());
$("details-close").addEventListener("click", () => $("details").close());
$("filter").addEventListener("input", () => refresh());
$("more-tasks").addEventListener("click", () => { state.task_limit = Math.min(500, state.task_limit + 200); refresh(); });
$("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = $("token").value;
  sessionStorage.setItem("token", state.token);
  refresh();
});
for (const zone of Intl.supportedValuesOf ? Intl.supportedValuesOf("timeZone") : ["UTC"])
  $("zones").append(make("option", { value: zone }));
keep_refreshing();

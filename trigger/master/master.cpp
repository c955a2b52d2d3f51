#include "trigger/master/master.hpp"

#include "libs/base/log.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/outage.hpp"
#include "libs/base/task_group.hpp"

namespace baton::trigger {

namespace {
constexpr duration plan_again = 20ms;     // after the database did not answer
constexpr duration planning_pause = 50ms; // between two looks whether this master can plan
constexpr char name_of_planner[] = "planner";
}

master::master(master_settings const& settings, trigger::term const& term, dependencies deps,
               asio::any_io_executor loop)
    : term_(term),
      deps_(deps),
      open_(term_.time),
      due_changed_(loop),
      planned_(loop),
      loading_done_(loop),
      clients_(deps_.shared, term_.time, loop),
      scope_{term_, deps_.ledger, open_, clients_, due_changed_, loop},
      watch_(term_.time.now()),
      planner_(settings.planner, term_, {deps_.ledger, book_, open_, deps_.ids, watch_, pauses_}, loop,
               [this] {
                   due_changed_.wake();
                   planned_.wake();
               }),
      queue_(open_, loop),
      suspects_(scope_),
      attempts_(scope_, queue_, suspects_),
      admissions_(scope_, attempts_),
      paused_(scope_, pauses_, attempts_),
      service_settings_(scope_),
      past_(scope_),
      ready_([this](execution_id id) { return open_.place_in_line(id); }),
      homes_(scope_, deps_.node, settings.dispatcher.assign_limit),
      unresponsive_(scope_, homes_, book_, listeners_of_handlers()),
      deadlines_(scope_, queue_, unresponsive_),
      limits_(scope_, attempts_, deadlines_),
      in_doubt_(scope_, {deps_.node.nodes, homes_, attempts_, credits_}),
      unreported_(scope_, homes_, steps_of_unreported()),
      loader_(scope_, book_, steps_of_loading()),
      runs_(settings.planner, scope_, loader_, attempts_),
      mark_(scope_, settings.planner.edit_lead),
      out_(scope_),
      late_(scope_, out_),
      take_over_(scope_, loader_, mark_, out_),
      assigner_(settings.dispatcher, scope_,
                {deps_.node.nodes, deps_.node.here, homes_, deps_.node.trace, credits_, ready_, queue_, in_doubt_,
                 attempts_, admissions_, mark_, paused_, limits_, past_, out_, late_}),
      completions_(scope_, {queue_, attempts_, planner_, book_}),
      far_ends_(homes_, term_.time, loop),
      splitter_(scope_, queue_, attempts_, deps_.ids),
      closer_(scope_, queue_, attempts_),
      successors_(settings.planner, scope_, book_, deps_.ids),
      sweeper_(settings, scope_, {deps_.node.nodes, credits_, attempts_, in_doubt_, queue_, assigner_, loader_}),
      cancellations_(open_, term_.time, loop, steps_of_cancelling()),
      signals_(settings.planner, scope_, {deps_.signals, deps_.shared}, actions_on_signals()),
      stopped_(scope_, attempts_),
      zones_(settings, scope_, {deps_.ledger.zone_tables(), deps_.node.nodes, book_, planner_}),
      counter_(settings.retention, term_, deps_.shared),
      janitor_(settings.retention, term_, deps_.shared),
      parts_(term_, loop)
{
    add_parts();
    clients_.on_gone([this](std::string const& instance) { sweeper_.client_gone(instance); });
    open_.on_add([this](open_execution const& one) { limits_.watch(one); });
    open_.on_end([this](execution_id id) {
        limits_.forget(id);
        refusals_.forget(id);
        if (unresponsive_.has(id))
            admissions_.runs_on(id);
        else
            admissions_.ended(id);
    });
    completions_.on_outlived([this](auto attempt) { unresponsive_.outlives(std::move(attempt)); });
    attempts_.on_given_back([this](utc_time from) {
        planner_.look_from(from);
        planner_.wake();
    });
    in_doubt_.on_held([this](open_execution const& one, duration ran) {
        if (one.ran || ran > 0s)
            deadlines_.started(one.id, one.attempt, ran);
    });
    in_doubt_.on_earlier(
        [this](open_execution const& one, duration ran) { deadlines_.started(one.id, one.attempt, ran); });
    in_doubt_.on_absent([this](open_execution& one) {
        if (!stopped_.cancel_if_stopped(one))
            admissions_.absent(one);
    });
    late_.while_stops_are_unknown([this] { return stopped_.is_behind(); });
    paused_.on_resume([this](protocol::service_view service) {
        assigner_.released(service);
        planner_.wake();
    });
    service_settings_.on_change([this](auto const& all) { admissions_.limit(all); });
    open_.on_release([this](protocol::service_view service) { assigner_.released(service); });
    in_doubt_.on_capacity(
        [this](std::string const& node, protocol::capacity_message const& told) { assigner_.hear(node, told); });
}

execution_loader::steps master::steps_of_loading()
{
    return {[this](open_execution& one, utc_time due) { attempts_.retry_recorded(one, due); },
            [this](open_execution& one) { attempts_.cancel(one); },
            [this](open_execution& one) {
                out_.sent(one);
                in_doubt_.add(one, protocol::attempt_cause::take_over);
            },
            [this](open_execution& one) { attempts_.wait(one); },
            [this](open_execution const& one) { admissions_.under_way(one); }};
}

cancellations::steps master::steps_of_cancelling()
{
    return {[this](std::string instance, std::vector<execution_id> ids) {
                return homes_.cancel(std::move(instance), std::move(ids));
            },
            [this](std::string node, std::vector<execution_id> ids) {
                return homes_.withdraw(std::move(node), std::move(ids));
            },
            [this](open_execution& one) { attempts_.cancel(one); },
            [this](open_execution& one) { deadlines_.stopping(one); }};
}

unresponsive_handlers::listeners master::listeners_of_handlers()
{
    return {[this](auto const& row, auto const& task) { admissions_.still_runs(row, task); },
            [this](execution_id id) { admissions_.ended(id); }};
}

signal_reader::actions master::actions_on_signals()
{
    return {[this](auto const& row, auto const& seen) { runs_.load(row, seen); },
            [this](execution_id id) { queue_.ended(id); },
            [this](auto const& ids) { cancellations_.request(ids); },
            [this](utc_time limit) { assigner_.may_fire_until(limit); },
            [this] {
                planner_.wake();
                due_changed_.wake();
            },
            [this](auto const& all, instant asked) { paused_.learn(all, asked); },
            [this](auto const& all, instant asked) { service_settings_.learn(all, asked); },
            [this](task_id task) { return admissions_.limits(task); },
            [this](auto const& task) { edited(task); }};
}

void master::edited(storage::defined_task const& task)
{
    try {
        admissions_.edited(book_.get(task.id, task.version, task.definition, std::nullopt));
    } catch (invalid_input const& failure) {
        log::error("term",
                   "a task cannot be read, its waiting executions keep the rate and the concurrency limit of its "
                   "former version",
                   {log::reason(failure.what()), {"task", task.id.value()}});
    }
}

awaitable<void> master::run()
{
    task_group beside(scope_.loop);
    beside.spawn("the watch over planning", watch_planning());
    auto all = lead();
    co_await beside.around(std::move(all));
}

bool master::note_what_is_out()
{
    out_.hurry();
    return out_.has_hurried();
}

std::optional<std::string> master::cannot_plan()
{
    if (auto const failed = term_.active({}) ? parts_.trouble_of(name_of_planner) : std::nullopt)
        return "planning failed: " + failed->cause;
    auto const trouble = watch_.trouble(term_.active({}), term_.active(transaction_need), term_.time.now());
    if (auto const until = term_.clock.stands_until(); until && !trouble && term_.active({}))
        return "the clock was set back, and firings wait until " + to_rfc3339(*until);
    return trouble;
}

awaitable<void> master::watch_planning()
{
    std::string said;
    for (;;) {
        co_await term_.time.sleep_for(planning_pause);
        auto const why = cannot_plan().value_or("");
        if (why == said)
            continue;
        if (!why.empty())
            log::warn("planner", "the master is active and cannot plan", {log::reason(why), {"epoch", term_.epoch()}});
        else if (term_.active({}))
            log::info("planner", "the master plans again", {{"epoch", term_.epoch()}});
        said = why;
    }
}

awaitable<void> master::lead()
{
    bool const ours = co_await begin();
    if (!ours) {
        log::warn("term", "a newer master has raised the fence, this term ends", {{"epoch", term_.epoch()}});
        co_return;
    }
    assigner_.hear(deps_.node.nodes.self().incarnation, deps_.node.here.capacity());
    take_over_.begin();
    deps_.log.acts();
    bool const ended_by_itself = co_await parts_.run();
    if (!ended_by_itself)
        log::warn("term", "a newer master has raised the fence, this term ends", {{"epoch", term_.epoch()}});
}

// Where a failed step may leave an execution in no queue, the part does not start again within the term.
void master::add_parts()
{
    parts_.add(name_of_planner, [this] { return planner_.run(); });
    parts_.add("clients", [this] { return clients_.run(); });
    parts_.add_irreplaceable("assigner", [this] { return assigner_.run(); });
    parts_.add("attempts", [this] { return attempts_.run(); });
    parts_.add_irreplaceable("admissions", [this] { return admissions_.run(); });
    parts_.add("suspects", [this] { return suspects_.run(); });
    parts_.add("fire mark", [this] { return mark_.run(); });
    parts_.add("watermark", [this] { return out_.run(); });
    parts_.add("late sends", [this] { return late_.run(); });
    parts_.add_irreplaceable("executions in doubt", [this] { return in_doubt_.run(); });
    parts_.add("fixed delays", [this] { return completions_.run(); });
    parts_.add("results at other nodes", [this] { return far_ends_.run(); });
    parts_.add("splitting broadcasts", [this] { return splitter_.run(); });
    parts_.add("closing broadcasts", [this] { return closer_.run(); });
    parts_.add("successors", [this] { return successors_.run(); });
    parts_.add("take-over", [this] { return load(); });
    parts_.add("sweeper", [this] { return sweep(); });
    parts_.add("cancellations", [this] { return cancellations_.run(); });
    parts_.add("deadlines", [this] { return deadlines_.run(); });
    parts_.add("unreported runs", [this] { return unreported_.run(); });
    parts_.add("limits", [this] { return limits_.run(); });
    parts_.add("unresponsive handlers", [this] { return unresponsive_.run(); });
    parts_.add("signals", [this] { return signals_.run(); });
    parts_.add("stopped tasks", [this] { return stopped_.run(); });
    parts_.add("pauses", [this] { return paused_.run(); });
    parts_.add("service settings", [this] { return service_settings_.run(); });
    parts_.add("context", [this] { return past_.run(); });
    parts_.add("zones", [this] { return zones_.run(); });
    parts_.add("counter", [this] { return counter_.run(); });
    parts_.add("janitor", [this] { return janitor_.run(); });
    parts_.add("log of terms", [this] { return log_begin(); });
}

awaitable<void> master::load()
{
    co_await take_over_.run();
    planner_.loaded();
    co_await unresponsive_.load();
    admissions_.all_loaded();
    stopped_.all_loaded();
    out_.all_loaded();
    loaded_ = true;
    loading_done_.wake();
    co_await admissions_.read_edits([this](auto const& task) { edited(task); });
}

// Starts after the load; before that it would read the same rows again, in smaller pieces.
awaitable<void> master::sweep()
{
    while (!loaded_)
        co_await loading_done_.wait();
    co_await sweeper_.run();
}

// Waits for the first page of firings, because due executions come before the log of terms, which only people read.
awaitable<void> master::log_begin()
{
    co_await planned_.wait_until(term_.time, term_.time.now() + 1s);
    auto const replayed = co_await take_over_.past_due();
    deps_.log.replayed(replayed);
    co_await deps_.log.write_begin(term_.fence);
}

// Tries again if the database fails: the lease is held, and the next try gets a new session. False if a newer master
// has raised the fence.
awaitable<bool> master::begin()
{
    for (;;) {
        try {
            bool const ours = co_await deps_.ledger.raise(term_.fence);
            if (ours) {
                co_await signals_.agree_on_lead();
                co_await mark_.read();
                co_await out_.read();
                co_await paused_.read();
                co_await stopped_.read();
                co_await service_settings_.read();
                co_await admissions_.read();
                co_await deps_.node.nodes.refresh(); // the clients follow once all nodes know the epoch
            }
            co_return ours;
        } catch (unavailable const& reason) {
            log::outage(reason, "term", "raising the fence failed, trying again in 20 ms",
                        {log::reason(reason.what()), {"epoch", term_.epoch()}});
        }
        co_await term_.time.sleep_for(plan_again);
    }
}

void master::client_gone(std::string const& instance)
{
    clients_.gone(instance);
    sweeper_.client_gone(instance);
}

void master::roster_read(storage::roster const& roster, instant asked)
{
    clients_.note(roster.clients_changed, roster.now, asked);
    sweeper_.nodes_changed();
}

} // namespace baton::trigger

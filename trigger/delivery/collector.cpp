#include "trigger/delivery/collector.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/storage/write_in_halves.hpp"

namespace baton::trigger {

namespace {

constexpr std::size_t message_limit = 5'000;
constexpr std::size_t value_limit = 64u << 10; // docs/protocol.md
constexpr std::size_t error_limit = 16u << 10;
constexpr std::size_t bytes_limit = 64u << 20; // of waiting values and errors
constexpr std::size_t most_wrong_clocks = 10'000;

void check(protocol::result_report const& report)
{
    using protocol::state;
    if (report.execution.value() <= 0)
        throw invalid_input("execution", "execution must be the positive id of the dispatch");
    if (report.attempt < 1)
        throw invalid_input("attempt", "attempt must be at least 1");
    if (report.status != state::running && !protocol::is_reported_end(report.status))
        throw invalid_input("status", "status must be running, succeeded, failed, timed_out or cancelled, not '" +
                                          std::string(protocol::to_string(report.status)) + "'");
}

std::size_t bytes_of(storage::result_row const& row)
{
    return row.error.size() + (row.value ? row.value->size() : 0);
}

storage::result_row make_row(protocol::result_report const& report, std::string const& client,
                             reported_times const& times)
{
    check(report);
    storage::result_row row;
    row.id = report.execution;
    row.attempt = report.attempt;
    row.outcome = report.status;
    row.client = client;
    row.started_at = times.started;
    row.finished_at = times.finished;
    row.progress = std::clamp(report.progress, 0, 100);
    row.error = shortened(report.error, error_limit);
    bool const failed = report.status == protocol::state::failed;
    row.final = report.final && failed;
    row.interrupted = report.interrupted && failed && !row.final;
    if (!report.value.is_null()) {
        if (report.value.size() <= value_limit)
            row.value = report.value.view();
        else
            row.value = R"({"dropped":"the result was longer than 64 KiB"})";
    }
    return row;
}

} // namespace

collector::collector(results_settings settings, std::string self, dependencies deps, asio::any_io_executor loop)
    : settings_(settings), self_(std::move(self)), deps_(deps), loop_(loop), bell_(loop)
{}

awaitable<void> collector::take(protocol::results_request message)
{
    if (message.results.size() > message_limit)
        throw invalid_input("results", "at most 5000 results a message");
    if (message.results.empty())
        co_return;
    if (queued_ + message.results.size() > settings_.queue_limit || queued_bytes_ > bytes_limit)
        throw unavailable("too many results wait for the database");
    auto const mine = std::make_shared<submission>(loop_);
    auto const now = deps_.time.utc();
    for (auto const& report : message.results) {
        auto const told = read_times(report.started_at, report.finished_at);
        known_times const known{made_at(report.execution), now};
        mine->rows.push_back(make_row(report, message.instance, plausible(told, known)));
        if (is_absurd(told, known))
            note_clock(report.execution, message.instance, told);
        mine->bytes += bytes_of(mine->rows.back());
    }
    queued_ += mine->rows.size();
    queued_bytes_ += mine->bytes;
    queue_.push_back(mine);
    bell_.wake();
    co_await mine->done.wait();
    if (!mine->failure.empty())
        throw unavailable(mine->failure);
}

void collector::note_clock(execution_id execution, std::string const& client, reported_times const& told)
{
    if (wrong_clocks_.size() >= most_wrong_clocks || !wrong_clocks_.insert(client).second)
        return;
    auto const text = [](std::optional<utc_time> const& at) { return at ? to_rfc3339(*at) : "none"; };
    log::warn("results",
              "a client reports that it ran an execution before that existed, or in the future; its times are recorded "
              "within those bounds from now on, set the clock of its machine",
              {{"client", client},
               {"execution", execution.value()},
               {"started", text(told.started)},
               {"finished", text(told.finished)}});
}

awaitable<void> collector::run()
{
    for (;;) {
        while (queue_.empty())
            co_await bell_.wait();
        co_await await_group();
        auto group = gather();
        co_await commit(std::move(group));
    }
}

// A transaction costs much more than one more row in it, so a busy node begins few of them.
awaitable<void> collector::await_group()
{
    if (queued_ < settings_.group && deps_.time.now() < next_)
        co_await deps_.time.sleep_until(next_);
    next_ = deps_.time.now() + settings_.pause;
}

std::vector<std::shared_ptr<collector::submission>> collector::gather()
{
    std::vector<std::shared_ptr<submission>> group;
    std::size_t rows = 0;
    while (!queue_.empty() && (group.empty() || rows + queue_.front()->rows.size() <= settings_.group)) {
        rows += queue_.front()->rows.size();
        queued_bytes_ -= queue_.front()->bytes;
        group.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    queued_ -= rows;
    return group;
}

void collector::report(std::vector<storage::result_row> const& rows)
{
    for (auto const& row : rows) {
        if (!protocol::is_final(row.outcome)) {
            deps_.report.started({row.id, row.attempt});
            continue;
        }
        auto const ended = to_micros(row.finished_at.value_or(deps_.time.utc()));
        deps_.report.finished({row.id, row.attempt, row.outcome, ended, row.final, row.interrupted});
    }
}

awaitable<void> collector::commit(std::vector<std::shared_ptr<submission>> group)
{
    std::vector<storage::result_row> rows;
    for (auto const& one : group)
        rows.insert(rows.end(), one->rows.begin(), one->rows.end());
    std::string failure;
    refusals refused;
    try {
        refused = co_await record(rows);
    } catch (unavailable const& reason) {
        failure = reason.what();
    }
    std::erase_if(rows, [&](auto const& row) { return refused.contains(row.id); });
    if (failure.empty())
        report(rows);
    for (auto const& one : group) {
        one->failure = failure;
        for (auto const& row : one->rows)
            if (auto const found = refused.find(row.id); found != refused.end())
                one->failure = found->second;
        one->done.wake();
    }
}

// A result that the database refuses keeps its outcome and loses its texts. The others of its group are recorded as
// they are. Returns those that are refused all the same, with the reasons.
awaitable<collector::refusals> collector::record(std::vector<storage::result_row> const& rows)
{
    auto const write = [this](std::vector<storage::result_row> const& some) -> awaitable<void> {
        co_await deps_.ledger.record(some, self_);
    };
    auto outcome = co_await storage::write_in_halves(rows, write);
    std::vector<storage::result_row> plain;
    for (auto& [row, why] : outcome.refused) {
        log::error("results", "the database refuses a result, it is recorded without its value and its error",
                   {log::reason(why), {"execution", row.id.value()}, {"client", row.client}});
        row.value.reset();
        row.error = "the database refused the texts of this result: " + why;
        plain.push_back(std::move(row));
    }
    refusals left;
    if (plain.empty())
        co_return left;
    auto const last = co_await storage::write_in_halves(plain, write);
    for (auto const& [row, why] : last.refused)
        left.emplace(row.id, "the database refuses a result: " + why);
    co_return left;
}

} // namespace baton::trigger

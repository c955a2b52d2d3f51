#include "trigger/master/past_reader.hpp"

#include "libs/base/log.hpp"
#include "trigger/master/write_group.hpp"

namespace baton::trigger {

namespace {

constexpr duration read_again = 200ms; // after the database did not answer

} // namespace

bool past_reader::keep(open_execution& one)
{
    if (!one.task->definition.context.any() || one.past_attempt == one.attempt)
        return false;
    waiting_.push_back(one.id);
    bell_.wake();
    return true;
}

awaitable<void> past_reader::run()
{
    for (;;) {
        bool failed = false;
        try {
            while (!waiting_.empty())
                co_await read_some();
        } catch (unavailable const& reason) {
            log::warn("context", "reading the earlier executions of tasks failed, trying again in 200 ms",
                      {log::reason(reason.what())});
            failed = true;
        }
        if (failed)
            co_await scope_.term.time.sleep_for(read_again);
        else
            co_await bell_.wait();
    }
}

awaitable<void> past_reader::read_some()
{
    auto const some = front(waiting_);
    std::vector<storage::past_question> questions;
    std::vector<std::pair<execution_id, int>> asked; // and the attempt
    for (auto const id : some)
        if (auto const* one = scope_.open.find(id); one != nullptr && one->phase == phase::waiting) {
            questions.push_back({one->task->id, one->scheduled_at});
            asked.emplace_back(id, one->attempt);
        }
    auto const found = co_await scope_.ledger.past(questions);
    drop(waiting_, some.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto* one = scope_.open.find(asked[i].first);
        bool const waits = one != nullptr && one->phase == phase::waiting && one->attempt == asked[i].second;
        if (!waits || one->past_attempt == one->attempt)
            continue;
        one->past = std::make_shared<storage::past_executions const>(found[i]);
        one->past_attempt = one->attempt;
        scope_.open.wait(*one, scope_.term.clock.now());
    }
    scope_.due_changed.wake();
}

} // namespace baton::trigger

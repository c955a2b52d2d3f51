#include "trigger/master/task_book.hpp"

#include "libs/base/error.hpp"
#include "libs/schedule/zones.hpp"

#include <boost/asio/post.hpp>

namespace baton::trigger {

namespace {

constexpr std::size_t parsed_in_a_step = 32; // about half a millisecond

std::shared_ptr<known_task> parse(task_id id, int version, std::string const& definition)
{
    auto const document = nlohmann::json::parse(definition, nullptr, false);
    if (document.is_discarded())
        throw invalid_input("", "the stored definition of task " + to_string(id) + " is not JSON");
    auto task = std::make_shared<known_task>();
    task->id = id;
    task->version = version;
    task->definition = protocol::parse_task(document);
    return task;
}

} // namespace

std::shared_ptr<known_task const> task_book::get(task_id id, int version, std::string const& definition,
                                                 std::optional<utc_time> created_at)
{
    auto& keys = tasks_.get<1>();
    auto const found = keys.find(key{id.value(), version});
    bool const known = found != keys.end();
    if (known)
        tasks_.relocate(tasks_.begin(), tasks_.project<0>(found));
    auto const zones = schedule::zones_generation();
    if (known && (!created_at || (found->task->timetable && found->task->zones == zones)))
        return found->task;
    auto task = known ? std::make_shared<known_task>(*found->task) : parse(id, version, definition);
    task->zones = zones;
    if (created_at)
        task->timetable.emplace(task->definition.schedule, *created_at);
    if (known) {
        keys.modify(found, [&](entry& old) { old.task = task; });
        return task;
    }
    tasks_.push_front({key{id.value(), version}, task});
    if (tasks_.size() > limit_)
        tasks_.pop_back();
    return task;
}

awaitable<void> task_book::learn(std::vector<storage::due_task> const& due)
{
    std::size_t parsed = 0;
    for (auto const& row : due) {
        if (tasks_.get<1>().contains(key{row.id.value(), row.version}))
            continue;
        try {
            get(row.id, row.version, row.definition, row.created_at);
        } catch (invalid_input const&) { // who plans the task tells it
        }
        if (++parsed % parsed_in_a_step == 0)
            co_await asio::post(asio::use_awaitable);
    }
}

} // namespace baton::trigger

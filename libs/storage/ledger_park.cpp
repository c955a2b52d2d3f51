#include "libs/storage/free_tasks.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/topic_versions.hpp"

namespace baton::storage {

namespace {

constexpr by_index due_tasks{"task_due"};

// task.parked_for. Names have no slashes.
std::string key_text(protocol::service_key const& service)
{
    return service.project + '/' + service.service;
}

protocol::service_key service_of_text(std::string const& text)
{
    auto const slash = text.find('/');
    return {text.substr(0, slash), slash == std::string::npos ? std::string() : text.substr(slash + 1)};
}

struct parked_row {
    task_id id;
    utc_time next_fire_at;
};

std::vector<parked_row> read_parked(soci::session& sql, protocol::namespace_id name_space,
                                    protocol::service_key const& service, int limit)
{
    std::vector<parked_row> found;
    statement ask(sql);
    ask.select("id", "next_fire_at")(
        " FROM task", due_tasks, " WHERE namespace = ", name_space, " AND parked_for = ", key_text(service),
        " AND next_fire_at IS NOT NULL ORDER BY next_fire_at, project, service, id LIMIT ", limit);
    ask.each([&](row& cells) {
        auto const id = cells.name<task_id>();
        found.push_back({id, cells.moment()});
    });
    return found;
}

} // namespace

awaitable<void> ledger::park(fence mine, std::vector<parked_task> const& tasks)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto const free = without(tasks, lock_tasks_of(sql, tasks));
        for (auto const chunk : chunks(sql, free, 5)) {
            batch_update update(sql, {"task"}, {"id", "version", "seen", "service", "reason"});
            for (auto const& task : chunk)
                update.row(task.id, task.version, task.seen, key_text(task.service),
                           fitting(task.reason, longest_reason));
            update.set("parked_for = ", update["service"], ", parked_at = ", now_us(sql),
                       ", parked_reason = ", update["reason"]);
            update.where("e.version = ", update["version"], " AND e.next_fire_at = ", update["seen"]);
            update.execute();
        }
        raise_version(sql, name_space_, topic::tasks);
    };
    co_await deciding_.transact(work);
}

awaitable<unparked_tasks> ledger::unpark(fence mine, protocol::service_key service, int limit)
{
    unparked_tasks found;
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        found = {};
        auto const parked = read_parked(sql, name_space_, service, limit);
        auto const free = without(parked, lock_tasks_of(sql, parked));
        std::vector<task_id> ids;
        for (auto const& each : free) {
            ids.push_back(each.id);
            found.instants.push_back(each.next_fire_at);
        }
        found.more = std::ssize(parked) == limit || free.size() < parked.size();
        for (auto const chunk : chunks(sql, ids, 1))
            statement(sql,
                      "UPDATE task SET parked_for = '', parked_at = NULL, parked_reason = NULL WHERE parked_for = ",
                      key_text(service), " AND id IN ")
                .in(chunk)
                .execute();
        if (!ids.empty())
            raise_version(sql, name_space_, topic::tasks);
    };
    co_await deciding_.transact(work);
    co_return found;
}

// Each service costs a single look-up in the index, however many tasks it has parked.
awaitable<std::vector<protocol::service_key>> ledger::parked_services()
{
    std::vector<protocol::service_key> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        std::string last;
        for (bool more = true; more;) {
            more = false;
            statement ask(sql);
            ask.select("parked_for")(" FROM task", due_tasks, " WHERE namespace = ", name_space_, " AND parked_for > ",
                                     last, " AND next_fire_at IS NOT NULL ORDER BY parked_for LIMIT 1");
            ask.each([&](row& cells) {
                last = cells.text();
                more = true;
            });
            if (more)
                found.push_back(service_of_text(last));
        }
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage

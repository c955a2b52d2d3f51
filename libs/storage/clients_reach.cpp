#include "libs/storage/client_lock.hpp"
#include "libs/storage/statement.hpp"

#include <algorithm>
#include <unordered_map>

namespace baton::storage {

std::vector<std::string> lock_registered(soci::session& sql, std::string const& node,
                                         std::vector<registered_client> const& wanted)
{
    std::unordered_map<std::string, std::int64_t> generations;
    std::vector<std::string> instances;
    for (auto const& [instance, generation] : wanted) {
        generations[instance] = generation;
        instances.push_back(instance);
    }
    std::sort(instances.begin(), instances.end());
    std::vector<std::string> locked;
    for (auto const chunk : chunks(sql, instances, 1)) {
        statement ask(sql);
        ask.select("instance", "generation")(" FROM client WHERE node = ", node,
                                             " AND state <> 'gone' AND instance IN ");
        ask.in(chunk)(" ORDER BY instance", for_update(sql));
        ask.each([&](row& cells) {
            auto instance = cells.text();
            if (generations.at(instance) == cells.number())
                locked.push_back(std::move(instance));
        });
    }
    return locked;
}

// Most clients are reachable: they share statements.
awaitable<void> clients::set_reach(std::string node, std::vector<reach_change> changes)
{
    std::vector<registered_client> all;
    std::unordered_map<std::string, reach_change const*> by_instance;
    for (auto const& one : changes) {
        all.push_back({one.instance, one.generation});
        by_instance[one.instance] = &one;
    }
    auto const set = [](soci::session& sql, reach_change const& to, std::span<std::string const> instances) {
        statement update(sql, "UPDATE client SET changed_at = CASE WHEN reach = 'unreachable' OR ",
                         protocol::to_string(to.state), " = 'unreachable' THEN ", now_us(sql),
                         " ELSE changed_at END, reach = ", protocol::to_string(to.state), ", reach_why = ", to.why,
                         " WHERE instance IN ");
        update.in(instances).execute();
    };
    auto const work = [&](soci::session& sql) {
        std::vector<std::string> plain[2]; // pending, reachable
        for (auto const& instance : lock_registered(sql, node, all)) {
            auto const& to = *by_instance.at(instance);
            if (to.state == protocol::reach::unreachable)
                set(sql, to, std::span(&instance, 1));
            else
                plain[static_cast<std::size_t>(to.state)].push_back(instance);
        }
        for (auto const state : {protocol::reach::pending, protocol::reach::reachable})
            for (auto const chunk : chunks(sql, plain[static_cast<std::size_t>(state)], 1))
                set(sql, {{}, 0, state, {}}, chunk);
    };
    co_await shared_.transact(work);
}

} // namespace baton::storage

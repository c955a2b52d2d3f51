#include "web/execution_places.hpp"

#include "libs/base/log.hpp"
#include "libs/http/parse_as.hpp"
#include "web/node_message.hpp"

#include <algorithm>
#include <memory>

namespace baton::web {

namespace {
constexpr int asking_at_once = 8;
constexpr duration places_told_within = 300ms;
}

awaitable<execution_places::places> execution_places::of(std::vector<execution_id> ids)
{
    places found;
    if (ids.empty() || asking_ >= asking_at_once)
        co_return found;
    ++asking_;
    std::shared_ptr<void> const at_end(nullptr, [this](auto) { --asking_; });
    try {
        found = co_await ask(std::move(ids));
    } catch (unavailable const& reason) {
        finder_.forget();
        log::debug("web", "asking the master for the places of executions failed, they are shown without",
                   {log::reason(reason.what())});
    } catch (invalid_input const& reason) {
        finder_.forget();
        log::warn("web", "the master's address cannot be used, showing executions without their places",
                  {log::reason(reason.what())});
    }
    co_return found;
}

awaitable<execution_places::places> execution_places::ask(std::vector<execution_id> ids)
{
    places found;
    auto const master = co_await finder_.find();
    if (!master)
        co_return found;
    ids.resize(std::min(ids.size(), protocol::most_whereabouts));
    protocol::whereabouts_request const wanted{std::move(ids)};
    auto message =
        message_to_node(http::json_request(http::verb::post, protocol::path_whereabouts, wanted), master->secret);
    auto const answer = co_await http_.send(master->address, std::move(message), places_told_within);
    if (answer.status != 200) {
        finder_.forget();
        co_return found;
    }
    if (auto const told = http::parse_if<protocol::whereabouts_answer>(answer.body))
        for (auto const& each : told->executions)
            found.emplace(each.execution, each);
    co_return found;
}

} // namespace baton::web

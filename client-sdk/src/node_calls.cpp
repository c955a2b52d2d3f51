#include "client-sdk/src/node_calls.hpp"

#include "libs/base/log.hpp"

#include <algorithm>
#include <utility>

namespace baton::client {

namespace {
// Nodes that are not on the list. Each may get a new address at a restart.
constexpr std::size_t most_named = 1'000;

// Fisher-Yates; std::shuffle may differ between library versions, and a seed must replay everywhere.
std::vector<http::url> in_random_order(std::vector<http::url> nodes, random_source& random)
{
    for (auto left = nodes.size(); left > 1; --left)
        std::swap(nodes[left - 1], nodes[random.below(left)]);
    return nodes;
}

} // namespace

node_calls::node_calls(node_calls_parts parts, link_settings const& settings)
    : parts_(parts),
      nodes_(in_random_order(settings.nodes, parts.random)),
      token_(settings.token),
      given_(settings.nodes.size())
{}

std::optional<std::size_t> node_calls::find_or_add(std::string const& address, std::size_t home)
{
    try {
        auto const wanted = http::parse_url(address);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].text() == wanted.text())
                return i;
        auto place = given_ + named_++ % most_named;
        if (place == home)
            place = given_ + named_++ % most_named;
        if (place < nodes_.size())
            nodes_[place] = wanted;
        else
            nodes_.push_back(wanted);
        return place;
    } catch (invalid_input const&) {
        return std::nullopt;
    }
}

awaitable<std::optional<http::response>> node_calls::post(std::size_t node, char const* path, std::string json,
                                                          duration limit, std::string* why)
{
    auto message = http::text_request(http::verb::post, path, std::move(json));
    if (!token_.empty())
        message.headers.set("Authorization", "Bearer " + token_);
    auto const to = nodes_[node]; // the list may grow meanwhile
    std::optional<http::response> answer;
    try {
        answer = co_await parts_.http.send(to, std::move(message), limit);
    } catch (unavailable const& failure) {
        if (why != nullptr)
            *why = failure.what();
        log::debug("client", "a request to a node failed, trying again or the next node",
                   {log::reason(failure.what()), {"node", to.text()}, {"path", path}});
    }
    if (answer)
        note_refusal(node, path, *answer);
    co_return answer;
}

// A client that all nodes refuse, such as one of another release, asks again every few seconds. So only a change is
// logged.
void node_calls::note_refusal(std::size_t node, char const* path, http::response const& answer)
{
    bool const refuses = answer.status >= 400 && answer.status != 404;
    auto& last = refusals_[{node, path}];
    auto const before = std::exchange(last, refuses ? answer.body.substr(0, 300) : std::string());
    if (refuses && (before.empty() || before != last))
        log::warn("client", "a node refused a request, trying again or the next node",
                  {log::reason(last), {"node", name(node)}, {"path", path}, {"status", answer.status}});
}

duration node_calls::pause(int failures, duration longest)
{
    auto const full = std::min<duration>(100ms * (1 << std::min(failures - 1, 9)), longest);
    return full / 2 + drawn(full / 2);
}

duration node_calls::drawn(duration longest)
{
    return duration{static_cast<std::int64_t>(parts_.random.below(static_cast<std::uint64_t>(longest.count()) + 1))};
}

} // namespace baton::client

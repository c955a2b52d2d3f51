#include "web/home_notifier.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/figures_wire.hpp"
#include "web/node_message.hpp"

namespace baton::web {

namespace {

home_notice not_told(node_failure failure, std::string const& node, std::string const& cause = {})
{
    return {failure, words_of(failure, node, cause)};
}

} // namespace

std::string words_of(node_failure failure, std::string const& node, std::string const& cause)
{
    auto const name = node.empty() ? std::string("the home node of the client") : "node " + node;
    switch (failure) {
    case node_failure::node_unknown:
        return name + " is not known; the node that the client registers with next obeys the change";
    case node_failure::node_gone:
        return name + " counts as gone; the node that the client registers with next obeys the change";
    case node_failure::older_release:
        return name + " is of an older release, which knows no drains by a person: drained or not, the client may get "
                      "work from "
                      "it until the node is updated, or the client registers with a node of this release";
    case node_failure::no_answer:
    case node_failure::refused:
    case node_failure::client_unknown:
        break;
    }
    return name + " was not told at once (" + cause +
           "); it reads the change itself, within two seconds while it reaches the database";
}

// A secret is only ever sent to the address in its own row.
awaitable<home_notice> home_notifier::call(storage::node_record const& node)
{
    auto hint = http::json_request(http::verb::post, protocol::path_look_again, nlohmann::json::object());
    auto const to = http::parse_url(node.address);
    auto const answer = co_await http_.send(to, message_to_node(std::move(hint), node.secret), limit_);
    if (auto const failure = failure_of(answer.status))
        co_return not_told(*failure, node.name, "it answered with status " + std::to_string(answer.status));
    co_return home_notice();
}

awaitable<home_notice> home_notifier::notify(std::string home)
{
    std::string name;
    std::string cause;
    try {
        auto const all = co_await nodes_.all();
        for (auto const& node : all) {
            if (node.incarnation != home)
                continue;
            if (!node.alive())
                co_return not_told(node_failure::node_gone, node.name);
            name = node.name;
            auto const told = co_await call(node);
            co_return told;
        }
        co_return not_told(node_failure::node_unknown, {});
    } catch (unavailable const& failure) {
        cause = failure.what();
    } catch (invalid_input const& failure) {
        cause = failure.what();
    }
    log::debug("web", "telling the home of a client that its row has changed failed, it will read the change itself",
               {log::reason(cause), {"node", home}});
    co_return not_told(node_failure::no_answer, name, cause);
}

} // namespace baton::web

#include "web/live_figures.hpp"

#include "libs/base/log.hpp"
#include "libs/base/task_group.hpp"
#include "libs/http/parse_as.hpp"
#include "web/node_message.hpp"

namespace baton::web {

namespace {

constexpr std::size_t most_clients = 10'000; // clients of a node

http::request make_request(storage::node_record const& node, protocol::figures_request const& wanted)
{
    return message_to_node(http::json_request(http::verb::post, protocol::path_figures, wanted), node.secret);
}

} // namespace

awaitable<std::vector<told_figures>> live_figures::of(std::vector<storage::client_record> const& clients)
{
    co_await read_nodes();
    std::map<std::string, std::vector<std::string>> by_home;
    for (auto const& client : clients)
        by_home[client.node].push_back(client.instance);
    auto const loop = co_await asio::this_coro::executor;
    round all(loop);
    all.until = time_.now() + 2 * limits_.answer; // a request that is under way for others, and this one's
    task_group questions(loop);
    for (auto const& [home, instances] : by_home) {
        auto const found = lines_.find(home);
        if (found == lines_.end() || !found->second.node.alive())
            continue;
        auto wanted = stale(found->second, instances);
        if (wanted.empty())
            continue;
        ++all.open;
        questions.spawn("the request for figures of clients", refresh(found->second, std::move(wanted), all));
    }
    co_await questions.around(await_answers(all));
    std::vector<told_figures> told;
    told.reserve(clients.size());
    for (auto const& client : clients)
        told.push_back(show(client));
    co_return told;
}

awaitable<void> live_figures::await_answers(round& all)
{
    while (all.open != 0)
        co_await all.ended.wait();
}

// Once for all requests of the time for which answers are kept.
awaitable<void> live_figures::read_nodes()
{
    auto const now = time_.now();
    if (nodes_read_at_ && now - *nodes_read_at_ < limits_.keep)
        co_return;
    auto all = co_await nodes_.all();
    nodes_read_at_ = time_.now();
    std::set<std::string> present;
    for (auto& node : all) {
        present.insert(node.incarnation);
        lines_[node.incarnation].node = std::move(node);
    }
    std::erase_if(lines_, [&](auto const& entry) {
        auto const& [incarnation, one] = entry;
        return !present.contains(incarnation) && !one.asking && one.waiting.empty();
    });
}

awaitable<void> live_figures::refresh(node_answers& one, std::vector<std::string> instances, round& all)
{
    std::shared_ptr<void> const at_end(nullptr, [&all](auto) {
        --all.open;
        all.ended.wake();
    });
    for (;;) {
        protocol::figures_request wanted;
        wanted.instances = stale(one, instances);
        if (wanted.instances.empty() || time_.now() >= all.until)
            co_return;
        if (!one.asking) {
            co_await ask(one, std::move(wanted));
            co_return;
        }
        co_await await_other(one, all.until);
    }
}

awaitable<void> live_figures::await_other(node_answers& one, instant until)
{
    waker bell(co_await asio::this_coro::executor);
    one.waiting.insert(&bell);
    std::shared_ptr<void> const at_end(nullptr, [&](auto) { one.waiting.erase(&bell); });
    co_await bell.wait_until(time_, until);
}

// A caller that goes away leaves the question to those that wait.
awaitable<void> live_figures::ask(node_answers& one, protocol::figures_request wanted)
{
    one.asking = true;
    std::shared_ptr<void> const at_end(nullptr, [&one](auto) {
        one.asking = false;
        for (auto* bell : one.waiting)
            bell->wake();
    });
    auto const node = one.node;
    std::optional<node_failure> failure;
    std::string why;
    try {
        auto message = make_request(node, wanted);
        auto const to = http::parse_url(node.address);
        auto const answer = co_await http_.send(to, std::move(message), limits_.answer);
        auto const figures =
            answer.status == 200 ? http::parse_if<protocol::figures_answer>(answer.body) : std::nullopt;
        if (figures) {
            keep(one, wanted, *figures);
        } else {
            failure = failure_of(answer.status).value_or(node_failure::refused);
            why = "it answered with status " + std::to_string(answer.status) +
                  (answer.status == 200 ? " and no figures" : "");
        }
    } catch (unavailable const& reason) {
        failure = node_failure::no_answer;
        why = reason.what();
    } catch (invalid_input const& reason) {
        failure = node_failure::no_answer;
        why = reason.what();
    }
    one.failure = failure;
    one.failure_why = "node " + node.name + " did not return the figures: " + why;
    if (!failure)
        co_return;
    one.failed_at = time_.now();
    log::debug("web", "asking a node for the figures of its clients failed, they are shown without",
               {log::reason(why), {"node", node.name}});
}

void live_figures::keep(node_answers& one, protocol::figures_request const& asked,
                        protocol::figures_answer const& answer)
{
    auto const now = time_.now();
    if (one.clients.size() >= most_clients)
        std::erase_if(one.clients, [&](auto const& entry) { return now - entry.second.at >= limits_.keep; });
    for (auto const& instance : asked.instances)
        one.clients[instance] = {std::nullopt, now};
    for (auto const& client : answer.clients)
        one.clients[client.instance] = {client, now};
}

// Those that the node must be asked for; none shortly after it has failed.
std::vector<std::string> live_figures::stale(node_answers const& one, std::vector<std::string> const& instances) const
{
    auto const now = time_.now();
    std::vector<std::string> out;
    if (one.failure && now - one.failed_at < limits_.keep)
        return out;
    for (auto const& instance : instances) {
        auto const found = one.clients.find(instance);
        if (found == one.clients.end() || now - found->second.at >= limits_.keep)
            out.push_back(instance);
    }
    return out;
}

told_figures live_figures::show(storage::client_record const& client) const
{
    auto const without = [](node_failure code, std::string why) {
        return told_figures{std::nullopt, code, std::move(why)};
    };
    auto const home = lines_.find(client.node);
    if (home == lines_.end())
        return without(node_failure::node_unknown, "its node is not known");
    auto const& one = home->second;
    if (!one.node.alive())
        return without(node_failure::node_gone, "node " + one.node.name + " counts as gone");
    auto const found = one.clients.find(client.instance);
    auto const now = time_.now();
    if (found == one.clients.end() || now - found->second.at > limits_.keep + 2 * limits_.answer)
        return one.failure ? without(*one.failure, one.failure_why)
                           : without(node_failure::no_answer, "node " + one.node.name + " has not answered in time");
    if (!found->second.figures)
        return without(node_failure::client_unknown, "node " + one.node.name + " is not its home any more");
    auto figures = *found->second.figures;
    auto const age = (now - found->second.at) / 1ms;
    figures.heard_ms += age;
    figures.refused_ms += figures.refused_path.empty() ? 0 : age;
    if (figures.answered_ms >= 0)
        figures.answered_ms += age;
    return {figures};
}

} // namespace baton::web

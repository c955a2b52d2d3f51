#include "libs/base/characters.hpp"
#include "libs/base/log.hpp"
#include "libs/protocol/pause.hpp"
#include "libs/protocol/strict.hpp"
#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"
#include "web/view.hpp"

#include <algorithm>

namespace baton::web {

namespace {

constexpr int most_in_page = static_cast<int>(protocol::most_figures);

// Names of clients are printable ASCII, and the column takes no other text for a comparison.
bool may_be_client(std::string const& instance)
{
    return std::ranges::all_of(instance, [](char c) { return c > 0x20 && c < 0x7f; });
}

std::string read_place(query_parameters& asked)
{
    auto after = asked.text("after").value_or("");
    if (!may_be_client(after))
        throw invalid_input("after", "after must be the `next` of the page before, which is the name of a client");
    return after;
}

storage::clients::scope read_scope(query_parameters& asked)
{
    storage::clients::scope of{asked.text("project"), asked.text("service")};
    if (of.service && !of.project)
        throw invalid_input("service", "service needs project: two projects may have a service of one name");
    return of;
}

awaitable<http::response> list_clients(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const of = read_scope(asked);
    auto const after = read_place(asked);
    page_size const size{static_cast<std::size_t>(asked.number("limit", most_in_page, 1, most_in_page))};
    asked.finish();
    auto clients = co_await site.clients.find_in(of, after, size.items + 1);
    bool const more = clients.size() > size.items;
    if (more)
        clients.pop_back();
    auto const told = co_await site.figures.of(clients);
    auto items = nlohmann::json::array();
    for (std::size_t i = 0; i < clients.size(); ++i)
        items.push_back(show(clients[i], told[i]));
    auto next = more ? nlohmann::json(clients.back().instance) : nlohmann::json();
    co_return http::json_response(200, {{"items", std::move(items)}, {"next", std::move(next)}});
}

struct drain_wanted {
    std::string by;
    std::string reason;
};

// The body may be missing, as may each member.
drain_wanted read_drain(http::request const& message, bool with_reason)
{
    if (message.body.empty())
        return {};
    auto const document = read_body(message);
    return as_document([&] {
        protocol::strict_object object(document, "", R"({"by": "ann"})");
        drain_wanted wanted;
        wanted.by = without_nul(object.text("by", {}, protocol::longest_pause_author), "by");
        if (with_reason)
            wanted.reason = without_nul(object.text("reason", {}, protocol::longest_pause_reason), "reason");
        object.finish();
        return wanted;
    });
}

refused no_such_client(std::string const& instance)
{
    return {404, "there is no client " + in_quotes(instance) + "; it may be gone", "instance"};
}

std::string named_client(http::request const& message)
{
    auto const& instance = message.params.at("instance");
    if (!may_be_client(instance))
        throw no_such_client(instance);
    return instance;
}

awaitable<http::response> answer_drain(context& site, std::string instance, storage::drain_change const& done)
{
    auto const notice = co_await site.homes.notify(done.node);
    std::vector<std::string> const wanted{instance};
    auto const found = co_await site.clients.find(wanted);
    if (found.empty() || found.front().state == storage::client_state::gone)
        throw no_such_client(instance);
    auto const told = co_await site.figures.of(found);
    auto const shown = show(found.front(), told.front());
    nlohmann::json const body{{"client", shown},
                              {"home_notified", !notice.failure},
                              {"home_code", or_null(notice.failure, protocol::to_string<node_failure>)},
                              {"home_why", notice.why.empty() ? nlohmann::json() : nlohmann::json(notice.why)}};
    co_return http::json_response(200, body);
}

awaitable<http::response> drain_client(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const instance = named_client(message);
    auto const wanted = read_drain(message, true);
    auto const done = co_await site.clients.drain(instance, wanted.by, wanted.reason);
    if (done.outcome == storage::drain_outcome::not_found)
        throw no_such_client(instance);
    if (done.outcome == storage::drain_outcome::already)
        throw refused(409, "this client is drained already");
    log::info("web", "a person drains a client", {log::reason(wanted.reason), {"client", instance}, {"by", wanted.by}});
    co_return co_await answer_drain(site, instance, done);
}

awaitable<http::response> resume_client(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const instance = named_client(message);
    auto const wanted = read_drain(message, false);
    auto const done = co_await site.clients.resume(instance);
    if (done.outcome == storage::drain_outcome::not_found)
        throw no_such_client(instance);
    if (done.outcome == storage::drain_outcome::already)
        throw refused(
            409,
            "this client is not drained by a person; a client that shuts down drains by itself and cannot be resumed");
    log::info("web", "a person resumes a client", {{"client", instance}, {"by", wanted.by}});
    co_return co_await answer_drain(site, instance, done);
}

} // namespace

void serve_clients(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/clients", list_clients);
    serve(table, site, http::verb::post, "/api/v1/clients/{instance}/drain", drain_client);
    serve(table, site, http::verb::post, "/api/v1/clients/{instance}/resume", resume_client);
}

} // namespace baton::web

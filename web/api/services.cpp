#include "libs/base/characters.hpp"
#include "libs/base/log.hpp"
#include "libs/protocol/strict.hpp"
#include "web/api/api.hpp"
#include "web/api/listing.hpp"
#include "web/handler_list.hpp"
#include "web/pause_view.hpp"
#include "web/query_parameters.hpp"
#include "web/refusal.hpp"

namespace baton::web {

namespace {

using protocol::service_key;

constexpr int pauses_shown = 20; // of a service's history

// An empty service for a project.
service_key key_of_path(http::request const& message)
{
    auto const service = message.params.find("service");
    return {message.params.at("project"), service == message.params.end() ? std::string() : service->second};
}

refused no_such_scope(service_key const& which)
{
    if (which.service.empty())
        return {404,
                "no task and no client belongs to the project " + in_quotes(which.project) +
                    "; the list of projects has those that are known",
                "project"};
    return {404,
            "no task and no client names the service " + in_quotes(which.service) + " of the project " +
                in_quotes(which.project) + "; the list of services has those that are known",
            "service"};
}

nlohmann::json show_service(service_key const& which, std::vector<protocol::pause> const& paused)
{
    return {{"project", which.project},
            {"service", which.service},
            {"paused", show_pause(pause_of(paused, protocol::service_view(which)))}};
}

nlohmann::json show_clients(storage::service_clients const& counts)
{
    return {{"up", counts.up},
            {"draining", counts.draining},
            {"unreachable", counts.unreachable},
            {"drained", counts.drained},
            {"pending", counts.pending}};
}

nlohmann::json show_project(std::string const& project, std::vector<protocol::pause> const& paused)
{
    return {{"project", project}, {"paused", show_pause(pause_of(paused, {project, {}}))}};
}

nlohmann::json show_scope(service_key const& which, std::vector<protocol::pause> const& paused)
{
    return which.service.empty() ? show_project(which.project, paused) : show_service(which, paused);
}

// "project/service", behind which a page begins; names have no slashes.
service_key place_behind(std::optional<std::string> const& text)
{
    if (!text)
        return {};
    auto const slash = text->find('/');
    if (slash == std::string::npos)
        throw invalid_input("after", "after must be the `next` of the page before, such as shop/billing");
    return {text->substr(0, slash), text->substr(slash + 1)};
}

awaitable<http::response> list_of_services(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const project = asked.text("project");
    auto const after = place_behind(asked.text("after"));
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.services.list(project, after, size.items + 1);
    auto const paused = co_await site.services.pauses_in_force();
    auto const counts = co_await site.clients.count(found);
    auto const cursor = [](service_key const& last) { return last.project + '/' + last.service; };
    auto const shown = [&](service_key const& each) {
        auto item = show_service(each, paused);
        auto const clients = counts.find(each);
        item["clients"] = show_clients(clients == counts.end() ? storage::service_clients() : clients->second);
        return item;
    };
    co_return http::json_response(200, show_page(found, size, cursor, shown));
}

awaitable<http::response> list_of_projects(context& site, http::request const& message)
{
    query_parameters asked(message);
    auto const after = asked.text("after").value_or("");
    auto const size = read_limit(asked);
    asked.finish();
    auto const found = co_await site.services.projects(after, size.items + 1);
    auto const paused = co_await site.services.pauses_in_force();
    auto const cursor = [](std::string const& last) { return last; };
    auto const shown = [&](std::string const& each) { return show_project(each, paused); };
    co_return http::json_response(200, show_page(found, size, cursor, shown));
}

awaitable<http::response> read_service(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const which = key_of_path(message);
    bool const known = co_await site.services.known(which);
    if (!known)
        throw no_such_scope(which);
    auto const paused = co_await site.services.pauses_in_force();
    auto const history = co_await site.services.history(which, pauses_shown);
    auto body = show_scope(which, paused);
    auto& pauses = body["pauses"] = nlohmann::json::array();
    for (auto const& one : history)
        pauses.push_back(show_pause(&one));
    co_return http::json_response(200, body);
}

awaitable<http::response> list_handlers(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const which = key_of_path(message);
    bool const known = co_await site.services.known(which);
    if (!known)
        throw no_such_scope(which);
    auto const found = co_await site.schemas.of(which);
    co_return http::json_response(200, show_handlers(found));
}

protocol::pause pause_wanted(http::request const& message)
{
    auto const document = read_body(message);
    return as_document([&] {
        protocol::strict_object object(document, "", R"({"reason": "deployment of 2.0"})");
        protocol::pause wanted;
        wanted.of = key_of_path(message);
        wanted.reason = without_nul(object.need_text("reason", protocol::longest_pause_reason), "reason");
        if (wanted.reason.empty())
            throw invalid_input("reason", "reason must not be empty: others see it at what waits");
        wanted.begun_by = without_nul(object.text("by", {}, protocol::longest_pause_author), "by");
        wanted.firings = protocol::parse<protocol::paused_firings>(object.text("firings", "hold", 32), "firings");
        object.finish();
        return wanted;
    });
}

std::string author_of(http::request const& message)
{
    if (message.body.empty())
        return {};
    auto const document = read_body(message);
    return as_document([&] {
        protocol::strict_object object(document, "", R"({"by": "ann"})");
        auto by = without_nul(object.text("by", {}, protocol::longest_pause_author), "by");
        object.finish();
        return by;
    });
}

awaitable<http::response> answer_pause(context& site, storage::pause_result const& done)
{
    bool const notified = co_await site.master.notify(protocol::signal_kind::pause, done.signal, done.signal.value());
    auto const& of = done.pause.of;
    log::info("web", done.pause.in_force() ? "a pause has begun" : "a pause has ended",
              {log::reason(done.pause.reason), {"project", of.project}, {"service", of.service}});
    nlohmann::json body{{"project", of.project}, {"pause", show_pause(&done.pause)}, {"master_notified", notified}};
    if (!of.service.empty())
        body["service"] = of.service;
    co_return http::json_response(200, body);
}

awaitable<http::response> begin_pause(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const wanted = pause_wanted(message);
    auto const done = co_await site.services.pause(wanted, site.ids);
    if (done.outcome == storage::pause_outcome::not_found)
        throw no_such_scope(wanted.of);
    if (done.outcome == storage::pause_outcome::already)
        throw refused(409, to_text(done.pause) + "; resume it first");
    co_return co_await answer_pause(site, done);
}

awaitable<http::response> end_pause(context& site, http::request const& message)
{
    expect_no_query(message);
    auto const which = key_of_path(message);
    auto const by = author_of(message);
    auto const done = co_await site.services.resume(which, by, site.ids);
    if (done.outcome == storage::pause_outcome::not_found)
        throw refused(409, which.service.empty() ? "this project is not paused"
                                                 : "this service is not paused; if its project is, resume that");
    co_return co_await answer_pause(site, done);
}

} // namespace

void serve_services(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/services", list_of_services);
    serve(table, site, http::verb::get, "/api/v1/projects", list_of_projects);
    serve(table, site, http::verb::get, "/api/v1/services/{project}/{service}/handlers", list_handlers);
    for (std::string const each : {"/api/v1/services/{project}/{service}", "/api/v1/projects/{project}"}) {
        serve(table, site, http::verb::get, each, read_service);
        serve(table, site, http::verb::post, each + "/pause", begin_pause);
        serve(table, site, http::verb::post, each + "/resume", end_pause);
    }
}

} // namespace baton::web

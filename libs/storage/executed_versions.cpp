#include "libs/storage/executed_versions.hpp"

#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <utility>

namespace baton::storage {

namespace {

// The task table has neither a deleted task nor a version that an edit has replaced.
bool lacks_version(execution_record const& one)
{
    return one.task_name.empty() || one.service.empty();
}

void take_version(execution_record& one, std::string const& definition)
{
    auto const document = nlohmann::json::parse(definition, nullptr, false);
    auto const text = [&](char const* key) {
        auto const found = document.is_object() ? document.find(key) : document.end();
        return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    if (one.task_name.empty())
        one.task_name = text("name");
    one.service = text("service");
    one.handler = text("handler");
}

} // namespace

std::optional<std::string> payload_of_definition(std::string const& definition)
{
    auto const document = nlohmann::json::parse(definition, nullptr, false);
    auto const found = document.is_object() ? document.find("payload") : document.end();
    return found == document.end() ? std::nullopt : std::optional(found->dump());
}

// Reads each definition once, however many executions ran it.
void add_versions(soci::session& sql, std::span<execution_record> records)
{
    std::set<task_at> wanted;
    for (auto const& one : records)
        if (lacks_version(one))
            wanted.emplace(one.task, one.task_version);
    std::map<task_at, std::string> found;
    std::vector<task_at> const all(wanted.begin(), wanted.end());
    for (auto const chunk : chunks(sql, all, 2)) {
        statement ask(sql);
        ask.select("task_id", "version", "definition")(" FROM task_version WHERE ");
        for (std::size_t i = 0; i < chunk.size(); ++i)
            ask(fragment{i == 0 ? "" : " OR "}, "(task_id = ", chunk[i].first, " AND version = ", chunk[i].second, ")");
        ask.each([&](row& cells) {
            auto const task = cells.name<task_id>();
            auto const version = cells.small();
            found[{task, version}] = cells.text();
        });
    }
    for (auto& one : records)
        if (auto const known = found.find({one.task, one.task_version}); known != found.end() && lacks_version(one))
            take_version(one, known->second);
}

} // namespace baton::storage

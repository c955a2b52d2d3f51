#include "web/dashboard.hpp"

#include "libs/base/random.hpp"
#include "web/fingerprint.hpp"

#include <memory>

namespace baton::web {

namespace {

constexpr std::string_view nonce_mark = "%BATON_NONCE%";

// Allows the dashboard's own files, the API of the same origin, and the <style> elements that carry the nonce.
std::string policy(std::string const& nonce)
{
    return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce +
           "'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

std::string with_nonce(std::string_view page, std::string const& nonce)
{
    std::string text(page);
    for (auto at = text.find(nonce_mark); at != std::string::npos; at = text.find(nonce_mark, at + nonce.size()))
        text.replace(at, nonce_mark.size(), nonce);
    return text;
}

// The nonce differs in each answer, so no cache may keep the page.
awaitable<http::response> send_page(std::string_view page)
{
    auto const nonce = secret_hex(16);
    http::response answer;
    answer.headers.set("Content-Type", "text/html; charset=utf-8");
    answer.headers.set("Content-Security-Policy", policy(nonce));
    answer.headers.set("Referrer-Policy", "no-referrer");
    answer.headers.set("Cache-Control", "no-store");
    answer.body = with_nonce(page, nonce);
    co_return answer;
}

// Sent compressed whatever Accept-Encoding says: each browser that can run the dashboard reads gzip.
awaitable<http::response> send_file(dashboard_file const& file, std::string const& etag, http::request const& message)
{
    http::response answer;
    answer.headers.set("ETag", etag);
    // The name of an asset changes with its content.
    if (file.path.starts_with("assets/"))
        answer.headers.set("Cache-Control", "public, max-age=31536000, immutable");
    if (message.headers.find("If-None-Match") == etag) {
        answer.status = 304;
        co_return answer;
    }
    answer.headers.set("Content-Type", file.type);
    answer.headers.set("Content-Encoding", "gzip");
    answer.headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    answer.body = std::string(file.bytes);
    co_return answer;
}

awaitable<http::response> no_file(http::request const&)
{
    co_return http::problem(404, "not found", "the dashboard has no file of this name");
}

void add_page(http::router& table, std::string_view page)
{
    // As deep as the addresses of pages are.
    for (auto const* pattern :
         {"/dashboard", "/dashboard/{page}", "/dashboard/{page}/{id}", "/dashboard/{page}/{id}/{part}"})
        table.add(http::verb::get, pattern, [page](http::request const&) { return send_page(page); });
}

} // namespace

void serve_dashboard(http::router& table)
{
    for (auto const& file : dashboard_files()) {
        if (file.path == "index.html") {
            add_page(table, file.bytes);
            continue;
        }
        auto const etag = std::make_shared<std::string const>('"' + fingerprint(file.bytes) + '"');
        table.add(http::verb::get, "/dashboard/" + file.path,
                  [&file, etag](http::request const& message) { return send_file(file, *etag, message); });
    }
    table.add(http::verb::get, "/dashboard/assets/{file}", no_file);
}

} // namespace baton::web

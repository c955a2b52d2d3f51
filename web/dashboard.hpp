#pragma once
// The dashboard (web/dashboard), which is part of a program that is built with BATON_DASHBOARD.

#include "libs/http/router.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace baton::web {

// A file of the bundle, as the build embedded it. All but index.html are compressed with gzip.
struct dashboard_file {
    std::string path; // "assets/index-B7p6NSpk.css"
    std::string type;
    std::string_view bytes;
};

std::vector<dashboard_file> const& dashboard_files();

// The dashboard at /dashboard and below. Every address of a page answers with index.html, which shows that page.
void serve_dashboard(http::router& table);

} // namespace baton::web

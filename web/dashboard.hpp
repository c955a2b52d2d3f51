#pragma once
// The dashboard (web/ui), which is part of a program that is built with BATON_UI and npm.

#include "libs/http/router.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace baton::web {

// A file of the bundle, as the build embedded it. A compressed form is empty where it would save nothing.
struct dashboard_file {
    std::string path; // "assets/index-B7p6NSpk.css"
    std::string type; // "text/css; charset=utf-8"
    std::string_view plain;
    std::string_view gzip;
    std::string_view brotli;
};

// The files of this program; none in a program that was built without the dashboard.
std::vector<dashboard_file> const& dashboard_files();

// Serves the files, which must live as long as `table`. Every address of a page answers with index.html, which shows
// that page. Without files a short text tells how to get the dashboard.
void serve_dashboard(http::router& table, std::vector<dashboard_file> const& files);

} // namespace baton::web

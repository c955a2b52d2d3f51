#pragma once
// The files of web/ui, as the build embedded them.

#include <string>

namespace baton::web::ui {

std::string index_html();
std::string app_js();
std::string style_css();
std::string icon_svg();

} // namespace baton::web::ui

#pragma once
// Lists in pages: the answer holds the items and, under "next", the cursor of the next page or null.

#include "web/query_parameters.hpp"
#include "web/view.hpp"

#include <cstddef>
#include <vector>

namespace baton::web {

// The query parameter "limit". One row more is read: it shows whether there is a next page.
struct page_size {
    std::size_t items;
    int rows() const { return static_cast<int>(items) + 1; }
};

inline page_size read_limit(query_parameters& asked)
{
    return {static_cast<std::size_t>(asked.number("limit", 50, 1, 500))};
}

// Shows the first `size.items` of the rows; `cursor` makes the cursor of the last one when there are more.
template <class Row, class Cursor, class Show>
nlohmann::json show_page(std::vector<Row> const& rows, page_size size, Cursor cursor, Show shown)
{
    auto const count = std::min(rows.size(), size.items);
    auto items = nlohmann::json::array();
    for (std::size_t i = 0; i < count; ++i)
        items.push_back(shown(rows[i]));
    auto next = rows.size() > count ? nlohmann::json(cursor(rows[count - 1])) : nlohmann::json();
    return {{"items", std::move(items)}, {"next", std::move(next)}};
}

template <class Row, class Cursor>
nlohmann::json show_page(std::vector<Row> const& rows, page_size size, Cursor cursor)
{
    return show_page(rows, size, cursor, [](Row const& row) { return show(row); });
}

} // namespace baton::web

// Places a trade of every shape through gSOAP, and prints what comes back.
//
// usage: caller URL

#include <iostream>
#include <string>
#include <vector>

#include "ShapesPort.nsmap"
#include "soapShapesPortProxy.h"

using std::string;
using std::vector;

template <class T> static T *made(soap *soap, T *value) {
    value->soap_default(soap);
    return value;
}

#define NEW(soap, T) made(soap, soap_new_##T(soap))

static ns1__Address *address(soap *soap, const string &street, const char *city = nullptr) {
    auto it = NEW(soap, ns1__Address);
    it->street = street;
    if (city) {
        it->city = soap_new_std__string(soap);
        *it->city = city;
    }
    return it;
}

static ns1__ArrayOfstring *strings(soap *soap, vector<string> values) {
    auto it = NEW(soap, ns1__ArrayOfstring);
    it->item = values;
    return it;
}

static ns1__ArrayOfdouble *doubles(soap *soap, vector<double> values) {
    auto it = NEW(soap, ns1__ArrayOfdouble);
    it->item = values;
    return it;
}

static ns1__ArrayOfint *integers(soap *soap, vector<int> values) {
    auto it = NEW(soap, ns1__ArrayOfint);
    it->item = values;
    return it;
}

// A price at the market is an empty text.
static ns1__ArrayOfPrice *prices(soap *soap, vector<string> values) {
    auto it = NEW(soap, ns1__ArrayOfPrice);
    for (const string &value : values) {
        __ns1__union_ArrayOfPrice price;
        price.soap_default(soap);
        if (value.empty()) {
            price.__union_ArrayOfPrice = SOAP_UNION__ns1__union_ArrayOfPrice_market;
            price.union_ArrayOfPrice.market = NEW(soap, ns1__Nothing);
        } else {
            price.__union_ArrayOfPrice = SOAP_UNION__ns1__union_ArrayOfPrice_limit;
            price.union_ArrayOfPrice.limit = soap_new_std__string(soap);
            *price.union_ArrayOfPrice.limit = value;
        }
        it->__union_ArrayOfPrice.push_back(price);
    }
    return it;
}

static ns1__Folder *folder(soap *soap, const string &name, vector<ns1__Folder *> folders = {}) {
    auto it = NEW(soap, ns1__Folder);
    it->name = name;
    if (!folders.empty()) {
        it->folders = NEW(soap, ns1__ArrayOfFolder);
        it->folders->Folder = folders;
    }
    return it;
}

static ns1__Trade *trade(soap *soap) {
    auto placed = NEW(soap, ns1__Trade);
    ns1__Trade &trade = *placed;
    trade.side = ns1__Side__SellShort;
    trade.__union_Trade = SOAP_UNION__ns1__union_Trade_limit;
    trade.union_Trade.limit = soap_new_std__string(soap);
    *trade.union_Trade.limit = "6.35";
    trade.__union_Trade_ = SOAP_UNION__ns1__union_Trade__references;
    trade.union_Trade_.references = strings(soap, {"r", "s & t"});
    trade.address = address(soap, "1 High Street");
    trade.single = 0.5F;
    trade.whole = "123456789012345678901234567890";
    trade.exact = soap_new_std__string(soap);
    *trade.exact = "0.12345678901234567890123";
    trade.hold = "P1Y2MT3S";
    trade.notes = strings(soap, {"", "zw\xc3\xb6lf <&>"});
    trade.flags = NEW(soap, ns1__ArrayOfboolean);
    trade.flags->item = {true, false};
    trade.sides = NEW(soap, ns1__ArrayOfSide);
    trade.sides->item = {ns1__Side__Buy, ns1__Side__SellShort};
    trade.matrix = NEW(soap, ns1__ArrayOfArrayOfdouble);
    trade.matrix->item = {doubles(soap, {1.5, 2.25}), doubles(soap, {3.5, 4.75})};
    trade.corners = NEW(soap, ns1__ArrayOfAddress);
    trade.corners->Address = {address(soap, "a"), address(soap, "b", "c")};
    trade.prices = prices(soap, {"1.5", "", "2.5"});
    trade.ragged = NEW(soap, ns1__ArrayOfArrayOfint);
    trade.ragged->item = {integers(soap, {}), integers(soap, {1, -2})};
    trade.options = NEW(soap, ns1__ArrayOfArrayOfPrice);
    trade.options->item = {prices(soap, {""}), prices(soap, {})};
    trade.marks = {3, 1, 2};
    trade.tags = {"x", "y"};
    trade.pair = {0.5, 0.25};
    trade.stops = {address(soap, "s"), address(soap, "t")};
    auto leaf = folder(soap, "leaf");
    leaf->parent = folder(soap, "up");
    trade.folder = folder(soap, "root", {folder(soap, "empty"), folder(soap, "b", {leaf})});
    return placed;
}

template <class T> static void show(const string &path, const T &value) {
    std::cout << path << ' ' << value << '\n';
}

static void show(const string &path, const string &value) {
    std::cout << path << (value.empty() ? "" : " ") << value << '\n';
}

template <class List, class Each> static void items(const string &path, const List &list, Each each) {
    show(path, list.size());
    for (size_t index = 0; index < list.size(); index++)
        each(path + "[" + std::to_string(index) + "]", list[index]);
}

static void plain(const string &path, const string &value) { show(path, value); }
static void number(const string &path, double value) { show(path, value); }
static void boolean(const string &path, bool value) { show(path, string(value ? "true" : "false")); }

static void side(const string &path, ns1__Side value) {
    show(path, string(value == ns1__Side__Buy ? "Buy" : "SellShort"));
}

static void told(const string &path, const ns1__Address *it) {
    show(path + ".street", it->street);
    if (it->city)
        show(path + ".city", *it->city);
}

static void told_prices(const string &path, const ns1__ArrayOfPrice *it) {
    items(path, it->__union_ArrayOfPrice, [](const string &at, const __ns1__union_ArrayOfPrice &price) {
        if (price.__union_ArrayOfPrice == SOAP_UNION__ns1__union_ArrayOfPrice_limit)
            show(at + ".limit", *price.union_ArrayOfPrice.limit);
        else
            show(at + ".market", string());
    });
}

static void told(const string &path, const ns1__Folder *it) {
    auto each = [](const string &at, const ns1__Folder *it) { told(at, it); };
    show(path + ".name", it->name);
    if (it->folders)
        items(path + ".folders", it->folders->Folder, each);
    if (it->parent)
        told(path + ".parent", it->parent);
}

static void told(const ns1__Trade &trade) {
    auto each = [](const string &at, const ns1__Address *it) { told(at, it); };
    side("side", trade.side);
    if (trade.__union_Trade == SOAP_UNION__ns1__union_Trade_limit)
        show("limit", *trade.union_Trade.limit);
    else
        show("market", string());
    switch (trade.__union_Trade_) {
    case SOAP_UNION__ns1__union_Trade__account: show("account", trade.union_Trade_.account); break;
    case SOAP_UNION__ns1__union_Trade__delivery: told("delivery", trade.union_Trade_.delivery); break;
    case SOAP_UNION__ns1__union_Trade__references: items("references", trade.union_Trade_.references->item, plain); break;
    }
    told("address", trade.address);
    show("single", trade.single);
    show("whole", trade.whole);
    show("exact", *trade.exact);
    show("hold", trade.hold);
    items("notes", trade.notes->item, plain);
    items("flags", trade.flags->item, boolean);
    items("sides", trade.sides->item, side);
    items("matrix", trade.matrix->item, [](const string &at, const ns1__ArrayOfdouble *it) { items(at, it->item, number); });
    items("corners", trade.corners->Address, each);
    told_prices("prices", trade.prices);
    items("ragged", trade.ragged->item, [](const string &at, const ns1__ArrayOfint *it) { items(at, it->item, number); });
    items("options", trade.options->item, told_prices);
    items("marks", trade.marks, number);
    items("tags", trade.tags, plain);
    items("pair", trade.pair, number);
    items("stops", trade.stops, each);
    told("folder", trade.folder);
}

int main(int, char **arguments) {
    ShapesPortProxy proxy(arguments[1], SOAP_C_UTFSTRING);
    __ns1__placeResponse answer;
    if (proxy.place(trade(proxy.soap), answer) != SOAP_OK) {
        proxy.soap_stream_fault(std::cerr);
        return 1;
    }
    told(*answer.ns1__Trade_);
    return 0;
}

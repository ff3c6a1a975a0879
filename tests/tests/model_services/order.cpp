// Places an order with every note of XML through gSOAP, and prints what comes back.
//
// usage: order URL

#include <iostream>
#include <string>
#include <vector>

#include "NotesPort.nsmap"
#include "soapNotesPortProxy.h"

using std::string;

static string *text(soap *soap, const string &value) {
    auto it = soap_new_std__string(soap);
    *it = value;
    return it;
}

static LONG64 *number(soap *soap, LONG64 value) {
    auto it = static_cast<LONG64 *>(soap_malloc(soap, sizeof(LONG64)));
    *it = value;
    return it;
}

// What is qualified in a schema of unqualified elements has a prefix in its name.
template <class T> static auto full(T &order, int) -> decltype((order.full)) { return order.full; }
template <class T> static auto full(T &order, long) -> decltype((order.ns1__full)) { return order.ns1__full; }

static ns1__Money *money(soap *soap, const string &amount, const char *currency = nullptr) {
    auto it = soap_new_ns1__Money(soap);
    it->soap_default(soap);
    it->__item = amount;
    if (currency)
        it->currency = text(soap, currency);
    return it;
}

static ns3__Party *party(soap *soap, const string &name) {
    auto it = soap_new_ns3__Party(soap);
    it->soap_default(soap);
    it->name = name;
    return it;
}

static ns1__Order *order(soap *soap) {
    auto placed = soap_new_ns1__Order(soap);
    placed->soap_default(soap);
    ns1__Order &order = *placed;
    order.id = 5;
    order.flags = text(soap, "a b<");
    order.ns2__lang = text(soap, "de");
    order.Order_ID = "X-1";
    order.price = money(soap, "6.35", "EUR");
    order.fees = {money(soap, "1", "\"&"), money(soap, "2")};
    order.buyer = party(soap, "N");
    order.buyer->code = static_cast<int *>(soap_malloc(soap, sizeof(int)));
    *order.buyer->code = 7;
    order.buyer->ns2__city = text(soap, "C & D");
    order.note = text(soap, "n");
    order.sizes = text(soap, "1 -2 3");
    order.plain = number(soap, 1);
    full(order, 0) = number(soap, 2);
    order.ns2__code = text(soap, "K");
    order.ns2__legs = soap_new_ns2__ArrayOfParty(soap);
    order.ns2__legs->soap_default(soap);
    order.ns2__legs->leg = {party(soap, "l"), party(soap, "m")};
    order.ns2__legs->leg[0]->plain = text(soap, "p");
    order.ns2__legs->leg[1]->ns2__city = text(soap, "D");
    return placed;
}

template <class T> static void value(const T *value) {
    if (value)
        std::cout << ' ' << *value;
    else
        std::cout << " -";
}

template <class T> static void show(const char *path, const T *it) {
    std::cout << path;
    value(it);
    std::cout << '\n';
}

static void told(const string &path, const ns1__Money *it) {
    std::cout << path << ' ' << it->__item;
    value(it->currency);
    std::cout << '\n';
}

static void told(const string &path, const ns3__Party *it) {
    std::cout << path;
    if (!it) {
        std::cout << " -\n";
        return;
    }
    value(it->code);
    value(&it->name);
    value(it->ns2__city);
    value(it->plain);
    std::cout << '\n';
}

template <class List> static void items(const string &path, const List &list) {
    std::cout << path << ' ' << list.size() << '\n';
    for (size_t index = 0; index < list.size(); index++)
        told(path + "[" + std::to_string(index) + "]", list[index]);
}

int main(int, char **arguments) {
    NotesPortProxy proxy(arguments[1], SOAP_C_UTFSTRING);
    __ns1__placeResponse answer;
    if (proxy.place(order(proxy.soap), answer) != SOAP_OK) {
        proxy.soap_stream_fault(std::cerr);
        return 1;
    }
    const ns1__Order &order = *answer.ns1__Order_;
    show("id", &order.id);
    show("flags", order.flags);
    show("lang", order.ns2__lang);
    show("number", &order.Order_ID);
    told("price", order.price);
    items("fees", order.fees);
    told("buyer", order.buyer);
    told("seller", order.seller);
    show("note", order.note);
    show("sizes", order.sizes);
    show("plain", order.plain);
    show("full", full(order, 0));
    show("code", order.ns2__code);
    items("legs", order.ns2__legs->leg);
    return 0;
}

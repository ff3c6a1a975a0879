// The desk through gSOAP, of what wsdl2h and soapcpp2 made of its WSDL: as caller, and as a service that ends with its
// input.
//
// usage: desk [URL literal|soap12]

#include "soapH.h"
#include "DeskPort.nsmap"

#include <iostream>
#include <string>

#include "serving.h"

static const char *const TOKEN = "T-1 <&>";

/// Something that lives as long as what is said.
template <class T> static T *made(soap *soap, T value) {
    auto kept = static_cast<T *>(soap_malloc(soap, sizeof(T)));
    return new (kept) T(value);
}

static std::string *text(soap *soap, const char *value) {
    auto kept = soap_new_std__string(soap);
    *kept = value;
    return kept;
}

static party__Party *party(soap *soap, const char *name) {
    auto party = soap_new_party__Party(soap);
    party->name = name;
    return party;
}

static desk__Leg *leg(soap *soap, const char *symbol, LONG64 quantity, double *ratio) {
    auto leg = soap_new_desk__Leg(soap);
    leg->symbol = symbol;
    leg->quantity = quantity;
    leg->ratio = ratio;
    return leg;
}

static desk__Order *order(soap *soap) {
    auto order = soap_new_desk__Order(soap);
    order->id = 7;
    order->channel = text(soap, "fax & phone");
    order->side = desk__Side__SellShort;
    order->__union_Order = SOAP_UNION__desk__union_Order_limit;
    order->union_Order.limit = text(soap, "6.35");
    order->buyer = party(soap, "Z\u00fcrich <&>");
    order->buyer->code = made(soap, 5);
    order->buyer->city = text(soap, "Z");
    order->notes = {"one", "two  words"};
    order->legs = {leg(soap, "IBM", 5000000000, made(soap, 0.5)), leg(soap, "CBG", -1, nullptr)};
    order->sizes = soap_new_desk__ArrayOfint(soap);
    order->sizes->item = {1, -2, 3};
    order->quantity = 5000000000;
    order->rate = 0.25;
    order->total = "12345678.25";
    order->open = true;
    static unsigned char raw[] = {0, 255, 10};
    order->raw.__ptr = raw;
    order->raw.__size = sizeof raw;
    // 2026-02-28T23:30:15.25-05:00.
    order->at.tv_sec = 1772339415;
    order->at.tv_usec = 250000;
    order->day = "2026-02-28+02:00";
    order->clock = "10:15:30+01:00";
    order->hold = "P1DT2H";
    return order;
}

/// What travels beside the next message.
static SOAP_ENV__Header *header(soap *soap) {
    soap_header(soap);
    soap_default_SOAP_ENV__Header(soap, soap->header);
    return soap->header;
}

static int call(const char *url, bool is_new) {
    if (is_new) {
        // It answers in either version, and asks in that of this table.
        namespaces[0].ns = "http://www.w3.org/2003/05/soap-envelope";
        namespaces[1].ns = "http://www.w3.org/2003/05/soap-encoding";
    }
    soap *soap = soap_new1(SOAP_C_UTFSTRING);
    auto sent = order(soap);
    for (int time = 0; time < 2; ++time) {
        // The second time with what came back.
        header(soap)->desk__Session_ = soap_new_desk__Session(soap);
        soap->header->desk__Session_->token = TOKEN;
        auto place = soap_new__desk__place(soap);
        place->order = sent;
        auto answer = soap_new__desk__placeResponse(soap);
        if (soap_call___desk__place(soap, url, nullptr, place, *answer)) {
            soap_print_fault(soap, stderr);
            return 1;
        }
        std::cout << "receipt " << soap->header->desk__Receipt_->number << std::endl;
        sent = answer->placed;
    }
    soap->header = nullptr;
    auto refuse = soap_new__desk__refuse(soap);
    refuse->quantity = 8;
    auto refused = soap_new__desk__refuseResponse(soap);
    if (soap_call___desk__refuse(soap, url, nullptr, refuse, *refused) == SOAP_OK) return 1;
    auto fault = soap->fault;
    if (!fault) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    auto detail = is_new ? fault->SOAP_ENV__Detail : fault->detail;
    auto limit = detail->desk__Limit_;
    std::cout << (is_new ? fault->SOAP_ENV__Reason->SOAP_ENV__Text : fault->faultstring) << ": " << limit->most << " "
              << limit->why << " until " << limit->window->until;
    for (int step : limit->window->steps) std::cout << " " << step;
    std::cout << std::endl;
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
    return 0;
}

/// The service: an order as it is answered.
int __desk__place(soap *soap, _desk__place *request, _desk__placeResponse &response) {
    auto session = soap->header ? soap->header->desk__Session_ : nullptr;
    if (!session || session->token != TOKEN) return soap_sender_fault(soap, "not the token", nullptr);
    header(soap)->desk__Receipt_ = soap_new_desk__Receipt(soap);
    soap->header->desk__Receipt_->number = 17;
    auto order = request->order;
    order->id += 1;
    order->side = desk__Side__Buy;
    order->__union_Order = SOAP_UNION__desk__union_Order_peg;
    order->union_Order.peg = soap_new_desk__Peg(soap);
    order->union_Order.peg->to = "bid";
    order->union_Order.peg->offset = "-0.05";
    order->seller = party(soap, "N");
    order->notes.push_back("seen");
    order->legs.erase(order->legs.begin());
    order->sizes->item.clear();
    order->comment = text(soap, " seen ");
    order->open = false;
    response.placed = order;
    return SOAP_OK;
}

int __desk__refuse(soap *soap, _desk__refuse *, _desk__refuseResponse &) {
    soap_sender_fault(soap, "too many", nullptr);
    auto detail = soap_new_SOAP_ENV__Detail(soap);
    soap_default_SOAP_ENV__Detail(soap, detail);
    detail->desk__Limit_ = soap_new_desk__Limit(soap);
    detail->desk__Limit_->most = 7;
    detail->desk__Limit_->why = "a < b";
    detail->desk__Limit_->window = soap_new_desk__Window(soap);
    detail->desk__Limit_->window->until = "2026-03-01";
    detail->desk__Limit_->window->steps = {3, 5};
    (soap->version == 2 ? soap->fault->SOAP_ENV__Detail : soap->fault->detail) = detail;
    return SOAP_FAULT;
}

/// Answers a GET with the WSDL that the program was made of.
static int describe(soap *soap) {
    soap->http_content = "text/xml; charset=utf-8";
    FILE *file = fopen("desk.wsdl", "rb");
    if (!file) return 404;
    soap_response(soap, SOAP_FILE);
    char part[4096];
    while (size_t length = fread(part, 1, sizeof part, file)) soap_send_raw(soap, part, length);
    fclose(file);
    return soap_end_send(soap);
}

static int serve() {
    soap *soap = soap_new1(SOAP_C_UTFSTRING);
    soap->fget = describe;
    return serve(soap);
}

int main(int count, char **arguments) {
    return count > 1 ? call(arguments[1], arguments[2] == std::string("soap12")) : serve();
}

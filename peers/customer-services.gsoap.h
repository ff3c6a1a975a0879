// The CustomerServices message for soapcpp2, three times: children with a namespace (q: the two
// document/literal styles), without (u: rpc/literal), and with the arrays of the SOAP encoding
// (also u: both encoded styles). The namespace is the same one; a run of the program gives gSOAP a
// table with only one of the prefixes.
//
// Moments stay text, as in the market data: gSOAP's own time_t would lose the milliseconds.

//gsoap q schema namespace: urn:trunkline:ng-2004
//gsoap q schema form: qualified
//gsoap u schema namespace: urn:trunkline:ng-2004
//gsoap u schema form: unqualified

typedef LONG64 xsd__long;
typedef double xsd__double;
typedef bool xsd__boolean;
typedef char *xsd__string;
typedef char *xsd__dateTime;

struct q__customer {
  xsd__string customerId 1;
  xsd__string password 1;
  xsd__string firstName 1;
  xsd__string lastName 1;
  xsd__string address 1;
  xsd__string phoneNum 1;
  xsd__string email 1;
  xsd__string accountNo 1;
  xsd__boolean isValid 1;
  xsd__dateTime lastModified 1;
};
struct q__product {
  xsd__long categoryId 1;
  xsd__boolean isAvailable 1;
  xsd__boolean doWeBuy 1;
  xsd__boolean doWeSell 1;
  xsd__long productId 1;
  xsd__string description 1;
  xsd__double price 1;
  xsd__long quantity 1;
  xsd__string quantityUnit 1;
  xsd__long pricePolicyId 1;
  xsd__dateTime ETA 1;
  xsd__dateTime lastModified 1;
};
struct q__customers {
  $int __sizecustomer;
  struct q__customer *customer 0;
};
struct q__products {
  $int __sizeproduct;
  struct q__product *product 0;
};
struct q__CustomerServices {
  xsd__string header 1;
  struct q__customers *customers 0;
  struct q__products *products 0;
};

struct u__customer {
  xsd__string customerId 1;
  xsd__string password 1;
  xsd__string firstName 1;
  xsd__string lastName 1;
  xsd__string address 1;
  xsd__string phoneNum 1;
  xsd__string email 1;
  xsd__string accountNo 1;
  xsd__boolean isValid 1;
  xsd__dateTime lastModified 1;
};
struct u__product {
  xsd__long categoryId 1;
  xsd__boolean isAvailable 1;
  xsd__boolean doWeBuy 1;
  xsd__boolean doWeSell 1;
  xsd__long productId 1;
  xsd__string description 1;
  xsd__double price 1;
  xsd__long quantity 1;
  xsd__string quantityUnit 1;
  xsd__long pricePolicyId 1;
  xsd__dateTime ETA 1;
  xsd__dateTime lastModified 1;
};
struct u__customers {
  $int __sizecustomer;
  struct u__customer *customer 0;
};
struct u__products {
  $int __sizeproduct;
  struct u__product *product 0;
};
struct u__parts {
  xsd__string header 1;
  struct u__customers *customers 0;
  struct u__products *products 0;
};

struct ArrayOfcustomer {
  struct u__customer *__ptrcustomer;
  int __size;
};
struct ArrayOfproduct {
  struct u__product *__ptrproduct;
  int __size;
};
struct u__CustomerServices {
  xsd__string header 1;
  struct ArrayOfcustomer *customers 0;
  struct ArrayOfproduct *products 0;
};

// The detail of a fault has its namespace everywhere, whatever the style.
struct q__Refusal {
  xsd__long q__code 1;
  xsd__string q__text 1;
};
struct u__Refusal {
  xsd__long u__code 1;
  xsd__string u__text 1;
};
struct SOAP_ENV__Detail {
  struct q__Refusal *q__Refusal 0;
  struct u__Refusal *u__Refusal 0;
  int __type;
  void *fault;
  _XML __any;
};

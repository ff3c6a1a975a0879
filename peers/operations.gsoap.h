// The operations of the benchmark of Metro's SOAP/TCP for soapcpp2: document/literal wrapped, elements inside the
// Body's child in no namespace, as operations.wsdl has them.

//gsoap ns service name: operations
//gsoap ns service namespace: urn:trunkline:operations
//gsoap ns service style: document
//gsoap ns service encoding: literal
//gsoap ns schema namespace: urn:trunkline:operations
//gsoap ns schema form: unqualified

typedef char *xsd__string;
typedef time_t xsd__dateTime;

struct xsd__base64Binary {
  unsigned char *__ptr;
  int __size;
};
struct ns__struct {
  int number 1;
  float fraction 1;
  xsd__string text 1;
};
struct ns__synthetic {
  xsd__string text 1;
  struct ns__struct structure 1;
  struct xsd__base64Binary bytes 1;
};
struct ns__location {
  xsd__string street 1;
  xsd__string city 1;
  xsd__string country 1;
};
struct ns__item {
  xsd__string id 1;
  xsd__string description 1;
  float price 1;
  int inventory 1;
  struct ns__location location 1;
  xsd__dateTime created 1;
};
struct ns__address {
  xsd__string firstName 1;
  xsd__string lastName 1;
  xsd__string address1 1;
  xsd__string address2 1;
  xsd__string city 1;
  xsd__string state 1;
  xsd__string zip 1;
};
struct ns__customer {
  int customerId 1;
  xsd__string firstName 1;
  xsd__string lastName 1;
  xsd__string phone 1;
  xsd__dateTime lastActivity 1;
  xsd__string cardNumber 1;
  xsd__string cardExpiration 1;
  struct ns__address billingAddress 1;
  struct ns__address shippingAddress 1;
};
struct ns__lineItem {
  int orderId 1;
  int itemId 1;
  int productId 1;
  xsd__string description 1;
  int quantity 1;
  float unitPrice 1;
};
struct ns__lineItems {
  $int __sizelineItem;
  struct ns__lineItem *lineItem 0;
};
struct ns__order {
  int orderId 1;
  int status 1;
  xsd__dateTime ordered 1;
  struct ns__customer customer 1;
  struct ns__lineItems lineItems 1;
};

//gsoap ns service method-action: echoVoid "urn:trunkline:operations#echoVoid"
int ns__echoVoid(struct ns__echoVoidResponse {} *out);

//gsoap ns service method-action: echoInt "urn:trunkline:operations#echoInt"
int ns__echoInt(int value, struct ns__echoIntResponse { int value 1; } *out);

//gsoap ns service method-action: echoString "urn:trunkline:operations#echoString"
int ns__echoString(xsd__string value, struct ns__echoStringResponse { xsd__string value 1; } *out);

//gsoap ns service method-action: echoStruct "urn:trunkline:operations#echoStruct"
int ns__echoStruct(struct ns__struct value, struct ns__echoStructResponse { struct ns__struct value 1; } *out);

//gsoap ns service method-action: echoSynthetic "urn:trunkline:operations#echoSynthetic"
int ns__echoSynthetic(struct ns__synthetic value, struct ns__echoSyntheticResponse { struct ns__synthetic value 1; } *out);

//gsoap ns service method-action: echoArray "urn:trunkline:operations#echoArray"
int ns__echoArray($int __sizevalue, struct ns__item *value, struct ns__echoArrayResponse { $int __sizevalue; struct ns__item *value 0; } *out);

//gsoap ns service method-action: getOrder "urn:trunkline:operations#getOrder"
int ns__getOrder(int customerId, int orderNumber, struct ns__getOrderResponse { struct ns__order value 1; } *out);

// The operations on arrays of govindaraju-2004 for soapcpp2: document/literal wrapped, elements inside the Body's child in
// no namespace, as arrays.wsdl has them.

//gsoap ns service name: arrays
//gsoap ns service namespace: urn:trunkline:arrays
//gsoap ns service style: document
//gsoap ns service encoding: literal
//gsoap ns schema namespace: urn:trunkline:arrays
//gsoap ns schema form: unqualified

typedef char *xsd__string;

struct xsd__base64Binary {
  unsigned char *__ptr;
  int __size;
};
struct ns__ArrayOfdouble {
  $int __sizeitem;
  double *item 0;
};
struct ns__ArrayOfint {
  $int __sizeitem;
  int *item 0;
};
struct ns__ArrayOfstring {
  $int __sizeitem;
  xsd__string *item 0;
};

//gsoap ns service method-action: echoVoid "urn:trunkline:arrays#echoVoid"
int ns__echoVoid(struct ns__echoVoidResponse {} *out);

//gsoap ns service method-action: echoDoubles "urn:trunkline:arrays#echoDoubles"
int ns__echoDoubles(struct ns__ArrayOfdouble value, struct ns__echoDoublesResponse { struct ns__ArrayOfdouble value 1; } *out);

//gsoap ns service method-action: echoInts "urn:trunkline:arrays#echoInts"
int ns__echoInts(struct ns__ArrayOfint value, struct ns__echoIntsResponse { struct ns__ArrayOfint value 1; } *out);

//gsoap ns service method-action: echoStrings "urn:trunkline:arrays#echoStrings"
int ns__echoStrings(struct ns__ArrayOfstring value, struct ns__echoStringsResponse { struct ns__ArrayOfstring value 1; } *out);

//gsoap ns service method-action: receiveDoubles "urn:trunkline:arrays#receiveDoubles"
int ns__receiveDoubles(struct ns__ArrayOfdouble value, struct ns__receiveDoublesResponse { int value 1; } *out);

//gsoap ns service method-action: receiveInts "urn:trunkline:arrays#receiveInts"
int ns__receiveInts(struct ns__ArrayOfint value, struct ns__receiveIntsResponse { int value 1; } *out);

//gsoap ns service method-action: sendBytes "urn:trunkline:arrays#sendBytes"
int ns__sendBytes(int value, struct ns__sendBytesResponse { struct xsd__base64Binary value 1; } *out);

//gsoap ns service method-action: sendStrings "urn:trunkline:arrays#sendStrings"
int ns__sendStrings(int value, struct ns__sendStringsResponse { struct ns__ArrayOfstring value 1; } *out);

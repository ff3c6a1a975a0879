//gsoap ns service name: Album
//gsoap ns service style: document
//gsoap ns service encoding: literal
//gsoap ns service namespace: urn:album
//gsoap ns schema namespace: urn:album
//gsoap ns schema form: qualified
//gsoap ns service method-action: develop urn:album#develop
// The test puts one of three kinds of octets here: @OCTETS@

struct ns__Picture {
    char *title 1;
    Octets pixels 1;
    Octets *thumbnail 0;
};

int ns__develop(
    struct ns__Picture *picture 1,
    struct ns__developResponse { struct ns__Picture *developed 1; } *response);

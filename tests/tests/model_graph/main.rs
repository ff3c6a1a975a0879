//! Messages of every shape of type, from graphs and into them.

mod dimensions;
mod gsoap;
mod random;
mod references;
mod rejected;
mod shapes;
mod trip;
mod unwrapped;

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";
const ENCODING11: &str = "http://schemas.xmlsoap.org/soap/encoding/";
const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";

/// A SOAP 1.1 envelope whose Body is encoded.
fn encoded(body: &str) -> String {
    format!(
        "<S:Envelope xmlns:S='{SOAP11}' xmlns:E='{ENCODING11}' xmlns:o='urn:own' \
         xmlns:xsd='http://www.w3.org/2001/XMLSchema' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\
         <S:Body S:encodingStyle='{ENCODING11}'>{body}</S:Body></S:Envelope>"
    )
}

/// A SOAP 1.2 envelope around an element whose content is encoded.
fn encoded12(name: &str, content: &str) -> String {
    format!(
        "<S:Envelope xmlns:S='{SOAP12}' xmlns:E='{ENCODING12}' xmlns:o='urn:own'><S:Body>\
         <o:{name} S:encodingStyle='{ENCODING12}'>{content}</o:{name}></S:Body></S:Envelope>"
    )
}

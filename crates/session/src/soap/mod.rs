//! SOAP services and clients.

pub mod wsdl;

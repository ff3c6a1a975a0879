//! SOAP services and clients.

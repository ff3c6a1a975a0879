//! Wire formats: FIX tag=value, SOAP in XML, CORBA CDR

#![forbid(unsafe_code)]

pub mod xml;

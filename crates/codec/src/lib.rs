//! Wire formats: FIX tag=value, SOAP in XML, CORBA CDR

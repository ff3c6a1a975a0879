//! The recorded echo requests again, to services with a schema for each operation, and the recorded
//! answers read by it: what the answers say is compared, as types and names are the schema's. Lists
//! of texts, arrays of arrays and `hexBinary` have no place in a schema, so their operations are left
//! to the services without one.

use std::collections::BTreeMap;
use std::fmt::Debug;

use trunkline_message::{Group, Limits, Message as Structure};
use trunkline_session::soap::{Binding, Fault, FaultCode, Service, SoapVersion};
use trunkline_soap::{self as soap, Decoder, Options, Plan};
use trunkline_tests::soap_cases::{self, Case};
use trunkline_wire::{Decimal, Timestamp};

use crate::collection;

/// A request and its answer, whose result has another name in some of the suites.
macro_rules! echo {
    ($request:ident, $response:ident, $name:ident: $type:ty) => {
        #[derive(Structure, Clone, Debug, Default, PartialEq)]
        #[message(rename_all = "camelCase")]
        struct $request {
            $name: Option<$type>,
        }

        #[derive(Structure, Clone, Debug, Default, PartialEq)]
        struct $response {
            #[field(name = "return")]
            value: Option<$type>,
        }

        impl $request {
            fn echo(self) -> Result<$response, Fault> {
                Ok($response { value: self.$name })
            }
        }
    };
}

echo!(OfString, String_, input_string: String);
echo!(OfInteger, Integer, input_integer: i32);
echo!(OfFloat, Float, input_float: f64);
echo!(OfBoolean, Boolean, input_boolean: bool);
echo!(OfDate, Date, input_date: Timestamp);
echo!(OfDecimal, Decimal_, input_decimal: Decimal);
echo!(OfBase64, Base64, input_base64: Vec<u8>);
echo!(OfIntegers, Integers, input_integer_array: Vec<i32>);
echo!(OfFloats, Floats, input_float_array: Vec<f64>);

#[derive(Structure, Clone, Debug, Default, PartialEq)]
#[message(name = "SOAPStruct", rename_all = "camelCase")]
struct Struct {
    var_string: Option<String>,
    var_int: Option<i32>,
    var_float: Option<f64>,
}

#[derive(Structure, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
struct OfStruct {
    #[field(name = "inputStruct", implied)]
    input_struct: Struct,
}

#[derive(Structure, Clone, Debug, Default, PartialEq)]
struct StructAnswer {
    #[field(name = "return", implied)]
    value: Struct,
}

#[derive(Structure, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
struct OfStructs {
    #[field(name = "inputStructArray")]
    #[xml(entry = "item")]
    input_struct_array: Group<Struct>,
}

#[derive(Structure, Clone, Debug, Default, PartialEq)]
struct StructsAnswer {
    #[field(name = "return")]
    #[xml(entry = "item")]
    value: Group<Struct>,
}

/// The arguments, as one struct in the answer.
#[derive(Structure, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
struct OfSimpleTypes {
    input_string: Option<String>,
    input_int: Option<i32>,
    input_integer: Option<i32>,
    input_float: Option<f64>,
}

#[derive(Structure, Clone, Debug, Default, PartialEq)]
struct Nothing {}

fn service(namespace: &str, version: SoapVersion) -> Service {
    Service::new("Echo", namespace)
        .operation("echoString", OfString::echo)
        .operation("echoInteger", OfInteger::echo)
        .operation("echoFloat", OfFloat::echo)
        .operation("echoBoolean", OfBoolean::echo)
        .operation("echoDate", OfDate::echo)
        .operation("echoDecimal", OfDecimal::echo)
        .operation("echoBase64", OfBase64::echo)
        .operation("echoIntegerArray", OfIntegers::echo)
        .operation("echoFloatArray", OfFloats::echo)
        .operation("echoStruct", |it: OfStruct| {
            Ok::<_, Fault>(StructAnswer { value: it.input_struct })
        })
        .operation("echoStructArray", |it: OfStructs| {
            Ok::<_, Fault>(StructsAnswer { value: it.input_struct_array })
        })
        .operation("echoSimpleTypesAsStruct", |it: OfSimpleTypes| {
            let value = Struct {
                var_string: it.input_string,
                // The suites differ.
                var_int: it.input_int.or(it.input_integer),
                var_float: it.input_float,
            };
            Ok::<_, Fault>(StructAnswer { value })
        })
        .operation("echoVoid", |_: Nothing| Ok::<_, Fault>(Nothing {}))
        .operation("returnVoid", |_: Nothing| Ok::<_, Fault>(Nothing {}))
        .at("/", Binding { version, ..Binding::rpc_encoded().with_result() })
}

/// What an answer says, to a client of the service.
fn said(operation: &str, answer: &[u8]) -> Option<String> {
    Some(match operation {
        "echoString" => said_as::<String_>(answer),
        "echoInteger" => said_as::<Integer>(answer),
        "echoFloat" => said_as::<Float>(answer),
        "echoBoolean" => said_as::<Boolean>(answer),
        "echoDate" => said_as::<Date>(answer),
        "echoDecimal" => said_as::<Decimal_>(answer),
        "echoBase64" => said_as::<Base64>(answer),
        "echoIntegerArray" => said_as::<Integers>(answer),
        "echoFloatArray" => said_as::<Floats>(answer),
        "echoStruct" | "echoSimpleTypesAsStruct" => said_as::<StructAnswer>(answer),
        "echoStructArray" => said_as::<StructsAnswer>(answer),
        "echoVoid" | "returnVoid" => said_as::<Nothing>(answer),
        _ => return None,
    })
}

fn said_as<R: trunkline_message::Structure + Structure + Default + Debug>(answer: &[u8]) -> String {
    let limits = Limits::default();
    if let Ok(fault) = Fault::decode(answer, &limits) {
        return format!("{:?}: {}", fault.code, fault.reason);
    }
    let options = Binding::rpc_encoded().options("urn:any", "anyResponse");
    let plan = Plan::new(R::layout(), &Options { any_wrapper: true, ..options }).expect("a plan");
    let mut message = R::default();
    let mut decoder = Decoder::new(&plan);
    match decoder.decode(answer, &mut message) {
        Ok(()) => format!("{message:?}, {} unknown", decoder.unknown()),
        Err(error) => error.to_string(),
    }
}

/// Where our answer says something else, or the recorded one cannot be read, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("soap-php/round2-base/r2_base_002p", PARAM0),
    ("soap-php/round2-base/r2_base_004p", PARAM0),
    ("soap-php/round2-base/r2_base_005p", PARAM0),
    ("soap-php/round2-base/r2_base_010p", PARAM0),
    ("soap-php/round2-base/r2_base_014p", PARAM0),
    ("soap-php/round2-base/r2_base_015p", PARAM0),
    ("soap-php/round2-base/r2_base_017p", PARAM0),
    ("soap-php/round2-base/r2_base_021p", PARAM0),
    ("soap-php/round2-base/r2_base_022p", PARAM0),
    ("soap-php/soap12-testcollection/T53", "a time stamp with the type xsd:date"),
    (
        "soap-php/soap12-testcollection/T56",
        "a reference to nothing is the sender's mistake, not the receiver's",
    ),
    (
        "soap-php/soap12-testcollection/T58",
        "a wrong argument is the sender's mistake, not the receiver's",
    ),
    ("soap12-whitemesa/soap12/add-test-rpc/XMLP-5", "our services speak SOAP 1.1 as well as 1.2"),
];

const PARAM0: &str = "PHP without a WSDL calls the argument param0, and names count";

fn all() -> Option<Vec<Case>> {
    let mut all = soap_cases::cases("soap-php/round2-base.jsonl")?;
    all.extend(soap_cases::cases("soap-php/soap12-testcollection.jsonl")?);
    all.extend(soap_cases::pairs("soap12-whitemesa/soap12/test-rpc")?);
    all.extend(collection::additional()?);
    Some(all)
}

#[test]
fn recorded_calls_are_answered_by_typed_operations() {
    let Some(cases) = all() else { return };
    let (mut count, mut different) = (0, BTreeMap::new());
    for case in &cases {
        let request = case.fields.text("request");
        let Ok(opened) = soap::open(request.as_bytes(), &Limits::default()) else { continue };
        let Some(call) = opened.body else { continue };
        let Some(expected) = said(&call.local, case.fields.text("response").as_bytes()) else {
            continue;
        };
        let service = service(&call.namespace, opened.version);
        let mut conversation = service.build().expect("a service")[0].conversation();
        let answer = conversation.answer(request.as_bytes(), "", opened.version).bytes.to_vec();
        let unknown = conversation.context().unknown_elements();
        let found = said(&call.local, &answer).expect("an operation");
        count += 1;
        if code_of(&expected).map_or(expected != found, |code| code_of(&found) != Some(code)) {
            let told = format!("{} recorded {expected}\nours     {found}", case.id);
            different.insert(case.id.clone(), (told, unknown));
        }
    }
    assert!(count > 50, "only {count} calls");
    let told: Vec<&str> = different.values().map(|it| &*it.0).collect();
    let found: Vec<&str> = different.keys().map(String::as_str).collect();
    let known: Vec<&str> = DIFFERENT.iter().map(|it| it.0).collect();
    assert_eq!(found, known, "{}", told.join("\n"));
    for ((_, why), (told, unknown)) in DIFFERENT.iter().zip(different.values()) {
        // What is passed over does not go unnoticed.
        assert_eq!(*why == PARAM0, *unknown > 0, "{told}");
    }
}

/// The code of a fault, if that is what was said.
fn code_of(said: &str) -> Option<FaultCode> {
    let codes = [FaultCode::Sender, FaultCode::Receiver, FaultCode::DataEncodingUnknown];
    codes.into_iter().find(|code| said.starts_with(&format!("{code:?}: ")))
}

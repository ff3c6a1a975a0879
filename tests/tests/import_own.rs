//! The descriptions that our own services have, read again.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use trunkline_import::Limits;
use trunkline_import::wsdl::Description;
use trunkline_message::{Layout, Record, UnknownContent};
use trunkline_session::soap::wsdl;
use trunkline_soap::{Decoder, Encoder, Layout as Form, Options, Plan, Style};
use trunkline_tests::random::{self, Safe};

/// A message of most shapes.
const ORDER: &str = "message Order
field id 0 integer required
field side 0 Side required
choice settlement implied Settlement
  field account 0 i64 required
  component delivery required Address
    field street 0 text required
    field city 0 text optional
  end
end
component address optional Address
  field street 0 text required
  field city 0 text optional
end
field hold 0 duration required
field notes 0 text[] implied
field sides 0 Side[] implied
field corners 0 Address[2] required
field pair 0 f64[2] required
field tags 0 text[] implied
note xml list unwrapped
end
enumeration Side
value Buy
value SellShort
end
struct Address
field street 0 text required
field city 0 text optional
end";

#[test]
fn messages_of_our_services_have_plans_and_come_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/wsdl");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in fs::read_dir(&folder).expect("the folder") {
        let path = file.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if !name.ends_with(".wsdl") {
            continue;
        }
        let mut files =
            |path: &str| fs::read(folder.join(path)).map(Some).map_err(|it| it.to_string());
        let read = match Description::read(&name, &mut files, &Limits::default()) {
            Ok(read) => read,
            Err(problem) => {
                wrong.push(problem.to_string());
                continue;
            }
        };
        wrong.extend(read.warnings().iter().map(ToString::to_string));
        for binding in read.bindings() {
            for operation in &binding.operations {
                for made in [read.request(binding, operation), read.response(binding, operation)] {
                    let come_back = match made {
                        Ok(Some(made)) => Plan::new(&Arc::new(made.layout), &made.options)
                            .map_err(|it| it.to_string())
                            .and_then(|it| come_back(&it)),
                        Ok(None) => continue,
                        Err(problem) => Err(problem.to_string()),
                    };
                    count += 1;
                    if let Err(why) = come_back {
                        wrong.push(format!("{name} {} {}: {why}", binding.name, operation.name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "{count}");
}

/// A client that knows the description alone writes what the service reads, and reads what it writes.
#[test]
fn a_message_is_the_same_by_its_description() {
    let own = Arc::new(Layout::from_listing(ORDER).expect("a listing"));
    let options = Options {
        style: Style::DocumentLiteral,
        layout: Form::Operation,
        operation: "enter".into(),
        namespace: "urn:own".into(),
        zone: true,
        ..Options::default()
    };
    let described = wsdl::Description {
        name: "Orders".into(),
        port_type: None,
        namespace: options.namespace.clone(),
        bindings: vec![wsdl::Binding {
            name: "Orders".into(),
            binding: None,
            version: options.version,
            style: options.style,
            wrapped: true,
            qualified: true,
            location: "http://localhost/".into(),
        }],
        operations: vec![wsdl::OperationDescription {
            name: options.operation.clone(),
            action: String::new(),
            documentation: None,
            input: own.clone(),
            output: None,
            faults: Vec::new(),
            input_headers: Vec::new(),
            output_headers: Vec::new(),
        }],
        documentation: None,
    };
    let text = wsdl::write(&described);
    let mut files = |_: &str| Ok(Some(text.clone().into_bytes()));
    let read = Description::read("own.wsdl", &mut files, &Limits::default());
    let read = read.unwrap_or_else(|it| panic!("{it}"));
    let binding = &read.bindings()[0];
    let made = read.request(binding, &binding.operations[0]).unwrap_or_else(|it| panic!("{it}"));
    let made = made.expect("a Body");
    let own = Plan::new(&own, &options).unwrap_or_else(|it| panic!("{it}"));
    let theirs =
        Plan::new(&Arc::new(made.layout), &made.options).unwrap_or_else(|it| panic!("{it}"));
    for seed in 0..200 {
        let mut record = Record::new(own.layout());
        random::fill(&mut record, seed, Safe::SOAP, 2);
        let bytes = Encoder::new(&own).encode(&record).expect("it is written").to_vec();
        let through = |plan: &Arc<Plan>, bytes: &[u8]| {
            let mut record = Record::new(plan.layout());
            let mut decoder = Decoder::new(plan).on_unknown(UnknownContent::Reject);
            decoder.decode(bytes, &mut record).unwrap_or_else(|it| panic!("{seed}: {it}"));
            let again = Encoder::new(plan).encode(&record).map(<[u8]>::to_vec);
            again.unwrap_or_else(|it| panic!("{seed}: {it}"))
        };
        let back = through(&own, &through(&theirs, &bytes));
        assert_eq!(String::from_utf8_lossy(&back), String::from_utf8_lossy(&bytes), "{seed}");
    }
}

/// Writes messages by chance, reads them and writes them again.
fn come_back(plan: &Arc<Plan>) -> Result<(), String> {
    let (mut encoder, mut decoder) = (Encoder::new(plan), Decoder::new(plan));
    for seed in 0..5 {
        let mut record = Record::new(plan.layout());
        random::fill(&mut record, seed, Safe::SOAP, 2);
        let bytes = encoder.encode(&record).map_err(|it| format!("encoding: {it}"))?.to_vec();
        let mut back = Record::new(plan.layout());
        decoder.decode(&bytes, &mut back).map_err(|it| format!("decoding: {it}"))?;
        if encoder.encode(&back).map_err(|it| it.to_string())? != bytes {
            return Err("it did not come back".into());
        }
    }
    Ok(())
}

//! IDL: what omniidl declares, and messages by chance in both directions.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use trunkline_codec::cdr::{ByteOrder, Decoder, Encoder, Options as CdrOptions, Plan};
use trunkline_import::Limits;
use trunkline_import::idl::{
    Body, Constant, Content, Declaration, DeclarationId, Member, Options, Specification, Type,
    Typed, ValueType,
};
use trunkline_message::{Layout, Record};

use super::Row;
use crate::random::{self, Safe};

/// Every case of the suite in this folder, with what is expected of it: `accept`, `refuse`, or either.
///
/// # Panics
/// The suite is not whole.
pub fn rows(suite: &Path) -> Vec<(Row, String)> {
    let facts = fs::read_to_string(suite.join("facts.jsonl")).expect("the facts");
    let facts = facts.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    facts
        .map(|facts: Value| {
            let expected = facts["expect"].as_str().expect("a text").to_owned();
            (row(suite, &facts), expected)
        })
        .collect()
}

/// The specification of a case, read from its folder alone.
pub fn read(suite: &Path, facts: &Value) -> Result<Specification, trunkline_import::Problem> {
    let text = |key: &str| facts[key].as_str().expect("a text").to_owned();
    let folder = suite.join(text("case"));
    let folders = facts["include_dirs"].as_array().into_iter().flatten();
    let folders = folders.filter_map(Value::as_str).map(str::to_owned).collect();
    // Each compiler defines its name.
    let is_of_jacorb = text("expect").starts_with("accept (CORBA 3");
    let name = if is_of_jacorb { "JACORB" } else { "__OMNIIDL__" };
    let options = Options { folders, macros: vec![(name.to_owned(), String::new())] };
    let mut resolver = |path: &str| match fs::read(folder.join(path)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    Specification::read(&text("main"), &options, &mut resolver, &Limits::default())
}

fn row(suite: &Path, facts: &Value) -> Row {
    let case = facts["case"].as_str().expect("a text").to_owned();
    let mut row =
        Row { case, rejected: None, differences: Vec::new(), messages: 0, without_plan: 0 };
    let specification = match read(suite, facts) {
        Ok(specification) => specification,
        Err(problem) => {
            row.rejected = Some(problem.to_string());
            return row;
        }
    };
    if let Some(expected) = facts["omniidl"]["declarations"].as_array() {
        let expected: BTreeSet<String> = expected.iter().map(|it| plain(it).to_string()).collect();
        let main = specification.declarations().iter().filter(|it| it.is_main);
        let found = main.filter_map(|it| fact(&specification, it));
        let found: BTreeSet<String> = found.map(|it| plain(&it).to_string()).collect();
        row.differences.extend(found.difference(&expected).map(|it| format!("found {it}")));
        row.differences.extend(expected.difference(&found).map(|it| format!("expected {it}")));
    }
    for (index, declaration) in specification.declarations().iter().enumerate() {
        let is_message =
            matches!(declaration.body, Body::Struct(_) | Body::Exception(_) | Body::Union(_));
        if !is_message || !declaration.is_main {
            continue;
        }
        match specification.layout(DeclarationId(index)) {
            Ok(layout) => match come_back(&Arc::new(layout)) {
                Ok(count) => row.messages += count,
                Err(why) => row.differences.push(format!("{}: {why}", declaration.name)),
            },
            // What has no form says so.
            Err(problem) if problem.what.contains("no form") => row.without_plan += 1,
            Err(problem) => row.differences.push(problem.to_string()),
        }
    }
    row
}

/// Writes messages by chance, reads them and writes them again.
fn come_back(layout: &Arc<Layout>) -> Result<usize, String> {
    let options = CdrOptions { byte_order: ByteOrder::Big, ..CdrOptions::default() };
    let plan = Plan::new(layout, &options).map_err(|it| it.to_string())?;
    let (mut encoder, mut decoder) = (Encoder::new(&plan), Decoder::new(&plan));
    let mut count = 0;
    for seed in 0..100 {
        let mut record = Record::new(layout);
        random::fill(&mut record, seed, Safe::CDR, 2);
        let bytes = match encoder.encode(&record) {
            Ok(bytes) => bytes.to_vec(),
            // Chance does not know which labels are those of other arms.
            Err(error) if error.to_string().contains("default arm is another arm's") => continue,
            Err(error) => return Err(error.to_string()),
        };
        let mut back = Record::new(layout);
        decoder.decode(&bytes, &mut back).map_err(|it| it.to_string())?;
        if encoder.encode(&back).map_err(|it| it.to_string())? != bytes {
            return Err("it did not come back".into());
        }
        count += 1;
        if count == 3 {
            break;
        }
    }
    Ok(count)
}

/// Without what is found out by looking at all of it, and numbers as they are written.
fn plain(fact: &Value) -> Value {
    let mut fact = fact.clone();
    if let Some(keys) = fact.as_object_mut() {
        keys.remove("recursive");
        if let Some(number) = keys.get("value").and_then(Value::as_f64) {
            keys.insert("value".into(), json!(number.to_string()));
        }
    }
    fact
}

fn fact(specification: &Specification, declaration: &Declaration) -> Option<Value> {
    let Declaration { name, id, body, .. } = declaration;
    let shown = |it: &Type| specification.shown(it);
    let named = |ids: &[DeclarationId]| -> Vec<String> {
        ids.iter().map(|it| specification.declaration(*it).name.clone()).collect()
    };
    let contents = |all: &[Content]| -> Vec<Value> {
        all.iter().map(|it| content(specification, it)).collect()
    };
    let members = |all: &[Member]| -> Vec<Value> {
        all.iter().map(|it| json!([shown(&it.typed.of), declarator(it)])).collect()
    };
    Some(match body {
        Body::Module => json!({ "kind": "module", "name": name }),
        Body::Forward(_) => json!({ "kind": "forward", "name": name }),
        Body::Native => return None,
        Body::Interface(it) => json!({
            "kind": "interface", "name": name, "id": id, "bases": named(&it.bases), "local": it.is_local,
            "abstract": it.is_abstract, "operations": contents(&it.contents),
        }),
        Body::Struct(all) => {
            json!({ "kind": "struct", "name": name, "id": id, "members": members(all) })
        }
        Body::Exception(all) => {
            json!({ "kind": "exception", "name": name, "id": id, "members": members(all) })
        }
        Body::Enum(values) => json!({ "kind": "enum", "name": name, "id": id, "members": values }),
        Body::Typedef(Typed { of, dimensions }) => {
            json!({ "kind": "typedef", "name": name, "type": shown(of), "dims": dimensions, "id": id })
        }
        Body::Const(of, constant) => json!({
            "kind": "const", "name": name, "type": shown(of), "value": value(specification, constant, shown(of)),
        }),
        Body::Union(union) => {
            let cases = union.cases.iter().map(|it| {
                let labels: Vec<Value> = it
                    .labels
                    .iter()
                    .map(|it| match it {
                        Some(label) => value(specification, label, String::new()),
                        None => json!("default"),
                    })
                    .collect();
                json!({ "labels": labels, "type": shown(&it.member.typed.of), "name": declarator(&it.member) })
            });
            let cases: Vec<Value> = cases.collect();
            let discriminator = shown(&union.discriminator);
            json!({ "kind": "union", "name": name, "id": id, "discriminator": discriminator, "cases": cases })
        }
        Body::ValueBox(of) => {
            json!({ "kind": "valuebox", "name": name, "id": id, "type": shown(of) })
        }
        Body::Value(it) => value_type(specification, declaration, it),
    })
}

fn value_type(specification: &Specification, declaration: &Declaration, it: &ValueType) -> Value {
    let Declaration { name, id, .. } = declaration;
    let named = |ids: &[DeclarationId]| -> Vec<String> {
        ids.iter().map(|it| specification.declaration(*it).name.clone()).collect()
    };
    let contents: Vec<Value> = it.contents.iter().map(|it| content(specification, it)).collect();
    let kind = if it.is_abstract { "abstract value" } else { "value" };
    let mut fact = json!({
        "kind": kind, "name": name, "id": id, "bases": named(&it.bases), "supports": named(&it.supports),
        "operations": contents,
    });
    if !it.is_abstract {
        let access = |is_public: bool| if is_public { "public" } else { "private" };
        let state = it.state.iter();
        let state: Vec<Value> = state
            .map(|(is_public, it)| {
                json!([access(*is_public), specification.shown(&it.typed.of), declarator(it)])
            })
            .collect();
        fact["custom"] = json!(it.is_custom);
        fact["truncatable"] = json!(it.is_truncatable);
        fact["state"] = json!(state);
        fact["factories"] = json!(it.factories);
    }
    fact
}

/// `name[2][3]`
fn declarator(member: &Member) -> String {
    let dimensions = member.typed.dimensions.iter().map(|it| format!("[{it}]"));
    member.name.clone() + &dimensions.collect::<String>()
}

fn content(specification: &Specification, content: &Content) -> Value {
    match content {
        Content::Attribute { names, of, is_readonly } => {
            json!({ "attribute": names, "readonly": is_readonly, "type": specification.shown(of) })
        }
        Content::Operation(it) => {
            let returns =
                it.returns.as_ref().map_or("void".to_owned(), |it| specification.shown(it));
            let parameters: Vec<Value> = it
                .parameters
                .iter()
                .map(|it| json!([it.direction, specification.shown(&it.of), it.name]))
                .collect();
            let raises: Vec<&str> =
                it.raises.iter().map(|it| &*specification.declaration(*it).name).collect();
            json!({
                "op": it.name, "oneway": it.is_oneway, "returns": returns, "params": parameters,
                "raises": raises, "context": it.context,
            })
        }
    }
}

fn value(specification: &Specification, constant: &Constant, of: String) -> Value {
    match constant {
        Constant::Boolean(it) => json!(u8::from(*it)),
        Constant::Integer(it) => json!(i64::try_from(*it).expect("none is larger")),
        Constant::Float(it) if of != "double" => json!(f64::from(*it as f32)),
        Constant::Float(it) => json!(it),
        Constant::Fixed(it) => json!(it),
        Constant::Character(it) if of == "wchar" => json!(u32::from(*it)),
        Constant::Character(it) => json!(it),
        Constant::Text(it) if of == "wstring" => {
            json!(it.chars().map(u32::from).collect::<Vec<_>>())
        }
        Constant::Text(it) => json!(it),
        Constant::Enumerator(of, place) => {
            let Declaration { name, body: Body::Enum(values), .. } = specification.declaration(*of)
            else {
                unreachable!("it is of an enumeration");
            };
            let value = &values[*place as usize];
            match name.rsplit_once("::") {
                Some((around, _)) => json!(format!("{around}::{value}")),
                None => json!(value),
            }
        }
    }
}

//! Where a tag of FIX may stand twice, and where not.

use std::sync::Arc;

use trunkline_codec::fix;
use trunkline_message::{Layout, Record};
use trunkline_wire::Code;

/// As in FIX 4.3's RegistrationInstructions: a tag is one field's along its groups, and may be another's
/// in a group beside them.
#[test]
fn a_tag_may_stand_in_two_groups_side_by_side() {
    let listing = "message M U1
        group Registrations 473 Registration implied
          field RegistDtls 509 text required
          field RegistEmail 511 text optional
        end
        group Distributions 510 Distribution implied
          field DistribPaymentMethod 477 code required
          field Name 509 text optional
        end
        field Text 58 text optional
        end";
    let layout = Arc::new(Layout::from_listing(listing).unwrap());
    let plan = fix::Plan::new(&layout, &fix::Options::default()).unwrap();
    let mut record = Record::new(&layout);
    let registration = record.group_mut("Registrations").unwrap().next_entry();
    registration.set("RegistDtls", "A").unwrap();
    let distribution = record.group_mut("Distributions").unwrap().next_entry();
    distribution.set("DistribPaymentMethod", Code::new("1")).unwrap();
    distribution.set("Name", "B").unwrap();
    record.set("Text", "C").unwrap();
    let bytes = fix::Encoder::new(&plan).encode(&record).unwrap().to_vec();
    let text = String::from_utf8(bytes.clone()).unwrap().replace('\x01', "|");
    assert!(text.contains("|35=U1|473=1|509=A|510=1|477=1|509=B|58=C|10="), "{text}");
    let mut read = Record::new(&layout);
    fix::Decoder::new(&plan).decode(&bytes, &mut read).unwrap();
    assert_eq!(read, record);
}

/// What stands behind the count of the group is the entry's, so that what is around is written before it.
#[test]
fn a_tag_may_stand_in_a_group_and_before_it() {
    let plan = |place: &str| {
        let [before, behind] = match place {
            "before" => ["field Symbol 55 text optional", ""],
            _ => ["", "field Symbol 55 text optional"],
        };
        let listing = format!(
            "message M U1
            component Instrument optional
              {before}
              field SecurityID 48 text optional
            end
            group Entries 268 Entry required
              field Type 269 code required
              group Legs 555 Leg implied
                field LegSymbol 600 text required
                field Symbol 55 text optional
              end
            end
            {behind}
            end"
        );
        let layout = Arc::new(Layout::from_listing(&listing).unwrap());
        fix::Plan::new(&layout, &fix::Options::default())
    };
    let error = plan("behind").unwrap_err().to_string();
    let expected = "the FIX tag 55 stands for Symbol here, too";
    assert!(error.ends_with(expected) && error.starts_with("Entries/Legs/Symbol"), "{error}");
    let plan = plan("before").unwrap();
    let mut record = Record::new(plan.layout());
    record.set("Instrument/Symbol", "A").unwrap();
    let entry = record.group_mut("Entries").unwrap().next_entry();
    entry.set("Type", Code::new("0")).unwrap();
    entry.group_mut("Legs").unwrap().next_entry().set("LegSymbol", "B").unwrap();
    let leg = entry.group_mut("Legs").unwrap().next_entry();
    leg.set("LegSymbol", "C").unwrap();
    leg.set("Symbol", "D").unwrap();
    let bytes = fix::Encoder::new(&plan).encode(&record).unwrap().to_vec();
    let text = String::from_utf8(bytes.clone()).unwrap().replace('\x01', "|");
    assert!(text.contains("|35=U1|55=A|268=1|269=0|555=2|600=B|600=C|55=D|10="), "{text}");
    let mut read = Record::new(plan.layout());
    fix::Decoder::new(&plan).decode(&bytes, &mut read).unwrap();
    assert_eq!(read, record);
}

#[test]
fn a_tag_that_stands_twice_along_its_groups_is_rejected_with_the_path() {
    let rejection = |tags: [u32; 3]| {
        let [outer, inner, length] = tags;
        let listing = format!(
            "message M U1
            field Text {outer} text required
            group Parties 453 Party implied
              field PartyID 448 text required
              group Ids 802 Id implied
                component Own required
                  field SubID {inner} bytes optional {length}
                end
              end
            end
            end"
        );
        let layout = Arc::new(Layout::from_listing(&listing).unwrap());
        fix::Plan::new(&layout, &fix::Options::default()).unwrap_err().to_string()
    };
    let twice = |tag: u32, other: &str| {
        format!(
            "Parties/Ids/Own/SubID at byte 0: not supported: the FIX tag {tag} stands for {other} here, too"
        )
    };
    assert_eq!(rejection([58, 58, 100]), twice(58, "Text"));
    assert_eq!(rejection([58, 101, 448]), twice(448, "PartyID"));
    assert_eq!(rejection([58, 101, 101]), twice(101, "SubID"));
    assert_eq!(rejection([58, 453, 100]), twice(453, "Parties"));
}

//! What XML Schema forbids of facets.

use trunkline_message::{Kind, Pattern};

use super::Schemas;
use super::builtin::BuiltIn;
use super::component::{Facets, Simple, Type, TypeBody, TypeUse};
use super::lookup::Found;
use super::name::Name;
use super::simple::plain;
use crate::Problem;

/// What values are at the bottom.
enum Variety {
    Atom(&'static BuiltIn),
    List,
    Union,
}

/// Types that restrict one another, at most.
const DEEPEST: usize = 64;

impl Schemas {
    /// Are the facets of a simple type values that they may have?
    pub(super) fn check_facets(&self, of: &Type) -> Result<(), Problem> {
        let TypeBody::Simple(Simple::Restriction { base, facets }) = &of.body else {
            return Ok(());
        };
        if self.is_strict {
            self.check_words(of, base, facets)?;
        }
        let Some(values) = self.values(base)? else { return Ok(()) };
        for (word, value) in &facets.words {
            let value = value.trim();
            let is_right = match *word {
                "min_inclusive" | "max_inclusive" | "min_exclusive" | "max_exclusive" => {
                    values.kind == Kind::Text || plain(values.kind, value).is_some()
                }
                _ => value.bytes().all(|it| it.is_ascii_digit()),
            };
            if !is_right {
                let what = format!("the facet {word} is {value:?}, which it cannot be");
                return Err(Problem::new(&of.place, what, "give a value of the base"));
            }
        }
        Ok(())
    }

    /// May a type have these facets (part 2, section 4.1.5), and are its patterns and notations what they may be?
    fn check_words(&self, of: &Type, base: &TypeUse, facets: &Facets) -> Result<(), Problem> {
        for pattern in &facets.patterns {
            if let Err(why) = Pattern::check(pattern) {
                let what = format!("the pattern {pattern}: {why}");
                let remedy = "write it as XML Schema has it (part 2, appendix F)";
                return Err(Problem::new(&of.place, what, remedy));
            }
        }
        let Some(variety) = self.variety(base)? else { return Ok(()) };
        let is_wrong = |it: &&(&str, String)| !variety.has(it.0);
        if let Some((word, _)) = facets.words.iter().find(is_wrong) {
            let what = format!("the facet {word}, which its base does not have");
            return Err(Problem::new(&of.place, what, "take it out"));
        }
        let Variety::Atom(BuiltIn { name: "NOTATION", .. }) = variety else { return Ok(()) };
        for value in &facets.values {
            let (prefix, local) = value.trim().split_once(':').unwrap_or(("", value.trim()));
            let namespace = facets.prefixes.iter().find(|it| it.0 == prefix).map_or("", |it| &it.1);
            let name = Name::new(namespace, local);
            if !self.notations.contains(&name) && !self.is_foreign(&name) {
                let what = format!("the notation {name} is not declared");
                return Err(Problem::new(&of.place, what, "declare it"));
            }
        }
        Ok(())
    }

    /// What the values of a type are at the bottom; none of one that has none, or no end.
    fn variety(&self, of: &TypeUse) -> Result<Option<Variety>, Problem> {
        let mut found = self.found(of)?;
        for _ in 0..DEEPEST {
            found = match found {
                Found::BuiltIn(known) if known.is_list => return Ok(Some(Variety::List)),
                Found::BuiltIn(known) if known.is_any() => return Ok(None),
                Found::BuiltIn(known) => return Ok(Some(Variety::Atom(known))),
                Found::Type(_, Type { body: TypeBody::Simple(simple), .. }) => match simple {
                    Simple::Restriction { base, .. } => self.found(base)?,
                    Simple::List { .. } => return Ok(Some(Variety::List)),
                    Simple::Union { .. } => return Ok(Some(Variety::Union)),
                },
                Found::Type(..) | Found::Array => return Ok(None),
            };
        }
        Ok(None)
    }
}

impl Variety {
    fn has(&self, word: &str) -> bool {
        let is_length = matches!(word, "length" | "min_length" | "max_length");
        match self {
            Self::Union => false,
            Self::List => is_length,
            Self::Atom(known) => {
                let is_text = matches!(known.kind, Kind::Text | Kind::Bytes);
                let is_moment = known.name.starts_with('g');
                match word {
                    _ if is_length => is_text && !is_moment,
                    "total_digits" | "fraction_digits" => matches!(
                        known.kind,
                        Kind::Integer(_) | Kind::BigInteger | Kind::Decimal | Kind::BigDecimal
                    ),
                    _ => is_moment || !(is_text || known.kind == Kind::Boolean),
                }
            }
        }
    }
}

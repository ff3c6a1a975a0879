//! Annotations of IDL 4 (part 8.3), as DDS has them: what they say is passed over where it changes no bytes of CDR.

use super::lexer::{Spanned, Token};
use super::parser::Parser;
use crate::problem::{Place, Problem};

/// Those that do.
const OF_BYTES: [&str; 3] = ["optional", "mutable", "bit_bound"];

impl Parser<'_> {
    /// Goes over an annotation, or the definition of one, whose `@` was taken.
    pub(super) fn annotation(&mut self, place: &Place) -> Result<(), Problem> {
        let mut name = String::new();
        while let Some(Token::Word(word) | Token::Escaped(word)) = self.coming() {
            name.push_str(word);
            self.pass();
            if !matches!(self.coming(), Some(Token::Sign("::"))) {
                break;
            }
            name.push_str("::");
            self.pass();
        }
        if name.is_empty() {
            return self.reject(place, "@ without a name behind it", "name the annotation");
        }
        if name == "annotation" {
            while self.coming().is_some_and(|it| *it != Token::Sign("{")) {
                self.pass();
            }
            self.pass_enclosed(place, ["{", "}"])?;
            if matches!(self.coming(), Some(Token::Sign(";"))) {
                self.pass();
            }
            return Ok(());
        }
        let said = match self.coming() {
            Some(Token::Sign("(")) => self.pass_enclosed(place, ["(", ")"])?,
            _ => String::new(),
        };
        let is_off = said == "FALSE";
        let is_of_bytes = OF_BYTES.contains(&&*name) && !is_off
            || name == "extensibility" && said.contains("MUTABLE");
        if is_of_bytes {
            let what = format!("@{name} changes the bytes, for which there is no form");
            return self.reject(place, what, "take it out with what it stands at");
        }
        Ok(())
    }

    /// Goes over what stands between two signs, the first of which is next; answers how it is written.
    fn pass_enclosed(&mut self, place: &Place, signs: [&str; 2]) -> Result<String, Problem> {
        let (mut depth, mut said) = (0_usize, String::new());
        while let Some(Spanned { token, .. }) = self.pass() {
            match &token {
                Token::Sign(sign) if *sign == signs[0] => depth += 1,
                Token::Sign(sign) if *sign == signs[1] => depth -= 1,
                token => said.push_str(&token.shown()),
            }
            if depth == 0 {
                return Ok(said);
            }
        }
        let what = format!("the annotation has no end: there is no {}", signs[1]);
        self.reject(place, what, "close it")
    }
}

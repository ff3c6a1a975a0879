//! `trunkline decode FILE...`: Fast Infoset documents as XML.

use std::fs::File;
use std::io::{self, Read};

use trunkline_codec::fast_infoset::{Event, Name, Options, Parser, Text, VocabularyLimits};
use trunkline_codec::xml::escape;
use trunkline_message::{Error, Limits};

use crate::Ending;
use crate::arguments::DecodeArguments;
use crate::fault::Fault;
use crate::output::{print, remark};

/// Bytes of a document that are read at most.
const FILE_BYTES: u64 = 64 << 20;

pub(crate) fn run(arguments: &DecodeArguments) -> Result<Ending, Fault> {
    let limits = Limits { message_bytes: FILE_BYTES as usize, ..Limits::default() };
    let mut parser = match arguments.retain {
        true => Parser::retaining(Options::default(), &limits, VocabularyLimits::default()),
        false => Parser::stateless(Options::default(), &limits),
    };
    for file in &arguments.files {
        let bytes = read(file)?;
        let mut document = Document { parser: &mut parser, bytes: &bytes, out: String::new() };
        let decoded = document.decode();
        // What came before the place that is wrong helps to find it.
        let text = document.out;
        print(&text)?;
        decoded.map_err(|error| Fault::new(format!("{file}: {error}")))?;
        if arguments.retain {
            let (size, counters) = (parser.vocabulary_size(), parser.counters());
            let values = counters.indexes + counters.literals;
            remark(&format!(
                "{file}: the vocabulary has {} entries of {} bytes; {} of {values} names and values were indexes",
                size.entries, size.bytes, counters.indexes
            ));
        }
    }
    Ok(Ending::Right)
}

fn read(file: &str) -> Result<Vec<u8>, Fault> {
    let unreadable = |cause: io::Error| Fault::new(format!("{file}: cannot be read: {cause}"));
    let mut input: Box<dyn Read> = match file {
        "-" => Box::new(io::stdin().lock()),
        _ => Box::new(File::open(file).map_err(unreadable)?),
    };
    let mut bytes = Vec::new();
    let length = input.by_ref().take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if length as u64 > FILE_BYTES {
        return Err(Fault::new(format!("{file}: more than {FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

/// A document that becomes XML.
struct Document<'a> {
    parser: &'a mut Parser,
    bytes: &'a [u8],
    out: String,
}

impl Document<'_> {
    fn decode(&mut self) -> Result<(), Error> {
        self.parser.begin(self.bytes)?;
        loop {
            // The end of an element does not name it.
            let open = self.parser.open_element();
            match self.parser.next(self.bytes)? {
                Event::Start(name) => self.start(name),
                Event::End => {
                    self.out.push_str("</");
                    open.into_iter().for_each(|name| self.name(name));
                    self.out.push('>');
                }
                Event::Text(text) => self.escaped(text, false),
                Event::Comment(text) => self.around("<!--", &[text], "-->"),
                Event::Instruction { target, data } => self.around("<?", &[target, data], "?>"),
                Event::DocumentType { system, public } => self.document_type(system, public),
                Event::EntityReference { name, .. } => self.around("&", &[name], ";"),
                Event::Eof => break,
            }
        }
        self.out.push('\n');
        Ok(())
    }

    fn start(&mut self, name: Name) {
        self.out.push('<');
        self.name(name);
        for (prefix, namespace) in self.parser.declared() {
            let colon = if prefix.is_empty() { "" } else { ":" };
            self.out.extend([" xmlns", colon, prefix, "=\""]);
            escape(namespace, true, &mut self.out);
            self.out.push('"');
        }
        for index in 0..self.parser.attributes().len() {
            let attribute = self.parser.attributes()[index];
            self.out.push(' ');
            self.name(attribute.name);
            self.out.push_str("=\"");
            self.escaped(attribute.value, true);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn name(&mut self, name: Name) {
        let prefix = self.parser.prefix(name);
        let colon = if prefix.is_empty() { "" } else { ":" };
        self.out.extend([prefix, colon, self.parser.local(name)]);
    }

    fn escaped(&mut self, text: Text, in_quotes: bool) {
        escape(&self.parser.text(self.bytes, text), in_quotes, &mut self.out);
    }

    /// What XML writes as it is.
    fn around(&mut self, begin: &str, texts: &[Text], end: &str) {
        self.out.push_str(begin);
        for (index, &text) in texts.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { " " });
            self.out.push_str(&self.parser.text(self.bytes, text));
        }
        self.out.push_str(end);
    }

    /// The root element's name is not in the document type of Fast Infoset.
    fn document_type(&mut self, system: Option<Text>, public: Option<Text>) {
        let mut facts = String::from("<!-- document type");
        for (what, text) in [("public", public), ("system", system)] {
            if let Some(text) = text {
                facts.extend([", ", what, " "]);
                facts.push_str(&self.parser.text(self.bytes, text));
            }
        }
        self.out.push_str(&facts);
        self.out.push_str(" -->");
    }
}

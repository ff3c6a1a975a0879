//! Changes to an XML document, most of which leave it well-formed.

/// Bytes as decisions.
#[derive(Debug)]
pub(super) struct Choices<'a> {
    data: &'a [u8],
}

impl<'a> Choices<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data }
    }

    /// A number below `bound`, which is not zero; zero when the bytes have run out.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let Some((&first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        if bound <= 256 {
            return usize::from(first) % bound;
        }
        (usize::from(first) << 8 | self.below(256)) % bound
    }

    pub(super) fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    fn of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.below(texts.len())]
    }
}

/// A document in pieces: each a tag, or what stands between two.
#[derive(Debug)]
pub(super) struct Document {
    pieces: Vec<String>,
}

/// Elements that a message may have elsewhere, or in another namespace, or not at all.
const MISPLACED: &[&str] = &[
    "<leg><side>B</side></leg>",
    "<step/>",
    "<MDIncGroup/>",
    "<o:leg xmlns:o='urn:o'><side>B</side></o:leg>",
    "<o:name xmlns:o='urn:o'>a</o:name>",
    "<name xmlns='urn:o'>a</name>",
    "<o:Header xmlns:o='urn:x'/>",
    "<o:hollow xmlns:o='urn:y'><left>1</left></o:hollow>",
    "<legs><side>B</side></legs>",
    "<o:item xmlns:o='urn:o'>5</o:item>",
    "<r:result xmlns:r='http://www.w3.org/2003/05/soap-rpc'>item</r:result>",
    "<r:result xmlns:r='http://www.w3.org/2003/05/soap-rpc'>p:name</r:result>",
    // Unknown, under a prefix that the Envelope declares: nothing changes what names mean.
    "<SOAP-ENV:other/>",
    "<SOAP-ENV:other a='1'>t</SOAP-ENV:other>",
];

/// As [`ATTRIBUTES`], in namespaces of others.
const QUALIFIED: &[&str] = &[
    " xmlns:q='urn:x' q:side='B'",
    " xmlns:q='urn:x' q:name='a'",
    " xmlns:q='urn:y' q:name='a'",
    " xmlns:e='http://www.w3.org/2003/05/soap-envelope' e:encodingStyle='urn:mine'",
    " xmlns:e='http://www.w3.org/2003/05/soap-envelope' e:encodingStyle=''",
    " xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' e:encodingStyle='urn:mine'",
    " xsi:nil='true'",
    " test='1'",
    " SOAP-ENV:test='1'",
    " leg='1'",
];

/// What may stand anywhere between tags.
const MARKUP: &[&str] = &[
    " ",
    "\n\t",
    "\r\n",
    "<!-- c -->",
    "<?p i?>",
    "<![CDATA[]]>",
    "<![CDATA[ x ]]>",
    "&#32;",
    "stray",
    "<other/>",
    "<o:other xmlns:o='urn:o'><a>1</a><b xmlns='urn:x'/></o:other>",
    "<SOAP-ENV:other/>",
    "<item>5</item>",
    "]]>",
    "<",
    "&",
];

const ATTRIBUTES: &[&str] = &[
    " xmlns=''",
    " xmlns='urn:x'",
    " xmlns='urn:y'",
    " xmlns:p='urn:x'",
    " xmlns:p='urn:y'",
    " xmlns:xsi='urn:y'",
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'",
    " xmlns:xsd='http://www.w3.org/2001/XMLSchema'",
    " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'",
    " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil=' 0 '",
    " xsi:nil='1'",
    " xsi:nil='maybe'",
    " xsi:type='xsd:string'",
    " xsi:type='xsd:int'",
    " xsi:type='xsd:double'",
    " xsi:type='own:thing'",
    " href='#1'",
    " id='1'",
    "\n a = \"&lt;&#10;'\"",
    " ",
];

const VALUES: &[&str] = &[
    "",
    " ",
    "1",
    "+5",
    "-0",
    " 7 ",
    "007",
    "1E2",
    "+-1",
    "++1",
    "1e400",
    "INF",
    "-INF",
    "NaN",
    "true",
    "2004-08-01Z",
    "2004-08-01T23:59:59+10:00",
    "24:00:00",
    "10:18:58-05:00",
    "2004-08-01-05:00",
    "2004-08-01T23:59:59.0000000001",
    "23:59:60",
    "99999999999999999999",
    "300",
    "-129",
    "0.00000000000000000001",
    "Zg==",
    "Z g = =",
    "Zh==",
    "é",
    "a\tb",
    "&#x1F600;",
    "a&amp;b",
    "<![CDATA[<]]>",
    "1<!-- -->2",
    "&#49;",
    "2\r\n",
    "<a/>",
];

const NAMES: &[&str] = &["other", "item", "Header", "Sender", "leg", "name", "MDIncGroup"];

impl Document {
    pub(super) fn new(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = match rest.starts_with('<') {
                true => rest.find('>').map_or(rest.len(), |at| at + 1),
                false => rest.find('<').unwrap_or(rest.len()),
            };
            let (piece, after) = rest.split_at(end);
            pieces.push(piece.to_owned());
            rest = after;
        }
        Self { pieces }
    }

    /// The document, damaged perhaps, in one encoding or another.
    pub(super) fn bytes(&self, choices: &mut Choices<'_>) -> Vec<u8> {
        let text = self.pieces.concat();
        let mut bytes = match choices.below(16) {
            1 => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
            2 => {
                let text = text.replace("UTF-8", "UTF-16");
                text.encode_utf16().flat_map(u16::to_le_bytes).collect()
            }
            _ => text.into_bytes(),
        };
        match choices.below(16) {
            1 => bytes.truncate(choices.below(bytes.len() + 1)),
            2 if !bytes.is_empty() => {
                let at = choices.below(bytes.len());
                bytes[at] = choices.below(256) as u8;
            }
            3 => bytes.push(choices.below(256) as u8),
            _ => {}
        }
        bytes
    }

    /// Changes one thing.
    pub(super) fn edit(&mut self, choices: &mut Choices<'_>) {
        let at = choices.below(self.pieces.len().max(1)).min(self.pieces.len());
        match choices.below(19) {
            15 => self.pieces.insert(at, choices.of(MISPLACED).into()),
            16 => self.unwrap(at),
            17 => self.empty(at, choices),
            18 => self.mark(at, choices),
            0 => self.pieces.insert(at, choices.of(MARKUP).into()),
            1 | 2 => self.add_attribute(at, choices),
            3 => self.change_value(at, choices),
            4 => self.encode_character(at, choices),
            5 => self.rename(at, choices),
            6 => self.close_early(at, choices),
            7 => self.move_element(at, choices),
            8 => {
                let Some(element) = self.element(at) else { return };
                drop(self.pieces.drain(element));
            }
            9 => {
                let Some(element) = self.element(at) else { return };
                let copy = self.pieces[element.clone()].to_vec();
                self.pieces.splice(element.end..element.end, copy);
            }
            10 => self.move_element(at, choices),
            11 => self.respell(choices),
            12 | 13 => self.change_attribute(at, choices),
            _ => self.add_prefix(at, choices),
        }
        self.pieces.retain(|piece| !piece.is_empty());
    }

    /// The pieces of the first element that begins at or after `at`.
    fn element(&self, at: usize) -> Option<std::ops::Range<usize>> {
        let starts =
            |piece: &String| piece.starts_with('<') && !piece[1..].starts_with(['/', '!', '?']);
        let start = at + self.pieces.get(at..)?.iter().position(starts)?;
        let mut depth = 0;
        for (offset, piece) in self.pieces[start..].iter().enumerate() {
            if piece.starts_with("</") {
                depth -= 1;
            } else if starts(piece) && !piece.ends_with("/>") {
                depth += 1;
            }
            if depth == 0 {
                return Some(start..start + offset + 1);
            }
        }
        None
    }

    /// Every element without a prefix gets one, or a default namespace, in such a way that all stay
    /// in the namespace that they are in. Without one, only the default can be turned off and on.
    fn respell(&mut self, choices: &mut Choices<'_>) {
        let text = self.pieces.concat();
        let own = if text.contains("xmlns=\"urn:x\"") { "urn:x" } else { "" };
        let mut ends = Vec::new();
        let (mut default, mut bound) = ("", false);
        for piece in &mut self.pieces {
            if !piece.starts_with('<') || piece.starts_with("<?") || piece.starts_with("<!") {
                continue;
            }
            if piece.starts_with("</") {
                let Some((end, outer)) = ends.pop() else { continue };
                (*piece, (default, bound)) = (end, outer);
                continue;
            }
            let name_end = piece.find([' ', '\n', '/', '>']).unwrap_or(piece.len());
            let (name, rest) = (piece[1..name_end].to_owned(), piece[name_end..].to_owned());
            let rest = rest.replace(" xmlns=\"urn:x\"", "");
            let outer = (default, bound);
            let declared;
            let is_own = !name.contains(':');
            let prefix = if is_own && !own.is_empty() && choices.below(2) == 1 { "p:" } else { "" };
            (default, declared) = match choices.below(4) {
                // Now and then an element is left in a namespace that is not its own.
                _ if is_own && prefix.is_empty() && default != own && choices.below(8) != 7 => {
                    (own, true)
                }
                1 => ("urn:y", !is_own || !prefix.is_empty()),
                2 => (own, default != own),
                _ => (default, false),
            };
            if !declared {
                default = outer.0;
            }
            let mut tag = format!("<{prefix}{name}");
            if declared {
                tag.push_str(&format!(" xmlns='{default}'"));
            }
            if !prefix.is_empty() && !bound {
                tag.push_str(" xmlns:p='urn:x'");
                bound = true;
            }
            tag.push_str(&rest);
            *piece = tag;
            match piece.ends_with("/>") {
                true => (default, bound) = outer,
                false => ends.push((format!("</{prefix}{name}>"), outer)),
            }
        }
    }

    fn add_attribute(&mut self, at: usize, choices: &mut Choices<'_>) {
        let Some(element) = self.element(at) else { return };
        let tag = &mut self.pieces[element.start];
        let end = tag.trim_end_matches('>').trim_end_matches('/').len();
        tag.insert_str(end, choices.of(ATTRIBUTES));
    }

    /// One attribute of a tag goes, comes twice, moves, or is spelt in another way.
    fn change_attribute(&mut self, at: usize, choices: &mut Choices<'_>) {
        let found = self.pieces.get(at..).and_then(|rest| {
            rest.iter().position(|piece| attributes(piece).is_some_and(|all| !all.is_empty()))
        });
        let Some(tag) = found.map(|offset| &mut self.pieces[at + offset]) else { return };
        let Some(all) = attributes(tag) else { return };
        let chosen = all[choices.below(all.len())].clone();
        let other = all[choices.below(all.len())].clone();
        let text = tag[chosen.clone()].to_owned();
        let (name, value) = text[1..text.len() - 1].split_once("=\"").unwrap_or((&text, ""));
        let changed = match choices.below(9) {
            0 => String::new(),
            1 => text.repeat(2),
            2 | 3 => format!(" {name}=\"{}\"", choices.of(VALUES)),
            4 => format!("\n{name} = '{value}'"),
            5 => format!(" {name}=\"{value}&#x9;\t\""),
            6 => format!(" {name}=\"{value}"),
            7 => format!(" p:{}=\"{value}\"", &name[..1]),
            _ => format!("{}{text}", &tag[other.clone()]),
        };
        // The later one first, so that the earlier stays where it is.
        let moves = changed.len() > text.len() && changed.ends_with(&text) && other != chosen;
        let mut edits = vec![(chosen, changed)];
        if moves {
            edits.push((other, String::new()));
        }
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, with) in edits {
            tag.replace_range(range, &with);
        }
    }

    fn change_value(&mut self, at: usize, choices: &mut Choices<'_>) {
        let is_text = |piece: &String| !piece.starts_with('<');
        let found = self.pieces.get(at..).and_then(|rest| rest.iter().position(is_text));
        if let Some(offset) = found {
            self.pieces[at + offset] = choices.of(VALUES).into();
        }
    }

    /// A character of some text becomes a reference, or is set apart.
    fn encode_character(&mut self, at: usize, choices: &mut Choices<'_>) {
        let is_text = |piece: &String| !piece.starts_with('<') && !piece.contains('&');
        let found = self.pieces.get(at..).and_then(|rest| rest.iter().position(is_text));
        let Some(offset) = found else { return };
        let text = self.pieces[at + offset].clone();
        let which = choices.below(text.chars().count().max(1));
        let form = choices.below(4);
        let mut changed = String::new();
        for (position, character) in text.chars().enumerate() {
            match (position == which, form) {
                (false, _) => changed.push(character),
                (true, 0) => changed.push_str(&format!("&#{};", u32::from(character))),
                (true, 1) => changed.push_str(&format!("&#x{:x};", u32::from(character))),
                (true, 2) => changed.push_str(&format!("<![CDATA[{character}]]>")),
                (true, _) => changed.push_str(&format!("<!-- -->{character}")),
            }
        }
        self.pieces[at + offset] = changed;
    }

    /// An element gets another name, at both ends or at one.
    fn rename(&mut self, at: usize, choices: &mut Choices<'_>) {
        let Some(element) = self.element(at) else { return };
        let name = choices.of(NAMES);
        let (start, end) = (element.start, element.end - 1);
        let both = choices.below(4);
        if both != 1 {
            let tag = &self.pieces[start];
            let rest = tag[1..].find([' ', '\n', '>', '/']).map_or("", |it| &tag[1 + it..]);
            self.pieces[start] = format!("<{name}{rest}");
        }
        if both != 2 && end != start {
            self.pieces[end] = format!("</{name}>");
        }
    }

    /// A start tag becomes that of an empty element; what it had inside goes or stays.
    fn close_early(&mut self, at: usize, choices: &mut Choices<'_>) {
        let Some(element) = self.element(at) else { return };
        let tag = &mut self.pieces[element.start];
        if tag.ends_with("/>") {
            return;
        }
        tag.insert(tag.len() - 1, '/');
        if choices.below(3) != 0 {
            drop(self.pieces.drain(element.start + 1..element.end));
        }
    }

    fn move_element(&mut self, at: usize, choices: &mut Choices<'_>) {
        let Some(element) = self.element(at) else { return };
        let moved: Vec<String> = self.pieces.drain(element.clone()).collect();
        let near = match choices.below(3) {
            // Before the next sibling, or further on, where it may not belong.
            0 => self.element(element.start).map_or(element.start, |next| next.end),
            1 => element.start + choices.below(12),
            _ => choices.below(self.pieces.len() + 1),
        };
        let to = near.min(self.pieces.len());
        self.pieces.splice(to..to, moved);
    }

    /// An element goes, and what stands inside stays.
    fn unwrap(&mut self, at: usize) {
        let Some(element) = self.element(at).filter(|it| it.len() > 1) else { return };
        self.pieces.remove(element.end - 1);
        self.pieces.remove(element.start);
    }

    /// What stands in an element goes, and it may say that it is nil.
    fn empty(&mut self, at: usize, choices: &mut Choices<'_>) {
        let Some(element) = self.element(at).filter(|it| it.len() > 1) else { return };
        drop(self.pieces.drain(element.start + 1..element.end - 1));
        if choices.below(2) == 1 {
            let tag = &mut self.pieces[element.start];
            let nil = " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='1'";
            tag.insert_str(tag.len() - 1, nil);
        }
    }

    /// An element gets an attribute of another's namespace.
    fn mark(&mut self, at: usize, choices: &mut Choices<'_>) {
        let Some(element) = self.element(at) else { return };
        let tag = &mut self.pieces[element.start];
        let end = tag.trim_end_matches('>').trim_end_matches('/').len();
        tag.insert_str(end, choices.of(QUALIFIED));
    }

    /// An element gets a prefix, declared in its tag or nowhere, at both ends or at one.
    fn add_prefix(&mut self, at: usize, choices: &mut Choices<'_>) {
        let Some(element) = self.element(at) else { return };
        let declaration = choices.of(&[
            " xmlns:p='urn:x'",
            " xmlns:p='urn:y'",
            "",
            " xmlns:p='urn:x' xmlns='urn:y'",
        ]);
        let (start, end) = (element.start, element.end - 1);
        let both = choices.below(4);
        if both != 1 {
            let tag = &mut self.pieces[start];
            let name_end = tag[1..].find([' ', '\n', '>', '/']).map_or(tag.len(), |it| it + 1);
            tag.insert_str(name_end, declaration);
            tag.insert_str(1, "p:");
        }
        if both != 2 && end != start {
            self.pieces[end].insert_str(2, "p:");
        }
    }
}

/// Where the attributes in double quotes of a start tag are, the blank before each included.
fn attributes(tag: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let mut all = Vec::new();
    let mut at = tag.starts_with('<').then(|| tag.find(' '))??;
    while let Some(equals) = tag[at..].find("=\"") {
        let end = at + equals + 2 + tag[at + equals + 2..].find('"')? + 1;
        all.push(at..end);
        at = end;
    }
    Some(all)
}

//! Objects as Node's `util.inspect` prints them, and hashes as Ruby's `inspect` does: `{"id"=>1, :method=>nil}`.
//!
//! What lies deeper than its limit is `[Object]` or `[Array]`, long lists end in `... 3 more items`: both are lost.
//! A member that is `undefined` was not sent.

use super::Dialect;
use super::reader::{Done, Reader};

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

impl Reader<'_, '_> {
    pub(super) fn node(&mut self) -> Done {
        match self.next() {
            Some(b'{') => self.node_object(),
            Some(b'[') => self.node_bracket(),
            Some(b'"' | b'\'' | b'`') => self.node_string(),
            Some(b'<') => self.node_angle(),
            Some(b':') => self.symbol(),
            Some(b'#') => self.instance(),
            Some(b'-' | b'0'..=b'9') => {
                let token = self.run(|byte| is_name(byte) || matches!(byte, b'-' | b'+' | b'.' | b':'));
                match token {
                    "-Infinity" => self.lose(),
                    _ => self.number_or_text(token),
                }
                Ok(())
            }
            Some(byte) if is_name(byte) => self.node_word(),
            _ => Err(self.fault("a value was expected")),
        }
    }

    /// A string, or several that `+` joins over lines.
    fn node_string(&mut self) -> Done {
        self.string(Dialect::Node)?;
        loop {
            let end = self.at;
            if !self.take(b'+') || !matches!(self.next(), Some(b'"' | b'\'' | b'`')) {
                self.at = end;
                return Ok(());
            }
            self.out.pop();
            let start = self.out.len();
            self.string(Dialect::Node)?;
            self.out.remove(start);
        }
    }

    /// A symbol of Ruby's, which JSON has as a string.
    fn symbol(&mut self) -> Done {
        self.at += 1;
        match self.peek() {
            Some(b'"') => self.string(Dialect::Node),
            Some(byte) if is_name(byte) => {
                let name = self.run(|byte| is_name(byte) || matches!(byte, b'?' | b'!'));
                self.out.extend(["\"", name, "\""]);
                Ok(())
            }
            _ => Err(self.fault("a symbol was expected")),
        }
    }

    /// `#<Class:0x7f @a=1>`: nothing that was ever sent.
    fn instance(&mut self) -> Done {
        self.at += 1;
        if !self.take(b'<') {
            return Err(self.fault("a value was expected"));
        }
        self.skip_past(b'<', b'>')?;
        self.lose();
        Ok(())
    }

    fn node_word(&mut self) -> Done {
        let word = self.run(is_name);
        match word {
            "true" | "false" | "null" => self.out.push_str(word),
            "nil" => self.out.push_str("null"),
            "undefined" | "NaN" | "Infinity" => self.lose(),
            "Symbol" if self.take(b'(') => {
                self.skip_past(b'(', b')')?;
                self.lose();
            }
            // The name of a class before its object, the size of a map or a list among it.
            _ => {
                if self.word("(") {
                    self.skip_past(b'(', b')')?;
                }
                if !matches!(self.next(), Some(b'{' | b'[')) {
                    return Err(self.fault("an object was expected after its class"));
                }
                self.enter()?;
                self.node()?;
                self.leave();
            }
        }
        Ok(())
    }

    /// `<ref *1> {...}`, `<Buffer 7b 7d>`.
    fn node_angle(&mut self) -> Done {
        self.at += 1;
        let is_ref = self.word("ref *");
        self.skip_past(b'<', b'>')?;
        if !is_ref {
            self.lose();
            return Ok(());
        }
        self.enter()?;
        self.node()?;
        self.leave();
        Ok(())
    }

    /// A list, or a mark for what is not printed; `[Object: null prototype] {...}` is the object after it.
    fn node_bracket(&mut self) -> Done {
        let start = self.at;
        self.at += 1;
        if self.peek().is_some_and(|byte| byte.is_ascii_uppercase()) {
            let word = self.run(is_name);
            if !matches!(word, "NaN" | "Infinity" | "Symbol") && matches!(self.peek(), Some(b']' | b':' | b' ' | b'('))
            {
                let is_class = self.word(": null prototype]");
                if !is_class {
                    self.skip_past(b'[', b']')?;
                    self.lose();
                    return Ok(());
                }
                self.enter()?;
                self.node()?;
                self.leave();
                return Ok(());
            }
        }
        self.at = start;
        self.node_list()
    }

    fn node_list(&mut self) -> Done {
        self.enter()?;
        self.at += 1;
        let open = self.out.len();
        self.out.push('[');
        while !self.take(b']') {
            if self.node_more(b']') {
                continue;
            }
            self.comma(open + 1);
            self.node()?;
            if !self.take(b',') && self.next() != Some(b']') {
                return Err(self.fault("a comma or ] was expected"));
            }
        }
        self.out.push(']');
        self.leave();
        Ok(())
    }

    /// `... 3 more items`, `<2 empty items>`.
    fn node_more(&mut self, close: u8) -> bool {
        self.next();
        if !self.word("... ") {
            return false;
        }
        self.lost = true;
        self.run(|byte| byte != close && byte != b',');
        self.take(b',');
        true
    }

    fn node_object(&mut self) -> Done {
        self.enter()?;
        self.at += 1;
        let open = self.out.len();
        self.out.push('{');
        while !self.take(b'}') {
            if self.node_more(b'}') {
                continue;
            }
            let start = self.out.len();
            self.comma(open + 1);
            let is_symbol = self.node_key()?;
            let is_pair = self.take(b':') || self.next() == Some(b'=') && self.word("=>");
            if !is_pair {
                return Err(self.fault("a colon was expected"));
            }
            self.out.push(':');
            self.next();
            if self.word("undefined") {
                self.out.truncate(start);
            } else {
                self.node()?;
            }
            if is_symbol {
                self.out.truncate(start);
            }
            if !self.take(b',') && self.next() != Some(b'}') {
                return Err(self.fault("a comma or } was expected"));
            }
        }
        self.out.push('}');
        self.leave();
        Ok(())
    }

    /// The name of a member; true where it is a symbol, which is never sent.
    fn node_key(&mut self) -> Result<bool, super::Fault> {
        match self.next() {
            Some(b'"' | b'\'') => self.string(Dialect::Node)?,
            Some(b':') => self.symbol()?,
            Some(b'[') => {
                self.at += 1;
                self.skip_past(b'[', b']')?;
                self.out.push_str("\"\"");
                return Ok(true);
            }
            Some(byte) if is_name(byte) => {
                let name = self.run(is_name);
                self.out.extend(["\"", name, "\""]);
            }
            _ => return Err(self.fault("a key was expected")),
        }
        Ok(false)
    }
}

//! Lua tables as `vim.inspect` prints them.
//!
//! An empty table prints as `{}` whether it is a list or not; Neovim's own empty objects print as `vim.empty_dict()`,
//! so `{}` is a list, but for members that are always objects. A table met twice is printed once as `<1>{...}` and
//! then as `<table 1>`.

use super::Dialect;
use super::reader::{Done, Reader, is_object};

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'t> Reader<'t, '_> {
    /// The value at the cursor, which belongs to `member`.
    pub(super) fn lua(&mut self, member: &str) -> Done {
        match self.next() {
            Some(b'{') => self.lua_table(member),
            Some(b'"' | b'\'') => self.string(Dialect::Lua),
            Some(b'<') => self.lua_mark(member),
            Some(b'-' | b'0'..=b'9') => {
                let token = self.run(|byte| is_name(byte) || matches!(byte, b'-' | b'+' | b'.'));
                self.number_or_text(token);
                Ok(())
            }
            Some(byte) if is_name(byte) => self.lua_word(),
            _ => Err(self.fault("a Lua value was expected")),
        }
    }

    fn lua_word(&mut self) -> Done {
        let word = self.run(|byte| is_name(byte) || byte == b'.');
        let json = match word {
            "nil" | "vim.NIL" => "null",
            "true" => "true",
            "false" => "false",
            "vim.empty_dict" => "{}",
            _ => {
                self.lose();
                return Ok(());
            }
        };
        self.word("()");
        self.out.push_str(json);
        Ok(())
    }

    /// `<1>{...}`, `<table 1>`, `<function 1>` and the like.
    fn lua_mark(&mut self, member: &str) -> Done {
        self.at += 1;
        let kind = self.run(|byte| byte.is_ascii_alphabetic());
        self.next();
        let number = self.run(|byte| byte.is_ascii_digit()).parse().unwrap_or(0);
        self.expect(b'>', "a mark like <table 1> has no end")?;
        if kind.is_empty() {
            let start = self.out.len();
            self.enter()?;
            self.lua(member)?;
            self.leave();
            self.marks.push((number, start..self.out.len()));
            return Ok(());
        }
        let known = self.marks.iter().rev().find(|(known, _)| kind == "table" && *known == number);
        match known.map(|(_, range)| range.clone()) {
            Some(range) => {
                self.enter()?;
                self.copy(range);
                self.leave();
            }
            None => self.lose(),
        }
        Ok(())
    }

    fn lua_table(&mut self, member: &str) -> Done {
        self.enter()?;
        self.at += 1;
        let open = self.out.len();
        self.out.push('{');
        let (mut keyed, mut tagged) = (None, false);
        while !self.take(b'}') {
            let start = self.out.len();
            if start > open + 1 {
                self.out.push(',');
            }
            match self.lua_key()? {
                LuaKey::Metatable => {
                    self.lua("")?;
                    self.out.truncate(start);
                    tagged = true;
                }
                LuaKey::Name(name) => {
                    // Members beside the elements of a list have no place in JSON.
                    let fits = *keyed.get_or_insert(true);
                    self.lua(name)?;
                    if !fits {
                        self.out.truncate(start);
                        self.lost = true;
                    }
                }
                LuaKey::None => {
                    let fits = !*keyed.get_or_insert(false);
                    self.lua("")?;
                    if !fits {
                        self.out.truncate(start);
                        self.lost = true;
                    }
                }
            }
            if !self.take(b',') && self.next() != Some(b'}') {
                return Err(self.fault("a comma or } was expected"));
            }
        }
        if keyed.unwrap_or(tagged || is_object(member)) {
            self.out.push('}');
        } else {
            self.out.replace_range(open..=open, "[");
            self.out.push(']');
        }
        self.leave();
        Ok(())
    }

    /// The key before `=`, written as the name of a member; nothing where an element of a list follows.
    fn lua_key(&mut self) -> Result<LuaKey<'t>, super::Fault> {
        let start = self.at;
        match self.next() {
            Some(b'[') => {
                self.at += 1;
                let written = self.out.len();
                let from = self.at;
                self.lua("")?;
                let name = self.text[from..self.at].trim_matches(['"', '\'', ' ']);
                self.as_key(written);
                self.expect(b']', "a key in brackets has no end")?;
                self.expect(b'=', "a key was expected to be followed by =")?;
                self.out.push(':');
                Ok(LuaKey::Name(name))
            }
            Some(b'<') if self.word("<metatable>") => {
                self.expect(b'=', "<metatable> was expected to be followed by =")?;
                Ok(LuaKey::Metatable)
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.run(is_name);
                if self.take(b'=') {
                    self.out.extend(["\"", name, "\":"]);
                    return Ok(LuaKey::Name(name));
                }
                self.at = start;
                Ok(LuaKey::None)
            }
            _ => Ok(LuaKey::None),
        }
    }
}

enum LuaKey<'t> {
    Name(&'t str),
    Metatable,
    None,
}

//! Reads a table: lines of methods and of definitions.

use std::collections::HashMap;

use serde_json::Value;

use super::kind::{Member, Method, Shapes, Type};

/// What a table says. Errors: the line, and what is wrong with it.
pub(super) fn table(text: &str) -> Result<Shapes, String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let defined = |line: &&str| line.split_once(" = ").filter(|_| !line.starts_with('@')).is_some();
    let names: Vec<&str> =
        lines.iter().filter(|line| defined(line)).filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    let numbers: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let mut shapes = Shapes { names: names.iter().map(|name| name.to_string()).collect(), ..Shapes::default() };
    for line in lines {
        let failed = |why: String| format!("{line}: {why}");
        if let Some(said) = line.strip_prefix("@ ") {
            let (name, method) = method(said, &numbers).map_err(failed)?;
            shapes.methods.insert(name, method);
        } else {
            let (_, said) = line.split_once(" = ").ok_or_else(|| failed("neither a method nor a definition".into()))?;
            shapes.types.push(whole(said, &numbers).map_err(failed)?);
        }
    }
    Ok(shapes)
}

fn method(said: &str, numbers: &HashMap<&str, usize>) -> Result<(String, Method), String> {
    let (name, said) = said.split_once(' ').ok_or("a method without parameters")?;
    let (params, result) = said.split_once(" -> ").map_or((said, None), |(params, result)| (params, Some(result)));
    let needed = params.trim_start_matches('?');
    let method = Method {
        params: whole(needed, numbers)?,
        optional: needed.len() < params.len(),
        result: result.map(|result| whole(result, numbers)).transpose()?,
    };
    Ok((name.to_string(), method))
}

fn whole(said: &str, numbers: &HashMap<&str, usize>) -> Result<Type, String> {
    let mut reader = Reader { rest: said.trim(), numbers };
    let kind = reader.alternatives()?;
    if reader.rest.is_empty() { Ok(kind) } else { Err(format!("what is `{:.20}`?", reader.rest)) }
}

struct Reader<'t> {
    rest: &'t str,
    numbers: &'t HashMap<&'t str, usize>,
}

impl<'t> Reader<'t> {
    fn took(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn need(&mut self, sign: &str) -> Result<(), String> {
        if self.took(sign) { Ok(()) } else { Err(format!("`{sign}` is missing before `{:.20}`", self.rest)) }
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn alternatives(&mut self) -> Result<Type, String> {
        let mut all = vec![self.together()?];
        while self.took("|") {
            all.push(self.together()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Type::OneOf(all) })
    }

    fn together(&mut self) -> Result<Type, String> {
        let mut all = vec![self.one()?];
        while self.took("&") {
            all.push(self.one()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Type::AllOf(all) })
    }

    fn one(&mut self) -> Result<Type, String> {
        match self.rest.chars().next() {
            Some('(') => {
                self.need("(")?;
                let inner = self.alternatives()?;
                self.need(")").map(|()| inner)
            }
            Some('[') => self.list(),
            Some('{') => self.record(),
            Some('"' | '-' | '0'..='9') => self.literal().map(Type::Literal),
            _ => self.named(),
        }
    }

    fn literal(&mut self) -> Result<Value, String> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        let value = values.next().and_then(Result::ok).ok_or_else(|| format!("no value: `{:.20}`", self.rest))?;
        let end = values.byte_offset();
        self.rest = self.rest[end..].trim_start();
        Ok(value)
    }

    fn list(&mut self) -> Result<Type, String> {
        self.need("[")?;
        let of = Box::new(self.alternatives()?);
        self.need("]")?;
        let (mut least, mut most) = (0, usize::MAX);
        if self.took("*") {
            least = self.word().parse().unwrap_or(least);
            self.need("..")?;
            most = self.word().parse().unwrap_or(most);
        }
        Ok(Type::List { of, least, most })
    }

    fn record(&mut self) -> Result<Type, String> {
        self.need("{")?;
        let (mut members, mut rest) = (Vec::new(), None);
        while !self.took("}") {
            if self.took("*") {
                self.need(":")?;
                rest = Some(Box::new(self.alternatives()?));
            } else {
                members.push(self.member()?);
            }
            if !self.took(",") && !self.rest.starts_with('}') {
                return Err(format!("no end of an object before `{:.20}`", self.rest));
            }
        }
        Ok(Type::Record { members, rest })
    }

    fn member(&mut self) -> Result<Member, String> {
        let name = match self.rest.starts_with('"') {
            true => self.literal()?.as_str().ok_or("a name that is no string")?.to_string(),
            false => self.word().to_string(),
        };
        let required = !self.took("?");
        self.need(":")?;
        Ok(Member { name, required, kind: self.alternatives()? })
    }

    fn named(&mut self) -> Result<Type, String> {
        Ok(match self.word() {
            "any" => Type::Any,
            "null" => Type::Null,
            "bool" => Type::Bool,
            "str" => Type::Text,
            "true" => Type::Literal(Value::Bool(true)),
            "false" => Type::Literal(Value::Bool(false)),
            word @ ("num" | "int") => self.bounds(word == "int")?,
            "other" => self.other()?,
            name => Type::Named(*self.numbers.get(name).ok_or_else(|| format!("`{name}` is not defined"))?),
        })
    }

    fn bounds(&mut self, whole: bool) -> Result<Type, String> {
        let (mut low, mut high) = (None, None);
        if self.took("<") {
            let (said, rest) = self.rest.split_once('>').ok_or("bounds without an end")?;
            self.rest = rest.trim_start();
            let (least, most) = said.split_once(',').ok_or("bounds without a comma")?;
            (low, high) = (least.parse().ok(), most.parse().ok());
        }
        Ok(Type::Number { whole, low, high })
    }

    fn other(&mut self) -> Result<Type, String> {
        self.need("(")?;
        let mut known = Vec::new();
        while !self.took(")") {
            known.push(self.literal()?.as_str().ok_or("a literal that is no string")?.to_string());
            self.took(",");
        }
        Ok(Type::Other(known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_says_where() {
        for (text, why) in [
            ("A = B", "`B` is not defined"),
            ("A = {x: str", "no end of an object"),
            ("A = [str", "`]` is missing"),
            ("A = str str", "what is `str`?"),
            ("A", "neither a method nor a definition"),
            ("@ ping", "a method without parameters"),
            ("A = num<0", "bounds without an end"),
        ] {
            let said = table(text).unwrap_err();
            assert!(said.starts_with(text) && said.contains(why), "{text}: {said}");
        }
    }
}

//! Types of values, and the shapes of one revision.

use std::collections::BTreeMap;

use serde_json::Value;

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Anything.
    Any,
    /// Nothing: a member that must not be there.
    Never,
    /// `null`.
    Null,
    /// A boolean.
    Bool,
    /// A string.
    Text,
    /// A string that is none of these: an alternative for what later revisions add.
    Other(Vec<String>),
    /// A number within bounds.
    Number {
        /// True if it has no fraction.
        whole: bool,
        /// The least.
        low: Option<f64>,
        /// The greatest.
        high: Option<f64>,
    },
    /// This string, number or boolean.
    Literal(Value),
    /// A list.
    List {
        /// What is in it.
        of: Box<Type>,
        /// How many at least.
        least: usize,
        /// How many at most.
        most: usize,
    },
    /// An object. Members that it does not name may be there.
    Record {
        /// The members that it names.
        members: Vec<Member>,
        /// What all others are, where that is said.
        rest: Option<Box<Type>>,
    },
    /// The definition of this number.
    Named(usize),
    /// One of these.
    OneOf(Vec<Type>),
    /// All of these.
    AllOf(Vec<Type>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// True if it must be there.
    pub required: bool,
    /// What it is.
    pub kind: Type,
}

/// What a method is sent with and answered by.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Its parameters.
    pub params: Type,
    /// True if they may be absent.
    pub optional: bool,
    /// Its result, where it is a request.
    pub result: Option<Type>,
}

/// The shapes of one revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shapes {
    pub(super) methods: BTreeMap<String, Method>,
    pub(super) names: Vec<String>,
    pub(super) types: Vec<Type>,
}

impl Shapes {
    /// The shape of a method; `None` for one that the schema does not know: an extension's, or a vendor's.
    pub fn method(&self, name: &str) -> Option<&Method> {
        self.methods.get(name)
    }

    /// The methods.
    pub fn methods(&self) -> impl Iterator<Item = (&str, &Method)> {
        self.methods.iter().map(|(name, method)| (&**name, method))
    }

    /// The name of a definition.
    pub(super) fn name(&self, at: usize) -> &str {
        self.names.get(at).map_or("", String::as_str)
    }

    /// The type of a definition.
    pub(super) fn resolve(&self, at: usize) -> Option<&Type> {
        self.types.get(at)
    }
}

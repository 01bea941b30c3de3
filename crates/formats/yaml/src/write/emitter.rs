use super::printable::{Printable, Shape};
use super::{order, scalar};
use serde_json::Value as Json;

/// Lines are broken at the first blank behind this column.
const WIDTH: usize = 80;

/// A key longer than this many bytes is written as `? key`.
const LONGEST_SIMPLE_KEY: usize = 128;

/// Writes values with the layout decisions of the reference: the names of its state are kept, since they only make sense
/// together.
pub(crate) struct Emitter {
    out: String,
    width: usize,
    column: usize,
    /// The column of the enclosing mapping or list; none at the root.
    indent: Option<usize>,
    /// The last thing written was a blank or an indicator that needs none behind it.
    whitespace: bool,
    /// Only blanks and `- ? :` were written in this line.
    indention: bool,
    /// The lines that were begun, and where values start, for those who ask.
    lines: Option<(usize, Vec<usize>)>,
    /// A list as the value of a key stands deeper than the key, and floats stay floats.
    indents_lists: bool,
}

/// What a value stands in.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Context {
    Root,
    Item,
    MapValue,
    /// A key on one line with its `:`.
    SimpleKey,
    /// A key behind `? `.
    LongKey,
}

impl Emitter {
    pub(crate) fn new() -> Self {
        Self {
            out: String::new(),
            width: WIDTH,
            column: 0,
            indent: None,
            whitespace: true,
            indention: true,
            lines: None,
            indents_lists: false,
        }
    }

    /// Lists below keys are indented.
    pub(crate) fn with_indented_lists() -> Self {
        Self { indents_lists: true, ..Self::new() }
    }

    /// Goes on behind a dash (`Context::Item`) or a colon (`Context::MapValue`) of a block at column `indent`, and never
    /// breaks a line.
    pub(crate) fn within(context: Context, indent: usize) -> Self {
        let indention = context == Context::Item;
        Self {
            width: usize::MAX,
            column: indent + 1,
            indent: Some(indent),
            whitespace: false,
            indention,
            ..Self::new()
        }
    }

    /// `key: value` for a mapping at column `indent`; the first line is not indented.
    pub(crate) fn entry(key: &str, value: &Json, indent: usize) -> String {
        let mut emitter = Self { width: usize::MAX, column: indent, indent: Some(indent), ..Self::new() };
        emitter.key_and_value(key, value);
        emitter.out
    }

    /// `- value` for a list at column `indent`; the first line is not indented.
    pub(crate) fn item(value: &Json, indent: usize) -> String {
        let mut emitter = Self { width: usize::MAX, column: indent, indent: Some(indent), ..Self::new() };
        emitter.indicator("-", true, false, true);
        emitter.node(value, Context::Item);
        emitter.out
    }

    /// A text in double quotes, in one line.
    pub(crate) fn quoted(text: &str) -> String {
        let mut emitter = Self { width: usize::MAX, ..Self::new() };
        emitter.double_quoted(&text.chars().collect::<Vec<_>>(), false);
        emitter.out
    }

    /// Notes at which lines values start.
    pub(crate) fn noting_lines(mut self) -> Self {
        self.lines = Some((1, Vec::new()));
        self
    }

    pub(crate) fn finish(mut self) -> String {
        self.end_document();
        self.out
    }

    pub(crate) fn finish_with_lines(mut self) -> (String, Vec<usize>) {
        self.end_document();
        (self.out, self.lines.map(|(_, starts)| starts).unwrap_or_default())
    }

    /// Ends the last line of a document.
    pub(crate) fn end_document(&mut self) {
        self.write_indent();
    }

    /// The line between two documents.
    pub(crate) fn separator(&mut self) {
        self.out.push_str("---\n");
        (self.column, self.whitespace, self.indention) = (0, true, true);
    }

    pub(crate) fn into_text(self) -> String {
        self.out
    }

    pub(crate) fn node<'v, V: Printable<'v>>(&mut self, value: V, context: Context) {
        if let Some((line, starts)) = &mut self.lines {
            starts.push(*line);
        }
        match value.shape() {
            Shape::Null => self.plain("null"),
            Shape::Bool(b) => self.plain(if b { "true" } else { "false" }),
            Shape::Number(number) if self.indents_lists => self.plain(&scalar::own_number(&number)),
            Shape::Number(number) => self.plain(&scalar::number(&number)),
            Shape::Text(text) => self.string(&text, context),
            Shape::List(items) if items.is_empty() => self.empty("[", "]"),
            Shape::Map(entries) | Shape::Fields(entries) if entries.is_empty() => self.empty("{", "}"),
            Shape::List(items) => self.list(items, context),
            Shape::Map(mut entries) => {
                order::sort(&mut entries);
                self.mapping(entries);
            }
            Shape::Fields(entries) => self.mapping(entries),
        }
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.indicator(open, true, true, false);
        self.indicator(close, false, false, false);
    }

    fn list<'v, V: Printable<'v>>(&mut self, items: Vec<V>, context: Context) {
        // A list as the value of a key stands at the column of the key.
        let in_mapping = matches!(context, Context::MapValue | Context::LongKey) && !self.indents_lists;
        let outer = self.increase_indent(in_mapping && !self.indention);
        for item in items {
            self.write_indent();
            self.indicator("-", true, false, true);
            self.node(item, Context::Item);
        }
        self.indent = outer;
    }

    fn mapping<'v, V: Printable<'v>>(&mut self, entries: Vec<(&str, V)>) {
        let outer = self.increase_indent(false);
        for (key, value) in entries {
            self.write_indent();
            self.key_and_value(key, value);
        }
        self.indent = outer;
    }

    fn key_and_value<'v, V: Printable<'v>>(&mut self, key: &str, value: V) {
        if key.len() <= LONGEST_SIMPLE_KEY && !scalar::has_break(key) {
            self.string(key, Context::SimpleKey);
            self.indicator(":", false, false, false);
        } else {
            self.indicator("?", true, false, true);
            self.string(key, Context::LongKey);
            self.write_indent();
            self.indicator(":", true, false, true);
        }
        self.node(value, Context::MapValue);
    }

    fn increase_indent(&mut self, indentless: bool) -> Option<usize> {
        let outer = self.indent;
        self.indent = match outer {
            None => Some(0),
            Some(column) if indentless => Some(column),
            Some(column) => Some(column + 2),
        };
        outer
    }

    fn plain(&mut self, word: &str) {
        if !self.whitespace {
            self.put(' ');
        }
        for c in word.chars() {
            self.put(c);
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn string(&mut self, text: &str, context: Context) {
        if scalar::is_plain_word(text) {
            return self.verbatim("", text);
        }
        let style = scalar::style(text, context == Context::SimpleKey);
        if let Some(quote) = style.quote().filter(|_| self.fits(text, style)) {
            return self.verbatim(quote, text);
        }
        let outer = self.indent;
        self.indent = Some(outer.map_or(2, |column| column + 2));
        let simple_key = context == Context::SimpleKey;
        let breaks_allowed = !simple_key;
        let chars: Vec<char> = text.chars().collect();
        match style {
            scalar::Style::Plain => self.plain_text(&chars, breaks_allowed),
            scalar::Style::Single => self.single_quoted(&chars, breaks_allowed),
            scalar::Style::Double => self.double_quoted(&chars, breaks_allowed),
            scalar::Style::Literal => self.literal(text),
        }
        self.indent = outer;
    }

    /// A text in one line, as it is.
    fn verbatim(&mut self, quote: &str, text: &str) {
        if !self.whitespace {
            self.put(' ');
        }
        for part in [quote, text, quote] {
            self.out.push_str(part);
        }
        self.column += text.len() + 2 * quote.len();
        (self.whitespace, self.indention) = (false, false);
    }

    /// Whether a text needs neither escapes nor a break. Most do not.
    fn fits(&self, text: &str, style: scalar::Style) -> bool {
        let verbatim = match style {
            scalar::Style::Single => |b: u8| b != b'\'',
            scalar::Style::Double => |b: u8| b != b'"' && b != b'\\',
            _ => |_: u8| true,
        };
        text.bytes().all(|b| (b' '..=b'~').contains(&b) && verbatim(b))
            && self.column.saturating_add(text.len() + 3) <= self.width
    }

    /// Whether a blank at `at` is where a long line is broken.
    fn folds(&self, chars: &[char], at: usize, breaks_allowed: bool, after_blank: bool) -> bool {
        breaks_allowed && !after_blank && self.column > self.width && at > 0 && at + 1 < chars.len()
    }

    /// A character, or a line break in the place of a single blank.
    fn put_or_break(&mut self, chars: &[char], at: usize, breaks_allowed: bool, after_blank: bool) {
        if chars[at] == ' ' && self.folds(chars, at, breaks_allowed, after_blank) && chars[at + 1] != ' ' {
            self.write_indent();
        } else {
            self.put(chars[at]);
        }
    }

    fn plain_text(&mut self, chars: &[char], breaks_allowed: bool) {
        if !self.whitespace {
            self.put(' ');
        }
        let mut after_blank = false;
        for (at, &c) in chars.iter().enumerate() {
            self.put_or_break(chars, at, breaks_allowed, after_blank);
            if c != ' ' {
                self.indention = false;
            }
            after_blank = c == ' ';
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn single_quoted(&mut self, chars: &[char], breaks_allowed: bool) {
        self.indicator("'", true, false, false);
        let mut after_blank = false;
        for (at, &c) in chars.iter().enumerate() {
            self.put_or_break(chars, at, breaks_allowed, after_blank);
            if c == '\'' {
                self.put(c);
            }
            if c != ' ' {
                self.indention = false;
            }
            after_blank = c == ' ';
        }
        self.indicator("'", false, false, false);
    }

    fn double_quoted(&mut self, chars: &[char], breaks_allowed: bool) {
        self.indicator("\"", true, false, false);
        // The reference looks for a byte order mark at the start of the text, whichever character it is at.
        let escape_all = chars.first() == Some(&'\u{feff}');
        let mut after_blank = false;
        for (at, &c) in chars.iter().enumerate() {
            if escape_all || scalar::needs_escape(c) {
                for c in scalar::escape(c).chars() {
                    self.put(c);
                }
                after_blank = false;
            } else if c == ' ' && self.folds(chars, at, breaks_allowed, after_blank) {
                self.write_indent();
                if chars[at + 1] == ' ' {
                    self.put('\\');
                }
                after_blank = true;
            } else {
                self.put(c);
                after_blank = c == ' ';
            }
        }
        self.indicator("\"", false, false, false);
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false, false);
        if text.starts_with([' ', '\n']) {
            self.indicator("2", false, false, false);
        }
        match text.len() - text.trim_end_matches('\n').len() {
            0 => self.indicator("-", false, false, false),
            1 if text.len() > 1 => {}
            _ => self.indicator("+", false, false, false),
        }
        self.put_break();
        for line in text.split_inclusive('\n') {
            if line != "\n" {
                self.write_indent();
                line.trim_end_matches('\n').chars().for_each(|c| self.put(c));
                self.indention = false;
            }
            if line.ends_with('\n') {
                self.put_break();
            }
        }
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn indicator(&mut self, indicator: &str, needs_blank: bool, whitespace: bool, indention: bool) {
        if needs_blank && !self.whitespace {
            self.put(' ');
        }
        self.out.push_str(indicator);
        self.column += indicator.len();
        self.whitespace = whitespace;
        self.indention &= indention;
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn put_break(&mut self) {
        if let Some((line, _)) = &mut self.lines {
            *line += 1;
        }
        self.out.push('\n');
        self.column = 0;
        self.whitespace = true;
        self.indention = true;
    }
}

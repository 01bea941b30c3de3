use super::anchors::{Anchors, Size};
use super::{Document, mapping, scalar};
use crate::node::Properties;
use crate::{Map, Node, Options, Report, Span, Style, Value, code, lexis};
use granit_parser::{Event, Marker, StructureStyle, Tag};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Place};

/// Makes the tree from the parser's events, without recursion.
pub(super) struct Builder<'t> {
    pub(super) documents: Vec<Document>,
    pub(super) report: Report,
    file: Arc<str>,
    options: &'t Options,
    text: &'t str,
    /// Characters of the whole text.
    chars: usize,
    /// Nodes that were read so far.
    nodes: usize,
    /// What aliases added to both.
    added: Size,
    stack: Vec<Frame>,
    root: Option<Node>,
    anchors: Anchors,
}

/// A list or mapping that is not yet closed.
struct Frame {
    open: Open,
    spot: Spot,
    style: Style,
    properties: Option<Box<Properties>>,
    anchor: usize,
    /// Where its last child ended, in bytes.
    last: usize,
    /// How deep its deepest child is.
    height: usize,
    /// What was read before it.
    before: Size,
}

enum Open {
    Seq(Vec<Node>),
    Map { entries: mapping::Entries, waiting: Option<mapping::Pending>, merges: Vec<(Place, Node)> },
}

/// Where an event stands.
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) span: Span,
    /// Characters of the text before it.
    index: usize,
}

/// Why reading stops. The reason is reported.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stop {
    /// The present document cannot be read on.
    Document,
    /// Nor can those behind it.
    Text,
}

impl<'t> Builder<'t> {
    pub(super) fn new(file: Arc<str>, text: &'t str, options: &'t Options) -> Self {
        Self {
            documents: Vec::new(),
            report: Report::default(),
            file,
            options,
            text,
            chars: text.chars().count(),
            nodes: 0,
            added: Size::default(),
            stack: Vec::new(),
            root: None,
            anchors: Anchors::default(),
        }
    }

    pub(super) fn place(&self, at: Marker) -> Place {
        let cut = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Place { file: Arc::clone(&self.file), line: cut(at.line()), column: cut(at.col()).saturating_add(1) }
    }

    /// Leaves what was read of the present document.
    pub(super) fn abandon(&mut self) {
        self.stack.clear();
        self.root = None;
        self.anchors.clear();
    }

    /// Takes one event; `anchor` is the name that the node of this event is given.
    pub(super) fn take(
        &mut self,
        event: Event<'t>,
        span: &granit_parser::Span,
        anchor: Option<Cow<'t, str>>,
    ) -> Result<(), Stop> {
        let bytes = span.byte_range().unwrap_or_default();
        let spot =
            Spot { place: self.place(span.start), span: Span::new(bytes.start, bytes.end), index: span.start.index() };
        let one = Size { chars: bytes.len(), nodes: 1, height: 0 };
        let properties = |tag: &Option<Cow<'t, Tag>>| properties(tag.as_deref(), anchor.as_deref());
        match event {
            Event::Scalar(text, style, id, tag) => {
                let source = self.text.get(bytes.start..).unwrap_or_default();
                let written =
                    scalar::Written { text, style, tag: tag.as_deref(), properties: properties(&tag), source };
                let node = scalar::node(written, spot, self.options.schema, &self.report);
                self.attach(node, id, one)
            }
            Event::SequenceStart(style, id, tag) => self.open(Open::Seq(Vec::new()), spot, style, id, properties(&tag)),
            Event::MappingStart(style, id, tag) => {
                let map = Open::Map { entries: IndexMap::new(), waiting: None, merges: Vec::new() };
                self.open(map, spot, style, id, properties(&tag))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&spot),
            Event::Alias(id) => self.alias(id, spot, one),
            Event::UnresolvedAlias(name) => {
                self.anchors.report_unknown(&name, &spot.place, &self.report);
                self.attach(scalar::nothing(spot), 0, one)
            }
            Event::DocumentEnd => {
                self.documents.extend(self.root.take().map(|root| Document { root }));
                self.abandon();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn open(
        &mut self,
        open: Open,
        mut spot: Spot,
        style: StructureStyle,
        anchor: usize,
        properties: Option<Box<Properties>>,
    ) -> Result<(), Stop> {
        self.check_depth(&spot.place, 1)?;
        self.anchors.open(anchor);
        let style = match style {
            StructureStyle::Block => Style::Block,
            StructureStyle::Flow => Style::Flow,
        };
        if style == Style::Block && matches!(open, Open::Seq(_)) {
            self.move_to_dash(&mut spot);
        }
        let last = spot.span.end();
        let before = self.read_before(spot.index);
        self.stack.push(Frame { open, spot, style, properties, anchor, last, height: 0, before });
        Ok(())
    }

    /// The parser reports a list that stands at the column of its key behind its first dash; we name the dash.
    fn move_to_dash(&self, spot: &mut Spot) {
        let Some(Frame { open: Open::Map { waiting: Some(mapping::Pending::Key(_, key)), .. }, .. }) =
            self.stack.last()
        else {
            return;
        };
        let Some(after) = lexis::after_colon(self.text, key.span.end()) else { return };
        let dash = lexis::after_properties(self.text, after);
        let Some(passed) = self.text.get(dash..spot.span.start()).filter(|passed| passed.starts_with('-')) else {
            return;
        };
        let cut = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let before = &self.text[lexis::line_start(self.text, dash)..dash];
        spot.place.line -= cut(passed.matches('\n').count()).min(spot.place.line - 1);
        spot.place.column = cut(before.chars().count()).saturating_add(1);
        spot.span.start = cut(dash);
    }

    fn close(&mut self, spot: &Spot) -> Result<(), Stop> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let value = match frame.open {
            Open::Seq(items) => Value::Seq(items.into()),
            Open::Map { mut entries, merges, .. } => {
                for (place, source) in merges {
                    mapping::merge(&mut entries, &place, &source, &self.report);
                }
                Value::Map(Map(Arc::new(entries)))
            }
        };
        // The parser ends a block where the next token starts; for us it ends with its last child.
        let end = if frame.style == Style::Flow { spot.span.end() } else { frame.last };
        let now = self.read_before(spot.index);
        let size = Size {
            chars: now.chars.saturating_sub(frame.before.chars),
            nodes: now.nodes.saturating_sub(frame.before.nodes) + 1,
            height: frame.height + 1,
        };
        let node = Node {
            value,
            place: frame.spot.place,
            span: Span::new(frame.spot.span.start(), end),
            style: frame.style,
            raw: None,
            properties: frame.properties,
        };
        self.attach(node, frame.anchor, size)
    }

    /// What was read up to a character, aliases replaced.
    fn read_before(&self, index: usize) -> Size {
        Size { chars: index + self.added.chars, nodes: self.nodes + self.added.nodes, height: 0 }
    }

    fn attach(&mut self, node: Node, anchor: usize, size: Size) -> Result<(), Stop> {
        self.nodes += 1;
        self.check_size(&node.place)?;
        self.anchors.close(anchor, &node, size);
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.last = frame.last.max(node.span.end());
        frame.height = frame.height.max(size.height);
        match &mut frame.open {
            Open::Seq(items) => items.push(node),
            Open::Map { entries, waiting, merges } => match waiting.take() {
                None => *waiting = Some(mapping::key(&node, self.options.schema, &self.report)),
                Some(mapping::Pending::Refused) => {}
                Some(mapping::Pending::Merge(place)) => merges.push((place, node)),
                Some(mapping::Pending::Key(text, key)) => {
                    mapping::insert(entries, text, key, node, self.options.repeated_keys, &self.report);
                }
            },
        }
        Ok(())
    }

    /// Puts a copy in the place of an alias, once it is known to fit.
    fn alias(&mut self, id: usize, spot: Spot, token: Size) -> Result<(), Stop> {
        let Some(size) = self.anchors.size(id, &spot.place, &self.report) else {
            return self.attach(scalar::nothing(spot), 0, token);
        };
        self.added.chars = self.added.chars.saturating_add(size.chars);
        self.added.nodes = self.added.nodes.saturating_add(size.nodes);
        self.check_size(&spot.place)?;
        self.check_depth(&spot.place, size.height)?;
        match self.anchors.copy(id) {
            Some(copy) => self.attach(Node { place: spot.place, span: spot.span, ..copy }, 0, size),
            None => self.attach(scalar::nothing(spot), 0, token),
        }
    }

    fn check_size(&self, place: &Place) -> Result<(), Stop> {
        let limits = self.options.limits;
        let problem = if self.chars.saturating_add(self.added.chars) > limits.expanded {
            format!("the text is longer than {} characters once its aliases are replaced", limits.expanded)
        } else if self.nodes.saturating_add(self.added.nodes) > limits.nodes {
            format!("the text holds more than {} values once its aliases are replaced", limits.nodes)
        } else {
            return Ok(());
        };
        let remedy = "use fewer aliases, or split the text into several";
        self.report.push(Diagnostic::error(code::EXPANDS, problem).at(place.clone()).remedy(remedy));
        Err(Stop::Text)
    }

    fn check_depth(&self, place: &Place, more: usize) -> Result<(), Stop> {
        let depth = self.options.limits.depth;
        if self.stack.len() + more <= depth {
            return Ok(());
        }
        let problem = format!("lists and mappings are nested more than {depth} deep");
        self.report.push(Diagnostic::error(code::TOO_DEEP, problem).at(place.clone()));
        Err(Stop::Document)
    }
}

fn properties(tag: Option<&Tag>, anchor: Option<&str>) -> Option<Box<Properties>> {
    if tag.is_none() && anchor.is_none() {
        return None;
    }
    let tag = tag.map(|tag| match tag.suffix_in_namespace(scalar::CORE_TAGS) {
        Some(suffix) => format!("!!{suffix}").into(),
        None => tag.to_string().into(),
    });
    Some(Box::new(Properties { tag, anchor: anchor.map(Into::into), alias: None }))
}

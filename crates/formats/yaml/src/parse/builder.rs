use super::{Document, mapping, scalar};
use crate::node::Properties;
use crate::{Map, Node, Options, Report, Span, Style, Value, code, lexis};
use granit_parser::{Event, Marker, StructureStyle, Tag};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Place, Severity};

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
    added: Weight,
    stack: Vec<Frame>,
    root: Option<Node>,
    anchors: BTreeMap<usize, Anchored>,
    /// Anchors of lists and mappings that are not yet closed: an alias of one stands within itself.
    open_anchors: HashSet<usize>,
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
    before: Weight,
}

enum Open {
    Seq(Vec<Node>),
    Map { map: Map, waiting: Option<mapping::Pending>, merges: Vec<(Place, Node)> },
}

/// How much a part of the text holds once its aliases are replaced.
#[derive(Clone, Copy, Default)]
struct Weight {
    chars: usize,
    nodes: usize,
}

struct Anchored {
    node: Node,
    weight: Weight,
    height: usize,
}

/// Where an event stands.
#[derive(Clone)]
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) span: Span,
    /// Characters of the text before it.
    index: usize,
}

/// The present document cannot be read on.
pub(super) struct Stop {
    pub(super) problem: Diagnostic,
    /// Nor can the documents behind it.
    pub(super) for_good: bool,
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
            added: Weight::default(),
            stack: Vec::new(),
            root: None,
            anchors: BTreeMap::new(),
            open_anchors: HashSet::new(),
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
        self.open_anchors.clear();
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
        let properties = |tag: &Option<Cow<'t, Tag>>| properties(tag.as_deref(), anchor.as_deref());
        match event {
            Event::Scalar(text, style, id, tag) => {
                let source = self.text.get(bytes.start..).unwrap_or_default();
                let written =
                    scalar::Written { text, style, tag: tag.as_deref(), properties: properties(&tag), source };
                let node = scalar::node(written, spot, self.options.schema, &self.report);
                let weight = Weight { chars: bytes.len(), nodes: 1 };
                self.attach(node, id, weight, 0)
            }
            Event::SequenceStart(style, id, tag) => self.open(Open::Seq(Vec::new()), spot, style, id, properties(&tag)),
            Event::MappingStart(style, id, tag) => {
                let map = Open::Map { map: Map::default(), waiting: None, merges: Vec::new() };
                self.open(map, spot, style, id, properties(&tag))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&spot),
            Event::Alias(id) => self.alias(id, spot),
            Event::UnresolvedAlias(name) => {
                self.unknown_anchor(&name, &spot.place);
                self.attach(scalar::nothing(spot), 0, Weight { chars: bytes.len(), nodes: 1 }, 0)
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
        if anchor != 0 {
            self.open_anchors.insert(anchor);
        }
        let style = match style {
            StructureStyle::Block => Style::Block,
            StructureStyle::Flow => Style::Flow,
        };
        if style == Style::Block && matches!(open, Open::Seq(_)) {
            self.move_to_dash(&mut spot);
        }
        let last = spot.span.end();
        let before = self.weight_at(spot.index);
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
            Open::Seq(items) => Value::Seq(items),
            Open::Map { mut map, merges, .. } => {
                for (place, source) in merges {
                    mapping::merge(&mut map, &place, source, &self.report);
                }
                Value::Map(map)
            }
        };
        // The parser ends a block where the next token starts; for us it ends with its last child.
        let end = if frame.style == Style::Flow { spot.span.end() } else { frame.last };
        let now = self.weight_at(spot.index);
        let weight = Weight {
            chars: now.chars.saturating_sub(frame.before.chars),
            nodes: now.nodes.saturating_sub(frame.before.nodes) + 1,
        };
        let node = Node {
            value,
            place: frame.spot.place,
            span: Span::new(frame.spot.span.start(), end),
            style: frame.style,
            raw: None,
            properties: frame.properties,
        };
        self.open_anchors.remove(&frame.anchor);
        self.attach(node, frame.anchor, weight, frame.height + 1)
    }

    /// What was read up to a character, aliases replaced.
    fn weight_at(&self, index: usize) -> Weight {
        Weight { chars: index + self.added.chars, nodes: self.nodes + self.added.nodes }
    }

    fn attach(&mut self, node: Node, anchor: usize, weight: Weight, height: usize) -> Result<(), Stop> {
        self.nodes += 1;
        self.check_size(&node.place)?;
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), weight, height });
        }
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.last = frame.last.max(node.span.end());
        frame.height = frame.height.max(height);
        match &mut frame.open {
            Open::Seq(items) => items.push(node),
            Open::Map { map, waiting, merges } => match waiting.take() {
                None => *waiting = Some(mapping::key(&node, self.options.schema, &self.report)),
                Some(mapping::Pending::Refused) => {}
                Some(mapping::Pending::Merge(place)) => merges.push((place, node)),
                Some(mapping::Pending::Key(text, key)) => mapping::insert(map, text, key, node, &self.report),
            },
        }
        Ok(())
    }

    /// Copies what the alias stands for, once the copy is known to fit.
    fn alias(&mut self, id: usize, spot: Spot) -> Result<(), Stop> {
        let one = Weight { chars: 1, nodes: 1 };
        if self.open_anchors.contains(&id) {
            let problem = "this alias stands within the value that it names, which would never end";
            self.report.push(Diagnostic::error(code::BAD_ALIAS, problem).at(spot.place.clone()));
            return self.attach(scalar::nothing(spot), 0, one, 0);
        }
        let Some(anchored) = self.anchors.get(&id) else { return self.attach(scalar::nothing(spot), 0, one, 0) };
        let (weight, height) = (anchored.weight, anchored.height);
        self.added.chars = self.added.chars.saturating_add(weight.chars);
        self.added.nodes = self.added.nodes.saturating_add(weight.nodes);
        self.check_size(&spot.place)?;
        self.check_depth(&spot.place, height)?;
        let Some(Anchored { node, .. }) = self.anchors.get(&id) else { return Ok(()) };
        let mut node = node.clone();
        let alias = node.anchor().map(Into::into);
        node.properties = Some(Box::new(Properties { tag: node.tag().map(Into::into), anchor: None, alias }));
        node.place = spot.place;
        node.span = spot.span;
        self.attach(node, 0, weight, height)
    }

    fn unknown_anchor(&self, name: &str, place: &Place) {
        let problem = Diagnostic::error(code::BAD_ALIAS, format!("no anchor `&{name}` stands before this alias"));
        // A few to compare with: both may be many.
        let known = self.anchors.values().rev().take(100).filter_map(|anchored| anchored.node.anchor());
        let wanted = self.report.wants(Severity::Error);
        let problem = if wanted { problem.nearest_of(name, known) } else { problem };
        self.report.push(problem.at(place.clone()));
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
        let problem = Diagnostic::error(code::EXPANDS, problem).at(place.clone()).remedy(remedy);
        Err(Stop { problem, for_good: true })
    }

    fn check_depth(&self, place: &Place, more: usize) -> Result<(), Stop> {
        let depth = self.options.limits.depth;
        if self.stack.len() + more <= depth {
            return Ok(());
        }
        let problem = format!("lists and mappings are nested more than {depth} deep");
        Err(Stop { problem: Diagnostic::error(code::TOO_DEEP, problem).at(place.clone()), for_good: false })
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

//! Random kustomizations: which folders there are, and how they name each other.

use crate::mistakes::mistake;
use crate::objects::{Known, objects};
use crate::random::Random;
use crate::style::restyled;
use crate::{charts, fields, generators, patches, plugins, replacements};

/// Files by path.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// A folder that is done: its address from a sibling, and what it brings.
#[derive(Clone)]
struct Done {
    address: String,
    objects: Vec<Known>,
}

pub(crate) fn project(random: &mut Random) -> Files {
    let mut files = Files::new();
    match random.below(10) {
        0 => single(random, &mut files),
        1 => diamond(random, &mut files),
        2 => deep(random, &mut files),
        _ => overlay(random, &mut files),
    }
    if random.percent(12) {
        mistake(random, &mut files);
    }
    files
}

/// One folder alone.
fn single(random: &mut Random, files: &mut Files) {
    Maker::new(random, files, "root").folder(&[], None, Role::Leaf);
}

/// One or two bases, sometimes a component, and an overlay.
fn overlay(random: &mut Random, files: &mut Files) {
    let mut bases: Vec<Done> = Vec::new();
    for number in 0..1 + random.below(2) {
        let others = all(&bases);
        bases.push(Maker::new(random, files, &format!("base{number}")).leaf(&others));
    }
    let component = component(random, files, &all(&bases));
    Maker::new(random, files, "root").folder(&bases, component.as_ref(), Role::Overlay);
}

/// The same base twice, under two names.
fn diamond(random: &mut Random, files: &mut Files) {
    let base = Maker::new(random, files, "base").leaf(&[]);
    let mut sides = Vec::new();
    for (side, prefix) in [("left", "l-"), ("right", "r-")] {
        let mut maker = Maker::new(random, files, side);
        maker.k.push_str(&format!("namePrefix: {prefix}\n"));
        maker.taken.push("namePrefix");
        let own = maker.folder(std::slice::from_ref(&base), None, Role::Side);
        sides.push(Done { address: format!("../{side}"), objects: own });
    }
    Maker::new(random, files, "root").folder(&sides, None, Role::Overlay);
}

/// A base, an overlay of it, and an overlay of that, the middle one sometimes inside of the last.
fn deep(random: &mut Random, files: &mut Files) {
    let base = Maker::new(random, files, "base").leaf(&[]);
    let component = component(random, files, &base.objects);
    let inside = random.percent(50);
    let mut base = base;
    let (at, address) = if inside { ("root/middle", "middle") } else { ("middle", "../middle") };
    if inside {
        base.address = "../../base".into();
    }
    let component = component.filter(|_| !inside);
    let mut maker = Maker::new(random, files, at);
    let mut objects = maker.folder(std::slice::from_ref(&base), component.as_ref(), Role::Overlay);
    objects.extend(base.objects);
    let middle = Done { address: address.into(), objects };
    Maker::new(random, files, "root").folder(&[middle], None, Role::Overlay);
}

fn component(random: &mut Random, files: &mut Files, below: &[Known]) -> Option<Done> {
    random.percent(25).then(|| {
        let known = Done { address: String::new(), objects: below.to_vec() };
        let objects = Maker::new(random, files, "component").folder(&[known], None, Role::Component);
        Done { address: "../component".into(), objects }
    })
}

fn all(folders: &[Done]) -> Vec<Known> {
    folders.iter().flat_map(|done| done.objects.iter().cloned()).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Leaf,
    Side,
    Overlay,
    Component,
}

/// Makes one kustomization with its files.
pub(crate) struct Maker<'m> {
    pub(crate) random: &'m mut Random,
    files: &'m mut Files,
    pub(crate) at: String,
    /// The text of the kustomization.
    pub(crate) k: String,
    /// Fields that are there already.
    pub(crate) taken: Vec<&'static str>,
}

impl<'m> Maker<'m> {
    fn new(random: &'m mut Random, files: &'m mut Files, at: &str) -> Self {
        Self { random, files, at: at.to_owned(), k: String::new(), taken: Vec::new() }
    }

    pub(crate) fn file(&mut self, name: &str, content: impl Into<Vec<u8>>) {
        self.files.push((format!("{}/{name}", self.at), content.into()));
    }

    fn leaf(mut self, others: &[Known]) -> Done {
        let known = Done { address: String::new(), objects: others.to_vec() };
        let address = format!("../{}", self.at);
        let objects = self.folder(&[known], None, Role::Leaf);
        Done { address, objects }
    }

    /// Gives the objects that it adds. A base without an address is only known.
    fn folder(&mut self, bases: &[Done], component: Option<&Done>, role: Role) -> Vec<Known> {
        self.head(role);
        let mut resources: Vec<String> =
            bases.iter().map(|base| base.address.clone()).filter(|address| !address.is_empty()).collect();
        if self.random.percent(15) && !resources.is_empty() {
            self.k.push_str(&format!("bases: [{}]\n", resources.join(", ")));
            resources.clear();
        }
        let below = all(bases);
        let count = match role {
            Role::Leaf => 2 + self.random.below(5),
            Role::Side => 0,
            Role::Overlay | Role::Component => self.random.below(3),
        };
        let others: Vec<Known> =
            below.iter().cloned().chain(component.iter().flat_map(|c| c.objects.clone())).collect();
        let made = objects(self.random, count, &others);
        self.write(&made, &mut resources);
        if !resources.is_empty() {
            self.k.push_str(&format!("resources: [{}]\n", resources.join(", ")));
        }
        if let Some(component) = component {
            self.k.push_str(&format!("components: [{}]\n", component.address));
        }
        let mut known = if role == Role::Leaf { Vec::new() } else { others };
        known.extend(made.iter().cloned());
        fields::simple(self, &known);
        generators::generators(self, &known);
        patches::patches(self, &known);
        replacements::replacements(self, &known);
        plugins::plugins(self);
        charts::charts(self);
        if self.k.is_empty() {
            self.k.push_str("namePrefix: x-\n");
        }
        let k = std::mem::take(&mut self.k);
        let name = if self.random.percent(92) {
            "kustomization.yaml"
        } else {
            self.random.pick(&["kustomization.yml", "Kustomization"])
        };
        self.file(name, k);
        made
    }

    fn head(&mut self, role: Role) {
        if role == Role::Component {
            self.k.push_str("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n");
        } else if self.random.percent(20) {
            self.k.push_str("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n");
        }
    }

    /// The objects as one file, or one each.
    fn write(&mut self, made: &[Known], resources: &mut Vec<String>) {
        if made.is_empty() {
            return;
        }
        if self.random.percent(30) {
            for (number, known) in made.iter().enumerate() {
                let (text, ending) = restyled(self.random, &known.text);
                let folder = self.random.sometimes(20, "objects/");
                let name = format!("{folder}object{number}.{ending}");
                self.file(&name, text);
                resources.push(name);
            }
            return;
        }
        let mut text = String::new();
        for (number, known) in made.iter().enumerate() {
            if number > 0 || self.random.percent(10) {
                text.push_str(self.random.pick(&["---\n", "---\n", "---\n", "--- # next\n", "---\n# nothing\n---\n"]));
            }
            text.push_str(&restyled(self.random, &known.text).0);
        }
        self.file("objects.yaml", text);
        resources.push("objects.yaml".into());
    }
}

/// One of the objects that pass.
pub(crate) fn known<'k>(random: &mut Random, all: &'k [Known], passes: impl Fn(&Known) -> bool) -> Option<&'k Known> {
    let found: Vec<&Known> = all.iter().filter(|known| passes(known)).collect();
    (!found.is_empty()).then(|| found[random.below(found.len())])
}

/// A text some columns to the right.
pub(crate) fn block(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

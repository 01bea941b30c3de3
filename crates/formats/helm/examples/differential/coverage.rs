//! Which constructs of templates (rendering §2) and which families of functions random ones use, counted.

use std::collections::BTreeMap;

/// Constructs by a piece of text that only they have.
const CONSTRUCTS: [(&str, &[&str]); 27] = [
    ("if", &["if "]),
    ("else", &["{{ else }}"]),
    ("else if", &["else if "]),
    ("with", &["with "]),
    ("else with", &["else with "]),
    ("range", &["range "]),
    ("range $v", &["range $x := "]),
    ("range $i, $v", &["range $i, $x := "]),
    ("break", &["{{ break }}"]),
    ("continue", &["{{ continue }}"]),
    ("define", &["define "]),
    ("template", &["template \""]),
    ("block", &["block "]),
    ("include", &["include "]),
    ("tpl", &["tpl "]),
    ("declaration", &[" := "]),
    ("assignment", &[" = "]),
    ("comment", &["{{/*", "{{- /*"]),
    ("trim markers", &["{{- i", "{{- w", "{{- r", "{{- (", "{{- \"", "{{- $", "{{- .", "-}}["]),
    ("raw text", &["`"]),
    ("character", &["'\\x01'", "'a'"]),
    ("other bases", &["0x1", "0b1", "1_000"]),
    ("$ from the root", &["$.Values"]),
    ("chain behind parentheses", &[").AsConfig", ").AsSecrets", ").items", "_0", "_7", ").deeper"]),
    ("method call", &[".Has ", ".Get ", ".Glob ", ".Lines "]),
    ("pipeline", &[" | "]),
    ("printf", &["printf "]),
];

/// Families of functions, each with all of its names that both sides run.
const FAMILIES: [(&str, &str); 24] = [
    (
        "text",
        "upper lower title untitle trim nospace initials swapcase trunc abbrev abbrevboth substr repeat replace wrap wrapWith contains hasPrefix hasSuffix cat indent nindent plural trimall trimAll trimSuffix trimPrefix hello",
    ),
    ("case", "snakecase camelcase kebabcase swapcase title untitle"),
    ("quotes", "quote squote"),
    ("lists of texts", "join split splitn splitList sortAlpha toStrings"),
    ("integers", "add add1 sub mul div mod max min biggest len"),
    ("fractions", "addf add1f subf mulf divf maxf minf floor ceil round"),
    ("sequences", "until untilStep seq"),
    ("conversions", "int int64 float64 atoi toDecimal toString toStrings"),
    ("defaults", "default empty coalesce ternary all any"),
    ("encodings", "b64enc b64dec b32enc b32dec"),
    ("sums", "sha1sum sha256sum sha512sum adler32sum"),
    (
        "lists",
        "list tuple first last rest initial reverse uniq compact append prepend push concat without has slice chunk",
    ),
    (
        "lists, must",
        "mustAppend mustPrepend mustFirst mustLast mustRest mustInitial mustReverse mustUniq mustCompact mustWithout mustHas mustSlice mustChunk",
    ),
    (
        "maps",
        "dict get set unset hasKey pluck dig merge mergeOverwrite mustMerge mustMergeOverwrite pick omit values deepCopy mustDeepCopy",
    ),
    ("paths", "base dir clean ext isAbs osBase osDir osClean osExt osIsAbs"),
    ("types", "kindOf kindIs typeOf typeIs typeIsLike deepEqual"),
    (
        "regular expressions",
        "regexMatch regexFind regexFindAll regexReplaceAll regexReplaceAllLiteral regexSplit regexQuoteMeta mustRegexMatch mustRegexFind mustRegexFindAll mustRegexReplaceAll mustRegexSplit",
    ),
    ("versions", "semver semverCompare"),
    ("addresses", "urlParse urlJoin urlquery"),
    (
        "JSON",
        "toJson toRawJson toPrettyJson fromJson fromJsonArray mustToJson mustToRawJson mustToPrettyJson mustFromJson",
    ),
    ("YAML", "toYaml toYamlPretty fromYaml fromYamlArray"),
    ("comparisons", "eq ne lt le gt ge not and or"),
    ("built in", "index slice html js print println urlquery"),
    ("charts", "required fail lookup include tpl"),
];

#[derive(Default)]
pub(crate) struct Coverage {
    used: BTreeMap<&'static str, usize>,
    total: usize,
}

impl Coverage {
    pub(crate) fn add(&mut self, text: &str) {
        self.total += 1;
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        for (name, pieces) in CONSTRUCTS {
            *self.used.entry(name).or_default() += usize::from(pieces.iter().any(|piece| text.contains(piece)));
        }
        for (name, functions) in FAMILIES {
            let found = functions.split(' ').any(|function| words.contains(&function));
            *self.used.entry(name).or_default() += usize::from(found);
        }
    }

    /// Constructs and families in fewer than 5 % of the templates.
    pub(crate) fn rare(&self) -> Vec<String> {
        let rare = self.used.iter().filter(|(_, count)| **count * 20 < self.total);
        rare.map(|(name, count)| format!("{name}: {count}")).collect()
    }

    /// How many there are, and which is used least.
    pub(crate) fn summary(&self) -> String {
        let least = self.used.iter().min_by_key(|(_, count)| **count);
        let (name, count) = least.map_or(("", 0), |(name, count)| (*name, *count));
        let share = count as f64 * 100.0 / self.total.max(1) as f64;
        format!("{} constructs and families, the least used is `{name}` in {share:.1} %", self.used.len())
    }
}

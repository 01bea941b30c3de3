//! Pipelines §3.5, with the answers that Java gives.

use crate::common::{check, shown};

#[test]
fn strings() {
    check(
        &[
            ("'prod-eu'.substring(0,3)", r#""pro""#),
            ("'prod-eu'.substring(5)", r#""eu""#),
            ("'abc'.substring(2,1)", "EXPR0007"),
            ("'abc'.substring(0,4)", "EXPR0007"),
            ("'abc'.substring(-1)", "EXPR0007"),
            ("'abc'.substring(3)", r#""""#),
            ("'abc'.charAt(1)", r#""b""#),
            ("'abc'.charAt(3)", "EXPR0007"),
            ("'a😀b'.length()", "4"),
            ("'a😀b'.indexOf('b')", "3"),
            ("'a😀b'.substring(3)", r#""b""#),
            ("'a😀b'.substring(1,3)", r#""😀""#),
            ("'abcabc'.indexOf('c')", "2"),
            ("'abcabc'.indexOf('c', 3)", "5"),
            ("'abcabc'.indexOf('x')", "-1"),
            ("'abcabc'.indexOf('a', -5)", "0"),
            ("'abcabc'.lastIndexOf('a')", "3"),
            ("'abcabc'.lastIndexOf('a', 2)", "0"),
            ("'abc'.lastIndexOf('c', -1)", "-1"),
            ("'abc'.contains('b')", "true"),
            ("'abc'.startsWith('ab')", "true"),
            ("'abc'.endsWith('bc')", "true"),
            ("'abc'.equals('abc')", "true"),
            ("'ABC'.equalsIgnoreCase('abc')", "true"),
            ("''.isEmpty()", "true"),
            ("'  '.isBlank()", "true"),
            ("' a '.trim()", r#""a""#),
            ("'\u{2003}a'.trim().length()", "2"),
            ("'\u{2003}a'.strip().length()", "1"),
            ("'aB'.toLowerCase()", r#""ab""#),
            ("'aB'.toUpperCase()", r#""AB""#),
            ("'a'.concat('b')", r#""ab""#),
            ("'a'.concat(1)", r#""a1""#),
            ("'a.b.c'.replace('.', '-')", r#""a-b-c""#),
            ("'a.b.c'.replaceAll('[.]', '-')", r#""a-b-c""#),
            ("'a.b.c'.replaceFirst('[.]', '-')", r#""a-b.c""#),
            ("'2026-03'.replaceAll('(\\\\d+)-(\\\\d+)', '$2/$1')", r#""03/2026""#),
            ("'a'.replaceAll('a', '\\\\$')", r#""$""#),
            ("'a'.replaceAll('a', '$3')", "EXPR0005"),
            ("'abc'.replaceAll('', '-')", r#""-a-b-c-""#),
            ("'abc'.matches('[a-c]+')", "true"),
            ("'abc'.matches('b')", "false"),
            ("'ab'.repeat(3)", r#""ababab""#),
            ("'ab'.repeat(-1)", "EXPR0005"),
            ("'a'.compareTo('c')", "-2"),
            ("'abc'.compareTo('a')", "2"),
            ("16.toString()", r#""16""#),
            ("pipeline.sequenceId.length()", "2"),
            ("true.toString().concat('!')", r#""true!""#),
            ("'x'.nope()", "EXPR0004"),
            ("'x'.trim(1)", "EXPR0005"),
            ("'x'.contains()", "EXPR0005"),
        ],
        shown,
    );
}

#[test]
fn split_as_java_does() {
    check(
        &[
            ("'x,y,,'.split(',')", r#"["x","y"]"#),
            ("'x,y,,'.split(',', -1)", r#"["x","y","",""]"#),
            ("'x,y,z'.split(',', 2)", r#"["x","y,z"]"#),
            ("',a'.split(',')", r#"["","a"]"#),
            ("''.split(',')", r#"[""]"#),
            ("','.split(',')", "[]"),
            ("'abc'.split('')", r#"["a","b","c"]"#),
            ("'a1b22c'.split('\\\\d+')", r#"["a","b","c"]"#),
            ("'a.b'.split('.')", "[]"),
            (r"'a.b'.split('\\.')", r#"["a","b"]"#),
            (r"'a.b'.split('\.')", r#"["a","b"]"#),
            ("'a|b'.split('|')", r#"["a","|","b"]"#),
            ("'a  b'.split(' ')", r#"["a","","b"]"#),
            ("'a:b'.split(':')[1]", r#""b""#),
        ],
        shown,
    );
}

#[test]
fn collections() {
    check(
        &[
            ("[1,2,3].size()", "3"),
            ("[1,2,3].contains('2')", "true"),
            ("[1,2,1].indexOf(1)", "0"),
            ("[1,2,1].lastIndexOf(1)", "2"),
            ("[].isEmpty()", "true"),
            ("[1,'a',null].join('-')", r#""1-a-null""#),
            ("[1,2].join()", r#""1,2""#),
            ("[1,2].get(1)", "2"),
            ("[1,2].get(9)", "null"),
            ("[1,2].toString()", r#""[1,2]""#),
            ("{'a': 1}.get('a')", "1"),
            ("{'a': 1}.containsKey('b')", "false"),
            ("{'a': 1}.containsValue(1)", "true"),
            ("{'a': 1, 'b': 2}.keySet()", r#"["a","b"]"#),
            ("{'a': 1, 'b': 2}.values()", "[1,2]"),
            ("{'a': 1}.size()", "1"),
            ("[1].getFirst()", "EXPR0004"),
        ],
        shown,
    );
}

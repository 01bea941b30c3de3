//! Texts by every verb.

use crate::Answer;
use crate::Value::Text;

pub(crate) const ANSWERS: &[Answer] = &[
    (
        "%s|%5s|%-5s|%05s|%-05s|%.2s|%.0s|%5.1s|%+s|% s|%#s",
        &[
            Text("é"),
            Text("é"),
            Text("é"),
            Text("é"),
            Text("é"),
            Text("éàü"),
            Text("a"),
            Text("éà"),
            Text("a"),
            Text("a"),
            Text("a"),
        ],
        "é|    é|é    |0000é|é    |éà||    é|a|a|a",
    ),
    (
        "%q|%+q|%#q|%#q|%#q|%#q|%#+q|%q|%8q|%-8q|%08q|%.1q",
        &[
            Text(r#"é"\"#),
            Text("é😀"),
            Text("a"),
            Text("a`"),
            Text("a\n"),
            Text("a\t"),
            Text("é"),
            Text("\u{7}\u{8}\u{c}\n\u{d}\t\u{b}\u{0}\u{7f}"),
            Text("a"),
            Text("a"),
            Text("a"),
            Text("é😀"),
        ],
        "\"é\\\"\\\\\"|\"\\u00e9\\U0001f600\"|`a`|\"a`\"|\"a\\n\"|`a\t`|`é`|\"\\a\\b\\f\\n\\r\\t\\v\\x00\\x7f\"|     \"a\"|\"a\"     |00000\"a\"|\"é\"",
    ),
    (
        "%q|%q|%#q|%q",
        &[Text("\u{200b}\u{a0}\u{ad}\u{feff}"), Text("\u{301}\u{e000}\u{e0001}"), Text("\u{feff}"), Text("'")],
        r#""\u200b\u00a0\u00ad\ufeff"|"́\ue000\U000e0001"|"\ufeff"|"'""#,
    ),
    (
        "%x|%X|% x|%#x|%# x|%.2x|%8x|%-8x|%08x|%#X|%# X|%x|%5x|%#x|%.1x",
        &[
            Text("hi"),
            Text("hi~"),
            Text("hi"),
            Text("hi"),
            Text("hi"),
            Text("hié"),
            Text("hi"),
            Text("hi"),
            Text("hi"),
            Text("hz"),
            Text("hz"),
            Text(""),
            Text(""),
            Text(""),
            Text("é"),
        ],
        "6869|68697E|68 69|0x6869|0x68 0x69|6869|    6869|6869    |00006869|0X687A|0X68 0X7A||     ||c3",
    ),
    (
        "%v|%#v|%+v|%+#v|%5v|%-5v|%05v|%.1v|%#.1v|%#8v",
        &[
            Text("ab"),
            Text("ab"),
            Text("ab"),
            Text("a`b"),
            Text("ab"),
            Text("ab"),
            Text("ab"),
            Text("ab"),
            Text("ab"),
            Text("ab"),
        ],
        r#"ab|"ab"|ab|"a`b"|   ab|ab   |000ab|a|"a"|    "ab""#,
    ),
    (
        "%d|%5d|%-5d|%.1d|%+d|%#d|%05d",
        &[Text("ab"), Text("ab"), Text("ab"), Text("ab"), Text("ab"), Text("ab"), Text("ab")],
        "%!d(string=ab)|%!d(string=   ab)|%!d(string=ab   )|%!d(string=a)|%!d(string=ab)|%!d(string=ab)|%!d(string=000ab)",
    ),
];

//! Dates without quotes, as objects hold them: `2020-01-01` is read as an instant and printed as RFC 3339.

use std::fmt::Write;

/// The instant in RFC 3339, when `text` is one: `2006-1-2`, `2006-1-2 15:4:5.9` or `2006-1-2T15:4:5.9+07:00`.
pub(super) fn parse(text: &str) -> Option<String> {
    let mut rest = Cursor(text);
    let year = rest.digits(4, 4)?;
    rest.expect('-')?;
    let month = rest.digits(1, 2)?;
    rest.expect('-')?;
    let day = rest.digits(1, 2)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let mut out = format!("{year:04}-{month:02}-{day:02}T");
    if rest.0.is_empty() {
        out.push_str("00:00:00Z");
        return Some(out);
    }
    let zoned = match rest.next()? {
        'T' | 't' => true,
        ' ' => {
            rest.0 = rest.0.trim_start_matches(' ');
            false
        }
        _ => return None,
    };
    rest.time(&mut out)?;
    if zoned {
        rest.zone(&mut out)?;
    } else {
        out.push('Z');
    }
    rest.0.is_empty().then_some(out)
}

struct Cursor<'t>(&'t str);

impl Cursor<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.0.chars().next()?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }

    fn expect(&mut self, wanted: char) -> Option<()> {
        self.0 = self.0.strip_prefix(wanted)?;
        Some(())
    }

    /// A number of `least` to `most` digits; the digits that follow are left.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let length = self.0.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        if length < least { None } else { digits.parse().ok() }
    }

    /// Hours, minutes, seconds and a fraction, of which nine digits count.
    fn time(&mut self, out: &mut String) -> Option<()> {
        let hour = self.digits(1, 2)?;
        self.expect(':')?;
        let minute = self.digits(1, 2)?;
        self.expect(':')?;
        let second = self.digits(1, 2)?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        write!(out, "{hour:02}:{minute:02}:{second:02}").ok()?;
        if let Some(fraction) = self.0.strip_prefix(['.', ',']) {
            let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if length > 0 {
                let digits = fraction[..length.min(9)].trim_end_matches('0');
                if !digits.is_empty() {
                    out.push('.');
                    out.push_str(digits);
                }
                self.0 = &fraction[length..];
            }
        }
        Some(())
    }

    /// `Z` or `+07:00`; an offset of nothing is `Z`.
    fn zone(&mut self, out: &mut String) -> Option<()> {
        let sign = self.next()?;
        if sign == 'Z' {
            out.push('Z');
            return Some(());
        }
        if sign != '+' && sign != '-' {
            return None;
        }
        let hours = self.digits(2, 2)?;
        self.expect(':')?;
        let minutes = self.digits(2, 2)?;
        if hours > 23 || minutes > 59 {
            return None;
        }
        if (hours, minutes) == (0, 0) {
            out.push('Z');
        } else {
            write!(out, "{sign}{hours:02}:{minutes:02}").ok()?;
        }
        Some(())
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

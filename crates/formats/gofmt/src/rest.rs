use crate::Spec;

/// Larger widths and precisions are refused.
pub(crate) const WIDEST: u64 = 1_000_000;

/// What is left of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest<'f>(pub(crate) &'f str);

/// What a `[` begins.
pub(crate) enum Bracket {
    None,
    /// No number, or no end.
    Broken,
    Number(u64),
}

impl<'f> Rest<'f> {
    /// The text before the next `%`, which is passed over; nothing when there is none any more.
    pub(crate) fn before_directive(&mut self) -> Option<&'f str> {
        let (before, behind) = self.0.split_once('%')?;
        self.0 = behind;
        Some(before)
    }

    pub(crate) fn flags(&mut self) -> Spec {
        let mut spec = Spec::default();
        loop {
            match self.0.as_bytes().first() {
                Some(b'+') => spec.plus = true,
                Some(b'-') => spec.minus = true,
                Some(b'#') => spec.sharp = true,
                Some(b' ') => spec.space = true,
                Some(b'0') => spec.zero = true,
                _ => return spec,
            }
            self.0 = &self.0[1..];
        }
    }

    /// Whether this came next, which is passed over.
    pub(crate) fn take(&mut self, c: char) -> bool {
        let behind = self.0.strip_prefix(c);
        self.0 = behind.unwrap_or(self.0);
        behind.is_some()
    }

    /// Whether a precision comes next. A point that ends the format is its verb.
    pub(crate) fn take_point(&mut self) -> bool {
        self.0.len() > 1 && self.take('.')
    }

    /// Digits. Behind a number that is too large nothing is read any more.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let length = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, behind) = self.0.split_at(length);
        let mut number = 0;
        for digit in digits.bytes() {
            // Go asks before it adds a digit, so that one more than the limit is taken.
            if number > WIDEST {
                self.0 = "";
                return None;
            }
            number = number * 10 + u64::from(digit - b'0');
        }
        self.0 = behind;
        (length > 0).then_some(number)
    }

    /// `[2]`. Of one without an end only the bracket is passed over.
    pub(crate) fn bracket(&mut self) -> Bracket {
        let Some(behind) = self.0.strip_prefix('[') else { return Bracket::None };
        let Some((inside, after)) = behind.split_once(']').filter(|_| self.0.len() > 2) else {
            self.0 = behind;
            return Bracket::Broken;
        };
        self.0 = after;
        let mut inside = Rest(inside);
        let number = inside.number();
        number.filter(|_| inside.0.is_empty()).map_or(Bracket::Broken, Bracket::Number)
    }

    pub(crate) fn verb(&mut self) -> Option<char> {
        let mut chars = self.0.chars();
        let verb = chars.next();
        self.0 = chars.as_str();
        verb
    }
}

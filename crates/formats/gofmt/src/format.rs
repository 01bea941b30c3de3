use crate::argument::describe;
use crate::rest::{Bracket, Rest, WIDEST};
use crate::{Argument, Spec, text};
use std::mem::take;

/// Writes arguments as the format says. `room` is asked after each directive whether the text may be so long.
///
/// # Errors
/// What an argument or `room` says.
pub fn sprintf<A: Argument>(
    format: &str,
    arguments: &[A],
    room: impl Fn(&str) -> Result<(), A::Error>,
) -> Result<String, A::Error> {
    let out = String::with_capacity(format.len());
    let mut printer = Printer { arguments, next: 0, reordered: false, good_index: true, out };
    let mut rest = Rest(format);
    while let Some(before) = rest.before_directive() {
        printer.out.push_str(before);
        printer.directive(&mut rest)?;
        room(&printer.out)?;
    }
    printer.out.push_str(rest.0);
    printer.extra()?;
    room(&printer.out)?;
    Ok(printer.out)
}

struct Printer<'a, A> {
    arguments: &'a [A],
    next: usize,
    /// `%[1]d` was used: arguments may be left over.
    reordered: bool,
    good_index: bool,
    out: String,
}

impl<A: Argument> Printer<'_, A> {
    fn directive(&mut self, rest: &mut Rest<'_>) -> Result<(), A::Error> {
        self.good_index = true;
        let mut spec = rest.flags();
        let mut indexed = self.index(rest);
        if rest.take('*') {
            let width = self.taken("%!(BADWIDTH)");
            spec.minus |= width.is_some_and(|width| width < 0);
            spec.width = width.and_then(|width| usize::try_from(width.unsigned_abs()).ok());
            indexed = false;
        } else {
            spec.width = size(rest.number());
            self.good_index &= !(indexed && spec.width.is_some());
        }
        if rest.take_point() {
            self.good_index &= !indexed;
            indexed = self.index(rest);
            if rest.take('*') {
                let precision = self.taken("%!(BADPREC)");
                spec.precision = precision.and_then(|precision| usize::try_from(precision).ok());
                if precision.is_some() && spec.precision.is_none() {
                    self.out.push_str("%!(BADPREC)");
                }
                indexed = false;
            } else {
                spec.precision = size(rest.number()).or(Some(0));
            }
        }
        if !indexed {
            self.index(rest);
        }
        let Some(verb) = rest.verb() else {
            self.out.push_str("%!(NOVERB)");
            return Ok(());
        };
        match self.arguments.get(self.next) {
            _ if verb == '%' => self.out.push('%'),
            _ if !self.good_index => self.fault(verb, "BADINDEX"),
            None => self.fault(verb, "MISSING"),
            Some(argument) => {
                self.next += 1;
                self.value(argument, verb, spec)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, argument: &A, verb: char, mut spec: Spec) -> Result<(), A::Error> {
        if matches!(verb, 'v' | 'w') {
            spec.go_syntax = take(&mut spec.sharp);
            spec.fields = take(&mut spec.plus);
        }
        match (verb, argument.type_name()) {
            ('T' | 'v', None) => spec.pad(&mut self.out, "<nil>"),
            (_, None) => self.fault(verb, "<nil>"),
            ('T', Some(name)) => {
                text(&mut self.out, name, 's', &spec);
            }
            _ => argument.write(&mut self.out, verb, &spec)?,
        }
        Ok(())
    }

    /// `[2]`: whether there was a number.
    fn index(&mut self, rest: &mut Rest<'_>) -> bool {
        let bracket = rest.bracket();
        self.reordered |= !matches!(bracket, Bracket::None);
        let Bracket::Number(number) = bracket else {
            self.good_index &= matches!(bracket, Bracket::None);
            return false;
        };
        match size(number.checked_sub(1)).filter(|index| *index < self.arguments.len()) {
            Some(index) => self.next = index,
            None => self.good_index = false,
        }
        true
    }

    /// The number for a `*`; what is none shows in the text.
    fn taken(&mut self, bad: &str) -> Option<i64> {
        let argument = self.arguments.get(self.next);
        self.next += usize::from(argument.is_some());
        let number = argument.and_then(Argument::size).filter(|number| number.unsigned_abs() <= WIDEST);
        if number.is_none() {
            self.out.push_str(bad);
        }
        number
    }

    /// `%!d(MISSING)`
    fn fault(&mut self, verb: char, what: &str) {
        self.out.push_str("%!");
        self.out.push(verb);
        self.out.push('(');
        self.out.push_str(what);
        self.out.push(')');
    }

    /// What is left over.
    fn extra(&mut self) -> Result<(), A::Error> {
        if self.reordered || self.next >= self.arguments.len() {
            return Ok(());
        }
        self.out.push_str("%!(EXTRA ");
        for (index, argument) in self.arguments[self.next..].iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { "" });
            describe(&mut self.out, argument, &Spec::default())?;
        }
        self.out.push(')');
        Ok(())
    }
}

fn size(number: Option<u64>) -> Option<usize> {
    number.and_then(|number| usize::try_from(number).ok())
}

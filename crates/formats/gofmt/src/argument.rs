use crate::Spec;

/// A value that a format writes.
pub trait Argument {
    /// Why a value cannot be written at all.
    type Error;

    /// Go's name of the type; nothing for nil, which is never written by [`Argument::write`].
    fn type_name(&self) -> Option<&str>;

    /// The number for a `*`; nothing when it is no integer.
    fn size(&self) -> Option<i64>;

    /// Writes the value, or [`misfit`] for a verb that it does not know. `%T` is not asked for.
    ///
    /// # Errors
    /// What the caller does not write at all.
    fn write(&self, out: &mut String, verb: char, spec: &Spec) -> Result<(), Self::Error>;
}

/// `%!d(string=x)`: a verb that does not fit, and the value by `%v` with the same flags.
///
/// # Errors
/// What the value says when it is written by `%v`.
pub fn misfit<A: Argument>(out: &mut String, argument: &A, verb: char, spec: &Spec) -> Result<(), A::Error> {
    out.push_str("%!");
    out.push(verb);
    out.push('(');
    describe(out, argument, spec)?;
    out.push(')');
    Ok(())
}

/// `string=x`
pub(crate) fn describe<A: Argument>(out: &mut String, argument: &A, spec: &Spec) -> Result<(), A::Error> {
    let Some(name) = argument.type_name() else {
        out.push_str("<nil>");
        return Ok(());
    };
    out.push_str(name);
    out.push('=');
    argument.write(out, 'v', spec)
}

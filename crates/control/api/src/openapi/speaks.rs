//! From the types of a handler to its description.

use super::{Operation, Says, Takes};
use std::future::Future;

/// A handler whose types say what it takes and what it answers. `T` is the mark that axum gives to handlers.
pub(crate) trait Speaks<T> {
    fn operation() -> Operation;
}

impl<F, Fut> Speaks<((),)> for F
where
    F: FnOnce() -> Fut,
    Fut: Future<Output: Says>,
{
    fn operation() -> Operation {
        let mut operation = Operation::default();
        Fut::Output::says(&mut operation);
        operation
    }
}

macro_rules! speaks {
    ($($part:ident)*) => {
        impl<F, Fut, M, $($part),*> Speaks<(M, $($part,)*)> for F
        where
            F: FnOnce($($part),*) -> Fut,
            Fut: Future<Output: Says>,
            $($part: Takes,)*
        {
            fn operation() -> Operation {
                let mut operation = Operation::default();
                $($part::takes(&mut operation);)*
                Fut::Output::says(&mut operation);
                operation
            }
        }
    };
}

speaks!(A);
speaks!(A B);
speaks!(A B C);
speaks!(A B C D);
speaks!(A B C D E);
speaks!(A B C D E G);

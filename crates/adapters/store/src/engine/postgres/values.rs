//! Values on their way to PostgreSQL and back.

use crate::error::{Malformed, StoreError};
use crate::value::{Row, Value};
use bytes::BytesMut;
use std::error::Error;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, kind) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Int(int), &Type::INT8) => int.to_sql(kind, out),
            (Self::Int(int), &Type::INT4) => i32::try_from(*int)?.to_sql(kind, out),
            (Self::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::UNKNOWN) => text.to_sql(kind, out),
            (Self::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(kind, out),
            (value, kind) => Err(format!("{} was given where {kind} is wanted", value.kind()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl FromSql<'_> for Value {
    fn from_sql(kind: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        match *kind {
            Type::INT8 => i64::from_sql(kind, raw).map(Self::Int),
            Type::INT4 => i32::from_sql(kind, raw).map(|int| Self::Int(i64::from(int))),
            Type::TEXT | Type::VARCHAR => String::from_sql(kind, raw).map(Self::Text),
            Type::BYTEA => Vec::from_sql(kind, raw).map(Self::Bytes),
            _ => Err(format!("no statement asks for {kind}").into()),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

pub(crate) fn row(what: &'static str, row: &tokio_postgres::Row) -> Result<Row, StoreError> {
    let values = (0..row.len()).map(|column| {
        row.try_get::<_, Value>(column).map_err(|error| StoreError::Corrupt {
            what,
            source: Malformed { column: column + 1, wanted: "a known type", found: error.to_string() },
        })
    });
    values.collect::<Result<_, _>>().map(Row::new)
}

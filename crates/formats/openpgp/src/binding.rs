//! Whether a key may sign: what it says of itself, and until when.

use crate::message::VerifyError;
use pgp::composed::{SignedPublicKey, SignedPublicSubKey};
use pgp::packet::{Signature, SignatureType, SubpacketData};
use pgp::types::{KeyDetails as _, Tag, Timestamp};

/// Who a key belongs to, as its own signatures say it at a moment.
#[derive(Debug)]
pub(crate) struct Identity<'k> {
    pub(crate) user: String,
    /// The signature that binds the name to the key.
    own: &'k Signature,
}

impl<'k> Identity<'k> {
    /// The name of a key that is the main one, or the newest.
    pub(crate) fn of(key: &'k SignedPublicKey, now: Timestamp) -> Result<Self, VerifyError> {
        if key.details.revocation_signatures.iter().any(|by| by.verify_key(&key.primary_key).is_ok()) {
            return Err(VerifyError::Revoked);
        }
        let mut found: Option<(Self, bool)> = None;
        for user in &key.details.users {
            let is_own = |by: &&Signature| by.verify_certification(&key.primary_key, Tag::UserId, &user.id).is_ok();
            let all: Vec<&Signature> = user.signatures.iter().filter(is_own).collect();
            let is_revoked = all.iter().any(|by| by.typ() == Some(SignatureType::CertRevocation));
            let newest = all.into_iter().filter(|by| by.is_certification()).max_by_key(|by| by.created().map(seconds));
            let Some(own) = newest else { continue };
            let rank = |identity: &Self| (identity.own.is_primary(), identity.own.created().map(seconds));
            let identity = Self { user: String::from_utf8_lossy(user.id.id()).into_owned(), own };
            if found.as_ref().is_none_or(|(best, _)| rank(&identity) > rank(best)) {
                found = Some((identity, is_revoked));
            }
        }
        let (identity, is_revoked) = found.ok_or(VerifyError::Unbound)?;
        if is_revoked {
            return Err(VerifyError::Revoked);
        }
        let born = key.primary_key.created_at();
        fresh(identity.own, Some(born), now)?;
        Ok(identity)
    }

    /// The key itself makes signatures; it need not say so.
    pub(crate) fn signs(&self) -> bool {
        says_what_for(self.own).is_none_or(|signs| signs)
    }
}

/// Whether a subkey belongs to its key and is for signing; nothing when it does not.
pub(crate) fn subkey(key: &SignedPublicKey, subkey: &SignedPublicSubKey, now: Timestamp) -> Result<bool, VerifyError> {
    let own = subkey.signatures.iter().filter(|by| by.verify_subkey_binding(&key.primary_key, &subkey.key).is_ok());
    let (revoked, bound): (Vec<_>, Vec<_>) = own.partition(|by| by.typ() == Some(SignatureType::SubkeyRevocation));
    let Some(binding) = bound.into_iter().max_by_key(|by| by.created().map(seconds)) else { return Ok(false) };
    // Without this anybody could take somebody else's key for a subkey.
    let back = binding.embedded_signature().filter(|back| {
        says_what_for(binding) == Some(true) && back.verify_primary_key_binding(&subkey.key, &key.primary_key).is_ok()
    });
    let Some(back) = back else { return Ok(false) };
    if !revoked.is_empty() {
        return Err(VerifyError::Revoked);
    }
    fresh(binding, Some(subkey.key.created_at()), now)?;
    fresh(back, None, now)?;
    Ok(true)
}

/// Whether a signature of a key says that the key signs, when it says what the key is for.
fn says_what_for(own: &Signature) -> Option<bool> {
    own.config()?.hashed_subpackets().find_map(|packet| match &packet.data {
        SubpacketData::KeyFlags(flags) => Some(flags.sign()),
        _ => None,
    })
}

/// A signature must not have expired, and neither must the key that it speaks of, which was born then.
pub(crate) fn fresh(by: &Signature, born: Option<Timestamp>, now: Timestamp) -> Result<(), VerifyError> {
    let now = seconds(now);
    let ends = |start: Option<Timestamp>, after: Option<pgp::types::Duration>| match (start, after) {
        (Some(start), Some(after)) if after.as_secs() > 0 => seconds(start) + u64::from(after.as_secs()) < now,
        _ => false,
    };
    let starts_later = |moment: Option<Timestamp>| moment.is_some_and(|moment| seconds(moment) > now);
    if ends(born, by.key_expiration_time()) || starts_later(born) {
        return Err(VerifyError::KeyExpired);
    }
    if ends(by.created(), by.signature_expiration_time()) || starts_later(by.created()) {
        return Err(VerifyError::SignatureExpired);
    }
    Ok(())
}

fn seconds(moment: Timestamp) -> u64 {
    u64::from(moment.as_secs())
}

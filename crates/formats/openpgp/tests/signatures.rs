//! Signatures that count, and those that do not. Keys are made here.
#![allow(clippy::unwrap_used, reason = "tests may fail by panic, their helpers too")]

use pgp::composed::{
    ArmorOptions, CleartextSignedMessage, KeyType, SecretKeyParamsBuilder, SignedPublicKey, SignedSecretKey,
    SubkeyParamsBuilder,
};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{SignatureConfig, SignatureType, Subpacket, SubpacketData};
use pgp::ser::Serialize as _;
use pgp::types::{Duration, KeyDetails as _, Password, SigningKey, Tag, Timestamp};
use rand08::SeedableRng as _;
use rand08::rngs::StdRng;
use windlass_openpgp::{ClearSigned, Keyring, KeyringError, Signer, VerifyError};

const BORN: u32 = 1_500_000_000;
const SIGNED: u32 = 1_600_000_000;
/// Later than any test is run: keys are bound to their names when they are made.
const NOW: u32 = 4_000_000_000;
const TEXT: &str = "name: shop\n- dashed: line\n\n...\nfiles:\n  shop-1.0.0.tgz: sha256:00\n";

/// A key for signing, with one subkey for signing and one for nothing.
fn key(seed: u64, user: &str) -> SignedSecretKey {
    let born = Timestamp::from_secs(BORN);
    let subkey = |signs| {
        let mut subkey = SubkeyParamsBuilder::default();
        subkey.key_type(KeyType::Ed25519Legacy).can_sign(signs).created_at(born).build().unwrap()
    };
    let mut key = SecretKeyParamsBuilder::default();
    key.key_type(KeyType::Ed25519Legacy).can_certify(true).can_sign(true).created_at(born);
    key.primary_user_id(user.to_owned()).subkeys(vec![subkey(true), subkey(false)]);
    key.build().unwrap().generate(StdRng::seed_from_u64(seed)).unwrap()
}

fn keyring(keys: &[SignedPublicKey]) -> Keyring {
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_bytes().unwrap()).collect();
    Keyring::read(&bytes).unwrap()
}

fn ring(key: &SignedSecretKey) -> Keyring {
    keyring(&[key.to_public_key()])
}

fn config(key: &impl SigningKey, typ: SignatureType, at: u32, more: Vec<SubpacketData>) -> SignatureConfig {
    let mut config = SignatureConfig::from_key(StdRng::seed_from_u64(9), key, typ).unwrap();
    let own = [
        SubpacketData::SignatureCreationTime(Timestamp::from_secs(at)),
        SubpacketData::IssuerFingerprint(key.fingerprint()),
    ];
    config.hashed_subpackets = own.into_iter().chain(more).map(|data| Subpacket::regular(data).unwrap()).collect();
    config.unhashed_subpackets = vec![Subpacket::regular(SubpacketData::IssuerKeyId(key.legacy_key_id())).unwrap()];
    config
}

fn signed(key: &impl SigningKey, more: Vec<SubpacketData>) -> String {
    let config = config(key, SignatureType::Text, SIGNED, more);
    let message = CleartextSignedMessage::new(TEXT, config, key, &Password::empty()).unwrap();
    message.to_armored_string(ArmorOptions::default()).unwrap()
}

fn verify(text: &str, keyring: &Keyring) -> Result<Signer, VerifyError> {
    ClearSigned::find(text).unwrap().verify(keyring, NOW)
}

#[test]
fn who_is_in_the_ring_is_told() {
    let alice = key(1, "Alice <alice@example.com>");
    let bob = key(2, "Bob <bob@example.com>");
    let text = signed(&alice.primary_key, Vec::new());
    let signer = verify(&text, &ring(&alice)).unwrap();
    assert_eq!(signer.user, "Alice <alice@example.com>");
    assert_eq!(signer.fingerprint, alice.primary_key.fingerprint().to_string());
    assert_eq!(verify(&text, &ring(&bob)), Err(VerifyError::Unknown));
    let both = keyring(&[bob.to_public_key(), alice.to_public_key()]);
    assert_eq!(verify(&text, &both).unwrap(), signer);
    // What stands around the message is not signed, and does not matter.
    let within = format!("From: a\n\n{text}\nbye\n");
    assert_eq!(verify(&within, &both).unwrap(), signer);
    assert_eq!(ClearSigned::find(&within).unwrap().text().trim_end(), TEXT.trim_end());
}

#[test]
fn keyrings_are_packets_or_armor_public_or_secret() {
    let alice = key(1, "Alice");
    let text = signed(&alice.primary_key, Vec::new());
    let armored = alice.to_public_key().to_armored_bytes(ArmorOptions::default()).unwrap();
    for bytes in [armored, alice.to_bytes().unwrap(), alice.to_armored_bytes(ArmorOptions::default()).unwrap()] {
        assert!(verify(&text, &Keyring::read(&bytes).unwrap()).is_ok());
    }
    assert!(matches!(Keyring::read(b""), Err(KeyringError::Empty(None))));
    assert!(matches!(Keyring::read(b"no keys at all"), Err(KeyringError::Empty(_))));
    let keybox = b"\0\0\0 \x01\x01\0\x02KBXf\0\0\0\0";
    assert!(matches!(Keyring::read(keybox), Err(KeyringError::Keybox)));
}

#[test]
fn what_was_changed_does_not_count() {
    let alice = key(1, "Alice");
    let text = signed(&alice.primary_key, Vec::new());
    let ring = ring(&alice);
    assert_eq!(verify(&text.replace("name: shop", "name: shed"), &ring), Err(VerifyError::Invalid));
    // Blanks at the ends of lines are not signed (RFC 9580 §7.2).
    assert!(verify(&text.replace("name: shop", "name: shop  "), &ring).is_ok());
    for nothing in ["", "text", "-----BEGIN PGP SIGNED MESSAGE-----\n\ntext\n"] {
        assert!(ClearSigned::find(nothing).is_none(), "{nothing:?}");
    }
    // Any byte may be another one: nothing panics, and the text is never another one.
    let (mut bytes, mut keys) = (text.into_bytes(), alice.to_public_key().to_bytes().unwrap());
    for at in 0..bytes.len() {
        bytes[at] ^= 1;
        if let Some(message) = std::str::from_utf8(&bytes).ok().and_then(ClearSigned::find) {
            let same = message.text().trim_end() == TEXT.trim_end();
            assert!(same || message.verify(&ring, NOW).is_err(), "byte {at}");
        }
        bytes[at] ^= 1;
    }
    let text = String::from_utf8(bytes).unwrap();
    for at in 0..keys.len() {
        keys[at] ^= 1;
        if let Ok(ring) = Keyring::read(&keys) {
            let _ = verify(&text, &ring);
        }
        keys[at] ^= 1;
    }
}

#[test]
fn subkeys_sign_when_they_are_for_signing() {
    let alice = key(1, "Alice");
    let [signs, other] = &alice.secret_subkeys[..] else { unreachable!("two subkeys") };
    assert_eq!(verify(&signed(&signs.key, Vec::new()), &ring(&alice)).unwrap().user, "Alice");
    assert_eq!(verify(&signed(&other.key, Vec::new()), &ring(&alice)), Err(VerifyError::Unknown));
    // Somebody else's subkey, taken over without its word.
    let mut mallory = key(3, "Mallory").to_public_key();
    mallory.public_subkeys = alice.to_public_key().public_subkeys;
    assert_eq!(verify(&signed(&signs.key, Vec::new()), &keyring(&[mallory])), Err(VerifyError::Unknown));
}

#[test]
fn nothing_lasts_for_ever() {
    let alice = key(1, "Alice");
    let short = |seconds| vec![SubpacketData::SignatureExpirationTime(Duration::from_secs(seconds))];
    let text = signed(&alice.primary_key, short(100));
    let message = ClearSigned::find(&text).unwrap();
    assert_eq!(message.verify(&ring(&alice), NOW), Err(VerifyError::SignatureExpired));
    assert!(verify(&signed(&alice.primary_key, short(NOW - SIGNED)), &ring(&alice)).is_ok());
    // Before it was born a key signs nothing.
    assert_eq!(message.verify(&ring(&alice), BORN - 1), Err(VerifyError::KeyExpired));

    let text = signed(&alice.primary_key, Vec::new());
    let with_lifetime = |seconds| {
        let lifetime = vec![SubpacketData::KeyExpirationTime(Duration::from_secs(seconds))];
        let config = config(&alice.primary_key, SignatureType::CertPositive, BORN, lifetime);
        let mut public = alice.to_public_key();
        let user = &mut public.details.users[0];
        let own = config.sign_certification(
            &alice.primary_key,
            &public.primary_key,
            &Password::empty(),
            Tag::UserId,
            &user.id,
        );
        user.signatures = vec![own.unwrap()];
        keyring(&[public])
    };
    assert_eq!(verify(&text, &with_lifetime(100)), Err(VerifyError::KeyExpired));
    assert!(verify(&text, &with_lifetime(NOW - BORN)).is_ok());
    assert!(verify(&text, &with_lifetime(0)).is_ok(), "no end");
}

#[test]
fn keys_are_revoked_and_bound_by_themselves() {
    let alice = key(1, "Alice");
    let text = signed(&alice.primary_key, Vec::new());
    let revocation = config(&alice.primary_key, SignatureType::KeyRevocation, SIGNED, Vec::new());
    let mut revoked = alice.to_public_key();
    let by = revocation.sign_key(&alice.primary_key, &Password::empty(), &revoked.primary_key).unwrap();
    revoked.details.revocation_signatures = vec![by];
    assert_eq!(verify(&text, &keyring(&[revoked])), Err(VerifyError::Revoked));

    // A name that somebody else wrote on the key.
    let mut unbound = alice.to_public_key();
    unbound.details.users = key(3, "Mallory").to_public_key().details.users;
    assert_eq!(verify(&text, &keyring(&[unbound])), Err(VerifyError::Unbound));
}

/// The reference of Helm accepts them.
#[test]
fn weak_checksums_do_not_count() {
    let mut key = SecretKeyParamsBuilder::default();
    key.key_type(KeyType::Rsa(2048)).can_certify(true).can_sign(true).primary_user_id("Alice".to_owned());
    let alice = key.build().unwrap().generate(StdRng::seed_from_u64(1)).unwrap();
    let with = |hash| {
        let mut config = config(&alice.primary_key, SignatureType::Text, NOW - 1, Vec::new());
        config.hash_alg = hash;
        let message = CleartextSignedMessage::new(TEXT, config, &alice.primary_key, &Password::empty()).unwrap();
        verify(&message.to_armored_string(ArmorOptions::default()).unwrap(), &ring(&alice))
    };
    assert_eq!(with(HashAlgorithm::Sha1), Err(VerifyError::Weak("SHA-1")));
    assert_eq!(with(HashAlgorithm::Sha512).unwrap().user, "Alice");
}

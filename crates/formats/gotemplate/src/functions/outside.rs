//! What asks the world outside of templates (decisions, "Unsafe or random template functions").

use crate::code;
use crate::function::Parameter::{Any, Int, Text};
use crate::function::{Arguments, Function, Parameter};
use crate::machine::{Call, Fault};
use crate::value::{Budget, Value};

/// An alphabet of random characters.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";

pub(super) const FUNCTIONS: &[Function] = &[
    Function::inside("lookup", &[Text, Text, Text, Text], |call, a| {
        let found = call.machine.world.lookup(&a.text(0), &a.text(1), &a.text(2), &a.text(3));
        found.map(|json| Value::from_json(&json)).map_err(|problem| failed(call, "lookup", &problem))
    })
    .only_in_helm(),
    Function::pure("getHostByName", &[Text], |_| Ok("".into())).only_in_helm(),
    random("randAlpha", |call, a| characters(call, "randAlpha", a.int(0), LETTERS)),
    random("randNumeric", |call, a| characters(call, "randNumeric", a.int(0), DIGITS)),
    random("randAlphaNum", |call, a| characters(call, "randAlphaNum", a.int(0), &format!("{LETTERS}{DIGITS}"))),
    random("randAscii", |call, a| {
        let printable: String = (' '..='~').collect();
        characters(call, "randAscii", a.int(0), &printable)
    }),
    random("randBytes", |call, a| {
        use base64::Engine;
        let bytes = chance(call, "randBytes", usize::try_from(a.int(0)).unwrap_or(0))?;
        Ok(base64::prelude::BASE64_STANDARD.encode(bytes).into())
    }),
    Function::inside("randInt", &[Int, Int], rand_int).only_in_helm(),
    Function::inside("uuidv4", &[], uuid).only_in_helm(),
    Function::inside("shuffle", &[Text], shuffle).only_in_helm(),
    asked("now", &[]),
    asked("ago", &[Any]),
    asked("date", &[Text, Any]),
    asked("dateInZone", &[Text, Any, Text]),
    asked("date_in_zone", &[Text, Any, Text]),
    asked("dateModify", &[Text, Any]),
    asked("date_modify", &[Text, Any]),
    asked("mustDateModify", &[Text, Any]),
    asked("must_date_modify", &[Text, Any]),
    asked("duration", &[Any]),
    asked("durationRound", &[Any]),
    asked("htmlDate", &[Any]),
    asked("htmlDateInZone", &[Any, Text]),
    asked("toDate", &[Text, Text]),
    asked("mustToDate", &[Text, Text]),
    asked("unixEpoch", &[Any]),
    asked("bcrypt", &[Text]),
    asked("htpasswd", &[Text, Text]),
    asked("derivePassword", &[Int, Text, Text, Text, Text]),
    asked("encryptAES", &[Text, Text]),
    asked("decryptAES", &[Text, Text]),
    asked("genPrivateKey", &[Text]),
    asked("buildCustomCert", &[Text, Text]),
    asked("genCA", &[Text, Int]),
    asked("genCAWithKey", &[Text, Int, Text]),
    asked("genSelfSignedCert", &[Text, Any, Any, Int]),
    asked("genSelfSignedCertWithKey", &[Text, Any, Any, Int, Text]),
    asked("genSignedCert", &[Text, Any, Any, Int, Any]),
    asked("genSignedCertWithKey", &[Text, Any, Any, Int, Any, Text]),
];

type Inside = fn(&mut Call<'_, '_>, &Arguments) -> Result<Value, Fault>;

const fn random(name: &'static str, run: Inside) -> Function {
    Function::inside(name, &[Int], run).only_in_helm()
}

/// A function that only the world can carry out.
const fn asked(name: &'static str, parameters: &'static [Parameter]) -> Function {
    Function::asked(name, parameters).only_in_helm()
}

/// Carries such a function out.
pub(crate) fn ask(call: &mut Call<'_, '_>, name: &str, arguments: &Arguments) -> Result<Value, Fault> {
    let mut all = Vec::with_capacity(arguments.len());
    for argument in arguments.iter() {
        let json = argument.to_json(&mut Budget::new());
        all.push(json.map_err(|problem| failed(call, name, &problem.to_string()))?);
    }
    match call.machine.world.call(name, &all) {
        Some(Ok(json)) => Ok(Value::from_json(&json)),
        Some(Err(problem)) => Err(failed(call, name, &problem)),
        None => Err(refused(call, name)),
    }
}

fn failed(call: &Call<'_, '_>, name: &str, problem: &str) -> Fault {
    call.machine.fault(code::EXECUTION, call.at, format!("`{name}`: {problem}"))
}

fn refused(call: &Call<'_, '_>, name: &str) -> Fault {
    let fault = call.machine.fault(code::REFUSED_FUNCTION, call.at, format!("the function `{name}` is not run here"));
    Box::new(
        fault.remedy("nobody offers it to this rendering, whose result must be the same each time: pass the value in"),
    )
}

fn chance(call: &mut Call<'_, '_>, name: &str, count: usize) -> Result<Vec<u8>, Fault> {
    const MOST: usize = 1 << 20;
    if count > MOST {
        return Err(call.machine.fault(code::LIMIT, call.at, format!("more than {MOST} random bytes")));
    }
    let mut bytes = vec![0; count];
    if call.machine.world.random(&mut bytes) { Ok(bytes) } else { Err(refused(call, name)) }
}

fn characters(call: &mut Call<'_, '_>, name: &str, count: i64, alphabet: &str) -> Result<Value, Fault> {
    let count = usize::try_from(count).unwrap_or(0);
    let alphabet = alphabet.as_bytes();
    let text: String = (chance(call, name, count * 4)?.chunks(4))
        .map(|bytes| {
            let number = bytes.iter().fold(0usize, |number, byte| number << 8 | usize::from(*byte));
            char::from(alphabet[number % alphabet.len()])
        })
        .collect();
    Ok(text.into())
}

fn number(call: &mut Call<'_, '_>, name: &str) -> Result<u64, Fault> {
    Ok(chance(call, name, 8)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn rand_int(call: &mut Call<'_, '_>, arguments: &Arguments) -> Result<Value, Fault> {
    let (least, most) = (arguments.int(0), arguments.int(1));
    let span = u64::try_from(most.saturating_sub(least)).ok().filter(|span| *span > 0);
    let Some(span) = span else { return Err(failed(call, "randInt", "the second number is the larger one")) };
    let offset = number(call, "randInt")? % span;
    Ok(Value::Int(least.saturating_add(i64::try_from(offset).unwrap_or(0))))
}

fn uuid(call: &mut Call<'_, '_>, _: &Arguments) -> Result<Value, Fault> {
    let mut bytes = chance(call, "uuidv4", 16)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-").into())
}

fn shuffle(call: &mut Call<'_, '_>, arguments: &Arguments) -> Result<Value, Fault> {
    let mut all: Vec<char> = arguments.text(0).chars().collect();
    for last in (1..all.len()).rev() {
        let other = usize::try_from(number(call, "shuffle")? % (last as u64 + 1)).unwrap_or(0);
        all.swap(last, other);
    }
    Ok(all.into_iter().collect::<String>().into())
}

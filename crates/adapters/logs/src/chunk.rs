//! Lines on their way into chunks and back.

use crate::line::{Line, LineError};
use crate::{LARGEST_CHUNK, LARGEST_UPLOAD, LONGEST_LINE, LogError, MOST_LINES};
use windlass_store::log_chunks::LogChunk;

/// One JSON object a line; positions follow from the chunk's.
pub(crate) fn encode(lines: &[Line]) -> Result<Vec<u8>, LineError> {
    let mut body = Vec::new();
    for line in lines {
        // Writing a line into memory cannot fail.
        let _ = serde_json::to_writer(&mut body, line.cut(LONGEST_LINE).as_ref());
        body.push(b'\n');
    }
    match lines.len() > MOST_LINES || body.len() > LARGEST_CHUNK {
        true => Err(LineError::ChunkTooLarge { lines: lines.len(), bytes: body.len() }),
        false => Ok(body),
    }
}

/// Adds the lines of a chunk from position `from` on.
pub(crate) fn decode(chunk: &LogChunk, from: u64, lines: &mut Vec<Line>) -> Result<(), LogError> {
    for (line, pos) in chunk.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).zip(chunk.position..) {
        if pos >= from {
            let line: Line = serde_json::from_slice(line).map_err(LogError::DamagedChunk)?;
            lines.push(Line { pos, ..line });
        }
    }
    Ok(())
}

/// Reads a whole log as its writer kept it, and numbers its lines.
pub(crate) fn parse_upload(text: &[u8]) -> Result<Vec<Line>, LineError> {
    if text.len() > LARGEST_UPLOAD {
        return Err(LineError::UploadTooLarge { bytes: text.len() });
    }
    let mut lines = Vec::new();
    for (number, line) in
        text.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty())
    {
        let line: Line = serde_json::from_slice(line)
            .map_err(|error| LineError::NotALine { number: number + 1, reason: error.to_string() })?;
        let pos = lines.len() as u64;
        lines.push(Line { pos, ..line.cut(LONGEST_LINE).into_owned() });
    }
    Ok(lines)
}

/// Cuts numbered lines into chunks.
pub(crate) fn pieces(lines: &[Line]) -> Result<Vec<LogChunk>, LineError> {
    lines
        // Even lines of the greatest length fit a chunk.
        .chunks(LARGEST_CHUNK / (2 * LONGEST_LINE))
        .map(|lines| {
            let position = lines.first().map_or(0, |line| line.pos);
            Ok(LogChunk { position, lines: lines.len() as u64, body: encode(lines)? })
        })
        .collect()
}

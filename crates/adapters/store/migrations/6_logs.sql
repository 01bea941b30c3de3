-- Lines of logs. SQLite keeps these tables in a second file.
CREATE TABLE log_stream (
    key         {text} PRIMARY KEY,
    opened_at   BIGINT NOT NULL,
    closed_at   BIGINT,
    lines       BIGINT NOT NULL,
    bytes       BIGINT NOT NULL,
    -- The first line that is still there.
    first       BIGINT NOT NULL,
    -- Where the lines are once they are not chunks any more.
    blob        {text}
);
CREATE INDEX log_stream_unsettled ON log_stream (closed_at) WHERE closed_at IS NOT NULL AND blob IS NULL;
CREATE INDEX log_stream_by_age ON log_stream (opened_at);

-- How far each attempt has come: what was acknowledged is never taken twice.
CREATE TABLE log_writer (
    key         {text} NOT NULL,
    attempt     BIGINT NOT NULL,
    last        BIGINT NOT NULL,
    PRIMARY KEY (key, attempt)
){clustered};

CREATE TABLE log_chunk (
    key         {text} NOT NULL,
    position    BIGINT NOT NULL,
    lines       BIGINT NOT NULL,
    -- Bytes of the log up to the end of this chunk.
    ends        BIGINT NOT NULL,
    body        {bytes} NOT NULL,
    PRIMARY KEY (key, position)
);

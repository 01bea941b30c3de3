-- The log of events is the truth of a run; `run`, `run_label` and `run_node` follow from it.
CREATE TABLE run (
    id          {text} PRIMARY KEY,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    pipeline    {text} NOT NULL,
    sequence    BIGINT NOT NULL,
    status      {text} NOT NULL,
    trigger_kind {text} NOT NULL,
    started_by  {text} NOT NULL,
    created_at  BIGINT NOT NULL,
    started_at  BIGINT,
    ended_at    BIGINT,
    last_seq    BIGINT NOT NULL,
    body        {text} NOT NULL,
    UNIQUE (org, project, pipeline, sequence)
);
CREATE INDEX run_of_project ON run (org, project, id);
CREATE INDEX run_of_pipeline ON run (pipeline, org, project, id);
CREATE INDEX run_open ON run (id) WHERE ended_at IS NULL;

CREATE TABLE run_event (
    run_id      {text} NOT NULL,
    seq         BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    kind        {text} NOT NULL,
    version     BIGINT NOT NULL,
    body        {text} NOT NULL,
    PRIMARY KEY (run_id, seq)
){clustered};

CREATE TABLE run_node (
    run_id      {text} NOT NULL,
    node        {text} NOT NULL,
    parent      {text} NOT NULL,
    position    BIGINT NOT NULL,
    kind        {text} NOT NULL,
    identifier  {text} NOT NULL,
    name        {text} NOT NULL,
    status      {text} NOT NULL,
    attempt     BIGINT NOT NULL,
    started_at  BIGINT,
    ended_at    BIGINT,
    body        {text} NOT NULL,
    PRIMARY KEY (run_id, node)
){clustered};

-- What a run deals with (a service, an environment, …), to find it by that.
CREATE TABLE run_label (
    label       {text} NOT NULL,
    value       {text} NOT NULL,
    run_id      {text} NOT NULL,
    PRIMARY KEY (label, value, run_id)
){clustered};
CREATE INDEX run_label_of_run ON run_label (run_id);

CREATE TABLE run_sequence (
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    pipeline    {text} NOT NULL,
    last        BIGINT NOT NULL,
    PRIMARY KEY (org, project, pipeline)
){clustered};

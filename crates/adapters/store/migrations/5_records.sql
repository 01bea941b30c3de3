CREATE TABLE approval (
    id          {text} PRIMARY KEY,
    run_id      {text} NOT NULL,
    node        {text} NOT NULL,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    pipeline    {text} NOT NULL,
    callback_id {text} NOT NULL,
    state       {text} NOT NULL,
    version     BIGINT NOT NULL,
    asked_at    BIGINT NOT NULL,
    deadline    BIGINT,
    ended_at    BIGINT,
    body        {text} NOT NULL
);
CREATE INDEX approval_open ON approval (org, project, id) WHERE ended_at IS NULL;
CREATE INDEX approval_of_run ON approval (run_id);

CREATE TABLE trigger_event (
    id          {text} PRIMARY KEY,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    source      {text} NOT NULL,
    received_at BIGINT NOT NULL,
    sender      {text} NOT NULL,
    headers     {text} NOT NULL,
    payload     {bytes} NOT NULL,
    status      {text} NOT NULL,
    message     {text} NOT NULL
);
CREATE INDEX trigger_event_of_project ON trigger_event (org, project, id);
CREATE INDEX trigger_event_by_time ON trigger_event (received_at);

-- What became of an event at each trigger that looked at it.
CREATE TABLE trigger_outcome (
    event_id    {text} NOT NULL,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    trigger_id  {text} NOT NULL,
    pipeline    {text} NOT NULL,
    at          BIGINT NOT NULL,
    status      {text} NOT NULL,
    message     {text} NOT NULL,
    run_id      {text},
    PRIMARY KEY (event_id, org, project, pipeline, trigger_id)
){clustered};
CREATE INDEX trigger_outcome_of_trigger ON trigger_outcome (org, project, pipeline, trigger_id, event_id);
CREATE INDEX trigger_outcome_of_run ON trigger_outcome (run_id);

CREATE TABLE webhook_token (
    hash        {bytes} PRIMARY KEY,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    pipeline    {text} NOT NULL,
    trigger_id  {text} NOT NULL,
    sealed      {bytes},
    created_at  BIGINT NOT NULL
){clustered};
CREATE INDEX webhook_token_of_trigger ON webhook_token (org, project, pipeline, trigger_id);

-- Rows come in without a place in the chain; the sealer gives them `position`, `previous` and `hash`.
CREATE TABLE audit (
    id          {text} PRIMARY KEY,
    at          BIGINT NOT NULL,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    principal   {text} NOT NULL,
    action      {text} NOT NULL,
    resource_kind {text} NOT NULL,
    resource    {text} NOT NULL,
    body        {text} NOT NULL,
    position    BIGINT UNIQUE,
    previous    {bytes},
    hash        {bytes}
);
CREATE INDEX audit_unsealed ON audit (id) WHERE position IS NULL;
CREATE INDEX audit_of_scope ON audit (org, project, id);
CREATE INDEX audit_of_resource ON audit (resource_kind, resource, id);

-- Answers to requests that may be sent twice.
CREATE TABLE idempotency (
    principal   {text} NOT NULL,
    key         {text} NOT NULL,
    request     {bytes} NOT NULL,
    status      BIGINT NOT NULL,
    answer      {text} NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (principal, key)
);
CREATE INDEX idempotency_by_time ON idempotency (at);

CREATE TABLE policy_evaluation (
    id          {text} PRIMARY KEY,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    action      {text} NOT NULL,
    subject_kind {text} NOT NULL,
    subject     {text} NOT NULL,
    run_id      {text},
    node        {text} NOT NULL,
    status      {text} NOT NULL,
    at          BIGINT NOT NULL,
    body        {text} NOT NULL
);
CREATE INDEX policy_evaluation_of_scope ON policy_evaluation (org, project, id);
CREATE INDEX policy_evaluation_of_run ON policy_evaluation (run_id);

-- Which logs a run has; the lines are elsewhere.
CREATE TABLE log_index (
    key         {text} PRIMARY KEY,
    run_id      {text} NOT NULL,
    node        {text} NOT NULL,
    unit        {text} NOT NULL,
    position    BIGINT NOT NULL,
    opened_at   BIGINT NOT NULL,
    closed_at   BIGINT,
    lines       BIGINT NOT NULL,
    bytes       BIGINT NOT NULL
){clustered};
CREATE INDEX log_index_of_run ON log_index (run_id, position);

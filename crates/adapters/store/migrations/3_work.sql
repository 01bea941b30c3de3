-- Effects that were decided and are not yet performed. Keys of a run's effects and timers begin with the run, and are found by that.
CREATE TABLE outbox (
    key         {text} PRIMARY KEY,
    run_id      {text},
    seq         BIGINT NOT NULL,
    position    BIGINT NOT NULL,
    kind        {text} NOT NULL,
    body        {text} NOT NULL,
    dead        BIGINT NOT NULL,
    due_at      BIGINT NOT NULL,
    attempts    BIGINT NOT NULL,
    epoch       BIGINT NOT NULL,
    holder      {text},
    lease_until BIGINT NOT NULL,
    error       {text}
);
CREATE INDEX outbox_due ON outbox (due_at, seq, position) WHERE dead = 0;

CREATE TABLE timer (
    key         {text} PRIMARY KEY,
    run_id      {text},
    kind        {text} NOT NULL,
    body        {text} NOT NULL,
    due_at      BIGINT NOT NULL,
    epoch       BIGINT NOT NULL,
    holder      {text},
    lease_until BIGINT NOT NULL
){clustered};
CREATE INDEX timer_due ON timer (due_at);

CREATE TABLE task (
    id          {text} PRIMARY KEY,
    run_id      {text},
    node        {text} NOT NULL,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    kind        {text} NOT NULL,
    version     BIGINT NOT NULL,
    state       {text} NOT NULL,
    attempt     BIGINT NOT NULL,
    delegate    {text},
    lease_until BIGINT,
    queued_at   BIGINT NOT NULL,
    queue_until BIGINT NOT NULL,
    deadline    BIGINT NOT NULL,
    started_at  BIGINT,
    ended_at    BIGINT,
    cancel_at   BIGINT,
    created_at  BIGINT NOT NULL,
    body        {text} NOT NULL,
    selection   {text} NOT NULL,
    checkpoint  {text},
    checkpoint_seq BIGINT NOT NULL DEFAULT 0,
    result      {text}
);
CREATE INDEX task_open ON task (state, queued_at) WHERE ended_at IS NULL;
CREATE INDEX task_of_delegate ON task (delegate) WHERE ended_at IS NULL;
CREATE INDEX task_of_run ON task (run_id);

CREATE TABLE delegate_token (
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    name        {text} NOT NULL,
    hash        {bytes} NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    created_by  {text} NOT NULL,
    revoke_after BIGINT,
    revoked_at  BIGINT,
    PRIMARY KEY (org, project, name)
){clustered};

CREATE TABLE delegate_group (
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    name        {text} NOT NULL,
    tags        {text} NOT NULL,
    created_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    PRIMARY KEY (org, project, name)
){clustered};

CREATE TABLE delegate (
    id          {text} PRIMARY KEY,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    name        {text} NOT NULL,
    token       {text} NOT NULL,
    tags        {text} NOT NULL,
    version     {text} NOT NULL,
    state       {text} NOT NULL,
    server      {text} NOT NULL,
    capacity    BIGINT NOT NULL,
    public_key  {bytes} NOT NULL,
    registered_at BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    body        {text} NOT NULL,
    load        {text} NOT NULL
);
CREATE INDEX delegate_of_group ON delegate (org, project, name);

-- Named leases: who may act, and until when. The epoch only grows.
CREATE TABLE lease (
    name        {text} PRIMARY KEY,
    holder      {text} NOT NULL,
    epoch       BIGINT NOT NULL,
    until       BIGINT NOT NULL
){clustered};

-- Constraints over runs (infrastructures, queues): one row per key to lock, one per holder or waiter.
CREATE TABLE resource (
    key         {text} PRIMARY KEY,
    touched     BIGINT NOT NULL
){clustered};

CREATE TABLE resource_claim (
    key         {text} NOT NULL,
    holder      {text} NOT NULL,
    run_id      {text},
    ticket      BIGINT NOT NULL,
    requested_at BIGINT NOT NULL,
    granted_at  BIGINT,
    told        BIGINT NOT NULL,
    PRIMARY KEY (key, holder)
){clustered};
CREATE INDEX resource_claim_queue ON resource_claim (key, ticket);
CREATE INDEX resource_claim_of_run ON resource_claim (run_id);
CREATE INDEX resource_claim_untold ON resource_claim (granted_at) WHERE told = 0;

CREATE TABLE baseline (
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    service     {text} NOT NULL,
    environment {text} NOT NULL,
    infrastructure {text} NOT NULL,
    run_id      {text} NOT NULL,
    at          BIGINT NOT NULL,
    body        {text} NOT NULL,
    PRIMARY KEY (org, project, service, environment, infrastructure)
);

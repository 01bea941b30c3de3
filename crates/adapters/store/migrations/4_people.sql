CREATE TABLE user_account (
    id          {text} PRIMARY KEY,
    email       {text} NOT NULL UNIQUE,
    name        {text} NOT NULL,
    state       {text} NOT NULL,
    password    {text},
    failures    BIGINT NOT NULL,
    locked_until BIGINT,
    version     BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

CREATE TABLE session (
    id          {text} PRIMARY KEY,
    user_id     {text} NOT NULL,
    hash        {bytes} NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    used_at     BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    client      {text} NOT NULL
){clustered};
CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_by_expiry ON session (expires_at);

CREATE TABLE api_key (
    id          {text} PRIMARY KEY,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    owner       {text} NOT NULL,
    name        {text} NOT NULL,
    hash        {bytes} NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    created_by  {text} NOT NULL,
    expires_at  BIGINT,
    revoked_at  BIGINT,
    used_at     BIGINT
){clustered};
CREATE INDEX api_key_of_owner ON api_key (owner);

-- Who is in which user group; the groups themselves are documents.
CREATE TABLE group_member (
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    group_id    {text} NOT NULL,
    principal   {text} NOT NULL,
    added_at    BIGINT NOT NULL,
    PRIMARY KEY (org, project, group_id, principal)
){clustered};
CREATE INDEX group_member_of ON group_member (principal);

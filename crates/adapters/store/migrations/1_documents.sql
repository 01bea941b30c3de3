-- What people write. Absent parts of a key are the empty text, since keys hold no nulls.
CREATE TABLE document (
    kind        {text} NOT NULL,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    parent      {text} NOT NULL,
    identifier  {text} NOT NULL,
    version     BIGINT NOT NULL,
    -- A deleted document keeps its row, so that the version goes on when the name is used again.
    deleted     BIGINT NOT NULL,
    name        {text} NOT NULL,
    tags        {text} NOT NULL,
    search      {text} NOT NULL,
    body        {text} NOT NULL,
    created_at  BIGINT NOT NULL,
    created_by  {text} NOT NULL,
    updated_at  BIGINT NOT NULL,
    updated_by  {text} NOT NULL,
    PRIMARY KEY (kind, org, project, parent, identifier)
);

CREATE TABLE document_version (
    kind        {text} NOT NULL,
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    parent      {text} NOT NULL,
    identifier  {text} NOT NULL,
    version     BIGINT NOT NULL,
    action      {text} NOT NULL,
    name        {text} NOT NULL,
    body        {text} NOT NULL,
    at          BIGINT NOT NULL,
    by_whom     {text} NOT NULL,
    PRIMARY KEY (kind, org, project, parent, identifier, version)
);

CREATE TABLE setting (
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    name        {text} NOT NULL,
    value       {text} NOT NULL,
    updated_at  BIGINT NOT NULL,
    updated_by  {text} NOT NULL,
    PRIMARY KEY (org, project, name)
){clustered};

-- Sealed bytes; the clear text never comes here.
CREATE TABLE secret (
    org         {text} NOT NULL,
    project     {text} NOT NULL,
    identifier  {text} NOT NULL,
    version     BIGINT NOT NULL,
    master_key  {text} NOT NULL,
    sealed      {bytes} NOT NULL,
    updated_at  BIGINT NOT NULL,
    updated_by  {text} NOT NULL,
    PRIMARY KEY (org, project, identifier)
);
CREATE INDEX secret_by_master_key ON secret (master_key);

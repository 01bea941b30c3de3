-- What a worker last said about the task it runs, for people who look: JSON of windlass_model::task::Note.
ALTER TABLE task ADD COLUMN note {text};
ALTER TABLE task ADD COLUMN note_seq BIGINT NOT NULL DEFAULT 0;

-- told: 0 nothing yet, 1 that it is held, 2 that it has to be waited for.
CREATE INDEX resource_claim_waiting ON resource_claim (requested_at) WHERE told = 0 AND granted_at IS NULL;

-- Tests of connectors belong to no run and are found by the connector's name.
CREATE INDEX task_of_node ON task (node, created_at) WHERE run_id IS NULL;

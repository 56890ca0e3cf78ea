-- Schema of the lending library.
CREATE SCHEMA lending;

-- People who borrow.
CREATE TABLE lending.members (
    id serial PRIMARY KEY,
    name text NOT NULL,
    joined date DEFAULT now()
);

CREATE TABLE IF NOT EXISTS loans (
    id int,
    member_id int REFERENCES lending.members (id),
    due date
);

CREATE UNIQUE INDEX loans_by_member ON loans (member_id);

/* Loans past their date. */
CREATE OR REPLACE VIEW overdue AS
SELECT l.id, m.name
FROM loans l
JOIN lending.members m ON m.id = l.member_id
WHERE l.due < now();

CREATE MATERIALIZED VIEW loan_counts AS
SELECT member_id, count(*) FROM loans GROUP BY member_id;

CREATE TYPE loan_state AS ENUM ('open', 'closed');

CREATE FUNCTION days_late(d date) RETURNS int AS $$
    SELECT greatest(0, 1);
$$ LANGUAGE sql;

CREATE TRIGGER loans_touch BEFORE UPDATE ON loans
    FOR EACH ROW EXECUTE FUNCTION touch();

CREATE SEQUENCE loan_numbers START 100;

INSERT INTO loans (id) VALUES (1);

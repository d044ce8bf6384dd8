import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'
import { forEachRow } from './triggers.ts'

/**
 * Triggers that count the upvotes of each noteable, so that lists can be in the order of their number. Award emoji also
 * disappear with their user or project.
 */
function voteTriggers(dialect: Dialect) {
  const given = `insert into award_votes (noteable_type, noteable_id, project_id, upvotes)
    values (new.noteable_type, new.noteable_id, new.project_id, 1)
    on conflict (noteable_type, noteable_id) do update set upvotes = award_votes.upvotes + 1`
  const ofOld = 'noteable_type = old.noteable_type and noteable_id = old.noteable_id'
  const taken = `delete from award_votes where ${ofOld} and upvotes = 1;
    update award_votes set upvotes = upvotes - 1 where ${ofOld}`
  const on = (event: string, row: string, statement: string) => {
    const isMet = `${row}.name = 'thumbsup' and ${row}.noteable_id is not null`
    return forEachRow(dialect, {
      ...{ name: `award_emoji_${event}`, event: `after ${event}`, table: 'award_emoji' },
      ...{ isMet, statement },
    })
  }
  return [...on('insert', 'new', given), ...on('delete', 'old', taken)]
}

/**
 * Discussions and their notes (contract 16 and 22, Discussion and Note). Every note belongs to a discussion. Both tables are
 * listed by the noteable, so both name it: a commit by its SHA, any other noteable by the id of its row; and its project or group,
 * with which they are deleted. A discussion on a
 * line of a diff has a `position`. Award emoji (also of notes), subscriptions and to-dos (contract 16) refer to noteables in
 * the same way.
 */
export function up(dialect: Dialect) {
  const { id, name } = dialect
  const noteable = sql`
      project_id bigint references projects (id) on delete cascade,
      group_id bigint references namespaces (id) on delete cascade,
      noteable_type text not null,
      noteable_id bigint,
      commit_id text,
      check (case when noteable_type = 'Commit' then commit_id is not null and noteable_id is null
        else noteable_id is not null end)`
  return [
    sql`create table discussions (
      id ${id},
      public_id ${name} not null,
      individual_note boolean not null,
      position jsonb,
      resolved_at timestamptz,
      resolved_by_id bigint references users (id) on delete set null,
      created_at timestamptz not null,
      ${noteable}
    )`,
    sql`create unique index discussions_public_id_unique on discussions (public_id)`,
    sql`create index discussions_resolved_by on discussions (resolved_by_id) where resolved_by_id is not null`,
    sql`create index discussions_commit on discussions (project_id, commit_id, created_at, id)`,
    sql`create index discussions_noteable on discussions (noteable_type, noteable_id, created_at, id)`,
    sql`create table notes (
      id ${id},
      discussion_id bigint not null references discussions (id) on delete cascade,
      author_id bigint not null references users (id) on delete cascade,
      body text not null,
      system boolean not null default false,
      internal boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ${noteable}
    )`,
    sql`create index notes_discussion on notes (discussion_id, created_at, id)`,
    sql`create index notes_commit on notes (project_id, commit_id, created_at, id)`,
    sql`create index notes_noteable on notes (noteable_type, noteable_id, created_at, id)`,
    sql`create index notes_author on notes (author_id)`,
    sql`create table award_emoji (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      name ${name} not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ${noteable}
    )`,
    sql`create unique index award_emoji_noteable_unique on award_emoji (noteable_type, noteable_id, user_id, name)
      where noteable_id is not null`,
    sql`create unique index award_emoji_commit_unique on award_emoji (project_id, commit_id, user_id, name)
      where commit_id is not null`,
    sql`create index award_emoji_project on award_emoji (project_id)`,
    sql`create index award_emoji_user on award_emoji (user_id)`,
    sql`create table award_votes (
      noteable_type text not null,
      noteable_id bigint not null,
      project_id bigint references projects (id) on delete cascade,
      upvotes integer not null,
      primary key (noteable_type, noteable_id)
    )`,
    sql`create index award_votes_project on award_votes (project_id, noteable_type, upvotes, noteable_id)`,
    sql`create index award_votes_order on award_votes (noteable_type, upvotes, noteable_id)`,
    ...voteTriggers(dialect),
    sql`create table subscriptions (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      subscribed boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ${noteable}
    )`,
    sql`create unique index subscriptions_noteable_unique on subscriptions (noteable_type, noteable_id, user_id)
      where noteable_id is not null`,
    sql`create unique index subscriptions_commit_unique on subscriptions (project_id, commit_id, user_id)
      where commit_id is not null`,
    sql`create index subscriptions_project on subscriptions (project_id)`,
    sql`create index subscriptions_user on subscriptions (user_id)`,
    sql`create table todos (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      author_id bigint not null references users (id) on delete cascade,
      action text not null,
      note_id bigint references notes (id) on delete set null,
      state text not null default 'pending' check (state in ('pending', 'done')),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ${noteable}
    )`,
    sql`create unique index todos_noteable_pending_unique on todos (noteable_type, noteable_id, user_id)
      where noteable_id is not null and state = 'pending'`,
    sql`create unique index todos_commit_pending_unique on todos (project_id, commit_id, user_id)
      where commit_id is not null and state = 'pending'`,
    sql`create index todos_project on todos (project_id)`,
    sql`create index todos_user on todos (user_id, state, id)`,
    sql`create index todos_author on todos (author_id)`,
    sql`create index todos_note on todos (note_id)`,
    sql`create index todos_noteable on todos (noteable_type, noteable_id)`,
    ...['discussions', 'notes', 'award_emoji', 'subscriptions', 'todos'].map((table) =>
      sql.raw(`create index ${table}_group on ${table} (group_id) where group_id is not null`),
    ),
  ]
}

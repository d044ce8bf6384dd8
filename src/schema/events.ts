import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Events of users (contract 21, Event), and pushes in full for the jobs that process them (contract 22 R5). A push and its
 * event are written in the transaction that increments the generation of the repository.
 */
export function up({ id }: Dialect) {
  return [
    sql`create table events (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      author_id bigint references users (id) on delete cascade,
      action text not null,
      target_type text,
      target_id bigint,
      target_iid bigint,
      target_title text,
      push_data jsonb,
      created_at timestamptz not null
    )`,
    sql`create index events_project on events (project_id, id)`,
    sql`create index events_author on events (author_id, id)`,
    sql`create index events_author_project on events (author_id, project_id)`,
    sql`create index events_target on events (target_type, target_id, id) where target_id is not null`,
    sql`create table pushes (
      id ${id},
      repository_id bigint not null references repositories (id) on delete cascade,
      user_id bigint,
      deploy_key_id bigint,
      push_options jsonb not null,
      changes jsonb not null,
      created_at timestamptz not null
    )`,
    sql`create index pushes_repository on pushes (repository_id)`,
    sql`create index pushes_created on pushes (created_at)`,
  ]
}

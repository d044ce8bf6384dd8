import { sql } from 'kysely'

/**
 * What system notes name: the issuable or commit in "mentioned in …", "moved to …" or "marked this issue as related to …" (contract
 * 16, "Rules"). A row lives as long as its note, and longer than what it names: a note about something that is gone stays hidden.
 */
export function up() {
  return [
    sql`create table note_references (
      note_id bigint primary key references notes (id) on delete cascade,
      target_type text not null check (target_type in ('Issue', 'MergeRequest', 'Epic', 'Commit')),
      target_id bigint,
      target_project_id bigint,
      check (case when target_type = 'Commit' then target_id is null and target_project_id is not null
        else target_id is not null end)
    )`,
    sql`insert into note_references (note_id, target_type, target_id, target_project_id)
      select note_id, source_type, source_id, source_project_id from cross_references where note_id is not null`,
  ]
}

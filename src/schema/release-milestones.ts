import { sql } from 'kysely'

/** The milestones of releases (contract 22, Release); a table of the module `releases`, created after the milestones. */
export function up() {
  return [
    sql`create table release_milestones (
      release_id bigint not null references releases (id) on delete cascade,
      milestone_id bigint not null references milestones (id) on delete cascade,
      primary key (release_id, milestone_id)
    )`,
    sql`create index release_milestones_milestone on release_milestones (milestone_id)`,
  ]
}

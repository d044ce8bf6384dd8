import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Topics, which projects had by name only before (contract 21). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table topics (
      id ${id},
      name ${name} not null,
      folded_name ${name} not null,
      title text not null,
      description text,
      avatar text,
      total_projects_count bigint not null default 0,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`insert into topics (name, folded_name, title, total_projects_count, created_at, updated_at)
      select min(name), lower(name), min(name), count(distinct project_id), current_timestamp, current_timestamp
      from project_topics group by lower(name)`,
    sql`create unique index topics_name_unique on topics (folded_name)`,
    sql`create index topics_projects on topics (total_projects_count desc, id)`,
    sql`alter table project_topics rename to project_topic_names`,
    sql`create table project_topics (
      project_id bigint not null references projects (id) on delete cascade,
      topic_id bigint not null references topics (id) on delete cascade,
      position integer not null,
      primary key (project_id, topic_id)
    )`,
    sql`insert into project_topics (project_id, topic_id, position)
      select n.project_id, t.id, min(n.position) from project_topic_names n
      join topics t on t.folded_name = lower(n.name) group by n.project_id, t.id`,
    sql`drop table project_topic_names`,
    sql`create index project_topics_topic on project_topics (topic_id, project_id)`,
  ]
}

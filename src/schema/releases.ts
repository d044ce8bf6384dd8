import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Releases of projects, one for each tag, with their links and evidence (contract 22, Release). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table releases (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      tag ${name} not null,
      name text,
      description text,
      sha text,
      author_id bigint references users (id) on delete set null,
      released_at timestamptz not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index releases_tag_unique on releases (project_id, tag)`,
    sql`create index releases_released on releases (project_id, released_at, id)`,
    sql`create index releases_created on releases (project_id, created_at, id)`,
    sql`create index releases_author on releases (author_id)`,
    sql`create table release_links (
      id ${id},
      release_id bigint not null references releases (id) on delete cascade,
      name ${name} not null,
      url ${name} not null,
      filepath ${name},
      link_type text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index release_links_url_unique on release_links (release_id, url)`,
    sql`create unique index release_links_name_unique on release_links (release_id, name)`,
    sql`create unique index release_links_filepath_unique on release_links (release_id, filepath)`,
    sql`create index release_links_order on release_links (release_id, id)`,
    sql`create table release_evidences (
      id ${id},
      release_id bigint not null references releases (id) on delete cascade,
      job_id bigint not null,
      sha text not null,
      summary text not null,
      collected_at timestamptz not null
    )`,
    sql`create unique index release_evidences_job_unique on release_evidences (release_id, job_id)`,
    sql`create index release_evidences_order on release_evidences (release_id, id)`,
  ]
}

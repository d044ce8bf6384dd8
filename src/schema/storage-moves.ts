import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** One kind of moves. The ids of each kind are a sequence of their own (contract 10, Objects). */
function movesOf(table: string, containers: string, { id }: Dialect): RawBuilder<unknown>[] {
  const text = (statement: string) => sql.raw(statement)
  return [
    sql`create table ${text(table)} (
      id ${id},
      container_id bigint not null references ${text(containers)} (id) on delete cascade,
      state text not null,
      source_storage_name text not null,
      destination_storage_name text not null,
      created_at timestamptz not null
    )`,
    text(
      `create unique index ${table}_active_unique on ${table} (container_id) where state in ('scheduled', 'started')`,
    ),
    text(`create index ${table}_container on ${table} (container_id, created_at, id)`),
    text(`create index ${table}_created on ${table} (created_at, id)`),
  ]
}

/** Moves of repositories between storages (contract 10). */
export function up(dialect: Dialect) {
  return [
    ...movesOf('project_storage_moves', 'projects', dialect),
    ...movesOf('snippet_storage_moves', 'snippets', dialect),
    ...movesOf('group_storage_moves', 'namespaces', dialect),
    sql`create index repositories_storage on repositories (storage, kind, id)`,
  ]
}

import { type RawBuilder, sql } from 'kysely'
import { type Dialect, forEachRow } from '../../../infra/database/index.ts'

type Summed = { table: string; column: string; bytesOf: (row: string) => string }

/**
 * Triggers that add the sizes of rows that are inserted and subtract those of rows that are deleted. PostgreSQL updates the row of a
 * project once for all rows of a statement.
 */
function sums(dialect: Dialect, { table, column, bytesOf }: Summed): RawBuilder<unknown>[] {
  const of = (event: string, row: string, sign: string) => {
    const name = `${table}_sizes_${event}`
    const set = `update project_sizes set ${column} = ${column} ${sign}`
    if (dialect.engine === 'sqlite') {
      const statement = `${set} ${bytesOf(row)} where project_id = ${row}.project_id`
      return forEachRow(dialect, { name, event: `after ${event}`, table, statement })
    }
    const changes = `select changed.project_id, cast(sum(${bytesOf('changed')}) as bigint) as bytes from changed
      where changed.project_id is not null group by changed.project_id`
    const body = `begin
      ${set} changes.bytes from (${changes}) changes where project_sizes.project_id = changes.project_id;
      return null; end`
    return [
      sql.raw(`create function ${name}() returns trigger language plpgsql as $$ ${body} $$`),
      sql.raw(`create trigger ${name} after ${event} on ${table} referencing ${row} table as changed
        for each statement execute function ${name}()`),
    ]
  }
  return [...of('insert', 'new', '+'), ...of('delete', 'old', '-')]
}

/** Triggers that follow the sizes of repositories: of projects, of their wikis and of their snippets. */
function repositoryTriggers(dialect: Dialect): RawBuilder<unknown>[] {
  const changed = (row: 'new' | 'old', bytes: string) => {
    const part = (kind: string) => `case ${row}.kind when '${kind}' then ${bytes} else 0 end`
    return `update project_sizes set repository_bytes = repository_bytes + ${part('project')},
        wiki_bytes = wiki_bytes + ${part('wiki')}, snippet_bytes = snippet_bytes + ${part('snippet')}
      where project_id = coalesce(${row}.project_id, (select s.project_id from snippets s where s.id = ${row}.snippet_id))`
  }
  const of = (event: string, row: 'new' | 'old', isMet: string, bytes: string) => {
    const name = `repositories_sizes_${event.split(' ')[0]}`
    const statement = changed(row, bytes)
    return forEachRow(dialect, { name, event: `after ${event}`, table: 'repositories', isMet, statement })
  }
  // A repository that disappears with its snippet no longer finds the project.
  const bytes = `(select r.size_bytes from repositories r
    where r.snippet_id = old.id ${dialect.engine === 'postgres' ? 'for update' : ''})`
  return [
    ...of('insert', 'new', 'new.size_bytes <> 0', 'new.size_bytes'),
    ...of('update of size_bytes', 'new', 'new.size_bytes <> old.size_bytes', '(new.size_bytes - old.size_bytes)'),
    ...of('delete', 'old', 'old.size_bytes <> 0', '-old.size_bytes'),
    ...forEachRow(dialect, {
      ...{ name: 'snippets_sizes_delete', event: 'before delete', table: 'snippets' },
      isMet: 'old.project_id is not null',
      statement: `update project_sizes set snippet_bytes = snippet_bytes - coalesce(${bytes}, 0)
        where project_id = old.project_id`,
    }),
  ]
}

/** What a package counts: nothing once its deletion has begun (contract 23 R8). */
const countedBytes = (row: string) =>
  `(case ${row}.status when 'pending_destruction' then 0 else ${row}.size_bytes end)`

/** Triggers that follow the sizes of packages. */
export function packageSizesTriggers(dialect: Dialect): RawBuilder<unknown>[] {
  return [
    ...sums(dialect, { table: 'packages', column: 'package_bytes', bytesOf: countedBytes }),
    ...forEachRow(dialect, {
      ...{ name: 'packages_sizes_update', event: 'after update of size_bytes, status', table: 'packages' },
      isMet: `${countedBytes('new')} <> ${countedBytes('old')}`,
      statement: `update project_sizes set package_bytes = package_bytes + ${countedBytes('new')} - ${countedBytes('old')}
        where project_id = new.project_id`,
    }),
  ]
}

/** Triggers that keep the sizes of what projects store (contract 21, `order_by`, `statistics`). */
export function sizesTriggers(dialect: Dialect): RawBuilder<unknown>[] {
  return [
    ...forEachRow(dialect, {
      ...{ name: 'projects_sizes_insert', event: 'after insert', table: 'projects' },
      statement: 'insert into project_sizes (project_id) values (new.id)',
    }),
    ...forEachRow(dialect, {
      ...{ name: 'projects_sizes_delete', event: 'after delete', table: 'projects' },
      statement: 'delete from project_sizes where project_id = old.id',
    }),
    ...repositoryTriggers(dialect),
    ...sums(dialect, {
      ...{ table: 'lfs_objects_projects', column: 'lfs_bytes' },
      bytesOf: (row) => `(select o.size_bytes from lfs_objects o where o.id = ${row}.object_id)`,
    }),
    ...sums(dialect, { table: 'uploads', column: 'upload_bytes', bytesOf: (row) => `${row}.size_bytes` }),
    ...packageSizesTriggers(dialect),
  ]
}

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Installation } from '../process.ts'

type Rows = Record<string, unknown>[]
/** Asks the database of an installation, beside its server. */
type Query = (text: string) => Promise<Rows>

/** Tables that name what was removed on purpose: what administrators did, and what secondaries must still learn. */
const records = new Set(['audit_events', 'replication_events', 'geo_events'])

export async function withDatabase<T>(
  { databaseUrl, data }: Installation,
  use: (query: Query) => Promise<T>,
): Promise<T> {
  if (databaseUrl?.startsWith('postgres')) {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      return await use(async (text) => (await client.query(text)).rows)
    } finally {
      await client.end()
    }
  }
  const handle = new DatabaseSync(join(data, 'fennec.db'))
  try {
    handle.exec('pragma busy_timeout = 10000')
    return await use(async (text) => handle.prepare(text).all() as Rows)
  } finally {
    handle.close()
  }
}

const onPostgres = ({ databaseUrl }: Installation) => databaseUrl?.startsWith('postgres') ?? false

/** The columns that hold ids, of their own rows and of others. */
async function idColumns(installation: Installation, query: Query): Promise<{ table: string; column: string }[]> {
  const text = onPostgres(installation)
    ? "select table_name as t, column_name as c from information_schema.columns where table_schema = 'public'"
    : "select m.name as t, i.name as c from sqlite_master m, pragma_table_info(m.name) i where m.type = 'table'"
  const rows = await query(text)
  return rows
    .map(({ t, c }) => ({ table: String(t), column: String(c) }))
    .filter(({ column }) => column === 'id' || column.endsWith('_id'))
}

/** The name of a column that refers to rows of a table: `merge_request_id` for `merge_requests`. */
const columnFor = (table: string) => `${table.replace(/ies$/, 'y').replace(/s$/, '')}_id`

/** The columns by which rows belong to projects and groups. */
const owning: Readonly<Record<string, 'project_id' | 'namespace_id'>> = {
  project_id: 'project_id',
  namespace_id: 'namespace_id',
  group_id: 'namespace_id',
}

/** The ids of what a tree of groups consists of, by the end of the names of columns that refer to them. */
export async function idsOfTree(installation: Installation, groupId: number): Promise<Map<string, number[]>> {
  return withDatabase(installation, async (query) => {
    const ids = async (text: string) => (await query(text)).map(({ id }) => Number(id))
    const namespaces = await ids(`select namespace_id as id from namespace_ancestors where ancestor_id = ${groupId}`)
    const projects = await ids(`select id from projects where namespace_id in (${namespaces})`)
    const found = new Map([
      ['project_id', projects],
      ['namespace_id', [...namespaces]],
      ['group_id', [...namespaces]],
    ])
    const columns = await idColumns(installation, query)
    const withIds = new Set(columns.filter(({ column }) => column === 'id').map(({ table }) => table))
    for (const { table, column } of columns) {
      const owners = found.get(owning[column] ?? '') ?? []
      const name = columnFor(table)
      if (owners.length === 0 || !withIds.has(table) || records.has(table) || owning[name]) continue
      const owned = await ids(`select id from "${table}" where "${column}" in (${owners})`)
      const known = found.get(name) ?? []
      for (const id of owned) known.push(id)
      found.set(name, known)
    }
    return found
  })
}

/** Rows that refer to something in a tree, one sentence for each column. */
export async function rowsLeft(installation: Installation, ids: ReadonlyMap<string, number[]>): Promise<string[]> {
  return withDatabase(installation, async (query) => {
    const left: string[] = []
    // The longest name that fits: `merge_request_id` is no `request_id`.
    const names = [...ids.keys()].sort((a, b) => b.length - a.length)
    for (const { table, column } of await idColumns(installation, query)) {
      const ending = names.find((name) => column === name || column.endsWith(`_${name}`))
      const wanted = ending === undefined ? [] : (ids.get(ending) ?? [])
      if (wanted.length === 0 || records.has(table)) continue
      const [row] = await query(`select count(*) as n from "${table}" where "${column}" in (${wanted})`)
      if (Number(row?.n) > 0) left.push(`${row?.n} rows of ${table} have a ${column} of the tree`)
    }
    for (const [table, ending] of [
      ['projects', 'project_id'],
      ['namespaces', 'namespace_id'],
      ['repositories', 'repository_id'],
    ] as const) {
      const [row] = await query(`select count(*) as n from ${table} where id in (${ids.get(ending)})`)
      if (Number(row?.n) > 0) left.push(`${row?.n} rows of ${table} are left`)
    }
    return left
  })
}

/** Lets recurring jobs run at the next start of the server, as they would within a day. */
export async function hastenRecurringJobs(installation: Installation): Promise<void> {
  await withDatabase(installation, (query) =>
    query("update recurring_jobs set next_run_at = '2020-01-01T00:00:00.000Z'"),
  )
}

/** Folders of repositories, and files of objects. */
export function filesOf({ data }: Installation): Set<string> {
  const below = (folder: string) => {
    try {
      return readdirSync(join(data, folder), { recursive: true }).map((name) => join(folder, String(name)))
    } catch {
      return []
    }
  }
  const repositories = below('repositories').filter((name) => name.endsWith('.git'))
  const objects = below('objects').filter((name) => statSync(join(data, name), { throwIfNoEntry: false })?.isFile())
  return new Set([...repositories, ...objects])
}

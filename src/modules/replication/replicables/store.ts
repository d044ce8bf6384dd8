import { type RawBuilder, sql } from 'kysely'
import { isAnyOf, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { NodeRow, SelectiveSyncType } from '../tables.ts'
import { type ReplicableType, replicableTypes } from '../types.ts'

/** What a node has copies of; null: everything (contract 15, "Selective sync"). */
export type Scope = {
  type: SelectiveSyncType | null
  nodeId: number
  shards: readonly string[]
  /** Whether content in the object store is left out. */
  withoutObjects: boolean
}

export const everything: Scope = { type: null, nodeId: 0, shards: [], withoutObjects: false }

/** An item of the primary, with its checksum unless it has changed since. */
export type ReplicableRow = {
  id: number
  project_id: number | null
  group_id: number | null
  storage: string | null
  size_bytes: number
  updated_at: string
  checksum: string | null
  checksummed_at: string | null
}

type Condition = RawBuilder<unknown>

/** Where the items of a type are, by the aliases of its query. */
type Source = {
  from: RawBuilder<unknown>
  id: Condition
  columns: RawBuilder<unknown>
  /** Which of the items are in a scope that is limited. */
  within(db: Reader, scope: Scope): Condition
  inObjectStore: boolean
}

const all = sql`1 = 1`

/** Whether a project belongs to one of the groups, or its code is in one of the storages. */
function projectIn(db: Reader, { type, nodeId, shards }: Scope, id: Condition): Condition {
  if (type === 'namespaces') {
    return sql`exists (select 1 from projects sp join namespace_ancestors sa on sa.namespace_id = sp.namespace_id
      join geo_node_namespaces sn on sn.namespace_id = sa.ancestor_id where sp.id = ${id} and sn.node_id = ${nodeId})`
  }
  return sql`exists (select 1 from repositories sr where sr.project_id = ${id} and sr.kind = 'project'
    and ${isAnyOf(db, sql`sr.storage`, shards)})`
}

const groupIn = ({ nodeId }: Scope, id: Condition): Condition =>
  sql`exists (select 1 from namespace_ancestors ga join geo_node_namespaces gn on gn.namespace_id = ga.ancestor_id
    where ga.namespace_id = ${id} and gn.node_id = ${nodeId})`

const onShard = (db: Reader, { shards }: Scope): Condition => isAnyOf(db, sql`r.storage`, shards)

const repositoryColumns = sql`r.project_id, r.namespace_id as group_id, r.storage, r.size_bytes, r.created_at as updated_at`

function ofRepositories(which: RawBuilder<unknown>, within: Source['within']): Source {
  const from = sql`(select * from repositories where ${which}) r`
  return { from, id: sql`r.id`, columns: repositoryColumns, within, inObjectStore: false }
}

const byProject: Source['within'] = (db, scope) => projectIn(db, scope, sql`r.project_id`)

/** Fennec has no designs: the type has no items. */
const sources: Record<ReplicableType, Source> = {
  project_repositories: ofRepositories(sql`kind = 'project'`, byProject),
  project_wiki_repositories: ofRepositories(sql`kind = 'wiki' and project_id is not null`, byProject),
  group_wiki_repositories: ofRepositories(sql`kind = 'wiki' and namespace_id is not null`, (db, scope) =>
    scope.type === 'namespaces' ? groupIn(scope, sql`r.namespace_id`) : onShard(db, scope),
  ),
  snippet_repositories: {
    from: sql`repositories r join snippets s on s.id = r.snippet_id`,
    id: sql`r.id`,
    columns: sql`s.project_id, null as group_id, r.storage, r.size_bytes, r.created_at as updated_at`,
    within: (db, scope) => {
      const ofProject = projectIn(db, scope, sql`s.project_id`)
      const personal = scope.type === 'namespaces' ? all : onShard(db, scope)
      return sql`case when s.project_id is null then ${personal} else ${ofProject} end`
    },
    inObjectStore: false,
  },
  design_management_repositories: ofRepositories(sql`1 = 0`, () => all),
  uploads: {
    from: sql`uploads u`,
    id: sql`u.id`,
    columns: sql`u.project_id, u.namespace_id as group_id, null as storage, u.size_bytes, u.created_at as updated_at`,
    within: (db, scope) => {
      const ofGroup = scope.type === 'namespaces' ? groupIn(scope, sql`u.namespace_id`) : all
      return sql`case when u.project_id is null then ${ofGroup} else ${projectIn(db, scope, sql`u.project_id`)} end`
    },
    inObjectStore: true,
  },
  lfs_objects: {
    from: sql`lfs_objects o`,
    id: sql`o.id`,
    columns: sql`null as project_id, null as group_id, null as storage, o.size_bytes, o.created_at as updated_at`,
    within: (db, scope) =>
      sql`exists (select 1 from lfs_objects_projects l where l.object_id = o.id
        and ${projectIn(db, scope, sql`l.project_id`)})`,
    inObjectStore: true,
  },
  package_files: {
    from: sql`package_blobs b`,
    id: sql`b.id`,
    columns: sql`null as project_id, null as group_id, null as storage, b.size_bytes, b.created_at as updated_at`,
    within: (db, scope) =>
      sql`exists (select 1 from package_files f join packages k on k.id = f.package_id where f.blob_id = b.id
        and ${projectIn(db, scope, sql`k.project_id`)})`,
    inObjectStore: true,
  },
  ci_secure_files: {
    from: sql`ci_secure_files f`,
    id: sql`f.id`,
    columns: sql`f.project_id, null as group_id, null as storage, f.sealed_bytes as size_bytes, f.created_at as updated_at`,
    within: (db, scope) => projectIn(db, scope, sql`f.project_id`),
    inObjectStore: true,
  },
  pages_deployments: {
    from: sql`pages_deployments d`,
    id: sql`d.id`,
    columns: sql`d.project_id, null as group_id, null as storage, d.object_bytes as size_bytes, d.created_at as updated_at`,
    within: (db, scope) => projectIn(db, scope, sql`d.project_id`),
    inObjectStore: true,
  },
  terraform_state_versions: {
    from: sql`terraform_state_versions v`,
    id: sql`v.id`,
    columns: sql`v.project_id, null as group_id, null as storage, v.sealed_bytes as size_bytes, v.created_at as updated_at`,
    within: (db, scope) => projectIn(db, scope, sql`v.project_id`),
    inObjectStore: true,
  },
  container_repositories: {
    from: sql`(select * from registry_repositories where project_id is not null) c`,
    id: sql`c.id`,
    columns: sql`c.project_id, null as group_id, null as storage, 0 as size_bytes, c.created_at as updated_at`,
    within: (db, scope) => projectIn(db, scope, sql`c.project_id`),
    inObjectStore: true,
  },
}

function scoped(db: Reader, type: ReplicableType, scope: Scope): Condition {
  const { within, inObjectStore } = sources[type]
  if (inObjectStore && scope.withoutObjects) return sql`1 = 0`
  return scope.type === null ? all : within(db, scope)
}

/** The items of a type in a scope, by id. @param afterId the last id of the previous portion */
export async function replicablesAfter(
  db: Reader,
  type: ReplicableType,
  scope: Scope,
  afterId: number,
  limit: number,
): Promise<ReplicableRow[]> {
  const { from, id, columns } = sources[type]
  const { rows } = await sql<ReplicableRow>`select ${id} as id, ${columns},
      case when k.state = 'succeeded' then k.checksum end as checksum,
      case when k.state = 'succeeded' then k.checksummed_at end as checksummed_at
    from ${from} left join geo_checksums k on k.type = ${type} and k.replicable_id = ${id}
    where ${id} > ${afterId} and ${scoped(db, type, scope)} order by ${id} limit ${limit}`.execute(db as never)
  return rows
}

/** Whether there is such an item, and whether it is in the scope. */
export async function standingOf(
  db: Reader,
  type: ReplicableType,
  scope: Scope,
  itemId: number,
): Promise<'absent' | 'outside' | 'inside'> {
  const { from, id } = sources[type]
  const { rows } = await sql<{ inside: number }>`select case when ${scoped(db, type, scope)} then 1 else 0 end as inside
    from ${from} where ${id} = ${itemId}`.execute(db as never)
  const [found] = rows
  if (!found) return 'absent'
  return Number(found.inside) === 1 ? 'inside' : 'outside'
}

/** Numbers of items in a scope, by type, in one query. */
export async function countReplicables(db: Reader, scope: Scope): Promise<Record<ReplicableType, number>> {
  const columns = replicableTypes.map((type) => {
    const { from } = sources[type]
    return sql`(select count(*) from ${from} where ${scoped(db, type, scope)}) as ${sql.ref(type)}`
  })
  const { rows } = await sql<Record<ReplicableType, number>>`select ${sql.join(columns)}`.execute(db as never)
  return Object.fromEntries(replicableTypes.map((type) => [type, Number(rows[0]?.[type] ?? 0)])) as never
}

/** Items without a row for their checksum. */
export async function unknownItems(db: Reader, type: ReplicableType, limit: number): Promise<number[]> {
  const { from, id } = sources[type]
  const { rows } = await sql<{ id: number }>`select ${id} as id from ${from} where not exists
      (select 1 from geo_checksums k where k.type = ${type} and k.replicable_id = ${id})
    order by ${id} limit ${limit}`.execute(db as never)
  return rows.map((row) => row.id)
}

/** Items that have a row for their checksum, and are gone. */
export async function goneItems(db: Reader, type: ReplicableType, limit: number): Promise<number[]> {
  const { from, id } = sources[type]
  const { rows } = await sql<{ id: number }>`select k.replicable_id as id from geo_checksums k where k.type = ${type}
    and not exists (select 1 from ${from} where ${id} = k.replicable_id) order by 1 limit ${limit}`.execute(db as never)
  return rows.map((row) => row.id)
}

/** What a node has copies of (contract 15, "Selective sync"). */
export function scopeOf({ config }: Pick<Platform, 'config'>, node: NodeRow): Scope {
  return {
    type: node.selective_sync_type,
    nodeId: node.id,
    shards: node.selective_sync_shards,
    withoutObjects: config.objectsUrl.startsWith('s3:') && !node.sync_object_storage,
  }
}

import { type RawBuilder, sql } from 'kysely'
import { partial, type TablesOf, type Tx, t, table } from '../../infra/database/index.ts'

/** The last iid of a kind of resource in a project or a group. */
export const internalIds = table(
  'internal_ids',
  {
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    kind: t.text(),
    last_value: t.integer(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id', 'kind'), namespace: partial('namespace_id', 'kind') },
    indexes: {
      largest: { on: ['kind', 'last_value', 'project_id'], where: 'last_value >= 10001 and project_id is not null' },
    },
  },
)

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof internalIds> {}
}

/** The project or the group that numbers its resources. */
export type InternalIdScope = { projectId: number; namespaceId?: never } | { namespaceId: number; projectId?: never }

/**
 * The next iids of resources in a project or a group; the first of all is 1. Concurrent transactions wait for each other, so
 * that every iid is given out once. Iids are free again when the transaction rolls back, and never after it commits.
 * @param kind of the resources that share the numbers, such as `pipelines`
 * @returns the first of `count` iids in a row
 */
export async function nextInternalIds(tx: Tx, scope: InternalIdScope, kind: string, count: number): Promise<number> {
  const { projectId = null, namespaceId = null } = scope
  const column = projectId === null ? 'namespace_id' : 'project_id'
  const { last_value: last } = await tx
    .insertInto('internal_ids')
    .values({ project_id: projectId, namespace_id: namespaceId, kind, last_value: count })
    .onConflict((conflict) =>
      conflict
        .columns([column, 'kind'])
        .where(column, 'is not', null)
        .doUpdateSet({ last_value: sql`internal_ids.last_value + excluded.last_value` }),
    )
    .returning('last_value')
    .executeTakeFirstOrThrow()
  return last - count + 1
}

/** The next iid of one resource; see `nextInternalIds`. */
export function nextInternalId(tx: Tx, scope: InternalIdScope, kind: string): Promise<number> {
  return nextInternalIds(tx, scope, kind, 1)
}

/**
 * Makes sure that later iids are larger than one that was chosen by hand.
 * @param kind as for `nextInternalId`
 */
export async function reserveInternalId(tx: Tx, scope: InternalIdScope, kind: string, value: number): Promise<void> {
  const { projectId = null, namespaceId = null } = scope
  const column = projectId === null ? 'namespace_id' : 'project_id'
  await tx
    .insertInto('internal_ids')
    .values({ project_id: projectId, namespace_id: namespaceId, kind, last_value: value })
    .onConflict((conflict) =>
      conflict
        .columns([column, 'kind'])
        .where(column, 'is not', null)
        .doUpdateSet({ last_value: value })
        .where('internal_ids.last_value', '<', value),
    )
    .execute()
}

/** Projects that number at least so many resources are in an index. */
const large = 10_001

/** The projects in which the most resources were numbered, as the text after `from`: ids as `project_id`, and `last_value`. */
export const largestProjects = (kind: string, most: number): RawBuilder<unknown> =>
  sql`(select numbered.project_id, numbered.last_value from internal_ids numbered where numbered.kind = ${sql.lit(kind)}
    and numbered.last_value >= ${sql.lit(large)} and numbered.project_id is not null
    order by numbered.last_value desc limit ${sql.lit(most)})`

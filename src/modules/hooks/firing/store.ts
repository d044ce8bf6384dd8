import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import { prepareQuery, type Reader, type Tables, type Tx } from '../../../infra/database/index.ts'
import { foreverAfter } from '../delivery/failures.ts'
import type { EventColumn, WebHookRow } from '../tables.ts'
import { type Trigger, type TriggerName, triggers } from '../triggers.ts'

const columns = ['id', 'project_id', 'namespace_id', 'push_events_branch_filter', 'branch_filter_strategy'] as const

/** What decides whether an event is sent to a hook. */
export type CalledHook = Pick<WebHookRow, (typeof columns)[number]>

/** Where something happens: in a project, or in a group (0: in none). */
export type Place = { projectId: number; namespaceId: number }

type Asked = Place & { moment: string }

function calledBy(names: readonly TriggerName[]) {
  const asked: readonly Trigger[] = names.map((name) => triggers[name])
  const flags = asked.flatMap(({ column }) => column ?? [])
  const system = asked.flatMap((trigger) => trigger.system ?? [])
  const anyOf = (among: readonly EventColumn[]) =>
    sql<boolean>`(${sql.join(
      among.map((flag) => sql.ref(flag)),
      sql` or `,
    )})`
  return prepareQuery((db: Reader, { projectId, namespaceId, moment }: Asked) => {
    const executable = sql<boolean>`(recent_failures < ${sql.lit(foreverAfter)}
      and (disabled_until is null or disabled_until <= ${moment}))`
    const hooks = () =>
      db
        .selectFrom('web_hooks')
        .select([...columns, ...flags])
        .where(executable)
    const above = sql<number>`(select ancestor_id from namespace_ancestors where namespace_id = ${namespaceId}
      union all select a.ancestor_id from namespace_ancestors a
      join projects p on p.namespace_id = a.namespace_id where p.id = ${projectId})`
    const ofInstance = hooks().where('project_id', 'is', null).where('namespace_id', 'is', null)
    const forSystem = system.includes('always') ? ofInstance : ofInstance.where(anyOf(system as EventColumn[]))
    if (flags.length === 0) return forSystem
    const ofProject = hooks().where(anyOf(flags)).where('project_id', '=', projectId)
    const ofBoth = ofProject.unionAll(hooks().where(anyOf(flags)).where(sql<boolean>`namespace_id in ${above}`))
    return system.length === 0 ? ofBoth : ofBoth.unionAll(forSystem)
  })
}

const lookups = new Map<string, ReturnType<typeof calledBy>>()

/** The hooks that one of these events calls, in one query: those of the project, of the groups above, and of the instance. */
export async function calledHooks(
  db: Reader,
  names: readonly TriggerName[],
  place: Place,
  moment: string,
): Promise<CalledHook[]> {
  if (names.every((name) => triggers[name].column === null && triggers[name].system === null)) return []
  const key = names.join()
  const lookup = lookups.get(key) ?? calledBy(names)
  lookups.set(key, lookup)
  return lookup(db, { ...place, moment })
}

/** Whether a hook found for several kinds of events asks for this one. */
export function asksFor(hook: CalledHook, name: TriggerName): boolean {
  const { column, system }: Trigger = triggers[name]
  const flags = hook as Partial<Record<EventColumn, boolean>>
  if (hook.project_id === null && hook.namespace_id === null) return system !== null
  return column !== null && Boolean(flags[column])
}

export async function insertEvent(tx: Tx, event: Insertable<Tables['web_hook_events']>): Promise<number> {
  const { id } = await tx.insertInto('web_hook_events').values(event).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function insertDeliveries(
  tx: Tx,
  rows: readonly Insertable<Tables['web_hook_deliveries']>[],
): Promise<number[]> {
  const inserted = await tx.insertInto('web_hook_deliveries').values(rows).returning('id').execute()
  return inserted.map(({ id }) => id)
}

const watching = prepareQuery((db: Reader, { repositoryId }: { repositoryId: number }) => {
  const project = sql`from projects p join repositories r on r.project_id = p.id
    where r.id = ${repositoryId} and r.kind = 'project'`
  const pushes = sql<boolean>`(push_events or tag_push_events)`
  const anyHook = () => db.selectFrom('web_hooks').select('id')
  return anyHook()
    .where(sql<boolean>`project_id = (select p.id ${project})`)
    .where(pushes)
    .unionAll(
      anyHook()
        .where(
          sql<boolean>`namespace_id in (select a.ancestor_id from namespace_ancestors a
            where a.namespace_id = (select p.namespace_id ${project}))`,
        )
        .where(pushes),
    )
    .unionAll(
      anyHook()
        .where('project_id', 'is', null)
        .where('namespace_id', 'is', null)
        .where(sql<boolean>`(push_events or tag_push_events or repository_update_events)`)
        .where(sql<boolean>`exists (select 1 ${project})`),
    )
    .limit(1)
})

/** Whether a hook asks for pushes to the repository of a project; no one does for those of wikis and snippets. */
export async function isPushWatched(db: Reader, repositoryId: number): Promise<boolean> {
  return (await watching(db, { repositoryId })).length > 0
}

import { computed, fact, forms, object, of, oneOf, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { disabledFromFailures } from '../delivery/failures.ts'
import { branchFilterStrategies, type SecretRow, type WebHookRow } from '../tables.ts'
import { eventsOf } from './params.ts'
import { secretsOf } from './store.ts'

const Key = Type.Object({ key: Type.String() })
const keys = Type.Array(Key, { description: 'Without the values.' })

type BooleanMembers<Names extends readonly string[]> = { [K in Names[number]]: ReturnType<typeof Type.Boolean> }

function booleans<const Names extends readonly string[]>(names: Names): BooleanMembers<Names> {
  return Object.fromEntries(names.map((name) => [name, Type.Boolean()])) as BooleanMembers<Names>
}

/** When the hooks of an answer are shown. */
type HookView = { db: Reader; moment: Date }

const hooks = of<WebHookRow, HookView>().facts({
  secrets: async (rows, { db }) => {
    const ids = rows.map(({ id }) => id)
    return Map.groupBy(await secretsOf(db, ids), ({ web_hook_id }) => web_hook_id)
  },
})

const begin = hooks.fields({
  id: forms.id,
  url: Type.String(),
  name: forms.nullableString,
  description: forms.nullableString,
  created_at: forms.timestamp,
  ...booleans(eventsOf.instance),
  enable_ssl_verification: Type.Boolean(),
})

function keysIn(secrets: ReadonlyMap<number, readonly SecretRow[]>, id: number, kind: SecretRow['kind']) {
  return (secrets.get(id) ?? []).filter((one) => one.kind === kind).map(({ key }) => ({ key }))
}

const variables = hooks.fields({
  url_variables: fact(keys, 'secrets', ({ id }, { secrets }) => keysIn(secrets, id, 'url_variable')),
})

const middle = {
  ...begin,
  ...hooks.fields({
    alert_status: computed(oneOf(['executable', 'temporarily_disabled', 'disabled']), (row, { moment }) => {
      return disabledFromFailures(row, moment).alert_status
    }),
    disabled_until: computed(forms.nullableTimestamp, (row, { moment }) => {
      return disabledFromFailures(row, moment).disabled_until
    }),
  }),
  ...variables,
  ...hooks.fields({
    push_events_branch_filter: forms.nullableString,
    branch_filter_strategy: oneOf(branchFilterStrategies),
    custom_webhook_template: forms.nullableString,
    custom_headers: fact(keys, 'secrets', ({ id }, { secrets }) => keysIn(secrets, id, 'custom_header')),
  }),
}

/** A hook (contract 21, Hook). */
export const ProjectHook = object('ProjectHook', hooks, {
  ...middle,
  project_id: computed(forms.id, ({ project_id }) => project_id ?? 0),
  ...booleans(eventsOf.project),
})
export const GroupHook = object('GroupHook', hooks, {
  ...middle,
  group_id: computed(forms.id, ({ namespace_id }) => namespace_id ?? 0),
  ...booleans(eventsOf.group),
})
export const SystemHook = object('SystemHook', hooks, { ...begin, ...variables })

/** The object of the hooks of an owner, by its kind. */
export const hookObjects = { project: ProjectHook, group: GroupHook, instance: SystemHook }
export type PresentedHook = Static<typeof ProjectHook> & Static<typeof GroupHook>

import { forms, oneOf, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { disabledFromFailures } from '../delivery/failures.ts'
import { branchFilterStrategies, type EventColumn, type SecretRow, type WebHookRow } from '../tables.ts'
import { eventsOf } from './params.ts'
import { secretsOf } from './store.ts'

const Key = Type.Object({ key: Type.String() })
const keys = Type.Array(Key, { description: 'Without the values.' })

type BooleanMembers<Names extends readonly string[]> = { [K in Names[number]]: ReturnType<typeof Type.Boolean> }

function booleans<const Names extends readonly string[]>(names: Names): BooleanMembers<Names> {
  return Object.fromEntries(names.map((name) => [name, Type.Boolean()])) as BooleanMembers<Names>
}

const begin = {
  id: forms.id,
  url: Type.String(),
  name: forms.nullableString,
  description: forms.nullableString,
  created_at: forms.timestamp,
  ...booleans(eventsOf.instance),
  enable_ssl_verification: Type.Boolean(),
}

const middle = {
  ...begin,
  alert_status: oneOf(['executable', 'temporarily_disabled', 'disabled']),
  disabled_until: forms.nullableTimestamp,
  url_variables: keys,
  push_events_branch_filter: forms.nullableString,
  branch_filter_strategy: oneOf(branchFilterStrategies),
  custom_webhook_template: forms.nullableString,
  custom_headers: keys,
}

/** A hook (contract 21, Hook), by kind of owner. */
export const hookSchemas = {
  project: Type.Object({ ...middle, project_id: forms.id, ...booleans(eventsOf.project) }, { title: 'ProjectHook' }),
  group: Type.Object({ ...middle, group_id: forms.id, ...booleans(eventsOf.group) }, { title: 'GroupHook' }),
}

export const SystemHook = Type.Object({ ...begin, url_variables: keys }, { title: 'SystemHook' })

/** A hook with the members of all kinds; its schema drops those of other kinds. */
export type PresentedHook = Static<typeof hookSchemas.project> & Static<typeof hookSchemas.group>

function presentOne(row: WebHookRow, secrets: readonly SecretRow[], moment: Date): PresentedHook {
  const keysOf = (kind: SecretRow['kind']) => secrets.filter((one) => one.kind === kind).map(({ key }) => ({ key }))
  const { alert_status, disabled_until } = disabledFromFailures(row, moment)
  const flags = Object.fromEntries(eventsOf.group.map((column) => [column, row[column]]))
  return {
    id: row.id,
    url: row.url,
    name: row.name,
    description: row.description,
    created_at: row.created_at,
    enable_ssl_verification: row.enable_ssl_verification,
    alert_status,
    disabled_until,
    url_variables: keysOf('url_variable'),
    push_events_branch_filter: row.push_events_branch_filter,
    branch_filter_strategy: row.branch_filter_strategy,
    custom_webhook_template: row.custom_webhook_template,
    custom_headers: keysOf('custom_header'),
    project_id: row.project_id ?? 0,
    group_id: row.namespace_id ?? 0,
    ...(flags as Record<EventColumn, boolean>),
  }
}

/** Presents hooks with the names of their variables and headers. */
export async function presentHooks(
  { clock }: Platform,
  db: Reader,
  rows: readonly WebHookRow[],
): Promise<PresentedHook[]> {
  const secrets = Map.groupBy(
    await secretsOf(
      db,
      rows.map(({ id }) => id),
    ),
    ({ web_hook_id }) => web_hook_id,
  )
  return rows.map((row) => presentOne(row, secrets.get(row.id) ?? [], clock.now()))
}

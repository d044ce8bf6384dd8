import { type ParamSet, type ParamValues, t } from '../../../api/index.ts'
import { branchFilterStrategies, type EventColumn, eventColumns } from '../tables.ts'

const groupOnly: readonly EventColumn[] = ['member_events', 'subgroup_events', 'project_events']

/** The events that hooks of each kind can ask for. */
export const eventsOf = {
  project: eventColumns.filter((column) => !groupOnly.includes(column)),
  group: eventColumns,
  instance: ['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'],
} as const satisfies Record<string, readonly EventColumn[]>

type Flags<Names extends readonly string[]> = { [K in Names[number]]: ReturnType<typeof t.boolean> }

function flags<const Names extends readonly string[]>(names: Names): Flags<Names> {
  return Object.fromEntries(names.map((name) => [name, t.boolean()])) as Flags<Names>
}

const pairs = (description: string) =>
  t.array(t.object({ key: t.required(t.string()), value: t.required(t.string()) }), { maximum: 100, description })

const shared = {
  url: t.string({ description: 'http or https; `{name}` stands for the value of a variable.' }),
  name: t.nullable(t.string()),
  description: t.nullable(t.string()),
  token: t.nullable(t.string({ description: 'Sent in a header. Never returned.' })),
  enable_ssl_verification: t.boolean({ description: 'Whether the certificate of the receiver is verified.' }),
  push_events_branch_filter: t.nullable(t.string({ description: 'The branches whose pushes call the hook.' })),
  branch_filter_strategy: t.oneOf(branchFilterStrategies),
  url_variables: pairs('Values for the URL. Never returned.'),
} as const

const ofProjectOrGroup = {
  ...shared,
  custom_headers: pairs('Headers of the requests. Never returned.'),
  custom_webhook_template: t.nullable(t.string({ description: 'JSON with `{{path}}` for members of the payload.' })),
} as const

/** Parameters of the changes, by kind of owner (contract 21, x.project_hooks_create). */
export const hookChanges = {
  project: { ...ofProjectOrGroup, ...flags(eventsOf.project) },
  group: { ...ofProjectOrGroup, ...flags(eventsOf.group) },
  instance: { ...shared, ...flags(eventsOf.instance) },
} as const satisfies Record<string, ParamSet>

export type HookChanges = ParamValues<typeof ofProjectOrGroup> & Partial<Record<EventColumn, boolean>>

export const hookPath = { hook_id: t.id() }
export const keyValue = { value: t.required(t.string()) }

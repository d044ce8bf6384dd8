import { allTakenIn, type Param, type ParamValues, t } from '../../../api/index.ts'
import { integrationTypes } from '../tables.ts'
import type { GivenMapping } from './mappings.ts'

/** A JSON object, or its text; the rule of the operation decides what is valid. */
export const jsonParam = (description: string): Param<unknown, false> => ({
  ...t.object({}, { description }),
  schema: { type: ['object', 'string'], description },
  read: (value: unknown) => value,
})

export const integrationPath = { integration_id: t.id() }

export const integrationFilter = { active: t.boolean(), type: t.oneOf(integrationTypes) }

const mappingList = t.array(
  t.object({
    field_name: t.required(t.string()),
    path: jsonParam('Keys and indexes from the root of the payload, or JSONPath such as `$.a.b[0]`.'),
    label: t.nullable(t.string({ maxLength: 255 })),
    type: t.oneOf(['string', 'array', 'datetime']),
  }),
  { maximum: 100 },
)

const isByName = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !Object.keys(value).every((key) => /^\d+$/.test(key))

/** A list of mappings, or an object of paths by field name. */
const mappings: Param<GivenMapping[], false> = {
  ...(mappingList as Param<unknown> as Param<GivenMapping[], false>),
  read(value, name, problems) {
    const listed = isByName(value)
      ? Object.entries(value).map(([field_name, path]) => ({ field_name, path: path as unknown }))
      : value
    return mappingList.read(listed, name, problems) as GivenMapping[] | undefined
  },
}

/** Parameters of x.alert_integration_update. */
export const integrationChanges = {
  name: t.string({ blank: false }),
  active: t.boolean(),
  external_url: t.string({ description: 'Address of the other product; for `external_link`.' }),
  ...allTakenIn(
    { tier: 'premium' },
    {
      payload_example: t.nullable(jsonParam('A sample of the payload, for mappings; for `http`.')),
      payload_attribute_mappings: mappings,
    },
  ),
}
export type IntegrationChanges = ParamValues<typeof integrationChanges>

/** Parameters of x.alert_integration_create. */
export const newIntegration = {
  ...integrationChanges,
  name: t.required(integrationChanges.name),
  type: t.oneOf(integrationTypes, { description: 'Default `http`.' }),
  api_url: t.string({ description: 'Accepted from old clients, and ignored.' }),
}
export type NewIntegration = ParamValues<typeof newIntegration>

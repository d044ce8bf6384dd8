import { anything, computed, fact, forms, nullable, object, of, oneOf, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type IntegrationRow, integrationTypes } from '../tables.ts'
import { integrationUrl } from './addresses.ts'
import { openKeys } from './sealing.ts'

const MappingObject = Type.Object(
  {
    field_name: Type.String(),
    path: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] } as never)),
    label: forms.nullableString,
    type: oneOf(['string', 'array', 'datetime']),
  },
  { title: 'AlertMapping' },
)

/** The project of the integrations of an answer. */
type IntegrationView = { platform: Platform; project: { full_path: string } }

const integrations = of<IntegrationRow, IntegrationView>().facts({
  keys: async (rows, { platform }) => {
    const keys = await openKeys(platform, rows)
    return new Map(rows.map(({ id }, index) => [id, keys[index] ?? null]))
  },
})

/** An integration with its key (contract 07, AlertIntegration). */
export const AlertIntegration = object('AlertIntegration', integrations, {
  id: forms.id,
  name: Type.String(),
  type: oneOf(integrationTypes),
  active: Type.Boolean(),
  url: computed(
    Type.String({ description: 'The address to which the monitoring tool sends alerts.' }),
    (row, { platform, project }) => integrationUrl(platform.externalUrl, project.full_path, row),
  ),
  token: fact(
    nullable(Type.String({ description: 'The authorization key.' })),
    'keys',
    ({ id }, { keys }) => keys.get(id) ?? null,
  ),
  endpoint_identifier: forms.nullableString,
  external_url: forms.nullableString,
  payload_example: computed(anything, ({ payload_example: text }) => (text === null ? null : JSON.parse(text))),
  payload_attribute_mappings: Type.Array(MappingObject),
  last_received_at: forms.nullableTimestamp,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})

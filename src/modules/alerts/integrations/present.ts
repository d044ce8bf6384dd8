import { anything, forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
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

/** An integration (contract 07, AlertIntegration). */
export const AlertIntegration = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    type: oneOf(integrationTypes),
    active: Type.Boolean(),
    url: Type.String({ description: 'The address to which the monitoring tool sends alerts.' }),
    token: nullable(Type.String({ description: 'The authorization key.' })),
    endpoint_identifier: forms.nullableString,
    external_url: forms.nullableString,
    payload_example: anything,
    payload_attribute_mappings: Type.Array(MappingObject),
    last_received_at: forms.nullableTimestamp,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
  },
  { title: 'AlertIntegration' },
)

/** Presents integrations of a project with their keys. */
export async function presentIntegrations(
  platform: Platform,
  { full_path }: { full_path: string },
  rows: readonly IntegrationRow[],
): Promise<Static<typeof AlertIntegration>[]> {
  const keys = await openKeys(platform, rows)
  return rows.map((row, index) => ({
    id: row.id,
    name: row.name,
    type: row.type,
    active: row.active,
    url: integrationUrl(platform.externalUrl, full_path, row),
    token: keys[index] ?? null,
    endpoint_identifier: row.endpoint_identifier,
    external_url: row.external_url,
    payload_example: row.payload_example === null ? null : (JSON.parse(row.payload_example) as unknown),
    payload_attribute_mappings: row.payload_attribute_mappings,
    last_received_at: row.last_received_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }))
}

/** Presents one integration. */
export async function presentIntegration(
  platform: Platform,
  project: { full_path: string },
  row: IntegrationRow,
): Promise<Static<typeof AlertIntegration>> {
  const [presented] = await presentIntegrations(platform, project, [row])
  return presented as Static<typeof AlertIntegration>
}

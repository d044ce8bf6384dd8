import { SealError } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import type { IntegrationRow } from '../tables.ts'

export type IntegrationOwner = Pick<ProjectOrGroupRef, 'kind' | 'id'>

export type Secrets = Readonly<Record<string, string>>

/** Values open only for the owner and slug for which they were sealed. */
const contextOf = ({ kind, id }: IntegrationOwner, slug: string) => `integrations:${kind}:${id}:${slug}`

const ownerOf = ({ project_id, namespace_id }: IntegrationRow): IntegrationOwner =>
  project_id === null ? { kind: 'group', id: namespace_id ?? 0 } : { kind: 'project', id: project_id }

/** Seals the secret fields of an integration; null without any. */
export async function sealSecrets(
  { secrets }: Platform,
  owner: IntegrationOwner,
  slug: string,
  values: Secrets,
): Promise<string | null> {
  if (Object.keys(values).length === 0) return null
  return (await secrets.sealer()).seal(JSON.stringify(values), contextOf(owner, slug))
}

/** Opens the secret fields. Null when they were sealed with a lost key, and the id is logged. */
export async function openSecrets({ secrets, log }: Platform, row: IntegrationRow): Promise<Secrets | null> {
  if (row.sealed_secrets === null) return {}
  try {
    return JSON.parse((await secrets.sealer()).open(row.sealed_secrets, contextOf(ownerOf(row), row.slug))) as Secrets
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ integration: row.id, err: error }, 'the secrets of an integration cannot be opened')
    return null
  }
}

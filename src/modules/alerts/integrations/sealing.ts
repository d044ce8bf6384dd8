import { hashToken, randomHex, SealError } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { IntegrationRow } from '../tables.ts'

/** A key opens only at the address for which it was sealed. */
const contextOf = (projectId: number, identifier: string) => `alert_integrations:${projectId}:${identifier}:token`

/** A new authorization key, as it is stored: sealed, and a digest by which it is found. */
export async function newKey({ secrets }: Platform, projectId: number, identifier: string) {
  const token = randomHex(16)
  const sealed_token = (await secrets.sealer()).seal(token, contextOf(projectId, identifier))
  return { sealed_token, token_digest: hashToken(token) }
}

/** Opens the keys of integrations, in their order; null for external links, and for keys sealed with a lost secret key. */
export async function openKeys({ secrets, log }: Platform, rows: readonly IntegrationRow[]) {
  const sealer = await secrets.sealer()
  return rows.map(({ id, project_id, endpoint_identifier, sealed_token }) => {
    if (sealed_token === null || endpoint_identifier === null) return null
    try {
      return sealer.open(sealed_token, contextOf(project_id, endpoint_identifier))
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      log.error({ integration: id, err: error }, 'the key of an alert integration cannot be opened')
      return null
    }
  })
}
